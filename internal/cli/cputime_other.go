//go:build !unix

package cli

import (
	"time"
)

var started = time.Now()

// cpuTime returns how long this process has run, which is more than its processor time.
func cpuTime() time.Duration { return time.Since(started) }
