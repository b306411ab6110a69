package index

import (
	"context"
	"sync"
	"time"

	"codeintel/internal/platform/memlimit"
)

// many is how many symbols or places of one list make a question a large one.
const many = 10_000

// longestTurn is how long a large question waits for others.
const longestTurn = 10 * time.Minute

// largeGarbage is how much garbage is made between collections while a large question is
// answered, in percent of what the process holds.
const largeGarbage = 50

// questionKey is the key of an [questionState] in the context of an answer.
type questionKey struct{}

// A questionState is a question that is being answered.
type questionState struct {
	mu    sync.Mutex
	turns chan struct{} // filled while a large question is answered
	end   func()        // ends the turn of this one; nil until it has waited for one
	cut   bool          // a name has more places or declarations than were looked at
}

// cut notes that the answer to the question that ctx is of lacks places of a name.
func cut(ctx context.Context) {
	if q, ok := ctx.Value(questionKey{}).(*questionState); ok {
		q.mu.Lock()
		q.cut = true
		q.mu.Unlock()
	}
}

// Cut reports whether the answer to the question that ctx is of lacks places of a name, because it is in too many.
func Cut(ctx context.Context) bool {
	q, ok := ctx.Value(questionKey{}).(*questionState)
	if !ok {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cut
}

// InTurn returns a context for the answer to one question, unless ctx is one already. Of the
// questions whose answers hold very many symbols or places only one is answered at a time:
// together they would take all memory. done is to be called when the question is answered.
func (x *Index) InTurn(ctx context.Context) (_ context.Context, done func()) {
	if _, already := ctx.Value(questionKey{}).(*questionState); already {
		return ctx, func() {}
	}
	q := &questionState{turns: x.turns}
	return context.WithValue(ctx, questionKey{}, q), func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.end != nil {
			q.end()
		}
		q.end = func() {} // who still asks takes no turn that nobody ends
	}
}

// awaitTurn waits for the turn of the question that ctx is of if it is to hold n symbols or
// places, and these are very many. It waits neither for ever nor beyond the end of ctx.
func awaitTurn(ctx context.Context, n int) {
	q, ok := ctx.Value(questionKey{}).(*questionState)
	if !ok || n < many {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end != nil {
		return
	}
	patience := time.NewTimer(longestTurn)
	defer patience.Stop()
	select {
	case q.turns <- struct{}{}:
		usual := memlimit.Garbage(largeGarbage)
		q.end = func() {
			usual()
			<-q.turns
		}
	case <-ctx.Done():
	case <-patience.C:
		q.end = func() {} // its next large list waits no more
	}
}
