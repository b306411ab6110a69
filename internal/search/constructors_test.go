package search

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/index"
)

// TestConstructed asks who calls a constructor that no call names: those that name its type,
// and those that name a type below that has none of its own.
func TestConstructed(t *testing.T) {
	e := open(t, map[string]string{
		"a.py":  "class Point:\n    def __init__(self, a):\n        self.a = a\n",
		"b.py":  "from a import Point\n\ndef use(p: Point):\n    return Point(1)\n\nclass Heir(Point):\n    pass\n\nclass Own(Point):\n    def __init__(self):\n        super().__init__(3)\n\nuses = [Heir(2), Own()]\n",
		"c.py":  "from a import Point\n\nclass Many(list[Point]):\n    pass\n\nmany = Many()\n",
		"a.ts":  "export class Spot {\n  constructor(public a: number) {}\n}\n",
		"b.ts":  "import { Spot } from './a'\nexport function use(s: Spot) { return new Spot(1) }\n",
		"a.php": "<?php\nclass Place {\n  public function __construct(int $a) {}\n}\n",
		"b.php": "<?php\nfunction place(Place $p) {\n  return new Place(1);\n}\n",
		"a.rb":  "class Mark\n  def initialize(a)\n    @a = a\n  end\nend\n",
		"b.rb":  "require_relative 'a'\n\nclass Below < Mark\nend\n\nMark.new(1)\nMark.name\nBelow.new(2)\n",
		"a.kt":  "class Site {\n  constructor(a: Int) {}\n}\n",
		"b.kt":  "fun use(s: Site?) = 1\nval s = Site(1)\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "Mark.initialize"})
	if err != nil || len(a.References) > 0 || len(a.Notes) != 1 || !strings.Contains(a.Notes[0].String(), "b.rb:6, b.rb:8") {
		t.Errorf("%+v, %v", a, err)
	}
	all := Sources{e.sources()}
	for symbol, want := range map[string][]string{
		"Point.__init__":    {"b.py:11 certain", "b.py:13 likely", "b.py:4 certain"},
		"Own.__init__":      {"b.py:13 certain"},
		"Spot.constructor":  {"b.ts:2 certain"},
		"Place.__construct": {"b.php:3 certain"},
		"Mark.initialize":   {"b.rb:6 certain", "b.rb:8 likely"},
		"Site.constructor":  {"b.kt:2 certain"},
	} {
		scope, name, _ := strings.Cut(symbol, ".")
		found, err := e.x.Symbols(t.Context(), index.SymbolQuery{Name: name, Match: index.Exact})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found, func(s index.Symbol) bool { return s.Scope == scope })
		mentions, err := all.Mentions(t.Context(), found[at])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range mentions {
			got = append(got, m.File+":"+strconv.Itoa(m.Line)+" "+string(m.Confidence))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s is called at %q, want %q", symbol, got, want)
		}
	}
}
