package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/verify"
)

// VerificationContradicted is the code of a claim that the change passed while a
// command of a verifier failed. The failure counts, and the session has moved on.
const VerificationContradicted problem.Code = "verification_contradicted"

// taskFailures is how often one task may fail before someone intervenes. The
// same holds for failures in a row, whichever tasks they belong to.
const taskFailures = 3

// How much of a command's output goes into an answer, in characters: of one that
// failed, and of one that passed. The checkpoint has more.
const (
	failedTail = 2500
	passedTail = 300
)

// presentVerifiers lists the verifiers for what the session changed.
func (t *turn) presentVerifiers(ctx context.Context, a *Answer) error {
	warned := len(t.warnings)
	chosen, err := t.chosen(ctx)
	if err != nil {
		return err
	}
	a.Warnings = append(a.Warnings, t.warnings[warned:]...)
	for _, c := range chosen {
		line := VerifierLine{Name: c.Name, Files: c.Files, Command: c.Command, Prompt: text.Clip(c.Body, 2000)}
		if len(c.Command) > 0 {
			line.RunBy = "the server, when you submit"
			if why := t.refusal(c); why != "" {
				line.RunBy = "nobody: " + why
			}
		}
		a.Verifiers = append(a.Verifiers, line)
	}
	return nil
}

// presentChecks shows what became of the commands at the last verification, where
// that is what the phase goes on from.
func (t *turn) presentChecks(a *Answer) {
	v := t.st.Verify
	if v == nil || len(v.Commands) == 0 {
		return
	}
	switch t.st.Phase {
	case PreCommit:
		a.Checks = &Checks{Results: shortened(v.Commands)}
	case ReadyPlan, VerifyIntervention, UserEscalation:
		if !v.Passed {
			a.Checks = &Checks{Results: shortened(v.Commands)}
		}
	}
}

// postImplVerify takes the result of the verification, and counts failures. The
// change has passed if the model says so and no command of a verifier failed.
func (t *turn) postImplVerify(ctx context.Context, p verifyPayload) (answers, error) {
	if len([]rune(strings.TrimSpace(p.Details))) < 10 {
		return nil, problem.New(PayloadMismatch, "details does not say what was verified.",
			"Name what was run or looked at, and what came of it.")
	}
	failed, err := t.failedTasks(p)
	if err != nil {
		return nil, err
	}
	if !t.st.Flags.OnlyVerify && !t.verifyingNow() { // what is verified is what will be committed
		if err := t.audit(ctx); err != nil {
			return nil, err
		}
	}
	results, running, err := t.commands(ctx)
	if err != nil {
		return nil, err
	}
	if len(running) > 0 {
		t.wait(running)
		return nil, nil
	}
	if !slices.ContainsFunc(results, ran) && vague(p.Details) {
		return nil, problem.New(PayloadMismatch, "No command was run by the server, and details names nothing that was run or looked at.",
			"Name the command you ran or the files you looked at, and what came of it.")
	}
	return t.verified(ctx, p, failed, results)
}

// verified notes the result of a verification that has come to its end.
func (t *turn) verified(ctx context.Context, p verifyPayload, failed []*Task, results []verify.Result) (answers, error) {
	broken := slices.DeleteFunc(slices.Clone(results), func(r verify.Result) bool { return !ran(r) || r.Passed })
	rounds := t.st.rounds()
	t.st.Verify = &VerifyResult{Passed: *p.Passed && len(broken) == 0, Details: p.Details, Rounds: rounds + 1, Commands: results}
	if t.st.Verify.Passed {
		if t.st.Git && !t.st.Flags.OnlyVerify {
			m, err := t.mark(ctx)
			t.st.Verify.Tree = m.Tree
			return nil, err
		}
		return nil, nil
	}
	if t.st.Flags.OnlyVerify {
		t.contradict(*p.Passed, broken, true)
		return answers{"verify_failed": true}, nil
	}
	if len(failed) == 0 {
		for i := range t.st.Tasks {
			if t.st.Tasks[i].Status == TaskCompleted && t.st.Tasks[i].Round == rounds {
				failed = append(failed, &t.st.Tasks[i])
			}
		}
	}
	exhausted := t.st.Counts["verify_failures"]+1 >= taskFailures
	for _, task := range failed {
		task.FailureCount++
		exhausted = exhausted || task.FailureCount >= taskFailures
	}
	t.st.Returned = "verification failed: " + text.Clip(p.Details, 2000)
	if len(broken) > 0 {
		t.st.Returned = "verification failed: " + said(broken) + "; the model said: " + text.Clip(p.Details, 1000)
	}
	unverified := exhausted && (t.st.Flags.NoIntervention || t.st.Flags.Quick)
	t.contradict(*p.Passed, broken, unverified)
	if unverified && t.st.Branch != nil {
		if err := t.commitAll(ctx, "Unverified: "+text.Clip(strings.TrimSpace(t.st.Query), 60)); err != nil {
			return nil, err
		}
	}
	return answers{"verify_failed": true, "task_exhausted": exhausted, "unverified": unverified}, nil
}

// failedTasks returns the tasks that the payload blames.
func (t *turn) failedTasks(p verifyPayload) (failed []*Task, err error) {
	for _, id := range p.FailedTasks {
		task := t.st.task(id)
		if task == nil {
			return nil, problem.New(UnknownTask, fmt.Sprintf("failed_tasks: there is no task %q.", id), "Name tasks of the plan, or leave failed_tasks out.")
		}
		if !slices.Contains(failed, task) {
			failed = append(failed, task)
		}
	}
	if *p.Passed && len(failed) > 0 {
		return nil, problem.New(ValidationFailed, "passed is true, but failed_tasks is not empty.", "Send passed: false, or take failed_tasks out.")
	}
	return failed, nil
}

// wait keeps the session in its phase until commands have ended.
func (t *turn) wait(running []*verify.Job) {
	t.waiting, t.stay, t.summary = running, true, ""
	var commands []string
	for _, r := range running {
		commands = append(commands, strings.Join(r.Command, " "))
	}
	t.reason = fmt.Sprintf("The server still runs: %s. Submit the same data again in %d seconds, and change no file until then.",
		strings.Join(commands, "; "), int(askAgain.Seconds()))
	t.answering = func(a *Answer) { a.Checks = &Checks{Running: commands, RetryAfter: int(askAgain.Seconds())} }
}

// contradict makes the answer to a claim that does not hold a refusal, or, where
// the session ends with it, a warning of its report.
func (t *turn) contradict(claimed bool, broken []verify.Result, ends bool) {
	if !claimed {
		return
	}
	if ends {
		t.st.warn("%s: the model said that it passed, but %s", VerificationContradicted, said(broken))
		return
	}
	message := "passed is true, but " + said(broken) + ". It counts as a failed verification."
	for _, r := range broken {
		if r.Tail != "" {
			message += "\n\n" + strings.Join(r.Command, " ") + "\n" + last(r.Tail, failedTail)
		}
	}
	t.contradicted = problem.New(VerificationContradicted, message,
		"Go on as the instruction of the current phase says.", "get_session_status shows its whole answer.")
}

// ran reports whether the server ran the command.
func ran(r verify.Result) bool { return r.Skipped.IsZero() }

// said lists results in one line.
func said(results []verify.Result) string {
	var all []string
	for _, r := range results {
		all = append(all, r.Said().String())
	}
	return strings.Join(all, "; ")
}

// shortened returns results as answers show them.
func shortened(results []verify.Result) []verify.Result {
	short := slices.Clone(results)
	for i, r := range short {
		short[i].Files = nil // the list of verifiers has them
		if short[i].Tail = last(r.Tail, failedTail); r.Passed {
			short[i].Tail = last(r.Tail, passedTail)
		}
	}
	return short
}

// last returns the end of a text, from the beginning of a line if there is one.
func last(text string, runes int) string {
	r := []rune(text)
	if len(r) <= runes {
		return text
	}
	end := string(r[len(r)-runes:])
	if _, lines, ok := strings.Cut(end, "\n"); ok {
		end = lines
	}
	return "…\n" + end
}

// reportVerification says how the change was verified, and by whom.
func (t *turn) reportVerification(r *Report) {
	v := t.st.Verify
	if v == nil {
		if !t.st.explorationOnly() {
			r.Verified = "not verified"
		}
		return
	}
	claim := "it failed: " + v.Details
	if v.Passed {
		claim = "it passed: " + v.Details
	}
	r.Commands = shortened(v.Commands)
	if slices.ContainsFunc(v.Commands, ran) {
		r.Verified = "by the server: " + said(v.Commands) + ". The model says: " + v.Details
	} else {
		r.Verified = "not verified by the server: the model says that " + claim
	}
}

// idle are the words with which one says that all is well and names nothing.
var idle = strings.Fields(`
	a all an and any are as be been both by change changed changes check checked checks code complete completed correct
	correctly did done error errors every everything expected fail failed failing fails failure failures fine for found
	good green has have i in is issue issues it its looks manually my no none nothing now of ok okay on pass passed passes
	passing problem problems ran result results run running so succeeded success successful successfully suite test tested
	testing tests that the there these they this to unit validated verification verified was we well were what with without
	work worked working works yes
	すべて 全て 全部 問題 問題なし 確認 確認済み 確認した 検証 検証済み テスト 成功 合格 通過 完了 なし ok です ました した`)

// vague reports whether a text says only that all is well.
func vague(details string) bool {
	words := strings.FieldsFunc(strings.ToLower(details), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(idle, w) })
}
