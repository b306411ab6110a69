package service

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
)

// A stand is a repository with a pipeline in it.
type stand struct {
	t    testing.TB
	root string
	s    *Service
	ws   string
}

// noon is when everything in these tests happens.
var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

func newStand(t testing.TB) *stand {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A User", "GIT_AUTHOR_EMAIL": "user@example.com", "GIT_COMMITTER_NAME": "A User", "GIT_COMMITTER_EMAIL": "user@example.com",
	} {
		t.Setenv(name, value)
	}
	st := &stand{t: t, root: root}
	st.write("main.go", "package main\n\nfunc main() { Greet() }\n")
	st.write("greet.go", "package main\n\n// Greet greets.\nfunc Greet() {}\n")
	st.write("go.mod", "module example.com/greet\n\ngo 1.26\n")
	st.git("init", "-q", "-b", "main")
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "Begin")
	st.open()
	return st
}

// open opens the service, anew if there is one.
func (st *stand) open() {
	st.t.Helper()
	if st.s != nil {
		st.s.Close()
	}
	p, err := project.Open(st.root)
	if err != nil {
		st.t.Fatal(err)
	}
	st.s, err = New(p, Options{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }, AgentDirs: []string{}})
	if err != nil {
		st.t.Fatal(err)
	}
	s := st.s
	st.t.Cleanup(func() { s.Close() })
}

func (st *stand) write(path, text string) {
	st.t.Helper()
	file := filepath.Join(st.root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		st.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stand) git(args ...string) string {
	st.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = st.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		st.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// begin leads a request through the handshake.
func (st *stand) begin(arguments, effort string) {
	st.t.Helper()
	init := st.reply(st.s.Init(st.t.Context(), InitRequest{Arguments: arguments}))
	ws, _ := init["workspace"].(string)
	if ws == "" {
		st.t.Fatalf("init: %v", init)
	}
	flags, err := json.Marshal(init["flags"])
	if err != nil {
		st.t.Fatal(err)
	}
	text, _ := init["core_text"].(string)
	r := ContextRequest{Workspace: ws, Flags: flags, TaskText: text}
	if a := st.reply(st.s.InitWithContext(st.t.Context(), r)); a["needs_user_confirmation"] == nil {
		st.t.Fatalf("first call: %v", a)
	}
	r.UserConfirmation = json.RawMessage(fmt.Sprintf(`{"effort": %q, "workspace_slug": "greet people"}`, effort))
	ready := st.reply(st.s.InitWithContext(st.t.Context(), r))
	st.ws, _ = ready["workspace"].(string)
	if ready["ready"] != true || st.ws == "" {
		st.t.Fatalf("confirm: %v", ready)
	}
}

func (st *stand) reply(r *Reply, err error) map[string]any {
	st.t.Helper()
	if err != nil {
		st.t.Fatal(err)
	}
	return decoded(st.t, r)
}

func decoded(t testing.TB, v json.Marshaler) (m map[string]any) {
	t.Helper()
	data, err := msg.Bind(v, msg.Printer{}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return m
}

func yes() *bool { b := true; return &b }

// next asks for the next action.
func (st *stand) next(r NextRequest) map[string]any {
	st.t.Helper()
	r.Workspace = st.ws
	a, err := st.s.NextAction(st.t.Context(), r)
	if err != nil {
		st.t.Fatal(err)
	}
	return decoded(st.t, a)
}

// A robot does what it is told, honestly. Its fields say where it does otherwise.
type robot struct {
	*stand
	artifacts map[string]func(n int) string // what to write, by file, the n-th time
	answers   map[string]string             // to checkpoints; approve if there is none
	work      map[string]func()             // what the implementer of a task does to the code
	written   map[string]int
	trace     []string
}

const (
	designText = "# Design\n\n## Goal\n\nGreet people.\n\n## Where\n\n- `greet.go`: `Greet` says hello.\n"
	tasksText  = "# Tasks\n\n## Task 1: Say hello\n\nmode: sequential\nfiles:\n- `greet.go`\n\nAcceptance criteria:\n- It says hello\n"
)

// criteriaText shows where the change is.
const criteriaText = "\n## Criteria\n\n- It says hello → `greet.go:1`\n- Its tests pass → `go test ./...`\n"

// criteria shows where the change of a task is: in the file that its report names first.
func (r *robot) criteria(id string) string {
	report, _ := os.ReadFile(filepath.Join(r.root, r.ws, "impl-"+id+".md"))
	_, files, _ := strings.Cut(string(report), "## Files\n\n- `")
	file, _, _ := strings.Cut(files, "`")
	letters := strings.Map(func(c rune) rune { return 'a' + c%26 }, id)
	return "\n## Criteria\n\n- " + letters + " → `" + cmp.Or(file, "greet.go") + ":1`\n- Its tests pass → `go test ./...`\n"
}

func implText(files ...string) string {
	return "# Impl\n\n## Summary\n\nDone.\n\n## Files\n\n- `" + strings.Join(files, "`\n- `") + "`\n\n## Tests\n\n- `go test ./...`: passed\n"
}

// text is what the robot writes into an output file.
func (r *robot) text(name string) string {
	r.written[name]++
	n := r.written[name]
	if f := r.artifacts[name]; f != nil {
		return f(n)
	}
	count := fmt.Sprintf("\nThe %d. time.\n", n)
	switch {
	case name == "design.md":
		return designText + count
	case name == "tasks.md":
		return tasksText
	case strings.HasPrefix(name, "review-design"), strings.HasPrefix(name, "review-tasks"):
		return "# Review\n\n## Verdict: APPROVE\n\n## Findings\n\nNone.\n" + count
	case strings.HasPrefix(name, "review-"):
		return "# Review\n\n## Verdict: PASS\n" + r.criteria(strings.TrimSuffix(strings.TrimPrefix(name, "review-"), ".md")) + "\n## Findings\n\nNone.\n" + count
	case name == "final-verification.md":
		return "# Verification\n\n## Verdict: PASS\n" + r.criteria("1") + "- task 2 → `go vet 2`\n- task 3 → `go vet 3`\n- task 4 → `go vet 4`\n- task 5 → `go vet 5`\n" + "\n## Findings\n\nNone.\n" + count
	case strings.HasPrefix(name, "impl-"):
		id := strings.TrimSuffix(strings.TrimPrefix(name, "impl-"), ".md")
		if f := r.work[id]; f != nil {
			f()
		} else {
			r.write("greet.go", fmt.Sprintf("package main\n\n// Greet greets.\nfunc Greet() { println(%d) }\n", n))
		}
		return implText("greet.go") + count
	}
	return "# " + name + "\n\nWhat was found.\n" + count
}

// do does an action and returns how it is reported.
func (r *robot) do(a map[string]any) NextRequest {
	r.t.Helper()
	done := NextRequest{Complete: yes()}
	tokens, ms := 1000.0, 2000.0
	switch a["type"] {
	case "spawn_agent":
		done.Tokens, done.DurationMS, done.Model = &tokens, &ms, "sonnet"
		var outputs []string
		if list, ok := a["parallel_tasks"].([]any); ok {
			for _, p := range list {
				outputs = append(outputs, p.(map[string]any)["output_file"].(string))
			}
		} else {
			outputs = []string{a["output_file"].(string)}
		}
		for _, name := range outputs {
			r.write(r.ws+"/"+name, r.text(name))
		}
	case "write_file":
		r.write(a["path"].(string), a["content"].(string))
	case "exec":
		var argv []string
		for _, v := range a["commands"].([]any) {
			argv = append(argv, v.(string))
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = r.root
		out, err := cmd.CombinedOutput()
		code := 0
		if err != nil {
			code = 1
		}
		done.ExitCode, done.Output = &code, string(out)
	case "checkpoint", "human_gate":
		done.Response = r.answers[a["name"].(string)]
		if done.Response == "" {
			done.Response = a["options"].([]any)[0].(string)
		}
	}
	return done
}

// line is an action in a word or two.
func line(a map[string]any) string {
	s := a["type"].(string)
	for _, key := range []string{"phase", "name", "agent", "output_file"} {
		if v, _ := a[key].(string); v != "" {
			s += " " + v
		}
	}
	if ids, ok := a["parallel_task_ids"].([]any); ok {
		s += fmt.Sprint(" ", ids)
	}
	return s
}

// walk goes on until the end, or until stop says so.
func (r *robot) walk(stop func(a map[string]any) bool) map[string]any {
	r.t.Helper()
	if r.written == nil {
		r.written = make(map[string]int)
	}
	req := NextRequest{}
	for range 200 {
		a := r.next(req)
		r.trace = append(r.trace, line(a))
		if a["type"] == "done" || stop != nil && stop(a) {
			return a
		}
		req = r.do(a)
	}
	r.t.Fatalf("no end:\n%s", strings.Join(r.trace, "\n"))
	return nil
}

func (st *stand) state() *engine.State {
	st.t.Helper()
	data, err := os.ReadFile(filepath.Join(st.root, st.ws, "state.json"))
	if err != nil {
		st.t.Fatal(err)
	}
	s := new(engine.State)
	if err := json.Unmarshal(data, s); err != nil {
		st.t.Fatal(err)
	}
	return s
}

// TestWalks leads a request from init to done, at each effort.
func TestWalks(t *testing.T) {
	for _, tt := range []struct {
		name, arguments, effort string
		want                    []string
		summary                 string
	}{
		{"XS", "--nopr greet people by name", "XS", []string{
			"exec setup",
			"spawn_agent phase-5 implementer impl-1.md",
			"spawn_agent phase-6 impl-reviewer review-1.md",
			"spawn_agent final-summary verifier summary.md",
			"done",
		}, "Pipeline completed: 3 phases, 10 skipped"},
		{"S", "--nopr greet people by name", "S", []string{
			"exec setup",
			"spawn_agent phase-1 analyst-investigator analysis.md",
			"spawn_agent phase-3 architect design.md",
			"checkpoint checkpoint-a",
			"write_file phase-5",
			"spawn_agent phase-5 implementer impl-1.md",
			"spawn_agent phase-6 impl-reviewer review-1.md",
			"spawn_agent phase-7 comprehensive-reviewer comprehensive-review.md",
			"spawn_agent final-verification verifier final-verification.md",
			"spawn_agent final-summary verifier summary.md",
			"done",
		}, "Pipeline completed: 7 phases, 5 skipped"},
		{"M", "--nopr greet people by name", "M", []string{
			"exec setup",
			"spawn_agent phase-1 situation-analyst analysis.md",
			"spawn_agent phase-2 investigator investigation.md",
			"spawn_agent phase-3 architect design.md",
			"spawn_agent phase-3b design-reviewer review-design.md",
			"checkpoint checkpoint-a",
			"spawn_agent phase-4 task-decomposer tasks.md",
			"spawn_agent phase-5 implementer impl-1.md",
			"spawn_agent phase-6 impl-reviewer review-1.md",
			"spawn_agent phase-7 comprehensive-reviewer comprehensive-review.md",
			"spawn_agent final-verification verifier final-verification.md",
			"spawn_agent final-summary verifier summary.md",
			"done",
		}, "Pipeline completed: 10 phases, 2 skipped"},
		{"L, --auto", "--auto --nopr greet people by name", "L", []string{
			"exec setup",
			"spawn_agent phase-1 situation-analyst analysis.md",
			"spawn_agent phase-2 investigator investigation.md",
			"spawn_agent phase-3 architect design.md",
			"spawn_agent phase-3b design-reviewer review-design.md",
			"spawn_agent phase-4 task-decomposer tasks.md",
			"spawn_agent phase-4b task-reviewer review-tasks.md",
			"spawn_agent phase-5 implementer impl-1.md",
			"spawn_agent phase-6 impl-reviewer review-1.md",
			"spawn_agent phase-7 comprehensive-reviewer comprehensive-review.md",
			"spawn_agent final-verification verifier final-verification.md",
			"spawn_agent final-summary verifier summary.md",
			"done",
		}, "Pipeline completed: 11 phases, 0 skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &robot{stand: newStand(t)}
			r.begin(tt.arguments, tt.effort)
			a := r.walk(nil)
			if !slices.Equal(r.trace, tt.want) {
				t.Errorf("way:\n%s\nwant:\n%s", strings.Join(r.trace, "\n"), strings.Join(tt.want, "\n"))
			}
			if a["summary"] != tt.summary || a["summary_path"] != r.ws+"/summary.md" || a["warning"] != "" {
				t.Errorf("done: %v", a)
			}
			if out := r.git("status", "--porcelain"); out != "" {
				t.Errorf("the tree is not clean:\n%s", out)
			}
			if b := r.git("branch", "--show-current"); b != "feature/greet-people" {
				t.Errorf("branch %s", b)
			}
			t.Log(r.git("log", "--stat", "--format=%s%n%b", "main.."))
			if again := r.next(NextRequest{}); again["summary"] != a["summary"] {
				t.Errorf("asked again: %v", again)
			}
		})
	}
}

// BenchmarkNext leads whole pipelines of effort M; ns/op is one pipeline_next_action
// of theirs, with all that git does in it, and with a report before it. p50-ms is the
// one in the middle, and p50-ms-nogit that without the time in which git runs.
func BenchmarkNext(b *testing.B) {
	var whole, own []time.Duration
	for range b.N {
		b.StopTimer()
		r := newRobot(b, "--auto --nopr greet people by name", "M")
		if _, err := r.s.repository(b.Context()); err != nil {
			b.Fatal(err)
		}
		var inGit time.Duration
		var began time.Time
		r.s.repo.Before = func([]string) error { began = time.Now(); return nil }
		r.s.repo.After = func([]string) { inGit += time.Since(began) }
		for req := (NextRequest{}); ; {
			inGit = 0
			start := time.Now()
			b.StartTimer()
			a := r.next(req)
			b.StopTimer()
			took := time.Since(start)
			whole, own = append(whole, took), append(own, took-inGit)
			if a["type"] == "done" {
				break
			}
			req = r.do(a)
		}
	}
	middle := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2].Microseconds()) / 1000
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(len(whole))/1000, "ms/call")
	b.ReportMetric(middle(whole), "p50-ms")
	b.ReportMetric(middle(own), "p50-ms-nogit")
}
