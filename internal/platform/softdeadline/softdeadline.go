// Package softdeadline carries in a context how long a caller waits for work that its answer depends on, such as
// building an index, and who receives reports of progress. After the deadline, the caller gets what is ready, in
// an answer marked as incomplete. Without a deadline the work runs to its end, however long it takes.
package softdeadline

import (
	"context"
	"time"
)

// A Progress receives how much of a piece of work is done, with its stage, in a word, and
// its unit, a noun in the plural. A total of 0 means unknown.
type Progress func(stage string, done, total int, unit string)

type key struct{}

type caller struct {
	waiting  context.Context // ends at the caller's deadline
	progress Progress
}

// With returns a context for a question whose caller waits at most as long as limit and
// receives reports through progress, which may be nil. Call stop when the question is answered.
func With(ctx context.Context, limit time.Duration, progress Progress) (_ context.Context, stop context.CancelFunc) {
	waiting, stop := context.WithTimeout(ctx, limit)
	return context.WithValue(ctx, key{}, caller{waiting, progress}), stop
}

// WithProgress returns a context for a question whose caller waits as long as it takes, and
// receives reports of progress.
func WithProgress(ctx context.Context, progress Progress) context.Context {
	return context.WithValue(ctx, key{}, caller{ctx, progress})
}

// Without returns a context for a question whose answer must be complete: its caller waits as
// long as it takes, whatever the deadline of ctx, and still receives reports of progress.
func Without(ctx context.Context) context.Context {
	c, _ := ctx.Value(key{}).(caller)
	return WithProgress(ctx, c.progress)
}

// Context returns the context for long work that a question needs. It ends at the caller's
// deadline, or with ctx; only in the second case does ctx itself have an error.
func Context(ctx context.Context) context.Context {
	if c, ok := ctx.Value(key{}).(caller); ok {
		return c.waiting
	}
	return ctx
}

// Report reports to the caller of ctx how much of the work is done.
func Report(ctx context.Context, stage string, done, total int, unit string) {
	if c, ok := ctx.Value(key{}).(caller); ok && c.progress != nil {
		c.progress(stage, done, total, unit)
	}
}
