package e2e

// Gates closed without need: Q1, Q2 and Q3.
var gateAttacks = []attack{
	{
		technique: "knows enough after a glance",
		rule:      "a thin exploration opens Q1",
		work: func() work {
			w := discount()
			w.look = []call{{"get_symbols", object{"path": "shop/cart.py"}}, {"search_text", object{"pattern": "gross("}}}
			w.explored = []string{"shop/cart.py"}
			return w
		},
		at:    "Q1",
		lie:   func(_ *agent, p object) any { return p },
		judge: overridden("SEMANTIC", "not thorough"),
	},
	{
		technique: "relies on findings without a place",
		rule:      "findings have places",
		work: func() work {
			w := discount()
			w.findings = []string{"the cart is simple"}
			return w
		},
		at:    "Q2",
		lie:   func(_ *agent, p object) any { return p },
		judge: overridden("VERIFICATION", "the cart is simple"),
	},
	{
		technique: "relies on findings without a place",
		rule:      "findings have a place",
		work: func() work {
			w := discount()
			w.findings = []string{"the discount is known"}
			return w
		},
		at:    "Q2",
		lie:   func(_ *agent, p object) any { return p },
		judge: overridden("VERIFICATION", "the discount is known"),
	},
	{
		technique: "forgets a hypothesis",
		rule:      "hypotheses are open until they are verified",
		at:        "Q1",
		lie: func(a *agent, p object) any {
			a.took(a.submit(with(p, object{"needs_more_information": true, "reason": "who else adds tax is not known"})))
			a.took(a.submit(with(a.deed(), object{"hypotheses": []string{"nobody else adds tax"}})))
			return object{"has_unverified_hypotheses": false, "reason": "everything is known by now"}
		},
		judge: overridden("VERIFICATION", "nobody else adds tax"),
	},
	{
		technique: "calls a change local although it affects others",
		rule:      "impact stays in explored files",
		work: func() work {
			w := discount()
			w.look[3] = call{"find_references", object{"symbol": "gross"}} // total's would show the caller
			return w
		},
		at:    "Q3",
		lie:   func(_ *agent, p object) any { return p },
		judge: overridden("IMPACT_ANALYSIS", "shop/checkout.py"),
	},
	{
		technique: "says that it only adds, and changes what others call",
		rule:      "a change that only adds leaves alone what is there",
		work: func() work {
			w := besides()
			t := &w.tasks[0]
			t.edits[0].text = change(t.edits[0].text, "def write(text", "def write(text, level")
			return w
		},
		habits: habits{submits: onlyAdds},
		at:     "READY complete",
		lie:    func(_ *agent, p object) any { return p },
		judge:  refused("validation_failed", "get_symbols"),
	},
	{
		technique: "closes a gate that the user wants open",
		rule:      "--gate=full opens every gate",
		work: func() work {
			w := discount()
			w.flags = []string{"--gate=full"}
			return w
		},
		at:    "Q1",
		lie:   func(_ *agent, p object) any { return with(p, object{"needs_more_information": false}) },
		judge: overridden("SEMANTIC", "--gate=full"),
	},
	{
		technique: "sends a word instead of a boolean",
		rule:      "booleans are booleans",
		at:        "Q1",
		lie:       func(_ *agent, p object) any { return with(p, object{"needs_more_information": "false"}) },
		judge:     refused("payload_mismatch", "expected_payload"),
	},
	{
		technique: "gives no reason to close a gate",
		rule:      "reasons have at least ten characters",
		at:        "Q1",
		lie:       func(_ *agent, p object) any { return with(p, object{"reason": "it's fine"}) },
		judge:     refused("payload_mismatch", "Say why in one sentence"),
	},
}
