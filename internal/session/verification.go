package session

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/session/writablefiles"
	"codeintel/internal/text"
	"codeintel/internal/verify"
)

// VerificationContradicted is the code of a claim that the change passed while a
// command of a verifier failed. The failure counts, and the session has moved on.
const VerificationContradicted problem.Code = "verification_contradicted"

// verificationStale is the code of a change that is another one than what was verified.
const verificationStale problem.Code = "verification_stale"

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
func (t *turn) presentVerifiers(ctx context.Context, a *answer.Answer) error {
	warned := len(t.Warnings)
	chosen, err := t.runs().Chosen(ctx)
	if err != nil {
		return err
	}
	a.Warnings = append(a.Warnings, t.Warnings[warned:]...)
	for _, c := range chosen {
		line := answer.VerifierLine{Name: c.Name, Files: c.Files, Command: c.Command, Prompt: text.Clip(c.Body, 2000)}
		mine := false // the user vouches for all of the file
		if len(c.Command) > 0 {
			line.RunBy = msg.New("session.server_when_you_submit")
			why := t.runs().Refusal(c)
			if mine = why.IsZero(); !mine {
				line.RunBy = msg.New("session.nobody", why)
			}
		}
		if src := (instructions.Source{File: c.File(), Text: line.Prompt}); src.Text != "" && !mine &&
			!t.s.texts.May(src.File, c.Content) {
			src.Left, src.Text, line.Prompt = true, "", ""
			t.mayUse(a, src)
		}
		if t.wasSent("verifier "+c.Name, line.Prompt) {
			line.Prompt = ""
		}
		a.Verifiers = append(a.Verifiers, line)
	}
	if len(chosen) > 0 {
		t.append(a, "verifiers", instructions.Source{Text: t.s.texts.Of("VERIFIERS")})
	}
	return nil
}

// presentChecks shows the results of the commands at the last verification, in a phase that
// continues from them.
func (t *turn) presentChecks(a *answer.Answer) {
	v := t.State.Verify
	if v == nil || len(v.Commands) == 0 {
		return
	}
	switch t.State.Phase {
	case phases.PreCommit:
		a.Checks = &answer.Checks{Results: shortenResults(v.Commands)}
	case phases.ReadyPlan, phases.VerifyIntervention, phases.UserEscalation:
		if !v.Passed {
			a.Checks = &answer.Checks{Results: shortenResults(v.Commands)}
		}
	}
}

// postImplVerify takes the result of the verification, and counts failures. The
// change has passed if the model says so and no command of a verifier failed.
func (t *turn) postImplVerify(ctx context.Context, p payload.Verify) (answers, error) {
	failed, err := t.failedTasks(p)
	if err != nil {
		return nil, err
	}
	if !t.State.Flags.OnlyVerify && !t.verifyingNow() { // what is verified is what will be committed
		if err := t.Audit(ctx); err != nil {
			return nil, err
		}
	}
	results, running, err := t.runs().Commands(ctx)
	if err != nil {
		return nil, err
	}
	if len(running) > 0 {
		t.wait(running)
		return nil, nil
	}
	v := &state.VerifyResult{Details: p.Details, Rounds: t.State.Rounds() + 1, Commands: results}
	if running, err = t.runs().OnBase(ctx, results, v); err != nil {
		return nil, err
	}
	if len(running) > 0 {
		t.wait(running)
		return nil, nil
	}
	if v.NotRun, err = t.runs().NotRun(ctx, results); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(results, verify.Result.WasRun) && (len(v.NotRun) == 0 || t.State.Flags.OnlyVerify) {
		switch {
		case p.Passed == nil:
			return nil, problem.New(refusal.PayloadMismatch, "session.no_command_run_server_passed").
				Or("session.name_what_was_checked").
				Or("session.send_fields_expected_payload_submit", op.SubmitPhase)
		case len([]rune(strings.TrimSpace(p.Details))) < 10:
			return nil, problem.New(refusal.PayloadMismatch, "session.details_say_nothing").
				Or("session.name_what_was_checked")
		case vaguetext.Vague(p.Details):
			return nil, problem.New(refusal.PayloadMismatch, "session.no_command_run_server_details").
				Or("session.name_command_you_ran_files")
		}
	}
	return t.verified(ctx, p, failed, v)
}

// verified notes the result of a verification that has come to its end.
func (t *turn) verified(ctx context.Context, p payload.Verify, failed []*state.Task,
	v *state.VerifyResult) (answers, error) {
	broken := slices.DeleteFunc(slices.Clone(v.Commands), func(r verify.Result) bool { return !r.WasRun() || r.Passed })
	rounds := t.State.Rounds()
	claimed := p.Passed == nil || *p.Passed // where commands ran, they have passed
	v.Passed = claimed && len(broken)+len(v.NotRun) == 0
	t.State.Verify = v
	if slices.ContainsFunc(v.Commands, verify.Result.WasRun) && !t.State.Flags.OnlyVerify { // what they wrote is not the model's
		if err := t.implemented(ctx); err != nil {
			return nil, err
		}
	}
	if v.Passed {
		t.runs().WarnOfBase()
	}
	if claimed && len(broken) == 0 && len(v.NotRun) > 0 {
		return t.withoutVerifier(ctx)
	}
	if t.State.Verify.Passed {
		if t.State.Git && !t.State.Flags.OnlyVerify {
			m, err := t.Mark(ctx)
			t.State.Verify.Tree = m.Tree
			return nil, err
		}
		return nil, nil
	}
	if t.State.Flags.OnlyVerify {
		t.contradict(p.Claims(), broken, true)
		return answers{"verify_failed": true}, nil
	}
	if len(failed) == 0 {
		for i := range t.State.Tasks {
			if t.State.Tasks[i].Status == state.TaskCompleted && t.State.Tasks[i].Round == rounds {
				failed = append(failed, &t.State.Tasks[i])
			}
		}
	}
	exhausted := t.State.Counts["verify_failures"]+1 >= taskFailures
	for _, task := range failed {
		task.FailureCount++
		exhausted = exhausted || task.FailureCount >= taskFailures
	}
	t.State.Returned = msg.New("session.verification_failed", text.Clip(p.Details, 2000))
	if len(broken) > 0 {
		t.State.Returned = msg.New("session.verification_failed_model_said", resultsLine(broken), text.Clip(p.Details, 1000))
	}
	unverified := exhausted && (t.State.Flags.NoIntervention || t.State.Flags.Quick)
	t.contradict(p.Claims(), broken, unverified)
	if unverified && t.State.Branch != nil {
		if err := t.commitAll(ctx, "Unverified: "+text.Clip(strings.TrimSpace(t.State.Query), 60)); err != nil {
			return nil, err
		}
	}
	return answers{"verify_failed": true, "task_exhausted": exhausted, "unverified": unverified}, nil
}

// failedTasks returns the tasks that the payload blames.
func (t *turn) failedTasks(p payload.Verify) (failed []*state.Task, err error) {
	for _, id := range p.FailedTasks {
		task := t.State.Task(id)
		if task == nil {
			return nil, problem.New(unknownTask, "session.failed_tasks_no_task", id).
				Or("session.name_tasks_plan_leave_failed")
		}
		if !slices.Contains(failed, task) {
			failed = append(failed, task)
		}
	}
	if p.Claims() && len(failed) > 0 {
		return nil, problem.New(refusal.ValidationFailed, "session.passed_true_but_failed_tasks").
			Or("session.send_passed_false_take_failed")
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
	t.reason = msg.New("session.server_still_runs", msg.Listed("; ", commands), int(askAgain.Seconds()))
	t.answering = func(a *answer.Answer) {
		a.Checks = &answer.Checks{Running: commands, RetryAfter: int(askAgain.Seconds())}
	}
}

// contradict makes the answer to a claim that does not hold a refusal, or, where
// the session ends with it, a warning of its report.
func (t *turn) contradict(claimed bool, broken []verify.Result, ends bool) {
	if !claimed {
		return
	}
	if ends {
		t.State.Warn("session.model_said_it_passed", VerificationContradicted, resultsLine(broken))
		return
	}
	message := msg.New("session.passed_true_but_counts_failed", resultsLine(broken))
	for _, r := range broken {
		if r.Tail != "" {
			message = msg.Join("\n", message, "", msg.Listed(" ", r.Command), msg.ListOf("", "  ", msg.Block(lastRunes(r.Tail, failedTail))))
		}
	}
	t.contradicted = problem.With(VerificationContradicted, message,
		msg.New("session.go_on_as_instructed"), msg.New("session.status_shows_the_whole_answer",
			op.GetSessionStatus))
}

// resultsLine lists results in one line.
func resultsLine(results []verify.Result) msg.Message {
	var all []any
	for _, r := range results {
		all = append(all, r.Summary().String())
	}
	return msg.Join("; ", all...)
}

// shortenResults returns results as answers show them.
func shortenResults(results []verify.Result) []verify.Result {
	short := slices.Clone(results)
	for i, r := range short {
		short[i].Files = nil // the list of verifiers has them
		if short[i].Tail = lastRunes(r.Tail, failedTail); r.Passed {
			short[i].Tail = lastRunes(r.Tail, passedTail)
		}
	}
	return short
}

// lastRunes returns the end of a text, from the beginning of a line if there is one.
func lastRunes(text string, runes int) string {
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
func (t *turn) reportVerification(r *state.Report) {
	v := t.State.Verify
	if v == nil {
		if !t.State.ExplorationOnly() {
			r.Verified = msg.New("session.not_verified")
		}
		return
	}
	claim := msg.New("session.it_failed", v.Details)
	if v.Passed {
		claim = msg.New("session.it_passed", v.Details)
	}
	r.Commands = shortenResults(v.Commands)
	if slices.ContainsFunc(v.Commands, verify.Result.WasRun) {
		r.Verified = msg.New("session.server_and_model_say", resultsLine(v.Commands), v.Details)
	} else {
		r.Verified = msg.New("session.only_the_model_says_verified", claim)
	}
}

// stillVerified refuses a change that is another one than the verification passed.
// What it found beside the files of the task, and what its commands left, may go.
func (t *turn) stillVerified(ctx context.Context) error {
	v := t.State.Verify
	if v == nil || !v.Passed || v.Tree == "" || !t.State.Git {
		return nil
	}
	since, err := t.Since(ctx, state.Mark{Tree: v.Tree})
	if err != nil {
		return err
	}
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return err
	}
	approved := writablefiles.Approved(t.State, entries)
	stale := slices.DeleteFunc(git.Paths(since), func(f string) bool { return !approved[git.Shown(f)] })
	if len(stale) == 0 || !slices.ContainsFunc(v.Commands, verify.Result.WasRun) { // the verification was the model's word
		return nil
	}
	return problem.New(verificationStale, "session.files_changed_since_verified", refusal.Some(stale, 20)).
		Or("session.if_the_edit_is_meant_plan_it", refusal.BackToReady()).
		Or("session.else_take_back")
}

// withoutVerifier sends the session to a person, because a command that they trusted to verify
// the change did not run on it. Only they can accept the change without it.
func (t *turn) withoutVerifier(ctx context.Context) (answers, error) {
	why := msg.New("session.trusted_verifier_did_not_run", msg.Listed("; ", t.State.Verify.NotRun))
	if t.State.Flags.OnlyVerify {
		t.State.Warnings = append(t.State.Warnings, why)
		return answers{"verify_failed": true}, nil
	}
	t.State.Returned = why
	m, err := t.Mark(ctx)
	t.State.Verify.Tree = m.Tree
	return answers{"verifier_missing": true}, err
}
