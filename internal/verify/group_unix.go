//go:build unix

package verify

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command at the head of a process group. When its context
// ends, the whole group gets SIGTERM; killRest, to be called once the command has
// been waited for, kills what is still there.
func ownGroup(cmd *exec.Cmd) (killRest func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // ESRCH: nobody is left, as it should be
		}
	}
}
