package vectorstore

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
)

// A view is one generation, open. It is immutable and lives until its last user
// releases it.
type view struct {
	generation uint64
	parts      []*part
	damaged    bool // a segment of it is damaged, or its manifest
	users      int  // under Embedded.mu
}

// A part is a segment in a view.
type part struct {
	seg   *segment
	dead  []byte // as in listing; nil: none
	alive int
}

// A place is a row in a view.
type place struct{ part, row uint32 }

func newPart(s *segment, dead []byte) *part {
	p := &part{seg: s, dead: dead, alive: s.rows}
	for _, b := range dead {
		p.alive -= bits.OnesCount8(b)
	}
	return p
}

func (p *part) isDead(row int) bool { return p.dead != nil && p.dead[row/8]&(1<<(row%8)) != 0 }

// living returns up to n IDs of rows that are not dead, from a row on, and the row
// after them.
func (p *part) living(row, n int) (ids []string, next int) {
	for ; row < p.seg.rows && len(ids) < n; row++ {
		if !p.isDead(row) {
			ids = append(ids, string(p.seg.id(row)))
		}
	}
	return ids, row
}

// without returns p with more rows dead; p itself stays as it is.
func (p *part) without(rows []int) *part {
	if len(rows) == 0 {
		return p
	}
	dead := make([]byte, (p.seg.rows+7)/8)
	copy(dead, p.dead)
	for _, row := range rows {
		dead[row/8] |= 1 << (row % 8)
	}
	return newPart(p.seg, dead)
}

func (v *view) count() (n int) {
	for _, p := range v.parts {
		n += p.alive
	}
	return n
}

// acquire returns the newest generation. While another goroutine opens it, that is
// the one before.
func (e *Embedded) acquire() (*view, error) {
	if e.loading.TryLock() {
		err := e.reload()
		e.loading.Unlock()
		if err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.view == nil {
		return nil, errors.New("vectorstore: closed")
	}
	e.view.users++
	return e.view, nil
}

func (e *Embedded) release(v *view) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if v.users--; v.users > 0 {
		return
	}
	for _, p := range v.parts {
		if p.seg.users--; p.seg.users == 0 {
			if err := p.seg.close(); err != nil {
				e.log.Warn("vectors: close segment", "error", err)
			}
		}
	}
}

// show puts a view in the place of the one that is shown.
func (e *Embedded) show(v *view, seen os.FileInfo) {
	e.mu.Lock()
	old := e.view
	if old == nil { // closed meanwhile
		old, v.users = v, 1
	} else {
		e.view, e.seen, v.users = v, seen, 1
	}
	for _, p := range v.parts {
		p.seg.users++
	}
	e.mu.Unlock()
	e.release(old)
}

// reload shows the generation on disk, if it is another than the one shown. The
// caller holds e.loading.
func (e *Embedded) reload() error {
	for tries := 0; ; tries++ {
		seen, err := os.Stat(filepath.Join(e.dir, manifestName))
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("vectorstore: %w", err)
		}
		e.mu.Lock()
		old, same := e.view, e.view == nil || sameFile(e.seen, seen)
		e.mu.Unlock()
		if same {
			return nil
		}
		v, err := e.load(old)
		if err != nil {
			return err
		}
		// A compaction may have taken files away between the manifest and them.
		now, _ := os.Stat(filepath.Join(e.dir, manifestName))
		if v.damaged && !sameFile(seen, now) && tries < 8 {
			e.discard(v, old)
			continue
		}
		e.show(v, seen)
		return nil
	}
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// load opens what the manifest names; segments that old has are used again.
func (e *Embedded) load(old *view) (*view, error) {
	v := new(view)
	m, err := readManifest(e.dir, e.c)
	if errors.Is(err, ErrCorrupt) {
		e.log.Warn("vectors: collection lost; it is made anew", "collection", e.c.Name, "error", err)
		v.damaged, err = true, nil
	}
	if m == nil && err == nil && !v.damaged && len(old.parts) > 0 {
		e.log.Warn("vectors: collection deleted; it is made anew", "collection", e.c.Name)
		v.damaged = true
	}
	if err != nil || m == nil {
		return v, err
	}
	v.generation = m.Generation
	for _, l := range m.Segments {
		seg, err := e.segment(old, l)
		if err == nil {
			v.parts = append(v.parts, newPart(seg, l.Dead))
			continue
		}
		if !errors.Is(err, ErrCorrupt) {
			e.discard(v, old)
			return nil, err
		}
		v.damaged = true
		if !errors.Is(err, errKnown) {
			e.log.Warn("vectors: segment lost", "collection", e.c.Name, "rows", l.Rows, "error", err)
		}
	}
	return v, nil
}

// errKnown says that damage was told of before.
var errKnown = fmt.Errorf("%w: known to be", ErrCorrupt)

// segment returns the segment that a manifest lists.
func (e *Embedded) segment(old *view, l listing) (*segment, error) {
	e.mu.Lock()
	bad := e.bad[l.Label]
	e.mu.Unlock()
	if bad {
		return nil, errKnown
	}
	i := slices.IndexFunc(old.parts, func(p *part) bool { return p.seg.label == l.Label })
	if i >= 0 {
		return old.parts[i].seg, nil
	}
	s, err := openSegment(e.dir, l.Label, e.c.Dimension)
	if err != nil {
		return nil, err
	}
	if s.rows != l.Rows || l.Dead != nil && len(l.Dead) != (s.rows+7)/8 {
		return nil, errors.Join(s.damaged("it is not what the manifest says"), s.close())
	}
	return s, nil
}

// discard closes what a view that was never shown has opened itself.
func (e *Embedded) discard(v, old *view) {
	for _, p := range v.parts {
		if !slices.ContainsFunc(old.parts, func(q *part) bool { return q.seg == p.seg }) {
			if err := p.seg.close(); err != nil {
				e.log.Warn("vectors: close segment", "error", err)
			}
		}
	}
}

// whole reports whether the files of a view are as long as what is mapped of them.
func (v *view) whole() error {
	for _, p := range v.parts {
		if err := p.seg.checkLength(); err != nil {
			return err
		}
	}
	return nil
}

// heal looks for damage in all of v, if err says that there is some, and has the
// segments concerned left out from now on. The next who writes takes them out of
// the manifest. It returns err.
func (e *Embedded) heal(v *view, err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	damaged := make(map[string]bool)
	for _, p := range v.parts {
		if p.seg.verify() != nil {
			damaged[p.seg.label] = true
		}
	}
	e.loading.Lock()
	defer e.loading.Unlock()
	e.mu.Lock()
	now, seen := e.view, e.seen
	for label := range damaged {
		e.bad[label] = true
	}
	e.mu.Unlock()
	if now == nil {
		return err
	}
	sound := slices.DeleteFunc(slices.Clone(now.parts), func(p *part) bool { return damaged[p.seg.label] })
	if len(sound) < len(now.parts) {
		e.log.Warn("vectors: damaged; some vectors are gone", "collection", e.c.Name, "segments",
			len(now.parts)-len(sound), "error", err)
		e.show(&view{generation: now.generation, damaged: true, parts: sound}, seen)
	}
	return err
}
