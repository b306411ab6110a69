package e2e

// Claims about documents, the request and the code.
var claimAttacks = []attack{
	{
		technique: "reviews no document",
		rule:      "documents are reviewed where there are any",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"documents_reviewed": []string{}, "mandatory_rules": nil})
		},
		judge: refused("validation_failed", "docs/money.md"),
	},
	{
		technique: "reviews a document that there is not",
		rule:      "documents exist",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"documents_reviewed": []string{"docs/money.md", "docs/discounts.md"}})
		},
		judge: refused("not_found", "path from the root"),
	},
	{
		technique: "reviews a document outside of the repository",
		rule:      "paths stay in the repository",
		at:        "DOCUMENT_RESEARCH",
		prepare:   func(a *agent) { a.Write("../rules.md", "# Rules\n") },
		lie: func(_ *agent, p object) any {
			return with(p, object{"documents_reviewed": []string{"docs/money.md", "docs/../../rules.md"}})
		},
		judge: refused("path_outside_repository", "Send a path inside"),
	},
	{
		technique: "cites a rule where there is no line",
		rule:      "rules stand where they are said to",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"mandatory_rules": []any{object{"rule": "Discounts are allowed.", "source": "docs/money.md:40"}}})
		},
		judge: refused("evidence_out_of_range", "Cite lines that are there"),
	},
	{
		technique: "binds itself to a rule that says nothing",
		rule:      "rules say something",
		at:        "DOCUMENT_RESEARCH",
		lie: func(_ *agent, p object) any {
			return with(p, object{"mandatory_rules": []any{object{"rule": "  ", "source": "docs/money.md:4"}}})
		},
		judge: refused("validation_failed", "State the rule"),
	},
	{
		technique: "quotes what was never said",
		rule:      "quotes stand in the request",
		at:        "QUERY_FRAME",
		lie: func(_ *agent, p object) any {
			return with(p, object{"target_feature": object{"value": "discount with coupons", "quote": "a discount with coupons"}})
		},
		judge: refused("validation_failed", "word for word"),
	},
	{
		technique: "quotes a single letter",
		rule:      "quotes have two characters",
		at:        "QUERY_FRAME",
		lie: func(_ *agent, p object) any {
			return with(p, object{"desired_action": object{"value": "a", "quote": "a"}})
		},
		judge: refused("validation_failed", "word for word"),
	},
	{
		technique: "quotes words that do not carry the meaning",
		rule:      "quotes carry the value",
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
		technique: "names an entry point out of thin air",
		rule:      "entry points are tied to what was seen",
		at:        "EXPLORATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"entry_points": []string{"refund_everything()"}})
		},
		judge: refused("validation_failed", "take the entry point out"),
	},
	{
		technique: "knows patterns of files it has not seen",
		rule:      "patterns were found in files",
		at:        "EXPLORATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"existing_patterns": []string{"prices are cents"}, "explored_files": []string{}})
		},
		judge: refused("validation_failed", "List the files in which the patterns were found"),
	},
	{
		technique: "reports search hits at places that are not there",
		rule:      "search hits are where they are said to be",
		work:      flagged("--gate=full"),
		at:        "SEMANTIC",
		lie: func(_ *agent, p object) any {
			return with(p, object{"search_results": []string{"shop/cart.py:700 computes the discount"}})
		},
		judge: refused("evidence_out_of_range", "Cite lines that are there"),
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
		technique: "confirms a hypothesis by a line that is not there",
		rule:      "verdicts have evidence",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"hypotheses_verified": []any{object{"hypothesis": "pay uses total", "result": "confirmed", "evidence": "shop/checkout.py:50"}}})
		},
		judge: refused("evidence_out_of_range", "Cite lines that are there"),
	},
	{
		technique: "verifies a hypothesis that says nothing",
		rule:      "hypotheses say something",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"hypotheses_verified": []any{object{"hypothesis": "", "result": "confirmed", "evidence": "shop/checkout.py:5"}}})
		},
		judge: refused("validation_failed", "State what was supposed"),
	},
	{
		technique: "invents a verdict",
		rule:      "words come from their lists",
		work:      flagged("--gate=full"),
		at:        "VERIFICATION",
		lie: func(_ *agent, p object) any {
			return with(p, object{"hypotheses_verified": []any{object{"hypothesis": "pay uses total", "result": "obvious", "evidence": "shop/checkout.py:5"}}})
		},
		judge: refused("payload_mismatch", "confirmed, rejected, inconclusive"),
	},
	{
		technique: "analyses the impact of something else",
		rule:      "impact is that of the targets",
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
		technique: "says of a file that it is not affected and not why",
		rule:      "files that stay have a reason",
		work:      flagged("--gate=full"),
		at:        "IMPACT_ANALYSIS",
		lie: func(a *agent, _ object) any {
			files := []any{a.answerFor("tests/test_cart.py"), object{"file": "shop/checkout.py", "status": "not_affected"}}
			return object{"impact_summary": object{"files": files}, "summary": "Two files.", "tools_used": a.used}
		},
		judge: refused("validation_failed", "Say why shop/checkout.py needs no change"),
	},
}
