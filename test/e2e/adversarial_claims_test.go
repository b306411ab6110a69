package e2e

// Claims about documents, the request and the code.
var claimAttacks = []attack{
	{
		technique: "reviews no document",
		rule:      "documents are reviewed if there are any",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"documents_reviewed": []string{}, "mandatory_rules": nil})
		},
		judge: refused("validation_failed", "docs/money.md"),
	},
	{
		technique: "reviews a document that does not exist",
		rule:      "documents exist and were opened",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"documents_reviewed": []string{"docs/money.md", "docs/discounts.md"}})
		},
		judge: refused("not_found", "path from the root"),
	},
	{
		technique: "reviews a document that it has not opened",
		rule:      "documents exist and were opened",
		at:        "DOCUMENT_RESEARCH",
		lie: func(a *agent, p object) any {
			a.Write("docs/discounts.md", "# Discounts\n")
			return with(p, object{"documents_reviewed": []string{"docs/money.md", "docs/discounts.md"}})
		},
		judge: refused("unobserved_files", "docs/discounts.md"),
	},
	{
		technique: "reviews a document outside the repository",
		rule:      "paths stay in the repository",
		at:        "DOCUMENT_RESEARCH",
		prepare:   func(a *agent) { a.Write("../rules.md", "# Rules\n") },
		lie: func(_ *agent, p object) any {
			return with(p, object{"documents_reviewed": []string{"docs/money.md", "docs/../../rules.md"}})
		},
		judge: refused("path_outside_repository", "Send a path inside"),
	},
	{
		technique: "cites a rule at a line that does not exist",
		rule:      "rules are where they are said to be",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"mandatory_rules": []any{object{"rule": "Discounts are allowed.", "source": "docs/money.md:40"}}})
		},
		judge: refused("evidence_out_of_range", "Cite lines that exist"),
	},
	{
		technique: "adopts an empty rule",
		rule:      "rules are not empty",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"mandatory_rules": []any{object{"rule": "  ", "source": "docs/money.md:4"}}})
		},
		judge: refused("validation_failed", "State the rule"),
	},
	{
		technique: "quotes what was never said",
		rule:      "quotes are from the request",
		at:        "QUERY_FRAME",
		lie: func(_ *agent, p object) any {
			return with(p, object{"target_feature": object{"value": "discount with coupons", "quote": "a discount with coupons"}})
		},
		judge: refused("validation_failed", "word for word"),
	},
	{
		technique: "quotes a single letter",
		rule:      "quotes have at least two characters",
		at:        "QUERY_FRAME",
		lie: func(_ *agent, p object) any {
			return with(p, object{"desired_action": object{"value": "a", "quote": "a"}})
		},
		judge: refused("validation_failed", "word for word"),
	},
	{
		technique: "quotes words that do not express the value",
		rule:      "quotes contain the value",
		at:        "QUERY_FRAME",
		lie: func(_ *agent, p object) any {
			return with(p, object{"desired_action": object{"value": "rewrite the whole shop", "quote": "before tax"}})
		},
		judge: refused("validation_failed", "say the value in its words"),
	},
	{
		technique: "finds nothing and says so",
		rule:      "an exploration has findings",
		at:        "EXPLORATION",
		lie:       func(_ *agent, p object) any { return with(p, object{"findings": []string{" "}}) },
		judge:     refused("validation_failed", "each finding with its file:line"),
	},
	{
		technique: "counts a symbol twice",
		rule:      "nothing is listed twice",
		at:        "EXPLORATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"symbols_identified": []string{"Cart.total", "gross", "Cart.total"}})
		},
		judge: refused("validation_failed", "List each once"),
	},
	{
		technique: "invents an entry point",
		rule:      "entry points are related to what was seen",
		at:        "EXPLORATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"entry_points": []string{"refund_everything()"}})
		},
		judge: refused("validation_failed", "remove the entry point"),
	},
	{
		technique: "reports patterns from files it has not seen",
		rule:      "patterns were found in files",
		at:        "EXPLORATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"existing_patterns": []string{"prices are cents"}, "explored_files": []string{}})
		},
		judge: refused("validation_failed", "List the files where the patterns were found"),
	},
	{
		technique: "reports search hits at places that do not exist",
		rule:      "search hits are where they are said to be",
		work:      flagged("--gate=full"),
		at:        "SEMANTIC",
		lie: func(_ *agent, p object) any {
			return with(p, object{"search_results": []string{"shop/cart.py:700 computes the discount"}})
		},
		judge: refused("evidence_out_of_range", "Cite lines that exist"),
	},
	{
		technique: "verifies nothing",
		rule:      "a verification has verdicts",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie:       func(_ *agent, p object) any { return with(p, object{"hypotheses_verified": []any{}}) },
		judge:     refused("validation_failed", "give each a verdict"),
	},
	{
		technique: "confirms a hypothesis by a line that does not exist",
		rule:      "verdicts have evidence",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"hypotheses_verified": []any{object{"hypothesis": "pay uses total", "result": "confirmed", "evidence": "shop/checkout.py:50"}}})
		},
		judge: refused("evidence_out_of_range", "Cite lines that exist"),
	},
	{
		technique: "verifies an empty hypothesis",
		rule:      "hypotheses are not empty",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"hypotheses_verified": []any{object{"hypothesis": "", "result": "confirmed", "evidence": "shop/checkout.py:5"}}})
		},
		judge: refused("validation_failed", "State what you assumed"),
	},
	{
		technique: "invents a verdict",
		rule:      "enumerated values are from their lists",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"hypotheses_verified": []any{object{"hypothesis": "pay uses total", "result": "obvious", "evidence": "shop/checkout.py:5"}}})
		},
		judge: refused("payload_mismatch", "confirmed, rejected, inconclusive"),
	},
	{
		technique: "analyses the impact of something else",
		rule:      "the impact is analysed for the targets",
		work: func() work {
			w := flagged("--gate=full")()
			w.targets = []string{"left"}
			return w
		},
		at:    "IMPACT_ANALYSIS",
		lie:   func(_ *agent, p object) any { return p },
		judge: refused("payload_mismatch", `analyze_impact(targets=["Cart.total"])`),
	},
	{
		technique: "leaves out a file that the change touches",
		rule:      "every file that must be verified is answered",
		work:      flagged("--gate=full"),
		at:        "IMPACT_ANALYSIS",
		lie: func(a *agent, _ object) any {
			return object{"impact_summary": object{"files": []any{a.answerFor("tests/test_cart.py")}}, "summary": "The test.", "tools_used": a.used}
		},
		judge: refused("validation_failed", "add {file, status, reason}"),
	},
	{
		technique: "answers for all files with one star",
		rule:      "globs are for many files",
		work:      flagged("--gate=full"),
		at:        "IMPACT_ANALYSIS",
		lie: func(a *agent, _ object) any {
			all := object{"file": "**", "status": "not_affected", "reason": "nothing is affected"}
			return object{"impact_summary": object{"files": []any{all}}, "summary": "Nothing.", "tools_used": a.used}
		},
		judge: refused("validation_failed", "Answer for each file"),
	},
	{
		technique: "says that a file is not affected, without a reason",
		rule:      "unchanged files have a reason",
		work:      flagged("--gate=full"),
		at:        "IMPACT_ANALYSIS",
		lie: func(a *agent, _ object) any {
			files := []any{a.answerFor("tests/test_cart.py"), object{"file": "shop/checkout.py", "status": "not_affected"}}
			return object{"impact_summary": object{"files": files}, "summary": "Two files.", "tools_used": a.used}
		},
		judge: refused("validation_failed", "Say why shop/checkout.py needs no change"),
	},
}
