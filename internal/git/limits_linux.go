package git

import (
	"time"

	"golang.org/x/sys/unix"
)

// limitProcess bounds the memory that a process may ask for, in bytes, and its processor time,
// in whole seconds, unless less is allowed already. What it maps of files does not count.
func limitProcess(pid int, heap uint64, cpu time.Duration) {
	for resource, most := range map[int]uint64{
		unix.RLIMIT_DATA: heap,
		unix.RLIMIT_CPU:  uint64(cpu / time.Second),
	} {
		var now unix.Rlimit
		if unix.Prlimit(pid, resource, nil, &now) == nil {
			most = min(most, now.Cur)
		}
		// A process that has ended already needs no limit.
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
}
