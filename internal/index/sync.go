package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/sqlite"
	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/platform/softdeadline"
)

// A Stage is a part of a synchronisation.
type Stage string

// The stages, in order.
const (
	StageWait    Stage = "wait"    // for another process to finish writing
	StageList    Stage = "list"    // which files are there
	StageRead    Stage = "read"    // changed files are read and parsed
	StageInvert  Stage = "invert"  // segments are written
	StageCompact Stage = "compact" // small or stale segments are merged
)

// Progress says how far a synchronisation is.
type Progress struct {
	Stage       Stage
	Done, Total int   // files
	Bytes, Size int64 // of source, done and in all
}

// SyncOptions say how to synchronise.
type SyncOptions struct {
	Force    bool           // check the database and read everything again, whatever is known
	Progress func(Progress) // called from one goroutine, some ten times a second; may be nil
}

// A SyncReport says what a synchronisation did.
type SyncReport struct {
	Added, Changed, Removed, Unchanged int
	Failed                             int                 // files that could not be read
	Skipped                            map[files.Class]int // by class, not indexed
	Files                              int                 // indexed now
	Bytes                              int64               // of source read
	Generation                         int64
	Duration                           time.Duration
}

// report tells the caller of a question, who waits for it.
func (p Progress) report(ctx context.Context) {
	softdeadline.Report(ctx, string(p.Stage), p.Done, p.Total, "files")
}

// How much is written at once, and how much source may be under way between the
// readers and the writer.
const (
	batchFiles    = 256
	batchBytes    = 4 << 20
	underWayBytes = 16 << 20
	lockPoll      = 20 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// Sync brings the index up to date with the files of the project. It waits for
// another process that writes. When ctx ends, what was done by then is kept, and
// the report says what it was.
func (x *Index) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	run := &run{x: x, began: time.Now(), force: o.Force, progress: func(p Progress) {
		x.work.report(p) // for those who wait, whoever has it made
		if o.Progress != nil {
			o.Progress(p)
		}
	}}
	defer x.work.report(Progress{})
	unlock, err := run.lock(ctx)
	if err != nil {
		return SyncReport{}, err
	}
	defer unlock()
	defer x.tagger.Rest()
	err = x.withDB(ctx, func(db *sqlite.DB) error {
		run.reset()
		return run.syncAll(ctx, db, func(ctx context.Context) (*files.Listing, error) {
			x.sweeping.Lock()
			defer x.sweeping.Unlock()
			return x.sweep(ctx)
		})
	})
	run.report.Duration = time.Since(run.began)
	if err != nil {
		return run.report, err
	}
	x.log.Info("index: synchronised", "files", run.report.Files, "added", run.report.Added, "changed", run.report.Changed,
		"removed", run.report.Removed, "took", run.report.Duration)
	return run.report, nil
}

// A run is one synchronisation, of all files or of those that a sweep found. It
// is made under the write lock.
type run struct {
	x          *Index
	began      time.Time
	progress   func(Progress)
	lastReport time.Time
	force      bool

	report  SyncReport
	sets    map[[32]byte]trigram.Set // trigrams of texts read since the last flush
	unsaved int64                    // bytes of records written since then
	flushed bool                     // there was one: so questions find something early, and little is merged later
	wrote   bool                     // something was written that readers may want to see
	damaged int                      // files whose record turned out to be damaged
}

func (r *run) reset() {
	*r = run{x: r.x, began: r.began, progress: r.progress, force: r.force, sets: make(map[[32]byte]trigram.Set)}
}

// reportProgress reports progress, the same stage not too often.
func (r *run) reportProgress(p Progress) {
	now := time.Now()
	if r.progress == nil || p.Done > 0 && p.Done < p.Total && now.Sub(r.lastReport) < progressEvery {
		return
	}
	r.lastReport = now
	r.progress(p)
}

// lock waits for the write lock.
func (r *run) lock(ctx context.Context) (unlock func(), err error) {
	for {
		unlock, err := r.x.lockWriting()
		if unlock != nil || err != nil {
			return unlock, err
		}
		r.reportProgress(Progress{Stage: StageWait})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// syncAll synchronises everything that sweep finds. A second round reads again
// what was found damaged in the first.
func (r *run) syncAll(ctx context.Context, db *sqlite.DB, sweep func(context.Context) (*files.Listing, error)) error {
	defer limitMemory()()
	x := r.x
	if r.force {
		if err := db.Check(ctx); err != nil {
			return fmt.Errorf("index: %w", err) // damage makes another database
		}
	}
	if err := x.verify(ctx, db, r.force); err != nil {
		return err
	}
	if err := x.reload(ctx, db, nil); err != nil {
		return err
	}
	for round := 0; ; round++ {
		r.reportProgress(Progress{Stage: StageList})
		began := x.now()
		listing, err := sweep(ctx)
		if err != nil {
			return err
		}
		s := x.acquire(base)
		var d difference
		err = segment.Guard(func() error { // so that s is released, whatever is the matter with it
			d = s.diff(listing.Entries)
			if round == 0 && (r.force || s.notes.recipe != x.recipe) {
				d.changed = slices.DeleteFunc(slices.Clone(listing.Entries),
					func(e files.Entry) bool { return !e.Class.Indexed() })
			}
			r.damaged = 0
			if err := r.apply(ctx, db, s, &d); err != nil {
				return err
			}
			x.repairFilters(ctx, s)
			return nil
		})
		x.release(s)
		if err == nil {
			err = r.finish(ctx, db, &d, began)
		} else if r.wrote {
			err = errors.Join(err, r.write(ctx, db, func(b *batch) error {
				return publish(b.ctx, b.tx)
			}))
		}
		// What was done before an error is shown as well.
		if reloadErr := x.reload(context.WithoutCancel(ctx), db, nil); err == nil {
			err = reloadErr
		}
		if err != nil || r.damaged == 0 || round > 0 {
			if err == nil {
				s := x.acquire(base)
				x.learn(ctx, db, s)
				x.release(s)
			}
			r.account(db, began, err)
			return err
		}
		r.force = false
	}
}

// account fills in what the report says of the index as a whole.
func (r *run) account(db *sqlite.DB, began time.Time, err error) {
	s := r.x.acquire(base)
	defer r.x.release(s)
	s.each(func(postings.Ref) bool { r.report.Files++; return true })
	r.report.Generation = s.generation
	r.report.Skipped = s.notes.skipped
	r.report.Unchanged = max(0, r.report.Files-r.report.Added-r.report.Changed)
	if err == nil {
		r.x.noteOf(db, Freshness{Generation: s.generation, VerifiedAt: began})
	}
}

// apply reads what changed and writes it.
func (r *run) apply(ctx context.Context, db *sqlite.DB, s *snapshot, d *difference) error {
	defer limitMemory()()
	before := r.report
	defer func() { r.x.tally(before, r.report) }()
	if err := r.repair(ctx, db, s); err != nil {
		return err
	}
	if len(d.gone) > 0 {
		err := r.write(ctx, db, func(b *batch) error {
			for _, path := range d.gone {
				_, indexed, _ := s.known(path)
				if err := b.remove(path); err != nil {
					return err
				}
				if indexed {
					r.report.Removed++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return r.readAll(ctx, db, s, d.changed)
}

// tally adds what a run did to what its Index did in all.
func (x *Index) tally(before, after SyncReport) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.did.Added += after.Added - before.Added
	x.did.Changed += after.Changed - before.Changed
	x.did.Removed += after.Removed - before.Removed
}

// repair dissolves the segments that are missing or damaged.
func (r *run) repair(ctx context.Context, db *sqlite.DB, s *snapshot) error {
	if len(s.missing) == 0 {
		return nil
	}
	return r.write(ctx, db, func(b *batch) error {
		if err := b.removeSegments(s.missing); err != nil {
			return err
		}
		return r.flush(ctx, b)
	})
}

// write runs one transaction.
func (r *run) write(ctx context.Context, db *sqlite.DB, f func(*batch) error) error {
	r.wrote = true
	return db.Write(context.WithoutCancel(ctx), func(tx *sql.Tx) error {
		b, err := newBatch(ctx, tx, r.x.recipe)
		if err != nil {
			return err
		}
		return f(b)
	})
}

// flush puts what is in no segment into one and publishes it.
func (r *run) flush(ctx context.Context, b *batch) error {
	damaged, err := b.flush(ctx, r.x.folder(), r.trigrams())
	clear(r.sets)
	if err != nil {
		return err
	}
	r.damaged += len(damaged)
	r.unsaved, r.flushed = 0, true
	return publish(b.ctx, b.tx)
}

// readAll reads the changed files on all processors and writes them in batches.
// How much is under way is bounded. If ctx ends, what was read is written.
func (r *run) readAll(ctx context.Context, db *sqlite.DB, s *snapshot, changed []files.Entry) error {
	if len(changed) == 0 {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	room := semaphore.NewWeighted(underWayBytes)
	jobs := make(chan files.Entry)
	results := make(chan reading, batchFiles)
	var size int64
	for _, e := range changed {
		size += e.Size
	}
	if len(changed) > batchFiles {
		r.reportProgress(Progress{Stage: StageRead, Total: len(changed), Size: size})
	}
	g.Go(func() error {
		defer close(jobs)
		done, next := make([]bool, len(changed)), 0
		for range changed {
			n := r.x.work.preferred(changed, done)
			if n < 0 {
				for done[next] {
					next++
				}
				n = next
			}
			done[n] = true
			e := changed[n]
			if err := room.Acquire(ctx, weight(e.Size)); err != nil {
				return err
			}
			select {
			case jobs <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	var known finder
	if !r.force {
		var done func()
		known, done = r.x.newFinder(ctx, db)
		defer done()
	}
	parsing := semaphore.NewWeighted(parsingBytes)
	workers, inner := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), len(changed)) {
		workers.Go(func() error {
			return segment.Guard(func() error {
				return r.readJobs(inner, known, parsing, len(changed) > settleFiles, s, jobs, results)
			})
		})
	}
	g.Go(func() error {
		defer close(results)
		return workers.Wait()
	})
	w := writer{run: r, db: db, base: s, room: room, stop: stop,
		of: Progress{Stage: StageRead, Total: len(changed), Size: size}}
	writeErr := w.takeReadings(ctx, results)
	if err := g.Wait(); err != nil && writeErr == nil {
		return err
	}
	return writeErr
}

// weight is how much of underWayBytes a file takes.
func weight(size int64) int64 { return min(max(size, 4096), underWayBytes) }

// parsingBytes is how much text is parsed at once. What a file may come to is up to 150
// bytes for each of its own, and for hostile ones more.
const parsingBytes = 4 << 20

// readBeside reads a file once there is room for it beside those that others read.
func (rd *reader) readBeside(ctx context.Context, parsing *semaphore.Weighted, e files.Entry,
	before *attributes) (reading, error) {
	size := min(max(e.Size, 1), parsingBytes)
	if err := parsing.Acquire(ctx, size); err != nil {
		return reading{}, err
	}
	defer parsing.Release(size)
	return rd.read(ctx, e, before)
}

// readJobs is one reader. Many says that what it reads will go into a segment at
// once, for which the trigrams are wanted.
func (r *run) readJobs(ctx context.Context, known finder, parsing *semaphore.Weighted, many bool, s *snapshot,
	jobs <-chan files.Entry, results chan<- reading) error {
	rd := &reader{p: r.x.p, now: r.x.now, known: known, tagger: r.x.tagger}
	if many {
		rd.scanner = new(trigram.Scanner)
	}
	for e := range jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		var before *attributes
		if !r.force && s.notes.recipe == r.x.recipe {
			if ref, ok := s.find(e.Path); ok {
				at := s.attributes(ref)
				before = &at
			}
		}
		got, err := rd.readBeside(ctx, parsing, e, before)
		if err != nil {
			return err
		}
		if got.record != nil {
			got.unpacked, got.packed, got.record = got.record.size(), got.record.pack(), nil
		}
		got.weight = weight(e.Size)
		results <- got // the writer reads until this is closed
	}
	return nil
}

// A writer gathers readings into transactions.
type writer struct {
	run     *run
	db      *sqlite.DB
	base    *snapshot
	room    *semaphore.Weighted
	stop    func() // ends the reading
	of      Progress
	pending []reading
	bytes   int64
	show    bool // somebody waits for what is pending
}

// takeReadings takes readings until there are no more. After an error it only waits
// for those that are under way.
func (w *writer) takeReadings(ctx context.Context, results <-chan reading) (err error) {
	for got := range results {
		// What is pending is bounded by batchBytes. Were its weight held until it is
		// written, a file of the whole weight would wait for a batch that waits for it.
		w.room.Release(got.weight)
		w.show = w.run.x.work.arrived(got.path) || w.show
		if err != nil {
			continue
		}
		if got.sameText && got.at.mtime == 0 { // nothing new, and too young to say so
			w.of.Done++
			continue
		}
		w.pending = append(w.pending, got)
		w.bytes += got.size()
		if len(w.pending) >= batchFiles || w.bytes >= batchBytes || w.show {
			if err = segment.Guard(func() error { return w.save(ctx) }); err != nil {
				w.stop()
			}
		}
	}
	if err != nil {
		return err
	}
	return w.save(ctx)
}

// save writes what is pending in one transaction.
func (w *writer) save(ctx context.Context) error {
	r := w.run
	if len(w.pending) == 0 {
		return nil
	}
	if err := memlimit.Check(); err != nil {
		return err
	}
	flushed := false
	err := r.write(ctx, w.db, func(b *batch) error {
		for i := range w.pending {
			got := &w.pending[i]
			if err := b.writeReading(got); err != nil {
				return fmt.Errorf("%s: %w", got.path, err)
			}
			r.unsaved += got.unpacked + got.size()
			if got.set != nil {
				r.sets[got.at.hash] = got.set
			}
		}
		if !w.show && (r.unsaved < min(flushBytes, segmentSize()) || r.flushed && r.unsaved < segmentSize()) {
			return nil
		}
		w.show, flushed = false, true
		r.reportProgress(Progress{Stage: StageInvert, Done: w.of.Done, Total: w.of.Total, Bytes: w.of.Bytes, Size: w.of.Size})
		return r.flush(context.WithoutCancel(ctx), b)
	})
	for i := range w.pending {
		got := &w.pending[i]
		if err == nil {
			r.count(got, w.base)
			w.of.Bytes += got.at.size
		}
	}
	if flushed {
		r.x.work.wasShown()
	}
	w.of.Done += len(w.pending)
	clear(w.pending)
	w.pending, w.bytes = w.pending[:0], 0
	r.reportProgress(w.of)
	return err
}

// count puts one reading into the report.
func (r *run) count(got *reading, s *snapshot) {
	_, indexed, _ := s.known(got.path)
	if got.problem != nil {
		r.report.Failed++
		r.x.log.Warn("index: file not read", "path", got.path, "error", got.problem)
	}
	switch {
	case got.indexed() && !indexed:
		r.report.Added++
	case got.indexed() && !got.sameText:
		r.report.Changed++
	case !got.indexed() && indexed:
		r.report.Removed++
	}
	r.report.Bytes += got.at.size
}

// finish brings the segments into shape and writes what a whole synchronisation
// leaves behind.
func (r *run) finish(ctx context.Context, db *sqlite.DB, d *difference, began time.Time) error {
	r.reportProgress(Progress{Stage: StageCompact})
	err := r.settle(ctx, db, func(b *batch) error {
		skipped := d.skipped
		err := rows(b.ctx, b.tx, func(scan func(...any) error) error {
			var class string
			var n int
			err := scan(&class, &n)
			skipped[files.Class(class)] += n
			return err
		}, "SELECT class, count(*) FROM files WHERE content IS NULL GROUP BY class")
		if err != nil {
			return err
		}
		if err := b.forget(); err != nil {
			return err
		}
		n := notes{synced: began, skipped: skipped, recipe: r.x.recipe}
		return n.write(b.tx)
	})
	if err != nil {
		return err
	}
	return db.Checkpoint(context.WithoutCancel(ctx))
}

// settle merges and flushes where it is time to, runs last in the same
// transaction, publishes and removes the files of segments no longer in use.
func (r *run) settle(ctx context.Context, db *sqlite.DB, last func(*batch) error) error {
	return r.write(ctx, db, func(b *batch) error {
		worn, err := b.segmentsToMerge()
		if err != nil {
			return err
		}
		if err := b.removeSegments(worn); err != nil {
			return err
		}
		n, bytes, err := b.freshSize()
		if err != nil {
			return err
		}
		// Every process puts together in memory what is in no segment, so the rest of a
		// large synchronisation does not stay there.
		if len(worn) > 0 || r.flushed && n > 0 || n > settleFiles || bytes > settleBytes {
			if err := r.flush(ctx, b); err != nil {
				return err
			}
		}
		if err := last(b); err != nil {
			return err
		}
		if err := publish(b.ctx, b.tx); err != nil {
			return err
		}
		return sweepSegments(b.ctx, b.tx, r.x.folder())
	})
}
