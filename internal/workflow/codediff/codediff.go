// Package codediff judges a change to source files: which lines change what the program does, why the others do
// not, and which tests find less than before.
//
// Compare takes the texts of files before and after. Each side is read by package source (text and syntax tree),
// package noeffect marks what has no effect in it, and package tokens keeps the tokens that are left. This package
// aligns the tokens of the two sides into a verdict on each line; white space, comments, formatting, moved
// declarations and renamed locals change nothing. Packages testcase, weakening and additions judge the tests and
// what was added. What cannot be recognised in a language is listed in docs/design/limits.md.
package codediff

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/additions"
	"codeintel/internal/workflow/codediff/additions/unread"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/tokens"
	"codeintel/internal/workflow/codediff/uncompiled"
	"codeintel/internal/workflow/codediff/weakening"
)

// A File is one file of a change.
type File struct {
	Path    string
	OldPath string // of a renamed file
	Base    []byte // nil if it was not there
	New     []byte // nil if it is gone
	Test    bool   // it tests others, or helps to
}

// A Verdict says what some lines of a file do.
type Verdict struct {
	Lines    []int         // those that change the program, 1-based, also those where something was removed
	Why      reason.Reason // if there are none: why not
	Function string        // the function that is a Stub or Constant
}

// A Diff is a change to some files, compared.
type Diff struct{ files map[string]*compared }

// maxCompared is how long a text may be to be compared. Of a longer one every line
// counts as changed.
const maxCompared = 2 << 20

// Compare compares the files of a change. read returns another file of the project as
// it is now, or nil; it may be nil itself.
func Compare(files []File, read func(path string) []byte) *Diff {
	d := &Diff{files: make(map[string]*compared, len(files))}
	var all []*compared
	var plain []uncompiled.File
	for _, f := range files {
		plain = append(plain, uncompiled.File{Path: f.Path, OldPath: f.OldPath, Base: f.Base, New: f.New})
		c := &compared{File: f}
		d.files[f.Path] = c
		if f.New == nil && f.Base == nil {
			continue
		}
		c.lang = syntax.Detect(f.Path, f.New)
		if len(f.New) > maxCompared || len(f.Base) > maxCompared {
			c.unparsed = source.IsCode(c.lang)
			continue
		}
		c.now = readSide(c.lang, f.Path, f.New, f.Base)
		c.was = readSide(c.lang, f.Path, f.Base, nil)
		c.unparsed = c.now.Unparsed || c.was.Unparsed
		all = append(all, c)
	}
	out := uncompiled.Paths(plain, read)
	matched := source.Guard(func() { matchUnits(all) })
	for _, c := range all {
		if !matched || !source.Guard(func() { c.compare(); c.stubs() }) {
			c.now, c.unparsed = nil, source.IsCode(c.lang)
		}
		if out[c.Path] {
			c.leftOut = reason.LeftOut
		}
	}
	return d
}

// compared is a file of the change with the result of the comparison.
type compared struct {
	File
	lang     syntax.Language
	was, now *side
	changed  map[int]bool          // lines of the new text
	why      map[int]reason.Reason // of lines that do not count
	function map[int]string        // the function of a Stub or Constant
	leftOut  reason.Reason         // of the whole file
	unparsed bool                  // its syntax tree is not known, before or after
}

// Unread returns the files of code whose syntax tree could not be read or compared, sorted: what the rules
// find there is not all.
func (d *Diff) Unread() (files []string) {
	if d == nil {
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		if c := d.files[path]; c.unparsed && !bytes.Equal(c.Base, c.New) {
			files = append(files, path)
		}
	}
	return files
}

// found returns what rules find, each of which gets the findings of those before it, and the files that may
// contain tests and that a rule could not judge.
func (d *Diff) found(rules ...func(earlier []weakening.Finding) []weakening.Finding) (all []weakening.Finding) {
	if d == nil {
		return nil
	}
	for _, rule := range rules {
		var more []weakening.Finding
		if !source.Guard(func() { more = rule(all) }) {
			for _, c := range d.files {
				c.unparsed = source.IsCode(c.lang)
			}
		}
		all = append(all, more...)
	}
	for _, path := range d.Unread() {
		if c := d.files[path]; c.Test || mentionsTests.Match(c.Base) {
			all = append(all, weakening.Finding{File: path, Test: "", How: weakening.Unread})
		}
	}
	slices.SortStableFunc(all, func(a, b weakening.Finding) int { return strings.Compare(a.File, b.File) })
	return all
}

// mentionsTests finds the words that code with tests has, in files that contain both.
var mentionsTests = lazyregexp.MustCompile(`(?i)\btest|\bspec`)

// Known reports whether a file was compared.
func (d *Diff) Known(path string) bool {
	c := d.files[path]
	return c != nil && c.now != nil
}

// Lines says what the lines from start to end of a file do. A file that was not
// compared changes everything.
func (d *Diff) Lines(path string, start, end int) Verdict {
	c := d.files[path]
	if c == nil || c.now == nil {
		return Verdict{Lines: []int{start}}
	}
	var v Verdict
	worst := len(reason.BySeverity)
	for n := start; n <= min(end, c.now.Lines+1); n++ {
		switch {
		case c.leftOut == "" && c.changed[n]:
			v.Lines = append(v.Lines, n)
			continue
		}
		why := c.leftOut
		if why == "" {
			why = c.whyNot(n)
		}
		if i := slices.Index(reason.BySeverity, why); i < worst {
			worst, v.Why, v.Function = i, why, c.function[n]
		}
	}
	if len(v.Lines) > 0 {
		v.Why, v.Function = "", ""
	}
	return v
}

// Live reports whether any of the lines has code that can run, changed or not.
func (d *Diff) Live(path string, text []byte, start, end int) bool {
	c := d.files[path]
	var s *side
	if c != nil {
		s = c.now
	} else if l := syntax.Detect(path, text); source.IsCode(l) && len(text) <= maxCompared {
		s = readSide(l, path, text, nil)
	}
	return s == nil || slices.ContainsFunc(s.Tokens, func(t tokens.Token) bool { return t.Line >= start && t.Line <= end && !t.IsBorder })
}

func (c *compared) whyNot(line int) reason.Reason {
	if w := c.why[line]; w != "" {
		return w
	}
	if w := c.now.ReasonOf(line); w != "" {
		return w
	}
	if c.now.IsBlank(line) {
		return reason.Blank
	}
	return reason.Format
}

// WeakenedFor is Weakened, with what the change adds and nothing in it, or in the rest of the project, uses,
// unless the request or its plan asks for it.
func (d *Diff) WeakenedFor(request, plan string, rest unread.Project) []weakening.Finding {
	if d == nil {
		return nil
	}
	change := d.change()
	return d.found(
		func([]weakening.Finding) []weakening.Finding { return change.Find() },
		func([]weakening.Finding) []weakening.Finding {
			return additions.UnusedNames(change, request, plan, rest)
		},
		func(earlier []weakening.Finding) []weakening.Finding {
			return additions.UnreadNames(change, request+"\n"+plan, rest, earlier)
		},
		func([]weakening.Finding) []weakening.Finding { return additions.Silencers(change, request) },
		func([]weakening.Finding) []weakening.Finding { return additions.Mistakes(change) },
		func([]weakening.Finding) []weakening.Finding { return additions.StillThere(change, request) },
	)
}

// Weakened lists the tests that can find less than before, and the functions outside of tests that
// check less, sorted by file and name.
func (d *Diff) Weakened() []weakening.Finding {
	return d.found(func([]weakening.Finding) []weakening.Finding { return d.change().Find() })
}

// A side is the text of a file, before or after, with its declarations.
type side struct {
	*tokens.Text
	units []*unit
}

// readSide reads one text of a file; base is the one before it, nil if there is none.
func readSide(lang syntax.Language, file string, src, base []byte) *side {
	s := &side{Text: tokens.Read(lang, file, src, base)}
	if s.Tree != nil && !source.Guard(s.findUnits) {
		s.units = nil
		s.WithoutTree()
	}
	return s
}

// tests returns a text with the tests in it, nil for none.
func (s *side) tests() *testcase.File {
	if s == nil {
		return nil
	}
	return testcase.NewFile(s.Text)
}

// change returns the change as package weakening reads it.
func (d *Diff) change() *weakening.Change {
	files := make(map[string]*weakening.File, len(d.files))
	for path, c := range d.files {
		files[path] = &weakening.File{Path: c.Path, OldPath: c.OldPath, Base: c.Base, New: c.New, Test: c.Test, Lang: c.lang,
			Was: c.was.tests(), Now: c.now.tests(), Changed: c.changed, Why: c.why, LeftOut: c.leftOut != ""}
	}
	return &weakening.Change{Files: files}
}

// TestsApart returns the files with tests that are new or say something else, sorted. There are none if
// no code changed that is no test, or if tests that changed are in the file of the code they test.
func (d *Diff) TestsApart() []string { return d.change().TestsApart() }
