package repoprofile

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/text"
)

// How much of each kind a profile says.
const (
	maxLanguages = 8
	maxFolders   = 10
	maxNames     = 20
)

// WithoutTests leaves out the test commands of the root that are known to whoever reads the
// profile, also where the project's own would run them with something before.
func (p Profile) WithoutTests(known []string) Profile {
	p.Test = slices.DeleteFunc(slices.Clone(p.Test), func(c Command) bool {
		return c.Dir == "." && slices.ContainsFunc(known, func(k string) bool {
			return strings.HasSuffix(" "+c.line(), " "+k)
		})
	})
	return p
}

// Markdown returns the lines that belong below "## Repository Context", or "" if
// nothing is known.
func (p Profile) Markdown() string {
	var b strings.Builder
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, text)
		}
	}
	line("Languages", languageLine(p.Languages))
	commandLines(line, "Build command", p.Build, buildLine)
	commandLines(line, "Test command", p.Test, testLine)
	line("Frameworks", text.ListFirst(p.Frameworks, maxNames))
	line("CI", text.ListFirst(p.CI, maxNames))
	line("Linters", text.ListFirst(p.Linters, maxNames))
	return strings.TrimSpace(b.String())
}

// languageLine names the languages that make one percent at least, and the first in
// any case.
func languageLine(all []Language) string {
	var parts []string
	for i, l := range all {
		if i > 0 && l.Percent < 1 || i == maxLanguages {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%.0f%%)", l.Name, l.Percent))
	}
	return strings.Join(parts, ", ")
}

// buildLine joins the commands of one folder that build. What the project wrote
// down itself builds it best.
func buildLine(own, runners []string) string {
	return joinAlternatives(strings.Join(runners, " or "), strings.Join(own, "; "))
}

// testLine joins the commands of one folder that test. The tool of a language can
// run a part of the tests, too.
func testLine(own, runners []string) string {
	return joinAlternatives(strings.Join(own, "; "), strings.Join(runners, " or "))
}

func joinAlternatives(first, second string) string {
	switch {
	case first == "":
		return second
	case second == "":
		return first
	}
	return first + " (or " + second + ")"
}

// commandLines says the commands, a line for the root and one for all folders that
// have the same.
func commandLines(line func(label, content string), label string, all []Command,
	join func(own, runners []string) string) {
	own, runners := make(map[string][]string), make(map[string][]string)
	var dirs []string
	for _, c := range all {
		if !slices.Contains(dirs, c.Dir) {
			dirs = append(dirs, c.Dir)
		}
		if c.Tool.IsRunner() {
			runners[c.Dir] = append(runners[c.Dir], c.line())
		} else {
			own[c.Dir] = append(own[c.Dir], c.line())
		}
	}
	var texts []string
	folders := make(map[string][]string) // by text
	for _, dir := range dirs {
		content := join(own[dir], runners[dir])
		if dir == "." {
			line(label, content)
			continue
		}
		if folders[content] == nil {
			texts = append(texts, content)
		}
		folders[content] = append(folders[content], dir+"/")
	}
	for _, content := range texts[:min(len(texts), maxFolders)] {
		line(label+" in "+text.ListFirst(folders[content], maxFolders), content)
	}
	if rest := len(texts) - maxFolders; rest > 0 {
		line(label+"s", fmt.Sprintf("%d others in more folders", rest))
	}
}
