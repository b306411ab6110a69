package session

import (
	"context"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/verifierruns"
	"codeintel/internal/verify"
)

const (
	patience = 50 * time.Second // clients give a call up after a minute
	askAgain = 30 * time.Second // when to submit again what is still running
)

// progressKey is of the function that hears how long a Submit has been waiting.
type progressKey struct{}

// WithProgress makes a [Service.Submit] tell what it waits for, about once a
// second, always from the goroutine that called it.
func WithProgress(ctx context.Context, tell func(waited time.Duration, what msg.Message)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

func progressOf(ctx context.Context) func(time.Duration, msg.Message) {
	if tell, ok := ctx.Value(progressKey{}).(func(time.Duration, msg.Message)); ok {
		return tell
	}
	return func(time.Duration, msg.Message) {}
}

// runner returns what runs commands for the open session.
func (s *Service) runner() *verify.Runner {
	if s.live.runner == nil {
		s.live.runner = verify.NewRunner(s.project.Root)
	}
	return s.live.runner
}

// verifyingNow reports whether commands were begun in this phase. They may have left
// files, which are not the model's.
func (t *turn) verifyingNow() bool {
	return t.s.live.runner != nil && t.s.live.runner.Begun(t.State.Since)
}

// runs are the runs of verifiers for the session.
func (t *turn) runs() verifierruns.Runs {
	return verifierruns.Runs{Tree: &t.Tree, Runner: t.s.runner, Log: t.s.log, Copy: func() (*changes.Tree, error) {
		own, err := t.s.beginTurn()
		if err != nil {
			return nil, err
		}
		return &own.Tree, nil
	}}
}
