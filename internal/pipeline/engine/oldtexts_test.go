package engine

import (
	"encoding/json"
	"slices"
	"testing"

	"codeintel/internal/platform/msg"
)

// TestPlainTexts reads a state of the time when texts were strings. They are read as
// they stand, whatever language they are in.
func TestPlainTexts(t *testing.T) {
	const old = `{
 "schema_version": 1,
 "status": "active", "pull_to_mend": "https://github.com/o/r/pull/7",
 "phase": "phase-5",
 "pause": {"name": "not-valid", "text": "After 4 attempts it still does not hold."},
 "reviews": {"phase-3b": {"verdict": "REVISE", "findings": [{"severity": "MAJOR", "description": "設計に節がない"}]}},
 "found": [{"phase": "phase-3b", "severity": "MINOR", "description": "A typo."}],
 "mend": [{"severity": "CRITICAL", "description": "tasks.md: no task"}],
 "notes": [{"severity": "MINOR", "description": "No word of tests."}],
 "tasks": [{"id": "1", "mend": [{"severity": "CRITICAL", "description": "a.go was not changed"}], "review": {"verdict": "FAIL", "findings": [{"severity": "CRITICAL", "description": "It does not compile."}]}}],
 "ticket": {"id": "t1", "type": "checkpoint", "phase": "phase-5", "action": {"type": "checkpoint", "name": "not-valid", "present_to_user": "## Implementation\n\nDecide.", "options": ["guide", "abandon"]}}
}`
	st := new(State)
	if err := json.Unmarshal([]byte(old), st); err != nil {
		t.Fatal(err)
	}
	if err := st.Upgrade(); err != nil {
		t.Fatal(err)
	}
	action, err := Decode(st.Ticket.Action)
	if err != nil {
		t.Fatal(err)
	}
	got := []msg.Message{
		st.Pause.Text, st.Reviews[DesignReview].Findings[0].Description, st.ReviewFindings[0].Description, st.CheckFindings[0].Description,
		st.Notes[0].Description, st.Tasks[0].CheckFindings[0].Description, st.Tasks[0].Review.Findings[0].Description, action.(Checkpoint).PresentToUser,
	}
	want := []string{
		"After 4 attempts it still does not hold.", "設計に節がない", "A typo.", "tasks.md: no task",
		"No word of tests.", "a.go was not changed", "It does not compile.", "## Implementation\n\nDecide.",
	}
	if texts := msg.Texts(got); !slices.Equal(texts, want) {
		t.Errorf("read as %q, want %q", texts, want)
	}
	if st.PullToFix == "" {
		t.Error("the pull request that is to be changed is forgotten")
	}
	for _, m := range got {
		if _, literal := m.Literal(); !literal {
			t.Errorf("%q is no literal", m)
		}
	}
}
