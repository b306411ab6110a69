package search

import (
	"slices"
	"strconv"
	"testing"
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
	for symbol, want := range map[string][]string{
		"Point.__init__":    {"b.py:11 certain", "b.py:13 likely", "b.py:4 certain"},
		"Own.__init__":      {"b.py:13 certain"},
		"Spot.constructor":  {"b.ts:2 certain"},
		"Place.__construct": {"b.php:3 certain"},
		"Mark.initialize":   {"b.rb:6 certain", "b.rb:8 likely"},
		"Site.constructor":  {"b.kt:2 certain"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, r.File+":"+strconv.Itoa(r.Line)+" "+string(r.Confidence))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s is called at %q, want %q", symbol, got, want)
		}
	}
}
