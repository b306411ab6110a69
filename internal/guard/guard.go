// Package guard decides what may be written. It is pure: whoever asks (a tool,
// a client's hook, the audit) brings the facts, and gets the same decision.
package guard

import (
	"fmt"
	"path"
	"strings"
)

// A Target is a file that someone wants to write. Path is relative to the root of
// the project, cleaned, with "/", symbolic links resolved.
type Target struct {
	Path   string
	Exists bool
	Empty  bool // it exists and has no line that could have been shown
}

// A State is what a session allows.
type State struct {
	Phase    string          // as answers name it
	Writing  bool            // the phase is the one in which files are written
	Explored map[string]bool // files that the session was shown
	AllowNew bool            // files that are not there yet may be made
	NoFiles  bool            // the project holds no file yet: its root counts as explored
}

// A Decision allows a write, or says why not and what to do next.
type Decision struct {
	Allowed bool
	Reason  string
	Next    string
}

// Decide decides on one target.
func Decide(t Target, s State) Decision {
	switch {
	case Protected(t.Path):
		return deny(fmt.Sprintf("%s belongs to git, to code-intel or to a client's own settings; no session writes it.", t.Path),
			"Leave it as it is. Ask the user to change it by hand if it must change.")
	case !s.Writing:
		return deny(fmt.Sprintf("Files are written in READY, while a task is being implemented; the session is in %s.", s.Phase),
			"Do what the instruction of this phase says and end it with submit_phase.")
	case t.Exists && (t.Empty || s.Explored[t.Path]):
		return Decision{Allowed: true}
	case t.Exists:
		return deny(fmt.Sprintf("%s has not been explored: no tool has shown a line of it.", t.Path),
			fmt.Sprintf("get_symbols(file_path=%q), or code-intel outline %s; then ask again.", t.Path, t.Path))
	case !s.AllowNew:
		return deny(fmt.Sprintf("%s is not there, and new files were not asked for.", t.Path), "Ask with allow_new_files: true.")
	case s.NoFiles || exploredNear(t.Path, s.Explored):
		return Decision{Allowed: true}
	}
	return deny(fmt.Sprintf("%s would be new, and nothing in %s or above it has been explored.", t.Path, folder(t.Path)),
		fmt.Sprintf("analyze_structure(path=%q) or get_symbols of a file in it; then ask again.", folder(t.Path)))
}

func deny(reason, next string) Decision { return Decision{Reason: reason, Next: next} }

func folder(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return "the root of the project"
}

// exploredNear reports whether a file in the folder of a new file, or in a folder
// above it, was explored.
func exploredNear(file string, explored map[string]bool) bool {
	dir := path.Dir(file)
	for seen := range explored {
		at := path.Dir(seen)
		if at == "." || at == dir || strings.HasPrefix(dir, at+"/") {
			return true
		}
	}
	return false
}

// Protected reports whether a path is written by no session: what steers git,
// code-intel and the clients, and their state.
func Protected(file string) bool {
	file = strings.ToLower(path.Clean(file)) // some file systems do not tell case apart
	first, rest, _ := strings.Cut(file, "/")
	switch first {
	case ".git":
		return true
	case ".code-intel":
		second, _, _ := strings.Cut(rest, "/")
		switch second {
		case "", "sessions", "index", "logs", "config.json", "phase_contract.yml", "context.yml", "verifiers", ".gitignore":
			return true
		}
		return false
	case ".claude":
		return strings.HasPrefix(rest, "settings") && strings.HasSuffix(rest, ".json") || strings.HasPrefix(rest, "hooks")
	case ".codex":
		return rest == "hooks.json" || rest == "config.toml"
	case ".cursor", ".gemini", ".opencode", ".github":
		return strings.Contains(path.Base(file), "hooks") && first != ".github" || first == ".github" && strings.HasPrefix(rest, "hooks/")
	case ".mcp.json":
		return true
	case ".specs":
		return path.Base(file) == "state.json" || path.Base(file) == "journal.jsonl"
	}
	return path.Base(file) == ".git"
}
