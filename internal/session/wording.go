package session

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/session/state"
)

// visible keeps the characters of a text that a reader can see, and blanks.
func visible(r rune) rune {
	switch {
	// fillers, which count as letters; and Braille without a dot
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point), r == '\u2800':
		return -1
	case unicode.IsGraphic(r), unicode.IsSpace(r):
		return r
	}
	return -1
}

// silent reports whether a text has no letter and no digit that a reader can see.
func silent(text string) bool {
	return !strings.ContainsFunc(strings.Map(visible, text),
		func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// plain is what two spellings of the same words have in common: their letters and
// digits.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r = visible(r); unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(text))
}

// skipReasons are the reasons for which items of finished tasks were skipped, in
// their plain form.
func skipReasons(s *state.State) map[string]bool {
	given := make(map[string]bool)
	for _, task := range s.Tasks {
		for _, item := range task.Checklist {
			if task.Status == state.TaskCompleted && item.Status == state.Skipped {
				given[plain(item.Reason)] = true
			}
		}
	}
	return given
}
