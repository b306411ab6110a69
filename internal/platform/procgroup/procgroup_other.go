//go:build !unix

// Package procgroup kills commands together with all processes that they started.
package procgroup

import (
	"os/exec"
	"strconv"
)

// Lead has a command lead a process group of its own. It must be called before the start.
func Lead(*exec.Cmd) {}

// Terminate ends a running command, and what it has started.
func Terminate(cmd *exec.Cmd) error { return Kill(cmd) }

// Kill ends a running command, and what it has started, as far as the system's own tool
// finds it.
func Kill(cmd *exec.Cmd) error {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// KillRest ends nothing here: what a command has left behind cannot be found.
func KillRest(*exec.Cmd) {}
