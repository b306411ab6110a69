package unread

import (
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestNames looks for what changes declare and nothing reads. Each is a change: files as they are, "was "
// before the name of what they were, and "rest " before that of a file that did not change.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, change, want string }{
		{"a variable of Terraform", "-- a.tf --\nvariable \"size\" {}\nvariable \"zone\" {}\n-- rest b.tf --\nx = var.size\n", "zone"},
		{"one that only another module reads", "-- a.tf --\nvariable \"zone\" {}\n-- rest m/b.tf --\nx = var.zone\n", "zone"},
		{"a local of Terraform", "-- a.tf --\nlocals {\n  tags = {\n    app = \"a\"\n  }\n  zone = 1\n}\nx = local.tags\n", "zone"},
		{"a module that nothing calls", "-- modules/alarm/main.tf --\nresource \"a\" \"b\" {}\n", "alarm"},
		{"a module that is called", "-- modules/alarm/main.tf --\nresource \"a\" \"b\" {}\n-- rest main.tf --\nmodule \"x\" {\n  source = \"./modules/alarm\"\n}\n", ""},
		{"an output of Terraform", "-- a.tf --\noutput \"zone\" {}\nresource \"a\" \"b\" {}\n", ""},
		{"an output of a job", "-- .github/workflows/a.yml --\njobs:\n  a:\n    outputs:\n      v: ${{ 1 }}\n      sha: ${{ 2 }}\n  b:\n    x: ${{ needs.a.outputs.v }}\n", "sha"},
		{"a value of a matrix", "-- .github/workflows/a.yml --\n    strategy:\n      matrix:\n        os: [a]\n        go: [1]\n    runs-on: ${{ matrix.os }}\n", "go"},
		{"an input of a workflow", "-- .github/workflows/a.yml --\non:\n  workflow_dispatch:\n    inputs:\n      dry_run:\n        type: boolean\n", "dry_run"},
		{"a workflow that nothing calls", "-- .github/workflows/scan.yml --\non:\n  workflow_call:\njobs:\n", "scan"},
		{"a workflow that is called", "-- .github/workflows/scan.yml --\non:\n  workflow_call:\njobs:\n-- rest .github/workflows/ci.yml --\n    uses: ./.github/workflows/scan.yml\n", ""},
		{"a workflow of its own", "-- .github/workflows/scan.yml --\non:\n  push:\njobs:\n", ""},
		{"a hidden job", "-- .gitlab-ci.yml --\n.a:\n  image: x\n.b:\n  image: y\nc:\n  extends: .a\n", ".b"},
		{"an argument of a container", "-- Dockerfile --\nARG A1\nARG B1\nRUN echo $A1\n", "B1"},
		{"a stage that nothing copies", "-- Dockerfile --\nFROM a AS one\nFROM b AS two\nFROM c\nCOPY --from=two /a /a\n", "one"},
		{"a variable of make", "-- Makefile --\nA1 := 1\nB1 := 2\nall:\n\techo $(A1)\n", "B1"},
		{"a value of a chart", "-- values.yaml --\nimage: a\nlimit: 1\n-- was values.yaml --\nimage: a\n-- rest templates/a.yaml --\nx: {{ .Values.image }}\n", "limit"},
		{"a variable of SCSS", "-- a.scss --\n$dark: #000;\n$gap: 1px;\n-- rest b.scss --\n.a { margin: a.$gap; }\n", "$dark"},
		{"a mixin", "-- a.scss --\n@mixin ring { a: b; }\n@mixin dot { a: b; }\n.a { @include dot; }\n", "ring"},
		{"an animation", "-- a.css --\n@keyframes fade { }\n", "fade"},
		{"a class", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.card--wide {\n}\n-- rest a.html --\n<p class=\"card\">\n", "card--wide"},
		{"a class that is put together", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.card--wide {\n}\n-- rest a.js --\nx = 'card ' + `card--${size}`\n", ""},
		{"a class of a library", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.card .swiper-slide {\n}\n-- rest a.html --\n<p class=\"card\">\n", ""},
		{"classes of a library of styles", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.wide {\n}\n", ""},
		{"a custom property", "-- was a.css --\na {\n  --gap: 1px;\n}\n-- a.css --\na {\n  --gap: 1px;\n  --wide: 2px;\n  margin: var(--gap);\n}\n", "--wide"},
		{"a property of a component", "-- A.vue --\n<script setup>\nconst props = defineProps({\n  name: String,\n  isWide: { type: Boolean, default: false },\n})\n</script>\n<template>{{ name }}</template>\n", "isWide"},
		{"an event", "-- A.vue --\n<script setup>\nconst emit = defineEmits(['saved', 'closed'])\nemit('saved')\n</script>\n", "closed"},
		{"a component that nothing shows", "-- c/B.vue --\n<template>b</template>\n-- rest c/A.vue --\n<template>a</template>\n-- rest App.vue --\n<template><A /></template>\n", "B"},
		{"a page that is found by its place", "-- c/Cart.vue --\n<template>b</template>\n-- rest c/Page.vue --\n<template>a</template>\n", ""},
		{"a component that is shown by another spelling", "-- c/TopBar.vue --\n<template>b</template>\n-- rest c/A.vue --\n<template>a</template>\n-- rest App.vue --\n<template><A /><top-bar /></template>\n", ""},
		{"a property of Svelte", "-- A.svelte --\n<script>\n  export let a1;\n  export let b1;\n</script>\n{a1}\n", "b1"},
		{"a function of SQL", "-- m/1.sql --\nCREATE FUNCTION tidy() RETURNS trigger AS $$ $$;\nDROP FUNCTION tidy();\n-- rest m/0.sql --\n", "tidy"},
		{"a trigger with its function", "-- m/1.sql --\nCREATE FUNCTION tidy() RETURNS trigger AS $$ $$;\nCREATE TRIGGER t EXECUTE FUNCTION tidy();\n-- rest m/0.sql --\n", ""},
		{"a column that the code writes in its way", "-- m/1.sql --\nALTER TABLE a ADD COLUMN paid_at date;\n-- rest m/0.sql --\n-- rest a.ts --\nx.paidAt\n", ""},
		{"a migration where none are", "-- sql/1.sql --\nCREATE INDEX a ON b (c);\n-- rest m/0.sql --\n", "1"},
		{"a setting of Python", "-- was settings.py --\nA_1 = 1\n-- settings.py --\nA_1 = 1\nB_1 = 2\n-- rest v.py --\nsettings.A_1\n", "B_1"},
		{"a setting that a framework reads", "-- was settings.py --\nDEBUG = 1\n-- settings.py --\nDEBUG = 1\nB_1 = 2\n", ""},
		{"a setting of Java", "-- was a.properties --\nshop.page-size=1\n-- a.properties --\nshop.page-size=1\nshop.max-pages=2\n-- rest A.java --\nint pageSize;\n", "max-pages"},
		{"a text", "-- was locales/en.json --\n{\n  \"a1\": \"A\"\n}\n-- locales/en.json --\n{\n  \"a1\": \"A\",\n  \"b1\": \"B\"\n}\n-- rest a.ts --\nt('a1')\n", "b1"},
		{"a field of an object",
			"-- was a.py --\nclass A:\n    def __init__(self, a):\n        self.one = a\n" +
				"-- a.py --\nclass A:\n    def __init__(self, a, b):\n        self.one = a\n        self.two = b\n" +
				"-- rest b.py --\nx = a.one\n", "two"},
		{"a field of an object that is read",
			"-- was a.py --\nclass A:\n    def __init__(self, a):\n        self.one = a\n" +
				"-- a.py --\nclass A:\n    def __init__(self, a, b):\n        self.one = a\n        self.two = b\n" +
				"-- rest b.py --\nx = a.one\ny = a.two.three\n", ""},
		{"a field beside others that nothing reads",
			"-- was a.py --\nclass A:\n    def __init__(self, a):\n        self.one = a\n" +
				"-- a.py --\nclass A:\n    def __init__(self, a, b):\n        self.one = a\n        self.two = b\n", ""},
		{"a field of an error",
			"-- was a.py --\nclass A:\n    def __init__(self, a):\n        self.one = a\n" +
				"-- a.py --\nclass A:\n    def __init__(self, a, status):\n        self.one = a\n        self.status = status\n" +
				"-- rest b.py --\nx = a.one\n", ""},
		{"a text of a type",
			"-- was a.ts --\ntype Name = 'on' | 'off';\nemit('off');\n" +
				"-- a.ts --\ntype Name = 'on' | 'off' | 'gone';\nemit('off');\n", "gone"},
		{"a text of a type that is used",
			"-- was a.ts --\ntype Name = 'on' | 'off';\nemit('off');\n" +
				"-- a.ts --\ntype Name = 'on' | 'off' | 'gone';\nemit('off');\n" +
				"-- rest b.ts --\nemit('gone');\n", ""},
		{"a dependency", "-- was package.json --\n{\n  \"dependencies\": {\n    \"vue\": \"1\"\n  }\n}\n-- package.json --\n{\n  \"dependencies\": {\n    \"vue\": \"1\",\n    \"zod\": \"1\"\n  }\n}\n-- rest package-lock.json --\n\"zod\"\n", "zod"},
		{"an attribute of Elixir", "-- a.ex --\ndefmodule A do\n  @moduledoc \"x\"\n  @most 1\n  @least 2\n  def f, do: @least\nend\n-- rest b.ex --\nA.f()\n", "most"},
		{"a variable of a script", "-- a --\n#!/bin/sh\nDRY=0\nif [ \"$1\" = -n ]; then\n  DRY=1\nfi\nWHERE=/tmp\nLANG=C ls $WHERE\n", "DRY"},
		{"a constant of Ruby", "-- a.rb --\nclass A\n  MOST = 1\nend\n-- rest b.rb --\nA.new\n", "MOST"},
		{"a constant that a test reads", "-- a.rb --\nMOST = 1\n-- rest spec/a_spec.rb --\nMOST\n", ""},
		{"a class that nothing makes", "-- a.py --\nimport x\n\n\nclass Limits:\n    pass\n", "Limits"},
		{"a class that is registered as a text", "-- a.py --\nimport x\n\n\nclass Limits:\n    pass\n-- rest s.py --\nM = ['a.Limits']\nuse(M)\n", ""},
		{"a class that is marked", "-- a.py --\nimport x\n\n@register\nclass Limits:\n    pass\n", ""},
		{"an extension of Kotlin", "-- a.kt --\nfun List<String>.trimmed() = map { it.trim() }\n", "trimmed"},
		{"an extension of Swift", "-- a.swift --\nextension Data {\n    var large: Bool { return true }\n}\n", "large"},
		{"a name in a comment", "-- a.kt --\nconst val MOST = 1\n// MOST is the most\n", "MOST"},
		{"a flag that a document names", "-- was R.md --\n`--verbose`\n-- R.md --\n`--verbose` `--json`\n-- rest a.go --\nflag.Bool(\"verbose\")\n", "json"},
		{"a flag of a program like any", "-- was R.md --\n`--amend`\n-- R.md --\n`--amend` `--json`\n-- rest a.go --\nflag.Bool(\"verbose\")\n", ""},
		{"a variable that a document names", "-- was R.md --\n`A_1`\n-- R.md --\n`A_1` `B_1`\n-- rest a.go --\nos.Getenv(\"A_1\")\n", "B_1"},
	} {
		var files []File
		now, was, rest := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
		for _, f := range txtar.Parse([]byte(c.change)).Files {
			switch {
			case strings.HasPrefix(f.Name, "was "):
				was[f.Name[4:]] = f.Data
			case strings.HasPrefix(f.Name, "rest "):
				rest[f.Name[5:]] = f.Data
			default:
				now[f.Name] = f.Data
			}
		}
		for name, text := range now {
			files = append(files, File{Path: name, Base: was[name], New: text})
		}
		var got []string
		for _, n := range Names(files, Project{
			Containing: func([]string) (map[string][]byte, bool) { return rest, true },
			InFolder: func(folder string) (beside []string) {
				for name := range rest {
					if path.Dir(name) == folder {
						beside = append(beside, name)
					}
				}
				return beside
			},
		}) {
			got = append(got, n.Name)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if Names([]File{{Path: "a.tf", New: []byte("variable \"zone\" {}\n")}}, Project{
		Containing: func([]string) (map[string][]byte, bool) { return nil, false },
	}) != nil {
		t.Error("a name is listed although nobody can tell who reads it")
	}
}
