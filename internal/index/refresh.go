package index

import (
	"context"
	"fmt"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/sqlite"
)

// What a refresh reads by itself when another process is writing. More than
// that is left to the writer.
const (
	overlayFiles = 200
	overlayBytes = 8 << 20
)

// Refresh looks which files changed since the last look and reads them again.
// It is meant to be called before every answer: cheap when nothing changed, and
// it never waits for another writer. What it could not bring up to date is in
// [Index.Freshness].
func (x *Index) Refresh(ctx context.Context) error {
	asked := time.Now()
	x.sweeping.Lock()
	defer x.sweeping.Unlock()
	if x.swept.After(asked) {
		return nil // somebody looked while this waited
	}
	began := time.Now()
	if err := x.withDB(ctx, func(db *sqlite.DB) error { return x.refresh(ctx, db) }); err != nil {
		return err
	}
	x.swept = began
	return nil
}

func (x *Index) refresh(ctx context.Context, db *sqlite.DB) error {
	began := x.now()
	generation, err := number(ctx, db.Reader(), metaGeneration)
	if err != nil {
		return err
	}
	listing, err := x.lister.List(ctx)
	if err != nil {
		return fmt.Errorf("index: list: %w", err)
	}
	s := x.acquire(base)
	if s.generation != generation {
		x.release(s)
		if err := x.reload(ctx, db, nil); err != nil {
			return err
		}
		s = x.acquire(base)
	}
	defer func() { x.release(s) }()
	d := s.diff(listing.Entries)
	anew := s.notes.recipe != x.recipe && s.notes.recipe != "" // the settings changed
	if d.empty() && len(s.lost) == 0 && !anew {
		if err := x.drop(ctx, db); err != nil {
			return err
		}
		x.note(Freshness{Generation: s.generation, VerifiedAt: began})
		return nil
	}
	unlock, err := x.lockWriting()
	if err != nil {
		return err
	}
	if unlock == nil {
		return x.cover(ctx, db, s, &d, began)
	}
	defer unlock()
	r := &run{x: x, began: time.Now()}
	if anew || s.notes.synced.IsZero() {
		return r.whole(ctx, db)
	}
	err = r.apply(ctx, db, s, &d)
	if r.wrote {
		if err == nil {
			err = r.settle(ctx, db, func(*batch) error { return nil })
		}
		if reloadErr := x.reload(context.WithoutCancel(ctx), db, nil); err == nil {
			err = reloadErr
		}
	}
	if err == nil {
		now := x.acquire(base)
		x.note(Freshness{Generation: now.generation, VerifiedAt: began})
		x.release(now)
	}
	return err
}

// drop takes the overlay away once the database has caught up.
func (x *Index) drop(ctx context.Context, db *sqlite.DB) error {
	x.loading.Lock()
	covered := len(x.overlay) > 0
	x.loading.Unlock()
	if !covered {
		return nil
	}
	return x.reload(ctx, db, nil)
}

// cover reads what changed into an overlay, because another process is writing.
func (x *Index) cover(ctx context.Context, db *sqlite.DB, s *snapshot, d *difference, began time.Time) error {
	var size int64
	for _, e := range d.changed {
		size += e.Size
	}
	pending := len(d.changed) + len(d.gone)
	if pending > overlayFiles || size > overlayBytes {
		x.note(Freshness{Generation: s.generation, VerifiedAt: began, Pending: pending, Writer: true})
		return nil
	}
	x.loading.Lock()
	before := x.overlay
	x.loading.Unlock()
	over := make(overlay, pending)
	for _, path := range d.gone {
		over[path] = nil
	}
	rd := &reader{p: x.p, now: x.now}
	for _, e := range d.changed {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := coverFile(rd, e, before[e.Path])
		if err != nil {
			return err
		}
		over[e.Path] = part
	}
	if err := x.reload(ctx, db, over); err != nil {
		return err
	}
	x.note(Freshness{Generation: s.generation, VerifiedAt: began, Writer: true})
	return nil
}

// coverFile reads one file, unless the overlay before had it as it is now.
func coverFile(rd *reader, e files.Entry, before *freshPart) (*freshPart, error) {
	if before != nil && before.at.mtime != 0 && before.at.mtime == e.ModTime.UnixNano() && before.at.size == e.Size {
		return before, nil
	}
	got, err := rd.read(e, nil)
	if err != nil || !got.indexed() {
		return nil, err
	}
	return &freshPart{at: got.at, record: got.record}, nil
}

func (x *Index) note(f Freshness) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = f
}
