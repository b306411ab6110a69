//go:build unix

package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/failpoint"
)

// sleeper returns a line of shell that leaves a process behind, which holds what it
// has inherited, and a function that says whether that still runs.
func sleeper(t *testing.T) (line string, runs func() bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sleeper")
	pid := func() int {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id, err := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	t.Cleanup(func() { _ = syscall.Kill(pid(), syscall.SIGKILL) })
	return fmt.Sprintf("sleep 300 & echo $! >'%s'", file), func() bool { return !atomicfile.Ended(pid()) }
}

// hook makes a hook of the repository.
func (p playground) hook(name, script string) {
	p.Helper()
	file := filepath.Join(p.GitDir, "hooks", name)
	p.write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(file, 0o755); err != nil {
		p.Fatal(err)
	}
}

// A hook that leaves a process behind, which holds git's output, neither holds up
// the command nor makes it fail, and nothing that was printed is lost.
func TestHookLeavesAProcessBehind(t *testing.T) {
	p := play(t)
	line, runs := sleeper(t)
	p.hook("post-commit", line)
	if _, err := p.Do(t.Context(), Command{Args: []string{"commit", "-q", "--allow-empty", "-m", "x"}, Effect: Hooks}); err != nil {
		t.Errorf("the commit was made, and err = %v", err)
	}
	if !runs() {
		t.Error("it was waited for until the process ended")
	}
	p.hook("post-commit", "")
	line, runs = sleeper(t)
	p.hook("pre-commit", line+"; echo no >&2; exit 1")
	_, err := p.Do(t.Context(), Command{Args: []string{"commit", "-q", "--allow-empty", "-m", "x"}, Effect: Hooks})
	if e, ok := err.(*Error); !ok || e.Exit != 1 || e.Output() != "no" {
		t.Errorf("err = %v, want the hook's words", err)
	}
	if !runs() {
		t.Error("it was waited for until the process ended")
	}
}

// What git printed is read to its end, although its reader comes late and somebody
// holds the pipe open.
func TestOutputHeldOpen(t *testing.T) {
	p := play(t)
	line, runs := sleeper(t)
	pid := filepath.Join(t.TempDir(), "pid")
	const size = 60_000 // a pipe holds that
	script := fmt.Sprintf("!%s; head -c %d /dev/zero; echo $PPID >'%s.new'; mv '%s.new' '%s'", line, size, pid, pid, pid)
	got := 0
	err := p.pipe(t.Context(), Command{Args: []string{"-c", "alias.noise=" + script, "noise"}}, func(out io.Reader) error {
		for { // until git has ended
			data, err := os.ReadFile(pid)
			if id, convErr := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && convErr == nil && atomicfile.Ended(id) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		data, err := io.ReadAll(out)
		got = len(data)
		return err
	})
	if err != nil || got != size {
		t.Errorf("read %d of %d bytes: %v", got, size, err)
	}
	if !runs() {
		t.Error("it was waited for until the process ended")
	}
}

// A process that goes on printing after git has ended is not listened to for ever.
func TestEndlessOutput(t *testing.T) {
	p := play(t)
	file := filepath.Join(t.TempDir(), "pid")
	_, err := p.Do(t.Context(), Command{Args: []string{"-c", "alias.noise=!yes & echo $! >'" + file + "'", "noise"}})
	if err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(id, syscall.SIGKILL) // the pipe's end has ended it, or this does
}

// Whoever opens a repository finds it at rest: the git of a killed process is
// waited for.
func TestOpenWaitsForAnOrphan(t *testing.T) {
	p := play(t)
	dir := t.TempDir()
	goAhead, started := filepath.Join(dir, "go"), filepath.Join(dir, "started")
	p.hook("pre-commit", fmt.Sprintf(": >'%s'; while ! test -e '%s'; do sleep 0.01; done", started, goAhead))

	// A git that runs, and whose process has ended: its note says so.
	note := filepath.Join(p.GitDir, fmt.Sprintf("%s%d-1", notePrefix, dead(t)))
	if err := os.WriteFile(note, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", "By an orphan")
	cmd.Dir = p.Dir
	release := share(cmd, note)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	release()
	if held, err := atomicfile.Locked(note); err != nil || !held {
		if len(cmd.ExtraFiles) == 0 {
			t.Skip("a lock cannot be handed on here")
		}
		t.Fatalf("the note of a running git is locked: %v, %v", held, err)
	}
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	opened := make(chan *Repo)
	go func() {
		r, err := Open(context.Background(), p.Dir)
		if err != nil {
			t.Error(err)
		}
		opened <- r
	}()
	if err := os.WriteFile(goAhead, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := <-opened
	out, err := r.Run(t.Context(), "log", "-1", "--format=%s")
	if err != nil || out != "By an orphan\n" {
		t.Errorf("the repository is opened before the orphan has ended: the last commit is %q, %v", out, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := Open(t.Context(), p.Dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(note); err == nil {
		t.Error("the note of an orphan that has ended is still there")
	}
}

// diesIn is set in a process that dies in the middle of a command in that repository.
const diesIn = "GIT_TEST_DIES_IN"

// A git whose parent is killed does what it was told, all of it and nothing else: it
// has what it reads. Of a list that is empty "git add" would take every file.
func TestInputOfAnOrphan(t *testing.T) {
	list := strings.Repeat(":(top,literal)mine\x00", 20_000) + ":(top,literal)last" // more than a pipe holds
	if dir := os.Getenv(diesIn); dir != "" {
		r, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		failpoint.Install(func(name string) {
			if name == "git add: running" {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		})
		_, err = r.Do(t.Context(), Command{
			Args: []string{"add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"}, Effect: Writes,
			Stdin: strings.NewReader(list), Env: []string{"GIT_LITERAL_PATHSPECS=0"},
		})
		t.Fatalf("it lives: %v", err)
	}
	p := play(t)
	for _, name := range []string{"mine", "last", "the user's"} {
		p.write(name, "x\n")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestInputOfAnOrphan$")
	cmd.Env = append(os.Environ(), diesIn+"="+p.Dir)
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
	if _, err := Open(t.Context(), p.Dir); err != nil { // waits for it
		t.Fatal(err)
	}
	if staged := p.git("diff", "--cached", "--name-only"); staged != "last\nmine" {
		t.Errorf("staged are\n%s", staged)
	}
	if left, err := filepath.Glob(filepath.Join(p.GitDir, notePrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// The note of a git that still runs stays: it may yet leave a lock.
func TestNoteOfARunningOrphan(t *testing.T) {
	p := play(t)
	note := filepath.Join(p.GitDir, fmt.Sprintf("%s%d-1", notePrefix, dead(t)))
	if err := os.WriteFile(note, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir = p.Dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	release := share(cmd, note)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	release()
	if len(cmd.ExtraFiles) == 0 {
		t.Skip("a lock cannot be handed on here")
	}
	p.write("new", "x\n")
	p.git("add", "new")
	if _, err := os.Lstat(note); err != nil {
		t.Errorf("its note is gone: %v", err)
	}
}

// A reader that is at work when git ends reads on, whenever that is.
func TestOutputEndsWhileRead(t *testing.T) {
	printed := strings.Repeat("x", 2000)
	for range 1000 {
		var stream io.Writer
		o, err := newOutput(&stream)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(stream, printed); err != nil {
			t.Fatal(err)
		}
		go o.end()
		if data, err := io.ReadAll(iotest.OneByteReader(o)); err != nil || string(data) != printed {
			t.Fatalf("read %d of %d bytes: %v", len(data), len(printed), err)
		}
		o.close()
	}
}
