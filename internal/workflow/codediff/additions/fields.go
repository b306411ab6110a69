package additions

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/additions/unread"
	"codeintel/internal/workflow/codediff/weakening"
)

const (
	gives   = `=[^=>]|(?:[-+*/%|&^]|\*\*|<<|>>|\?\?|\|\||&&|//)=|\+\+|--`
	element = `\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]`
)

var (
	// setsField finds what follows a field that gets a value, onlyLooks what only asks a collection.
	setsField = lazyregexp.MustCompile(`^\s*(?:` + gives + `|,|\]|\}\s*=[^=>])`)
	onlyLooks = lazyregexp.MustCompile(`^(?:\s*[!?]?\.(?:get|has|size|length|keys|values|entries` +
		`|items|includes|indexOf|find|some|every|at|count)\b|` + element + `|\s*\)?\s*[:{]|\s+(?:if|else|and|or|is)\b)`)
	// setsElement finds what follows a collection of which an element gets a value.
	setsElement = lazyregexp.MustCompile(`^` + element + `\s*(?:` + gives + `)`)
	changes     = lazyregexp.MustCompile(`(?:\+\+|--|\b(?:delete|as|for)\s+|\bfor\s*\(|[\[,{]\s*)$`)
	anyField    = lazyregexp.MustCompile(`Object\.assign\(this|setattr(?:__)?\(|__dict__|\bvars\(|\b(?:this|self)\[`)
)

// neverChanged lists the fields that a change adds with nothing in them, and that are read and never given
// anything.
func neverChanged(c *weakening.File, had map[string]bool, rest unread.Project) (all []weakening.Finding) {
	is := c.Now.Spec.Comparing.OwnFields
	if is == nil {
		return nil
	}
	text := string(c.Now.WithoutComments())
	if anyField.MatchString(text) {
		return nil
	}
	for _, m := range is.FindAllStringSubmatch(text, -1) {
		name, value := m[1], m[2]
		if had[name] || had[name[1:]] || !readOnly(text, name, value) || namedElsewhere(name, c.Path, rest) {
			continue
		}
		all = append(all, weakening.Finding{File: c.Path, Test: name, How: weakening.NeverChanged})
	}
	return all
}

// readOnly reports whether a text reads a field, and never gives it, or puts into it, anything but what it
// begins as.
func readOnly(text, name, value string) bool {
	collection := value[0] == '[' || value[0] == '{' || value[len(value)-1] == ')'
	reads, declared := 0, 0
	pieces := strings.Split(text, "."+name)
	for i, piece := range pieces[1:] {
		before, after := pieces[i][max(0, len(pieces[i])-40):], (piece + "." + name)[:min(len(piece)+1, 60)]
		if wordGoesOn.MatchString(after) {
			continue
		}
		if ownObject.MatchString(before) {
			before = ownObject.ReplaceAllString(before, "")
		}
		switch {
		case setsField.MatchString(after) || typedField.MatchString(after):
			declared++
		case changes.MatchString(before),
			collection && (!onlyLooks.MatchString(after) || setsElement.MatchString(after)):
			return false
		default:
			reads++
		}
	}
	if name[0] != '#' {
		declared-- // where it begins
	}
	return reads > 0 && declared == 0
}

var (
	ownObject  = lazyregexp.MustCompile(`\b(?:this|self)$`)
	wordGoesOn = lazyregexp.MustCompile(`^\w`)
	typedField = lazyregexp.MustCompile(`^\s*:[^=\n]+=[^=]`)
)

// namedElsewhere reports whether another file of the project may change a field, or that is not known.
func namedElsewhere(name, file string, rest unread.Project) bool {
	if name[0] == '#' {
		return false
	}
	if rest.Containing == nil {
		return true
	}
	texts, ok := rest.Containing([]string{name})
	delete(texts, file)
	return !ok || len(texts) > 0
}
