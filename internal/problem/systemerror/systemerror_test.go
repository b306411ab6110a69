package systemerror

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"codeintel/internal/problem"
)

// TestOf names what is in the way, however the error is wrapped or worded, and says what to do.
func TestOf(t *testing.T) {
	for want, err := range map[problem.Code]error{
		NoSpace:       &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC},
		FileLimit:     &fs.PathError{Op: "write", Path: "/x", Err: syscall.EFBIG},
		NoDescriptors: fmt.Errorf("open: %w", syscall.EMFILE),
		DiskError:     fmt.Errorf("read: %w", syscall.EIO),
		NotPermitted:  &fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES},
	} {
		if p := Of(err); p == nil || p.Code != want || len(p.Next) == 0 {
			t.Errorf("%v: %v, want %s", err, p, want)
		}
	}
	for said, want := range map[string]problem.Code{ // by SQLite
		"disk I/O error: file too large":          FileLimit,
		"disk I/O error: no space left on device": NoSpace,
		"disk I/O error: input/output error":      DiskError,
		"disk I/O error":                          DiskError,
		"database is locked":                      Locked,
	} {
		if p := Of(errors.New("sqlite: commit: " + said)); p == nil || p.Code != want || len(p.Next) == 0 {
			t.Errorf("%s: %v, want %s", said, p, want)
		}
	}
	for said, want := range map[string]problem.Code{
		"project: getwd: no such file or directory":   NoFolder,
		"trust: path in $XDG_CONFIG_HOME is relative": NoHome,
	} {
		if p := Of(errors.New(said)); p == nil || p.Code != want || len(p.Next) == 0 {
			t.Errorf("%s: %v, want %s", said, p, want)
		}
	}
	if p := Of(errors.New("a defect")); p != nil {
		t.Errorf("a defect counts as %s", p.Code)
	}
}
