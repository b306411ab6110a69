package descriptors

import (
	"os"
	"syscall"
)

// needed is how many descriptors the runtime and the first file take together.
const needed = 3

func init() {
	if err := available(needed); err != nil {
		_, _ = os.Stderr.WriteString("code-intel: " + err.Error() + "\n  " + Advice + "\n")
		os.Exit(3)
	}
}

// available returns an error if the process cannot open n more files.
func available(n int) error {
	for range n {
		fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
	}
	return nil
}
