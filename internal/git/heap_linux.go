package git

import "golang.org/x/sys/unix"

// limitHeap bounds the memory that a process may ask for, in bytes, unless less is allowed
// already. What it maps of files does not count.
func limitHeap(pid int, bytes uint64) {
	var now unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_DATA, nil, &now) == nil {
		bytes = min(bytes, now.Cur)
	}
	// A process that has ended already needs no limit.
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}, nil)
}
