package history

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPutAndOpen(t *testing.T) {
	root := t.TempDir()
	x, err := Open(root)
	if err != nil || x.Len() != 0 {
		t.Fatalf("Open of nothing = %d entries, %v", x.Len(), err)
	}
	e := Entry{SpecName: "fix-auth-timeout", Workspace: ".specs/20260401-fix-auth-timeout", Title: "Fix auth timeout", Status: Completed, Effort: "M", Ended: "2026-04-01T10:00:00Z",
		Findings: []Finding{{Phase: "phase-6", Severity: Critical, Description: "The error of Close is ignored"}}}
	if err := x.Put(e); err != nil {
		t.Fatal(err)
	}
	again, err := Open(root)
	if err != nil || again.Len() != 1 || again.Entries()[0].Title != e.Title {
		t.Fatalf("Open = %+v, %v", again, err)
	}
	data, _ := os.ReadFile(filepath.Join(root, File))
	t.Logf("%s", data)
}
