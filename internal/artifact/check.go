package artifact

import (
	"fmt"
	"regexp"
	"strings"
)

// Check says what an artifact of a phase lacks before anybody reads it: text,
// the headings that the phase requires, words of its own where a template stood.
// The phase is the id of the table, as "phase-3". Verdicts and tasks are read by
// [ParseReview] and [ParseTasks].
func Check(phase, text string) []Diagnostic {
	lines := read(text)
	if len(lines) == 0 {
		if strings.TrimSpace(text) == "" {
			return []Diagnostic{{0, Critical, "the file is empty"}}
		}
		if phase != "phase-3" && phase != "phase-5" && !template(text) {
			return nil // all of it is code or quotes, which may be all there is to say
		}
		return []Diagnostic{{0, Critical, "the file holds no text of its own"}}
	}
	var found []Diagnostic
	content := 0
	for _, l := range lines {
		switch {
		case placeholder.MatchString(unboxed(l.text)) && !severity.MatchString(l.text):
			found = append(found, Diagnostic{l.n, Critical, fmt.Sprintf("%q is left of the template; say it in words of this task", short(l.text))})
		case l.level == 0:
			content++
		}
	}
	if content == 0 && len(found) == 0 && phase != "phase-3b" && phase != "phase-4b" && phase != "phase-6" && phase != "final-verification" && phase != "phase-4" {
		found = append(found, Diagnostic{lines[0].n, Critical, "there are headings and nothing below them"})
	}
	switch phase {
	case "phase-3":
		if !hasLevel(lines, 2) {
			found = append(found, Diagnostic{0, Critical, `the design has no section; give each part a heading, as "## Approach"`})
		}
	case "phase-5":
		_, lacks := ParseImpl(text)
		for _, d := range lacks {
			if d.Line == 0 {
				found = append(found, d)
			}
		}
	}
	return limited(found)
}

var (
	// placeholder is a line that an agent was to replace: "<what changes>",
	// "[Describe the change]", "{summary}", "TODO", "...".
	placeholder = regexp.MustCompile(`(?i)^(?:[*_\w ]{0,30}[:：]\s*)?(?:<[a-z][^<>=/]*\s[^<>=/]*>|\[[a-z][^\[\]]*\s[^\[\]]*\]|\{\{?\s*[a-z_][\w .-]*\}?\}|todo|tbd|tba|\.\.\.|…)[.:]?$`)
	severity    = regexp.MustCompile(`(?i)\[\s*(?:critical|major|minor)\b`)
)

// template says whether a text is nothing but comments.
func template(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "<!--") }

func hasLevel(lines []line, level int) bool {
	for _, l := range lines {
		if l.level == level {
			return true
		}
	}
	return false
}
