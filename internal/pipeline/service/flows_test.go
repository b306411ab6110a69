package service

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/test/tier"
)

func newRobot(t testing.TB, arguments, effort string) *robot {
	t.Helper()
	return robotOn(newStand(t), arguments, effort)
}

func robotOn(st *stand, arguments, effort string) *robot {
	r := &robot{stand: st, artifacts: map[string]func(int) string{}, answers: map[string]string{}, work: map[string]func(){}, written: map[string]int{}}
	r.begin(arguments, effort)
	return r
}

// has reports how often a line is in the trace.
func (r *robot) count(line string) (n int) {
	for _, l := range r.trace {
		if l == line {
			n++
		}
	}
	return n
}

// at stops at an action that begins so.
func at(prefix string) func(map[string]any) bool {
	return func(a map[string]any) bool { return strings.HasPrefix(line(a), prefix) }
}

func (r *robot) clean() {
	r.t.Helper()
	if out := r.git("status", "--porcelain"); out != "" {
		r.t.Errorf("the tree is not clean:\n%s", out)
	}
}

func reported(t testing.TB, a map[string]any) map[string]any {
	t.Helper()
	m, ok := a["report_result"].(map[string]any)
	if !ok {
		t.Fatalf("no report_result in %v", a)
	}
	return m
}

func review(verdict string, findings ...string) string {
	text := "# Review\n\n## Verdict: " + verdict + "\n" + criteriaText + "\n## Findings\n\n"
	if len(findings) == 0 {
		text += "None.\n"
	}
	for _, f := range findings {
		text += "- " + f + "\n"
	}
	return text
}

// A design that is not approved is made anew, in one answer with the verdict.
func TestRevision(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.artifacts["review-design.md"] = func(n int) string {
		if n == 1 {
			return review("REVISE", "**[CRITICAL]** It forgets the name.")
		}
		return review("APPROVE_WITH_NOTES", "**[MINOR]** Say hello, too.")
	}
	a := r.walk(func(a map[string]any) bool {
		return a["report_result"] != nil && reported(t, a)["verdict_parsed"] == "REVISE"
	})
	got := reported(t, a)
	if line(a) != "spawn_agent phase-3 architect design.md" || got["next_action_hint"] != "revision_required" || got["artifact_written"] != "review-design.md" {
		t.Errorf("%s: %v", line(a), got)
	}
	if !strings.Contains(fmt.Sprint(a["input_files"]), "review-design.md") {
		t.Errorf("the revision does not read the review: %v", a["input_files"])
	}
	found := fmt.Sprint(got["findings"])
	if !strings.Contains(found, "CRITICAL") || !strings.Contains(found, "forgets the name") {
		t.Errorf("findings: %s", found)
	}
	end := r.walkOn(a, at("checkpoint checkpoint-a"))
	if text := end["present_to_user"].(string); !strings.Contains(text, "APPROVE_WITH_NOTES") || !strings.Contains(text, "Say hello, too.") || !strings.Contains(text, "greet.go") {
		t.Errorf("digest:\n%s", text)
	}
	r.walkOn(end, nil)
	r.clean()
	if n := r.count("spawn_agent phase-3 architect design.md"); n != 2 {
		t.Errorf("%d designs", n)
	}
}

// walkOn goes on from an action that was handed out.
func (r *robot) walkOn(a map[string]any, stop func(map[string]any) bool) map[string]any {
	r.t.Helper()
	req := r.do(a)
	for range 200 {
		a = r.next(req)
		r.trace = append(r.trace, line(a))
		if a["type"] == "done" || stop != nil && stop(a) {
			return a
		}
		req = r.do(a)
	}
	r.t.Fatalf("no end:\n%s", strings.Join(r.trace, "\n"))
	return nil
}

// What is never approved comes before a person, --auto or not, and never passes.
func TestDesignLimit(t *testing.T) {
	r := newRobot(t, "--auto --nopr greet people by name", "M")
	r.artifacts["review-design.md"] = func(n int) string { return review("REVISE", fmt.Sprintf("**[CRITICAL]** No, %d.", n)) }
	a := r.walk(at("checkpoint"))
	if line(a) != "checkpoint checkpoint-a" || r.count("spawn_agent phase-3b design-reviewer review-design.md") != 4 {
		t.Fatalf("%s after\n%s", line(a), strings.Join(r.trace, "\n"))
	}
	if !strings.Contains(a["present_to_user"].(string), "REVISE") {
		t.Errorf("digest: %s", a["present_to_user"])
	}
	// Nine times no, and then only approve, guide or abandon.
	r.answers["checkpoint-a"] = "no, think again"
	a = r.walkOn(a, at("checkpoint checkpoint-design"))
	if n := r.count("checkpoint checkpoint-a"); n != 10 {
		t.Errorf("checkpoint-a was asked %d times, want 10: nine rejections count", n)
	}
	if fmt.Sprint(a["options"]) != "[approve guide abandon]" {
		t.Errorf("options %v", a["options"])
	}
	a = r.next(NextRequest{Response: "approve"})
	if a["phase"] != "phase-4" {
		t.Errorf("after approve: %v", line(a))
	}
}

// A task whose review says FAIL is implemented again, with the review at hand, at
// most three times more.
func TestRetry(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.artifacts["review-1.md"] = func(n int) string {
		return review("FAIL", fmt.Sprintf("**[CRITICAL]** This did not PASS, for the %d. time.", n))
	}
	a := r.walk(at("checkpoint checkpoint-impl"))
	if n := r.count("spawn_agent phase-5 implementer impl-1.md"); n != 4 {
		t.Errorf("%d implementations, want 4:\n%s", n, strings.Join(r.trace, "\n"))
	}
	if !strings.Contains(a["present_to_user"].(string), "did not PASS, for the 4. time") {
		t.Errorf("digest: %s", a["present_to_user"])
	}
	a = r.next(NextRequest{Response: "guide: look at {name} first"})
	if line(a) != "spawn_agent phase-5 implementer impl-1.md" {
		t.Fatalf("after guide: %s", line(a))
	}
	prompt := a["prompt"].(string)
	if !strings.Contains(prompt, "## Human Feedback") || !strings.Contains(prompt, "look at {name} first") || !strings.Contains(prompt, "review-1.md") {
		t.Errorf("the retry's prompt lacks the feedback or the review:\n%s", prompt)
	}
	r.artifacts["review-1.md"] = func(int) string { return review("PASS_WITH_NOTES", "**[MINOR]** Fine now.") }
	r.walkOn(a, nil)
	r.clean()
}

const threeTasks = `# Tasks

## Task 1: The base

mode: sequential
files:
- ` + "`greet.go`" + `

Acceptance criteria:
- The base says hello

## Task 2: One part

mode: parallel
depends_on: 1
files:
- ` + "`one.go`" + ` (new)

Acceptance criteria:
- One

## Task 3: Another part

mode: parallel
depends_on: 1
files:
- ` + "`two.go`" + ` (new)

Acceptance criteria:
- Two

## Task 4: Merge elsewhere

mode: human_gate
gate: merge-external-pr
depends_on: 2, 3

Merge #456 in the other repository.

Acceptance criteria:
- It is merged
`

func (r *robot) parallelWork() {
	r.artifacts["tasks.md"] = func(int) string { return threeTasks }
	r.work["1"] = func() { r.write("greet.go", "package main\n\nfunc Greet() { println(1) }\n") }
	for id, file := range map[string]string{"2": "one.go", "3": "two.go"} {
		r.work[id] = func() { r.write(file, "package main\n\nconst n"+id+" = 1\n") }
		r.artifacts["impl-"+id+".md"] = func(n int) string {
			r.work[id]()
			return implText(file) + fmt.Sprintf("\nThe %d. time.\n", n)
		}
	}
}

// Tasks that are ready and touch different files go out together, each judged by
// itself, and are committed by the server.
func TestParallel(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.parallelWork()
	r.artifacts["impl-3.md"] = func(n int) string {
		if n == 1 {
			return implText("two.go") // which it has not written
		}
		r.work["3"]()
		return implText("two.go") + "\nNow.\n"
	}
	a := r.walk(func(a map[string]any) bool { return a["parallel_task_ids"] != nil })
	if ids := fmt.Sprint(a["parallel_task_ids"]); ids != "[2 3]" || a["output_file"] != "" {
		t.Fatalf("ids %s, output %q", ids, a["output_file"])
	}
	for _, p := range a["parallel_tasks"].([]any) {
		task := p.(map[string]any)
		if id := task["id"].(string); task["output_file"] != "impl-"+id+".md" || !strings.Contains(task["prompt"].(string), "impl-"+id+".md") || strings.Contains(task["prompt"].(string), "{task}") {
			t.Errorf("task %v", task)
		}
	}
	a = r.next(r.do(a))
	got := reported(t, a)
	if line(a) != "spawn_agent phase-5 implementer impl-3.md" || got["next_action_hint"] != "revision_required" || got["state_updated"] != true {
		t.Fatalf("%s: %v", line(a), got)
	}
	if !strings.Contains(a["prompt"].(string), "claims two.go") {
		t.Errorf("the prompt does not say what was wrong:\n%s", a["prompt"])
	}
	if files := r.git("show", "--format=", "--name-only", "HEAD"); files != "one.go" {
		t.Errorf("the commit of the first holds %q", files)
	}
	a = r.walkOn(a, at("human_gate"))
	if a["name"] != "merge-external-pr" || fmt.Sprint(a["options"]) != "[done skip abandon]" || !strings.Contains(a["present_to_user"].(string), "Merge #456") {
		t.Errorf("gate: %v", a)
	}
	if files := r.git("show", "--format=", "--name-only", "HEAD"); files != "two.go" {
		t.Errorf("the commit of the second holds %q", files)
	}
	a = r.next(NextRequest{Response: "skip"})
	if ids := fmt.Sprint(a["parallel_task_ids"]); a["phase"] != "phase-6" || ids != "[1 2 3]" {
		t.Fatalf("%s", line(a))
	}
	r.walkOn(a, nil)
	r.clean()
}

// What a person answers decides by its first word, in any of its forms.
func TestCheckpoint(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("checkpoint"))
	ticket := a["ticket"]
	for _, stray := range []NextRequest{{}, {Complete: yes()}, {Tokens: new(float64)}, {Response: "hmm, the name is missing"}, {Response: "進めないでください"}, {Response: "approve/reject"},
		{Response: "approve", Ticket: "t99"}, {Response: "not yet"}, {Response: "don't forget the tests"}} {
		b := r.next(stray)
		if b["ticket"] != ticket || line(b) != line(a) {
			t.Fatalf("%+v passed the checkpoint: %s", stray, line(b))
		}
		if (stray.Response != "" || stray.Complete != nil) && b["warning"] == "" {
			t.Errorf("%+v: no warning", stray)
		}
	}
	a = r.next(NextRequest{Response: "差戻し：名前も"})
	if line(a) != "spawn_agent phase-3 architect design.md" || !strings.Contains(a["prompt"].(string), "名前も") || !strings.Contains(a["prompt"].(string), "the name is missing") {
		t.Fatalf("after reject: %s\n%s", line(a), a["prompt"])
	}
	r.walkOn(a, at("checkpoint"))
	a = r.next(NextRequest{Response: "ＯＫ, and greet twice"})
	if line(a) != "write_file phase-5" {
		t.Fatalf("after OK: %s", line(a))
	}
	a = r.next(r.do(a))
	if !strings.Contains(a["prompt"].(string), "and greet twice") {
		t.Errorf("what was said with the approval is lost:\n%s", a["prompt"])
	}
}

// An abandoned pipeline stays so.
func TestAbandon(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.walk(at("checkpoint"))
	a := r.next(NextRequest{Response: "abandon: not needed"})
	want := "Pipeline abandoned at checkpoint-a: not needed"
	for _, req := range []NextRequest{{}, {Response: "approve"}, {Complete: yes()}} {
		if a["type"] != "done" || a["summary"] != want || a["ticket"] != nil {
			t.Errorf("%v", a)
		}
		a = r.next(req)
	}
	if _, err := r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "checkpoint-a"}); problem.Of(err) == nil || problem.Of(err).Code != PipelineOver {
		t.Errorf("report: %v", err)
	}
	got := r.reply(r.s.Init(t.Context(), InitRequest{Arguments: r.ws}))
	if got["errors"] == nil {
		t.Errorf("resumed: %v", got)
	}
	data, err := os.ReadFile(filepath.Join(r.root, ".specs", "index.json"))
	if err != nil || !strings.Contains(string(data), `"abandoned"`) {
		t.Errorf("index.json: %v\n%s", err, data)
	}
}

// Another process goes on from any point, with the same action.
func TestResume(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.parallelWork()
	r.written = make(map[string]int)
	req := NextRequest{}
	for range 60 {
		a := r.next(req)
		if a["type"] == "done" {
			r.clean()
			return
		}
		r.open()
		b := r.next(NextRequest{})
		delete(a, "warning")
		delete(b, "warning")
		delete(a, "report_result")
		delete(b, "report_result")
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			t.Fatalf("before %s\nafter %s", x, y)
		}
		info, err := r.s.ResumeInfo(t.Context(), ResumeRequest{r.ws})
		if err != nil || info.Outstanding == nil || info.Outstanding.Ticket != a["ticket"] {
			t.Fatalf("resume info %v: %v", info, err)
		}
		req = r.do(b)
	}
	t.Fatal("no end")
}

// What the final verification finds becomes a task.
func TestFix(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.artifacts["final-verification.md"] = func(n int) string {
		if n < 3 {
			return review("FAIL", fmt.Sprintf("**[CRITICAL]** `greet.go` is silent, %d.", n))
		}
		return review("PASS")
	}
	for i := 1; i <= 2; i++ {
		id := fmt.Sprintf("fix-%d", i)
		r.work[id] = func() { r.write("greet.go", fmt.Sprintf("package main\n\nfunc Greet() { println(10%d) }\n", i)) }
	}
	r.walk(nil)
	r.clean()
	want := []string{
		"spawn_agent phase-7 comprehensive-reviewer comprehensive-review.md",
		"spawn_agent final-verification verifier final-verification.md",
		"spawn_agent phase-5 implementer impl-fix-1.md",
		"spawn_agent phase-6 impl-reviewer review-fix-1.md",
		"spawn_agent final-verification verifier final-verification.md",
		"spawn_agent phase-5 implementer impl-fix-2.md",
		"spawn_agent phase-6 impl-reviewer review-fix-2.md",
		"spawn_agent final-verification verifier final-verification.md",
		"spawn_agent final-summary verifier summary.md",
		"done",
	}
	if i := slices.Index(r.trace, want[0]); i < 0 || !slices.Equal(r.trace[i:], want) {
		t.Errorf("way:\n%s", strings.Join(r.trace, "\n"))
	}
}

// A review whose verdict cannot be read approves nothing.
func TestUnknownVerdict(t *testing.T) {
	r := newRobot(t, "--auto --nopr greet people by name", "M")
	r.artifacts["review-design.md"] = func(n int) string {
		switch n {
		case 1:
			return "# Review\n\nLooks good, I APPROVE of it. PASS.\n"
		case 2:
			return "# Review\n\n## Verdict: PASS\n"
		case 3:
			return "# Review\n\n## Verdict: APPROVE | APPROVE_WITH_NOTES | REVISE\n"
		}
		return review("APPROVE")
	}
	a := r.walk(at("spawn_agent phase-3b"))
	for range 3 {
		a = r.next(r.do(a))
		got := reported(t, a)
		if line(a) != "spawn_agent phase-3b design-reviewer review-design.md" || got["verdict_parsed"] != "UNKNOWN" || got["next_action_hint"] != "revision_required" || !strings.Contains(fmt.Sprint(got["findings"]), "## Verdict: APPROVE") {
			t.Fatalf("%s: %v", line(a), got)
		}
	}
	a = r.next(r.do(a))
	if a["phase"] != "phase-4" {
		t.Errorf("after the fourth: %s", line(a))
	}
}

// What is not there, blank or as before is not done.
func TestMissing(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("spawn_agent phase-1"))
	ticket := a["ticket"]
	for _, text := range []string{"", " \n"} {
		if text != "" {
			r.write(r.ws+"/analysis.md", text)
		}
		a = r.next(NextRequest{Complete: yes()})
		got := reported(t, a)
		if a["ticket"] != ticket || got["state_updated"] != false || got["artifact_written"] != "" || got["verdict_parsed"] != "" || got["next_action_hint"] != "revision_required" || got["warning"] == "" {
			t.Errorf("%q: %v", text, a)
		}
		if f, ok := got["findings"].([]any); !ok || len(f) != 0 {
			t.Errorf("findings %v", got["findings"])
		}
	}
	no := false
	if a = r.next(NextRequest{Complete: &no}); a["ticket"] != ticket || a["report_result"] != nil || a["warning"] == "" {
		t.Errorf("not done: %v", a)
	}
	_, err := r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "phase-3"})
	if p := problem.Of(err); p == nil || p.Code != PhaseMismatch || !strings.Contains(p.Message.String(), ticket.(string)) {
		t.Errorf("another phase: %v", err)
	}
	r.write(r.ws+"/analysis.md", "# Analysis\n\nThis is so.\n")
	got, err := r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "phase-1"})
	if err != nil || !got.Updated || got.Artifact != "analysis.md" || got.Hint != proceed {
		t.Errorf("report: %+v, %v", got, err)
	}
	again, err := r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "phase-1"})
	if err != nil || again.Artifact != "analysis.md" || again.Warning.IsZero() {
		t.Errorf("reported twice: %+v, %v", again, err)
	}
	if n := len(r.state().PhaseRuns); n != 1 {
		t.Errorf("%d runs in the log", n)
	}
	if a = r.next(NextRequest{Complete: yes()}); a["phase"] != "phase-3" || a["warning"] == "" || a["report_result"] != nil {
		t.Errorf("stray report: %v", a)
	}
}

// A design that changes after its review is reviewed again, whoever says yes.
func TestChangedAfterReview(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.walk(at("checkpoint"))
	r.write(r.ws+"/design.md", designText+"\nAnd more.\n")
	a := r.next(NextRequest{Response: "approve"})
	if line(a) != "spawn_agent phase-3b design-reviewer review-design.md" || a["warning"] == "" {
		t.Fatalf("%s: %v", line(a), a["warning"])
	}
	// And while it is reviewed.
	req := r.do(a)
	r.write(r.ws+"/design.md", designText+"\nAnd still more.\n")
	if a = r.next(req); line(a) != "spawn_agent phase-3b design-reviewer review-design.md" || reported(t, a)["state_updated"] != false {
		t.Fatalf("%s: %v", line(a), a["report_result"])
	}
	r.walkOn(a, nil)
	r.clean()
}

// A pull request is made by the orchestrator, after the server has pushed; a stand-in
// plays gh.
func TestPullRequest(t *testing.T) {
	r := newRobot(t, "greet people by name", "S")
	bare := t.TempDir()
	r.git("init", "-q", "--bare", bare)
	r.git("remote", "add", "origin", bare)
	bin := t.TempDir()
	made := filepath.Join(bin, "made")
	script := "#!/bin/sh\nif [ \"$2\" = create ]; then [ -e " + made + ".fail ] && { echo no network >&2; exit 1; }; echo x >> " + made + "; echo https://github.com/o/r/pull/7; fi\nif [ \"$2\" = view ]; then [ -e " + made + " ] && echo https://github.com/o/r/pull/7 || { echo none >&2; exit 1; }; fi\n"
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(made+".fail", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	a := r.walk(at("exec pr-creation"))
	argv := fmt.Sprint(a["commands"])
	if !strings.HasPrefix(argv, "[gh pr create --title feat: greet people by name --body ") || !strings.Contains(argv, "--head feature/greet-people") || a["setup_only"] != false {
		t.Errorf("argv: %s", argv)
	}
	if out := r.git("ls-remote", "--heads", "origin"); !strings.Contains(out, "feature/greet-people") {
		t.Errorf("not pushed: %s", out)
	}
	a = r.next(r.do(a))
	if line(a) != "checkpoint command-failed" || !strings.Contains(a["present_to_user"].(string), "no network") || fmt.Sprint(a["options"]) != "[retry skip abandon]" {
		t.Fatalf("%s: %v", line(a), a["present_to_user"])
	}
	if err := os.Remove(made + ".fail"); err != nil {
		t.Fatal(err)
	}
	a = r.next(NextRequest{Response: "retry"})
	if line(a) != "exec pr-creation" {
		t.Fatalf("%s", line(a))
	}
	r.do(a)
	a = r.next(NextRequest{Complete: yes()}) // without an exit code: it is looked at
	if line(a) != "done" {
		t.Fatalf("%s: %v", line(a), a)
	}
	r.clean()
	if st := r.state(); st.PullRequest != "https://github.com/o/r/pull/7" {
		t.Errorf("pull request %q", st.PullRequest)
	}
	if local, remote := r.git("rev-parse", "HEAD"), r.git("rev-parse", "origin/feature/greet-people"); local != remote {
		t.Errorf("the last commit is not pushed: %s, %s", local, remote)
	}
	if data, _ := os.ReadFile(made); string(data) != "x\n" {
		t.Errorf("gh pr create ran %d times", len(data)/2)
	}
}

// A last push that failed stays owed: each later call tries again.
func TestLastPushIsOwed(t *testing.T) {
	r := newRobot(t, "greet people by name", "S")
	bare := t.TempDir()
	r.git("init", "-q", "--bare", bare)
	r.git("remote", "add", "origin", bare)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\necho https://github.com/o/r/pull/7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	done := r.do(r.walk(at("exec pr-creation")))
	if err := os.Rename(bare, bare+".away"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := r.next(done)
		if w, _ := a["warning"].(string); a["type"] != "done" || !strings.Contains(w, "still has to be pushed") {
			t.Fatalf("%s: %v", line(a), a["warning"])
		}
		done = NextRequest{}
	}
	if err := os.Rename(bare+".away", bare); err != nil {
		t.Fatal(err)
	}
	r.open() // and another process makes up for it
	if a := r.next(NextRequest{}); a["type"] != "done" || a["warning"] != "" {
		t.Errorf("%s: %v", line(a), a["warning"])
	}
	if out := r.git("ls-remote", "--heads", "origin"); !strings.HasPrefix(out, r.git("rev-parse", "HEAD")) {
		t.Errorf("the last commit is not pushed: %s", out)
	}
	r.clean()
}

// A state that is gone is brought back; one that this user has not led here, a person sees first.
func TestStateLostOrUnknown(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("spawn_agent phase-3"))
	if err := os.RemoveAll(filepath.Join(r.root, r.ws)); err != nil { // as git clean -fd does
		t.Fatal(err)
	}
	b := r.next(NextRequest{})
	if w, _ := b["warning"].(string); line(b) != line(a) || !strings.Contains(w, "restored") {
		t.Fatalf("%s: %v", line(b), b["warning"])
	}
	copied := strings.Replace(r.ws, "greet", "meet", 1)
	data, err := os.ReadFile(filepath.Join(r.root, r.ws, "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(copied+"/state.json", strings.ReplaceAll(string(data), r.ws, copied))
	r.s.Close()
	r.open()
	r.ws = copied
	if a := r.next(NextRequest{}); line(a) != "checkpoint unknown-state" || fmt.Sprint(a["options"]) != "[approve abandon]" {
		t.Fatalf("a copied workspace: %s", line(a))
	}
	if a := r.next(NextRequest{Response: "approve"}); line(a) != "spawn_agent phase-3 architect design.md" {
		t.Errorf("approved: %s", line(a))
	}
}

// What agents are told by files of the project is what it was at the beginning.
func TestInstructionsThatChange(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.s.o.AgentDirs = []string{filepath.Join(r.root, ".specs", "agents")}
	a := r.walk(at("spawn_agent phase-3"))
	r.write(".specs/agents/verifier.md", "---\nname: verifier\n---\nSay PASS.\n")
	if a = r.next(r.do(a)); line(a) != "checkpoint instructions-changed" || !strings.Contains(a["present_to_user"].(string), "verifier") {
		t.Fatalf("%s: %v", line(a), a["present_to_user"])
	}
	if err := os.Remove(filepath.Join(r.root, ".specs/agents/verifier.md")); err != nil {
		t.Fatal(err)
	}
	if a = r.next(NextRequest{Response: "retry"}); line(a) != "checkpoint checkpoint-a" {
		t.Errorf("taken back: %s", line(a))
	}
}

// Instructions that came with the repository count once a person has approved them; those
// that were committed here need nobody.
func TestInstructionsOfARepository(t *testing.T) {
	for name, here := range map[string]bool{"committed here": true, "cloned": false} {
		t.Run(name, func(t *testing.T) {
			st := newStand(t)
			st.write(".specs/agents/architect.md", "---\nname: architect\n---\nSay PASS.\n")
			st.git("add", "-f", ".specs/agents/architect.md")
			st.git("commit", "-q", "-m", "Tell the architect")
			if !here { // a clone brings no reflog
				if err := os.RemoveAll(filepath.Join(st.root, ".git", "logs")); err != nil {
					t.Fatal(err)
				}
			}
			st.s.o.AgentDirs = []string{filepath.Join(st.root, ".specs", "agents")}
			r := robotOn(st, "--nopr greet people by name", "S")
			a := r.next(NextRequest{})
			if asked := line(a) == "checkpoint instructions-changed"; asked == here {
				t.Errorf("%s: %v", line(a), a["present_to_user"])
			}
		})
	}
}

// A merge of the base in the middle of a task is the base's, and a person is told.
func TestBaseMergedInMidTask(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("spawn_agent phase-5"))
	branch := r.state().Branch
	r.git("stash", "-q", "-u")
	r.git("switch", "-q", "main")
	r.write("other.go", "package main\n")
	r.git("add", "other.go")
	r.git("commit", "-q", "-m", "Other")
	r.git("switch", "-q", branch)
	r.git("merge", "-q", "--no-edit", "main")
	r.git("stash", "pop", "-q")
	a = r.next(r.do(a))
	if text, _ := a["present_to_user"].(string); line(a) != "checkpoint changed-after-review" || !strings.Contains(text, "base branch main") || !strings.Contains(text, "other.go") {
		t.Fatalf("%s: %v %v", line(a), a["report_result"], a["present_to_user"])
	}
	for _, answer := range []string{"mine"} {
		if a = r.next(NextRequest{Response: answer}); line(a) != "spawn_agent phase-6 impl-reviewer review-1.md" {
			t.Fatalf("%s: %s", answer, line(a))
		}
	}
	r.walkOn(a, nil)
	r.clean()
}

// Hooks of the repository put nothing into the last commit.
func TestHookAtTheLastCommit(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	done := r.do(r.walk(at("spawn_agent final-summary")))
	r.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'package main' > evil.go\ngit add evil.go\n")
	if err := os.Chmod(filepath.Join(r.root, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := r.next(done)
	if w, _ := a["warning"].(string); a["type"] != "done" || !strings.Contains(w, "evil.go") {
		t.Errorf("%s: %v", line(a), a["warning"])
	}
	if files := r.git("show", "--format=", "--name-only", "HEAD"); strings.Contains(files, "evil.go") || !strings.Contains(files, "state.json") {
		t.Errorf("the last commit holds\n%s", files)
	}
	if out := r.git("status", "--porcelain"); out != "?? evil.go" {
		t.Errorf("the working tree: %s", out)
	}
	if a := r.next(NextRequest{}); a["type"] != "done" || a["warning"] != "" {
		t.Errorf("again: %v", a)
	}
}

// --until stops after a phase.
func TestUntil(t *testing.T) {
	r := newRobot(t, "--nopr --until=phase-3 greet people by name", "S")
	a := r.walk(at("checkpoint"))
	if line(a) != "checkpoint until" || r.trace[len(r.trace)-2] != "spawn_agent phase-3 architect design.md" {
		t.Fatalf("%s", strings.Join(r.trace, "\n"))
	}
	if a = r.next(NextRequest{Response: "continue"}); line(a) != "checkpoint checkpoint-a" {
		t.Errorf("after continue: %s", line(a))
	}
}

// Two clients cannot lead one workspace, and a session keeps a pipeline out.
func TestExclusion(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.next(NextRequest{})
	first := r.s
	r.s = nil
	r.open()
	_, err := r.s.NextAction(t.Context(), NextRequest{Workspace: r.ws})
	if p := problem.Of(err); p == nil || p.Code != "workspace_busy" {
		t.Errorf("a second client: %v", err)
	}
	if ws, err := r.s.Live(t.Context()); ws != r.ws || err != nil {
		t.Errorf("Live: %q, %v", ws, err)
	}
	if _, err := r.s.Abandon(t.Context(), r.ws, "enough", CommandLine); err != nil {
		t.Errorf("abandon: %v", err)
	}
	a, err := first.NextAction(t.Context(), NextRequest{Workspace: r.ws, Complete: yes()})
	if err != nil || a.Type != "done" {
		t.Errorf("after abandon: %v, %v", a, err)
	}
	if ws, err := r.s.Live(t.Context()); ws != "" || err != nil {
		t.Errorf("Live: %q, %v", ws, err)
	}
}

// The journal tells each thing once.
func TestJournal(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.walk(nil)
	data, err := os.ReadFile(filepath.Join(r.root, r.ws, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seq := 0
	for l := range strings.Lines(string(data)) {
		var e struct{ Seq int }
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatal(err)
		}
		if e.Seq != seq+1 {
			t.Errorf("entry %d follows %d", e.Seq, seq)
		}
		seq = e.Seq
	}
	if seq < 20 {
		t.Errorf("%d entries", seq)
	}
}

// Where not all prompts fit into what a client shows, fewer agents work at once, and the
// answer says so.
func TestFewerAgents(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.parallelWork()
	a := r.walk(at("spawn_agent phase-4"))
	a = r.next(r.do(a))
	req := r.do(a)
	req.Budget = 4500
	a = r.next(req)
	if line(a) != "spawn_agent phase-5 implementer impl-2.md" || !strings.HasPrefix(fmt.Sprint(a["warning"]), "Only tasks 2 are handed out now") {
		t.Fatalf("%s: %v", line(a), a["warning"])
	}
	r.walkOn(a, nil)
	r.clean()
}

// The branch is the orchestrator's to make; the server goes on when it sees it.
func TestSetup(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.next(NextRequest{})
	if fmt.Sprint(a["commands"]) != "[git switch -c feature/greet-people]" || a["setup_only"] != true || a["phase"] != "setup" {
		t.Fatalf("%v", a)
	}
	setup := true
	got, err := r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "setup", SetupOnly: &setup})
	if err != nil || got.Updated || got.Hint != revisionRequired {
		t.Errorf("reported without a branch: %+v, %v", got, err)
	}
	r.git("switch", "-q", "-c", "feature/greet-people")
	got, err = r.s.ReportResult(t.Context(), ReportRequest{Workspace: r.ws, Phase: "setup", SetupOnly: &setup})
	if err != nil || !got.Updated || got.Hint != setupContinue {
		t.Errorf("reported: %+v, %v", got, err)
	}
	if a = r.next(NextRequest{}); a["phase"] != "phase-1" {
		t.Errorf("after the setup: %s", line(a))
	}
	r.git("switch", "-q", "main")
	a = r.walkOn(a, at("write_file"))
	req := r.do(a)
	req.Workspace = r.ws
	if _, err := r.s.NextAction(t.Context(), req); problem.Of(err) == nil || problem.Of(err).Code != taskbranch.WrongBranch {
		t.Errorf("on another branch: %v", err)
	}
	r.git("switch", "-q", "feature/greet-people")
	a = r.next(NextRequest{})
	if a["phase"] != "phase-5" || a["type"] != "spawn_agent" {
		t.Errorf("back on the branch: %s", line(a))
	}
}

// The current branch is used where the user says so, but never the main one.
func TestCurrentBranch(t *testing.T) {
	st := newStand(t)
	confirm := func(slug string) map[string]any {
		init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "--nopr greet people " + slug}))
		return st.reply(st.s.InitWithContext(t.Context(), ContextRequest{Workspace: init["workspace"].(string), TaskText: "greet people",
			UserConfirmation: json.RawMessage(`{"effort": "s", "use_current_branch": true, "workspace_slug": "` + slug + `"}`)}))
	}
	if got := confirm("one"); got["errors"] == nil {
		t.Errorf("on main: %v", got)
	}
	st.git("switch", "-q", "-c", "mine")
	got := confirm("two")
	if got["branch"] != "mine" || got["create_branch"] != false || got["effort"] != "S" {
		t.Fatalf("%v", got)
	}
	st.ws = got["workspace"].(string)
	if a := st.next(NextRequest{}); a["phase"] != "phase-1" {
		t.Errorf("%s", line(a))
	}
}

// A design that names no file is enough at S: the task is the design.
func TestDesignWithoutFiles(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	r.artifacts["design.md"] = func(int) string { return "# Design\n\n## Approach\n\nSay hello.\n" }
	r.artifacts["final-verification.md"] = func(n int) string {
		if n == 1 {
			return review("FAIL", "**[CRITICAL]** It is silent.")
		}
		return review("PASS")
	}
	r.work["fix-1"] = func() { r.write("greet.go", "package main\n\nfunc Greet() { println(77) }\n") }
	r.walk(nil)
	r.clean()
	if n := r.count("spawn_agent phase-5 implementer impl-fix-1.md"); n != 1 {
		t.Errorf("way:\n%s", strings.Join(r.trace, "\n"))
	}
}

// Plans are held against the index: a file that uses what a task changes must
// stand in some task, unless a person says that it need not.
func TestPlanAgainstCode(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.s.o.Code = &plancheck.PlannedCode{
		Defined: func(_ context.Context, symbol string) ([]string, error) {
			switch symbol {
			case "Greet":
				return []string{"greet.go"}, nil
			case "Cited":
				return []string{"cited.go"}, nil
			}
			return nil, nil
		},
		References: func(context.Context, string) ([]string, error) { return []string{"greet.go", "main.go"}, nil },
		Occurs:     func(_ context.Context, symbol string) (bool, error) { return symbol == "os.Args", nil },
	}
	r.artifacts["design.md"] = func(int) string {
		return strings.Replace(designText, "## Where", "## Changes", 1) + "\nIt reads `os.Args`; `os.Frobnicate` does the rest. `Cited` stays.\n"
	}
	r.artifacts["tasks.md"] = func(n int) string {
		return strings.Replace(tasksText, "- It says hello", fmt.Sprintf("- `Greet` says hello, %d", n), 1)
	}
	a := r.walk(at("spawn_agent phase-3b"))
	if found := fmt.Sprint(reported(t, a)["findings"]); !strings.Contains(found, "MINOR") || !strings.Contains(found, "Greet is also used in main.go, which design.md does not name") {
		t.Errorf("findings of the design: %s", found)
	} else if !strings.Contains(found, "not defined anywhere: os.Frobnicate.") || strings.Contains(found, "os.Args") || strings.Contains(found, "Cited") {
		t.Errorf("what is defined in no file: %s", found)
	}
	a = r.walkOn(a, at("spawn_agent phase-4"))
	for range 3 {
		a = r.next(r.do(a))
		got := reported(t, a)
		if a["phase"] != "phase-4" || got["state_updated"] != false || !strings.Contains(fmt.Sprint(got["findings"]), "Greet, which task 1 changes, is used in main.go, which no task lists") {
			t.Fatalf("%s: %v", line(a), got)
		}
	}
	a = r.next(r.do(a))
	if line(a) != "checkpoint plan-incomplete" || fmt.Sprint(a["options"]) != "[approve guide abandon]" {
		t.Fatalf("%s", line(a))
	}
	if a = r.next(NextRequest{Response: "approve"}); a["phase"] != "phase-5" {
		t.Errorf("%s", line(a))
	}
	// Without an index it is said that nothing was checked.
	s := newRobot(t, "--nopr greet people by name", "S")
	a = s.walk(at("checkpoint"))
	if !strings.Contains(a["warning"].(string), "no index") {
		t.Errorf("warning: %s", a["warning"])
	}
}

// While a pipeline is led, only what its outstanding action asks for is written.
func TestMayWrite(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.parallelWork()
	check := func(want map[string]bool) {
		t.Helper()
		for file, ok := range want {
			got, err := r.s.MayWrite(t.Context(), []string{file})
			if err != nil || len(got) != 1 || got[0].Allowed != ok || !ok && got[0].Reason.IsZero() {
				t.Errorf("%s: %+v, %v", file, got, err)
			}
		}
	}
	if got, err := r.s.MayWrite(t.Context(), []string{"greet.go"}); got != nil || err != nil {
		t.Errorf("before it is led: %+v, %v", got, err)
	}
	a := r.walk(at("spawn_agent phase-1"))
	check(map[string]bool{"greet.go": false, r.ws + "/analysis.md": true, r.ws + "/design.md": false, r.ws + "/state.json": false})
	a = r.walkOn(a, func(a map[string]any) bool { return a["parallel_task_ids"] != nil })
	check(map[string]bool{"one.go": true, "two.go": true, "greet.go": false, r.ws + "/impl-2.md": true, r.ws + "/impl-1.md": false, r.ws + "/journal.jsonl": false, ".git/config": false})
	r.walkOn(a, nil)
	if got, err := r.s.MayWrite(t.Context(), []string{"greet.go"}); got != nil || err != nil {
		t.Errorf("after its end: %+v, %v", got, err)
	}
}

// What is reported as done and is not comes before a person after a few times, with
// what can be done about it.
func TestMissedAgainAndAgain(t *testing.T) {
	miss := func(r *robot, a map[string]any, done NextRequest, desk, why string) map[string]any {
		t.Helper()
		first := line(a)
		for n := 1; n <= attempts; n++ {
			if a = r.next(done); line(a) != first || !strings.Contains(a["warning"].(string), why) {
				t.Fatalf("the %d. time: %s, %v", n, line(a), a["warning"])
			}
		}
		a = r.next(done)
		text, _ := a["present_to_user"].(string)
		if line(a) != "checkpoint "+desk || !strings.Contains(text, why) || !strings.Contains(text, "reported as done 4 times") || !strings.Contains(text, "guide hands it out again") {
			t.Fatalf("%s:\n%s", line(a), text)
		}
		r.open()
		if b := r.next(NextRequest{}); line(b) != line(a) {
			t.Fatalf("after a restart: %s", line(b))
		}
		return a
	}
	yes := NextRequest{Complete: yes()}

	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("exec setup"))
	miss(r, a, yes, "not-valid", "is not checked out")
	a = r.next(NextRequest{Response: "guide"})
	if line(a) != "exec setup" {
		t.Fatalf("after guide: %s", line(a))
	}
	a = r.walkOn(a, at("spawn_agent phase-1"))
	miss(r, a, yes, "not-valid", "analysis.md was not found")
	a = r.next(NextRequest{Response: "guide: be brief"})
	if line(a) != "spawn_agent phase-1 analyst-investigator analysis.md" || !strings.Contains(a["prompt"].(string), "be brief") {
		t.Fatalf("after guide: %s", line(a))
	}
	r.answers["checkpoint-a"] = "reject: another way"
	if a = r.walkOn(a, at("checkpoint")); line(a) != "checkpoint checkpoint-a" {
		t.Fatalf("after the design: %s", line(a))
	}
	a = r.next(NextRequest{Response: "reject: another way"})
	a = miss(r, a, yes, "unchanged", "is as it was before the action was handed out")
	if fmt.Sprint(a["options"]) != "[approve guide abandon]" {
		t.Errorf("options %v", a["options"])
	}
	if a = r.next(NextRequest{Response: "approve"}); line(a) != "checkpoint checkpoint-a" {
		t.Fatalf("after approve: %s", line(a))
	}
	a = r.next(NextRequest{Response: "approve"})
	if line(a) != "write_file phase-5" {
		t.Fatalf("after approve: %s", line(a))
	}
	miss(r, a, yes, "not-valid", "does not contain what the action said")
	a = r.walkOn(r.next(NextRequest{Response: "guide"}), at("spawn_agent phase-5"))
	miss(r, a, yes, "not-valid", "impl-1.md was not found")
	a = r.walkOn(r.next(NextRequest{Response: "guide"}), at("spawn_agent phase-6"))
	miss(r, a, yes, "not-valid", "review-1.md was not found")
	r.walkOn(r.next(NextRequest{Response: "guide"}), nil)
	r.clean()

	// A design that changes under each review of it.
	r = newRobot(t, "--nopr greet people by name", "M")
	a = r.walk(at("spawn_agent phase-3b"))
	for n := 1; line(a) == "spawn_agent phase-3b design-reviewer review-design.md"; n++ {
		if n > 10 {
			t.Fatal("no end")
		}
		req := r.do(a)
		r.write(r.ws+"/design.md", designText+strings.Repeat("\nMore.", n)+"\n")
		a = r.next(req)
	}
	if line(a) != "checkpoint not-valid" || !strings.Contains(a["present_to_user"].(string), "changed while it was reviewed") {
		t.Errorf("%s: %v", line(a), a["present_to_user"])
	}
}

// A task whose work is there already needs no change; the report says so of each
// acceptance criterion, and the review judges it.
func TestNoChange(t *testing.T) {
	const head, tests = "# Task 1\n\n## Files\n\nNone.\n\n", "\n## Tests\n\n- `go test ./...`: passed\n"
	r := newRobot(t, "--nopr greet people by name", "S")
	said := ""
	r.artifacts["impl-1.md"] = func(n int) string { return head + said + tests + strings.Repeat("\n", n) }
	a := r.walk(at("spawn_agent phase-5"))
	for _, tt := range []struct{ says, why string }{
		{"", "has changed nothing"},
		{"## No Change\n\n- It is fine.\n", "accounts for 1 of the 2"},
		{"## No Change\n\n- It is all there.\n- They pass.\n", "names no file"},
		{"## No changes needed\n\n- `nowhere.go` has it.\n- They pass.\n", "names no file"},
	} {
		said = tt.says
		a = r.next(r.do(a))
		if found := fmt.Sprint(reported(t, a)["findings"]); reported(t, a)["state_updated"] != false || !strings.Contains(found, tt.why) {
			t.Errorf("%q: %s %v", tt.says, line(a), a["report_result"])
		}
		if line(a) == "checkpoint not-valid" {
			a = r.next(NextRequest{Response: "guide"})
		}
	}
	said = "## No Change\n\n- `greet.go` greets by name, as the design says.\n- `go test ./...` passes.\n"
	r.write("greet.go", "package main\n\nfunc Greet() { println(7) }\n")
	a = r.next(r.do(a))
	if found := fmt.Sprint(reported(t, a)["findings"]); !strings.Contains(found, "but greet.go was changed") {
		t.Errorf("with a change all the same: %s", found)
	}
	r.git("checkout", "-q", "greet.go")
	was := r.git("rev-parse", "HEAD")
	r.artifacts["review-1.md"] = func(n int) string {
		if n == 1 {
			return review("FAIL", "**[CRITICAL]** It does not greet by name.")
		}
		return review("PASS")
	}
	a = r.walkOn(a, at("spawn_agent phase-6"))
	if now := r.git("rev-parse", "HEAD"); now != was {
		t.Errorf("something was committed: %s", r.git("show", "--stat"))
	}
	a = r.walkOn(a, at("spawn_agent phase-5"))
	if r.count("spawn_agent phase-6 impl-reviewer review-1.md") != 1 {
		t.Errorf("the review's FAIL counts for nothing: %v", r.trace)
	}
	delete(r.artifacts, "impl-1.md")
	r.walkOn(a, nil)
	r.clean()
}

// A lock that some git has left is waited for, for seconds; then a person is told
// which file it is. When it is gone, what was to be committed is.
func TestLockLeft(t *testing.T) {
	tier.Full(t) // it waits for the lock
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("spawn_agent phase-5"))
	was := r.git("rev-parse", "HEAD")
	done := r.do(a)
	r.write(".git/HEAD.lock", "")
	a = r.next(done)
	lock := filepath.Join(r.root, ".git", "HEAD.lock")
	if text, _ := a["present_to_user"].(string); line(a) != "checkpoint commit-failed" || !strings.Contains(text, "The lock file "+lock) || !strings.Contains(text, "remove the file") {
		t.Fatalf("%s: %s", line(a), a["present_to_user"])
	}
	if b := r.next(NextRequest{}); line(b) != line(a) || r.git("rev-parse", "HEAD") != was {
		t.Errorf("nobody has answered, and there is %s", line(b))
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	a = r.next(NextRequest{Response: "retry"})
	if line(a) != "spawn_agent phase-6 impl-reviewer review-1.md" || r.git("show", "--format=", "--name-only", "HEAD") != "greet.go" {
		t.Fatalf("after retry: %s", line(a))
	}

	a = r.walkOn(a, at("spawn_agent final-summary"))
	done = r.do(a)
	r.write(".git/index.lock", "")
	done.Workspace = r.ws
	for range 2 { // the end is not told before the last commit is made
		_, err := r.s.NextAction(t.Context(), done)
		if p := problem.Of(err); p == nil || p.Code != GitLocked || !strings.Contains(p.Message.String(), filepath.Join(r.root, ".git", "index.lock")) {
			t.Fatalf("with a lock in the way: %v", err)
		}
		done = NextRequest{Workspace: r.ws}
	}
	if err := os.Remove(filepath.Join(r.root, ".git", "index.lock")); err != nil {
		t.Fatal(err)
	}
	if a = r.next(NextRequest{}); a["type"] != "done" || a["warning"] != "" {
		t.Errorf("%s: %v", line(a), a["warning"])
	}
	r.clean()
}

// What the repository is made with is told as it is when an action is handed out.
func TestProfileIsNew(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	a := r.walk(at("spawn_agent phase-1"))
	if p := a["prompt"].(string); !strings.Contains(p, "go test") || strings.Contains(p, "React") {
		t.Fatalf("the prompt says:\n%s", p)
	}
	r.write("package.json", `{"dependencies": {"react": "19"}}`)
	if a = r.walkOn(a, at("spawn_agent phase-2")); !strings.Contains(a["prompt"].(string), "React") {
		t.Errorf("after a manifest was written the prompt says:\n%s", a["prompt"])
	}
	was := a["prompt"].(string)
	r.write("web/index.py", "x = 1\n"+strings.Repeat("y = 2\n", 1000))
	r.git("add", "web")
	r.git("commit", "-q", "-m", "More")
	if a = r.walkOn(a, at("spawn_agent phase-3")); strings.Contains(was, "Python") || !strings.Contains(a["prompt"].(string), "Python") {
		t.Errorf("after a commit the prompt says:\n%s", a["prompt"])
	}
}

// A plan that calls a task as the server calls its own gets no other reviews for it.
func TestPlannedFix(t *testing.T) {
	reviews := func(id string) string {
		r := newRobot(t, "--nopr greet people by name", "M")
		second := "\n## Task " + id + ": Say it louder\n\nmode: sequential\ndepends_on: 1\nfiles:\n- `greet.go`\n\nAcceptance criteria:\n- It is loud\n"
		r.artifacts["tasks.md"] = func(int) string { return tasksText + second }
		r.artifacts["review-1.md"] = func(n int) string { return review("PASS") + fmt.Sprintf("\nThe %d. time.\n", n) }
		r.artifacts["review-"+id+".md"] = func(n int) string {
			if n == 1 {
				return review("FAIL", "**[CRITICAL]** It is silent.")
			}
			return review("PASS")
		}
		r.work[id] = func() {
			r.write("greet.go", fmt.Sprintf("package main\n\n// Greet shouts.\nfunc Greet() { println(77%d) }\n", r.written["impl-"+id+".md"]))
		}
		r.walk(nil)
		r.clean()
		return strings.NewReplacer(id+".md", "X.md", "[1 "+id+"]", "[1 X]").Replace(strings.Join(r.trace, "\n"))
	}
	want := reviews("2")
	if strings.Count(want, "impl-reviewer [1 X]") < 2 {
		t.Fatalf("nothing was reviewed again:\n%s", want)
	}
	if diff := cmp.Diff(want, reviews("fix-1")); diff != "" {
		t.Errorf("(-planned as 2 +planned as fix-1):\n%s", diff)
	}
}
