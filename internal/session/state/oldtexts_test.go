package state

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"codeintel/internal/platform/msg"
)

// TestPlainTexts reads a checkpoint of the time when texts were strings. They are read
// as they stand, whatever language they are in.
func TestPlainTexts(t *testing.T) {
	const old = `{
 "schema": 2,
 "session_id": "20261120-101112000-abcde",
 "phase": "READY_PLAN",
 "returned": "The verification failed: 2 of 9 tests.",
 "warnings": ["Hooks run here.", "フックがあります。"],
 "evaluation": {"confidence": "low", "missing": ["symbols: 1 of 3"]},
 "verify": {"passed": false, "details": "go test", "rounds": 1, "commands": [{"name": "go", "exit": 1, "why": "exit code 1"}, {"name": "lint", "exit": -1, "skipped": "not trusted"}]},
 "reason": "The user gave up."
}`
	file := filepath.Join(t.TempDir(), "checkpoint.json")
	if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	st, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Concat([]msg.Message{st.Returned, st.Reason, st.Verify.Commands[0].Why, st.Verify.Commands[1].Skipped}, st.Warnings, st.Evaluation.Missing)
	want := []string{"The verification failed: 2 of 9 tests.", "The user gave up.", "exit code 1", "not trusted",
		"Hooks run here.", "フックがあります。", "symbols: 1 of 3"}
	if texts := msg.Texts(got); !slices.Equal(texts, want) {
		t.Errorf("read as %q, want %q", texts, want)
	}
	for _, m := range got {
		if _, literal := m.Literal(); !literal {
			t.Errorf("%q is no literal", m)
		}
	}
}
