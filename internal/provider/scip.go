package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
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

// mostIndexBytes bounds how large an index may be.
const mostIndexBytes = 512 << 20

// A scipIndex is a file in SCIP format. It was written for the files as they were
// then, so each document is held against the text of now before it is believed.
type scipIndex struct {
	p    *project.Project
	path string // relative to the project

	mu        sync.Mutex
	size      int64
	modified  time.Time
	x         *scip.Index // nil if there is none that can be read
	broken    error       // why it cannot be read
	documents map[string]*document
}

// A document is a file of the index, and its text.
type document struct {
	*scip.Document
	file string // relative to the project

	hash  string   // of the text that was compared last
	fits  bool     // every occurrence stands where a name is
	lines []string // of the text, during a question
}

// there reports whether there is a file to read.
func (s *scipIndex) there() bool {
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
	switch {
	case err != nil:
		s.x, s.documents = nil, nil
		return nil
	case !info.Mode().IsRegular(), info.Size() > mostIndexBytes:
		s.x, s.documents = nil, nil
		return problem.New(unusableIndex, "provider.index_no_file_or_too_large", s.path, mostIndexBytes>>20)
	case (s.x != nil || s.broken != nil) && info.Size() == s.size && info.ModTime().Equal(s.modified):
		return s.broken
	}
	s.x, s.documents, s.broken = nil, nil, nil
	s.size, s.modified = info.Size(), info.ModTime()
	f, _, err := repofile.In(s.p.Root, rel).Open()
	if err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	defer f.Close()
	x, err := scip.Read(io.LimitReader(f, mostIndexBytes))
	if err != nil {
		s.broken = problem.New(unusableIndex, "provider.index_cannot_be_read", s.path, err).
			Or("provider.write_index_anew", s.path)
		return s.broken
	}
	s.x = x
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
	defer func() { // the next question finds other texts, however this one ends
		for _, d := range s.documents {
			d.lines = nil
		}
	}()
	x := &Exact{Uses: map[resolve.Position]resolve.Reference{}, Files: map[string]bool{}}
	var asked []scip.Symbol
	for _, t := range q.Targets {
		if symbol, ok := s.at(t); ok {
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
	for file, d := range s.documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if (holding[file] || d.hasAny(family)) && s.current(d) {
			x.Files[file] = true
			d.uses(q.Name, family, x.Uses)
		}
	}
	return x, nil
}

// Stop implements [Provider]. It lets go of the index.
func (s *scipIndex) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.x, s.documents = nil, nil
}

// at returns the symbol that stands at a place.
func (s *scipIndex) at(t resolve.Position) (scip.Symbol, bool) {
	d := s.documents[t.File]
	if d == nil || !s.current(d) {
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

// hasAny reports whether a symbol of the family stands in the document.
func (d *document) hasAny(family map[scip.Symbol]bool) bool {
	for i := range d.Occurrences {
		if _, ok := family[d.Occurrences[i].Symbol]; ok {
			return true
		}
	}
	return false
}

// uses adds the places of a family, and those where the name means something else.
func (d *document) uses(name string, family map[scip.Symbol]bool, to map[resolve.Position]resolve.Reference) {
	for i := range d.Occurrences {
		o := &d.Occurrences[i]
		same, related := family[o.Symbol]
		start, end, in := d.columns(o)
		if !in || start == end {
			continue
		}
		u := resolve.Reference{
			Position: resolve.Position{File: d.file, Line: int(o.Line) + 1, Column: start + 1},
			Name:     d.lines[o.Line][start:end], Relation: resolve.Other, Declares: o.Definition,
		}
		switch {
		case same:
			u.Relation = resolve.Same
		case related:
			u.Relation = resolve.Related
		case u.Name != name:
			continue
		}
		if had, ok := to[u.Position]; !ok || had.Relation == resolve.Other { // one place may stand for several symbols
			to[u.Position] = u
		}
	}
}

// current reports whether the document was written for the text that is there now,
// and reads its lines.
func (s *scipIndex) current(d *document) bool {
	if d.lines != nil {
		return d.fits
	}
	t, err := files.Read(s.p, d.file)
	if err != nil {
		return false
	}
	d.lines = strings.Split(string(t.Bytes), "\n")
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
		line := d.lines[o.Line]
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
	if int(o.Line) >= len(d.lines) {
		return 0, 0, false
	}
	line := d.lines[o.Line]
	start, ok = column(line, int(o.Start), d.Encoding)
	if !ok {
		return 0, 0, false
	}
	end, ok = column(line, int(o.End), d.Encoding)
	return start, end, ok
}

// column returns the byte at which a column of a line begins.
func column(line string, n int, in scip.Encoding) (int, bool) {
	if in == scip.UTF8 || text.IsASCII(line) {
		return n, 0 <= n && n <= len(line)
	}
	for i, r := range line {
		switch {
		case n == 0:
			return i, true
		case n < 0: // within a character
			return 0, false
		case in == scip.UTF16:
			n -= utf16.RuneLen(r)
		default:
			n--
		}
	}
	return len(line), n == 0
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
func Indexes(p *project.Project) (list []IndexState, err error) {
	for _, file := range p.Config.SCIP {
		s := &scipIndex{p: p, path: file}
		if broken := s.load(); broken != nil {
			err = errors.Join(err, broken)
		}
		if s.x == nil {
			continue
		}
		state := IndexState{Path: file, Tool: s.x.Tool, Documents: len(s.documents)}
		for _, d := range s.documents {
			if s.current(d) {
				state.Current++
			}
			d.lines = nil
		}
		list = append(list, state)
	}
	return list, err
}
