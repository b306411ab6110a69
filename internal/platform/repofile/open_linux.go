package repofile

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const nonblock = unix.O_NONBLOCK

// noOpenat2 is set where the kernel, or what confines this process, does not know
// the call.
var noOpenat2 atomic.Bool

// open opens without waiting. It asks the kernel to keep to the project, which takes
// one call however deep the file lies; see openPortably.
func (p Place) open(flag int, perm fs.FileMode, links bool) (*os.File, error) {
	if p.root == "" || noOpenat2.Load() {
		return p.openPortably(flag, perm, links)
	}
	fd, err := p.openBeneath(flag, perm, links)
	switch {
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.E2BIG) ||
		errors.Is(err, unix.EINVAL):
		noOpenat2.Store(errors.Is(err, unix.ENOSYS))
		return p.openPortably(flag, perm, links)
	case err == unix.EXDEV:
		return nil, p.refuse(Outside)
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: p.path, Err: err}
	}
	return os.NewFile(uintptr(fd), p.path), nil
}

// openBeneath returns a file descriptor of the place, or what the kernel says.
func (p Place) openBeneath(flag int, perm fs.FileMode, links bool) (int, error) {
	root, err := openRoot(p.root)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	return openIn(root, p.rel, flag, perm, links)
}

func (p Place) withoutLinks() bool {
	if noOpenat2.Load() {
		return false
	}
	fd, err := p.openBeneath(unix.O_PATH, 0, false)
	return err == nil && unix.Close(fd) == nil
}

func openRoot(root string) (int, error) {
	return retry(func() (int, error) {
		return unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
}

// openIn opens a path that does not lead out of the open folder root.
func openIn(root int, rel string, flag int, perm fs.FileMode, links bool) (int, error) {
	how := unix.OpenHow{Flags: uint64(flag) | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	if flag&unix.O_PATH == 0 {
		how.Flags |= unix.O_NONBLOCK // which does not go with O_PATH
	}
	if flag&os.O_CREATE != 0 {
		how.Mode = uint64(perm.Perm())
	}
	if !links {
		how.Resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	return retry(func() (int, error) { return unix.Openat2(root, rel, &how) })
}

// retry repeats a call that a signal interrupted (EINTR), or that failed because something
// was renamed meanwhile (EAGAIN).
func retry(call func() (int, error)) (int, error) {
	for attempt := 0; ; attempt++ {
		n, err := call()
		if err != unix.EINTR && (err != unix.EAGAIN || attempt == 100) {
			return n, err
		}
	}
}

// NewReader returns a Reader for the project at root.
func NewReader(root string) *Reader {
	if noOpenat2.Load() {
		return &Reader{root, -1}
	}
	dir, _ := openRoot(root) // what is wrong shows with the first file
	return &Reader{root, dir}
}

// Close lets go of the project.
func (r *Reader) Close() {
	if r.dir >= 0 {
		unix.Close(r.dir)
	}
}

// ReadInto reads a regular file of about size bytes, named relative to the project, into
// buf, which grows as needed, and returns it.
func (r *Reader) ReadInto(rel string, buf []byte, size int64) ([]byte, error) {
	if r.dir < 0 {
		return r.readPortably(rel, buf, size)
	}
	fd, err := openIn(r.dir, rel, os.O_RDONLY, 0, true)
	if err != nil {
		return r.readPortably(rel, buf, size) // which says what is wrong
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return buf, errors.Join(err, In(r.root, rel).refuse(NotRegular))
	}
	return r.fill(rel, buf, size, func(b []byte) (int, error) {
		return retry(func() (int, error) { return unix.Read(fd, b) })
	})
}
