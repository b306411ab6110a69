package artifact

import (
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// Check says what an artifact of a phase lacks before anybody reads it: text,
// the headings that the phase requires, words of its own where a template stood.
// The phase is an id of the table, as "phase-3". Verdicts and tasks are read by
// [ParseReview] and [ParseTasks].
func Check(phase, body string) []Diagnostic {
	lines := markdown.Read(body)
	if strings.TrimSpace(strings.TrimPrefix(body, "\ufeff")) == "" {
		return []Diagnostic{{0, Critical, msg.New("problem.file_empty")}}
	}
	if len(lines) == 0 {
		return []Diagnostic{{0, Critical, msg.New("artifact.file_holds_only_code_quotes")}}
	}
	var found []Diagnostic
	if !slices.ContainsFunc(lines, func(l markdown.Line) bool { return strings.ContainsFunc(l.Text, isWord) }) {
		return []Diagnostic{{lines[0].Number, Critical, msg.New("artifact.file_has_no_word")}}
	}
	said := slices.Contains(judged, phase) // a verdict may be a heading and all there is
	for _, l := range lines {
		if placeholder.MatchString(unboxed(l.Text)) && !marker.MatchString(l.Text) {
			found = append(found, Diagnostic{l.Number, Critical, msg.New("artifact.left_template_write_what_holds",
				text.Clip(l.Text, maxQuoted))})
		}
		said = said || l.Level == 0 && strings.ContainsFunc(l.Text, isWord)
	}
	if !said {
		found = append(found, Diagnostic{lines[0].Number, Critical, msg.New("artifact.nothing_below_the_headings")})
	}
	switch phase {
	case "phase-3":
		if !slices.ContainsFunc(lines, func(l markdown.Line) bool { return l.Level == 2 }) {
			found = append(found, Diagnostic{0, Critical, msg.New("artifact.design_has_no_section")})
		}
	case "phase-5":
		_, lacks := ParseImpl(body)
		found = append(found, lacks...)
	}
	return limited(found)
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// judged are the phases whose artifact ends with a verdict.
var judged = []string{"phase-3b", "phase-4b", "phase-6", "final-verification"}

// placeholder is a line that an agent was to replace: "<what changes>",
// "[Describe the change]", "Goal: {summary}", "TODO".
var placeholder = lazyregexp.MustCompile(`(?i)^(?:[*_]*[\p{L}\p{N}_ ]{1,30}[*_]*[:：][*_]*\s*)?` +
	`(?:<[a-z][^<>=/]*\s[^<>=/]*>|\[(?:describe|list|insert|your|add|fill|explain|name|write|summari[sz]e|one|` +
	`short|brief|what|why|how)\b[^\[\]]*\]|\{\{?\s*[a-z_][\w .-]*\}?\}|todo|tbd|tba)[.:]?$`)
