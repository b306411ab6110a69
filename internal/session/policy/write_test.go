package policy

import (
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"codeintel/internal/platform/msg"
)

func TestDecide(t *testing.T) {
	explored := map[string]bool{"src/auth.go": true, "日本/画面.html": true}
	ready := Permissions{Phase: "READY", Writing: true, Explored: explored, AllowNew: true}
	for _, tt := range []struct {
		name   string
		target Target
		state  Permissions
		reason string // empty: allowed
	}{
		{"an explored file", Target{Path: "src/auth.go", Exists: true}, ready, ""},
		{"a file that search tools do not list", Target{Path: "manage.py", Exists: true, Outside: true}, ready, "search tools do not list it"},
		{"such a file that was read", Target{Path: "src/auth.go", Exists: true, Outside: true}, ready, ""},
		{"such a file that has changed since", Target{Path: "src/auth.go", Exists: true, Outside: true, Changed: true}, ready, "search tools do not list it"},
		{"an empty file", Target{Path: "src/empty.go", Exists: true, Unshown: true}, ready, ""},
		{"a binary file in another phase", Target{Path: "logo.png", Exists: true, Unshown: true}, Permissions{Phase: "EXPLORATION", Explored: explored}, "EXPLORATION"},
		{"a file of secrets", Target{Path: ".env", Exists: true, Secret: true}, ready, "contains secrets"},
		{"a folder", Target{Path: "src", Exists: true, Folder: true}, ready, "is a folder"},
		{"a file that was not explored", Target{Path: "src/db.go", Exists: true}, ready, "has not been explored"},
		{"a new file beside an explored one", Target{Path: "src/login.go"}, ready, ""},
		{"a new file below one", Target{Path: "src/new/login.go"}, ready, ""},
		{"likewise, in Japanese", Target{Path: "日本/一覧.html"}, ready, ""},
		{"a new file above one", Target{Path: "go.mod"}, ready, "would be a new file"},
		{"the first file of a project", Target{Path: "main.go"}, Permissions{Phase: "READY", Writing: true, AllowNew: true, NoFiles: true}, ""},
		{"a new file where there is nothing to explore", Target{Path: "README.md", Alone: true}, ready, ""},
		{"a new file elsewhere", Target{Path: "docs/login.md"}, ready, "would be a new file"},
		{"a new file that was not asked for", Target{Path: "src/login.go"}, Permissions{Phase: "READY", Writing: true, Explored: explored}, "did not ask for new files"},
		{"an explored file in another phase", Target{Path: "src/auth.go", Exists: true}, Permissions{Phase: "EXPLORATION", Explored: explored}, "EXPLORATION"},
		{"git's own files", Target{Path: ".git/config", Exists: true}, ready, "belongs to git"},
		{"the checkpoint", Target{Path: ".code-intel/sessions/x.json", Exists: true}, ready, "code-intel"},
		{"a client's hooks", Target{Path: ".claude/settings.local.json"}, ready, "client"},
		{"in other letters", Target{Path: ".Claude/Settings.json"}, ready, "client"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Decide(tt.target, tt.state)
			if d.Allowed != (tt.reason == "") || !strings.Contains(d.Reason.String(), tt.reason) {
				t.Errorf("Decide = %+v, want reason %q", d, tt.reason)
			}
			if !d.Allowed && len(d.Next) == 0 {
				t.Error("denied without a next step")
			}
		})
	}
}

func TestProtected(t *testing.T) {
	for file, want := range map[string]bool{
		".git": true, ".git/hooks/pre-commit": true, "vendor/x/.git": true, "vendor/x/.git/config": true, ".gitignore": false, ".gitmodules": false, "a.git/x": false,
		".GIT/config": true, ".git./config": true, ".git /config": true, ".g\u200cit/config": true, "git~1/config": true, ".git::$INDEX_ALLOCATION/config": true, "GIT~1": true,
		".code-intel": true, ".code-intel/agreements/a.md": false, ".code-intel/task_planning.md": false, ".code-intel/context.yml": true,
		".code-intel/verifiers/go.md": true, ".code-intel/sessions/archive/x.json": true, ".code-intel/locks/x": true, "packages/web/.code-intel/config.json": true,
		".code-intel/sessions.md": false, "packages/web/.code-intel/agreements/a.md": false, ".Code-Intel/Sessions/x.json": true,
		".codex/hooks.json": true, ".codex/config.toml": true, ".codex/prompts/a.md": false,
		".mcp.json": true, ".vscode/mcp.json": true, ".vscode/settings.json": false,
		".claude/settings.json": true, ".claude/settings.local.json": true, ".Claude/Settings.json ": true, ".claude/hooks/x.sh": true, ".claude/skills/x/SKILL.md": false, ".claude/commands/settings.json": false,
		".specs/20260101-x/state.json": true, ".specs/20260101-x/design.md": false, "specs/x/state.json": false,
		".cursor/hooks.json": true, ".cursor/mcp.json": true, ".cursor/rules.md": false,
		".gemini/settings.json": true, ".opencode/plugins/x.js": true, "opencode.json": true, "opencode.jsonc": true,
		".github/workflows/ci.yml": false, ".github/hooks/x.json": true,
		"src/settings.json": false, "src/x:7": false, "...": false, "src/..": false, "": false,
	} {
		if got := protected(file); got != want {
			t.Errorf("Protected(%q) = %v, want %v", file, got, want)
		}
	}
}

func TestPatternsAreWellFormed(t *testing.T) {
	for _, pattern := range slices.Concat(steering, state) {
		if _, err := path.Match(pattern, ""); err != nil || pattern != strings.ToLower(pattern) {
			t.Errorf("%q can match nothing: %v", pattern, err)
		}
	}
}

// A path is protected in whatever letters it comes, and so is all below a folder
// that is.
func FuzzProtected(f *testing.F) {
	for _, seed := range []string{".git/config", "a/.git", ".code-intel/sessions/x", "src/main.go", ".claude/settings.json", "//", "./.git", "日本/画面.html", "ſ/K"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		got := protected(file)
		if upper := protected(strings.ToUpper(file)); utf8.ValidString(file) && upper != got {
			t.Errorf("Protected(%q) = %v, in capitals %v", file, got, upper)
		}
		if inside := ".git/" + file; !strings.Contains(file, "..") && !protected(inside) {
			t.Errorf("Protected(%q) = false", inside)
		}
	})
}

// Every denial names the file, and says what to do by tool and by command where
// there is one.
func TestDenialsSayWhatToDo(t *testing.T) {
	const file = "docs/ユーザー's guide.md"
	for name, tt := range map[string]struct {
		target Target
		state  Permissions
		reason string
		next   []string
	}{
		"phase":        {Target{Path: file, Exists: true}, Permissions{Phase: "READY", Step: "plan"}, "READY (plan)", []string{"submit_phase", "code-intel session show"}},
		"not explored": {Target{Path: file, Exists: true}, Permissions{Writing: true}, "no tool has shown", []string{`get_symbols(file_path="` + file + `")`, `code-intel outline 'docs/ユーザー'\''s guide.md'`}},
		"not asked":    {Target{Path: file}, Permissions{Writing: true}, "did not ask for new files", []string{"allow_new_files=true"}},
		"new":          {Target{Path: file}, Permissions{Writing: true, AllowNew: true}, "in docs or above", []string{"get_symbols", "code-intel outline"}},
		"new in root":  {Target{Path: "x"}, Permissions{Writing: true, AllowNew: true, Explored: map[string]bool{"src/a.go": true}}, "the root of the project", []string{"get_symbols"}},
	} {
		d := Decide(tt.target, tt.state)
		if d.Allowed || !strings.Contains(d.Reason.String(), tt.target.Path) || !strings.Contains(d.Reason.String(), tt.reason) {
			t.Errorf("%s: %+v", name, d)
		}
		for _, want := range tt.next {
			if !strings.Contains(strings.Join(msg.Texts(d.Next), " "), want) {
				t.Errorf("%s: next %q lacks %q", name, d.Next, want)
			}
		}
	}
	if d := Decide(Target{Path: "new/x"}, Permissions{Writing: true, AllowNew: true, NoFiles: true}); !d.Allowed {
		t.Errorf("in an empty project: %+v", d)
	}
	if got := shell("-rf"); got != "./-rf" {
		t.Errorf("shell(-rf) = %s", got)
	}
}
