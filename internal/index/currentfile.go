package index

import (
	"context"
	"encoding/hex"
	"fmt"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/syntax"
)

// File returns one file as it is on disk now, with its symbols in the order of the
// source: what the index says of it, or what it will say once it has read it. It waits
// for no other file to be read. A path that is not to be indexed is a Problem.
func (l *Look) File(ctx context.Context, path string) (info FileInfo, all []Symbol, err error) {
	err = l.file(ctx, path, func(i FileInfo, f *openFile) (err error) {
		info = i
		all, err = f.symbols(ctx)
		return err
	})
	return info, all, err
}

// file calls f with a file as it is on disk now. What f gets is valid only until it
// returns.
func (l *Look) file(ctx context.Context, path string, f func(FileInfo, *openFile) error) error {
	x := l.x
	e, ok := entryOf(l.Files.Entries, path)
	if !ok {
		return x.ask(ctx, func(s *snapshot) error { return s.notIndexed(path) })
	}
	if !e.Class.Indexed() {
		return NotIndexed(path, e.Class)
	}
	var before *attributes
	known := false
	err := x.ask(ctx, func(s *snapshot) error {
		r, found := s.find(path)
		if !found || s.notes.recipe != x.recipe && s.notes.recipe != "" {
			return nil
		}
		if s.differs(e, s.stat(r, path)) {
			at := s.attributes(r)
			before = &at
			return nil
		}
		known = true
		return s.withFile(r, f)
	})
	if err != nil || known {
		return err
	}
	rd := &reader{p: x.p, now: x.now, tagger: x.tagger}
	got, err := rd.read(ctx, *e, before)
	if err == nil && got.sameText {
		same := false
		err = x.ask(ctx, func(s *snapshot) error {
			r, found := s.find(path)
			if same = found && s.attributes(r).hash == got.at.hash; !same {
				return nil
			}
			return s.withFile(r, f)
		})
		if err != nil || same {
			return err
		}
		got, err = rd.read(ctx, *e, nil) // the index has another state by now
	}
	switch {
	case err != nil:
		return err
	case got.gone:
		return x.ask(ctx, func(s *snapshot) error { return s.notIndexed(path) })
	case got.skipped:
		return NotIndexed(path, files.Class(got.at.class))
	}
	return got.withFile(f)
}

// withFile calls f with a file of the index.
func (s *snapshot) withFile(r postings.Ref, f func(FileInfo, *openFile) error) error {
	info, err := s.info(r)
	if err != nil {
		return err
	}
	o, err := s.open(r)
	if err != nil {
		return err
	}
	return f(info, o)
}

// withFile calls f with a file that was read just now.
func (r *reading) withFile(f func(FileInfo, *openFile) error) error {
	o, err := decodeOutline(r.record.outline)
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	language := syntax.Language(r.at.language)
	info := FileInfo{Path: r.path, Language: language, Lines: o.lines,
		Hash: hex.EncodeToString(r.at.hash[:]), Partial: o.partial}
	return f(info, &openFile{path: r.path, language: language, outline: o})
}

// Unseen says why the occurrences of a file are not all that it holds.
type Unseen string

// Reasons why a file is not seen whole.
const (
	Unread     Unseen = "unread"      // the index has yet to read it
	NoLanguage Unseen = "no language" // it is in no language that is read here
	InPart     Unseen = "in part"     // errors or limits hid some of it
)

// Unseen returns which of these files are not seen whole, and why.
func (x *Index) Unseen(ctx context.Context, paths []string) (map[string]Unseen, error) {
	unseen := map[string]Unseen{}
	err := x.ask(ctx, func(s *snapshot) error {
		for _, p := range paths {
			r, ok := s.find(p)
			if !ok {
				if _, _, known := s.known(p); !known {
					unseen[p] = Unread
				}
				continue
			}
			if s.attributes(r).language == "" {
				unseen[p] = NoLanguage
				continue
			}
			o, err := s.outline(r)
			if err != nil {
				return err
			}
			if o.partial != "" {
				unseen[p] = InPart
			}
		}
		return nil
	})
	return unseen, err
}
