package guard

import (
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	explored := map[string]bool{"src/auth.go": true, "日本/画面.html": true}
	ready := State{Phase: "READY", Writing: true, Explored: explored, AllowNew: true}
	for _, tt := range []struct {
		name   string
		target Target
		state  State
		reason string // empty: allowed
	}{
		{"an explored file", Target{Path: "src/auth.go", Exists: true}, ready, ""},
		{"an empty file", Target{Path: "src/empty.go", Exists: true, Empty: true}, ready, ""},
		{"a file that was not explored", Target{Path: "src/db.go", Exists: true}, ready, "has not been explored"},
		{"a new file beside an explored one", Target{Path: "src/login.go"}, ready, ""},
		{"a new file below one", Target{Path: "src/new/login.go"}, ready, ""},
		{"likewise, in Japanese", Target{Path: "日本/一覧.html"}, ready, ""},
		{"a new file above one", Target{Path: "go.mod"}, ready, "would be new"},
		{"the first file of a project", Target{Path: "main.go"}, State{Phase: "READY", Writing: true, AllowNew: true, NoFiles: true}, ""},
		{"a new file elsewhere", Target{Path: "docs/login.md"}, ready, "would be new"},
		{"a new file that was not asked for", Target{Path: "src/login.go"}, State{Phase: "READY", Writing: true, Explored: explored}, "not asked for"},
		{"an explored file in another phase", Target{Path: "src/auth.go", Exists: true}, State{Phase: "EXPLORATION", Explored: explored}, "EXPLORATION"},
		{"git's own files", Target{Path: ".git/config", Exists: true}, ready, "belongs to git"},
		{"the checkpoint", Target{Path: ".code-intel/sessions/x.json", Exists: true}, ready, "code-intel"},
		{"a client's hooks", Target{Path: ".claude/settings.local.json"}, ready, "client"},
		{"in other letters", Target{Path: ".Claude/Settings.json"}, ready, "client"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Decide(tt.target, tt.state)
			if d.Allowed != (tt.reason == "") || !strings.Contains(d.Reason, tt.reason) {
				t.Errorf("Decide = %+v, want reason %q", d, tt.reason)
			}
			if !d.Allowed && d.Next == "" {
				t.Error("denied without a next step")
			}
		})
	}
}

func TestProtected(t *testing.T) {
	for file, want := range map[string]bool{
		".git": true, ".git/hooks/pre-commit": true, "vendor/x/.git": true, ".gitignore": false,
		".code-intel/agreements/a.md": false, ".code-intel/context.yml": true, ".code-intel/verifiers/go.md": true,
		".codex/hooks.json": true, ".codex/prompts/a.md": false, ".mcp.json": true, ".claude/skills/x/SKILL.md": false,
		".specs/20260101-x/state.json": true, ".specs/20260101-x/design.md": false, "src/settings.json": false,
		".cursor/hooks.json": true, ".cursor/rules.md": false, ".github/workflows/ci.yml": false,
	} {
		if got := Protected(file); got != want {
			t.Errorf("Protected(%q) = %v, want %v", file, got, want)
		}
	}
}
