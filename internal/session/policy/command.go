package policy

import (
	"fmt"
	"path"
	"strings"

	"codeintel/internal/text"
)

// A Command is what a command line would do, with its paths brought to the
// project.
type Command struct {
	Unparsed   string   // why it cannot be told; empty if it can
	NotReading []string // what keeps it from being one that only reads, in words
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
	Tree    bool // what lies below may be written too
	Named   bool // it is only named to a program
}

// DecideCommand decides on a command line: in the phase in which files are written
// it may do anything but change history, remove what is outside of the project,
// or touch what no session writes; in all others it may only read.
func DecideCommand(c Command, s State) Decision {
	if c.Unparsed != "" {
		return deny("What this command would do cannot be told: "+c.Unparsed+".",
			"Send plain commands, one after the other: cat FILE, sed -n '1,80p' FILE, rg PATTERN.")
	}
	if len(c.People) > 0 {
		return deny(strings.Join(c.People, ", ")+" is for a person to type, not for an agent.", "Ask the user to type it in a terminal of their own.")
	}
	if !s.Writing {
		if len(c.NotReading) == 0 {
			return Decision{Allowed: true}
		}
		return deny(fmt.Sprintf("This command does more than read (it %s), and the session is in %s.", text.ListFirst(c.NotReading, 3), s.place()),
			"Read with cat, sed -n, rg, git log, git diff and their like, without redirection into files. Or do what the instruction of this phase says and end it with submit_phase; "+
				"code-intel status shows where the session is. If the command only reads, the user can add it to read_only_commands in .code-intel/config.json.")
	}
	switch {
	case len(c.History) > 0:
		return deny(fmt.Sprintf("%s is left to the server while a session works on its task branch.", strings.Join(c.History, ", ")),
			"Leave the changes in the tree: the server commits and merges in later phases. To take back a file: git checkout -- FILE, or git restore FILE.")
	case len(c.Unclear) > 0:
		return deny("What this command would change cannot be told: it "+text.ListFirst(c.Unclear, 3)+".",
			"Write commands and file names out, without variables in the place of files that are written or removed.")
	}
	for _, t := range c.Touched {
		if why := touched(t); why != "" {
			return deny(why, "Leave it as it is. Ask the user to change it by hand if it must change.")
		}
	}
	return Decision{Allowed: true}
}

// touched says why a file or folder may not be written or removed in any phase.
func touched(t Touch) string {
	switch fixed, guess := t.literalPart(); {
	case t.Outside && t.Remove:
		return fmt.Sprintf("%s is outside of the project; a session removes nothing there.", t.Path)
	case t.Outside && !users(t.Path):
		return ""
	case t.Outside || Protected(t.Path) || Protected(fixed) || !t.Named && strings.ContainsAny(firstOf(guess), ".[{?"):
		return fmt.Sprintf("%s is, or may be, what belongs to git, to code-intel or to a client's own settings; no session writes it.", t.Path)
	case guess != "" && fixed != "." && holdsProtected(fixed), t.Tree && guess == "" && fixed != "." && holdsProtected(fixed):
		return fmt.Sprintf("%s is, or may be, what belongs to git, to code-intel or to a client's own settings; no session writes it.", t.Path)
	case t.Remove && guess == "" && holdsProtected(fixed):
		return fmt.Sprintf("%s holds what belongs to git, to code-intel or to a client's own settings; no session removes it.", t.Path)
	}
	return ""
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

// holdsProtected reports whether something protected may lie in the folder.
func holdsProtected(folder string) bool {
	if folder = path.Clean(folder); folder == "." {
		return true
	}
	parts := strings.Split(folder, "/")
	for i := range parts {
		parts[i] = fold(parts[i])
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
