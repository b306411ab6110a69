// Package quality measures how well search finds what it should: recall and ranking on fixed questions. It is
// for tests and benchmarks: nothing that ships imports it.
//
// It holds questions with the places that answer them, judged by reading the
// sources and not by what a search returned, asks them by the path that the
// product takes, and gives the figures of information retrieval. It promises that
// the same sources and questions give the same figures. It never changes the
// sources: they are copied before they are indexed.
package quality

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Kind says what form a question has.
type Kind string

// The kinds of questions.
const (
	Sentence   Kind = "sentence"   // a whole question in English
	Words      Kind = "words"      // a few English words
	Identifier Kind = "identifier" // a name, or a part of one
	Japanese   Kind = "japanese"   // a question in Japanese about English code
)

// kinds are all kinds, in the order of tables.
var kinds = []Kind{Sentence, Words, Identifier, Japanese}

// A Place is lines of a file that answer a question.
type Place struct {
	Path       string // relative to the root of the sources, with slashes
	Start, End int    // lines from 1, both included
}

// A Question is something to look for and where it is.
type Question struct {
	Sources  string // the name of the set of sources
	Kind     Kind
	Text     string
	Relevant []Place // not empty, sorted by no rule
}

// read reads questions about one set of sources. A question is a line "kind: text"
// followed by indented lines "path:start-end"; empty lines and those that begin
// with "#" count for nothing.
func read(sources string, r io.Reader) ([]Question, error) {
	var all []Question
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case line != strings.TrimLeft(line, " \t"):
			p, err := place(trimmed)
			if err != nil || len(all) == 0 {
				return nil, fmt.Errorf("quality: %s: line %d: %q is no place of a question", sources, n, trimmed)
			}
			q := &all[len(all)-1]
			q.Relevant = append(q.Relevant, p)
		default:
			kind, text, ok := strings.Cut(trimmed, ": ")
			if !ok || !slices.Contains(kinds, Kind(kind)) {
				return nil, fmt.Errorf("quality: %s: line %d: %q is no question", sources, n, trimmed)
			}
			all = append(all, Question{Sources: sources, Kind: Kind(kind), Text: text})
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("quality: %s: %w", sources, err)
	}
	for _, q := range all {
		if len(q.Relevant) == 0 {
			return nil, fmt.Errorf("quality: %s: %q has no place", sources, q.Text)
		}
	}
	return all, nil
}

func place(s string) (p Place, err error) {
	i := strings.LastIndex(s, ":")
	if i < 0 {
		return p, fmt.Errorf("quality: %q has no lines", s)
	}
	first, last, ok := strings.Cut(s[i+1:], "-")
	if !ok {
		last = first
	}
	p.Path = s[:i]
	if p.Start, err = strconv.Atoi(first); err != nil {
		return p, err
	}
	if p.End, err = strconv.Atoi(last); err != nil {
		return p, err
	}
	if p.Start < 1 || p.End < p.Start {
		return p, fmt.Errorf("quality: %q has no lines", s)
	}
	return p, nil
}

// Load reads every set under dir: questions/NAME.txt about corpora/NAME.
func Load(dir fs.FS) ([]Question, error) {
	names, err := fs.Glob(dir, "questions/*.txt")
	if err != nil {
		return nil, fmt.Errorf("quality: %w", err)
	}
	var all []Question
	for _, name := range names {
		f, err := dir.Open(name)
		if err != nil {
			return nil, fmt.Errorf("quality: %w", err)
		}
		some, err := read(strings.TrimSuffix(path.Base(name), ".txt"), f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
