package syntax

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/text"
)

// Parse reads src, which is UTF-8 (invalid bytes are tolerated), as lang. Bad
// code is not an error: what could be read is in the File, and File.Partial says
// why something is missing when a limit was reached or the language is
// unknown. The error is ours, never the source's.
//
// The strings of the File share one copy of src: clone what is kept for long.
func Parse(lang Language, src []byte) (*File, error) {
	return parseSafely(lang, src, new(File))
}

// A Parser is [Parse] with a memory, for many files. It is not for concurrent
// use; its zero value is ready.
type Parser struct{ file File }

// manyThings is from how many occurrences on the memory of a file is given up.
const manyThings = 1 << 17

// Parse is [Parse], but the File is good only until the next call.
func (p *Parser) Parse(lang Language, src []byte) (*File, error) {
	f := &p.file
	clear(f.Symbols) // their strings would keep the last source
	clear(f.Occurrences)
	clear(f.Imports)
	*f = File{Symbols: f.Symbols[:0], Occurrences: f.Occurrences[:0], Imports: f.Imports[:0], Blocks: f.Blocks[:0]}
	if cap(f.Occurrences) > manyThings {
		*f = File{}
	}
	return parseSafely(lang, src, f)
}

// parseSafely keeps a defect of ours from taking a server down because of one
// odd file.
func parseSafely(lang Language, src []byte, into *File) (f *File, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("syntax: %s: panic: %v", lang, r)
		}
	}()
	return parse(lang, src, into)
}

// parse reads src into f, which is empty, or into another File.
func parse(lang Language, src []byte, f *File) (*File, error) {
	f.Language = lang
	s := registered().languages[lang]
	if s == nil {
		f.Partial = "no grammar for this language"
		return f, nil
	}
	f, err := s.Parse(src, f, Parse)
	if err == nil {
		inOneLine(f)
		boundNames(f)
		boundScopes(f)
	}
	return f, err
}

// LongestName is how many characters of a name are kept; no person writes one of a tenth of it.
const LongestName = 1 << 10

// boundNames cuts names that nobody would write, and leaves out where they are used: what asks for a name, compares
// it or shows it repeats it, for each thing of a name that is declared in it.
func boundNames(f *File) {
	const why = "longer names than are kept"
	for i := range f.Occurrences {
		if o := &f.Occurrences[i]; len(o.Qualifier) > LongestName {
			o.Qualifier, f.Partial = "", why
		}
	}
	long := func(o Occurrence) bool { return len(o.Name) > LongestName }
	if kept := slices.DeleteFunc(f.Occurrences, long); len(kept) < len(f.Occurrences) {
		f.Occurrences, f.Partial = kept, why
	}
	for i := range f.Symbols {
		if s := &f.Symbols[i]; len(s.Name) > LongestName {
			s.Name, f.Partial = text.Clip(s.Name, LongestName), why
		}
		if s := &f.Symbols[i]; len(s.Scope) > 4*LongestName {
			s.Scope, f.Partial = "", why
		}
	}
}

// maxScopes is how many bytes of scopes are kept of a file; no file of a person has a tenth of it.
const maxScopes = 32 << 20

// boundScopes drops the scopes beyond what is kept: the index repeats the scope of each symbol.
func boundScopes(f *File) {
	total := 0
	for i := range f.Symbols {
		if total += len(f.Symbols[i].Scope); total > maxScopes {
			f.Symbols[i].Scope, f.Partial = "", "more and longer scopes than are kept"
		}
	}
}

// inOneLine takes the ends of lines out of names. Some languages allow them between quotes,
// and an answer in which a name goes on in a line of its own would look like more answers.
func inOneLine(f *File) {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.Name, s.Scope, s.Signature = oneLine(s.Name), oneLine(s.Scope), oneLine(s.Signature)
	}
	for i := range f.Occurrences {
		o := &f.Occurrences[i]
		o.Name, o.Qualifier = oneLine(o.Name), oneLine(o.Qualifier)
	}
	for i := range f.Imports {
		m := &f.Imports[i]
		m.Path, m.Alias = oneLine(m.Path), oneLine(m.Alias)
		for j, name := range m.Names {
			m.Names[j] = oneLine(name)
		}
	}
}

func oneLine(name string) string {
	if strings.IndexByte(name, '\n') < 0 && strings.IndexByte(name, '\r') < 0 {
		return name
	}
	return strings.Join(strings.Fields(name), " ")
}

// EmptyBodies returns the functions of src whose body has no effect beyond
// saying that it is not written: pass, "...", a TODO, an error that says so, or
// nothing at all. What an abstract method or an overload leaves out is none.
func EmptyBodies(lang Language, src []byte) []EmptyBody {
	s := registered().languages[lang]
	if s == nil || s.Rules == nil {
		return nil
	}
	return s.EmptyBodies(src)
}

// ReadCode returns the syntax tree of src, or nil if the language has no grammar or
// src is beyond the limits of a parse.
func ReadCode(lang Language, src []byte) *Code {
	s := registered().languages[lang]
	if s == nil {
		return nil
	}
	return s.ReadCode(src)
}
