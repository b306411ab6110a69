//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package git

import (
	"os"
	"os/exec"
	"syscall"
)

// share has a command, and whom it starts, hold the lock of its note. The function
// that it returns lets this process's part of that go.
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
