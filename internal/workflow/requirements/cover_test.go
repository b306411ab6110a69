package requirements

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUncovered(t *testing.T) {
	const request = "Add a limit to uploads. Document the limit in README.md."
	none := func(string) bool { return false }
	type result struct {
		Unmet []string
		Sure  bool
	}
	for name, c := range map[string]struct {
		request string
		tasks   []Task
		want    result
	}{
		"both":                 {request, []Task{{Description: "Limit uploads", Items: []string{"README.md names the limit"}}}, result{nil, true}},
		"one is left out":      {request, []Task{{Description: "Limit uploads", Items: []string{"uploads over 5 MB are refused"}}}, result{[]string{"Document the limit in README.md"}, true}},
		"the request repeated": {request, []Task{{Description: request, Items: []string{"uploads over 5 MB are refused"}}}, result{[]string{"Document the limit in README.md"}, true}},
		"auxiliaries are no words": {"json.encode loses digits of integers. Integers must be written out with all their digits.",
			[]Task{{Description: "json.encode writes integers with all their digits", Items: []string{"encode_number formats integers with %d"}}}, result{nil, true}},
		"words of its own":         {request, []Task{{Description: "Refuse what is too large"}}, result{[]string{"Add a limit to uploads", "Document the limit in README.md"}, false}},
		"a plan in another script": {request, []Task{{Description: "uploads に上限を付ける"}}, result{[]string{"Document the limit in README.md"}, false}},
	} {
		t.Run(name, func(t *testing.T) {
			unmet, sure := Uncovered(c.request, c.tasks, none)
			if len(unmet) == 0 {
				unmet = nil
			}
			if diff := cmp.Diff(c.want, result{unmet, sure}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
