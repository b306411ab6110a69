package artifact

import (
	"slices"
	"testing"
)

// TestAnswers reads which comments of a review an entry answers, and whether it declines them.
func TestAnswers(t *testing.T) {
	for entry, want := range map[string]struct {
		ids    []string
		reason string
	}{
		"C1: renamed → `a.go:3`":                         {[]string{"C1"}, ""},
		"**C12** renamed → `a.go:3`":                     {[]string{"C12"}, ""},
		"[C2] (`a.go:3`)":                                {[]string{"C2"}, ""},
		"C1, C2 and C4: renamed → `a.go:3`":              {[]string{"C1", "C2", "C4"}, ""},
		"C3: declined: the name is public":               {[]string{"C3"}, "the name is public"},
		"**C3**: **Declined** - the name is public":      {[]string{"C3"}, "the name is public"},
		"C3 | declined | the name is public":             {[]string{"C3"}, "the name is public"},
		"C3: won't do: the name is public":               {[]string{"C3"}, "the name is public"},
		"C3: no change needed: it is so already":         {[]string{"C3"}, "it is so already"},
		"C3：見送り：公開されている名前である":                            {[]string{"C3"}, "公開されている名前である"},
		"C3: declined":                                   {[]string{"C3"}, ""},
		"C3: declined the token if it is old → `a.go:3`": {[]string{"C3"}, "the token if it is old → `a.go:3`"},
		"the answer to C1 → `a.go:3`":                    {nil, ""},
		"C1x: renamed":                                   {nil, ""},
		"C++ is built → `a.go:3`":                        {nil, ""},
	} {
		all := ParseCriteria("## Criteria\n\n- " + entry + "\n")
		if len(all) != 1 {
			t.Fatalf("%s: %+v", entry, all)
		}
		if ids, reason := all[0].Answers(); !slices.Equal(ids, want.ids) || reason != want.reason {
			t.Errorf("%s: %q, %q", entry, ids, reason)
		}
	}
}
