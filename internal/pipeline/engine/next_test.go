package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

func table(t *testing.T) *Table {
	t.Helper()
	table, err := Phases()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// a returns a state in a phase.
func at(id phase.ID, effort string) *State {
	tbl, err := Phases()
	if err != nil {
		panic(err)
	}
	return &State{
		Status: StatusActive, Workspace: ".specs/x", Plan: Plan{Effort: effort, SkippedPhases: Skipped(tbl, effort)},
		GitBranch: GitBranch{Branch: "feature/x", CreateBranch: true}, Progress: Progress{Phase: id},
	}
}

// withArtifacts is an observation of more files.
func withArtifacts(l Observation, names ...string) Observation {
	l.Artifacts = names
	return l
}

// say is a step in a line.
func say(s Step) string {
	switch s := s.(type) {
	case Repeat:
		return "again"
	case ServerStep:
		return strings.TrimSpace(fmt.Sprintf("do %s %s", s.Operation, s.To))
	case HandOut:
		switch a := s.Action.(type) {
		case SpawnAgent:
			if a.TaskIDs != nil {
				return fmt.Sprintf("spawn %s for %s", a.Agent, strings.Join(a.TaskIDs, " "))
			}
			return fmt.Sprintf("spawn %s: %s -> %s", a.Agent, strings.Join(a.Inputs, " "), a.Output)
		case Checkpoint:
			return fmt.Sprintf("checkpoint %s %v", a.Name, a.Options)
		case Exec:
			return fmt.Sprintf("exec %s %v", a.Phase, a.Commands)
		case WriteFile:
			return "write " + a.Path
		case HumanGate:
			return fmt.Sprintf("gate %s %v", a.Name, a.Options)
		case Done:
			return fmt.Sprintf("done %s (%s)", a.Summary, a.SummaryPath)
		}
	}
	return fmt.Sprintf("%T", s)
}

func TestNext(t *testing.T) {
	task := func(id, mode string, files string, on ...string) Task {
		return Task{ID: id, Mode: mode, Files: strings.Fields(files), DependsOn: on, Status: TaskPending, Gate: "gate-" + id}
	}
	implementing := func(tasks ...Task) *State {
		st := at(Implementation, "M")
		st.Tasks, st.TasksSense, st.Accepted = tasks, "s", map[string]string{TasksFile: "s"}
		return st
	}
	with := func(st *State, f func(*State)) *State { f(st); return st }
	done := func(k Task, s TaskStatus) Task { k.Status = s; return k }
	seen := Observation{Sense: map[string]string{TasksFile: "s"}, Artifacts: []string{"request.md", "analysis.md"}}
	for _, tt := range []struct {
		name string
		st   *State
		look Observation
		want string
	}{
		{"a branch is made", at(Setup, "M"), Observation{Branch: "main"}, "exec setup [git switch -c feature/x]"},
		{"a branch that was made is gone to", at(Setup, "M"), Observation{Branch: "main", BranchExists: true}, "exec setup [git switch feature/x]"},
		{"on the branch the work begins", at(Setup, "M"), Observation{Branch: "feature/x"}, "do begin"},
		{"what is outstanding stays so", with(at(Analysis, "M"), func(st *State) { st.Ticket = &Ticket{} }), seen, "again"},
		{"the first phase", at(Analysis, "M"), seen, "spawn situation-analyst: request.md -> analysis.md"},
		{"the first phase without the second", at(Analysis, "S"), seen, "spawn analyst-investigator: request.md -> analysis.md"},
		{"an input that need not be there", at(Design, "M"), Observation{Artifacts: []string{"investigation.md"}}, "spawn architect: request.md analysis.md investigation.md -> design.md"},
		{"an input that is not there", at(Design, "S"), seen, "spawn architect: request.md analysis.md -> design.md"},
		{"a revision reads the review", with(at(Design, "M"), func(st *State) {
			st.Reviews, st.PhaseRuns = map[phase.ID]Judgement{DesignReview: {Verdict: "REVISE"}}, []PhaseRun{{Phase: Design}}
		}),
			Observation{Artifacts: []string{"design.md", "review-design.md"}}, "spawn architect: request.md analysis.md design.md review-design.md -> design.md"},
		{"and what a person rejected, without one", with(at(Design, "S"), func(st *State) { st.PhaseRuns = []PhaseRun{{Phase: Design}} }),
			Observation{Artifacts: []string{"design.md"}}, "spawn architect: request.md analysis.md design.md -> design.md"},
		{"and what was refused", with(at(Analysis, "M"), func(st *State) { st.Attempts = 1 }),
			Observation{Artifacts: []string{"analysis.md"}}, "spawn situation-analyst: request.md analysis.md -> analysis.md"},
		{"but nothing that none of them wrote", at(Design, "S"), Observation{Artifacts: []string{"design.md"}}, "spawn architect: request.md analysis.md -> design.md"},
		{"critical findings go to the verifier", with(at(FinalVerification, "M"), func(st *State) {
			st.Reviews = map[phase.ID]Judgement{Comprehensive: {Findings: []artifact.Finding{{Severity: artifact.Critical, Description: msg.Literal("x")}}}}
		}), Observation{Artifacts: []string{ReviewFile}}, "spawn verifier: request.md tasks.md design.md comprehensive-review.md -> final-verification.md"},
		{"others do not", with(at(FinalVerification, "M"), func(st *State) {
			st.Reviews = map[phase.ID]Judgement{Comprehensive: {Findings: []artifact.Finding{{Severity: artifact.Major, Description: msg.Literal("x")}}}}
		}), Observation{Artifacts: []string{ReviewFile}}, "spawn verifier: request.md tasks.md design.md -> final-verification.md"},

		{"a checkpoint", at(CheckpointA, "M"), seen, "checkpoint checkpoint-a [approve reject]"},
		{"--auto without a review", with(at(CheckpointA, "M"), func(st *State) { st.Flags.Auto = true }), seen, "checkpoint checkpoint-a [approve reject]"},
		{"--auto with approval", auto1("APPROVE", "d"), Observation{Sense: map[string]string{DesignFile: "d"}}, "do pass"},
		{"--auto with notes", auto1("APPROVE_WITH_NOTES", "d"), Observation{Sense: map[string]string{DesignFile: "d"}}, "do pass"},
		{"--auto with a revision due", auto1("REVISE", "d"), Observation{Sense: map[string]string{DesignFile: "d"}}, "checkpoint checkpoint-a [approve reject]"},
		{"--auto and an unknown verdict", auto1("UNKNOWN", "d"), Observation{Sense: map[string]string{DesignFile: "d"}}, "checkpoint checkpoint-a [approve reject]"},
		{"--auto with approval of another design", auto1("APPROVE", "e"), Observation{Sense: map[string]string{DesignFile: "d"}}, "checkpoint checkpoint-a [approve reject]"},
		{"--auto with a critical finding", auto1("APPROVE", "d", artifact.Finding{Severity: artifact.Critical, Description: msg.Literal("x")}), Observation{Sense: map[string]string{DesignFile: "d"}}, "checkpoint checkpoint-a [approve reject]"},
		{"--auto at S, validated", with(at(CheckpointA, "S"), func(st *State) { st.Flags.Auto, st.Accepted = true, map[string]string{DesignFile: "d"} }),
			Observation{Sense: map[string]string{DesignFile: "d"}}, "do pass"},
		{"--auto at S, not validated", with(at(CheckpointA, "S"), func(st *State) { st.Flags.Auto = true }), Observation{}, "checkpoint checkpoint-a [approve reject]"},
		{"--auto does not decide on failures", with(at(CheckpointImpl, "M"), func(st *State) { st.Flags.Auto = true }), seen, "checkpoint checkpoint-impl [approve guide abandon]"},

		{"a design that changed is reviewed again", with(at(CheckpointA, "M"), func(st *State) { st.Accepted = map[string]string{DesignFile: "d"} }),
			Observation{Sense: map[string]string{DesignFile: "e"}}, "do go back phase-3b"},
		{"also much later", with(at(CodeReview, "M"), func(st *State) { st.Accepted = map[string]string{DesignFile: "d"} }),
			Observation{Sense: map[string]string{DesignFile: "e"}}, "do go back phase-3b"},
		{"and looked at where no review is made", with(at(Implementation, "S"), func(st *State) { st.Accepted = map[string]string{DesignFile: "d"} }),
			Observation{Sense: map[string]string{DesignFile: "e"}}, "do go back checkpoint-a"},
		{"a design that is gone is made again", with(at(Decomposition, "M"), func(st *State) { st.Accepted = map[string]string{DesignFile: "d"} }), Observation{}, "do go back phase-3"},
		{"tasks that changed are reviewed again", with(at(Implementation, "L"), func(st *State) { st.Accepted = map[string]string{TasksFile: "d"} }),
			Observation{Sense: map[string]string{TasksFile: "e"}}, "do go back phase-4b"},
		{"or read again", with(at(CodeReview, "M"), func(st *State) { st.Accepted = map[string]string{TasksFile: "d"} }),
			Observation{Sense: map[string]string{TasksFile: "e"}}, "do go back phase-5"},

		{"S writes its tasks", at(Implementation, "S"), Observation{}, "write .specs/x/tasks.md"},
		{"tasks are read", with(at(Implementation, "M"), func(st *State) { st.Accepted = map[string]string{TasksFile: "s"} }), seen, "do read tasks"},
		{"one task", implementing(task("1", artifact.Sequential, "a"), task("2", artifact.Sequential, "b")), seen, "spawn implementer: tasks.md design.md request.md -> impl-1.md"},
		{"a retry reads the review", implementing(with2(task("1", artifact.Sequential, "a"), func(k *Task) { k.Review = &Judgement{} })), seen, "spawn implementer: tasks.md design.md request.md review-1.md -> impl-1.md"},
		{"a retry reads the last report", implementing(with2(task("1", artifact.Sequential, "a"), func(k *Task) { k.Review, k.Base = &Judgement{}, "t" })),
			withArtifacts(seen, "impl-1.md", "review-1.md"), "spawn implementer: tasks.md design.md request.md impl-1.md review-1.md -> impl-1.md"},
		{"but not one of another task", implementing(task("1", artifact.Sequential, "a")), withArtifacts(seen, "impl-1.md"), "spawn implementer: tasks.md design.md request.md -> impl-1.md"},
		{"a fix reads what was found", implementing(with2(task("fix-1", artifact.Sequential, "a"), func(k *Task) { k.Fix = true })),
			withArtifacts(seen, VerificationFile), "spawn implementer: tasks.md design.md request.md final-verification.md -> impl-fix-1.md"},
		{"parallel ones go together", implementing(task("1", artifact.Parallel, "a"), task("2", artifact.Parallel, "b"), task("3", artifact.Sequential, "c")), seen, "spawn implementer for 1 2"},
		{"but not with the same file", implementing(task("1", artifact.Parallel, "a"), task("2", artifact.Parallel, "b a"), task("3", artifact.Parallel, "c")), seen, "spawn implementer for 1 3"},
		{"nor more than four", implementing(task("1", artifact.Parallel, "a"), task("2", artifact.Parallel, "b"), task("3", artifact.Parallel, "c"), task("4", artifact.Parallel, "d"), task("5", artifact.Parallel, "e")), seen, "spawn implementer for 1 2 3 4"},
		{"nor before what they depend on", implementing(task("1", artifact.Parallel, "a"), task("2", artifact.Parallel, "b", "1")), seen, "spawn implementer: tasks.md design.md request.md -> impl-1.md"},
		{"what failed is not completed", implementing(done(task("1", artifact.Parallel, "a"), TaskFailed), task("2", artifact.Parallel, "b", "1"), task("3", artifact.Sequential, "c")), seen, "spawn implementer: tasks.md design.md request.md -> impl-3.md"},
		{"a gate", implementing(task("1", artifact.HumanGate, ""), task("2", artifact.Sequential, "a", "1")), seen, "gate gate-1 [done skip abandon]"},
		{"a skipped gate is completed", implementing(done(task("1", artifact.HumanGate, ""), TaskSkipped), task("2", artifact.Sequential, "a", "1")), seen, "spawn implementer: tasks.md design.md request.md -> impl-2.md"},
		{"a circle is no completion", implementing(task("1", artifact.Sequential, "a", "2"), task("2", artifact.Sequential, "b", "1")), seen, "do block"},
		{"all are through", implementing(done(task("1", artifact.Sequential, "a"), TaskImplemented)), seen, "do leave"},
		{"a commit comes first", with(implementing(task("1", artifact.Sequential, "a")), func(st *State) { st.Commit = &Commit{} }), seen, "do commit tasks"},
		{"a pause before that", with(implementing(task("1", artifact.Sequential, "a")), func(st *State) { st.Commit, st.Pause = &Commit{}, &Pause{Name: CommitFailedCheckpoint} }), seen, "checkpoint commit-failed [retry abandon]"},

		{"the branch is pushed first", at(PRCreation, "M"), seen, "do push"},
		{"then the command", with(at(PRCreation, "M"), func(st *State) { st.Pushed = true }), seen, "exec pr-creation []"},
		{"only once", with(at(PRCreation, "M"), func(st *State) { st.Pushed, st.PullRequest = true, "u" }), seen, "do leave"},
		{"posting", with(at(PostToSource, "M"), func(st *State) { st.Source.Type = "jira_issue" }), seen, "checkpoint post-to-source [post skip]"},
		{"posting by a tool", with(at(PostToSource, "M"), func(st *State) { st.Source.Type, st.Posting = "jira_issue", true }), seen, "gate post-to-source [done skip abandon]"},
		{"posting by gh", with(at(PostToSource, "M"), func(st *State) { st.Source.Type, st.Posting = "github_issue", true }), seen, "exec post-to-source []"},
		{"the end", at(FinalCommit, "M"), seen, "do finish"},
		{"the last commit", with(at(Completed, "M"), func(st *State) { st.Status = StatusCompleted }), Observation{Uncommitted: true}, "do final commit"},
		{"done", with(at(Completed, "M"), func(st *State) { st.Status, st.CompletedPhases = StatusCompleted, make([]phase.ID, 10) }), Observation{Artifacts: []string{"summary.md"}}, "done Pipeline completed: 10 phases, 2 skipped (.specs/x/summary.md)"},
		{"abandoned", with(at(Design, "M"), func(st *State) { st.Abandon("enough", "") }), seen, "done Pipeline abandoned at phase-3: enough ()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, err := json.Marshal(tt.st)
			if err != nil {
				t.Fatal(err)
			}
			if got := say(Next(table(t), tt.st, tt.look)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if after, _ := json.Marshal(tt.st); string(after) != string(before) {
				t.Errorf("Next changed the state:\n%s\n%s", before, after)
			}
		})
	}
}

func auto1(verdict, of string, found ...artifact.Finding) *State {
	st := at(CheckpointA, "M")
	st.Flags.Auto = true
	st.Accepted = map[string]string{DesignFile: "d"}
	st.Reviews = map[phase.ID]Judgement{DesignReview: {Verdict: verdict, Of: of, Findings: found}}
	return st
}

func with2(k Task, f func(*Task)) Task { f(&k); return k }

// A step that the server absorbs has no form on the wire.
func TestAbsorbedIsNotSerialised(t *testing.T) {
	for _, v := range []any{ServerStep{}, &ServerStep{Operation: OpPush}, []Step{ServerStep{}}, map[string]any{"step": ServerStep{}}} {
		if data, err := json.Marshal(v); err == nil {
			t.Errorf("%T was marshalled: %s", v, data)
		}
	}
	if _, ok := any(ServerStep{}).(Action); ok {
		t.Error("an absorbed step is an action")
	}
}

// TestRefusals holds that a no in other words is one, and not what only begins like it.
func TestRefusals(t *testing.T) {
	for _, answer := range []string{
		"not like this", "Not good enough.", "this is wrong", "That's not what I asked for", "wrong approach: use a queue", "Bad idea!", "I'd rather not",
		"needs work", "Needs more work, the names are odd", "I can't approve this", "I don't like this design", "don't proceed", "please don't", "absolutely not",
		"rework it", "Redo the design with a queue", "change it", "back to the drawing board", "no-go", "unacceptable", "changes requested: shorter names",
		"承認できません", "これではダメです", "よくないです", "もう一度考えてください", "修正が必要です", "作り直してください", "不承認",
	} {
		if word, text := Understand("checkpoint-a", answer); word != "reject" || text == "" {
			t.Errorf("%q: %q %q", answer, word, text)
		}
	}
	for _, answer := range []string{
		"not bad", "not yet", "not right now", "don't forget the tests", "stop", "wrong?", "I don't like it, but go ahead", "this is wrong, yet ok", "negative numbers are missing", "Wrong window, approve",
		"I can't agree more", "not ok?", "修正が必要ない", "修正が必要ありません", "作り直しは不要です", "承認しない理由がない", "よくないですか",
		"not good, if the tests fail", "don't you think it is fine?", "よくないですが、進めて", "you may rework it", "wrong chat", "not a problem",
	} {
		if word, _ := Understand("checkpoint-a", answer); word != "" {
			t.Errorf("%q: %q", answer, word)
		}
	}
	if word, _ := Understand(CommitFailedCheckpoint, "not good"); word != "" {
		t.Errorf("where nothing can be rejected: %q", word)
	}
	for _, name := range []string{CommandFailedCheckpoint, PushFailedCheckpoint, HumanGateCheckpoint} {
		if word, _ := Understand(name, "do not continue"); word != "" {
			t.Errorf("%s goes on without what failed: %s", name, word)
		}
	}
	if word, _ := Understand("checkpoint-design", "rejected"); word != "guide" {
		t.Errorf("rejected: %q", word)
	}
}

func TestUnderstand(t *testing.T) {
	for _, tt := range []struct{ checkpoint, answer, word, text string }{
		{"checkpoint-a", "approve", "approve", ""},
		{"checkpoint-a", "  **Approve**, and call it twice.", "approve", "and call it twice."},
		{"checkpoint-a", "OK", "approve", ""},
		{"checkpoint-a", "ｙｅｓ！", "approve", ""},
		{"checkpoint-a", "proceed: with care", "approve", "with care"},
		{"checkpoint-a", "承認", "approve", ""},
		{"checkpoint-a", "承認します。ただし名前は短く", "", "承認します。ただし名前は短く"},
		{"checkpoint-a", "「差戻し」 名前が長い", "reject", "名前が長い"},
		{"checkpoint-a", "reject\nthe names are long", "reject", "the names are long"},
		{"checkpoint-a", "No, the names are long", "reject", "the names are long"},
		{"checkpoint-a", "abandon", "abandon", ""},
		{"checkpoint-a", "承認できません", "reject", "承認できません"},
		{"checkpoint-a", "approved-ish", "", "approved-ish"},
		{"checkpoint-a", "approve/reject", "", "approve/reject"},
		{"checkpoint-a", "don't approve", "reject", "don't approve"},
		{"checkpoint-a", "not approved", "reject", "not approved"},
		{"checkpoint-a", "I approve", "approve", ""},
		{"checkpoint-a", "guide", "", "guide"},
		{"checkpoint-a", "", "", ""},
		{"checkpoint-impl", "no: look at the log", "guide", "look at the log"},
		{"checkpoint-impl", "retry", "guide", ""},
		{"human_gate", "完了", "done", ""},
		{"human_gate", "ok", "", "ok"},
		{"post-to-source", "yes", "post", ""},
		{"post-to-source", "no", "skip", ""},
		{"until", "go", "continue", ""},
		{"command-failed", "skip it", "skip", "it"},
		{"command-failed", "skip it only if it fails again", "", "skip it only if it fails again"},
		{"human_gate", "done, except the second part", "", "done, except the second part"},
		{"budget-spent", "finish only the current task", "", "finish only the current task"},
		{"until", "continue if it is cheap", "", "continue if it is cheap"},
		{"checkpoint-a", "approve 👍 and greet twice", "approve", "and greet twice"},
	} {
		if word, text := Understand(tt.checkpoint, tt.answer); word != tt.word || text != tt.text {
			t.Errorf("%s, %q: %q and %q, want %q and %q", tt.checkpoint, tt.answer, word, text, tt.word, tt.text)
		}
	}
}

// TestPhrases checks what people say at a checkpoint against what they mean; "" asks them
// again.
func TestPhrases(t *testing.T) {
	for answer, want := range map[string]string{
		"No problem, go ahead": "approve", "no problems - go ahead!": "approve",
		"No objections. Approve.":   "approve",
		"No further comments, LGTM": "approve", "no changes needed, ok": "approve",
		"Not bad, approve": "approve", "Sure, go ahead.": "approve",
		"approve: auto-approved, no response": "", "approve, set the timeout to 5s": "approve",
		"approve: no response codes, please": "approve",
		"looks fine to me, go on":            "approve", "Good to go": "approve", "問題なさそうです": "approve",
		"looks fine, but rename greet": "",
		"go ahead":                     "approve", "Go for it!": "approve", "sounds good": "approve",
		"Looks good to me": "approve", "looks good, thanks": "approve",
		"yep": "approve", "Yeah, sure": "approve", "yes please": "approve", "Yes, no problem": "approve",
		"great, go ahead": "approve",
		"Please approve":  "approve", "ship it": "approve", "👍": "approve", "👍 nice": "approve",
		"fine by me": "approve", "I agree": "approve",
		"ok": "approve", "OK, and greet twice": "approve", "ok, rename the function": "approve",
		"approve: but keep the names": "approve",
		"Perfect. Approved.":          "approve", "Thanks! Yes.": "approve", "Absolutely": "approve", "okay then": "approve",
		"OKです": "approve", "ＯＫです": "approve", "はい": "approve", "はい、お願いします": "approve",
		"はい、どうぞ": "approve", "承認でお願いします": "approve",
		"承認します": "approve", "承認です": "approve", "問題ありません、進めてください": "approve", "問題ないです。承認します": "approve",
		"特に問題なし、OK": "approve",
		"進めてください":   "approve", "進めて下さい。": "approve", "了解です": "approve", "了解しました": "approve",
		"いいですね": "approve", "お願いします": "approve",
		"承知しました": "approve", "賛成です": "approve", "ありがとうございます。承認します。": "approve", "どうぞ": "approve",
		"進めましょう": "approve",

		"sounds right, please continue": "approve", "The design is right.": "approve",
		"I'm fine with that": "approve", "continue": "approve",
		"Great work! Proceed.": "approve", "this is fine, go on": "approve",
		"seems reasonable to me": "approve", "良いと思います": "approve",
		"いいよ": "approve", "それでお願いします": "approve",
		"looks good?": "", "sounds wrong": "", "that is not right": "", "mostly good": "",
		"sounds right if you add tests": "", "go back": "",
		"correct the typo": "", "looks good, the agent decided": "", "good question": "",
		"fine-tune the names": "", "それで、どうなる": "",

		"No": "reject", "no, the names are long": "reject", "Nope": "reject", "No way": "reject",
		"nah, too long": "reject", "👎": "reject",
		"reject": "reject", "Please reject: too long": "reject",
		"reject, but keep the approach": "reject", "I disagree": "reject", "Revise the names": "reject",
		"Send it back, please": "reject", "いいえ": "reject", "いいえ、名前が長いです": "reject", "却下します": "reject",
		"差し戻しでお願いします": "reject",
		"差し戻してください":   "reject", "だめです": "reject", "NGです": "reject", "やり直してください": "reject", "反対です": "reject",
		"abandon": "abandon", "中止してください": "abandon", "please abandon": "abandon",

		"ok, but first rename the function": "", "OK but rename it": "", "Yes, but not like this": "",
		"yes, if the tests pass": "", "approve once it is renamed": "",
		"approve, except the second part": "", "okay, first rename it": "",
		"ok, as long as nothing else changes": "", "approve, however the name is wrong": "",
		"Looks good, but rename it": "", "go ahead after you renamed it": "",
		"approve with one condition: rename it": "", "yes, provided that it is fast": "",
		"no problem": "", "No problems": "", "no objections": "", "not bad": "", "good": "", "great": "",
		"thanks": "", "ok?": "", "approve?": "", "yes or no": "",
		"yes and no": "", "approve or reject?": "", "approve/reject": "", "yes, reject it": "",
		"no, go ahead": "", "no, approve it": "", "ok, no": "",
		"yes, wait": "", "don't approve": "reject", "do not proceed": "reject", "not yet": "", "not ok": "reject",
		"hold on": "", "I would approve if it were shorter": "",
		"OKですが、名前を直して": "", "はい、ただし名前を直すこと": "", "承認します。ただし名前は短く": "", "承認しますが、名前を直してください": "",
		"はい、でもその前に名前を直して": "",
		"承認しない": "reject", "承認できません": "reject", "進めないでください": "", "問題ありません": "", "問題なし": "", "いいです": "", "結構です": "", "はい？": "",
		"You can go ahead": "approve", "feel free to continue": "approve",
		"I have no objections, proceed": "approve", "nothing to add, go ahead": "approve",
		"+1":                 "approve",
		"sounds like a plan": "approve", "いいですよ": "approve", "進めてよいです": "approve",
		"問題ないので進めてください": "approve", "これでOKです": "approve", "オッケー": "approve",
		"どうぞ進めてください": "approve", "このまま進めて": "approve", "承認。いつでも進めて": "approve",
		"approve, without changes": "approve", "ノー": "reject", "直してください": "reject",
		"you may not proceed": "", "You can go ahead, but rename it": "", "直してから進めて": "", "これでOKじゃない": "",
		"I approve of the idea, not of the plan": "", "approve of the first half": "",
		"Approve minus the second item": "", "approve, apart from task 2": "", "LGTM with nits": "",
		"lgtm modulo the name": "", "go ahead without task 2": "",
		"looks good aside from the naming": "", "ok I guess": "", "承認、でもテストも": "",
		"I approve; I especially like the second half.": "approve", "go ahead with the first half": "",
		"これで問題ないです。進めてください": "approve",
		"+1 from me": "approve", "+10": "", "名前が直ったらOK": "", "いいえ、承認します": "", "条件付きで承認": "",

		"approve, not a single complaint": "approve", "approve, not one complaint": "approve",
		"No complaints, ship it": "approve", "YES 🎉🎉": "approve",
		"okay 👌": "approve", "OKです👍": "approve", "いいよ〜": "approve",
		"great job, let's move on": "approve", "それでいこう！": "approve",
		"うん、OK": "approve", "ええ、そのまま続けて": "approve", "yes to all of it": "approve",
		"I approve this design": "approve", "ok with me": "approve",
		"🙅":                                "reject",
		"go ahead with the implementation": "approve", "go ahead and implement it": "approve",
		"yes implement it": "approve", "proceed as planned": "approve",
		"yes I like it": "approve", "approve as written": "approve", "approve and merge": "approve",
		"I approve this plan, go ahead": "approve",
		"approve without changes":       "approve", "approve with no further changes": "approve",
		"yes thanks a lot": "approve", "looks good overall": "approve",
		"この計画で進めてください": "approve", "計画を承認します": "approve", "はい承認します": "approve", "よろしくお願いします": "approve",
		"approve without task 2": "", "go ahead with the implementation of task 1": "",
		"yes start with the tests": "",
		"よろしくお願いしますが、名前を直して":       "", "この計画で進めてよいですか？": "",

		"feel free to reject it yourself": "", "feel free to approve it yourself": "",
		"you may reject it": "", "you can abandon it if you like": "",
		"approve, your call": "", "yes, up to you": "", "OK、お任せします": "",
		"approve the first two tasks": "", "approve tasks 1-3": "", "go ahead with task 1": "",
		"yes to the last part": "", "はい、タスク1だけ": "",
		"yeah right, sure, delete the whole database": "", "sure, whatever 🙄": "", "yes /s": "",
		"Sure. What could possibly go wrong?": "",
		"ok, why is the lock needed?":         "", "approve. wait, what about windows?": "",
		"yes for now, I'll look tonight": "", "approve, pending CI": "",
		"approve pending CI": "", "lgtm, will approve tomorrow": "", "ok to merge after Friday": "",
		"approved by my cat": "", "yes when it is green": "",
		"approve: if CI passes": "", "approve: only once it is renamed": "", "はい、と言いたいところですが": "", "OK 後で直すなら": "",
		"abandon if it takes more than a day": "", "abandon unless it is fixed by Monday": "",
		"abandon? no, wait": "",
	} {
		if word, _ := Understand("checkpoint-a", answer); word != want {
			t.Errorf("%q: %q, want %q", answer, word, want)
		}
	}
}

// What only says yes once more is no feedback for the agents.
func TestAssent(t *testing.T) {
	for answer, want := range map[string]string{
		"sounds right, please continue": "", "ok, go": "", "yep, ship it": "", "approved, thanks": "",
		"はい、進めてください":      "",
		"approve: thanks": "thanks",
	} {
		if word, text := Understand("checkpoint-a", answer); word != "approve" || text != want {
			t.Errorf("%q: %q, %q, want %q", answer, word, text, want)
		}
	}
}

// Every checkpoint can be left, and every option says what it does.
func TestDesks(t *testing.T) {
	tbl := table(t)
	for _, id := range tbl.IDs() {
		if w, _ := tbl.Contract(id); w.Kind == kindCheckpoint && len(Options(string(id))) == 0 {
			t.Errorf("nothing may be answered at %s", id)
		}
	}
	for name, d := range checkpoints {
		for _, o := range slices.Concat(d.options, d.silent) {
			if o.does == nil {
				t.Errorf("%s: %s does nothing", name, o.word)
			}
			if word, _ := Understand(name, strings.ToUpper(o.word)); word != o.word {
				t.Errorf("%s: %s is understood as %q", name, o.word, word)
			}
		}
		all := append(slices.Clone(d.options), d.silent...)
		if !slices.ContainsFunc(all, func(o option) bool { return o.word == "abandon" }) {
			t.Errorf("%s cannot be abandoned", name)
		}
	}
}

// A tick, and a blank at the end of a line, are no change; a word is.
func TestSense(t *testing.T) {
	a := Sense("# Tasks\n\n- [ ] one  \n  * [x] two\r\n")
	if b := Sense("# Tasks\n\n- [x] one\n  * [ ] two\n\n"); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if b := Sense("# Tasks\n\n- [ ] two\n  * [ ] two\n"); a == b {
		t.Errorf("another word makes no difference: %q", b)
	}
}

// Retries are counted by task: what one has used up does not burden another.
func TestRetriesByTask(t *testing.T) {
	tbl := table(t)
	st := at(CodeReview, "M")
	st.Tasks = []Task{{ID: "1", Status: TaskPassed, Retries: 3}, {ID: "2", Status: TaskFailed, Retries: 2}}
	if err := st.LeaveTasks(tbl); err != nil {
		t.Fatal(err)
	}
	if k := st.Task("2"); st.Phase != Implementation || k.Status != TaskPending || k.Retries != 3 {
		t.Errorf("%s, %+v", st.Phase, k)
	}
	st.Phase = CodeReview
	st.Task("2").Status = TaskFailed
	if err := st.LeaveTasks(tbl); err != nil {
		t.Fatal(err)
	}
	if st.Phase != CheckpointImpl {
		t.Errorf("%s", st.Phase)
	}
}

// Tasks that are as they were keep what became of them when tasks.md is read again.
func TestSetTasks(t *testing.T) {
	st := at(Implementation, "M")
	st.Tasks = []Task{{ID: "1", Sense: "a", Status: TaskPassed, Commit: "c"}, {ID: "2", Sense: "b", Status: TaskImplemented}}
	st.SetTasks([]Task{{ID: "1", Sense: "a", Status: TaskPending}, {ID: "2", Sense: "other", Status: TaskPending}, {ID: "3", Status: TaskPending}}, "s")
	if a, b := st.Task("1"), st.Task("2"); a.Status != TaskPassed || a.Commit != "c" || b.Status != TaskPending || len(st.Tasks) != 3 {
		t.Errorf("%+v", st.Tasks)
	}
}
