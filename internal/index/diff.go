package index

import (
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
)

// A difference is what a listing says that a snapshot does not.
type difference struct {
	changed []files.Entry // in the order of the listing
	gone    []string      // sorted
	skipped map[files.Class]int
}

func (d *difference) empty() bool { return len(d.changed) == 0 && len(d.gone) == 0 }

// diff compares the snapshot with the files that are there, sorted by path as
// the files of each part are: so one walk through all of them is enough.
func (s *snapshot) diff(entries []files.Entry) (d difference) {
	d.skipped = make(map[files.Class]int)
	at := make([]int, len(s.parts)) // the next file of each part
	for i := range entries {
		e := &entries[i]
		r, found := s.advance(at, e.Path, &d)
		switch {
		case !e.Class.Indexed():
			d.skipped[e.Class]++
			if found {
				d.gone = append(d.gone, e.Path)
			}
			continue
		case found:
			if s.differs(e, s.stat(r, e.Path)) {
				d.changed = append(d.changed, *e)
			}
		default:
			if st, ok := s.skipped[e.Path]; !ok || s.differs(e, st) {
				d.changed = append(d.changed, *e)
			}
		}
	}
	s.advance(at, "\xff", &d)
	for path := range s.skipped {
		if e, ok := entryOf(entries, path); !ok || !e.Class.Indexed() {
			d.gone = append(d.gone, path)
		} else {
			d.skipped[s.classes[path]]++
		}
	}
	slices.Sort(d.gone)
	return d
}

// advance moves on to path in all parts. What lives before it was not listed.
func (s *snapshot) advance(at []int, path string, d *difference) (r postings.Ref, found bool) {
	for i, p := range s.parts {
		for ; at[i] < p.seg.Files(); at[i]++ {
			order := p.seg.ComparePath(at[i], path)
			if order > 0 {
				break
			}
			if s.dead[i][at[i]] {
				continue
			}
			if order == 0 {
				r, found = postings.Ref{Part: i, File: at[i]}, true
			} else {
				d.gone = append(d.gone, p.seg.Path(at[i]))
			}
		}
	}
	return r, found
}

// differs reports whether a file may have another text than the one that was
// read under a stat.
func (s *snapshot) differs(e *files.Entry, st stat) bool {
	return st.mtime == 0 || st != (stat{e.Size, e.ModTime})
}

// diffOf is diff for a few paths, which are sorted. It counts nothing.
func (s *snapshot) diffOf(entries []files.Entry, paths []string) (d difference) {
	for _, path := range paths {
		e, there := entryOf(entries, path)
		st, _, known := s.known(path)
		switch {
		case there && e.Class.Indexed():
			if !known || s.differs(e, st) {
				d.changed = append(d.changed, *e)
			}
		case known:
			d.gone = append(d.gone, path)
		}
	}
	return d
}

// entryOf finds the entry of a path.
func entryOf(entries []files.Entry, path string) (*files.Entry, bool) {
	i, ok := slices.BinarySearchFunc(entries, path, comparePath)
	if !ok {
		return nil, false
	}
	return &entries[i], true
}

func comparePath(e files.Entry, path string) int { return strings.Compare(e.Path, path) }
