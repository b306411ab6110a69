//go:build !unix

package verify

import (
	"os/exec"
	"strconv"
)

// ownGroup makes the end of the command's context the end of its whole tree of
// processes, as far as the system's own tool finds them.
func ownGroup(cmd *exec.Cmd) (killRest func()) {
	cmd.Cancel = func() error {
		if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = grace
	return func() {}
}
