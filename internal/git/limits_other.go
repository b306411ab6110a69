//go:build !linux

package git

import "time"

// limitProcess does nothing where another process cannot be given a limit.
func limitProcess(int, uint64, time.Duration) {}
