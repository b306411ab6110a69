package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
)

// A killed git leaves its lock files behind, and every other git fails while they exist. So
// each command that this program starts has a note: a file in the git directory, made before
// the command begins and removed when the command has ended by itself. Its name holds the id
// of our process. A lock is removed if
//
//   - there is a note of a command that was killed, or whose process was;
//   - the lock is no older than that note, and has not changed for seconds;
//   - no git runs in this repository, and no process has the lock open.
//
// The last can be found out on Linux only; on other systems locks are never removed.
//
// A git whose parent is killed runs to its end. It holds a lock on its note as long as it
// runs, so [Open] can wait for it. Its standard input is the note itself: from a pipe it would
// read only what had been written when the parent died, and do something else.
const notePrefix = "code-intel-git-"

// notes are those of commands that this process runs now.
var notes struct {
	sync.Mutex
	last    int
	running map[string]bool
}

// note writes a note for a command that begins, unless the command takes no lock of the
// repository. The caller calls ended when the command has ended.
func (r *Repo) note(c Command, cmd *exec.Cmd) (ended func(byItself bool), err error) {
	nothing := func(bool) {}
	if !c.writes() || r.GitDir == "" {
		return nothing, nil
	}
	for _, v := range c.Env {
		if strings.HasPrefix(v, "GIT_INDEX_FILE=") {
			return nothing, nil // what it does is of no use to anybody but us
		}
	}
	content := []byte(verb(c.Args) + "\n")
	if c.Stdin != nil {
		if content, err = io.ReadAll(c.Stdin); err != nil {
			return nil, err
		}
	}
	notes.Lock()
	defer notes.Unlock()
	notes.last++
	file := filepath.Join(r.GitDir, fmt.Sprintf("%s%d-%d", notePrefix, os.Getpid(), notes.last))
	if err := repofile.At(file).Write(content, 0o644); err != nil {
		if c.Stdin != nil {
			return nil, err
		}
		return nothing, nil // then a lock that is left stays
	}
	release := func() {}
	if c.Stdin != nil {
		in, _, err := repofile.At(file).Open()
		if err != nil {
			return nil, errors.Join(err, os.Remove(file))
		}
		cmd.Stdin, release = in, func() { in.Close() }
	}
	if notes.running == nil {
		notes.running = make(map[string]bool)
	}
	notes.running[file] = true
	unshare := share(cmd, file)
	return func(byItself bool) {
		notes.Lock()
		delete(notes.running, file)
		notes.Unlock()
		unshare()
		release()
		if byItself {
			os.Remove(file)
		}
	}, nil
}

// leftNotes returns the notes of commands that did not end by themselves.
func (r *Repo) leftNotes() (files []string) {
	all, _ := filepath.Glob(filepath.Join(r.GitDir, notePrefix+"*")) // a folder with a pattern in its name holds none
	notes.Lock()
	defer notes.Unlock()
	for _, f := range all {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(f), notePrefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && (pid == os.Getpid() && !notes.running[f] || pid != os.Getpid() && atomicfile.Ended(pid)) {
			files = append(files, f)
		}
	}
	return files
}

// longest is how long to wait for an orphaned command. A hook may be slow, or leave a process
// behind that holds the note for ever.
const longest = 5 * time.Second

// settled is how long a lock must have been unchanged to count as left behind.
const settled = 2 * time.Second

// await waits for commands whose parent was killed, because they still change the repository.
// If they leave locks behind, it also waits until those count as left, so that they can be
// removed.
func (r *Repo) await(ctx context.Context) {
	wait(ctx, longest, func() bool { return slices.ContainsFunc(r.leftNotes(), running) })
	wait(ctx, settled, func() bool {
		left := r.leftNotes()
		return len(left) > 0 && len(processes()) > 0 && slices.ContainsFunc(r.locks(), func(lock string) bool {
			info, err := os.Lstat(lock)
			return err == nil && time.Since(info.ModTime()) < settled && follows(info, left)
		})
	})
}

// wait waits while so returns true, but no longer than most.
func wait(ctx context.Context, most time.Duration, so func() bool) {
	for until := time.Now().Add(most); so() && time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// running reports whether the command of a note still runs, as far as can be told.
func running(note string) bool {
	held, err := atomicfile.Locked(note)
	return held && err == nil
}

var lockName = lazyregexp.MustCompile(`Unable to create '([^\n]*\.lock)': File exists`)

// Lock returns the lock file that was in the way, "" if none is known.
func (e *Error) Lock() string {
	if m := lockName.FindStringSubmatch(e.Stderr); m != nil {
		return filepath.FromSlash(m[1])
	}
	return ""
}

// unlock removes the lock that was in the way of a command, if a command of ours
// left it when it was killed, and reports whether it did.
func (r *Repo) unlock(e *Error) bool {
	lock := e.Lock()
	if lock == "" && strings.Contains(e.Stderr, "could not lock config file") {
		lock = filepath.Join(r.CommonDir, "config.lock")
	}
	if !isWithin(lock, r.GitDir) && !isWithin(lock, r.CommonDir) {
		return false
	}
	return r.release(lock)
}

// release removes a lock that a command of ours left when it was killed, and
// reports whether it did.
func (r *Repo) release(lock string) bool {
	before, err := os.Lstat(lock)
	if err != nil || !before.Mode().IsRegular() || time.Since(before.ModTime()) < settled ||
		!follows(before, r.leftNotes()) || r.inUse(lock) {
		return false
	}
	now, err := os.Lstat(lock)
	return err == nil && os.SameFile(before, now) && now.ModTime().Equal(before.ModTime()) && os.Remove(lock) == nil
}

// follows reports whether a lock is no older than one of the notes.
func follows(lock fs.FileInfo, notes []string) bool {
	return slices.ContainsFunc(notes, func(note string) bool {
		info, err := os.Lstat(note)
		return err == nil && !lock.ModTime().Before(info.ModTime())
	})
}

// locks returns the lock files that git may have left.
func (r *Repo) locks() []string {
	locks, _ := filepath.Glob(filepath.Join(r.GitDir, "*.lock")) // a folder with a pattern in its name holds none
	if r.CommonDir != r.GitDir {
		shared, _ := filepath.Glob(filepath.Join(r.CommonDir, "*.lock"))
		locks = append(locks, shared...)
	}
	_ = filepath.WalkDir(filepath.Join(r.CommonDir, "refs"), func(path string, _ fs.DirEntry, err error) error { // what cannot be read holds none
		if err == nil && strings.HasSuffix(path, ".lock") {
			locks = append(locks, path)
		}
		return nil
	})
	return locks
}

// forget removes the notes of killed commands that no longer run, and the locks that they
// left behind.
func (r *Repo) forget() {
	left := slices.DeleteFunc(r.leftNotes(), running)
	if len(left) == 0 {
		return
	}
	for _, lock := range r.locks() {
		var pid int // of the git whose index of a partial commit it is; it blocks no other process
		if n, _ := fmt.Sscanf(filepath.Base(lock), "next-index-%d.lock", &pid); n == 1 && atomicfile.Ended(pid) &&
			os.Remove(lock) == nil {
			continue
		}
		if !r.release(lock) {
			return
		}
	}
	for _, f := range left {
		os.Remove(f)
	}
}

// inUse reports whether a git may be running in the repository, or a process has the lock
// open. If that cannot be found out, the lock counts as in use.
func (r *Repo) inUse(lock string) bool {
	all := processes()
	if len(all) == 0 {
		return true
	}
	return slices.ContainsFunc(all, func(p string) bool { return r.uses(p, lock) })
}

// processes returns a folder of /proc for each process; none where the system shows none.
func processes() []string {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	return all
}

// uses does the same for one process, given by its folder in /proc. A process that ends
// meanwhile uses nothing.
func (r *Repo) uses(process, lock string) bool {
	fds, _ := filepath.Glob(process + "/fd/*") // those of other users cannot be seen
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && to == lock {
			return true
		}
	}
	name, err := os.ReadFile(process + "/comm")
	if err != nil || !strings.HasPrefix(string(name), "git") {
		return false
	}
	dir, err := os.Readlink(process + "/cwd")
	args, argsErr := os.ReadFile(process + "/cmdline")
	env, envErr := os.ReadFile(process + "/environ")
	for _, err := range []error{err, argsErr, envErr} {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			return false
		}
	}
	return err != nil || argsErr != nil || envErr != nil || isWithin(dir, r.Dir) || isWithin(dir, r.CommonDir) ||
		slices.ContainsFunc(namedGitDirs(args, env), func(at string) bool {
			if !filepath.IsAbs(at) { // git changes to another folder only if a working tree is named
				at = filepath.Join(dir, at)
				if namesWorkTree(args, env) {
					return true
				}
			}
			return r.holds(at)
		})
}

// namesWorkTree reports whether the arguments or the environment of a git name a working tree.
func namesWorkTree(args, env []byte) bool {
	return bytes.Contains(args, []byte("--work-tree")) || bytes.Contains(env, []byte("GIT_WORK_TREE="))
}

// holds reports whether dir is the git directory of the repository, however it is written. It
// returns true if that cannot be found out.
func (r *Repo) holds(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err != nil || isWithin(real, r.Dir) || isWithin(real, r.CommonDir)
}

// namedGitDirs returns the git directories that the arguments and the environment of a git name.
func namedGitDirs(args, env []byte) (dirs []string) {
	all := strings.Split(string(args), "\x00")
	for i, a := range all {
		if dir, ok := strings.CutPrefix(a, "--git-dir="); ok {
			dirs = append(dirs, dir)
		} else if a == "--git-dir" && i+1 < len(all) {
			dirs = append(dirs, all[i+1])
		}
	}
	for v := range strings.SplitSeq(string(env), "\x00") {
		if dir, ok := strings.CutPrefix(v, "GIT_DIR="); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isWithin reports whether a path is a folder, or is in it.
func isWithin(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return path != "" && dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
