package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/sqlite"
	"codeintel/internal/text/terms"
)

// A snapshot is one state of the index. Questions are answered from it alone,
// without the database. It is immutable; see Index.acquire for how long it lives.
type snapshot struct {
	serial     int64 // no other one of its Index has it; 0 for an empty one
	state      int64 // the serial of the first of several in a row that say the same
	generation int64
	from       *sqlite.DB // whose generation that is; nil for an empty one
	parts      []*part
	dead       [][]bool // by part
	view       *postings.View
	restat     map[string]stat // files that a part has with another stat
	skipped    map[string]stat // files looked at and not indexed
	classes    map[string]files.Class
	notes      notes
	missing    []int64 // segments that are missing or damaged
	damaged    int     // records that are damaged
	distrusted bool    // an empty one that stands for segments of which some are damaged
	users      int     // under Index.mu
	counted    snapshotCounts
}

// A stat says whether a file may have changed.
type stat struct{ size, mtime int64 }

// A part is an open segment, or one in memory of all that is in no segment yet.
type part struct {
	id     int64 // 0 for the one in memory
	seg    *postings.Segment
	filter segmentFilter
	placed placesCache
	fresh  map[string]freshPart // of the one in memory: what it was made of
	users  int                  // snapshots, under Index.mu
}

func (p *part) close() error { return errors.Join(p.filter.close(), p.seg.Close()) }

// A freshPart is a file of the part in memory, kept so that the next one can be
// made without asking for it again.
type freshPart struct {
	content int64
	at      attributes
	record  *record
}

// stat returns the stat by which the part has a file.
func (p *part) stat(file int) stat {
	d := decoder{b: p.seg.Attributes(file)}
	return stat{d.varint(), d.varint()}
}

// find returns where the index has a file.
func (s *snapshot) find(path string) (postings.Ref, bool) {
	for i := len(s.parts) - 1; i >= 0; i-- {
		if n, ok := s.parts[i].seg.FindPath(path); ok && !s.dead[i][n] {
			return postings.Ref{Part: i, File: n}, true
		}
	}
	return postings.Ref{}, false
}

// known returns the stat by which a file was indexed or passed over.
func (s *snapshot) known(path string) (st stat, indexed, ok bool) {
	if r, ok := s.find(path); ok {
		return s.stat(r, path), true, true
	}
	st, ok = s.skipped[path]
	return st, false, ok
}

// stat returns the stat by which a living file was indexed.
func (s *snapshot) stat(r postings.Ref, path string) stat {
	if st, ok := s.restat[path]; ok {
		return st
	}
	return s.parts[r.Part].stat(r.File)
}

// each yields the living files.
func (s *snapshot) each(yield func(r postings.Ref) bool) {
	for i, p := range s.parts {
		for f := range p.seg.Files() {
			if !s.dead[i][f] && !yield(postings.Ref{Part: i, File: f}) {
				return
			}
		}
	}
}

func (s *snapshot) path(r postings.Ref) string { return s.parts[r.Part].seg.Path(r.File) }

func (s *snapshot) attributes(r postings.Ref) attributes {
	at := decodeAttributes(s.parts[r.Part].seg.Attributes(r.File))
	if len(s.restat) > 0 {
		if st, ok := s.restat[s.path(r)]; ok {
			at.size, at.mtime = st.size, st.mtime
		}
	}
	return at
}

// language returns the name of a file's language, as it is in the segment.
func (s *snapshot) language(r postings.Ref) []byte {
	d := decoder{b: s.parts[r.Part].seg.Attributes(r.File)}
	d.varint()          // size
	d.varint()          // mtime
	d.take(sha256.Size) // hash
	d.bytes()           // class
	return d.bytes()
}

func (s *snapshot) outline(r postings.Ref) (outline, error) {
	o, err := decodeOutline(s.parts[r.Part].seg.Outline(r.File))
	if err != nil {
		return o, fmt.Errorf("%s: %w", s.path(r), err)
	}
	return o, nil
}

// A fileIdentity is what answers about one file depend on. Its stat is no part of it.
type fileIdentity struct {
	hash            [sha256.Size]byte
	class, language string
}

// sameContent reports whether two snapshots say the same of the same files, however their
// files are spread over segments, and whenever these were read. It compares no more than
// what is in parts that are not the same.
func (s *snapshot) sameContent(o *snapshot) bool {
	if s.notes.recipe != o.notes.recipe || s.damaged != o.damaged || !maps.Equal(s.classes, o.classes) {
		return false
	}
	mine, theirs := s.partsMissingIn(o), o.partsMissingIn(s)
	if s.countLiving(mine) != o.countLiving(theirs) {
		return false
	}
	all := make(map[string]fileIdentity)
	for r := range s.filesOf(mine) {
		all[s.path(r)] = s.identityOf(r)
	}
	for r := range o.filesOf(theirs) {
		if now, ok := all[o.path(r)]; !ok || now != o.identityOf(r) {
			return false
		}
	}
	return true
}

// partsMissingIn returns the numbers of the parts that another snapshot does not have as well,
// with the same files alive.
func (s *snapshot) partsMissingIn(o *snapshot) (parts []int) {
	for i, p := range s.parts {
		if j := slices.Index(o.parts, p); j < 0 || !slices.Equal(s.dead[i], o.dead[j]) {
			parts = append(parts, i)
		}
	}
	return parts
}

// countLiving counts the living files of parts.
func (s *snapshot) countLiving(parts []int) (n int) {
	for _, i := range parts {
		for _, dead := range s.dead[i] {
			if !dead {
				n++
			}
		}
	}
	return n
}

// filesOf yields the living files of parts.
func (s *snapshot) filesOf(parts []int) iter.Seq[postings.Ref] {
	return func(yield func(postings.Ref) bool) {
		for _, i := range parts {
			for f, dead := range s.dead[i] {
				if !dead && !yield(postings.Ref{Part: i, File: f}) {
					return
				}
			}
		}
	}
}

func (s *snapshot) identityOf(r postings.Ref) fileIdentity {
	at := decodeAttributes(s.parts[r.Part].seg.Attributes(r.File))
	return fileIdentity{at.hash, at.class, at.language}
}

// An overlay holds files as they are now where the database could not be brought
// up to date: nil for one that is gone.
type overlay map[string]*freshPart

// load reads the state of the database. Parts that before has too are used again;
// those that it has lost are verified before they are trusted again, and all are if
// it is distrusted.
func load(ctx context.Context, db *sqlite.DB, dir string, before *snapshot, over overlay) (s *snapshot, err error) {
	for again := false; ; again = true { // a segment may be merged away between the database and its file
		s = &snapshot{restat: make(map[string]stat), skipped: make(map[string]stat),
			classes: make(map[string]files.Class)}
		err = db.View(ctx, func(tx *sql.Tx) error { return s.load(ctx, tx, dir, before, over) })
		if err == nil && (len(s.missing) == 0 || again) {
			return s, nil
		}
		for _, p := range s.parts {
			if !slices.Contains(before.parts, p) {
				err = errors.Join(err, p.close())
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

func (s *snapshot) load(ctx context.Context, tx *sql.Tx, dir string, before *snapshot, over overlay) (err error) {
	if s.generation, err = number(ctx, tx, metaGeneration); err != nil {
		return err
	}
	if s.notes, err = readNotes(ctx, tx); err != nil {
		return err
	}
	if err := s.loadSegments(ctx, tx, dir, before); err != nil {
		return err
	}
	if err := s.loadMarks(ctx, tx); err != nil {
		return err
	}
	if err := s.loadFresh(ctx, tx, before, over); err != nil {
		return err
	}
	parts := make([]postings.Part, len(s.parts))
	for i, p := range s.parts {
		parts[i] = postings.Part{Segment: p.seg, Dead: s.dead[i]}
	}
	s.view = before.view.With(parts...)
	return nil
}

func (s *snapshot) loadSegments(ctx context.Context, tx *sql.Tx, dir string, before *snapshot) error {
	type opened struct {
		id   int64
		name string
		part *part // nil: missing or damaged
	}
	var list []*opened
	err := rows(ctx, tx, func(scan func(...any) error) error {
		n := new(opened)
		list = append(list, n)
		return scan(&n.id, &n.name)
	}, "SELECT id, name FROM segments ORDER BY id")
	if err != nil {
		return err
	}
	var g errgroup.Group // because of the checksums
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, n := range list {
		i := slices.IndexFunc(before.parts, func(p *part) bool { return p.id == n.id && p.seg.Label() == n.name })
		if i >= 0 {
			n.part = before.parts[i]
			n.part.filter.retry() // another process may have made it again
			continue
		}
		g.Go(func() (err error) {
			err = segment.Guard(func() (err error) {
				n.part, err = openPart(n.id, dir, n.name, before.distrusted || slices.Contains(before.missing, n.id))
				return err
			})
			if errors.Is(err, postings.ErrCorrupt) { // cut while it was opened
				return nil
			}
			return err
		})
	}
	err = g.Wait()
	for _, n := range list {
		if n.part == nil {
			s.missing = append(s.missing, n.id)
		} else {
			s.add(n.part)
		}
	}
	return err
}

// openPart opens a segment, and verifies all of it if wanted; nil if it is missing
// or damaged.
func openPart(id int64, dir, name string, verify bool) (*part, error) {
	seg, err := postings.OpenFile(filepath.Join(dir, filepath.Base(name)))
	switch {
	case errors.Is(err, postings.ErrCorrupt), errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case seg.Label() != name, verify && seg.Verify() != nil:
		return nil, seg.Close()
	}
	return &part{id: id, seg: seg}, nil
}

func (s *snapshot) add(p *part) {
	s.parts = append(s.parts, p)
	s.dead = append(s.dead, make([]bool, p.seg.Files()))
}

// loadMarks reads what changed about files since their segment was written.
func (s *snapshot) loadMarks(ctx context.Context, tx *sql.Tx) error {
	byID := make(map[int64]int)
	for i, p := range s.parts {
		byID[p.id] = i
	}
	err := rows(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var path string
		if err := scan(&id, &path); err != nil {
			return err
		}
		if i, ok := byID[id]; ok {
			if n, ok := s.parts[i].seg.FindPath(path); ok {
				s.dead[i][n] = true
			}
		}
		return nil
	}, "SELECT segment, path FROM dead")
	if err != nil {
		return err
	}
	err = rows(ctx, tx, func(scan func(...any) error) error {
		var path string
		var st stat
		err := scan(&path, &st.size, &st.mtime)
		s.restat[path] = st
		return err
	}, "SELECT path, size, mtime FROM files WHERE restat = 1")
	if err != nil {
		return err
	}
	return rows(ctx, tx, func(scan func(...any) error) error {
		var path, class string
		var st stat
		err := scan(&path, &st.size, &st.mtime, &class)
		s.skipped[path], s.classes[path] = st, files.Class(class)
		return err
	}, "SELECT path, size, mtime, class FROM files WHERE content IS NULL")
}

// loadFresh puts what is in no segment, in a lost one, or in the overlay into a
// part in memory.
func (s *snapshot) loadFresh(ctx context.Context, tx *sql.Tx, before *snapshot, over overlay) error {
	var old *part
	if n := len(before.parts); n > 0 && before.parts[n-1].id == 0 {
		old = before.parts[n-1]
	}
	now, err := s.freshParts(ctx, tx, old, over)
	if err != nil {
		return err
	}
	for path, x := range over {
		if r, ok := s.find(path); ok {
			s.dead[r.Part][r.File] = true
		}
		if x != nil {
			now[path] = *x
		}
	}
	if len(now) == 0 {
		return nil
	}
	if old != nil && maps.Equal(now, old.fresh) {
		s.add(old)
		return nil
	}
	b := postings.NewBuilder(terms.SplitIdentifier)
	for _, path := range slices.Sorted(maps.Keys(now)) {
		x := now[path]
		if err := b.Add(postingsFile(path, &x.at, x.record)); err != nil {
			return err
		}
	}
	raw, err := b.Build("fresh")
	if err != nil {
		return err
	}
	seg, err := postings.Open(raw)
	if err != nil {
		return err
	}
	s.add(&part{seg: seg, fresh: now})
	return nil
}

// freshParts returns the files that are in no segment or in a lost one, by path,
// without those of the overlay. Records that old has are not read again.
func (s *snapshot) freshParts(ctx context.Context, tx *sql.Tx, old *part, over overlay) (map[string]freshPart, error) {
	now := make(map[string]freshPart)
	for _, id := range append([]int64{0}, s.missing...) {
		list, err := freshFiles(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if _, covered := over[f.path]; covered {
				continue
			}
			x := freshPart{content: f.content, at: f.at}
			if old != nil && old.fresh[f.path].content == f.content {
				x.record = old.fresh[f.path].record
			} else if x.record, err = readRecord(ctx, tx, f.content); err != nil {
				return nil, err
			}
			if x.record == nil { // unknown until it is read again
				s.damaged++
				continue
			}
			now[f.path] = x
		}
	}
	return now, nil
}
