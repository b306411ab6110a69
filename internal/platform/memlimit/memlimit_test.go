package memlimit

import (
	"runtime/debug"
	"testing"
)

func TestGarbage(t *testing.T) {
	now := func() int {
		percent := debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
		return percent
	}
	usual := now()
	much, little := Garbage(400), Garbage(50)
	if now() != 50 {
		t.Errorf("%d percent, want the least", now())
	}
	much()
	if now() != 50 {
		t.Errorf("%d percent after the other bound ended", now())
	}
	more := Garbage(300)
	little()
	little()
	if now() != 300 {
		t.Errorf("%d percent, want what is still in force", now())
	}
	if more(); now() != usual {
		t.Errorf("%d percent in the end, want %d", now(), usual)
	}
}
