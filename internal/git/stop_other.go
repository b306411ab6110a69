//go:build !unix

package git

import (
	"os/exec"
	"time"
)

// interruptible lets a cancelled command end even if a hook holds its output.
func interruptible(cmd *exec.Cmd) { cmd.WaitDelay = 2 * time.Second }
