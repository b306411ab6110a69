package fdlimit

import "syscall"

// Available returns an error if the process cannot open n more files.
func Available(n int) error {
	for range n {
		fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
	}
	return nil
}
