package policy

import (
	"path"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// A Command is what a command line would do, with its paths brought to the
// project.
type Command struct {
	Unparsed   string   // why it cannot be told; empty if it can
	NotReading []string // what keeps it from being one that only reads, in words
	Tests      []string // those of NotReading that run the tests or checks of the project
	History    []string // git commands that change history, refs or the checked-out branch
	People     []string // commands by which a person decides
	Unclear    []string // what is only known when it runs
	Touched    []Touch
}

// A Touch is a file or folder that a command writes or removes. Path is relative
// to the root.
type Touch struct {
	Path    string
	Outside bool // not in the project; Path is then as written
	Remove  bool
	Glob    bool // Path stands for files that match it; which is not known
	Tree    bool // what is below may be written too
	Named   bool // it is only named to a program
}

// DecideCommand decides on a command line: in the phase in which files are written
// it may do anything but change history, remove what is outside of the project,
// or touch what no session writes; in all others it may only read, and where the change
// is verified also run the tests.
func DecideCommand(c Command, s Permissions) Decision {
	if c.Unparsed != "" {
		return deny(msg.New("policy.what_command_would_do_cannot", c.Unparsed),
			msg.New("policy.send_plain_commands"))
	}
	if len(c.People) > 0 {
		return deny(msg.New("policy.person_type_not_agent", c.People), msg.New("policy.ask_user_to_type_it"))
	}
	if !s.Writing {
		if len(c.NotReading) == 0 {
			return Decision{Allowed: true}
		}
		if s.Verifying && len(c.NotReading) == len(c.Tests) {
			return decideTouched(c.Touched)
		}
		return deny(msg.New("policy.command_does_more_than_read", joinActions(c.NotReading), s.phaseText()),
			msg.New("policy.read_cat_sed_n_rg", op.SubmitPhase))
	}
	switch {
	case len(c.History) > 0:
		return deny(msg.New("policy.left_server_while_session_works", c.History),
			msg.New("policy.leave_changes_tree_server_commits"))
	case len(c.Unclear) > 0:
		return deny(msg.New("policy.what_command_would_change_cannot", joinActions(c.Unclear)),
			msg.New("policy.write_commands_file_names_out"))
	}
	return decideTouched(c.Touched)
}

// decideTouched denies what would touch something that no session may write.
func decideTouched(list []Touch) Decision {
	for _, t := range list {
		if why := whyForbidden(t); !why.IsZero() {
			return deny(why, msg.New("policy.leave_ask_user_change_hand"))
		}
	}
	return Decision{Allowed: true}
}

// DecideOtherServerTool denies a tool of another server whose name does not say that it only reads.
func DecideOtherServerTool(tool string, s Permissions) Decision {
	return deny(msg.New("policy.foreign_tool_may_change_something", tool, s.phaseText()),
		msg.New("policy.foreign_tool_read_or_list", tool, op.SubmitPhase))
}

// DecideInteractive denies a command that takes input that no hook is told about.
func DecideInteractive(s Permissions) Decision {
	return deny(msg.New("policy.interactive_command_unheard", s.phaseText()),
		msg.New("policy.run_without_terminal", op.SubmitPhase))
}

// whyForbidden says why a file or folder may not be written or removed in any phase.
func whyForbidden(t Touch) (why msg.Message) {
	switch fixed, guess := t.literalPart(); {
	case t.Outside && t.Remove:
		return msg.New("policy.outside_project_session_removes_nothing", t.Path)
	case t.Outside && !users(t.Path):
		return why
	case t.Outside || protected(t.Path) || protected(fixed) || !t.Named && strings.ContainsAny(firstOf(guess), ".[{?"):
		return msg.New("policy.may_what_belongs_git_code", t.Path)
	case guess != "" && fixed != "." && holdsProtected(fixed),
		t.Tree && guess == "" && fixed != "." && holdsProtected(fixed):
		return msg.New("policy.may_what_belongs_git_code", t.Path)
	case t.Remove && guess == "" && holdsProtected(fixed):
		return msg.New("policy.holds_what_belongs_git_code", t.Path)
	}
	return why
}

// literalPart parts a path before the first component that stands for others.
func (t Touch) literalPart() (fixed, guess string) {
	if !t.Glob {
		return t.Path, ""
	}
	parts := strings.Split(t.Path, "/")
	for i, p := range parts {
		if strings.ContainsAny(p, "*?[{") {
			return path.Join(append([]string{"."}, parts[:i]...)...), p
		}
	}
	return t.Path, ""
}

func firstOf(s string) string { return s[:min(1, len(s))] }

// holdsProtected reports whether something protected may be in the folder.
func holdsProtected(folder string) bool {
	if folder = path.Clean(folder); folder == "." {
		return true
	}
	parts := strings.Split(folder, "/")
	for i := range parts {
		parts[i] = clients.Fold(parts[i])
	}
	for _, pattern := range steering {
		want := strings.Split(strings.TrimSuffix(pattern, "/"), "/")
		if len(want) <= len(parts) {
			continue
		}
		if ok, _ := path.Match(strings.Join(want[:len(parts)], "/"), strings.Join(parts, "/")); ok {
			return true
		}
	}
	return false
}

// joinActions joins what a command does, shortened to fit into a sentence.
func joinActions(list []string) any {
	if len(list) > 3 {
		return msg.New("session.and_n_more", list[:3], len(list)-3)
	}
	return list
}
