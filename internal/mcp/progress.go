package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress is how far a long call is.
type progress struct {
	done, total float64 // total 0: not known
	message     string
}

const (
	// progressPause is the least time between two notifications of one call; more
	// would be noise on the wire.
	progressPause = 200 * time.Millisecond
	// beatPause is how often a client gets progress of a call that reports none itself.
	beatPause = time.Second
)

// A reporter tells the client of one call how far the call is, if it asked to be
// told.
type reporter struct {
	send func(progress) // nil: the client did not ask for progress

	mu   sync.Mutex
	last time.Time
	sent float64
	told bool // the tool itself has said something
}

func newReporter(ctx context.Context, r *mcp.CallToolRequest) *reporter {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return &reporter{}
	}
	return &reporter{sent: -1, send: func(p progress) {
		// A client that cannot be told loses nothing but the news.
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: p.done, Total: p.total, Message: p.message,
		})
	}}
}

// report is how a tool says how far it is.
func (r *reporter) report(p progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = true
	r.pass(p)
}

// pass sends what is further than all before, as the protocol wants it.
func (r *reporter) pass(p progress) {
	if r.send == nil || p.done <= r.sent || time.Since(r.last) < progressPause && p.done != p.total {
		return
	}
	r.last, r.sent = time.Now(), p.done
	r.send(p)
}

// reportEverySecond tells every second how long the call has been running, until the tool says
// something better, or the function it returns is called. After that nothing is
// sent any more.
func (r *reporter) reportEverySecond(tool string) (end func()) {
	if r.send == nil {
		return func() {}
	}
	began, ended, gone := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(beatPause)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			r.mu.Lock()
			told := r.told
			if !told {
				s := time.Since(began).Round(beatPause).Seconds()
				r.pass(progress{done: s, message: fmt.Sprintf("%s: %.0f s", tool, s)})
			}
			r.mu.Unlock()
			if told {
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-gone
	}
}
