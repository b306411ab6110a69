//go:build unix

package verify

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"codeintel/internal/platform/msg"
)

func sh(script string) Choice {
	return Choice{Verifier: Verifier{Name: "v", Command: []string{"/bin/sh", "-c", script}}, Files: []string{"a"}}
}

func TestRun(t *testing.T) {
	root := t.TempDir()
	t.Setenv("CODE_INTEL_TOKEN", "secret")
	t.Setenv("OF_THE_PROJECT", "seen")
	if err := os.WriteFile(filepath.Join(root, "own"), []byte("#!/bin/sh\necho own\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	expecting := func(c Choice, e Expect) Choice { c.Expect = e; return c }
	argv := func(words ...string) Choice {
		return Choice{Verifier: Verifier{Name: "v", Command: words}, Files: []string{"a"}}
	}
	for name, tt := range map[string]struct {
		choice Choice
		want   Result
	}{
		"passes":             {sh("echo fine"), Result{Passed: true, Tail: "fine"}},
		"fails":              {sh("echo out; echo err >&2; exit 3"), Result{Exit: 3, Why: msg.Literal("exit status 3, not 0"), Tail: "out\nerr"}},
		"is to fail":         {expecting(sh("exit 3"), Expect{Exit: 3}), Result{Passed: true, Exit: 3}},
		"says it":            {expecting(sh("echo '2 passed'"), Expect{Output: `\d+ passed`}), Result{Passed: true, Tail: "2 passed"}},
		"does not say it":    {expecting(sh("echo none"), Expect{Output: `\d+ passed`}), Result{Why: msg.Literal(`exit status 0, but its output does not match "\\d+ passed"`), Tail: "none"}},
		"is killed":          {sh("kill -9 $$"), Result{Exit: -1, Why: msg.Literal("signal: killed, not 0")}},
		"is not there":       {argv("./none"), Result{Exit: -1, Why: msg.Literal("it could not be started: fork/exec ./none: no such file or directory")}},
		"is in the root":     {argv("./own"), Result{Passed: true, Tail: "own"}},
		"stands in the root": {sh("pwd; echo $PWD"), Result{Passed: true, Tail: root + "\n" + root}},
		"reads nothing":      {sh("cat"), Result{Passed: true}},
		"is no shell's":      {argv("/bin/echo", "$HOME; exit 1", "a  b"), Result{Passed: true, Tail: "$HOME; exit 1 a  b"}},
		"sees no secret":     {sh(`echo "$CODE_INTEL_TOKEN,$OF_THE_PROJECT"`), Result{Passed: true, Tail: ",seen"}},
		"is not clean":       {sh(`printf '\033[31mred\033[0m \377 a\rb\r\nc\007\n\n'`), Result{Passed: true, Tail: "red \uFFFD a\nb\nc"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t.Context(), root, tt.choice)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Name, tt.want.Command, tt.want.Files = "v", tt.choice.Command, tt.choice.Files
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Result{}, "Millis"), cmp.Comparer(func(a, b msg.Message) bool { return a.String() == b.String() })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := run(t.Context(), root, argv("code-intel-no-such-program")); err != nil {
		t.Errorf("a program that is not there is an error of ours: %v", err)
	}
}

func TestTailIsBounded(t *testing.T) {
	r, err := run(t.Context(), t.TempDir(), sh(`i=0; while [ $i -lt 40000 ]; do echo "line $i: 日本語"; i=$((i+1)); done`))
	if err != nil || !r.Passed {
		t.Fatalf("%+v, %v", r, err)
	}
	lines := strings.Split(r.Tail, "\n")
	if len(r.Tail) > tailSize || len(r.Tail) < tailSize/2 || !strings.HasPrefix(lines[0], "line ") || lines[len(lines)-1] != "line 39999: 日本語" {
		t.Errorf("%d bytes, from %q to %q", len(r.Tail), lines[0], lines[len(lines)-1])
	}
	for _, output := range []string{strings.Repeat("日", 9000), "x" + strings.Repeat("日", 9000), strings.Repeat("\xff", 9000)} {
		if got := tail([]byte(output), tailSize); len(got) > tailSize || !utf8.ValidString(got) || got == "" {
			t.Errorf("the tail of one long line has %d bytes", len(got))
		}
	}
	var l tailWriter
	big := strings.Repeat("a", kept) + "end"
	if n, err := io.WriteString(&l, big); n != len(big) || err != nil || len(l.data) != kept || !l.cut || !strings.HasSuffix(string(l.data), "end") {
		t.Errorf("%d bytes are kept of %d", len(l.data), n)
	}
}

// pipe makes a named pipe. Its reader sees the end of the file only when every
// process that has it open for writing is gone.
func pipe(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// family is a command whose grandchild ignores the polite signal, holds the pipe
// and the output, and never ends by itself.
const family = `(trap "" TERM; exec 3>pipe; echo up >&3; while :; do sleep 1000; done) & wait`

// await runs the family, ends it by cause once the grandchild is up, and sees to
// it that all of them are gone.
func await(t *testing.T, cause error) (Result, error) {
	t.Helper()
	root := t.TempDir()
	name := pipe(t, root)
	ctx, end := context.WithCancelCause(t.Context())
	type outcome struct {
		r   Result
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		r, err := run(ctx, root, sh(family))
		ended <- outcome{r, err}
	}()
	f, err := os.Open(name) // waits for the grandchild to open it
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	up := make([]byte, 3)
	if _, err := io.ReadFull(f, up); err != nil {
		t.Fatal(err)
	}
	end(cause)
	o := <-ended
	if rest, err := io.ReadAll(f); err != nil || len(rest) > 0 { // hangs if the grandchild lives
		t.Errorf("after the end: %q, %v", rest, err)
	}
	return o.r, o.err
}

func TestTimeoutKillsTheFamily(t *testing.T) {
	r, err := await(t, errTimeout) // as when the time is up, but exactly now
	if err != nil || !r.TimedOut || r.Passed || r.Exit != -1 || r.Why.String() != "it was stopped after 10m0s" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCancelKillsTheFamily(t *testing.T) {
	stopped := errors.New("the server closes")
	if r, err := await(t, stopped); !errors.Is(err, stopped) || r.Passed || r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTimeout(t *testing.T) {
	c := sh("exec sleep 1000")
	c.Timeout = time.Millisecond
	if r, err := run(t.Context(), t.TempDir(), c); err != nil || !r.TimedOut || r.Passed {
		t.Errorf("%+v, %v", r, err)
	}
}

// What a command leaves running behind does not outlive it.
func TestLeftBehind(t *testing.T) {
	root := t.TempDir()
	name := pipe(t, root)
	ended := make(chan Result, 1)
	go func() {
		r, err := run(t.Context(), root, sh(`(exec 3>pipe >/dev/null 2>&1; sleep 1000) & exec 3>pipe; echo done`))
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.ReadAll(f); err != nil {
		t.Error(err)
	}
	if r := <-ended; !r.Passed || r.Tail != "done" {
		t.Errorf("%+v", r)
	}
}
