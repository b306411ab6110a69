package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOwnNames asks for names at the top of files that do not see each other's: a file that has
// a variable of the name means its own, and one that brings nothing in means no local of
// another.
func TestOwnNames(t *testing.T) {
	const cell = `{"cells": [{"cell_type": "code", "source": ["%s"]}], "nbformat": 4, "nbformat_minor": 5}`
	e := open(t, map[string]string{
		"lua/a/util.lua":  "local config = require(\"a.config\")\nlocal M = {}\nfunction M.up() return config.x end\nfunction loud() end\nreturn M\n",
		"lua/a/fs.lua":    "local config = require(\"a.config\")\nlocal M = {}\nfunction M.down() return config.y end\nreturn M\n",
		"lua/a/init.lua":  "local util = require(\"a.util\")\nlocal M = {}\nM.go = function() loud() return util.up() end\nreturn M\n",
		"lua/a/plain.lua": "return function() return config end\n",
		"spec/twice.lua": "it(function()\n  local words = {1}\n  print(words)\nend)\n" +
			"it(function()\n  local words = {2}\n  print(words)\nend)\n",
		"bin/first":   "#!/bin/bash\npackage=\"$1\"\necho \"$package\"\n",
		"bin/second":  "#!/bin/bash\npackage=\"$2\"\necho \"$package\"\n",
		"bin/third":   "#!/bin/bash\necho \"$package\"\n",
		"bin/fourth":  "#!/bin/bash\nsource ./first\npackage=x\necho \"$package\"\n",
		"one.ipynb":   fmt.Sprintf(cell, `def fib(n):\n", "    return n\n", "class Box:\n", "    side = 3\n", "total = fib(3)\n", "total + Box().side`),
		"two.ipynb":   fmt.Sprintf(cell, `def fib(n):\n", "    return 2\n", "total = fib(4)\n", "total`),
		"three.ipynb": fmt.Sprintf(cell, `print(fib(5), total, unknown.side)`),
	})
	for _, c := range []struct {
		name, file string
		line       int
		want       []string
	}{
		{"M", "lua/a/util.lua", 2, []string{"lua/a/util.lua certain"}},
		{"config", "lua/a/util.lua", 1, []string{"lua/a/util.lua certain"}},
		{"loud", "lua/a/util.lua", 4, []string{"lua/a/init.lua certain"}},
		{"words", "spec/twice.lua", 6, []string{"spec/twice.lua likely", "spec/twice.lua possible"}},
		{"package", "bin/first", 2, []string{"bin/first certain", "bin/fourth certain", "bin/third possible"}},
		{"fib", "one.ipynb", 1, []string{"one.ipynb certain"}},
		{"Box.side", "one.ipynb", 1, []string{"one.ipynb certain"}},
		{"total", "one.ipynb", 1, []string{"one.ipynb certain"}},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: c.name, FilePath: c.file, Line: c.line})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, fmt.Sprintf("%s %s", r.File, r.Confidence))
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, slices.Compact(got)); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.name, c.file, diff)
		}
	}
}

// TestNamesInBackticks asks for names that are written in backticks, with and without them, and by their place.
func TestNamesInBackticks(t *testing.T) {
	e := open(t, map[string]string{
		"A.kt": "class A {\n  fun `when`(n: Int) = n\n  fun `two words`() = `when`(1)\n" +
			"  fun run() { `two words`(); this.`when`(2) }\n}\n",
	})
	for _, q := range []ReferencesQuery{
		{Symbol: "`when`"}, {Symbol: "when"}, {Symbol: "`when`", FilePath: "A.kt", Line: 2},
		{Symbol: "when", FilePath: "A.kt", Line: 2}, {Symbol: "`two words`"}, {Symbol: "two words"},
		{Symbol: "`two words`", FilePath: "A.kt", Line: 3},
	} {
		a, err := e.References(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		want, defined := []string{"3 certain", "4 certain"}, 2
		if strings.Contains(q.Symbol, "two") {
			want, defined = want[1:], 3
		}
		var got []string
		for _, r := range a.References {
			got = append(got, fmt.Sprintf("%d %s", r.Line, r.Confidence))
		}
		if diff := cmp.Diff(want, got); diff != "" || len(a.Definitions) != 1 || a.Definitions[0].Line != defined {
			t.Errorf("%+v: definitions %v, references (-want +got):\n%s", q, a.Definitions, diff)
		}
	}
}

// TestWholeModules asks for functions of modules that are named whole, as in Elixir: no
// import has to bring them in. What an alias may shorten stays possible.
func TestWholeModules(t *testing.T) {
	e := open(t, map[string]string{
		"apps/bank/lib/bank.ex":          "defmodule Bank do\n  def move(a), do: a\nend\n",
		"apps/bank/lib/bank/transfer.ex": "defmodule Bank.Transfer do\n  def create(a), do: a\nend\n",
		"apps/web/lib/page.ex": "defmodule Web.Page do\n  def show(a) do\n    Bank.move(a)\n    Bank.Transfer.create(a)\n" +
			"    Transfer.create(a)\n  end\nend\n",
	})
	for name, want := range map[string][]string{
		"Bank":                 {"apps/web/lib/page.ex:3 likely"},
		"Bank.move":            {"apps/web/lib/page.ex:3 certain"},
		"Bank.Transfer.create": {"apps/web/lib/page.ex:4 certain", "apps/web/lib/page.ex:5 possible"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: name})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(a.References)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
