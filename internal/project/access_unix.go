//go:build unix

package project

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite reports whether this process may make files in a folder.
func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// privateTemp returns a folder for temporary files that is this user's alone, for
// surroundings in which nothing of the user's can be written.
func privateTemp() (string, bool) {
	dir := filepath.Join(os.TempDir(), "code-intel-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err == nil {
		return dir, true
	}
	return dir, ofUser(dir, 0o077) && writable(dir)
}

// ownedAs reports whether a file belongs to this user, to root, or to the owner of a folder.
func ownedAs(file, dir string) bool {
	owner, ok := ownerOf(file)
	as, _ := ownerOf(dir)
	return ok && (owner == 0 || owner == os.Getuid() || owner == as)
}

func ownerOf(path string) (uid int, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return -1, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, false
	}
	return int(stat.Uid), true
}

// ofUser reports whether a path is a folder of this user that grants no other user one of the
// rights.
func ofUser(dir string, rights os.FileMode) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&rights != 0 {
		return false
	}
	owner, ok := ownerOf(dir)
	return ok && owner == os.Getuid()
}
