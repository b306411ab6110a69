package prompt

import (
	"strings"
	"unicode/utf8"
)

// Tokens says about how many tokens a text is. It errs on the long side: four
// letters of ASCII make one, and so does each letter of other scripts.
func Tokens(text string) int {
	ascii, other := weigh(text)
	return (ascii+3)/4 + other
}

func weigh(text string) (ascii, other int) {
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return ascii, other
}

// A section is a part of the prompt that may be left out, or be cut.
type section struct {
	heading, body string
	mark          string // ends a body that was cut; "": whole lines are left out, in silence
	min           int    // tokens that it gets whatever the budget
}

// fit returns the sections that have a body, as far as they fit into the budget.
// Where one is cut, those after it are left out.
func fit(budget int, sections []section) string {
	var b strings.Builder
	for _, s := range sections {
		body := strings.TrimSpace(strings.ToValidUTF8(s.body, "\ufffd"))
		if body == "" {
			continue
		}
		own := max(budget, s.min)
		heading := "\n## " + s.heading + "\n"
		whole := heading + body + "\n"
		if n := Tokens(whole); n <= own {
			b.WriteString(whole)
			budget -= n
			continue
		}
		if body = s.cut(body, own-Tokens(heading)); body != "" {
			b.WriteString(heading + body + "\n")
		}
		break
	}
	return b.String()
}

// cut returns as much of body as fits: whole lines, and of a single long line that
// a mark follows its beginning.
func (s section) cut(body string, budget int) string {
	if s.mark != "" {
		budget -= Tokens(s.mark + "\n")
	}
	var kept strings.Builder
	var fence fence
	for line := range strings.Lines(body) {
		n := Tokens(line)
		if n > budget {
			if s.mark != "" && kept.Len() == 0 {
				kept.WriteString(beginning(line, budget))
			}
			break
		}
		fence.in(line)
		kept.WriteString(line)
		budget -= n
	}
	text := strings.TrimRight(kept.String(), " \n")
	if fence != "" {
		text += "\n" + string(fence)
	}
	if s.mark != "" {
		text = strings.TrimLeft(text+"\n"+s.mark, "\n")
	}
	return text
}

// beginning returns the first letters of text that make no more tokens than n.
func beginning(text string, n int) string {
	ascii, other := 0, 0
	for i, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
		if (ascii+3)/4+other > n {
			return text[:i]
		}
	}
	return text
}
