package e2e

// Claims about tools, and about what they showed.
var toolAttacks = []attack{
	{
		technique: "claims a tool that was never called",
		rule:      "tools_used is in the ledger",
		at:        "EXPLORATION",
		lie: func(a *agent, p object) any {
			return with(p, object{"tools_used": append(a.used, "semantic_search")})
		},
		judge: refused("payload_mismatch", "Call the tool now"),
	},
	{
		technique: "claims a tool of its own invention",
		rule:      "tools_used is in the ledger",
		at:        "QUERY_FRAME",
		lie: func(_ *agent, p object) any {
			return with(p, object{"tools_used": []string{"mcp__code-intel__deep_understanding"}})
		},
		judge: refused("payload_mismatch", "remove its name from tools_used"),
	},
	{
		technique: "claims a tool that refused it",
		rule:      "tools_used succeeded",
		at:        "EXPLORATION",
		prepare:   func(a *agent) { a.use("search_files", object{"nonsense": true}) },
		lie: func(a *agent, p object) any {
			return with(p, object{"tools_used": append(a.used, "search_files")})
		},
		judge: refused("payload_mismatch", "Call the tool now"),
	},
	{
		technique: "claims a file that no tool has shown",
		rule:      "explored files were shown",
		at:        "EXPLORATION",
		lie: func(a *agent, p object) any {
			return with(p, object{"explored_files": append(a.work.explored, "shop/stock.py")})
		},
		judge: refused("unobserved_files", `get_symbols(file_path="shop/stock.py")`),
	},
	{
		technique: "explores with one kind of tool",
		rule:      "two kinds of tools explore",
		work:      onlySymbols,
		at:        "EXPLORATION",
		lie:       func(_ *agent, p object) any { return p },
		judge:     refused("payload_mismatch", "Call more of"),
	},
	{
		technique: "counts a call that failed",
		rule:      "a failed call does not count",
		work:      onlySymbols,
		at:        "EXPLORATION",
		prepare:   func(a *agent) { a.use("find_references", object{"nonsense": true}) },
		lie:       func(_ *agent, p object) any { return p },
		judge:     refused("payload_mismatch", "Call more of"),
	},
	{
		technique: "counts a search for nothing",
		rule:      "an empty answer must have been asked for",
		work:      onlySymbols,
		at:        "EXPLORATION",
		prepare:   func(a *agent) { a.use("search_text", object{"pattern": "zzzyyyxxx"}) },
		lie:       func(_ *agent, p object) any { return p },
		judge:     refused("payload_mismatch", "Call more of"),
	},
	{
		technique: "replays the calls of an earlier phase",
		rule:      "calls are of this phase",
		work: func() work {
			w := flagged("--gate=full")()
			w.look = append(w.look, call{"semantic_search", object{"query": "how is the total of the cart computed"}})
			return w
		},
		at:      "SEMANTIC",
		prepare: func(a *agent) { a.work.semantic = "" }, // it does not search
		lie:     func(_ *agent, p object) any { return with(p, object{"tools_used": []string{}}) },
		judge:   refused("payload_mismatch", "Call semantic_search"),
	},
	{
		technique: "skips the semantic search",
		rule:      "required tools",
		work:      flagged("--gate=full"),
		at:        "SEMANTIC",
		prepare:   func(a *agent) { a.work.semantic = "" },
		lie:       func(_ *agent, p object) any { return with(p, object{"tools_used": []string{}}) },
		judge:     refused("payload_mismatch", "Call semantic_search"),
	},
	{
		technique: "asks for the review before there is one",
		rule:      "each phase has its own tools",
		at:        "EXPLORATION",
		lie:       func(a *agent, _ object) any { return a.use("review_changes", object{}) },
		judge:     refused("phase_blocked", "end it with submit_phase"),
	},
	{
		technique: "gets permission to write while exploring",
		rule:      "each phase has its own tools",
		at:        "EXPLORATION",
		lie:       func(a *agent, _ object) any { return a.use("check_write_target", object{"file_path": "shop/cart.py"}) },
		judge:     refused("phase_blocked", "end it with submit_phase"),
	},
}

// onlySymbols explores with get_symbols alone.
func onlySymbols() work {
	w := discount()
	w.look = []call{
		{"get_symbols", object{"path": "shop/cart.py"}},
		{"get_symbols", object{"path": "shop/price.py"}},
		{"get_symbols", object{"path": "tests/test_cart.py"}},
	}
	return w
}
