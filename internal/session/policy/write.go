// Package policy holds the rules for which files may be written and which commands may run in each phase of a
// session. It is pure: every caller (a tool, a client's hook, the audit) passes the facts, and gets the same
// decision.
package policy

import (
	"path"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/text/quote"
)

// A Target is a file that someone wants to write. Path is relative to the root of
// the project, cleaned, with "/", symbolic links resolved.
type Target struct {
	Path    string
	Exists  bool
	Changed bool // it was shown, and somebody else has changed it since
	Unshown bool // it exists, and there is no line of it to show: empty, binary, a submodule
	Outside bool // it exists as text, and search tools do not list it: outside of source_dirs, ignored, excluded
	Secret  bool // it exists, and tools show no line of it because it holds secrets
	Folder  bool // it is a folder of the project
	Alone   bool // it does not exist, and neither its folder nor any above holds a file that a tool can show
}

// Permissions are what a session allows at the moment, and what it is decided by.
type Permissions struct {
	Phase     string          // as answers name it
	Step      string          // of the phase, "plan" or "complete"; may be empty
	Writing   bool            // the phase is the one in which files are written
	Verifying bool            // the phase is the one in which the change is verified: tests may run
	Explored  map[string]bool // files that the session was shown
	AllowNew  bool            // files that are not there yet may be made
	NoFiles   bool            // the project held no file when the session began: its root counts as explored
}

// Protected is the code of a denial that no phase ends.
const Protected problem.Code = "protected_file"

// The codes of refusals for the same reasons.
const (
	phaseBlocked    problem.Code = "phase_blocked"
	unobservedFiles problem.Code = "unobserved_files"
)

// A Decision allows a write, or says why not and what to do next.
type Decision struct {
	Allowed bool
	Code    problem.Code // of what is not allowed to a named file
	Reason  msg.Message
	Next    []msg.Message
}

// Decide decides on one target.
func Decide(t Target, s Permissions) Decision {
	switch {
	case protected(t.Path):
		return refuse(Protected, msg.New("policy.belongs_git_code_intel_client", t.Path),
			msg.New("policy.leave_ask_user_change_hand"))
	case !s.Writing:
		return refuse(phaseBlocked, msg.New("policy.may_not_written_now_files", t.Path, s.phaseText()),
			msg.New("policy.follow_the_phase_instruction", op.SubmitPhase, op.GetSessionStatus))
	case t.Exists && t.Outside && (t.Changed || !s.Explored[t.Path]):
		return refuse(unobservedFiles, msg.New("policy.not_been_explored_search_tools", t.Path),
			msg.New("policy.read_it_first", op.CheckWriteTarget, shell(t.Path)))
	case t.Exists && t.Changed && !t.Unshown:
		return refuse(unobservedFiles, msg.New("policy.not_what_when_shown_something", t.Path),
			msg.New("policy.look_at_it_as_it_is_now", msg.CallOf(op.GetSymbols, "file_path", t.Path), shell(t.Path)))
	case t.Exists && (t.Unshown || s.Explored[t.Path]):
		return Decision{Allowed: true}
	case t.Secret:
		return refuse(Protected, msg.New("policy.holds_secrets_no_tool_shows", t.Path),
			msg.New("policy.leave_ask_user_change_hand"))
	case t.Folder:
		return refuse(problem.InvalidArgument, msg.New("files.is_a_folder", t.Path),
			msg.New("policy.name_the_files_to_write", msg.CallOf(op.CheckWriteTarget, "files", msg.Blank)))
	case t.Exists:
		return refuse(unobservedFiles, msg.New("policy.not_been_explored_no_tool", t.Path),
			msg.New("policy.look_at_it_first", msg.CallOf(op.GetSymbols, "file_path", t.Path), shell(t.Path)))
	case !s.AllowNew:
		return refuse(problem.InvalidArgument, msg.New("policy.not_new_files_not_asked", t.Path),
			msg.Do(op.CheckWriteTarget, "file_path", t.Path, "allow_new_files", true))
	case s.NoFiles || t.Alone || Near(t.Path, s.Explored):
		return Decision{Allowed: true}
	}
	return refuse(unobservedFiles, msg.New("policy.nothing_near_new_file_explored", t.Path, folder(t.Path)),
		msg.New("policy.look_at_the_folder_first", folder(t.Path), op.AnalyzeStructure, op.GetSymbols))
}

func (s Permissions) phaseText() string {
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
	return quote.Shell(file)
}

func deny(reason, next msg.Message) Decision { return refuse("", reason, next) }

func refuse(code problem.Code, reason, next msg.Message) Decision {
	return Decision{Code: code, Reason: reason, Next: []msg.Message{next}}
}

func folder(file string) msg.Message {
	if dir := path.Dir(file); dir != "." {
		return msg.Literal(dir)
	}
	return msg.New("policy.root_project")
}

// Near reports whether one of the files is in the folder of a file, or in a
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
