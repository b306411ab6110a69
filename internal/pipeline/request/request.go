// Package request parses the line that a person typed after /forge: options, and a task, an issue or a
// document.
//
// It splits the line into flags, a source and a text, and names what must be fetched from
// the source. Once that is there, it decides how much effort the work is, which kind of
// branch it needs, and what request.md contains. All of this follows from the words alone:
// the package reads no file, no clock and no network.
package request

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// A Request is one line after /forge, understood.
type Request struct {
	Flags     Flags
	Source    Source
	Text      string // what was typed, without the flags: core_text
	Workspace string // ".specs/<name>", if the source is a workspace
	Goes      string // what is to be done in a workspace that has ended; Text begins with its path then
}

// Options are what the project adds to the ways of asking.
type Options struct {
	GitHubHosts  []string // GitHub Enterprise hosts beside github.com
	StrangeHosts []string // those that nobody is to be asked at, because the project alone names them
	Phases       []string // what --until may name
}

// minimum is how many characters a text must have.
const minimum = 3

// Parse takes apart what was typed. It returns everything that is wrong with it;
// the request is of use only if nothing is.
func Parse(arguments string, o Options) (Request, []msg.Message) {
	var r Request
	typed := clean(arguments)
	if typed == "" {
		return r, []msg.Message{msg.New("request.input_is_empty")}
	}
	reader := flagReader{flags: &r.Flags, phases: o.Phases}
	r.Text = reader.read(typed)
	errs := reader.errs
	switch n := utf8.RuneCountInString(r.Text); {
	case n == 0 && len(errs) == 0:
		errs = append(errs, msg.New("request.only_flags"))
	case n > 0 && n < minimum:
		errs = append(errs, msg.New("request.input_too_short_minimum_characters", minimum))
	case n > 0:
		source, err := ParseSource(r.Text, o)
		if path, more := firstWord(r.Text); more != "" {
			if s, err := ParseSource(path, o); err == nil && s.Type == Workspace {
				source, r.Goes = s, more
			}
		}
		if err != nil {
			errs = append(errs, msg.Join("", err))
		}
		r.Source = source
		if source.Type == Workspace {
			r.Workspace = source.ID
			r.Source.ID = ""
		}
	}
	return r, errs
}

// Plain is the same request as a text that names no workspace.
func (r Request) Plain() Request {
	r.Source, r.Workspace, r.Goes = Source{Type: Text}, "", ""
	return r
}

// Reopening is the request to do more in a workspace that has ended.
func (r Request) Reopening() Request {
	r.Source.URL, r.Text, r.Workspace, r.Goes = r.Workspace, r.Goes, "", ""
	return r
}

// specName is the name that a request has until somebody confirms a better one.
func (r Request) specName() string {
	switch {
	case r.Workspace != "":
		return strings.TrimPrefix(r.Workspace, specs)
	case r.Source.URL != "" && r.Source.Type != Workspace:
		return Slug(r.Source.URL)
	}
	return Slug(titleOf(r.Text))
}

// minTitle is how many bytes the slug of a first line has at least that names a text.
const minTitle = 12

// titleOf is the first line of a text, or the whole text if that line says little.
func titleOf(content string) string {
	if line, _, _ := strings.Cut(content, "\n"); len(slug(line, maxSlug)) >= minTitle {
		return line
	}
	return content
}

// clean makes text of bytes that a terminal or a model sent: valid UTF-8, lines
// that end in "\n", no control characters, no space around it.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r != '\n' && r != '\t' && unicode.IsControl(r), r == '\uFEFF':
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// firstWord cuts the first word off; s begins with it.
func firstWord(s string) (word, rest string) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeftFunc(s[i:], unicode.IsSpace)
}

// lastWord cuts the last word off; s ends with it.
func lastWord(s string) (rest, word string) {
	i := strings.LastIndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return "", s
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return strings.TrimRightFunc(s[:i], unicode.IsSpace), s[i+n:]
}

// nearest returns the name that is fewest edits away from word.
func nearest(word string, names []string) string {
	return slices.MinFunc(names, func(a, b string) int { return edits(word, a) - edits(word, b) })
}

// edits is how many characters must be put in, taken out, replaced, or swapped
// with the next to make b of a.
func edits(a, b string) int {
	p := text.NewPattern(text.Prefix(a, text.MaxCompared))
	p.Swaps = true
	return p.Distance(b, utf8.RuneCountInString(b), len(a)+len(b))
}

// BodyOf is what a request.md says below its head.
func BodyOf(file string) string {
	_, body, _ := strings.Cut(strings.TrimPrefix(file, "---\n"), "\n---\n")
	return body
}
