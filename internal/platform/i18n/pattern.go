package i18n

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A pattern is a format turned round: it finds in a text what the verbs were
// given. texts has one more than verbs: what stands before, between and behind
// them.
type pattern struct {
	texts []string
	verbs []string // "s", "d", ".1f": what stands behind the percent sign
}

// compile reads a format of package fmt: plain verbs, %% and widths.
func compile(format string) (p pattern, err error) {
	text := ""
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text += format[i : i+1]
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		if end == len(format) {
			return p, fmt.Errorf("%q ends within a verb", format)
		}
		switch format[end] {
		case '%':
			text += "%"
		case 's', 'v', 'd', 'q', 'f':
			p.texts, p.verbs = append(p.texts, text), append(p.verbs, format[i+1:end+1])
			text = ""
		default:
			return p, fmt.Errorf("%q has a verb that is not known here", format)
		}
		i = end
	}
	p.texts = append(p.texts, text)
	return p, nil
}

// weight is how much of the pattern is text.
func (p pattern) weight() (n int) {
	for _, t := range p.texts {
		n += len(t)
	}
	return n
}

// tries is how many places for the texts of a pattern are tried at most.
const tries = 64

// match returns what the verbs stand for in s, if the pattern fits all of it.
// Where it fits in several ways, the first verbs take the least.
func (p pattern) match(s string) ([]string, bool) {
	last := len(p.texts) - 1
	if len(p.verbs) == 0 {
		return nil, s == p.texts[0]
	}
	if len(s) < len(p.texts[0])+len(p.texts[last]) || !strings.HasPrefix(s, p.texts[0]) || !strings.HasSuffix(s, p.texts[last]) {
		return nil, false
	}
	found := make([]string, len(p.verbs))
	left := tries
	if !p.fit(s[len(p.texts[0]):], 0, found, &left) {
		return nil, false
	}
	return found, true
}

// fit finds verb i and the rest of the pattern in s.
func (p pattern) fit(s string, i int, found []string, left *int) bool {
	text, end := p.texts[i+1], i == len(p.verbs)-1
	for at := 0; *left > 0; at++ {
		*left--
		switch {
		case end:
			at = len(s) - len(text)
		case text == "":
			at = p.reach(s, i)
		default:
			next := strings.Index(s[min(at, len(s)):], text)
			if next < 0 || at > len(s) {
				return false
			}
			at += next
		}
		if at < 0 {
			return false
		}
		if stands(p.verbs[i], s[:at]) && strings.HasPrefix(s[at:], text) {
			if found[i] = s[:at]; end || p.fit(s[at+len(text):], i+1, found, left) {
				return true
			}
		}
		if end || text == "" {
			return false
		}
	}
	return false
}

// reach says where verb i ends if no text stands behind it: a quotation or a
// number ends by itself, and anything else takes nothing.
func (p pattern) reach(s string, i int) int {
	switch p.verbs[i] {
	case "q":
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			return -1
		}
		return len(q)
	case "d":
		return len(s) - len(strings.TrimLeft(s, "0123456789"))
	}
	return 0
}

// stands reports whether the verb can have made the text.
func stands(verb, text string) bool {
	switch verb[len(verb)-1] {
	case 'q':
		q, err := strconv.QuotedPrefix(text)
		return err == nil && len(q) == len(text)
	case 'd', 'f':
		return text != "" && strings.Trim(text, "-.0123456789 ") == ""
	}
	return true
}

// An index finds entries by the first byte of what they begin with; those that
// begin with a verb by the last byte of what they end with, 0 if that is a verb.
type index struct{ heads, tails [256][]*entry }

func (x *index) add(e *entry) {
	first, last := e.pattern.texts[0], e.pattern.texts[len(e.pattern.texts)-1]
	switch {
	case first != "":
		x.heads[first[0]] = append(x.heads[first[0]], e)
	case last != "":
		x.tails[last[len(last)-1]] = append(x.tails[last[len(last)-1]], e)
	default:
		x.tails[0] = append(x.tails[0], e)
	}
}

func (x *index) sort() {
	for i := range x.heads {
		slices.SortStableFunc(x.heads[i], particular)
		slices.SortStableFunc(x.tails[i], particular)
	}
}

// particular orders entries, those with more text first.
func particular(a, b *entry) int { return b.pattern.weight() - a.pattern.weight() }

// find returns the most particular entry that fits s, and what its verbs stand
// for; nil if none does.
func (x *index) find(s string) (*entry, []string) {
	if s == "" {
		return nil, nil
	}
	for _, list := range [][]*entry{x.heads[s[0]], x.tails[s[len(s)-1]], x.tails[0]} {
		for _, e := range list {
			if found, ok := e.pattern.match(s); ok {
				return e, found
			}
		}
	}
	return nil, nil
}
