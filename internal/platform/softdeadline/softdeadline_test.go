package softdeadline

import (
	"context"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	var told int
	ctx, stop := With(t.Context(), time.Nanosecond, func(stage string, done, total int, unit string) { told = done })
	defer stop()
	<-Context(ctx).Done()
	if ctx.Err() != nil {
		t.Error("the question ended at the deadline of its caller")
	}
	if Context(Without(ctx)).Err() != nil {
		t.Error("a question that is to be answered whole has a limit")
	}
	if Report(Without(ctx), "read", 2, 4, "files"); told != 2 {
		t.Errorf("told of %d done, want 2", told)
	}
	if Report(ctx, "read", 3, 4, "files"); told != 3 {
		t.Errorf("told of %d done, want 3", told)
	}
}

func TestCancel(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	ctx, stop := With(parent, time.Hour, nil)
	defer stop()
	cancel()
	if <-Context(ctx).Done(); ctx.Err() == nil {
		t.Error("a question goes on that was cancelled")
	}
	Report(ctx, "read", 1, 2, "files") // nobody asked
}

func TestWithoutLimit(t *testing.T) {
	if Context(t.Context()) != t.Context() {
		t.Error("without a limit, work has a context of its own")
	}
	ctx := WithProgress(t.Context(), nil)
	if Context(ctx).Err() != nil {
		t.Error("the work of a caller without a deadline has ended")
	}
}
