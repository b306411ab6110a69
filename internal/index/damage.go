package index

import (
	"context"

	"codeintel/internal/index/sqlite"
)

// DamagedSince reports whether files of the index were damaged, written to or replaced
// since it was in state v. What was asked of it meanwhile may be wrong. Asking again
// finds the damage and repairs it. It costs a look at the size and time of each
// segment's file.
func (x *Index) DamagedSince(v Version) bool {
	s := x.acquire(shown)
	defer x.release(s)
	return x.damagedSince(s, v.damages)
}

// damagedSince reports whether files of a snapshot were written to, or damage was found,
// since the count of damages was as given.
func (x *Index) damagedSince(s *snapshot, since int64) bool {
	x.looking.Lock()
	defer x.looking.Unlock()
	touched := false
	for _, p := range s.parts {
		touched = p.seg.Touched() || touched
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if touched {
		x.damages++
	}
	return x.damages != since
}

// verify compares all segments and the LSA space with their checksums. Unless it is
// forced to, it does so only if somebody wrote to a segment.
func (x *Index) verify(ctx context.Context, db *sqlite.DB, force bool) error {
	v := x.Version()
	s := x.acquire(base)
	damaged := false
	if force = x.damagedSince(s, v.damages) || force; force {
		for _, p := range s.parts {
			damaged = damaged || p.seg.Verify() != nil
		}
	}
	x.release(s)
	if force {
		x.spaces.forget()
	}
	if !damaged {
		return nil
	}
	return x.reloadAll(ctx, db)
}
