// Package memlimit determines how much memory this process may use: what the machine has, what its container
// or cgroup allows, what ulimit allows.
package memlimit

import (
	"errors"
	"math"
	"runtime/debug"
	"slices"
	"sync"
)

// ErrShort says that a process may take hardly any more memory than it has.
var ErrShort = errors.New("hardly any memory is left")

// ampleMemory is what any project is content with, in bytes: nothing is saved where as much may be taken.
const ampleMemory = 1 << 30

// A bound is a limit and how much of it is taken, in bytes.
type bound struct {
	limit int64
	taken func() int64
}

// bounds are all that were found when the process first asked.
var bounds = sync.OnceValue(find)

// Bytes returns how much memory this process may take in all, math.MaxInt64 if any number.
func Bytes() int64 { return smallestLimit(bounds()) }

func smallestLimit(all []bound) int64 {
	most := int64(math.MaxInt64)
	for _, b := range all {
		most = min(most, b.limit)
	}
	return most
}

// Within returns a part of what may be taken, or bytes if that is less: the divisor says which part.
func Within(bytes, divisor int64) int64 { return min(bytes, Bytes()/divisor) }

// Settle has the collector of Go keep its heap to a part of a small allowance. A limit that
// the user set stays.
func Settle() {
	if Bytes() >= ampleMemory {
		return
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(Bytes() / 4) // the rest is for parsers, databases and threads
	}
}

// Check returns ErrShort where less than a quarter of a bound is left.
func Check() error {
	if !isShort(bounds()) {
		return nil
	}
	debug.FreeOSMemory()
	if isShort(bounds()) {
		return ErrShort
	}
	return nil
}

func isShort(all []bound) bool {
	for _, b := range all {
		if b.limit < ampleMemory && b.taken() > b.limit-b.limit/4 {
			return true
		}
	}
	return false
}

// garbage are the bounds of [Garbage] that are in force.
var garbage struct {
	sync.Mutex
	usual    int // of the process, while there are any
	percents []int
}

// Garbage bounds how much garbage the process makes between collections, in percent of what
// it holds, until end is called. Of several bounds the least one is in force.
func Garbage(percent int) (end func()) {
	garbage.Lock()
	defer garbage.Unlock()
	if len(garbage.percents) == 0 {
		garbage.usual = debug.SetGCPercent(percent)
	}
	garbage.percents = append(garbage.percents, percent)
	debug.SetGCPercent(slices.Min(garbage.percents))
	return sync.OnceFunc(func() {
		garbage.Lock()
		defer garbage.Unlock()
		i := slices.Index(garbage.percents, percent)
		if garbage.percents = slices.Delete(garbage.percents, i, i+1); len(garbage.percents) == 0 {
			debug.SetGCPercent(garbage.usual)
		} else {
			debug.SetGCPercent(slices.Min(garbage.percents))
		}
	})
}
