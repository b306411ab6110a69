//go:build !unix

package git

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// interruptible lets a cancelled command end even if a hook holds its output.
func interruptible(cmd *exec.Cmd) { cmd.WaitDelay = 2 * time.Second }

// wake ends a read that waits for a pipe, when what is in the pipe has had its time.
func wake(pipe *os.File) { time.AfterFunc(2*time.Second, func() { pipe.Close() }) }

// woken reports whether a read failed because of wake.
func woken(err error) bool { return errors.Is(err, os.ErrClosed) }

// readNow reads what is in the pipe.
func readNow(pipe *os.File, p []byte) (int, error) { return pipe.Read(p) }
