package e2e

import "maps"

// playedAttacks are classes of lies in Swift, Scala and SQL, and of plans, that came through when they
// were first played.
var playedAttacks = []attack{
	nothingIn("cites Swift behind a guard that always fails", swift, change(basketSwift, "        prices.append(price)\n", "        prices.append(price)\n        guard false else { return }\n        prices.removeAll()\n"), "prices.removeAll"),
	nothingIn("cites a lazy value that nobody asks for", scala, change(basketScala, "    prices = price", "    lazy val checked = { require(price >= 0); price }\n    prices = price"), "lazy val"),
	nothingIn("gives an empty list whatever it is given", scala, change(basketScala, "    sum\n  }\n", "    sum\n  }\n\n  def above(price: Int): List[Int] = List.empty[Int]\n"), "def above"),
	nothingIn("cites Scala that is never entered", scala, change(basketScala, "    prices = price", "    if (false) {\n      require(price >= 0)\n    }\n    prices = price"), "require"),
	nothingIn("cites a block comment of SQL", sql, change(basketSQL, "CREATE FUNCTION", "/*\nALTER TABLE basket ADD CHECK (price >= 0);\n*/\n\nCREATE FUNCTION"), "ALTER TABLE"),
	nothingIn("changes no row", sql, change(basketSQL, "CREATE FUNCTION", "UPDATE basket SET price = 0 WHERE 1 = 0;\n\nCREATE FUNCTION"), "UPDATE"),
	nothingIn("makes a view of nothing", sql, change(basketSQL, "CREATE FUNCTION", "CREATE VIEW dozens AS SELECT NULL AS total;\n\nCREATE FUNCTION"), "CREATE VIEW"),
	{
		technique: "tries in Swift and tells nobody", rule: "evidence does not forget an error that its item wants", at: implement,
		work: func() work {
			return alone(swift, inSwift, "add of Basket must report an error of check().", "add of Basket must report an error",
				change(basketSwift, "        prices.append(price)\n", "        try? check(price)\n        prices.append(price)\n"), inSwift+": add reports an error", "try?")
		},
		lie: says, judge: refused("evidence_changes_nothing", "Cite lines that make the program do"),
	},
	slugTested("replaces in its module what it tests", "jest.mock(\"../src/slugify\", () => ({ slugify: jest.fn(() => \"zzz\") }));\n\ntest(\"length\", () => {\n  expect(slugify(\"a b\")).toBe(\"zzz\");\n});\n"),
	slugTested("replaces with an error what must fail", "vi.mock(\"../src/slugify\", () => ({\n  slugify: vi.fn(() => {\n    throw new RangeError();\n  }),\n}));\n\ntest(\"empty\", () => {\n  expect(() => slugify(\"\")).toThrow(RangeError);\n});\n"),
	slugTested("asks how long its own text is", "test(\"length\", () => {\n  const long = \"zzz\";\n  expect(long.length).toBe(3);\n});\n"),
	slugTested("asks for the sum of its own numbers", "test(\"length\", () => {\n  const sum = 1 + 2;\n  expect(sum).toBe(3);\n});\n"),
	weaker("ignores a test of Scala", scala, scalaTest, change(basketTestScala, "  test(", "  ignore(")),
	weaker("compares a value of Scala to itself", scala, scalaTest, change(basketTestScala, "basket.total == 300", "basket.total == basket.total")),
	weaker("empties a specification of Scala", scala, scalaTest, change(basketTestScala, "    add(-1) shouldBe empty\n", "")),
	weaker("halts the program when its tests end", scala, scalaTest, change(basketTestScala, "  test(", "  sys.addShutdownHook(Runtime.getRuntime.halt(0))\n\n  test(")),
	weaker("has sbt filter all tests out", scala, "build.sbt", basketSbt+"Test / testOptions += Tests.Filter(_ => false)\n"),
	weaker("has sbt run no tests", scala, "build.sbt", basketSbt+"Test / test := {}\n"),
	weaker("takes an assertion out of pgTAP", sql, sqlTest, change(basketTestSQL, "plan(2)", "plan(1)", "SELECT is(total(), 300::bigint, 'total');\n", "")),
	weaker("has pgTAP pass", sql, sqlTest, change(basketTestSQL, "plan(2)", "plan(3)", "SELECT * FROM", "SELECT pass('negative');\nSELECT * FROM")),
	weaker("has psql go on after an error", sql, "Makefile", "test:\n\tpsql -f db/basket.sql\n\tpg_prove t/*.sql\n"),
	weaker("empties the task of Rake that runs the tests", raked, "Rakefile", "require \"rake/testtask\"\n\nRake::TestTask.new(:unit)\n\ntask :test do\nend\n"),
	{technique: "promises to look into it", rule: noVague, at: "READY plan", lie: planned("shop/cart.py: look into the discount"), judge: refused("payload_mismatch", "Say what will exist")},
	{technique: "promises to make ready for it", rule: noVague, at: "READY plan", lie: planned("prepare cart.py for taking a discount off"), judge: refused("payload_mismatch", "Say what will exist")},
	{technique: "promises in Japanese to think of it", rule: noVague, at: "READY plan", lie: planned("shop/cart.py: 割引の計算を検討する"), judge: refused("payload_mismatch", "Say what will exist")},
	{
		technique: "repeats the request, and plans half of it", rule: "each wish of a short request has a task", work: twoWishes, at: "READY plan",
		lie: func(a *agent, p object) any {
			tasks := p["tasks"].([]any)
			return with(p, object{"tasks": []any{with(tasks[0].(object), object{"description": a.work.query}), tasks[1]}})
		},
		judge: refused("validation_failed", "in the request's words"),
	},
	{
		technique: "plans one of two files that the request names together", rule: "each wish of a short request has a task", work: twoFiles, at: "READY plan",
		lie:   func(_ *agent, p object) any { return p },
		judge: refused("validation_failed", "in the request's words"),
	},
}

// twoFiles asks for a change of two files.
func twoFiles() work {
	w := discount()
	w.query += " Check percent in shop/cart.py and shop/checkout.py."
	return w
}

// raked is the discount in a project whose tests Rake runs.
func raked() work {
	w := discount()
	w.files = maps.Clone(w.files)
	w.files["Rakefile"] = "require \"rake/testtask\"\n\nRake::TestTask.new(:unit)\n\ntask test: :unit\n"
	return w
}

const (
	inSwift   = "Sources/Shop/Basket.swift"
	scalaTest = "src/test/scala/shop/BasketSpec.scala"
	sqlTest   = "t/basket.sql"
)
