package search

import (
	"slices"
	"testing"
)

// TestClassBeforeDot asks for a member that stands behind the name of its class, and behind that of another, in
// languages that are outlined.
func TestClassBeforeDot(t *testing.T) {
	e := open(t, map[string]string{
		"a/Keys.sol":  "library Keys {\n    function find(uint x) internal returns (uint) { return x; }\n}\n",
		"b/Locks.sol": "library Locks {\n    function find(uint x) internal returns (uint) { return x; }\n}\n",
		"c/House.sol": "contract House {\n    function enter() public {\n        Keys.find(1);\n        Locks.find(2);\n    }\n}\n",
		"a/points.gd": "class_name Points\nenum Side { LEFT, RIGHT }\nfunc turn():\n\tpass\n",
		"b/walk.gd":   "func _ready():\n\tprint(Points.Side.LEFT)\n",
	})
	for asked, want := range map[string][]string{
		"Keys.find": {"c/House.sol:3"}, "Locks.find": {"c/House.sol:4"}, "Points.Side.LEFT": {"b/walk.gd:2"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: asked})
		if err != nil {
			t.Fatal(err)
		}
		sure := slices.DeleteFunc(a.References, func(r Reference) bool { return r.Confidence == Possible })
		if got := places(sure); !slices.Equal(got, want) || len(a.Definitions) == 0 {
			t.Errorf("%s: %v, want %v\n%s", asked, got, want, a.Text())
		}
	}
}

// TestSuper asks for a method that subclasses override and call with super: such a call means
// that of another class, never the one that stands around it.
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
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: asked})
		if err != nil {
			t.Fatal(err)
		}
		sure := slices.DeleteFunc(a.References, func(r Reference) bool { return r.Confidence == Possible })
		if got := places(sure); !slices.Equal(got, want) || len(a.Definitions) == 0 {
			t.Errorf("%s: %v, want %v\n%s", asked, got, want, a.Text())
		}
	}
}
