package index

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for before, within := range map[int64]int64{math.MaxInt64: syncMemory, 1 << 40: 1 << 40} {
		debug.SetMemoryLimit(before)
		end := limitMemory()
		if got := debug.SetMemoryLimit(-1); got != within {
			t.Errorf("the limit is %d during a synchronisation, want %d", got, within)
		}
		end()
		if got := debug.SetMemoryLimit(-1); got != before {
			t.Errorf("the limit is %d afterwards, want %d", got, before)
		}
	}
}
