package search

import (
	"slices"
	"testing"
)

// TestAfterComment asks for what is called on lines behind comments that end with what
// comes before a member.
func TestAfterComment(t *testing.T) {
	for file, text := range map[string]string{
		"a.go":  "package a\n\nfunc push() {}\n\nfunc f() {\n\t// Ends with a dot.\n\tpush()\n\n\tpush() // Here too.\n\n\t/*\n\t * And here.\n\t */\n\n\tpush()\n}\n",
		"a.lua": "function push() end\n\nfunction f()\n  -- Ends with a dot.\n  push()\n\n  push() -- Here too.\n\n  -- And here.\n\n\n\n\n\n  push()\nend\n",
	} {
		a, err := open(t, map[string]string{"go.mod": "module a\n", file: text}).References(t.Context(), ReferencesQuery{Symbol: "push"})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, r := range a.References {
			got = append(got, r.Line)
		}
		want := []int{7, 9, 15}
		if file == "a.lua" {
			want = []int{5, 7, 15}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: lines %v, want %v\n%s", file, got, want, a.Text())
		}
	}
}
