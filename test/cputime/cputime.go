// Package cputime limits the processor time of the code under test. The limit scales
// with the speed of the machine, which a reference loop measures in the same run, and
// waiting for a busy machine does not count.
package cputime

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// nominal is what the reference loop takes on the machine that limits are written for.
// A machine that is faster gets the same limits.
const nominal = 25 * time.Millisecond

// Limit calls f and fails the test if that took more processor time than the limit.
// It counts the time of the calling goroutine's thread, in C code too, and not that of
// goroutines that f starts. Where the system does not tell this time, it only calls f.
func Limit(t testing.TB, limit time.Duration, what string, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, known := threadTime()
	f()
	ended, _ := threadTime()
	used := ended - began
	if !known || used <= limit {
		return
	}
	if scaled := Scaled(limit); used > scaled {
		t.Errorf("%s: %v of processor time, limit %v", what, used, scaled)
	}
}

// Scaled returns a limit as it is on this machine now. It takes a tenth of a second.
func Scaled(limit time.Duration) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return time.Duration(float64(limit) * slowness())
}

// slowness returns how many times longer the reference loop takes now than nominally,
// at least 1. It measures at once after the code under test, because a shared core is
// slow only for a while, and takes the worst of three measurements.
func slowness() float64 {
	worst := nominal
	for range 3 {
		began, _ := threadTime()
		reference()
		ended, _ := threadTime()
		worst = max(worst, ended-began)
	}
	return float64(worst) / float64(nominal)
}

// reference sorts numbers and hashes them: memory, branches and arithmetic.
func reference() uint64 {
	numbers := make([]uint64, 200_000)
	x := uint64(1)
	for i := range numbers {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		numbers[i] = x
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		x = (x ^ n) * 1099511628211
	}
	return x
}
