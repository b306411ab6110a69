package cputime

import (
	"syscall"
	"time"
)

// threadTime returns the processor time of this thread.
func threadTime() (time.Duration, bool) {
	const thread = 1 // RUSAGE_THREAD
	var use syscall.Rusage
	if err := syscall.Getrusage(thread, &use); err != nil {
		return 0, false
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), true
}
