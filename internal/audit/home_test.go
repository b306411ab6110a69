package audit

import (
	"path/filepath"
	"testing"

	"codeintel/internal/problem"
)

// Without a folder of the user's there is no key, which only they can fix.
func TestNoUserFolder(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, "")
	}
	_, _, err := keyFor(filepath.Join(t.TempDir(), ".code-intel", "sessions", "s.ledger.jsonl"), true)
	if p := problem.Of(err); p == nil || p.Code != noUserFolder || len(p.Next) == 0 {
		t.Errorf("%v", err)
	}
}
