package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestModules asks for modules whose names are paths: a longer path that begins like that of
// one, or one that ends like it, is another module.
func TestModules(t *testing.T) {
	for name, tt := range map[string]struct {
		tree map[string]string
		ask  string
		want []string
	}{
		"perl": {map[string]string{
			"lib/Tea/Pot.pm":       "package Tea::Pot;\nsub fill { 1 }\n1;\n",
			"lib/Tea/Test/Pot.pm":  "package Tea::Test::Pot;\nuse Tea::Pot;\nsub check { Tea::Pot::fill() }\n1;\n",
			"lib/Tea/Pot/Lid.pm":   "package Tea::Pot::Lid;\nsub close { 1 }\n1;\n",
			"lib/Tea/Kitchen.pm":   "package Tea::Kitchen;\nuse Tea::Test::Pot;\nuse Tea::Pot::Lid;\nsub serve { Tea::Pot->new; Tea::Test::Pot->new }\n1;\n",
			"lib/Tea/Unrelated.pm": "package Tea::Unrelated;\nuse Else::Where::Pot;\n1;\n",
		}, "Tea::Pot", []string{
			"lib/Tea/Kitchen.pm:4 certain", "lib/Tea/Test/Pot.pm:2 certain",
			"lib/Tea/Test/Pot.pm:3 certain", "lib/Tea/Unrelated.pm:2 possible",
		}},
		"haskell": {map[string]string{
			"src/Tea/Pot.hs":      "module Tea.Pot where\n\nfill :: Int\nfill = 1\n",
			"src/Tea/Test/Pot.hs": "module Tea.Test.Pot where\n\nimport qualified Tea.Pot as P\n\ncheck :: Int\ncheck = P.fill\n",
			"src/Main.hs":         "module Main where\n\nimport Tea.Pot (fill)\nimport Tea.Test.Pot\n\nmain :: IO ()\nmain = print fill\n",
		}, "Tea.Pot", []string{"src/Main.hs:3 certain", "src/Tea/Test/Pot.hs:3 certain"}},
		"elixir": {map[string]string{
			"lib/pot.ex":      "defmodule Tea.Pot do\n  def fill(x), do: x\nend\n",
			"lib/test_pot.ex": "defmodule Tea.Test.Pot do\n  def check, do: Tea.Pot.fill(1)\nend\n",
			"lib/kitchen.ex":  "defmodule Tea.Kitchen do\n  alias Tea.Test.Pot\n\n  def serve, do: Pot.check()\n  def fill, do: Tea.Pot.fill(2)\nend\n",
		}, "Tea.Pot", []string{"lib/kitchen.ex:5 certain", "lib/test_pot.ex:2 certain"}},
		"a file of ocaml is a module": {map[string]string{
			"src/pot.ml":     "module POT = struct\n  module Lid = struct\n    let close = 1\n  end\nend\n",
			"src/kitchen.ml": "module Pot = Pot\n",
			"src/cook.ml":    "module P = struct\n  module L = Pot.Lid(G)\nend\n",
		}, "Pot", []string{"src/cook.ml:2 likely", "src/kitchen.ml:1 certain"}},
	} {
		e := open(t, tt.tree)
		answer, err := e.References(t.Context(), ReferencesQuery{Symbol: tt.ask, Page: Page{Limit: 100}})
		if err != nil {
			t.Fatal(err)
		}
		got := surePlaces(answer.References)
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A dotted name of R is one name: what is called by its last part is something else.
func TestDottedName(t *testing.T) {
	e := open(t, map[string]string{
		"R/a.R": "brew.tea <- function(frame) frame\n\nserve <- function(tea) {\n  brew.tea(tea)\n}\n",
	})
	answer, err := e.References(t.Context(), ReferencesQuery{Symbol: "brew.tea", IncludeLocals: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.References) != 1 || answer.References[0].Line != 4 {
		t.Errorf("%+v", answer.References)
	}
}

// A name in a scope that does not have it is told where it is defined, whatever else is alike.
func TestNamesakes(t *testing.T) {
	e := open(t, map[string]string{"R/a.R": "mutate <- function(x) x\nmutate_all <- function(x) mutate(x)\n"})
	answer, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: "dplyr::mutate"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answer.Text(), "there is mutate at R/a.R:1") {
		t.Errorf("no word of the mutate at R/a.R:1: %+v", answer)
	}
}
