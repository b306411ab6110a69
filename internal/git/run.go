package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/procgroup"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/problem"
)

// An Error is a git command that failed.
type Error struct {
	Args   []string // without "git"
	Exit   int      // exit code; -1 if it was killed
	Stderr string   // what git, or a hook of the repository, said
	Stdout string   // likewise: hooks speak on either
	quotes string   // a file in whose place a link leads out of the repository, so that git may quote another
}

func (e *Error) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if e.quotes != "" {
		said = e.withheldText()
	}
	return fmt.Sprintf("git %s: exit %d: %s", verb(e.Args), e.Exit, said)
}

// withheldText is the text that replaces output which may quote secrets.
func (e *Error) withheldText() string { return msg.New("git.unsaid", e.quotes).String() }

// verb returns the name of the command in its arguments.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// outOfMemory reports whether git needed more than its limit: a repository can hold in a
// few kilobytes what unfolds to any size.
func (e *Error) outOfMemory() bool {
	return strings.Contains(strings.ToLower(e.Stderr), "out of memory") || strings.Contains(e.Stderr, "mmap failed")
}

// Codes of the problem that git needs more than it is given.
const (
	repositoryUnfolds problem.Code = "repository_unfolds" // of memory
	gitTooSlow        problem.Code = "git_too_slow"       // of processor time
)

// An excess is the error of a git that was stopped because it needed too much.
type excess struct {
	failed *Error
	code   problem.Code
	what   msg.Message
	next   msg.Message
}

func (e *excess) Error() string { return e.failed.Error() }
func (e *excess) Unwrap() error { return e.failed }

// AsProblem returns what a surface shows.
func (e *excess) AsProblem() (code string, what msg.Message, next []msg.Message) {
	return string(e.code), e.what, []msg.Message{e.next}
}

// Failed is the code of the problem that an [Error] becomes if nothing more is known of it.
const Failed problem.Code = "git_failed"

// AsFailure returns what a surface shows of an error that was not handled.
func (e *Error) AsFailure() (code string, what msg.Message, next []msg.Message) {
	return string(Failed), msg.New("git.failed", verb(e.Args), e.Exit, e.Output()), []msg.Message{msg.New("git.look_at_repository")}
}

// Output returns what the command printed, errors first, to be shown word for word.
func (e *Error) Output() string {
	if e.quotes != "" {
		return e.withheldText()
	}
	return strings.TrimSpace(strings.TrimSpace(e.Stderr) + "\n" + strings.TrimSpace(e.Stdout))
}

// ExitCode returns the exit code of the failed git command that err is or
// wraps, 0 for nil, and -1 for any other error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Exit
	}
	return -1
}

// An Effect says what a command may do besides printing its answer.
type Effect string

// The effects. They decide locks and environment, not permission.
const (
	Reads Effect = "reads" // takes no lock that another git would have to wait for
	// Writes is for objects, refs, index and files. A lock that another git
	// holds for a moment (an editor asking for the status) is waited for.
	Writes Effect = "writes"
	// Hooks is as Writes, and hooks of the repository may run: they get the
	// user's own locale, but for the language of messages, and pathspec rules.
	Hooks Effect = "hooks"
)

// Limits of the memory of a git that reads, in bytes, where the system can set them.
const (
	maxHeap     = 512 << 20
	maxHeapBare = 256 << 20 // without the working tree, which history is read in
)

// Limits of the processor time of a git that reads, or only stores what may be thrown away, where the
// system can set them. Five stars in one line of .gitignore are enough to keep git busy for days.
const (
	maxTime        = time.Minute
	maxTimeStoring = 5 * time.Minute
	maxTimeFiles   = 8 * time.Second // of one that matches patterns with names of files
	indexPerSecond = 1 << 20         // that one gets a second more for so many bytes of the index: some 10,000 files
)

// A Command is one call of git.
type Command struct {
	Args   []string
	Effect Effect    // Reads if empty
	Env    []string  // more of the environment: "GIT_INDEX_FILE=…"
	Stdin  io.Reader // nil: nothing. Read from its start again if the call is repeated, so give a Seeker to one that Writes
	Out    io.Writer // takes what is printed, as it comes; nil: Do returns it
	Bare   bool      // the working tree has no part in it: no attributes of its files count
}

func (c Command) writes() bool { return c.Effect != "" && c.Effect != Reads }

// changes reports whether the command may change refs, files or the index that the user
// has. Some only add objects, or write into an index of their own.
func (c Command) changes() bool {
	switch verb(c.Args) {
	case "write-tree", "commit-tree", "hash-object":
		return false
	case "add", "update-index", "read-tree":
		return !slices.ContainsFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_INDEX_FILE=") })
	}
	return c.writes()
}

// Run runs a reading command in the top level and returns what it printed.
// Paths in args are literal: no pattern, no magic.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	return r.Do(ctx, Command{Args: args})
}

// Do runs a command and returns what it printed, unless it went to c.Out.
func (r *Repo) Do(ctx context.Context, c Command) (string, error) {
	const most = 40 // times waited for another git's lock, 3 s in all
	healed := false
	for attempt := 0; ; attempt++ {
		var out bytes.Buffer
		err := r.pipe(ctx, c, func(p io.Reader) error {
			to := c.Out
			if to == nil {
				to = &out
			}
			_, err := io.Copy(to, p)
			return err
		})
		e := (*Error)(nil)
		if !c.writes() || !errors.As(err, &e) || !e.Locked() {
			return out.String(), err
		}
		if attempt == most {
			if healed || !r.unlock(e) {
				return out.String(), err
			}
			attempt, healed = 0, true
		}
		if s, ok := c.Stdin.(io.Seeker); ok {
			if _, err := s.Seek(0, io.SeekStart); err != nil {
				return "", fmt.Errorf("git: repeat %s: %w", verb(c.Args), err)
			}
		} else if c.Stdin != nil {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(75 * time.Millisecond):
		}
	}
}

// Locked reports whether the command failed because another git process holds
// a lock, or died holding it.
func (e *Error) Locked() bool {
	return strings.Contains(e.Stderr, ".lock': File exists") || strings.Contains(e.Stderr, "could not lock config file")
}

// pipe runs a command and hands what it prints to read as it comes.
func (r *Repo) pipe(ctx context.Context, c Command, read func(io.Reader) error) error {
	if r.Before != nil {
		if err := r.Before(c.Args); err != nil {
			return err
		}
	}
	if r.After != nil {
		defer r.After(c.Args)
	}
	if err := r.admit(c); err != nil {
		return err
	}
	settings, err := r.settings(ctx, c)
	if err != nil {
		return err
	}
	caller := ctx
	ctx, stop := r.watch(ctx)
	defer stop()
	cmd := r.command(ctx, c, settings)
	out, err := newOutput(&cmd.Stdout)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	defer out.close()
	errs, err := newOutput(&cmd.Stderr)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	defer errs.close()
	point := func(when string) {
		if c.writes() {
			failpoint.Point("git " + verb(c.Args) + ": " + when)
		}
	}
	ended, err := r.note(c, cmd)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	// One that is stopped leaves nothing half done, and nothing stored that a filter would have changed.
	limited := (!c.changes() || r.objects != "") && !r.storesUnfiltered(ctx, c)
	point("before")
	if err := cmd.Start(); err != nil {
		ended(true)
		if errors.Is(err, exec.ErrNotFound) {
			return ErrNoGit
		}
		return fmt.Errorf("git: start: %w", err)
	}
	if limited {
		limitProcess(cmd.Process.Pid, c.memoryLimit(), r.cpuTime(c))
	}
	out.started()
	errs.started()
	point("running")
	waited := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		out.end()
		errs.end()
		waited <- err
	}()
	said := make(chan string, 1)
	go func() {
		stderr := &tail{limit: 64 << 10}
		_, _ = io.Copy(stderr, errs) // a tail takes everything
		said <- stderr.String()
	}()
	kept := &tail{limit: 64 << 10}
	readErr := read(io.TeeReader(out, kept))
	if readErr != nil {
		if !c.writes() {
			stop() // the rest is of no use
		}
		_, _ = io.Copy(io.Discard, out) // but git must not be killed over a full pipe
	}
	err, stderr := <-waited, <-said
	if errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		err = nil // git has ended well, and whom it left behind reads on
	}
	if err != nil && !c.changes() {
		procgroup.KillRest(cmd) // a filter may run on when a limit has ended git
	}
	point("after")
	ended(cmd.ProcessState.Exited())
	if err == nil && c.writes() {
		r.forget()
	}
	if err := caller.Err(); err != nil {
		return fmt.Errorf("git %s: %w", verb(c.Args), err)
	}
	if refused := new(repofile.Refusal); errors.As(context.Cause(ctx), &refused) {
		return refused // see watch
	}
	if readErr != nil && !c.writes() {
		return readErr
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		failed := &Error{Args: c.Args, Exit: exit.ExitCode(), Stderr: stderr, Stdout: kept.String(), quotes: r.quotes()}
		return r.whyStopped(c, failed, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	if err != nil {
		return fmt.Errorf("git %s: %w", verb(c.Args), err)
	}
	return readErr
}

// whyStopped returns the error of a command that failed after so much processor time: an excess if it
// reached a limit.
func (r *Repo) whyStopped(c Command, failed *Error, used time.Duration) error {
	most := r.cpuTime(c)
	switch {
	case failed.outOfMemory():
		return &excess{failed, repositoryUnfolds, msg.New("git.out_of_memory", verb(c.Args), c.memoryLimit()>>20), msg.New("git.do_without_history")}
	case failed.Exit >= 0 || used < most-time.Second/2:
		return failed
	}
	next := "git.look_at_repository"
	if c.reach() == everything {
		next = "git.look_at_patterns"
	}
	return &excess{failed, gitTooSlow, msg.New("git.out_of_time", verb(c.Args), int(most.Seconds())), msg.New(next)}
}

// longestArgument is how long an argument may be on Linux, in bytes.
const longestArgument = 128<<10 - 1

// systemPasses reports whether a system passes an argument on.
func systemPasses(arg string) bool {
	return len(arg) <= longestArgument && !strings.ContainsRune(arg, 0)
}

// admit refuses commands that must not run, and drops cached answers that the command
// invalidates.
func (r *Repo) admit(c Command) error {
	if i := slices.IndexFunc(c.Args, func(arg string) bool { return !systemPasses(arg) }); i >= 0 {
		return &Error{Args: c.Args[:i], Exit: 128, Stderr: "fatal: an argument is longer than 128 KB or holds a NUL byte"}
	}
	if c.changes() {
		r.held.trees, r.held.lines = nil, nil
	}
	if c.writes() && r.objects == "" && r.borrows() {
		refused := problem.New(borrowedRepository, "git.borrowed", r.Dir, filepath.Dir(r.CommonDir))
		if r.GitDir != r.CommonDir {
			return refused.Or("git.repair_the_working_tree", filepath.Join(r.Dir, ".git"))
		}
		return refused.Or("git.remove_the_leading_file", filepath.Join(r.Dir, ".git"))
	}
	return r.checkSafeToOpen(c)
}

// borrowedRepository is the code of the problem that .git leads to the repository of another project.
const borrowedRepository problem.Code = "borrowed_repository"

// borrows reports whether the repository belongs to another folder: who packed this one
// could have commits of it written there. So it is where .git is a file or link to the .git of
// another folder, unless core.worktree says there that the files lie here. So it is, too, where
// the repository is shared, unless it knows this folder as a linked working tree of it.
func (r *Repo) borrows() bool {
	switch {
	case r.GitDir == "":
		return false
	case r.GitDir != r.CommonDir:
		return !r.linked()
	case filepath.Base(r.GitDir) != ".git" || filepath.Dir(r.GitDir) == r.Dir:
		return false // a submodule has a folder of its own
	}
	config, err := repofile.At(filepath.Join(r.GitDir, "config")).Read(repofile.Settings)
	return err != nil || !strings.Contains(strings.ToLower(string(config)), "worktree")
}

// linked reports whether the common directory knows this folder as a linked working tree.
func (r *Repo) linked() bool {
	if filepath.Dir(r.GitDir) != filepath.Join(r.CommonDir, "worktrees") {
		return false
	}
	text, err := repofile.At(filepath.Join(r.GitDir, "gitdir")).Read(repofile.Settings)
	if err != nil {
		return false
	}
	back := strings.TrimSpace(string(text))
	if !filepath.IsAbs(back) {
		back = filepath.Join(r.GitDir, back)
	}
	known, err := os.Stat(filepath.Dir(back))
	here, hereErr := os.Stat(r.Dir)
	return filepath.Base(back) == ".git" && err == nil && hereErr == nil && os.SameFile(known, here)
}

// command returns the process of a command, which is not started.
func (r *Repo) command(ctx context.Context, c Command, settings []setting) *exec.Cmd {
	cmd := searchpath.Command(ctx, r.Dir, "git", plainOutputArgs(c.Args)...)
	env := cmd.Env
	if (c.writes() || c.reach() == everything) && r.runsPrograms(ctx, c) {
		env = os.Environ() // they are trusted, and may need what the project has on PATH
	}
	cmd.Env = slices.Concat(environment(env, c), asEnvironment(settings), r.objectsEnv())
	if c.Bare && r.GitDir != "" {
		cmd.Dir = r.GitDir
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+r.GitDir)
	}
	cmd.Stdin = c.Stdin
	interruptible(cmd)
	if !c.changes() {
		procgroup.EndWithParent(cmd) // no other process needs its result
	}
	return cmd
}

// memoryLimit returns how many bytes of memory the command may take.
func (c Command) memoryLimit() uint64 {
	if c.Bare {
		return maxHeapBare
	}
	return maxHeap
}

// cpuTime returns how much processor time a command may take.
func (r *Repo) cpuTime(c Command) time.Duration {
	switch {
	case c.changes() && r.objects == "":
		return math.MaxInt64
	case r.maxCPU > 0:
		return r.maxCPU
	case c.writes():
		return maxTimeStoring
	case c.reach() != everything:
		return maxTime
	}
	most := maxTimeFiles
	if index, err := os.Stat(filepath.Join(r.GitDir, "index")); err == nil {
		most += time.Duration(index.Size()/indexPerSecond) * time.Second
	}
	return most
}

// inherited are the variables of git's that a user may have set on purpose. All
// others come from a surrounding git (a hook) and would bend every command to
// that one's repository, index or author.
var inherited = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true,
	"GIT_EXEC_PATH": true, "GIT_TEMPLATE_DIR": true, "GIT_CEILING_DIRECTORIES": true,
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_COMMITTER_NAME": true, "GIT_COMMITTER_EMAIL": true,
}

// environment returns the environment of a command, out of the process's own.
func environment(own []string, c Command) []string {
	env := make([]string, 0, len(own)+8)
	for _, v := range own {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GIT_") && !inherited[name] {
			continue
		}
		env = append(env, v)
	}
	// What is compared is what would be pushed, whatever refs/replace puts in its place
	// and whatever parents are grafted onto it.
	env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_MERGE_AUTOEDIT=no",
		"GIT_GRAFT_FILE="+filepath.Join(os.DevNull, "none"), "GIT_NO_REPLACE_OBJECTS=1")
	if c.Effect == Hooks {
		env = plainMessages(env)
	} else {
		env = append(env, "LC_ALL=C", "GIT_LITERAL_PATHSPECS=1", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1") // no network
	}
	if !c.writes() {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	return append(env, c.Env...)
}

// plainMessages makes git print English messages, which Locked reads, and leaves the rest of
// the user's locale as it is: LC_ALL, which would decide the language too, is replaced by the
// other variables.
func plainMessages(env []string) []string {
	all := ""
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "LC_ALL="); ok {
			all = value
		}
	}
	if all != "" {
		for _, category := range []string{"LANG", "LC_CTYPE", "LC_COLLATE", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"} {
			env = append(env, category+"="+all)
		}
		env = append(env, "LC_ALL=")
	}
	return append(env, "LC_MESSAGES=C")
}

// A tail keeps the last bytes written to it, so that a hook that prints without
// end costs no memory.
type tail struct {
	limit int
	buf   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > t.limit { // cut seldom, not at each write
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf[max(0, len(t.buf)-t.limit):]) }
