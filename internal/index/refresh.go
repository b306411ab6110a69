package index

import (
	"context"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index/sqlite"
)

// What a refresh reads by itself when another process is writing. More than
// that is left to the writer.
const (
	overlayFiles = 200
	overlayBytes = 8 << 20
)

// Refresh looks which files changed since the last look and reads them again.
// It is meant to be called before every answer: cheap when nothing changed, and
// it never waits for another writer. While [Index.Serve] runs, what takes long
// is left to that and waited for, as long as the caller does (package softdeadline).
// What could not be brought up to date is in [Index.Freshness].
func (x *Index) Refresh(ctx context.Context) error { return x.RefreshFor(ctx, nil) }

// RefreshFor is [Index.Refresh] for a question that is about some files more than about
// others: if there is much to read, first says which are read before all others, so that
// the answer has these if the caller's patience ends before all is read.
func (x *Index) RefreshFor(ctx context.Context, first func() ([]string, error)) error {
	for {
		later, err := x.refreshOnce(ctx, time.Now())
		if err != nil || !later {
			return err
		}
		ended, err := x.leave(ctx, first)
		if err != nil {
			return err
		}
		if !ended {
			_, err = x.refreshOnce(RestartQuestion(ctx), time.Now())
			return err
		}
		// What was read just after it was written is held to be changed, so there may be more.
		ctx = RestartQuestion(ctx)
	}
}

// leave has the background bring the index up to date, and waits for it as long as the
// caller does; ended says that it has, without an error.
func (x *Index) leave(ctx context.Context, first func() ([]string, error)) (ended bool, err error) {
	done := x.requestSync()
	if done == nil {
		return false, nil
	}
	if first != nil {
		files, err := first()
		if err != nil {
			return false, err
		}
		x.work.prefer(files)
	}
	if ended = x.await(ctx, done); !ended {
		if shown := x.work.show(); shown != nil { // what was read by now is worth more than nothing
			select {
			case <-shown:
			case <-ctx.Done():
			}
		}
	}
	x.work.mu.Lock()
	defer x.work.mu.Unlock()
	return ended && !x.work.failed, ctx.Err()
}

// refreshOnce is one attempt; later says that there is more to do than an answer
// should wait for.
func (x *Index) refreshOnce(ctx context.Context, asked time.Time) (later bool, err error) {
	x.sweeping.Lock()
	defer x.sweeping.Unlock()
	if x.checked.After(asked) {
		return false, nil // somebody looked while this waited
	}
	began := time.Now()
	err = x.withDB(ctx, func(db *sqlite.DB) error {
		later, err = x.refresh(ctx, db)
		return err
	})
	if err == nil && !later {
		x.checked = began
	}
	return later, err
}

func (x *Index) refresh(ctx context.Context, db *sqlite.DB) (later bool, err error) {
	began := x.now()
	s, err := x.compareFiles(ctx, db)
	if err != nil {
		return false, err
	}
	defer x.release(s)
	d := x.sight.diff
	anew := s.notes.recipe != x.recipe && s.notes.recipe != "" // the settings changed
	if d.empty() && len(s.missing) == 0 && !anew {
		if err := x.drop(ctx, db); err != nil {
			return false, err
		}
		x.noteOf(db, Freshness{Generation: s.generation, VerifiedAt: began})
		return false, nil
	}
	first := s.notes.synced.IsZero()
	if x.serving() && (anew || first || len(s.missing) > 0 || d.isLarge()) {
		f := Freshness{Generation: s.generation, VerifiedAt: began, Pending: len(d.changed) + len(d.gone),
			Building: first}
		for i := range x.sight.listing.Entries {
			if x.sight.listing.Entries[i].Class.Indexed() {
				f.Files++
			}
		}
		x.noteOf(db, f)
		return true, nil
	}
	unlock, err := x.lockWriting()
	if err != nil {
		return false, err
	}
	if unlock == nil {
		return false, x.cover(ctx, db, s, &d, began)
	}
	defer unlock()
	r := &run{x: x, began: time.Now(), progress: func(p Progress) { p.report(ctx) }}
	r.reset()
	if anew || first {
		return false, r.syncAll(ctx, db, x.sweep)
	}
	if db.Locked(ctx) { // by a program that is none of ours: ours hold the lock for writing first
		return false, x.cover(ctx, db, s, &d, began)
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
	if sqlite.IsLocked(err) { // meanwhile
		return false, x.cover(ctx, db, s, &d, began)
	}
	if err == nil {
		now := x.acquire(base)
		x.noteOf(db, Freshness{Generation: now.generation, VerifiedAt: began})
		x.release(now)
	}
	return false, err
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
	pending := len(d.changed) + len(d.gone)
	if d.isLarge() {
		x.noteOf(db, Freshness{Generation: s.generation, VerifiedAt: began, Pending: pending, Writer: true})
		return nil
	}
	x.loading.Lock()
	before := x.overlay
	x.loading.Unlock()
	over := make(overlay, pending)
	for _, path := range d.gone {
		over[path] = nil
	}
	rd := &reader{p: x.p, now: x.now, tagger: x.tagger}
	for _, e := range d.changed {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := coverFile(ctx, rd, e, before[e.Path])
		if err != nil {
			return err
		}
		over[e.Path] = part
	}
	if err := x.reload(ctx, db, over); err != nil {
		return err
	}
	x.noteOf(db, Freshness{Generation: s.generation, VerifiedAt: began, Writer: true})
	return nil
}

// isLarge reports whether it takes long to read all that changed.
func (d *difference) isLarge() bool {
	var size int64
	for i := range d.changed {
		size += d.changed[i].Size
	}
	return len(d.changed)+len(d.gone) > overlayFiles || size > overlayBytes
}

// coverFile reads one file, unless the overlay before had it as it is now.
func coverFile(ctx context.Context, rd *reader, e files.Entry, before *freshPart) (*freshPart, error) {
	if before != nil && before.at.mtime != 0 && before.at.mtime == e.ModTime && before.at.size == e.Size {
		return before, nil
	}
	got, err := rd.read(ctx, e, nil)
	if err != nil || !got.indexed() {
		return nil, err
	}
	return &freshPart{at: got.at, record: got.record}, nil
}

// noteOf is note for a caller that looked at db: if that was replaced meanwhile, what it
// said no longer counts.
func (x *Index) noteOf(db *sqlite.DB, f Freshness) {
	x.dbLock.Lock()
	defer x.dbLock.Unlock()
	if x.db == db {
		x.note(f)
	}
}

func (x *Index) note(f Freshness) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = f
}
