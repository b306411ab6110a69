package index

import (
	"context"

	"codeintel/internal/index/sqlite"
)

// Harmed reports whether files of the index were damaged, written to or exchanged
// since it was in state v: what was asked of it meanwhile may be wrong, and is to
// be asked again, which comes upon the damage. It costs a look at the size and
// time of each segment's file.
func (x *Index) Harmed(v Version) bool {
	s := x.acquire(shown)
	defer x.release(s)
	return x.harmed(s, v.harms)
}

// harmed is Harmed for who asked s since there were so many harms.
func (x *Index) harmed(s *snapshot, since int64) bool {
	x.looking.Lock()
	defer x.looking.Unlock()
	touched := false
	for _, p := range s.parts {
		touched = p.seg.Touched() || touched
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if touched {
		x.harms++
	}
	return x.harms != since
}

// verify holds all segments and the latent space against their checksums. Unless
// it is forced to, it does so only if somebody wrote to a segment.
func (x *Index) verify(ctx context.Context, db *sqlite.DB, force bool) error {
	v := x.Version()
	s := x.acquire(base)
	damaged := false
	if force = x.harmed(s, v.harms) || force; force {
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
	return x.anew(ctx, db)
}
