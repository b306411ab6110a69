// Package policy decides what may be written. It is pure: whoever asks (a tool,
// a client's hook, the audit) brings the facts, and gets the same decision.
package policy

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// A Target is a file that someone wants to write. Path is relative to the root of
// the project, cleaned, with "/", symbolic links resolved.
type Target struct {
	Path    string
	Exists  bool
	Changed bool // it was shown, and somebody else has changed it since
	Unshown bool // it exists, and no tool can show a line of it: empty, binary, left out of the index, a submodule
	Secret  bool // it exists, and tools show no line of it because it holds secrets
	Folder  bool // it is a folder of the project
	Alone   bool // it does not exist, and neither its folder nor any above holds a file that a tool can show
}

// A State is what a session allows.
type State struct {
	Phase    string          // as answers name it
	Step     string          // of the phase, "plan" or "complete"; may be empty
	Writing  bool            // the phase is the one in which files are written
	Explored map[string]bool // files that the session was shown
	AllowNew bool            // files that are not there yet may be made
	NoFiles  bool            // the project held no file when the session began: its root counts as explored
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
		return deny(fmt.Sprintf("%s may not be written now: files are written in READY, while a task is being implemented, and the session is in %s.", t.Path, s.place()),
			"Do what the instruction of this phase says and end it with submit_phase; get_session_status shows it again, as does code-intel session show with the session's ID.")
	case t.Exists && t.Changed && !t.Unshown:
		return deny(fmt.Sprintf("%s is not what it was when it was shown: something other than an approved write has changed it.", t.Path),
			fmt.Sprintf("get_symbols(file_path=%q), or code-intel outline %s, shows it as it is now; then ask again.", t.Path, shell(t.Path)))
	case t.Exists && (t.Unshown || s.Explored[t.Path]):
		return Decision{Allowed: true}
	case t.Secret:
		return deny(fmt.Sprintf("%s holds secrets; no tool shows it, and no session writes it.", t.Path),
			"Leave it as it is. Ask the user to change it by hand if it must change.")
	case t.Folder:
		return deny(fmt.Sprintf("%s is a folder.", t.Path), "Name the files in it that are to be written: check_write_target(files=[…]).")
	case t.Exists:
		return deny(fmt.Sprintf("%s has not been explored: no tool has shown a line of it.", t.Path),
			fmt.Sprintf("get_symbols(file_path=%q), or code-intel outline %s; then ask again.", t.Path, shell(t.Path)))
	case !s.AllowNew:
		return deny(fmt.Sprintf("%s is not there, and new files were not asked for.", t.Path),
			fmt.Sprintf("check_write_target(file_path=%q, allow_new_files=true).", t.Path))
	case s.NoFiles || t.Alone || Near(t.Path, s.Explored):
		return Decision{Allowed: true}
	}
	return deny(fmt.Sprintf("%s would be new, and nothing in %s or above it has been explored.", t.Path, folder(t.Path)),
		fmt.Sprintf("analyze_structure or get_symbols, or code-intel outline, of a file in %s or in a folder above it; then ask again.", folder(t.Path)))
}

func (s State) place() string {
	if s.Step != "" {
		return s.Phase + " (" + s.Step + ")"
	}
	return s.Phase
}

// shell writes a path so that a shell takes it for one argument, and no program
// for an option.
func shell(file string) string {
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@%,", r) || r > 127 && !unicode.IsSpace(r)
	}
	if strings.IndexFunc(file, func(r rune) bool { return !plain(r) }) < 0 {
		return file
	}
	return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
}

func deny(reason, next string) Decision { return Decision{Reason: reason, Next: next} }

func folder(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return "the root of the project"
}

// Near reports whether one of the files lies in the folder of a file, or in a
// folder above it.
func Near(file string, files map[string]bool) bool {
	dir := path.Dir(file)
	for seen := range files {
		at := path.Dir(seen)
		if at == "." || at == dir || strings.HasPrefix(dir, at+"/") {
			return true
		}
	}
	return false
}
