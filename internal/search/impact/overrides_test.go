package impact

import (
	"context"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/search"
)

// A method that changes is held against those that override it and those that it
// overrides, whatever the language says for "extends".
func TestOverrides(t *testing.T) {
	for name, c := range map[string]struct {
		tree                 map[string]string
		base, over           string // targets
		baseReason, inReason string
	}{
		"Python": {map[string]string{
			"shape.py":  "class Shape:\n    def area(self):\n        return 0\n",
			"square.py": "from shape import Shape\n\n\nclass Square(Shape):\n    def area(self):\n        return 4\n",
			"other.py":  "class Field:\n    def area(self):\n        return 1\n",
		}, "shape.py#Shape.area", "square.py#Square.area", "overrides the method", "declares the method that the target overrides"},
		"TypeScript": {map[string]string{
			"shape.ts":  "export class Shape {\n  area(): number { return 0; }\n}\n",
			"square.ts": "import { Shape } from './shape';\nexport class Square extends Shape {\n  area(): number { return 4; }\n}\n",
			"other.ts":  "export class Field {\n  area(): number { return 1; }\n}\n",
		}, "shape.ts#Shape.area", "square.ts#Square.area", "overrides the method", "declares the method that the target overrides"},
		"Java": {map[string]string{
			"Shape.java":  "class Shape {\n  int area() { return 0; }\n}\n",
			"Square.java": "class Square extends Shape {\n  int area() { return 4; }\n}\n",
			"Field.java":  "class Field {\n  int area() { return 1; }\n}\n",
		}, "Shape.java#Shape.area", "Square.java#Square.area", "overrides the method", "declares the method that the target overrides"},
		"PHP": {map[string]string{
			"Shape.php":  "<?php\nclass Shape {\n  function area() { return 0; }\n}\n",
			"Square.php": "<?php\nclass Square extends Shape {\n  function area() { return 4; }\n}\n",
			"Field.php":  "<?php\nclass Field {\n  function area() { return 1; }\n}\n",
		}, "Shape.php#Shape.area", "Square.php#Square.area", "overrides the method", "declares the method that the target overrides"},
		"Go": {map[string]string{
			"go.mod":    "module example.com/m\n\ngo 1.24\n",
			"shape.go":  "package m\n\ntype Shape interface {\n\tArea() int\n\tName() string\n}\n",
			"square.go": "package m\n\ntype Square struct{}\n\nfunc (Square) Area() int { return 4 }\n\nfunc (Square) Name() string { return \"\" }\n",
			"other.go":  "package m\n\ntype Field struct{}\n\nfunc (Field) Area() int { return 1 }\n",
		}, "shape.go#Shape.Area", "square.go#Square.Area", "implements the method", "declares the method in an interface"},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, c.tree)
			for _, dir := range []struct{ target, file, reason string }{
				{c.base, strings.Split(c.over, "#")[0], c.baseReason},
				{c.over, strings.Split(c.base, "#")[0], c.inReason},
			} {
				got, err := a.Analyze(context.Background(), Query{Targets: search.OneOrMore{dir.target}})
				if err != nil {
					t.Fatal(err)
				}
				met := false
				for _, f := range got.MustVerify {
					met = met || f.File == dir.file && strings.Contains(f.Reason, dir.reason) && len(f.Lines) > 0
					if strings.Contains(strings.ToLower(f.File), "field") || strings.HasPrefix(f.File, "other") {
						t.Errorf("%s: %s has nothing to do with it: %s", dir.target, f.File, f.Reason)
					}
				}
				if !met {
					t.Errorf("%s: %s is not among those that %q: %s", dir.target, dir.file, dir.reason, got.Text())
				}
			}
		})
	}
}

// What calls a method without naming it, an operator or a loop, is found by its type.
func TestUnnamed(t *testing.T) {
	a := open(t, map[string]string{
		"bag.py":   "class Bag:\n    def __iter__(self):\n        return iter([])\n\n    def __hidden(self):\n        pass\n",
		"all.py":   "from bag import Bag\n\ndef all_of(b: Bag):\n    return list(b)\n",
		"money.rb": "class Money\n  def +(other) = 1\n  def empty? = true\n  def amount=(v)\n  end\nend\n",
		"sum.rb":   "require_relative 'money'\nMoney.new + Money.new\n",
		"bag.php":  "<?php\nclass Sack {\n  public function __get($name) { return 1; }\n}\n",
		"use.php":  "<?php\nfunction use_it(Sack $s) { return $s->weight; }\n",
	})
	for target, want := range map[string][]string{
		"Bag.__iter__": {"all.py"}, "Bag.__hidden": nil, "Money.+": {"sum.rb"}, "Money.empty?": nil, "Money.amount=": nil, "Sack.__get": {"use.php"},
	} {
		got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{target}})
		if err != nil {
			t.Fatal(err)
		}
		if should := got.Observed().Should; !slices.Equal(should, want) {
			t.Errorf("%s: %q should be verified, want %q", target, should, want)
		}
	}
}

// TestTargetsOfOneName asks for a name that a type and its interface declare: the lines of
// their declarations are shown as such, and not as uses too.
func TestTargetsOfOneName(t *testing.T) {
	a := open(t, map[string]string{
		"ignore.ts": "export interface Like {\n  hides?: (p: string) => boolean\n}\n\nexport class Ignore implements Like {\n  hides(p: string): boolean {\n    return p === ''\n  }\n}\n",
		"walk.ts":   "import { Like } from './ignore'\n\nexport function walk(like: Like) {\n  return like.hides?.('x')\n}\n",
	})
	got, err := a.Analyze(t.Context(), Query{Targets: search.OneOrMore{"hides"}})
	if err != nil {
		t.Fatal(err)
	}
	if facts := got.Observed(); !slices.Equal(facts.MustVerify, []string{"walk.ts"}) {
		t.Errorf("must verify %v:\n%s", facts.MustVerify, got.Text())
	}
}
