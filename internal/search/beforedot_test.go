package search

import (
	"slices"
	"testing"
)

// wantSure asks for the references to a symbol that the project has, and compares those that are more than possible.
func wantSure(t *testing.T, e *Engine, asked string, want []string) {
	t.Helper()
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: asked})
	if err != nil {
		t.Fatal(err)
	}
	rel := slices.DeleteFunc(a.References, func(r Reference) bool { return r.Confidence == Possible })
	if got := places(rel); !slices.Equal(got, want) || len(a.Definitions) == 0 {
		t.Errorf("%s: %v, want %v\n%s", asked, got, want, a.Text())
	}
}

// TestClassBeforeDot asks for a member that comes after the name of its class, and behind that of another, in
// languages that are outlined.
func TestClassBeforeDot(t *testing.T) {
	e := open(t, map[string]string{
		"a/Keys.sol":  "library Keys {\n    function find(uint x) internal returns (uint) { return x; }\n}\n",
		"b/Locks.sol": "library Locks {\n    function find(uint x) internal returns (uint) { return x; }\n}\n",
		"c/Site.sol":  "contract Site {\n    function enter() public {\n        Keys.find(1);\n        Locks.find(2);\n    }\n}\n",
		"a/points.gd": "class_name Points\nenum Side { LEFT, RIGHT }\nfunc turn():\n\tpass\n",
		"b/walk.gd":   "func _ready():\n\tprint(Points.Side.LEFT)\n",
	})
	for asked, want := range map[string][]string{
		"Keys.find": {"c/Site.sol:3"}, "Locks.find": {"c/Site.sol:4"}, "Points.Side.LEFT": {"b/walk.gd:2"},
	} {
		wantSure(t, e, asked, want)
	}
}

// TestNamesByImport asks for what modules bring in, in languages in which an import brings in
// nothing bare but what it lists.
func TestNamesByImport(t *testing.T) {
	e := open(t, map[string]string{
		"src/Api.elm": "module Api exposing (login, Kind(..))\n\ntype Kind = Kind Int\n\nlogin : Int -> Int\nlogin x =\n    x\n",
		"src/Main.elm": "module Main exposing (main)\n\nimport Api exposing (Kind(..))\nimport Page.Login as Login\n\n" +
			"main page =\n    case page of\n        Login login ->\n            Api.login (Login.run login)\n",
		"src/Other.elm":      "module Other exposing (b)\n\nimport Api exposing\n    ( Kind\n    , login\n    )\n\nb =\n    login 1\n",
		"src/Page/Login.elm": "module Page.Login exposing (run)\n\nimport Api\n\nlogin y =\n    y\n\nrun x =\n    login x\n",
		"src/shop/tea.gleam": "pub fn brew(x) {\n  x\n}\n",
		"src/bar.gleam":      "import shop/tea\nimport shop/pot.{fill}\n\npub fn serve(brew) {\n  tea.brew(brew)\n}\n",
		"src/inn.gleam":      "import shop/tea.{brew}\n\npub fn serve() {\n  brew(1)\n}\n",
	})
	for asked, want := range map[string][]string{
		"Api.login": {"src/Main.elm:9", "src/Other.elm:5", "src/Other.elm:9"},
		"brew":      {"src/bar.gleam:5", "src/inn.gleam:1", "src/inn.gleam:4"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: asked})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			if r.Confidence != Possible && r.File != a.Definitions[0].File {
				got = append(got, places([]Reference{r})...)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v\n%s", asked, got, want, a.Text())
		}
	}
}

// TestSuper asks for a method that subclasses override and call with super: such a call means
// that of another class, never the one that is around it.
func TestSuper(t *testing.T) {
	e := open(t, map[string]string{
		"Token.sol":  "contract Token {\n    function move(address to) internal virtual {\n        send(to);\n    }\n}\n",
		"Capped.sol": "import {Token} from \"./Token.sol\";\ncontract Capped is Token {\n    function move(address to) internal override {\n        super.move(to);\n    }\n}\n",
		"Page.swift": "class Page {\n  func show() { }\n}\n",
		"Home.swift": "class Home: Page {\n  override func show() {\n    super.show()\n  }\n}\n",
	})
	for asked, want := range map[string][]string{
		"Token.move": {"Capped.sol:4"}, "Capped.move": nil, "Page.show": {"Home.swift:3"}, "Home.show": nil,
	} {
		wantSure(t, e, asked, want)
	}
}
