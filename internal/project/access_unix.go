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
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return "", false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return dir, ok && int(owner.Uid) == os.Getuid() && writable(dir)
}
