// Package i18n says in another language what the server says in English.
//
// Rooms speak English, where they refuse, warn and report. A catalog knows what
// they say by its formats, the very literals of their sources, and says it again
// by the format of another language. So no room but the last before the reader
// knows of languages, and what has no entry, or comes from a user, a file or a
// program, stays as it is, byte for byte.
package i18n

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"codeintel/internal/platform/msg"
)

// The entries of a language are in the files of a folder, an entry in two lines:
//
//	The session works on branch %s, but the repository is on %s.
//		セッションは … %[1]s … %[2]m …
//
// The first is the English format. The second, behind a tab, has for each verb
// its number: %[1]s puts what was there as it was, %[1]m says it in the language
// too, as a message or a list of messages. An English line with ~ before it is
// only a part of others: it is looked for in place of an m, never alone. One with
// + before it is an end that others may have. One with = before all that is no
// literal of the sources, but what they make of several. \n, \t, \s (a blank at
// an end) and \\ stand for themselves; a line with # is a remark.
//
//go:embed ja/*.txt
var files embed.FS

// A Catalog is a language. The nil Catalog is English. It never changes, so that
// any number of goroutines may use it.
type Catalog struct {
	whole, parts index
	ends         []*entry // the most particular first
	exact        map[string]*entry
}

type entry struct {
	english string
	made    bool // of several literals
	pattern pattern
	say     []piece
}

// A piece is text, or what stands at a verb.
type piece struct {
	text  string
	verb  int // index into what the pattern found; -1: text
	again bool
}

var japanese = sync.OnceValue(func() *Catalog {
	c, err := load("ja")
	if err != nil {
		panic(err) // the files are part of the program, and a test reads them
	}
	return c
})

// In returns the catalog of a language as config.json names it: nil, which is
// English, if there is none.
func In(lang string) *Catalog {
	if lang == "ja" {
		return japanese()
	}
	return nil
}

func load(lang string) (*Catalog, error) {
	dir, err := files.ReadDir(lang)
	if err != nil {
		return nil, err
	}
	c := &Catalog{exact: make(map[string]*entry)}
	for _, f := range dir {
		data, err := files.ReadFile(path.Join(lang, f.Name()))
		if err != nil {
			return nil, err
		}
		if err := c.read(string(data)); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", lang, f.Name(), err)
		}
	}
	c.whole.sort()
	c.parts.sort()
	slices.SortStableFunc(c.ends, particular)
	return c, nil
}

var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\s`, " ", `\\`, `\`)

func (c *Catalog) read(text string) error {
	english := ""
	for n, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
		case line[0] != '\t' && english == "":
			english = line
		case line[0] != '\t' || english == "":
			return fmt.Errorf("line %d: an English line and one behind a tab take turns", n+1)
		default:
			if err := c.add(english, unescape.Replace(line[1:])); err != nil {
				return fmt.Errorf("line %d: %w", n+1, err)
			}
			english = ""
		}
	}
	if english != "" {
		return fmt.Errorf("%q has no second line", english)
	}
	return nil
}

func (c *Catalog) add(english, other string) error {
	add := c.whole.add
	english, made := strings.CutPrefix(english, "=")
	switch english[0] {
	case '~':
		add, english = c.parts.add, english[1:]
	case '+':
		english = english[1:]
		add = func(e *entry) { c.ends = append(c.ends, e) }
	}
	e := &entry{english: unescape.Replace(english), made: made}
	if c.exact[e.english] != nil {
		return fmt.Errorf("%q is there twice", e.english)
	}
	var err error
	if e.pattern, err = compile(e.english); err != nil {
		return err
	}
	if e.say, err = parse(other, len(e.pattern.verbs)); err != nil {
		return fmt.Errorf("%q: %w", e.english, err)
	}
	c.exact[e.english] = e
	add(e)
	return nil
}

// parse reads a format with numbered verbs. Each of the n verbs must be used.
func parse(format string, n int) (say []piece, err error) {
	used := make([]bool, n)
	for {
		text, rest, more := strings.Cut(format, "%[")
		if text != "" {
			say = append(say, piece{text: text, verb: -1})
		}
		if !more {
			break
		}
		number, rest, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(number)
		if err != nil || i < 1 || i > n || rest == "" || rest[0] != 's' && rest[0] != 'm' {
			return nil, fmt.Errorf("%%[%s] is no verb of it", number)
		}
		say = append(say, piece{verb: i - 1, again: rest[0] == 'm'})
		used[i-1] = true
		format = rest[1:]
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("verb %d is left out", i+1)
	}
	return say, nil
}

// Format returns the format of the language for an English one, with the verbs
// that it has, to be given to fmt; the English one if there is no other.
func (c *Catalog) Format(english string) string {
	if c == nil || c.exact[english] == nil {
		return english
	}
	e := c.exact[english]
	var b strings.Builder
	for _, p := range e.say {
		if p.verb < 0 {
			b.WriteString(strings.ReplaceAll(p.text, "%", "%%"))
		} else {
			fmt.Fprintf(&b, "%%[%d]%s", p.verb+1, e.pattern.verbs[p.verb])
		}
	}
	return b.String()
}

// Say returns a message in the language; as it is if the catalog does not know
// it.
func (c *Catalog) Say(message string) string {
	if c == nil || message == "" {
		return message
	}
	said, _ := c.say(message, depth, false)
	return said
}

// Part returns in the language what is part of messages: what a catalog does not
// take for a message if it stands alone.
func (c *Catalog) Part(s string) string {
	if c == nil || s == "" {
		return s
	}
	said, _ := c.say(s, depth, true)
	return said
}

// Printer returns a printer of the language, which knows the messages without a key
// by their English.
func (c *Catalog) Printer() msg.Printer {
	if c == nil {
		return msg.Printer{}
	}
	return msg.Printer{Lang: msg.Japanese, Literal: c.Part}
}

// Text returns a message in the language.
func (c *Catalog) Text(m msg.Message) string {
	if s, literal := m.Literal(); literal {
		return c.Say(s)
	}
	return c.Printer().Text(m)
}

// Texts returns messages in the language.
func (c *Catalog) Texts(messages []msg.Message) []string {
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = c.Text(m)
	}
	return texts
}

// Says returns messages in the language, in a list of its own.
func (c *Catalog) Says(messages []string) []string {
	if c == nil {
		return messages
	}
	said := slices.Clone(messages)
	for i, m := range said {
		said[i] = c.Say(m)
	}
	return said
}

// How far a message is taken apart, how many members of a list are looked at, and
// how long a message: what is longer is output or a file.
const (
	depth   = 7
	most    = 50
	longest = 16 << 10
)

func (c *Catalog) say(s string, depth int, inner bool) (string, bool) {
	if depth == 0 || len(s) > longest {
		return s, false
	}
	if said, ok := c.sentences(s, depth); ok {
		return said, true
	}
	if inner {
		if said, ok := c.list(s, "; ", depth, len(s)); ok {
			return said, true
		}
	}
	if said, ok := c.ended(s, depth, inner); ok {
		return said, true
	}
	if e, found := c.whole.find(s); e != nil {
		return c.fill(e, found, depth), true
	}
	if inner {
		if e, found := c.parts.find(s); e != nil {
			return c.fill(e, found, depth), true
		}
	}
	if said, ok := c.coded(s, depth); ok {
		return said, true
	}
	if head, tail, more := strings.Cut(s, "\n\n"); more { // what a command printed
		if said, ok := c.say(head, depth-1, inner); ok {
			return said + "\n\n" + tail, true
		}
	}
	if inner {
		for _, by := range []string{"; ", "\n", ", ", " and "} {
			if said, ok := c.list(s, by, depth, 1); ok {
				return said, true
			}
		}
	}
	return s, false
}

// sentences says several messages that follow each other, as all that is wrong
// with several things; those behind the first begin with the thing.
func (c *Catalog) sentences(s string, depth int) (string, bool) {
	parts := split(s, ". ")
	if len(parts) < 2 {
		return s, false
	}
	for i, part := range parts {
		if i < len(parts)-1 {
			part += "."
		}
		e, found := c.whole.find(part)
		if e == nil || i > 0 && e.pattern.texts[0] != "" {
			return s, false
		}
		parts[i] = c.fill(e, found, depth)
	}
	return strings.Join(parts, " "), true
}

func (c *Catalog) fill(e *entry, found []string, depth int) string {
	var b strings.Builder
	for _, p := range e.say {
		switch {
		case p.verb < 0:
			b.WriteString(p.text)
		case p.again:
			said, _ := c.say(found[p.verb], depth-1, true)
			b.WriteString(said)
		default:
			b.WriteString(found[p.verb])
		}
	}
	return b.String()
}

// ended says a message that one of the ends was added to, the last one first.
func (c *Catalog) ended(s string, depth int, inner bool) (string, bool) {
	var last *entry
	var found []string
	at := 0
	for _, e := range c.ends {
		if i := strings.LastIndex(s, e.pattern.texts[0]); i > at {
			if f, ok := e.pattern.match(s[i:]); ok {
				last, found, at = e, f, i
			}
		}
	}
	if last == nil {
		return s, false
	}
	head, ok := c.say(s[:at], depth, inner)
	if !ok {
		return s, false
	}
	return head + c.fill(last, found, depth), true
}

// coded says a Problem that was put in one line, "code: message Next: … Or: …", or
// what is wrong with the arguments of a tool, behind its name.
func (c *Catalog) coded(s string, depth int) (string, bool) {
	code, rest, ok := strings.Cut(s, ": ")
	if !ok || code == "" || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return s, false
	}
	if wrong, ok := strings.CutSuffix(rest, "."); ok && (strings.Contains(rest, ": want ") || strings.HasPrefix(rest, "no such argument")) {
		if said, ok := c.list(wrong+"; ", "; ", depth, 1); ok { // the arguments of a tool
			return code + ": " + strings.TrimSuffix(said, "; ") + "。", true
		}
	}
	message, next, more := strings.Cut(rest, " Next: ")
	said, known := c.say(message, depth-1, false)
	said = code + ": " + said
	if more {
		steps := strings.Split(next, " Or: ")
		for i, step := range steps {
			var ok bool
			steps[i], ok = c.say(step, depth-1, false)
			known = known || ok
		}
		said += " 次: " + strings.Join(steps, " または: ")
	}
	if !known {
		return s, false
	}
	return said, true
}

// list says the members of a list, each for itself, if it knows so many of them or
// all.
func (c *Catalog) list(s, by string, depth, known int) (string, bool) {
	members := split(s, by)
	if len(members) < 2 || len(members) > most {
		return s, false
	}
	known = min(known, len(members))
	for i, m := range members {
		if said, ok := c.say(m, depth-1, true); ok {
			members[i] = said
			known--
		}
	}
	return strings.Join(members, by), known <= 0
}

// split cuts s at a separator that stands in no quotes.
func split(s, by string) (parts []string) {
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], by):
			parts = append(parts, s[start:i])
			i += len(by) - 1
			start = i + 1
		}
	}
	return append(parts, s[start:])
}
