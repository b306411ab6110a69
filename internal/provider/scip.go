package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/files"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/provider/scip"
	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// unusableIndex is the code of a Problem with an index in SCIP format.
const unusableIndex problem.Code = "unusable_scip_index"

// Limits of all indexes of a project together.
const (
	maxIndexBytes  = 512 << 20 // of their files
	maxIndexMemory = 192 << 20 // bytes that they take, once read
)

// An indexCache holds the indexes of one project, and counts what they take.
type indexCache struct {
	mu     sync.Mutex // held by who asks one of them
	bytes  int64
	memory int
}

// A scipIndex is a file in SCIP format. It was written for the files as they were
// then, so each document is checked against the text of now before it is believed.
type scipIndex struct {
	p    *project.Project
	path string // relative to the project

	*indexCache
	size      int64 // counted on the shelf
	modified  time.Time
	x         *scip.Index // nil if there is none that can be read
	broken    error       // why it cannot be read
	documents map[string]*document
}

// A document is a file of the index, and its text.
type document struct {
	*scip.Document
	file string // relative to the project

	hash string       // of the text that was compared last
	fits bool         // every occurrence is where a name is
	text columnFinder // while the document is looked at
}

// exists reports whether there is a file to read.
func (s *scipIndex) exists() bool {
	rel, err := s.p.Resolve(s.path)
	if err != nil {
		return false
	}
	_, err = os.Lstat(s.p.Abs(rel))
	return err == nil
}

// load reads the index if it is another one than was read last. No file is no
// error: x is nil then.
func (s *scipIndex) load() error {
	rel, err := s.p.Resolve(s.path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(s.p.Abs(rel))
	if err == nil && (s.x != nil || s.broken != nil) && info.Size() == s.size && info.ModTime().Equal(s.modified) {
		return s.broken
	}
	s.drop()
	switch {
	case err != nil:
		return nil
	case !info.Mode().IsRegular(), s.bytes+info.Size() > maxIndexBytes:
		return problem.New(unusableIndex, "provider.index_no_file_or_too_large", s.path, maxIndexBytes>>20).
			Or("provider.write_index_anew", s.path)
	}
	s.size, s.modified = info.Size(), info.ModTime()
	s.bytes += s.size
	f, _, err := repofile.In(s.p.Root, rel).Open()
	if err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	defer f.Close()
	x, err := scip.Read(io.LimitReader(f, s.size), maxIndexMemory-s.memory)
	if err != nil {
		s.broken = problem.New(unusableIndex, "provider.index_cannot_be_read", s.path, err).
			Or("provider.write_index_anew", s.path)
		return s.broken
	}
	s.x = x
	s.memory += x.Held
	s.documents = make(map[string]*document, len(x.Documents))
	below := s.below()
	for i := range x.Documents {
		file := path.Join(below, x.Documents[i].Path)
		if filepath.IsLocal(filepath.FromSlash(file)) {
			s.documents[file] = &document{Document: &x.Documents[i], file: file}
		}
	}
	return nil
}

// drop lets go of the index, so that it counts no more.
func (s *scipIndex) drop() {
	s.bytes -= s.size
	if s.x != nil {
		s.memory -= s.x.Held
	}
	s.x, s.documents, s.broken, s.size = nil, nil, nil, 0
}

// below returns the folder of the project that the paths of the index begin from:
// the one that was indexed, if that is in the project, else the one the index is in.
func (s *scipIndex) below() string {
	if rel, err := filepath.Rel(s.p.Root, s.x.Root); s.x.Root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path.Dir(s.path)
}

// Uses implements [Provider].
func (s *scipIndex) Uses(ctx context.Context, q Question) (*Exact, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil || s.x == nil {
		return nil, err
	}
	x := newExact()
	var asked []scip.Symbol
	for _, t := range q.Targets {
		if symbol, ok := s.symbolAt(t); ok {
			asked = append(asked, symbol)
			x.Asked++
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	family := s.x.Family(asked...)
	holding := make(map[string]bool, len(q.Holding))
	for _, f := range q.Holding {
		holding[f] = true
	}
	for f := range q.Files { // what else the index names is none of the project
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := s.documents[f.Path]
		if d == nil || !holding[f.Path] && !d.hasAny(family) {
			continue
		}
		var err error
		if s.current(d) {
			x.Files[f.Path] = true
			err = d.uses(q.Name, family, x)
		}
		d.text = columnFinder{}
		if err != nil {
			return nil, problem.New(unusableIndex, "provider.index_cannot_be_read", s.path, err).
				Or("provider.write_index_anew", s.path)
		}
	}
	return x, nil
}

// Stop implements [Provider]. It lets go of the index.
func (s *scipIndex) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// symbolAt returns the symbol that is at a place.
func (s *scipIndex) symbolAt(t resolve.Position) (scip.Symbol, bool) {
	d := s.documents[t.File]
	if d == nil {
		return 0, false
	}
	defer func() { d.text = columnFinder{} }()
	if !s.current(d) {
		return 0, false
	}
	found, ok := scip.Symbol(0), false
	for i := range d.Occurrences {
		o := &d.Occurrences[i]
		if int(o.Line) != t.Line-1 {
			continue
		}
		start, end, in := d.columns(o)
		if in && start <= t.Column-1 && t.Column-1 < end && (!ok || o.Definition) {
			found, ok = o.Symbol, true
		}
	}
	return found, ok
}

// hasAny reports whether a symbol of the family occurs in the document.
func (d *document) hasAny(family map[scip.Symbol]bool) bool {
	for i := range d.Occurrences {
		if _, ok := family[d.Occurrences[i].Symbol]; ok {
			return true
		}
	}
	return false
}

// uses adds the places of a family, and those where the name means something else.
func (d *document) uses(name string, family map[scip.Symbol]bool, to *Exact) error {
	for i := range d.Occurrences {
		o := &d.Occurrences[i]
		same, related := family[o.Symbol]
		start, end, in := d.columns(o)
		if !in || start == end {
			continue
		}
		u := resolve.Reference{
			Position: resolve.Position{File: d.file, Line: int(o.Line) + 1, Column: start + 1},
			Name:     strings.Clone(d.text.lines[o.Line][start:end]), Relation: resolve.Other, Declares: o.Definition,
		}
		switch {
		case same:
			u.Relation = resolve.Same
		case related:
			u.Relation = resolve.Related
		case u.Name != name:
			continue
		}
		if had, ok := to.Uses[u.Position]; ok && had.Relation != resolve.Other { // one place may stand for several symbols
			continue
		}
		if err := to.add(u); err != nil {
			return err
		}
	}
	return nil
}

// current reports whether the document was written for the text that is there now,
// and reads its lines.
func (s *scipIndex) current(d *document) bool {
	if d.text.lines != nil {
		return d.fits
	}
	t, err := files.Read(s.p, d.file)
	if err != nil {
		return false
	}
	d.text = columnFinder{lines: strings.Split(string(t.Bytes), "\n")}
	if d.hash == t.Hash {
		return d.fits
	}
	d.hash, d.fits = t.Hash, false
	encodings := []scip.Encoding{d.Encoding}
	if d.Encoding == scip.Unspecified || d.Encoding > scip.UTF32 {
		encodings = []scip.Encoding{scip.UTF16, scip.UTF8, scip.UTF32}
	}
	for _, d.Encoding = range encodings {
		if d.fits = d.namesStand(s.x); d.fits {
			break
		}
	}
	return d.fits
}

// namesStand reports whether every occurrence is a whole word of the text, and nearly
// every word that is declared has the name of its symbol.
func (d *document) namesStand(x *scip.Index) bool {
	declared, renamed := 0, 0
	for i := range d.Occurrences {
		o := &d.Occurrences[i]
		start, end, in := d.columns(o)
		if !in {
			return false
		}
		line := d.text.lines[o.Line]
		word := line[start:end]
		if word == "" {
			continue // the file itself
		}
		before, _ := utf8.DecodeLastRuneInString(line[:start])
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		after, _ := utf8.DecodeRuneInString(line[end:])
		if inWord(before) && inWord(first) || inWord(last) && inWord(after) || unicode.IsSpace(first) ||
			unicode.IsSpace(last) {
			return false
		}
		if name := x.Name(o.Symbol); o.Definition && isWord(name) && isWord(word) {
			declared++
			if strings.TrimRight(name, "0123456789") != strings.TrimRight(word, "0123456789") { // name1 for a second name
				renamed++ // a constructor, a default export
			}
		}
	}
	return renamed*10 <= declared
}

// inWord reports whether a rune may be part of a name.
func inWord(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !inWord(r) }) < 0
}

// columns returns the bytes of its line that an occurrence covers. ok is false where
// the text has no such place.
func (d *document) columns(o *scip.Occurrence) (start, end int, ok bool) {
	start, ok = d.text.column(int(o.Line), int(o.Start), d.Encoding)
	if !ok {
		return 0, 0, false
	}
	end, ok = d.text.column(int(o.Line), int(o.End), d.Encoding)
	return start, end, ok
}

// A columnFinder finds the bytes at which columns of a text begin. It measures a line once, as long
// as no other line is asked about.
type columnFinder struct {
	lines []string
	of    int // the line that was measured, from 1
	in    scip.Encoding
	begin []int32 // the byte of each column, -1 within a character; nil: columns are bytes
}

// column returns the byte at which a column of a line begins, both from 0. ok is false where
// the text has no such place.
func (r *columnFinder) column(line, n int, in scip.Encoding) (at int, ok bool) {
	if line < 0 || line >= len(r.lines) || n < 0 {
		return 0, false
	}
	if r.of != line+1 || r.in != in {
		r.of, r.in, r.begin = line+1, in, columnsOf(r.lines[line], in)
	}
	switch {
	case r.begin == nil:
		return n, n <= len(r.lines[line])
	case n >= len(r.begin) || r.begin[n] < 0:
		return 0, false
	}
	return int(r.begin[n]), true
}

// columnsOf returns the byte at which each column of a line begins, and nil where columns are
// bytes.
func columnsOf(line string, in scip.Encoding) []int32 {
	if in == scip.UTF8 || text.IsASCII(line) {
		return nil
	}
	begin := make([]int32, 0, utf8.RuneCountInString(line)+1)
	for i, r := range line {
		begin = append(begin, int32(i))
		if in == scip.UTF16 && r > 0xFFFF {
			begin = append(begin, -1)
		}
	}
	return append(begin, int32(len(line)))
}

// An IndexState says what an index in SCIP format is good for.
type IndexState struct {
	Path      string
	Tool      string // that wrote it
	Documents int
	Current   int // documents that were written for the text of now
}

// Indexes reads the indexes of a project, and compares each document with its text. The
// error says which of them cannot be read.
func Indexes(ctx context.Context, p *project.Project) (list []IndexState, err error) {
	o := Open(p)
	if !slices.ContainsFunc(o.indexes, (*scipIndex).exists) {
		return nil, nil
	}
	all, listErr := files.List(ctx, p)
	if listErr != nil {
		return nil, fmt.Errorf("provider: %w", listErr)
	}
	for _, s := range o.indexes {
		if broken := s.load(); broken != nil {
			err = errors.Join(err, broken)
		}
		if s.x == nil {
			continue
		}
		state := IndexState{Path: s.path, Tool: s.x.Tool, Documents: len(s.documents)}
		for _, f := range all {
			d := s.documents[f.Path]
			if d == nil {
				continue
			}
			if s.current(d) {
				state.Current++
			}
			d.text = columnFinder{}
		}
		list = append(list, state)
		s.drop()
	}
	return list, err
}
