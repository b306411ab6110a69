package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// dead is the id of a process that has ended.
func dead(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("git", "version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func aged(t *testing.T, file string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// A lock is removed only if a command of ours was killed, the lock is not older
// than that, and nobody can be using it.
func TestUnlock(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("locks stay here")
	}
	for name, c := range map[string]struct {
		pid       func(*testing.T) int // of the note's process; nil: no note
		note, age time.Duration
		arrange   func(t *testing.T, r *Repo, lock string)
		want      bool
	}{
		"ours":             {dead, time.Minute, 10 * time.Second, nil, true},
		"nobody's":         {nil, 0, 10 * time.Second, nil, false},
		"of a live server": {func(*testing.T) int { return os.Getppid() }, time.Minute, 10 * time.Second, nil, false},
		"older":            {dead, time.Minute, 2 * time.Minute, nil, false},
		"fresh":            {dead, time.Minute, 0, nil, false},
		"open": {dead, time.Minute, 10 * time.Second, func(t *testing.T, _ *Repo, lock string) {
			f, err := os.Open(lock)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
		}, false},
		"while a git runs": {dead, time.Minute, 10 * time.Second, func(t *testing.T, r *Repo, _ string) {
			cmd := exec.Command("git", "cat-file", "--batch")
			cmd.Dir = r.Dir
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := play(t).Repo
			lock := filepath.Join(r.GitDir, "index.lock")
			aged(t, lock, c.age)
			if c.pid != nil {
				aged(t, filepath.Join(r.GitDir, fmt.Sprintf("%s%d-1", notePrefix, c.pid(t))), c.note)
			}
			if c.arrange != nil {
				c.arrange(t, r, lock)
			}
			got := r.unlock(&Error{Stderr: fmt.Sprintf("fatal: Unable to create '%s': File exists.\n", lock)})
			if _, err := os.Lstat(lock); got != c.want || (err != nil) != c.want {
				t.Errorf("unlock = %v, want %v; the lock: %v", got, c.want, err)
			}
		})
	}
}

// Opening a repository takes away what a git left that was killed with its server,
// though nothing comes into its way.
func TestOpenReleases(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("locks stay here")
	}
	for name, age := range map[string]time.Duration{"settled": 10 * time.Second, "fresh": 0, "older than the command": 2 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			r := play(t).Repo
			note := filepath.Join(r.GitDir, fmt.Sprintf("%s%d-1", notePrefix, dead(t)))
			aged(t, note, time.Minute)
			locks := []string{filepath.Join(r.GitDir, "packed-refs.lock"), filepath.Join(r.GitDir, "refs", "heads", "task.lock")}
			for _, lock := range locks {
				aged(t, lock, age)
			}
			if _, err := Open(t.Context(), r.Dir); err != nil {
				t.Fatal(err)
			}
			for _, file := range append(locks, note) {
				if _, err := os.Lstat(file); os.IsNotExist(err) == (age > time.Minute) {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// The lock is named as git names it, of the index and of a ref.
func TestLockOfAnError(t *testing.T) {
	p := play(t)
	id := p.git("rev-parse", "HEAD")
	for lock, args := range map[string][]string{
		"index.lock":            {"add", "-A"},
		"refs/heads/it's.lock":  {"update-ref", "-m", "why", "refs/heads/it's", id, ""},
		"refs/heads/other.lock": {"update-ref", "refs/heads/other", id},
	} {
		file := filepath.Join(p.GitDir, filepath.FromSlash(lock))
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := p.Repo.Run(t.Context(), args...) // one that reads does not wait
		if e := (*Error)(nil); !errors.As(err, &e) || !e.Locked() || e.Lock() != file {
			t.Errorf("%s: %v", lock, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// Of a git that ends while it is looked at, some files are gone already.
func TestUsesOfAProcessThatEnds(t *testing.T) {
	r := play(t).Repo
	for name, there := range map[string][]string{"at once": nil, "a little later": {"cmdline"}, "whole": {"cmdline", "environ"}} {
		process := t.TempDir()
		if err := os.Symlink(r.Dir, filepath.Join(process, "cwd")); err != nil {
			t.Fatal(err)
		}
		for _, f := range append(there, "comm") {
			if err := os.WriteFile(filepath.Join(process, f), []byte("git\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := r.uses(process, "no lock"), name == "whole"; got != want {
			t.Errorf("%s: uses = %v, want %v", name, got, want)
		}
	}
}

// A git at work elsewhere keeps no lock: only where it is, or what it is told, tells.
func TestUsesOfAProcessElsewhere(t *testing.T) {
	r, other := play(t).Repo, play(t).Repo
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.Dir, link); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(other.Dir, filepath.Join(link, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args, env string
		want      bool
	}{
		"told nothing":         {"git\x00status\x00", "HOME=/\x00", false},
		"of another":           {"git\x00log\x00", "GIT_DIR=" + other.GitDir + "\x00", false},
		"of another, argument": {"git\x00--git-dir=" + other.GitDir + "\x00log\x00", "", false},
		"of this one":          {"git\x00log\x00", "A=b\x00GIT_DIR=" + r.GitDir + "\x00", true},
		"argument":             {"git\x00--git-dir=" + r.GitDir + "\x00log\x00", "", true},
		"argument apart":       {"git\x00--git-dir\x00" + r.GitDir + "\x00log\x00", "", true},
		"through a link":       {"git\x00log\x00", "GIT_DIR=" + filepath.Join(link, ".git") + "\x00", true},
		"a relative one":       {"git\x00log\x00", "GIT_DIR=.git\x00", false},
		"where it is":          {"git\x00unpack-objects\x00", "GIT_DIR=.\x00", false},
		"relative, tree told":  {"git\x00log\x00", "GIT_DIR=.git\x00GIT_WORK_TREE=/x\x00", true},
		"relative, by a link":  {"git\x00log\x00", "GIT_DIR=" + relative + "\x00", true},
		"one that is gone":     {"git\x00log\x00", "GIT_DIR=" + filepath.Join(other.Dir, "gone") + "\x00", true},
	} {
		process := t.TempDir()
		if err := os.Symlink(other.Dir, filepath.Join(process, "cwd")); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"comm": "git\n", "cmdline": c.args, "environ": c.env} {
			if err := os.WriteFile(filepath.Join(process, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.uses(process, "no lock"); got != c.want {
			t.Errorf("%s: uses = %v, want %v", name, got, c.want)
		}
	}
}

// A command goes on where a git that was killed had left its lock, and no note
// is left of either.
func TestLockOfAKilledGit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("locks stay here")
	}
	p := play(t)
	aged(t, filepath.Join(p.GitDir, fmt.Sprintf("%s%d-1", notePrefix, dead(t))), time.Minute)
	aged(t, filepath.Join(p.GitDir, "index.lock"), 10*time.Second)
	aged(t, filepath.Join(p.GitDir, "refs/heads/new.lock"), 10*time.Second)
	if _, err := p.Do(t.Context(), Command{Args: []string{"add", "-A"}, Effect: Writes}); err != nil {
		t.Fatal(err)
	}
	if err := p.MoveRef(t.Context(), "refs/heads/new", p.git("rev-parse", "HEAD"), "", "new"); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(p.GitDir, notePrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
