package files

import (
	"bytes"
	"encoding/binary"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Places in a directory entry as getdents64(2) gives it; the name follows, ended
// by a zero byte.
const (
	direntLength = 16 // uint16: of the whole entry
	direntType   = 18 // byte
	direntName   = 19
)

// readFolder returns what is in a folder, in no order, with size and time of
// regular files. It reads entries as the system gives them, and asks for files
// relative to the open folder: a sweep is little else than these calls, and a
// server makes one before each answer where changes are not reported. A link in the
// place of the folder is not followed. The children are valid until with is used again.
func readFolder(abs string, with *scratch) ([]child, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(abs, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: abs, Err: err}
	}
	defer unix.Close(fd)
	children := with.children[:0]
	defer func() { with.children = children }()
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, with.raw[:]) })
		if err != nil {
			return children, &fs.PathError{Op: "readdir", Path: abs, Err: err}
		}
		if n <= 0 {
			return children, nil
		}
		for b := with.raw[:n]; len(b) > direntName; {
			length := int(binary.NativeEndian.Uint16(b[direntLength:]))
			if length <= direntName || length > len(b) {
				break
			}
			name, _, _ := bytes.Cut(b[direntName:length], []byte{0})
			kind := b[direntType]
			b = b[length:]
			if s := string(name); s != "." && s != ".." {
				if c, there := childOf(fd, s, kind); there {
					children = append(children, c)
				}
			}
		}
	}
}

// childOf asks what the name in a folder is, as far as the entry does not say.
func childOf(fd int, name string, kind byte) (c child, there bool) {
	c.name = name
	switch kind {
	case unix.DT_DIR:
		c.kind = fs.ModeDir
		return c, true
	case unix.DT_REG, unix.DT_UNKNOWN:
	default:
		c.kind = modeOf(uint32(kind) << 12) // DT_ and S_IF are the same four bits
		return c, true
	}
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	switch {
	case err == unix.ENOENT:
		return c, false // gone since
	case err != nil:
		c.err = err
		return c, true
	}
	c.kind = modeOf(st.Mode)
	if kind == unix.DT_REG && !c.kind.IsRegular() {
		c.kind = fs.ModeIrregular // replaced since
	}
	c.size, c.modTime = st.Size, st.Mtim.Nano()
	return c, true
}

// modeOf returns the type bits of a mode as the system has it.
func modeOf(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}
