package search

import (
	"slices"
	"testing"
)

// A name that nothing defines is shown by its places in the text, as possible; one that
// something defines and nobody mentions is not.
func TestReferencesByText(t *testing.T) {
	e := open(t, map[string]string{
		"a.py":      "import os.path\n\nx = 1  # see remote_call\nmissing = \"remote_call\"\n\n\ndef unused():\n    pass\n",
		"docs/a.md": "`unused` and remote_call, or lib.thing.\n",
	})
	for symbol, want := range map[string][]string{
		"remote_call": {"a.py", "a.py", "docs/a.md"},
		"lib.thing":   {"docs/a.md"},
		"not.thing":   {},
		"unused":      {},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		files := []string{}
		for _, r := range a.References {
			files = append(files, r.File)
			if r.Confidence != Possible {
				t.Errorf("%s at %s:%d is %s", symbol, r.File, r.Line, r.Confidence)
			}
		}
		if slices.Sort(files); !slices.Equal(files, want) {
			t.Errorf("%s stands in %q, want %q", symbol, files, want)
		}
	}
}
