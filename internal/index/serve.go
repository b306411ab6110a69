package index

import (
	"context"
	"sync"
	"time"
)

// answerPatience is how long an answer waits for a synchronisation in the
// background before it is given from what is there: a small project is built in
// that time, and nobody minds it.
const answerPatience = 700 * time.Millisecond

// background is what Serve and those who want something of it share.
type background struct {
	mu     sync.Mutex
	on     bool
	wanted chan struct{} // of one; something to do
	done   chan struct{} // closed when what is wanted now is done; nil if nothing is
}

// Serve synchronises in the background whenever [Index.Refresh] finds more to do
// than an answer should wait for, until ctx ends. It also looks at all files
// now and then, for what [Index.Watch] may not have been told. Errors are
// logged; the next time may do better.
func (x *Index) Serve(ctx context.Context) {
	b := &x.work
	b.mu.Lock()
	wanted := make(chan struct{}, 1)
	b.on, b.wanted = true, wanted
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
		case <-wanted:
			if _, err := x.Sync(ctx, SyncOptions{}); err != nil && ctx.Err() == nil {
				x.log.Error("index: synchronise in the background", "error", err)
			}
			b.mu.Lock()
			b.finish()
			b.mu.Unlock()
		}
	}
}

// finish tells those who wait; under mu.
func (b *background) finish() {
	if b.done != nil {
		close(b.done)
		b.done = nil
	}
}

// serving reports whether there is somebody to leave work to.
func (x *Index) serving() bool {
	x.work.mu.Lock()
	defer x.work.mu.Unlock()
	return x.work.on
}

// want has a synchronisation made in the background, and returns what is closed
// when it is done; nil if nobody would do it.
func (x *Index) want() (done <-chan struct{}) {
	b := &x.work
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on {
		return nil
	}
	if b.done == nil {
		b.done = make(chan struct{})
		select {
		case b.wanted <- struct{}{}:
		default:
		}
	}
	return b.done
}

// await waits for done, but not for long.
func (x *Index) await(ctx context.Context, done <-chan struct{}) bool {
	late := time.NewTimer(answerPatience)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// safetyNet sweeps if somebody asked since the last sweep and that was a while
// ago.
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
