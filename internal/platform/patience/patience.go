// Package patience carries in a context how long a caller waits for work that its answer
// depends on, such as an index that is being built, and who gets reports of progress. When
// the time is up, the caller gets what there is, in an answer that says that it is
// incomplete. Without a limit the work runs to its end, however long it takes.
package patience

import (
	"context"
	"time"
)

// A Progress receives how much of a piece of work is done, with its stage, in a word, and
// its unit, a noun in the plural. A total of 0 means unknown.
type Progress func(stage string, done, total int, unit string)

type key struct{}

type caller struct {
	waiting context.Context // ends when the caller's patience does
	tell    Progress
}

// Limit returns a context for a question whose caller waits at most as long as limit,
// and hears of progress through tell, which may be nil. stop must be called when the
// question is answered.
func Limit(ctx context.Context, limit time.Duration, tell Progress) (_ context.Context, stop context.CancelFunc) {
	waiting, stop := context.WithTimeout(ctx, limit)
	return context.WithValue(ctx, key{}, caller{waiting, tell}), stop
}

// Tell returns a context for a question whose caller waits as long as it takes, and is
// told of progress.
func Tell(ctx context.Context, tell Progress) context.Context {
	return context.WithValue(ctx, key{}, caller{ctx, tell})
}

// Unlimited returns a context for a question whose answer must be whole: its caller
// waits as long as it takes, whatever the limit of ctx is, and hears of progress as
// before.
func Unlimited(ctx context.Context) context.Context {
	c, _ := ctx.Value(key{}).(caller)
	return Tell(ctx, c.tell)
}

// Of returns the context for long work that a question needs. It ends
// when the caller's patience does, or with ctx; only then does ctx itself have an
// error.
func Of(ctx context.Context) context.Context {
	if c, ok := ctx.Value(key{}).(caller); ok {
		return c.waiting
	}
	return ctx
}

// Report tells the caller of ctx how far the work is.
func Report(ctx context.Context, stage string, done, total int, unit string) {
	if c, ok := ctx.Value(key{}).(caller); ok && c.tell != nil {
		c.tell(stage, done, total, unit)
	}
}
