package search

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/search/textmatch"
)

// Where expressions have too much to do, the answer is about the files before that place,
// always the same, and says that the others were not searched.
func TestWork(t *testing.T) {
	defer func(n int64) { textmatch.MostWork = n }(textmatch.MostWork)
	tree := map[string]string{}
	for i := range 20 {
		tree[fmt.Sprintf("f%02d.txt", i)] = strings.Repeat("aaaa bbbb\n", 100) + "x1\n"
	}
	e := textEngine(t, tree)
	steps := func(pattern string) int64 {
		m, err := textmatch.New("pattern", pattern, textmatch.Form{Regex: true})
		if err != nil {
			t.Fatal(err)
		}
		return m.Steps
	}
	for _, tt := range []struct {
		pattern string
		invert  bool
		files   int64 // that the work is enough for
		total   int
	}{
		{pattern: `[a-z]\d$`, files: 20, total: 20},
		{pattern: `[a-z]\d$`, files: 7, total: 7},
		{pattern: `[a-z]\d$`, files: 7, total: 700, invert: true},
		{pattern: `[a-z]\d$`, files: 0},
		{pattern: `x\d$`, files: 0, total: 20}, // one line in a hundred
	} {
		textmatch.MostWork = steps(tt.pattern) * (1003*tt.files + 200)
		q := TextQuery{Pattern: OneOrMore{tt.pattern}, Regex: true, Invert: tt.invert, Page: Page{Limit: 1000}}
		for range 3 {
			a, err := e.Text(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.total == 20
			if a.Total != tt.total || a.Complete != want {
				t.Errorf("%+v: %d lines, complete %v", tt, a.Total, a.Complete)
			}
			notes := strings.Contains(a.Text(), fmt.Sprintf("incomplete: %d files were not searched", 20-tt.files))
			if notes == want {
				t.Errorf("%+v says:\n%s", tt, a.Text())
			}
		}
	}
}

// A line that is too long for an expression takes only its own file out of the answer.
func TestWorkOfALongLine(t *testing.T) {
	e := textEngine(t, map[string]string{
		"a.txt": "x1\n" + strings.Repeat("ab", 1<<20) + "\n",
		"b.txt": "x1\n",
	})
	a, err := e.Text(t.Context(), TextQuery{Pattern: OneOrMore{`[a-z]{900}[a-z]{900}\d|\w\d$`}, Regex: true})
	if err != nil {
		t.Fatal(err)
	}
	if a.Total != 1 || a.Complete || a.Matches[0].File != "b.txt" {
		t.Errorf("found:\n%s", a.Text())
	}
}
