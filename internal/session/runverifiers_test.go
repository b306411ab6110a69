//go:build unix

package session

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// A bench is a project with a verifier, and a session that is to verify it.
type bench struct {
	t    *testing.T
	root string
	s    *Service
}

// newBench lays out a project, with git or without, in which sh is a verifier
// that the user trusts, and begins a session with -v.
func newBench(t *testing.T, script string, git bool) *bench {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	b := &bench{t: t, root: t.TempDir()}
	b.write("a.txt", "one\n")
	b.write(".gitignore", "pipe\nruns\n.code-intel/sessions\n")
	if git {
		b.git("init", "-q", "-b", "main")
		b.git("add", "-A")
		b.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Begin")
		b.write("a.txt", "two\n")
	}
	b.verifier("sh", script)
	b.trust("sh")
	b.open()
	b.start()
	return b
}

func (b *bench) open() {
	b.t.Helper()
	p, err := project.OpenRoot(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	b.root = p.Root
	if b.s, err = New(p, Code{}, slog.New(slog.DiscardHandler), time.Now); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.s.Close() })
}

func (b *bench) start() {
	b.t.Helper()
	if _, err := b.s.Start(b.t.Context(), StartRequest{Intent: "MODIFY", Query: "Change a.txt.", Flags: []string{"-v"}}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) verifier(name, script string) {
	b.t.Helper()
	command, _ := json.Marshal([]string{"/bin/sh", "-c", script}) // strings marshal
	b.write(".code-intel/verifiers/"+name+".md", "---\nglobs: [\"*.txt\"]\ncommand: "+string(command)+"\n---\nRun it.\n")
}

func (b *bench) trust(name string) {
	b.t.Helper()
	store, err := trust.Open()
	if err != nil {
		b.t.Fatal(err)
	}
	p, err := project.OpenRoot(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	v, err := verify.Parse(name, b.read(".code-intel/verifiers/"+name+".md"))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := verify.NewSteering(p).Trust(b.t.Context(), store, v); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	file := filepath.Join(b.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

func (b *bench) git(args ...string) {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// runs returns how often the verifier ran: its script says so in a file.
func (b *bench) runs() int { return strings.Count(string(b.read("runs")), "x") }

func (b *bench) submit(passed bool) (*answer.Answer, error) {
	data, _ := json.Marshal(map[string]any{"passed": passed, "details": "read a.txt and ran sh", "summary": "Read it.", "tools_used": []string{}})
	return b.s.Submit(b.t.Context(), SubmitRequest{Data: payload.Parse(data)})
}

// complete submits, and returns the report of the session that ends with it.
func (b *bench) complete(passed bool) *state.Report {
	b.t.Helper()
	a, err := b.submit(passed)
	if err != nil {
		b.t.Fatal(err)
	}
	if a.Report == nil {
		b.t.Fatalf("the session goes on: %s", a.Text())
	}
	return a.Report
}

func TestVerifierRunsAndItsResultStands(t *testing.T) {
	for _, git := range []bool{true, false} {
		b := newBench(t, "echo x >>runs; echo fine", git)
		r := b.complete(true)
		if len(r.Commands) != 1 || !r.Commands[0].Passed || r.Commands[0].Tail != "fine" || !strings.HasPrefix(r.Verified.String(), "by the server: `/bin/sh") || b.runs() != 1 {
			t.Errorf("git %v: %+v, %s", git, r.Commands, r.Verified)
		}
		b = newBench(t, "echo broken; exit 3", git)
		a, err := b.submit(true)
		if err != nil || a.Outcome != state.CompletedWithWarnings || a.Report.Commands[0].Exit != 3 ||
			!slices.ContainsFunc(a.Report.Warnings, func(w msg.Message) bool { return strings.HasPrefix(w.String(), "verification_contradicted: ") }) {
			t.Errorf("git %v: %+v, %v", git, a, err)
		}
		b = newBench(t, "true", git) // the model may know more
		if a, err := b.submit(false); err != nil || a.Outcome != state.CompletedWithWarnings || !a.Report.Commands[0].Passed {
			t.Errorf("git %v: %+v, %v", git, a, err)
		}
	}
}

// On a clean tree the last commit is what is verified.
func TestVerifyTheLastCommit(t *testing.T) {
	b := newBench(t, "cat a.txt", true)
	if _, err := b.s.Status(t.Context(), StatusRequest{DiscardActive: true}); err != nil {
		t.Fatal(err)
	}
	b.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-a", "-m", "Two")
	b.start()
	if r := b.complete(true); len(r.Commands) != 1 || r.Commands[0].Tail != "two" {
		t.Errorf("%+v", r.Commands)
	}
}

func TestVerifierThatIsNotTrusted(t *testing.T) {
	for name, arrange := range map[string]func(b *bench){
		"not trusted; ":                      func(b *bench) { b.verifier("other", "echo x >>runs") },
		"has changed since it was trusted; ": func(b *bench) { b.verifier("sh", "echo x >>runs # now") },
		"it is gone": func(b *bench) {
			if err := os.Remove(filepath.Join(b.root, ".code-intel/verifiers/sh.md")); err != nil {
				b.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "true", true)
			arrange(b)
			status, err := b.s.Status(t.Context(), StatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			r := b.complete(true)
			i := slices.IndexFunc(r.Commands, func(r verify.Result) bool { return strings.Contains(r.Skipped.String(), name) })
			if i < 0 || r.Commands[i].Passed {
				t.Fatalf("%+v", r.Commands)
			}
			if strings.HasSuffix(name, "; ") {
				if want := "in a terminal: code-intel trust " + r.Commands[i].Name; !strings.HasSuffix(r.Commands[i].Skipped.String(), want) {
					t.Errorf("%q does not say how to trust it", r.Commands[i].Skipped)
				}
				if !slices.ContainsFunc(status.Verifiers, func(v answer.VerifierLine) bool { return strings.Contains(v.RunBy.String(), name) }) {
					t.Errorf("beforehand it was said: %+v", status.Verifiers)
				}
			}
			if _, err := os.Stat(filepath.Join(b.root, "runs")); err == nil {
				t.Error("it ran")
			}
		})
	}
}

// Trust that came while the session was open is told.
func TestTrustedMeanwhile(t *testing.T) {
	b := newBench(t, "true", true)
	warned := func(r *state.Report) bool {
		return slices.Contains(msg.Texts(r.Warnings), "the verifier sh was trusted while this session was open")
	}
	b.s.live.st.Started = time.Now().Add(-time.Hour)
	if r := b.complete(true); !r.Commands[0].Passed || !warned(r) {
		t.Errorf("%+v, %q", r.Commands, r.Warnings)
	}
	b.start() // a later session knows nothing of it
	b.s.live.st.Started = time.Now().Add(time.Hour)
	if r := b.complete(true); !r.Commands[0].Passed || warned(r) {
		t.Errorf("%+v, %q", r.Commands, r.Warnings)
	}
}

// What others have changed of what a trusted command reads is told.
func TestSurroundingsOfOthers(t *testing.T) {
	b := newBench(t, "true", true)
	warned := func(r *state.Report) bool {
		return slices.ContainsFunc(r.Warnings, func(w msg.Message) bool {
			return w.Is("verify.others_changed_what_it_reads") && strings.Contains(w.String(), "Makefile")
		})
	}
	if r := b.complete(true); warned(r) {
		t.Errorf("nothing came: %q", r.Warnings)
	}
	other := filepath.Join(t.TempDir(), "other")
	b.git("clone", "-q", ".", other)
	if err := os.WriteFile(filepath.Join(other, "Makefile"), []byte("test:\n\ttrue\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.git("-C", other, "add", "-A")
	b.git("-C", other, "-c", "user.name=B", "-c", "user.email=b@example.com", "commit", "-qm", "Make")
	b.git("pull", "-q", "--ff-only", other, "main")
	b.start()
	if r := b.complete(true); !r.Commands[0].Passed || !warned(r) {
		t.Errorf("%+v, %q", r.Commands, r.Warnings)
	}
}

// held makes the verifier wait at a pipe, and returns what lets it go on.
func held(t *testing.T, script string) (b *bench, letGo func()) {
	t.Helper()
	b = newBench(t, "echo x >>runs; cat pipe; "+script, true)
	pipe := filepath.Join(b.root, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	return b, func() {
		t.Helper()
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the verifier
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "gone on\n"); err != nil {
			t.Error(err)
		}
		f.Close()
	}
}

func TestVerifierThatOutlivesTheSubmission(t *testing.T) {
	b, letGo := held(t, "true")
	b.s.patience = time.Millisecond
	for range 2 { // the second submission begins nothing
		a, err := b.submit(true)
		if err != nil || !a.Success || a.SessionComplete || a.Phase != string(phases.PostImplVerify) || a.Checks == nil || len(a.Checks.Running) != 1 ||
			a.Checks.RetryAfter <= 0 || !strings.Contains(a.Reason.String(), "Submit the same data again in 30 seconds") {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	letGo()
	b.s.patience = time.Hour
	if r := b.complete(true); len(r.Commands) != 1 || r.Commands[0].Tail != "gone on" || b.runs() != 1 {
		t.Errorf("%+v after %d runs", r.Commands, b.runs())
	}
}

// Other calls are answered while a submission waits.
func TestWaitingHoldsUpNobody(t *testing.T) {
	b, letGo := held(t, "true")
	told := make(chan string, 100)
	ctx := WithProgress(t.Context(), func(_ time.Duration, what msg.Message) { told <- what.String() })
	ended := make(chan *answer.Answer, 1)
	go func() {
		a, err := b.s.Submit(ctx, SubmitRequest{Data: payload.Parse([]byte(`{"passed": true, "details": "ran the script", "summary": "Done.", "tools_used": []}`))})
		if err != nil {
			t.Error(err)
		}
		ended <- a
	}()
	if what := <-told; !strings.HasPrefix(what, "running /bin/sh -c") {
		t.Errorf("told %q", what)
	}
	if a, err := b.s.Status(t.Context(), StatusRequest{}); err != nil || a.Phase != string(phases.PostImplVerify) {
		t.Errorf("meanwhile: %+v, %v", a, err)
	}
	letGo()
	if a := <-ended; a == nil || a.Report == nil || !a.Report.Commands[0].Passed {
		t.Errorf("%+v", a)
	}
}

// A caller that goes away takes nothing with it.
func TestSubmissionIsCancelled(t *testing.T) {
	b, letGo := held(t, "true")
	ctx, cancel := context.WithCancel(t.Context())
	ctx = WithProgress(ctx, func(time.Duration, msg.Message) { cancel() })
	if _, err := b.s.Submit(ctx, SubmitRequest{Data: payload.Parse([]byte(`{"passed": true, "details": "ran the script", "summary": "Done.", "tools_used": []}`))}); err == nil {
		t.Fatal("a cancelled submission was answered")
	}
	letGo()
	if r := b.complete(true); !r.Commands[0].Passed || b.runs() != 1 {
		t.Errorf("%+v after %d runs", r.Commands, b.runs())
	}
}

// The end of the server is the end of what it runs; a new one runs it again.
func TestCloseEndsWhatRuns(t *testing.T) {
	b, letGo := held(t, "true")
	b.s.patience = time.Millisecond
	if a, err := b.submit(true); err != nil || a.Checks == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	if err := b.s.Close(); err != nil { // waits for the command
		t.Fatal(err)
	}
	pipe := filepath.Join(b.root, "pipe")
	if f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
		t.Error("the verifier still reads its pipe")
	}
	b.open()
	if _, err := b.s.Status(t.Context(), StatusRequest{}); err != nil {
		t.Fatal(err)
	}
	go letGo()
	if r := b.complete(true); len(r.Commands) != 1 || r.Commands[0].Tail != "gone on" {
		t.Errorf("%+v", r.Commands)
	}
}

// The files that a verifier writes beside what it verifies are no new change; a
// file of the change that moves while it runs is run on again.
func TestFilesThatMoveWhileItRuns(t *testing.T) {
	b := newBench(t, "echo x >>runs; date +%N >coverage", true)
	if r := b.complete(true); b.runs() != 1 || !slices.ContainsFunc(r.Warnings, func(w msg.Message) bool { return strings.HasSuffix(w.String(), "files changed: coverage") }) {
		t.Errorf("%d runs, %q", b.runs(), r.Warnings)
	}
	b = newBench(t, "echo x >>runs; echo formatted >a.txt", true) // settles
	if r := b.complete(true); b.runs() != 2 || len(r.Warnings) != 0 {
		t.Errorf("%d runs, %q", b.runs(), r.Warnings)
	}
	b = newBench(t, "echo x >>runs; cat runs >>a.txt", true) // never settles
	if r := b.complete(true); b.runs() != 3 || !slices.ContainsFunc(r.Warnings, func(w msg.Message) bool { return strings.HasSuffix(w.String(), "files changed: a.txt") }) {
		t.Errorf("%d runs, %q", b.runs(), r.Warnings)
	}
}

// Where no command runs, the model must say what it did.
func TestDetailsNameSomething(t *testing.T) {
	b := newBench(t, "true", true)
	b.verifier("sh", "false") // not trusted any more
	data := json.RawMessage(`{"passed": true, "details": "all tests passed", "summary": "Done.", "tools_used": []}`)
	if _, err := b.s.Submit(t.Context(), SubmitRequest{Data: payload.Parse(data)}); problem.Of(err) == nil || problem.Of(err).Code != refusal.PayloadMismatch {
		t.Errorf("details that name nothing: %v", err)
	}
	b.verifier("sh", "true")
	if a, err := b.s.Submit(t.Context(), SubmitRequest{Data: payload.Parse(data)}); err != nil || !a.SessionComplete {
		t.Errorf("the server knows what ran: %+v, %v", a, err)
	}
}
