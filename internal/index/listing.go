package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/sqlite"
	"codeintel/internal/index/trigram"
	"codeintel/internal/index/watch"
)

// sight is what an Index saw of the files when it last looked. It is under
// Index.sweeping.
type sight struct {
	watcher *watch.Watcher // nil: every look is a sweep
	tree    *files.Tree    // beside watcher
	again   time.Time      // when to try for a watcher once more; zero: not wanted

	listing *files.Listing
	seen    time.Time  // when the look that saw it began; zero: it failed
	swept   time.Time  // when the last sweep began
	against int64      // serial of the snapshot that diff was taken against; 0: none
	diff    difference // of the listing
}

// How long to wait before another watcher is tried: after one that could not keep
// up, and after one that failed.
const (
	afterOverflow   = 10 * time.Second
	afterUnwatched  = 10 * time.Minute
	safetyNetPeriod = time.Minute // between two sweeps while somebody asks
)

// Watch has the system report changes from now on, so that a look at the files
// need not sweep them. Where that is not available it says so in the log, and
// all goes on as before. Close ends it.
func (x *Index) Watch() {
	x.sweeping.Lock()
	defer x.sweeping.Unlock()
	x.sight.again = time.Unix(1, 0)
	x.watch()
}

// watch opens a watcher if one is wanted and it is time for it.
func (x *Index) watch() {
	v := &x.sight
	if v.watcher != nil || v.again.IsZero() || time.Now().Before(v.again) {
		return
	}
	w, err := watch.Open(x.dir)
	if err != nil {
		x.log.Warn("index: changes are not reported; the files are swept before each answer", "error", err)
		v.again = time.Now().Add(afterUnwatched)
		return
	}
	v.watcher, v.tree = w, x.lister.NewTree(w)
}

// stopWatching gives a watcher up that lost changes.
func (x *Index) stopWatching(why error) {
	v := &x.sight
	x.log.Warn("index: changes were not reported; the files are swept before each answer", "error", why, "folders",
		v.watcher.Followed())
	pause := afterUnwatched
	if errors.Is(why, watch.ErrOverflow) {
		pause = afterOverflow
	}
	v.again = time.Now().Add(pause)
	if err := v.watcher.Close(); err != nil {
		x.log.Warn("index: close watcher", "error", err)
	}
	v.watcher, v.tree = nil, nil
}

// questionTime is the key of when a question was asked, in the context of its answer.
type questionTime struct{}

// WithQuestionTime returns a context for an answer to a question that is asked now, unless ctx is one
// already. All of such an answer is about the files as they were at one look: one that
// began since the question was asked serves it, where each would take long.
func WithQuestionTime(ctx context.Context) context.Context {
	if _, already := ctx.Value(questionTime{}).(time.Time); already {
		return ctx
	}
	return RestartQuestion(ctx)
}

// RestartQuestion is [WithQuestionTime] for an answer that is begun anew.
func RestartQuestion(ctx context.Context) context.Context {
	return context.WithValue(ctx, questionTime{}, time.Now())
}

// list returns the files as they are now: those that changed since the last
// list, or whole if any may have. The answer to a question looks once.
func (x *Index) list(ctx context.Context) (changed []string, whole bool, err error) {
	v := &x.sight
	if asked, ok := ctx.Value(questionTime{}).(time.Time); ok && v.listing != nil && !v.seen.Before(asked) {
		return nil, false, nil
	}
	x.watch()
	began := time.Now()
	v.seen = time.Time{}
	if v.watcher != nil {
		l, changed, whole, err := x.update(ctx)
		if reason := v.watcher.Err(); reason != nil {
			x.stopWatching(reason) // and look again without
		} else if err != nil {
			return nil, false, err
		} else {
			if whole {
				v.swept = time.Now()
			}
			v.listing, v.seen = l, began
			return changed, whole, nil
		}
	}
	_, err = x.sweep(ctx)
	return nil, true, err
}

func (x *Index) update(ctx context.Context) (l *files.Listing, changed []string, whole bool, err error) {
	c, err := x.sight.watcher.Drain()
	if err != nil {
		return nil, nil, false, err
	}
	return x.sight.tree.Update(ctx, c.Touched, c.Moved)
}

// sweep looks at everything, whatever was reported.
func (x *Index) sweep(ctx context.Context) (l *files.Listing, err error) {
	v := &x.sight
	began := time.Now()
	v.seen = time.Time{}
	if early := x.early; early != nil {
		x.early = nil
		if v.listing, err = early(); err == nil {
			v.seen, v.swept, v.against = began, began, 0
			return v.listing, nil
		}
	}
	if v.watcher != nil {
		// What was reported until now the sweep sees itself; the rest is new.
		if v.listing, err = v.tree.Sweep(ctx); v.watcher.Err() != nil {
			x.stopWatching(v.watcher.Err())
		}
	} else {
		v.listing, err = x.lister.List(ctx)
	}
	v.against = 0
	v.swept = began
	if err != nil {
		return nil, fmt.Errorf("index: list: %w", err)
	}
	v.seen = began
	return v.listing, nil
}

// compareFiles looks at the files and checks them against the database as it is now.
// The snapshot is the caller's to release; the difference is in x.sight.
func (x *Index) compareFiles(ctx context.Context, db *sqlite.DB) (*snapshot, error) {
	generation, err := number(ctx, db.Reader(), metaGeneration)
	if err != nil {
		return nil, err
	}
	changed, whole, err := x.list(ctx)
	if err != nil {
		x.sight.against = 0
		return nil, err
	}
	s := x.acquire(base)
	if s.generation != generation || s.from != db {
		x.release(s)
		if err := x.reload(ctx, db, nil); err != nil {
			x.sight.against = 0
			return nil, err
		}
		s = x.acquire(base)
	}
	// A segment that somebody cut faults when it is read.
	if err := segment.Guard(func() error { x.compare(s, changed, whole); return nil }); err != nil {
		x.sight.against = 0
		x.release(s)
		return nil, err
	}
	return s, nil
}

// compare brings x.sight.diff up to date: the files that changed since the last
// list are checked against s, or whole if all are to be.
func (x *Index) compare(s *snapshot, changed []string, whole bool) {
	v := &x.sight
	if whole || v.against != s.serial {
		v.diff = s.diff(v.listing.Entries)
		v.against = s.serial
		return
	}
	for i := range v.diff.changed {
		changed = append(changed, v.diff.changed[i].Path)
	}
	changed = append(changed, v.diff.gone...)
	if len(changed) == 0 {
		return
	}
	slices.Sort(changed)
	skipped := v.diff.skipped
	v.diff = s.diffOf(v.listing.Entries, slices.Compact(changed))
	v.diff.skipped = skipped
}

// A Look is the files of the project as they are now, together with what the
// index can say of them. It is to be closed.
type Look struct {
	Files *files.Listing

	x          *Index
	s          *snapshot
	unverified []files.Entry // the index may have another text of them
}

// Look returns the files as they are now, or as the answer saw them before; see [WithQuestionTime].
// It reads none of them and does not wait for any to be read.
func (x *Index) Look(ctx context.Context) (l *Look, err error) {
	asked := time.Now()
	x.sweeping.Lock()
	defer x.sweeping.Unlock()
	err = x.withDB(ctx, func(db *sqlite.DB) error {
		s, err := x.compareFiles(ctx, db)
		if err == nil {
			l = &Look{Files: x.sight.listing, x: x, s: s, unverified: x.sight.diff.changed}
		}
		return err
	})
	switch {
	case err == nil:
		return l, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case x.sight.listing == nil || x.sight.swept.Before(asked):
		if _, sweepErr := x.sweep(ctx); sweepErr != nil {
			return nil, sweepErr
		}
	}
	// The files are there to be read, whatever ails the database.
	x.log.Warn("index: files looked at without it", "error", err)
	return &Look{Files: x.sight.listing, x: x}, nil
}

// Left returns why a file is not searched: its name or size, or what the index found in it if
// it has that content still; "" if it is searched.
func (l *Look) Left(e *files.Entry) files.Class {
	switch {
	case !e.Class.Indexed():
		return e.Class
	case l.s == nil || len(l.s.skipped) == 0:
		return ""
	}
	st, ok := l.s.skipped[e.Path]
	if class := l.s.classes[e.Path]; ok && !class.Indexed() && !l.s.differs(e, st) {
		return class
	}
	return ""
}

// Close lets go of the index.
func (l *Look) Close() {
	if l.s != nil {
		l.x.release(l.s)
		l.s = nil
	}
}

// Candidates returns the files, by their numbers in l.Files.Entries, ascending,
// without which no text remains that q may hold for: all of them where nothing
// can be left out.
func (l *Look) Candidates(q trigram.Query) []int {
	if numbers, ok := l.filterCandidates(q); ok {
		return numbers
	}
	all := make([]int, len(l.Files.Entries))
	for i := range all {
		all[i] = i
	}
	return all
}

// filterCandidates is Candidates where something can be left out.
func (l *Look) filterCandidates(q trigram.Query) (numbers []int, ok bool) {
	if l.s == nil || q.Any() || l.s.notes.synced.IsZero() {
		return nil, false
	}
	since := l.x.Version().damages
	err := segment.Guard(func() error {
		l.candidates(q, func(path string) {
			if n, ok := numberOf(l.Files.Entries, path); ok {
				numbers = append(numbers, n)
			}
		})
		return nil
	})
	if err != nil {
		l.x.log.Warn("index: segment damaged", "error", err)
		return nil, false
	}
	if l.x.damagedSince(l.s, since) {
		return nil, false
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), true
}

// Containing lists the indexed files that q may hold for, sorted. Where the index has no
// filter, that is every file.
func (x *Index) Containing(ctx context.Context, q trigram.Query) (paths []string, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		paths = nil
		s.candidates(x, q, func(path string) { paths = append(paths, path) })
		return ctx.Err()
	})
	slices.Sort(paths)
	return paths, err
}

func (s *snapshot) candidates(x *Index, q trigram.Query, yield func(path string)) {
	for i, p := range s.parts {
		found, known := x.candidates(p, q)
		for f := range p.seg.Files() {
			if (!known || found.Has(f)) && !s.dead[i][f] {
				yield(p.seg.Path(f))
			}
		}
	}
}

func (l *Look) candidates(q trigram.Query, yield func(path string)) {
	l.s.candidates(l.x, q, yield)
	for i := range l.unverified {
		yield(l.unverified[i].Path)
	}
	for path, class := range l.s.classes {
		if class == unreadable {
			yield(path)
		}
	}
}

func numberOf(entries []files.Entry, path string) (int, bool) {
	return slices.BinarySearchFunc(entries, path, comparePath)
}

// Listed returns the files as the index last looked at them, and looks if it has
// not yet. It is for answers that have called Refresh.
func (x *Index) Listed(ctx context.Context) (*files.Listing, error) {
	x.sweeping.Lock()
	defer x.sweeping.Unlock()
	if x.sight.listing == nil {
		if _, _, err := x.list(ctx); err != nil {
			return nil, err
		}
		x.sight.against = 0
	}
	return x.sight.listing, nil
}
