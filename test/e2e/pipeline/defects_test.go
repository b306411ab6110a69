package pipeline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDefects checks the defects of older pipelines. Each test is named after the
// defect.
func TestDefects(t *testing.T) {
	for name, play := range map[string]func(*testing.T){
		"done leaks before the end":                    doneLeaks,
		"checkpoints accept no answer":                 checkpointsAcceptNoAnswer,
		"a failed review with the word PASS loops":     failedReviewLoops,
		"updates are lost under concurrent calls":      updatesAreLost,
		"stray tokens pass gates":                      strayTokensPassGates,
		"what was abandoned revives":                   byName("revives what the user gave up").play,
		"cyclic dependencies are a success":            cyclesAreASuccess,
		"an unknown verdict is taken as approval":      unknownVerdictApproves,
		"placeholders are left in prompts":             placeholdersAreLeft,
		"shell strings are built from URLs and titles": shellStrings,
		"the tree is dirty after completion":           treeIsDirty,

		"the last of many rejections approves":             limitApproves,
		"a verification without a verdict is enough":       verificationNeedsNoVerdict,
		"a dependency on nothing is fulfilled":             planIsRefused("depends on \"9\"", "mode: sequential\nfiles: greet.py, main.py\ndepends_on: 9\n", ""),
		"tasks at the same time write the same file":       planIsRefused("greet.py", "mode: parallel\nfiles: greet.py, main.py\n", "mode: parallel\nfiles: greet.py\n"),
		"a review of an earlier attempt serves again":      oldReviewServes,
		"critical findings are lost in another spelling":   byName("hides a critical finding below a PASS, spelling 1").play,
		"the last push overwrites what others have pushed": pushOverwrites,
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			play(t)
		})
	}
}

// byName returns the attack of that technique.
func byName(technique string) attack {
	return attacks[slices.IndexFunc(attacks, func(c attack) bool { return c.technique == technique })]
}

func doneLeaks(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "M")
	for n := 0; o.now.Str("type") != "done"; n++ {
		if s := o.state(); s.Status != "active" || s.Ticket == nil {
			t.Errorf("at %s: %+v", o.at(), s)
		}
		if n > 40 {
			t.Fatal("no end")
		}
		o.step()
	}
	if s := o.state(); s.Status != "completed" || s.Phase != "completed" || len(s.Passed) != 10 {
		t.Errorf("done, and the state says %+v", s)
	}
}

func checkpointsAcceptNoAnswer(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "S")
	for n, tt := range []struct{ answer, to string }{
		{"reject: say it in Japanese", "design.md"},
		{"差戻し 日本語でも", "design.md"},
		{"Revise, please: shorter", "design.md"},
		{"ＮＯ", "design.md"},
		{"承認します。", "phase-5"},
	} {
		o.play("checkpoint-a")
		o.took(o.next(object{"user_response": tt.answer}))
		if o.at() != tt.to {
			t.Fatalf("after %q: %s", tt.answer, o.now.Raw)
		}
		_, text, _ := strings.Cut(tt.answer, " ")
		if tt.to == "design.md" && !strings.Contains(o.now.Str("prompt"), strings.TrimSpace(text)) {
			t.Errorf("%q is not in the next prompt: %s", text, o.now.Str("prompt"))
		}
		if d := o.state().Decisions; len(d) != n+1 || d[n].By != "relayed" {
			t.Errorf("decisions: %+v", d)
		}
	}
}

func failedReviewLoops(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "S")
	for n := 1; n <= 4; n++ {
		o.play("review-1.md")
		o.took(putting(fmt.Sprintf("# Review %d\n\nWith a test it would PASS.\n\n## Verdict: FAIL\n\n- **[MAJOR]** No test; else PASS.\n", n))(o))
		if want := map[bool]string{true: "impl-1.md", false: "checkpoint-impl"}[n <= 3]; o.at() != want {
			t.Fatalf("after %d failed reviews: %s", n, o.now.Raw)
		}
	}
	if !strings.Contains(o.now.Str("present_to_user"), "No test; else PASS") {
		t.Errorf("the person is told: %s", o.now.Str("present_to_user"))
	}
	o.took(o.next(object{"user_response": "guide: write a test"}))
	if o.at() != "impl-1.md" || !strings.Contains(o.now.Str("prompt"), "write a test") {
		t.Errorf("guided: %s", o.now.Raw)
	}
}

func updatesAreLost(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "S")
	o.play("analysis.md")
	o.do()
	said := o.done()
	said["workspace"], said["previous_tokens"] = o.ws, 900
	const clients = 6
	replies := make(chan reply, clients)
	for range clients {
		client := o.Connect(nil)
		go func() { replies <- o.Call(client, "pipeline_next_action", said) }()
	}
	for range clients {
		switch r := <-replies; {
		case r.Refused && (r.Str("error") == "workspace_busy" || r.Str("error") == "state_changed"):
		case !r.Refused && line(r.Answer) == "design.md":
		default:
			t.Errorf("one is told %s", r.Raw)
		}
	}
	if s := o.state(); len(s.Log) != 1 || s.Phase != "phase-3" || s.Ticket == nil {
		t.Errorf("state: %+v", s)
	}
	seen := make(map[string]int)
	for i, e := range o.journal() {
		if e.Seq != i+1 {
			t.Errorf("line %d of the journal has the number %d", i+1, e.Seq)
		}
		seen[e.Event]++
	}
	if seen["reported"] != 2 { // setup, analysis
		t.Errorf("the journal: %v", seen)
	}
}

func strayTokensPassGates(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "M")
	o.habits = withGate
	for _, gate := range []string{"checkpoint-a", "merge-other"} {
		o.play(gate)
		for _, said := range []object{{"previous_tokens": 900}, {"previous_duration_ms": 1}, {"previous_model": "opus"}, {"previous_action_complete": true}, {"previous_setup_only": true}} {
			was := stood{o.snapshot(), o.at()}
			for _, wrong := range ignored("user_response").wrong(o, o.next(said), was) {
				t.Error(wrong)
			}
		}
		o.took(o.next(object{"user_response": o.now.List("options")[0]}))
	}
	if o.at() != "phase-6" && !strings.HasPrefix(o.at(), "review-1") {
		t.Errorf("answered, and at %s", o.at())
	}
}

const circle = "# Tasks\n\n## Task 1: One\nmode: parallel\nfiles:\n- greet.py\ndepends_on: 3\n\n## Task 2: Two\nmode: parallel\nfiles: farewell.py (new)\ndepends_on: 1\n\n" +
	"## Task 3: Three\nmode: sequential\nfiles:\n- main.py\ndepends_on: 2\n"

func cyclesAreASuccess(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "M")
	o.play("phase-5 [1 2]")
	o.do()
	o.Write(o.file("tasks.md"), circle) // the plan that was accepted had none
	r := o.next(o.done())
	if line(r.Answer) != "tasks.md" || !strings.Contains(r.Str("prompt"), "1 → 3 → 2 → 1") {
		t.Fatalf("a circle, and on it goes: %s", r.Raw)
	}
	o.now = r
	for range 4 {
		o.Write(o.file("tasks.md"), circle+fmt.Sprintf("\n<!-- again %d -->\n", len(o.trail)))
		o.took(o.next(o.done()))
	}
	if o.now.Str("type") != "checkpoint" || !strings.Contains(o.now.Str("present_to_user"), "1 → 3 → 2 → 1") {
		t.Errorf("nobody is told: %s", o.now.Raw)
	}
}

func unknownVerdictApproves(t *testing.T) {
	for _, at := range []string{"review-design.md", "review-1.md", "final-verification.md"} {
		effort := "S"
		if at == "review-design.md" {
			effort = "M"
		}
		o := newOrchestrator(t, "--auto --nopr "+request, effort)
		o.play(at)
		was := o.state()
		for n := range 4 {
			if o.at() != at {
				t.Fatalf("after %d verdicts that are none: %s", n, o.now.Raw)
			}
			o.took(putting(fmt.Sprintf("# Review %d\n\n## Verdict: LGTM\n\nEverything was approved and passes.\n", n))(o))
		}
		if o.now.Str("type") != "checkpoint" || slices.Contains(o.now.List("options"), "approve") || o.state().Phase != was.Phase {
			t.Errorf("%s: after four that are none: %s", at, o.now.Raw)
		}
	}
}

var placeholder = regexp.MustCompile(`\{\{?[a-z][a-z0-9_]*\}?\}`)

func placeholdersAreLeft(t *testing.T) {
	for _, effort := range []string{"S", "L"} {
		o := newOrchestrator(t, "--nopr "+request, effort)
		for n := 0; o.now.Str("type") != "done" && n < 60; n++ {
			prompts := map[string]string{o.at(): o.now.Str("prompt")}
			if list, ok := o.now.Answer["parallel_tasks"].([]any); ok {
				for _, p := range list {
					prompts[p.(object)["output_file"].(string)] = p.(object)["prompt"].(string)
				}
			}
			for of, text := range prompts {
				if left := placeholder.FindString(text); left != "" {
					t.Errorf("%s: %s is left in the prompt", of, left)
				}
			}
			o.step()
		}
		if o.now.Str("type") != "done" {
			t.Error("no end")
		}
	}
}

// hostile is a title that must never reach a shell.
const hostile = "Fix `touch pwned`; $(touch pwned) && touch pwned | \"touch' pwned\n--help"

func shellStrings(t *testing.T) {
	o := &orchestrator{fixture: newFixture(t, repository)}
	o.written, o.effort = make(map[string]int), "S"
	for _, url := range []string{"https://github.com/owner/repo/issues/42;touch pwned", "https://github.com/owner/repo/issues/42$(touch pwned)", "https://github.com/own`er/repo/issues/42"} {
		if r := o.Call(nil, "pipeline_init", object{"arguments": url}); r.Str("source_type") == "github_issue" && strings.ContainsAny(r.Str("source_url"), ";$`() ") {
			t.Errorf("%q: %s", url, r.Raw)
		}
	}
	init := o.ok("pipeline_init", object{"arguments": "--auto https://github.com/owner/repo/issues/42"})
	fetch, _ := init.Answer["fetch_needed"].(object)
	if argv, ok := fetch["argv"].([]any); !ok || len(argv) < 4 || argv[0] != "gh" {
		t.Errorf("fetch_needed: %v", fetch)
	}
	call := object{"workspace": init.Answer["workspace"], "flags": init.Answer["flags"], "source_url": init.Answer["source_url"], "source_id": "42",
		"external_context":  object{"github_title": hostile, "github_body": hostile, "github_labels": []any{object{"name": hostile}}},
		"user_confirmation": object{"effort": "S"}}
	ready := o.ok("pipeline_init_with_context", call)
	o.ws = ready.Str("workspace")
	if strings.ContainsAny(o.ws+ready.Str("branch"), "`;$()&|\"' \n") {
		t.Errorf("workspace and branch: %s", ready.Raw)
	}
	o.took(o.next(object{}))
	o.play("")
	asked := o.asked()
	if len(asked) == 0 || len(asked[0]) < 6 || strings.Contains(asked[0][3], "`") {
		t.Errorf("gh was asked %q", asked)
	}
	if o.Read("pwned") != "" || o.Git("status", "--porcelain") != "" {
		t.Error("some shell has run the title")
	}
}

func treeIsDirty(t *testing.T) {
	o := newOrchestrator(t, "--nopr --debug "+request, "S")
	o.play("")
	o.whole()
	before := o.Git("rev-parse", "HEAD")
	for range 2 { // asking again changes nothing any more
		o.next(object{})
	}
	o.Stop()
	o.Serve()
	o.next(object{})
	if now := o.Git("rev-parse", "HEAD"); now != before {
		t.Errorf("asking again has made a commit: %s", o.Git("log", "--oneline", before+".."))
	}
	o.whole()
}

func limitApproves(t *testing.T) {
	o := newOrchestrator(t, "--auto --nopr "+request, "M")
	for n := 1; o.at() != "checkpoint-a"; n++ {
		o.play("review-design.md")
		o.took(putting(fmt.Sprintf("# Review %d\n\n## Verdict: REVISE\n\n- **[CRITICAL]** Nobody is greeted.\n", n))(o))
		if n > 9 {
			t.Fatalf("no end: %v", o.trail)
		}
		if o.at() != "checkpoint-a" && o.at() != "design.md" {
			t.Fatalf("after %d rejections: %s", n, o.now.Raw)
		}
	}
	if !strings.Contains(o.now.Str("present_to_user"), "Nobody is greeted") {
		t.Errorf("the person is told: %s", o.now.Str("present_to_user"))
	}
}

func pushOverwrites(t *testing.T) {
	o := newOrchestrator(t, "--auto "+request, "S")
	o.play("summary.md")
	o.play("pr-creation")
	branch := o.state().Branch
	other := o.Beside("other")
	o.Git("clone", "-q", "--branch", branch, o.origin, other)
	o.Git("-C", other, "-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "-q", "--allow-empty", "-m", "Of somebody else")
	o.Git("-C", other, "push", "-q", "origin", branch)
	theirs := o.Git("-C", other, "rev-parse", "HEAD")
	o.play("done")
	if now := o.Git("ls-remote", o.origin, "refs/heads/"+branch); !strings.HasPrefix(now, theirs) {
		t.Errorf("the remote's branch was %s and is %s", theirs, now)
	}
	if !strings.Contains(o.now.Str("warning"), "push") {
		t.Errorf("nobody is told: %s", o.now.Raw)
	}
}

func verificationNeedsNoVerdict(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "S")
	o.play("final-verification.md")
	was := stood{o.snapshot(), o.at()}
	r := putting("# Verification\n\nAll of it was run, and all of it is well.\n")(o)
	for _, wrong := range notTaken("no verdict line").wrong(o, r, was) {
		t.Error(wrong)
	}
}

// planIsRefused is a plan of one or two tasks that names what is wrong with it.
func planIsRefused(says, first, second string) func(*testing.T) {
	return func(t *testing.T) {
		o := newOrchestrator(t, "--nopr "+request, "M")
		o.play("tasks.md")
		text := "# Tasks\n\n## Task 1: Greet\n" + first
		if second != "" {
			text += "\n## Task 2: Greet again\n" + second
		}
		was := stood{o.snapshot(), o.at()}
		for _, wrong := range notTaken(says).wrong(o, putting(text)(o), was) {
			t.Error(wrong)
		}
	}
}

func oldReviewServes(t *testing.T) {
	o := newOrchestrator(t, "--nopr "+request, "S")
	o.play("review-1.md")
	o.do() // it passes
	passed := o.Read(o.file("review-1.md"))
	o.took(putting("# Review\n\n## Verdict: FAIL\n\n- **[MAJOR]** No test.\n")(o))
	o.Write(o.file("review-1.md"), passed)
	o.step() // the second attempt
	if o.at() != "review-1.md" {
		t.Fatalf("implemented again: %s", o.now.Raw)
	}
	was := stood{o.snapshot(), o.at()}
	for _, wrong := range notTaken("review-1.md").wrong(o, o.next(o.done()), was) {
		t.Error(wrong)
	}
}
