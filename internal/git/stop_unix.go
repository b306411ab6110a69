//go:build unix

package git

import (
	"os/exec"
	"syscall"
	"time"
)

// interruptible makes a cancelled command end as by hand: git and its hooks get
// a signal that lets git take its lock files away, and are killed only if they
// do not listen.
func interruptible(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
}
