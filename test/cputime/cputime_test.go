package cputime

import (
	"runtime"
	"testing"
	"time"
)

// A failing is a test that only notes that it failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Errorf(string, ...any) { f.failed = true }

// TestLimit sees work that is over its limit, and does not count waiting.
func TestLimit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the time of a thread is not known here")
	}
	for what, tt := range map[string]struct {
		limit time.Duration
		f     func()
		fails bool
	}{
		"waiting":        {50 * time.Millisecond, func() { time.Sleep(100 * time.Millisecond) }, false},
		"little":         {time.Minute, func() { reference() }, false},
		"over the limit": {time.Millisecond, func() { reference(); reference(); reference() }, true},
	} {
		f := &failing{TB: t}
		if Limit(f, tt.limit, what, tt.f); f.failed != tt.fails {
			t.Errorf("%s: failed is %v", what, f.failed)
		}
	}
}
