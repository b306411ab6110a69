//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package git

import (
	"os"
	"os/exec"
	"syscall"
)

// share makes a command, and the processes that it starts, hold a lock on its note. release
// closes the lock in this process.
func share(cmd *exec.Cmd, note string) (release func()) {
	f, err := os.Open(note)
	if err != nil {
		return func() {}
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	return func() { f.Close() }
}
