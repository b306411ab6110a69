//go:build unix

// Package procgroup kills commands together with all processes that they started.
package procgroup

import (
	"os/exec"
	"syscall"
)

// Lead has a command lead a process group of its own. It must be called before the start.
func Lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Terminate asks a running command, and what it has started, to end.
func Terminate(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill ends a running command, and what it has started.
func Kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// KillRest ends what a command that has ended has left behind. It does nothing if the command
// was never started.
func KillRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = Kill(cmd) // ESRCH: no process is left, as it should be
	}
}
