package search

import (
	"fmt"
	"slices"
	"testing"
)

// TestVariablesWithTheirSign asks for variables of functions as the code writes them. The places
// that have no sign are found too.
func TestVariablesWithTheirSign(t *testing.T) {
	e := open(t, map[string]string{
		"a.php": "<?php\nfunction go() {\n  $step = 1;\n  echo \"$step\";\n}\n",
		"b.sh":  "run() {\n  local stride=1\n  echo \"$stride\"\n}\n: \"${OTHER:=3}\"\necho $OTHER\n",
		"c.pl":  "sub f {\n  my ($pace, @rest) = @_;\n  push @rest, $pace, $rest[0];\n}\n",
		"d.ts":  "export function f($jump: number, jump: number) { return $jump; }\n",
	})
	for asked, want := range map[string][]string{
		"$step":     {"a.php:3", "a.php:4"},
		"$stride":   {"b.sh:2", "b.sh:3"},
		"${stride}": {"b.sh:2", "b.sh:3"},
		"$OTHER":    {"b.sh:5", "b.sh:6"},
		"$pace":     {"c.pl:2", "c.pl:3"},
		"@rest":     {"c.pl:2", "c.pl:3"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: asked})
		if err != nil {
			t.Fatal(err)
		}
		got := places(a.References)
		for _, d := range a.Definitions {
			got = append(got, fmt.Sprintf("%s:%d", d.File, d.Line))
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v\n%s", asked, got, want, a.Text())
		}
	}
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "$jump"})
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(a.References, func(r Reference) bool { return r.Column == 35 }) {
		t.Errorf("jump is another name than $jump:\n%s", a.Text())
	}
}
