package setup

import (
	"os"
	"path/filepath"
	"strings"

	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/toolchain"
)

// A Proposal is a command that seems to test the project.
type Proposal struct {
	Command []string `json:"command"`
	Because string   `json:"because"` // the file that suggests it
}

// findings are what a look at the project tells.
type findings struct {
	claude     string // the CLAUDE.md there is, or ""
	rules      string // where the project's rules stand, or will
	otherRules string // a file of rules that is no CLAUDE.md, or ""
	proposals  []Proposal
	chosen     bool // languages were asked for
}

func findExisting(root string) findings {
	l := looker{root}
	var in findings
	for _, name := range project.ClaudeFiles {
		if found := l.find(name); found != "" && in.claude == "" {
			in.claude = found
		}
	}
	for _, name := range project.OtherRuleFiles {
		if l.isFile(name) && in.otherRules == "" {
			in.otherRules = name
		}
	}
	switch {
	case in.claude != "":
		in.rules = in.claude
	case in.otherRules != "":
		in.rules = in.otherRules
	default:
		in.rules = ".claude/CLAUDE.md"
	}
	for _, c := range toolchain.Tests(root, ".") {
		in.proposals = append(in.proposals, Proposal{Command: c.Argv, Because: c.Because})
	}
	return in
}

// Rules returns the beginning of a file of rules: for .claude/CLAUDE.md of a project
// that has no CLAUDE.md, and for AGENTS.md of one that has no rules at all; nil where
// there is nothing to begin.
func Rules(root, lang string) (claude, agents []byte, err error) {
	in := findExisting(root)
	if in.claude != "" {
		return nil, nil, nil
	}
	if claude, err = in.render("CLAUDE.md", []string{lang}); err != nil || in.otherRules != "" {
		return claude, nil, err
	}
	return claude, claude, nil
}

// A looker answers questions about the root of a project.
type looker struct{ root string }

func (l looker) isFile(name string) bool {
	info, err := os.Stat(filepath.Join(l.root, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// find returns name as it is really written, whatever the case, or "".
func (l looker) find(name string) string {
	dir, base := filepath.Split(filepath.FromSlash(name))
	entries, err := repofile.At(filepath.Join(l.root, dir)).List()
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), base) && !e.IsDir() {
			return filepath.ToSlash(dir) + e.Name()
		}
	}
	return ""
}
