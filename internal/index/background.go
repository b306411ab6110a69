package index

import (
	"context"
	"sync"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/platform/softdeadline"
)

// background is the state that Serve shares with the callers that wait for it.
type background struct {
	mu        sync.Mutex
	on        bool
	requested chan struct{} // of one; something to do
	done      chan struct{} // closed when what is wanted now is done; nil if nothing is
	at        Progress      // of the synchronisation under way
	failed    bool          // the last synchronisation did

	first []string        // files to be read before others, see [Index.RefreshFor]
	due   map[string]bool // of these, the ones that are being read
	asked bool            // somebody waits for them to be shown

	shown chan struct{} // closed when all that was read is shown; nil if nobody waits for that
}

// show asks for everything read so far to be published. It returns a channel that is closed
// when that is done; nil if nothing is being read.
func (b *background) show() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.Stage != StageRead && b.at.Stage != StageInvert {
		return nil
	}
	if b.shown == nil {
		b.shown = make(chan struct{})
	}
	return b.shown
}

// wasShown wakes the callers that wait for it.
func (b *background) wasShown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closeShown()
}

// closeShown closes the channel that show returned. The caller holds mu.
func (b *background) closeShown() {
	if b.shown != nil {
		close(b.shown)
		b.shown = nil
	}
}

// prefer makes files be read before others.
func (b *background) prefer(files []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first = append(b.first, files...)
}

// preferred returns the index in changed of a preferred file that is not taken yet; -1 if
// there is none.
func (b *background) preferred(changed []files.Entry, done []bool) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.first) > 0 {
		path := b.first[0]
		b.first = b.first[1:]
		n, ok := numberOf(changed, path)
		if !ok {
			continue
		}
		b.asked = true
		if done[n] {
			continue
		}
		if b.due == nil {
			b.due = map[string]bool{}
		}
		b.due[path] = true
		return n
	}
	return -1
}

// arrived notes that a file was read. It reports whether everything read so far is to be
// published: a caller waits for preferred files, and this was the last of them.
func (b *background) arrived(path string) (show bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.due, path)
	if b.asked && len(b.first) == 0 && len(b.due) == 0 {
		b.asked = false
		return true
	}
	return b.shown != nil
}

// Serve synchronises in the background whenever [Index.Refresh] finds more to do
// than an answer should wait for, until ctx ends. It also looks at all files
// now and then, for what [Index.Watch] may not have been told. Errors are
// logged; the next time may do better.
func (x *Index) Serve(ctx context.Context) {
	b := &x.work
	b.mu.Lock()
	requested := make(chan struct{}, 1)
	b.on, b.requested = true, requested
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.on = false
		b.finish()
	}()
	net := time.NewTicker(safetyNetPeriod)
	defer net.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-net.C:
			x.safetyNet(ctx)
		case <-requested:
			_, err := x.Sync(ctx, SyncOptions{})
			if err != nil && ctx.Err() == nil {
				x.log.Error("index: synchronise in the background", "error", err)
			}
			b.mu.Lock()
			b.failed = err != nil
			b.finish()
			b.mu.Unlock()
		}
	}
}

// report records how far a synchronisation is.
func (b *background) report(p Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = p
}

// finish wakes the callers that wait. The caller holds mu.
func (b *background) finish() {
	b.at, b.first, b.due, b.asked = Progress{}, nil, nil, false
	b.closeShown()
	if b.done != nil {
		close(b.done)
		b.done = nil
	}
}

// serving reports whether Serve is running, and can take work.
func (x *Index) serving() bool {
	x.work.mu.Lock()
	defer x.work.mu.Unlock()
	return x.work.on
}

// requestSync asks for a synchronisation in the background. It returns a channel that is closed when
// that is done; nil if Serve is not running.
func (x *Index) requestSync() (done <-chan struct{}) {
	b := &x.work
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on {
		return nil
	}
	if b.done == nil {
		b.done = make(chan struct{})
		select {
		case b.requested <- struct{}{}:
		default:
		}
	}
	return b.done
}

// await waits for done, or until the caller's patience ends, and reports progress to the caller.
func (x *Index) await(ctx context.Context, done <-chan struct{}) bool {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return true
		case <-softdeadline.Context(ctx).Done():
			return false
		case <-tick.C:
			x.work.mu.Lock()
			at := x.work.at
			x.work.mu.Unlock()
			if at != (Progress{}) {
				at.report(ctx)
			}
		}
	}
}

// safetyNet sweeps if there was a question since the last sweep and that was a while ago.
func (x *Index) safetyNet(ctx context.Context) {
	x.sweeping.Lock()
	defer x.sweeping.Unlock()
	if x.sight.watcher == nil || !x.checked.After(x.sight.swept) {
		return
	}
	if _, err := x.sweep(ctx); err != nil && ctx.Err() == nil {
		x.log.Warn("index: sweep", "error", err)
	}
}

// Settle gives changes that an answer met with the time to end, as long as the caller
// waits: it waits for the synchronisation in the background that is under way, and then
// for changes that come with those seen, longer after each attempt.
func (x *Index) Settle(ctx context.Context, attempt int) {
	x.work.mu.Lock()
	done := x.work.done
	x.work.mu.Unlock()
	if done != nil && !x.await(ctx, done) {
		return
	}
	pause := time.NewTimer(settling << (attempt - 1))
	defer pause.Stop()
	select {
	case <-softdeadline.Context(ctx).Done():
	case <-pause.C:
	}
}

// How [Index.Follow] and [Index.Settle] take their time.
const (
	settling   = 50 * time.Millisecond // after a change, for those that come with it
	pollPeriod = 2 * time.Second       // between sweeps where changes are not reported
)

// Follow keeps the index up to date until ctx ends, and tells each time that it
// had to do something. Where the system does not report changes it sweeps now
// and then.
func (x *Index) Follow(ctx context.Context, report func(SyncReport)) error {
	x.Watch()
	for {
		before := x.counted()
		began := time.Now()
		if err := x.Refresh(ctx); err != nil {
			return err
		}
		if after := x.counted(); after.Generation != before.Generation {
			after.Added, after.Changed, after.Removed = after.Added-before.Added, after.Changed-before.Changed, after.Removed-before.Removed
			after.Duration = time.Since(began)
			report(after)
		}
		if err := x.awaitNews(ctx); err != nil {
			return err
		}
	}
}

// awaitNews returns when it is time to look again.
func (x *Index) awaitNews(ctx context.Context) error {
	x.sweeping.Lock()
	var news <-chan struct{}
	if x.sight.watcher != nil {
		news = x.sight.watcher.News()
	}
	x.sweeping.Unlock()
	period := pollPeriod
	if news != nil {
		period = safetyNetPeriod
	}
	late := time.NewTimer(period)
	defer late.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		x.safetyNet(ctx)
		return ctx.Err()
	case <-news:
	}
	pause := time.NewTimer(settling)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
	return ctx.Err()
}

// counted returns what this Index did to the index until now, and what that holds.
func (x *Index) counted() SyncReport {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := x.did
	r.Generation = x.base.generation
	x.base.each(func(postings.Ref) bool { r.Files++; return true })
	return r
}
