// Package literals finds the places that contain what a question quotes word for word from the
// code: an option, an environment variable, a message. What each is worth is its share of the
// lines that contain it: 1 if no other place does.
package literals

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/search/textmatch"
	"codeintel/internal/text/question"
)

const (
	inFront     = 0.9 // from so much on a place comes first,
	behindFirst = 0.4 // and from so much on behind the best two
	maxPlaces   = 3   // of each
	wordsOfPart = 3   // of a message that is nowhere whole
	minPart     = 10  // characters of them
	maxParts    = 5
	maxOfPart   = 3 // places: what more hold are everyday words
)

// MostLines is how many lines with a text are looked at.
const MostLines = 200

// A Line is one that contains a text.
type Line struct {
	File string
	Line int
}

// Code is where places of a kind are looked for.
type Code[P any] struct {
	// Look returns the lines of code that each of some expressions matches, nil for one
	// that matches none.
	Look func(patterns []string) ([][]Line, error)
	// Around returns the place around a line, nil if there is none.
	Around func(l Line) (*P, error)
	// Same reports whether two places are the same.
	Same func(a, b *P) bool
}

// A Place contains what the question quotes.
type Place[P any] struct {
	At    P
	Worth float64
}

// Find returns the places that contain the quoted texts.
func (c Code[P]) Find(exact []question.Exact) (found []Place[P], err error) {
	patterns := make([]string, len(exact))
	for i, e := range exact {
		patterns[i] = pattern(e)
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	lines, err := c.Look(patterns)
	for i := 0; err == nil && i < len(exact); i++ {
		if lines[i] == nil && exact[i].Kind == question.Message {
			found, err = c.findByWords(found, exact[i].Text)
		} else {
			found, err = c.count(found, lines[i], MostLines)
		}
	}
	return found, err
}

// pattern returns an expression for the lines that hold an exact text. Code names an option
// as its language has it.
func pattern(e question.Exact) string {
	if e.Kind != question.Option {
		return Bounded(e.Text)
	}
	words := strings.FieldsFunc(e.Text, func(c rune) bool { return c == '-' || c == '_' })
	title := ""
	for _, w := range words {
		title += strings.ToUpper(w[:1]) + w[1:]
	}
	return `(?:--|["':.]|flag_)(?:` + strings.Join(words, "-") + "|" + strings.Join(words, "_") + "|" +
		words[0] + title[len(words[0]):] + "|" + title + `)(?:[^\w-]|$)`
}

// Bounded returns an expression for a text that begins and ends where words do.
func Bounded(text string) string {
	p := regexp.QuoteMeta(text)
	if isWordByte(text[0]) {
		p = `\b` + p
	}
	if isWordByte(text[len(text)-1]) {
		p += `\b`
	}
	return p
}

// isWordByte reports whether words have a character, as expressions take it.
func isWordByte(c byte) bool { return c < utf8.RuneSelf && textmatch.WordRune(rune(c)) }

// findByWords looks for a message by some of its words, for others may vary.
func (c Code[P]) findByWords(found []Place[P], message string) ([]Place[P], error) {
	words := strings.Fields(message)
	var patterns []string
	for i := 0; len(words) > wordsOfPart && i+wordsOfPart <= len(words) && len(patterns) < maxParts; i++ {
		if p := strings.Join(words[i:i+wordsOfPart], " "); len(p) >= minPart {
			patterns = append(patterns, Bounded(p))
		}
	}
	if patterns == nil {
		return found, nil
	}
	lines, err := c.Look(patterns)
	for i := 0; err == nil && i < len(lines); i++ {
		found, err = c.count(found, lines[i], maxOfPart)
	}
	return found, err
}

// count adds to the worth of the places around lines, unless there are more than so many.
func (c Code[P]) count(found []Place[P], lines []Line, most int) ([]Place[P], error) {
	var around []Place[P]
	all := 0.0
	for _, l := range lines {
		at, err := c.Around(l)
		if err != nil {
			return nil, err
		}
		if at != nil {
			around = c.addWeight(around, Place[P]{*at, 1})
			all++
		}
	}
	if len(around) > most {
		return found, nil
	}
	for _, p := range around {
		p.Worth /= all
		found = c.addWeight(found, p)
	}
	return found, nil
}

// addWeight adds a place to a list, or what it is worth to the same place there.
func (c Code[P]) addWeight(list []Place[P], p Place[P]) []Place[P] {
	for i := range list {
		if c.Same(&list[i].At, &p.At) {
			list[i].Worth += p.Worth
			return list
		}
	}
	return append(list, p)
}

// Merge puts the best places among those that a search found, best first, and says how many
// come before those. meets reports whether two places have lines in common, covers whether
// the first has all of the second. Where the search found little, more come first.
func Merge[P any](places []Place[P], found []P, weak bool, meets, covers func(a, b *P) bool) (all []P, front int) {
	rank := func(p *P) int {
		if i := slices.IndexFunc(found, func(o P) bool { return meets(p, &o) }); i >= 0 {
			return i
		}
		return len(found)
	}
	slices.SortStableFunc(places, func(a, b Place[P]) int {
		return cmp.Or(cmp.Compare(b.Worth, a.Worth), cmp.Compare(rank(&a.At), rank(&b.At)))
	})
	var first, later []P
	for _, p := range places {
		switch {
		case (p.Worth >= inFront || weak && p.Worth >= behindFirst) && len(first) < maxPlaces:
			first = append(first, p.At)
		case p.Worth >= behindFirst && len(later) < maxPlaces:
			later = append(later, p.At)
		}
	}
	others := slices.DeleteFunc(slices.Clone(found), func(o P) bool {
		known := func(p P) bool { return covers(&p, &o) }
		return slices.ContainsFunc(first, known) || slices.ContainsFunc(later, known)
	})
	n := min(len(others), 2)
	return slices.Concat(first, others[:n], later, others[n:]), len(first)
}
