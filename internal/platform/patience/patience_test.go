package patience

import (
	"context"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	var told int
	ctx, stop := Limit(t.Context(), time.Nanosecond, func(stage string, done, total int, unit string) { told = done })
	defer stop()
	<-Of(ctx).Done()
	if ctx.Err() != nil {
		t.Error("the question ended with the patience of its caller")
	}
	if Of(Unlimited(ctx)).Err() != nil {
		t.Error("a question that is to be answered whole has a limit")
	}
	if Report(Unlimited(ctx), "read", 2, 4, "files"); told != 2 {
		t.Errorf("told of %d done, want 2", told)
	}
	if Report(ctx, "read", 3, 4, "files"); told != 3 {
		t.Errorf("told of %d done, want 3", told)
	}
}

func TestCancel(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	ctx, stop := Limit(parent, time.Hour, nil)
	defer stop()
	cancel()
	if <-Of(ctx).Done(); ctx.Err() == nil {
		t.Error("a question goes on that was cancelled")
	}
	Report(ctx, "read", 1, 2, "files") // nobody asked
}

func TestWithoutLimit(t *testing.T) {
	if Of(t.Context()) != t.Context() {
		t.Error("without a limit, work has a context of its own")
	}
	ctx := Tell(t.Context(), nil)
	if Of(ctx).Err() != nil {
		t.Error("the patience of a caller without a limit has ended")
	}
}
