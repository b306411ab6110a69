package commitlog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A repository is one in a folder of its own, with a program as everything that git
// can be told to run: it leaves a file behind.
type repository struct {
	*testing.T
	dir, kept string
	clock     int
}

func play(t *testing.T) *repository {
	t.Helper()
	for key, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": filepath.Join(t.TempDir(), "none"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com",
		"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
	} {
		t.Setenv(key, value)
	}
	r := &repository{T: t, dir: filepath.Join(t.TempDir(), "the project"), kept: t.TempDir()}
	if out, err := exec.Command("git", "init", "-q", "-b", "main", r.dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return r
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	r.clock += 60
	date := fmt.Sprintf("%d +0000", 1700000000+r.clock)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit changes files, named with spaces between them, and commits them.
func (r *repository) commit(names string) {
	r.Helper()
	for _, name := range strings.Fields(names) {
		file := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.Fatal(err)
		}
		text := ""
		for i := range 20 {
			text += fmt.Sprintf("%s line %d\n", filepath.Base(name), i)
		}
		if err := os.WriteFile(file, fmt.Appendf(nil, "%s%d\n", text, r.clock), 0o600); err != nil {
			r.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "Change "+names)
}

func (r *repository) log() *Log {
	r.Helper()
	l, err := New(r.dir, r.kept, Step).Log(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return l
}

// together is what changed together with a file, as "name 2/3".
func together(l *Log, file string) []string {
	list := []string{}
	for _, c := range l.Together([]string{file}, func(string) bool { return true }) {
		list = append(list, fmt.Sprintf("%s %d/%d", c.File, c.Together, c.Changes))
	}
	return list
}

func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(*repository)
		want []string // of the file a
	}{
		{"counts", func(r *repository) {
			r.commit("a b")
			r.commit("a b c")
			r.commit("a")
			r.commit("c")
		}, []string{"b 2/3", "c 1/3"}},
		{"renamed", func(r *repository) {
			r.commit("old b")
			r.commit("old b")
			r.git("mv", "old", "a")
			r.git("commit", "-q", "-m", "Rename")
			r.commit("a c")
		}, []string{"b 2/4", "c 1/4"}},
		{"companion renamed", func(r *repository) {
			r.commit("a old")
			r.git("mv", "old", "sub")
			r.git("commit", "-q", "-m", "Rename")
			r.commit("a sub")
		}, []string{"sub 2/2"}},
		{"merges are left out", func(r *repository) {
			r.commit("a")
			r.git("switch", "-q", "-c", "side")
			r.commit("a b")
			r.git("switch", "-q", "main")
			r.commit("c d")
			r.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
		}, []string{"b 1/2"}},
		{"huge commits are left out", func(r *repository) {
			all := "a"
			for i := range maxTogether {
				all += fmt.Sprintf(" f%d", i)
			}
			r.commit(all)
			r.commit("a b")
		}, []string{"b 1/1"}},
		{"moved with hundreds of others", func(r *repository) {
			all := ""
			for i := range maxFiles + 20 {
				all += fmt.Sprintf(" src/f%d", i)
			}
			r.commit("src/a src/b")
			r.commit(all)
			r.git(append(append([]string{"mv"}, strings.Fields(all)...), "src/a", "src/b", ".")...)
			r.git("commit", "-q", "-m", "Move")
		}, []string{"b 1/1"}},
		{"detached", func(r *repository) {
			r.commit("a b")
			r.commit("a c")
			r.git("checkout", "-q", "--detach", "HEAD~1")
		}, []string{"b 1/1"}},
		{"rewritten", func(r *repository) {
			r.commit("a b")
			r.git("switch", "-q", "-c", "side")
			r.commit("a c")
			r.log() // keeps what is left behind
			r.git("switch", "-q", "main")
			r.commit("a d")
			r.git("switch", "-q", "side")
			r.git("commit", "-q", "--amend", "--allow-empty", "-m", "Other words")
		}, []string{"c 1/2", "b 1/2"}},
		{"odd names", func(r *repository) {
			r.commit("a 日本語 :(top)x -n * a->b")
		}, []string{"* 1/1", "-n 1/1", ":(top)x 1/1", "a->b 1/1", "日本語 1/1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := play(t)
			c.make(r)
			if diff := cmp.Diff(c.want, together(r.log(), "a")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// whole compares logs by all that they say.
func whole(t *testing.T, what string, got, want *Log) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Log{}, Commit{}), cmpopts.IgnoreFields(Log{}, "repo")); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// TestSameWhateverIsKept goes from commit to commit of a history with branches, merges
// and renames, and back, with a file that is kept all the way, or cut or spoilt on it: each
// commit has the log that a reader without any file gives.
func TestSameWhateverIsKept(t *testing.T) {
	r := play(t)
	random := rand.New(rand.NewPCG(1, 2))
	var commits []string
	for i := range 30 {
		names := ""
		for range 1 + random.IntN(4) {
			names += fmt.Sprintf(" d/f%d", random.IntN(8))
		}
		r.commit(names)
		commits = append(commits, r.git("rev-parse", "HEAD"))
		switch random.IntN(6) {
		case 0:
			r.git("checkout", "-q", "-B", fmt.Sprintf("b%d", i), commits[random.IntN(len(commits))])
		case 1:
			r.git("merge", "-q", "-m", "Merge", "-s", "ours", commits[random.IntN(len(commits))])
		case 2:
			if from := fmt.Sprintf("d/f%d", random.IntN(8)); strings.Contains(r.git("ls-files"), from) {
				r.git("mv", "-f", from, fmt.Sprintf("d/f%d", 8+random.IntN(3)))
				r.git("commit", "-q", "--allow-empty", "-m", "Move")
			}
		}
	}
	reader := New(filepath.Join(r.dir, "d"), r.kept, Step)
	for i := range 30 {
		at := commits[random.IntN(len(commits))]
		file := filepath.Join(r.kept, keptName)
		switch random.IntN(5) {
		case 0:
			reader = New(filepath.Join(r.dir, "d"), r.kept, Step)
		case 1:
			reader.Forget()
		case 2:
			if data, err := os.ReadFile(file); err == nil {
				data[random.IntN(len(data))] ^= 1 << random.IntN(8)
				if err := os.WriteFile(file, data[:len(data)-random.IntN(2)*random.IntN(len(data))], 0o600); err != nil {
					t.Fatal(err)
				}
				reader.Forget()
			}
		}
		got, err := reader.At(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		want, err := New(filepath.Join(r.dir, "d"), t.TempDir(), Step).At(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, fmt.Sprintf("step %d, %s", i, at), got, want)
	}
}

// A log that is read in steps says what is missing, and ends as one that is read at once.
func TestSteps(t *testing.T) {
	r := play(t)
	for i := range 7 {
		r.commit(fmt.Sprintf("a b%d", i))
	}
	reader := New(r.dir, r.kept, 3)
	for _, unread := range []int{4, 1, 0, 0} {
		l, err := reader.Log(t.Context())
		if err != nil || l.Unread != unread || len(l.Commits) != 7-unread {
			t.Fatalf("%d of %d unread, want %d: %v", l.Unread, len(l.Commits), unread, err)
		}
		if l.Commits[0].Files[1].Path != "b6" {
			t.Errorf("the newest is not read first: %v", l.Commits[0].Files)
		}
	}
	got, err := reader.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole(t, "in steps", got, r.log())
	r.commit("a c")
	if err := reader.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l := r.log(); l.Unread != 0 || len(l.Commits) != 8 {
		t.Errorf("%d commits, %d unread", len(l.Commits), l.Unread)
	}
}

func TestAbsence(t *testing.T) {
	t.Run("no repository", func(t *testing.T) {
		l, err := New(t.TempDir(), t.TempDir(), Step).Log(t.Context())
		if err != nil || l.Absence != NoRepository || len(together(l, "a")) > 0 || l.Changes("a") != nil {
			t.Errorf("%+v, %v", l, err)
		}
	})
	t.Run("no commit", func(t *testing.T) {
		r := play(t)
		if l := r.log(); l.Absence != NoCommit {
			t.Errorf("%+v", l)
		}
	})
	t.Run("no git", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		l, err := New(t.TempDir(), t.TempDir(), Step).Log(t.Context())
		if err != nil || l.Absence != NoGit {
			t.Errorf("%+v, %v", l, err)
		}
	})
	t.Run("repository removed meanwhile", func(t *testing.T) {
		r := play(t)
		r.commit("a")
		reader := New(r.dir, r.kept, Step)
		if _, err := reader.Log(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
			t.Fatal(err)
		}
		if l, err := reader.Log(t.Context()); err != nil || l.Absence != NoRepository {
			t.Errorf("%+v, %v", l, err)
		}
	})
}

// The commit at which a shallow clone ends looks as if it had added all files. It says
// nothing; and when the clone gets deeper, its changes are known.
func TestShallow(t *testing.T) {
	r := play(t)
	r.commit("a b c d")
	r.commit("a b")
	r.commit("a c")
	clone := &repository{T: t, dir: filepath.Join(t.TempDir(), "clone"), kept: t.TempDir()}
	r.git("clone", "-q", "--depth=2", "file://"+r.dir, clone.dir)
	reader := New(clone.dir, clone.kept, Step)
	l, err := reader.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c 1/1"}, together(l, "a")); diff != "" || !l.Shallow {
		t.Errorf("shallow %v: %s", l.Shallow, diff)
	}
	clone.git("fetch", "-q", "--unshallow")
	if l, err = reader.Log(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c 2/3", "b 2/3", "d 1/3"}, together(l, "a")); diff != "" || l.Shallow {
		t.Errorf("shallow %v: %s", l.Shallow, diff)
	}
}

// A clone without file contents is read without fetching any.
func TestPartialClone(t *testing.T) {
	r := play(t)
	r.commit("a b")
	r.git("mv", "b", "c")
	r.commit("a c d") // renamed and changed
	r.git("config", "uploadpack.allowFilter", "true")
	clone := &repository{T: t, dir: filepath.Join(t.TempDir(), "clone"), kept: t.TempDir()}
	r.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+r.dir, clone.dir)
	l := clone.log()
	if got := together(l, "a"); len(got) < 2 || l.Unread > 0 {
		t.Errorf("%v, %d unread", got, l.Unread)
	}
	if objects := clone.git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"); strings.Contains(objects, "blob") {
		t.Errorf("fetched:\n%s", objects)
	}
}

// TestRunsNothing reads a repository that tells git to run a program wherever it can.
func TestRunsNothing(t *testing.T) {
	r := play(t)
	r.commit("a b")
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+ran+"'\ncat \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, ".gitattributes"), []byte("* diff=evil filter=evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.commit("a b")
	for _, key := range []string{"diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "gpg.program", "core.pager"} {
		r.git("config", key, program)
	}
	r.git("config", "log.showSignature", "true")
	l := r.log()
	place := r.lineHistory(l, "a")
	if o, err := place.Origin(t.Context(), 3); err != nil || o.Commit == "" {
		t.Fatal(o, err)
	}
	if list, err := place.Changed(t.Context(), 1, 21, 5); err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	if list, err := l.Describe(t.Context(), []string{l.Head}); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository was run")
	}
}

func FuzzDecode(f *testing.F) {
	commits, paths := encode(map[string]*Commit{"0123456789012345678901234567890123456789": {Total: 2, Files: []File{{Path: "a", Old: "b"}, {Path: "c", Gone: true}}}})
	f.Add(commits, string(paths))
	f.Add([]byte{1, 2, 255, 255, 255, 255, 255}, "")
	f.Fuzz(func(t *testing.T, commits []byte, paths string) { decode(commits, paths) })
}
