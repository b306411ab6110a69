package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress is how far a long call is.
type progress struct {
	done, total float64 // total 0: not known
	message     string
}

// progressPause is the least time between two notifications of one call; more
// would be noise on the wire.
const progressPause = 200 * time.Millisecond

// reporter returns the function by which a tool reports progress to the client
// that asked for it. It is called from one goroutine.
func reporter(ctx context.Context, r *mcp.CallToolRequest) func(progress) {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return func(progress) {}
	}
	var last time.Time
	sent := -1.0
	return func(p progress) {
		// The protocol wants each notification to be further than the one before.
		if p.done <= sent || time.Since(last) < progressPause && p.done != p.total {
			return
		}
		last, sent = time.Now(), p.done
		// A client that cannot be told loses nothing but the news.
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: p.done, Total: p.total, Message: p.message,
		})
	}
}
