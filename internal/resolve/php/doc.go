package php

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// A doc is what a comment says of types.
type doc struct {
	returns   string
	typ       string            // of @var
	params    map[string]string // by name, without sign
	members   []docMember
	bases     []string // of @extends, @implements, @mixin and @use, with arguments
	mixins    []string
	templates map[string]string // name -> bound, "" for none
}

// A docMember is a member that a comment gives to a class.
type docMember struct {
	kind kind
	name string
	typ  string
}

// readDoc reads a comment.
func readDoc(text string) *doc {
	if !strings.Contains(text, "@") {
		return nil
	}
	d := &doc{params: map[string]string{}, templates: map[string]string{}}
	for tag, rest := range docTags(text) {
		rest := text[rest:]
		typ, after := cutType(rest)
		switch tag {
		case "var":
			if d.typ == "" {
				d.typ = typ
			}
			if name := docVariable(after); name != "" {
				d.params[name] = typ
			}
		case "return":
			d.returns = typ
		case "param":
			if name := docVariable(after); name != "" {
				d.params[name] = typ
			}
		case "property", "property-read", "property-write":
			if name := docVariable(after); name != "" {
				d.members = append(d.members, docMember{aProperty, name, typ})
			}
		case "method":
			if m, ok := docMethod(rest); ok {
				d.members = append(d.members, m)
			}
		case "extends", "implements", "use", "template-extends", "template-implements":
			d.bases = append(d.bases, typ)
		case "mixin":
			d.mixins = append(d.mixins, typ)
		case "template", "template-covariant":
			bound := ""
			if word, more, _ := strings.Cut(strings.TrimSpace(after), " "); word == "of" {
				bound, _ = cutType(more)
			}
			d.templates[typ] = bound
		}
	}
	return d
}

// docTags yields the tags of a comment, and where their text begins. The names of
// checkers before a tag are left out.
func docTags(text string) func(yield func(string, int) bool) {
	return func(yield func(string, int) bool) {
		for i := 0; i < len(text); i++ {
			if text[i] != '@' || i > 0 && strings.IndexByte(" \t*\n", text[i-1]) < 0 {
				continue
			}
			end := i + 1
			for end < len(text) && (text[end] == '-' || wordByte(text[end])) {
				end++
			}
			tag := strings.ToLower(text[i+1 : end])
			for _, checker := range []string{"phpstan-", "psalm-"} {
				tag = strings.TrimPrefix(tag, checker)
			}
			if !yield(tag, end) {
				return
			}
			i = end - 1
		}
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// cutType takes the type that a text begins with, on one line unless brackets hold
// it together.
func cutType(text string) (typ, rest string) {
	text = strings.TrimLeft(text, " \t")
	deep := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '<', '(', '{', '[':
			deep++
		case '>', ')', '}', ']':
			deep--
		case ' ', '\t', '\r', '\n', '*':
			if c == '*' && i+1 < len(text) && text[i+1] == '/' {
				return text[:i], ""
			}
			if deep <= 0 && c != '*' && !continues(text[i:]) && (i == 0 || text[i-1] != '|') {
				return text[:i], text[i:]
			}
		}
		if deep < 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// continues reports whether a type goes on behind blanks: Foo | Bar.
func continues(text string) bool {
	text = strings.TrimLeft(text, " \t")
	return strings.HasPrefix(text, "|") || strings.HasPrefix(text, ": ")
}

// docVariable is the variable that a text begins with, without its sign.
func docVariable(text string) string {
	text = strings.TrimLeft(text, " \t&.")
	if !strings.HasPrefix(text, "$") {
		return ""
	}
	return wordOf(text[1:])
}

func wordOf(text string) string {
	end := 0
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	return text[:end]
}

// docMethod reads what follows @method: static, a type, a name and parameters.
func docMethod(text string) (m docMember, ok bool) {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if after, found := strings.CutPrefix(line, "static "); found && !strings.HasPrefix(strings.TrimSpace(after), "(") {
		if head, _, _ := strings.Cut(after, "("); strings.Contains(strings.TrimSpace(head), " ") {
			line = strings.TrimSpace(after)
		}
	}
	typ, rest := cutType(line)
	rest = strings.TrimSpace(rest)
	name := wordOf(rest)
	if name == "" || !strings.HasPrefix(strings.TrimSpace(rest[len(name):]), "(") {
		name, typ = wordOf(line), ""
		if name == "" || !strings.HasPrefix(line[len(name):], "(") {
			return m, false
		}
	}
	return docMember{aMethod, name, typ}, true
}

// naming are the tags that a type follows, and what is between.
var naming = func() map[string]*lazyregexp.Regexp {
	all := map[string]*lazyregexp.Regexp{
		"import-type": lazyregexp.MustCompile(`^[ \t]*\w+[ \t]+from\b`),
		"type":        lazyregexp.MustCompile(`^[ \t]*\w+[ \t]*=?`),
	}
	for tag := range strings.FieldsSeq(`var return param property property-read property-write method extends implements mixin throws
		see template-extends template-implements use param-out self-out this-out require-extends require-implements
		assert assert-if-true assert-if-false`) {
		all[tag] = nil
	}
	bounded := lazyregexp.MustCompile(`^[ \t]*\w+[ \t]+(?:of|as)\b`)
	for tag := range strings.FieldsSeq("template template-covariant template-contravariant") {
		all[tag] = bounded
	}
	return all
}()

// docNames yields the names of types in a comment, each the last part of what is
// written, those of the variables that have them and of the members that it links
// to, and how far in they are.
func docNames(text string) func(yield func(string, uint32) bool) {
	return func(yield func(string, uint32) bool) {
		for tag, at := range docTags(text) {
			before, named := naming[tag]
			if !named {
				continue
			}
			if before != nil {
				at += len(before.FindString(text[at:]))
			}
			at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t"))
			typ, rest := cutType(text[at:])
			if !typeNames(typ, func(word string, in int) bool { return yield(word, uint32(at+in)) }) {
				return
			}
			if name := docVariable(rest); name != "" && (tag == "param" || tag == "var") {
				in := len(typ) + strings.IndexByte(rest, '$') + 1
				if !yield(name, uint32(at+in)) {
					return
				}
			}
		}
	}
}

// typeNames yields the names in a type that is written in a comment, and reports
// whether to go on. Keys of arrays are none.
func typeNames(typ string, yield func(word string, in int) bool) bool {
	for i := 0; i < len(typ); i++ {
		if c := typ[i]; c == '\'' || c == '"' {
			end := strings.IndexByte(typ[i+1:], c)
			if end < 0 {
				return true
			}
			i += end + 1
			continue
		} else if c == '$' {
			i += len(wordOf(typ[i+1:]))
			continue
		} else if !wordByte(c) {
			continue
		}
		word := wordOf(typ[i:])
		rest := strings.TrimPrefix(typ[i+len(word):], "?")
		key := strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::")
		if !key && !strings.HasPrefix(rest, `\`) && !yield(word, i) {
			return false
		}
		i += len(word) - 1
	}
	return true
}
