//go:build !unix

package cli

import "time"

var started = time.Now()

// worked returns how long this process has run, which is more than it worked.
func worked() time.Duration { return time.Since(started) }
