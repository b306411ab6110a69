package verify

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/procgroup"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
)

// defaultTimeout is how long the command of a verifier may take that names no
// timeout.
const defaultTimeout = 10 * time.Minute

const (
	grace    = 2 * time.Second // between asking a command to end and killing it
	kept     = 256 << 10       // bytes of output that expect.output is checked against: the last
	tailSize = 8 << 10         // bytes of output that a Result holds: the last
)

// A Result is the result of one verifier.
type Result struct {
	Name     string            `json:"name"`
	Command  []string          `json:"command,omitempty"`
	Files    []string          `json:"files,omitempty"` // changed files that it is for
	Passed   bool              `json:"passed"`
	Exit     int               `json:"exit"` // exit status; -1 if it did not end by itself
	TimedOut bool              `json:"timed_out,omitempty"`
	Why      msg.Message       `json:"why,omitzero"`     // why it did not pass
	Skipped  msg.Message       `json:"skipped,omitzero"` // why it was not run; nothing below and above tells anything then
	Millis   int64             `json:"duration_ms"`
	Tail     string            `json:"tail,omitempty"`   // last lines of its output, both streams as they came
	Failed   []string          `json:"failed,omitempty"` // tests that its output names as failed, of test programs that are known
	Cut      bool              `json:"-"`                // its output was too long to be kept: Failed may lack some
	Ran      []syntax.Language `json:"-"`                // whose tests its output says passed, of test programs that are known
}

// RanOf returns those of some test files in whose languages the command, which passed, says that it ran tests.
func (r Result) RanOf(tests []string) (ran []string) {
	for _, file := range tests {
		if r.Passed && slices.Contains(r.Ran, syntax.Detect(file, nil)) {
			ran = append(ran, file)
		}
	}
	return ran
}

// MarshalJSON leaves out the fields of a finished command if it did not run: "passed":
// false would read as a failure.
func (r Result) MarshalJSON() ([]byte, error) {
	type ran Result
	if r.Skipped.IsZero() {
		return json.Marshal(ran(r))
	}
	return json.Marshal(struct {
		Name    string      `json:"name"`
		Command []string    `json:"command,omitempty"`
		Files   []string    `json:"files,omitempty"`
		Skipped msg.Message `json:"skipped"`
	}{r.Name, r.Command, r.Files, r.Skipped})
}

// errTimeout is the cause of a context whose command took too long.
var errTimeout = errors.New("timeout")

// run runs the command of a verifier in the project's root, and waits for it.
//
// The command is an argument vector and never goes through a shell. Its standard input is
// empty. It has the environment of this process without the variables whose names begin with
// CODE_INTEL_, and leads a process group of its own. At its timeout, or when ctx ends, the
// group gets SIGTERM, and SIGKILL if it does not end; processes that the command leaves behind
// are killed too. If ctx ended, the error is its cause, and the Result is meaningless.
func run(ctx context.Context, root string, c Choice) (Result, error) {
	r := Result{Name: c.Name, Command: c.Command, Files: c.Files, Exit: -1}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	within, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()

	var out tailWriter
	cmd := exec.CommandContext(within, c.Command[0], c.Command[1:]...)
	cmd.Dir, cmd.Env = root, environment(os.Environ(), root)
	if c.Base != nil { // git is to find no repository in which the copy happens to lie
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(root))
	}
	cmd.Stdout, cmd.Stderr = &out, &out
	procgroup.Lead(cmd)
	cmd.Cancel = func() error { return procgroup.Terminate(cmd) }
	cmd.WaitDelay = grace

	began := time.Now()
	err := cmd.Run()
	procgroup.KillRest(cmd)
	r.Millis = time.Since(began).Milliseconds()
	r.Tail = tail(out.data, tailSize)
	cause := context.Cause(within)
	switch {
	case cmd.Process == nil && cause == nil:
		r.Why = msg.New("verify.could_not_started", err)
	case errors.Is(cause, errTimeout):
		r.TimedOut = true
		r.Why = msg.New("verify.stopped_after", timeout)
	case cause != nil:
		r.Why = msg.New("verify.stopped_before_its_end")
		return r, cause
	default:
		r.Exit = cmd.ProcessState.ExitCode()
		r.Why = c.Expect.whyUnmet(cmd.ProcessState, out.data)
		r.Passed = r.Why.IsZero()
	}
	r.Ran = languagesTested(out.data)
	if !r.Passed {
		r.Failed, r.Cut = failedTests(out.data), out.cut
	}
	return r, nil
}

// whyUnmet returns what a command that has ended did otherwise than expected.
func (e Expect) whyUnmet(ended *os.ProcessState, output []byte) (why msg.Message) {
	if got := ended.ExitCode(); got != e.Exit || !ended.Exited() {
		return msg.New("verify.exit_status_not_expected", ended, e.Exit) // "exit status 1, not 0", "signal: killed, not 0"
	}
	if e.Output == "" {
		return why
	}
	form, err := textmatch.OfAFile(e.Output)
	if err != nil { // Parse has compiled it
		return msg.Literal(err.Error())
	}
	if !form.Match(output) {
		return msg.New("verify.exit_status_but_its_output", e.Exit, e.Output)
	}
	return why
}

// environment returns the variables that a command sees: those of this process
// without our own, one of which holds the token of the HTTP server.
func environment(of []string, root string) []string {
	env := slices.DeleteFunc(slices.Clone(of), func(v string) bool { return strings.HasPrefix(v, "CODE_INTEL_") })
	return append(env, "PWD="+root)
}

// tailWriter keeps the end of what is written to it.
type tailWriter struct {
	data []byte
	cut  bool // what came before is lost
}

func (l *tailWriter) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > kept {
		p, l.cut = p[len(p)-kept:], true
	}
	if over := len(l.data) + len(p) - kept; over > 0 {
		l.data, l.cut = append(l.data[:0], l.data[over:]...), true
	}
	l.data = append(l.data, p...)
	return n, nil
}

// terminalCodes are the sequences by which programs colour and move.
var terminalCodes = lazyregexp.MustCompile(`\x1b(\[[0-9:;<=>?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_])`)

// tail returns the last lines of output as clean text of at most size bytes.
func tail(output []byte, size int) string {
	text := strings.ToValidUTF8(string(terminalCodes.ReplaceAll(output, nil)), "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	text = strings.TrimRight(text, "\n\t ")
	if len(text) <= size {
		return text
	}
	text = text[len(text)-size:]
	if _, whole, ok := strings.Cut(text, "\n"); ok {
		return whole
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// Summary is the Result in one line: "`go test ./...` failed: exit status 1, not 0".
func (r Result) Summary() msg.Message {
	what := r.Name
	if len(r.Command) > 0 {
		what = "`" + strings.Join(r.Command, " ") + "`"
	}
	switch {
	case !r.Skipped.IsZero():
		return msg.New("verify.not_run", what, r.Skipped)
	case r.Passed:
		return msg.New("verify.check_passed", what)
	}
	return msg.New("verify.check_failed", what, r.Why)
}

// WasRun reports whether the command was run.
func (r Result) WasRun() bool { return r.Skipped.IsZero() }
