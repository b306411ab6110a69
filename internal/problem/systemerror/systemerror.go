// Package systemerror recognises errors that come from the environment of the program: a
// full disk, a read-only file system, a folder that does not exist.
package systemerror

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"codeintel/internal/platform/memlimit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// The codes.
const (
	NoProgram     problem.Code = "no_git"
	NoSpace       problem.Code = "no_space"
	NotPermitted  problem.Code = "not_permitted"
	ReadOnly      problem.Code = "read_only"
	NoTemporary   problem.Code = "no_temporary_folder"
	NoHome        problem.Code = "no_home"
	NoDescriptors problem.Code = "too_many_open_files"
	NotAFolder    problem.Code = "not_a_folder"
	NoMemory      problem.Code = "no_memory"
	FileLimit     problem.Code = "file_size_limit"
	DiskError     problem.Code = "disk_error"
	Locked        problem.Code = "database_locked"
	NoFolder      problem.Code = "no_current_folder"
)

// Of names what is in the way around the program, which only the user can fix
// and for which nobody needs a log; nil if the error is another.
func Of(err error) *problem.Problem {
	where := ""
	for _, at := range []any{new(*fs.PathError), new(*os.LinkError)} {
		if !errors.As(err, at) {
			continue
		}
		switch at := at.(type) {
		case **fs.PathError:
			where = (*at).Path
		case **os.LinkError:
			where = (*at).New
		}
		break
	}
	said := err.Error()
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(strings.ToLower(said), strings.ToLower(w)) {
				return true
			}
		}
		return false
	}
	var failed interface {
		error
		AsFailure() (code string, what msg.Message, next []msg.Message)
	}
	switch {
	case errors.Is(err, exec.ErrDot):
		return problem.New(NoProgram, "problem.program_in_relative_folder", said).Or("problem.take_relative_folders_out")
	case errors.Is(err, exec.ErrNotFound):
		return problem.New(NoProgram, "problem.no_git").Or("problem.install_git")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		says("No space left on device", "database or disk is full"):
		return problem.New(NoSpace, "problem.disk_full").Or("problem.free_space")
	case errors.Is(err, syscall.EFBIG), says("file too large"):
		return problem.New(FileLimit, "problem.file_size_limit").Or("problem.raise_the_size_limit")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), says("Too many open files"):
		return problem.New(NoDescriptors, "problem.too_many_open_files").Or("problem.raise_the_limit")
	case errors.Is(err, memlimit.ErrShort), errors.Is(err, syscall.ENOMEM),
		says("out of memory", "out of native memory", "cannot allocate memory"):
		return problem.New(NoMemory, "problem.no_memory", memlimit.Bytes()>>20).Or("problem.give_memory")
	case says("unable to open database file: no such file"):
		// The number of the error may be that of SQLite's last attempt, not of the one that failed for the limit.
		return problem.New(NoDescriptors, "problem.database_not_opened").Or("problem.raise_the_limit")
	case errors.Is(err, fs.ErrNotExist) && isWithin(where, os.TempDir()):
		return problem.New(NoTemporary, "problem.no_temporary_folder", os.TempDir()).Or("problem.set_tmpdir")
	case errors.Is(err, syscall.EROFS), says("Read-only file system", "readonly database"):
		return problem.New(ReadOnly, "problem.read_only", said).Or("problem.questions_still_work")
	case errors.Is(err, fs.ErrPermission) && where != "":
		return problem.New(NotPermitted, "problem.not_permitted", where).Or("problem.grant_the_right")
	case errors.Is(err, syscall.ENOTDIR) && where != "":
		return problem.New(NotAFolder, "problem.not_a_folder", where).Or("problem.move_it_away")
	case says("database is locked"):
		return problem.New(Locked, "problem.database_locked").Or("problem.end_other_program")
	case says("getwd: "):
		return problem.New(NoFolder, "problem.no_current_folder").Or("problem.go_to_a_folder")
	case says("$XDG_") && says("relative"):
		return problem.New(NoHome, "problem.relative_setting", said).Or("problem.set_absolute")
	case says("$HOME") && says("defined"):
		return problem.New(NoHome, "problem.no_home").Or("problem.set_home")
	case errors.Is(err, syscall.EIO), says("disk I/O error", "input/output error"):
		return problem.New(DiskError, "problem.disk_error", said).Or("problem.look_at_the_disk")
	case errors.As(err, &failed):
		code, what, next := failed.AsFailure()
		return problem.With(problem.Code(code), what, next...)
	}
	return nil
}

// isWithin reports whether a path is a folder, or is in it.
func isWithin(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}
