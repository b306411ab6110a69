//go:build unix

package git

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"codeintel/internal/platform/procgroup"
)

// interruptible makes a cancelled command end as if a user had pressed Ctrl-C: git and its hooks
// get a signal on which git removes its lock files, and are killed only if they ignore it.
func interruptible(cmd *exec.Cmd) {
	procgroup.Lead(cmd)
	cmd.Cancel = func() error { return procgroup.Terminate(cmd) }
	cmd.WaitDelay = 2 * time.Second
}

// wake ends a read that waits for a pipe.
func wake(pipe *os.File) { _ = pipe.SetReadDeadline(time.Unix(1, 0)) }

// woken reports whether a read failed because of wake.
func woken(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// readNow reads what is in the pipe, after wake; io.EOF if that is nothing.
func readNow(pipe *os.File, p []byte) (n int, err error) {
	if err := pipe.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var readErr error
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, readErr = syscall.Read(int(fd), p)
			if !errors.Is(readErr, syscall.EINTR) {
				return true
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case n > 0:
		return n, nil
	case readErr == nil || errors.Is(readErr, syscall.EAGAIN):
		return 0, io.EOF
	}
	return 0, readErr
}
