package embedding

import (
	"context"
	"sync"
	"time"
)

// rateLimiter keeps requests apart.
type rateLimiter struct {
	every time.Duration // 0: no matter
	mu    sync.Mutex
	next  time.Time // when the next request may go
}

// waitTurn waits until a request may go.
func (p *rateLimiter) waitTurn(ctx context.Context, now time.Time,
	wait func(context.Context, time.Duration) error) error {
	if p.every == 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(p.every)
	p.mu.Unlock()
	return wait(ctx, at.Sub(now))
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
