package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
)

// patience is how long a report waits for the commands of verifiers: clients give a call
// up after a minute. What takes longer runs on, and a later report has its result.
const patience = 50 * time.Second

// verify has the approval of the whole checked against the commands of trusted verifiers. It
// is false where the report does not count yet: they still run, or a person decides, because
// they cannot run or the tree holds what no commit does: the approval would be of that. In lacks
// is what the approval, the text of a file, does not say of tests that fail as they were.
func (t *turn) verify(ctx context.Context, a *ReportAnswer, review *artifact.Review, name, text string) (
	lacks []artifact.Finding, goesOn bool, err error) {
	if files, err := t.unreviewedChanges(ctx); err != nil || len(files) > 0 {
		t.st.Ticket = nil
		a.Warning = msg.New("pipeline.only_what_is_committed_is_verified")
		return nil, false, t.askAbout(ctx, files, err)
	}
	t.st.Checks = nil // of an earlier round
	failed, waits, unrun, err := t.verifyByCommands(ctx)
	switch {
	case err != nil:
		return nil, false, err
	case !waits.IsZero():
		a.Warning = waits
		return nil, false, nil
	case !unrun.IsZero():
		t.st.Ticket = nil
		t.st.Keep(engine.FinalVerification, engine.Judgement{Verdict: string(review.Verdict),
			Findings: review.Findings})
		t.st.Pause = &engine.Pause{Name: engine.VerifierCheckpoint,
			Text: textformat.Paragraphs(unrun, msg.New("pipeline.verifiers_cannot_run_options"))}
		a.Updated, a.Warning, a.Verdict = true, unrun, string(review.Verdict)
		return nil, false, nil
	case len(failed) > 0:
		review.Verdict, review.Findings = artifact.Fail, append(failed, review.Findings...)
		a.Warning = msg.New("pipeline.verifier_contradicts")
		return nil, true, nil
	}
	if lacks = t.unreasonedOld(name, text); len(lacks) > 0 {
		review.Verdict = artifact.Unknown
	}
	return lacks, true, nil
}

// verifyByCommands runs the commands of the trusted verifiers on the tree as it is. It
// returns what failed as findings. If waits is not zero, they still run, and the report
// does not count yet. Trusted verifiers that cannot be run any more are in unrun.
func (t *turn) verifyByCommands(ctx context.Context) (failed []artifact.Finding, waits, unrun msg.Message, err error) {
	chosen, gone, err := t.trustedVerifiers(ctx)
	if err != nil {
		return nil, waits, unrun, err
	}
	if len(gone) > 0 {
		return nil, waits, msg.New("pipeline.verifiers_cannot_run", strings.Join(gone, ", ")), nil
	}
	if len(chosen) == 0 {
		return nil, waits, unrun, nil
	}
	now, err := t.changedSince(ctx, t.lastKnownCommit())
	if err != nil {
		return nil, waits, unrun, err
	}
	mixed := slices.DeleteFunc(t.st.ClaimedFiles(), func(f string) bool { return !now[f] })
	if len(mixed) > 0 { // the user's, or it was asked about
		return nil, waits, msg.New("pipeline.verifiers_would_see_users_changes", textformat.Files(mixed)), nil
	}
	on, err := t.tree(ctx)
	if err != nil {
		return nil, waits, unrun, err
	}
	var jobs []*verify.Job
	for _, c := range chosen {
		jobs = append(jobs, t.verifierJob(c, on))
	}
	enough := time.After(t.s.patience)
	ended, err := verify.Await(ctx, jobs, enough, func(time.Duration, msg.Message) {})
	if err != nil {
		return nil, waits, unrun, err
	}
	if !ended {
		return nil, msg.New("pipeline.verifiers_still_run", commandsOf(chosen)), unrun, nil
	}
	t.Repo.Hold() // anew: they may have left files
	if i := slices.IndexFunc(jobs, func(j *verify.Job) bool { return len(inputsChanged(j)) > 0 }); i >= 0 {
		return nil, waits, msg.New("pipeline.verifier_saw_other_files", jobs[i].Name, textformat.Files(inputsChanged(jobs[i]))), nil
	}
	before, waits, err := t.failedBefore(ctx, jobs, on, enough)
	if err != nil || !waits.IsZero() {
		return nil, waits, unrun, err
	}
	known := failuresKnown(before)
	without, tests, waits, err := t.passWithout(ctx, jobs, known, on, enough)
	var old map[*verify.Job]verify.BaseTests
	if err == nil && waits.IsZero() {
		old, waits, err = t.oldTests(ctx, jobs, known, on, enough)
	}
	if err != nil || !waits.IsZero() {
		return nil, waits, unrun, err
	}
	for _, j := range jobs {
		r, moved, err := j.Result()
		if err != nil {
			return nil, waits, unrun, err
		}
		if len(moved) > 0 {
			t.Warn("pipeline.verifier_changed_files", j.Name, textformat.Files(moved))
		}
		t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server", Detail: map[string]string{
			"step": "verify", "verifier": r.Name, "passed": fmt.Sprint(r.Passed)}})
		check := engine.Check{Command: strings.Join(r.Command, " "), Passed: r.Passed, Without: without[j].RanOf(tests),
			Figures: artifact.Figures(r.Tail), Unknown: unknown(before[j], without[j], old[j].Result)}
		t.keepOld(&check, old[j])
		if len(check.Without) > 0 {
			t.Warn("pipeline.verifier_passes_without", r.Name, check.Command, textformat.Files(check.Without))
		}
		for _, what := range check.Unknown {
			t.Warn("pipeline.not_known_of_a_command", r.Name, check.Command, what)
		}
		if added, known := verify.NewFailures(r, before[j]); !r.Passed && known && len(added) == 0 {
			check.Before = r.Failed
			t.Warn("pipeline.verifier_failed_before", r.Name, check.Command, textformat.Files(r.Failed))
		} else if !r.Passed {
			why := r.Why
			if known {
				why = msg.New("pipeline.verifier_fails_anew", textformat.Files(added))
			} else if was, ran := before[j]; ran && was.Skipped.IsZero() && !was.Passed {
				why = msg.New("pipeline.verifier_failed_before_unnamed", why)
			}
			failed = append(failed, artifact.NewCritical("pipeline.verifier_failed", r.Name, check.Command, why, lastLines(r.Tail)))
		}
		t.st.Checks = append(t.st.Checks, check)
	}
	return failed, waits, unrun, nil
}

// failedBefore runs the commands that fail on the files as they were when the work began: tests
// that failed then, too, are told and do not count against the change.
func (t *turn) failedBefore(ctx context.Context, jobs []*verify.Job, on string,
	enough <-chan time.Time) (before map[*verify.Job]verify.Result, waits msg.Message, err error) {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *verify.Job) bool {
		r, _, _ := j.Result()
		return r.Passed || r.TimedOut
	})
	before, _, waits, err = t.onBase(ctx, verify.Whole, jobs, nil, on, enough)
	return before, waits, err
}

// onBase runs commands once more, with a part of the files as they were when the work began; failures that are
// known do not count. Results are skipped if that cannot be done.
func (t *turn) onBase(ctx context.Context, part verify.Part, jobs []*verify.Job, known failures, on string,
	enough <-chan time.Time) (results map[*verify.Job]verify.Result, base *verify.Base, waits msg.Message, err error) {
	if len(jobs) == 0 {
		return nil, nil, waits, nil
	}
	base, err = t.base(ctx, part, on)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		results = make(map[*verify.Job]verify.Result)
		for _, j := range jobs {
			results[j] = verify.Result{Exit: -1, Skipped: msg.New("pipeline.base_is_gone", t.st.BaseCommit)}
		}
		return results, base, waits, nil
	} else if err != nil {
		return nil, nil, waits, err
	}
	var old []*verify.Job
	for _, j := range jobs {
		c, own := j.Choice, *base
		c.Base, own.Known = &own, known[j]
		old = append(old, t.verifierJob(c, on))
	}
	if ended, err := verify.Await(ctx, old, enough, func(time.Duration, msg.Message) {}); err != nil {
		return nil, nil, waits, err
	} else if !ended {
		return nil, nil, msg.New("pipeline.verifiers_still_run", textformat.Verbatim(strings.Join(old[0].Command, " "))), nil
	}
	results = make(map[*verify.Job]verify.Result)
	for i, j := range jobs {
		if results[j], _, err = old[i].Result(); err != nil {
			return nil, nil, waits, err
		}
	}
	return results, base, waits, nil
}

// base describes a part of the files as they were when the work began.
func (t *turn) base(ctx context.Context, part verify.Part, now string) (*verify.Base, error) {
	began, _ := time.Parse(time.RFC3339, t.st.Created) // zero for a state that was edited: nothing is left out
	b := &verify.Base{Part: part, Since: began}
	changes, err := t.Repo.Diff(ctx, t.st.BaseCommit, now)
	if err != nil {
		return nil, err
	}
	of := func(file string) bool { return part == verify.Whole || t.ofTests(file) == (part == verify.Tests) }
	changes = slices.DeleteFunc(changes, t.notOfTheWork)
	return b, workflow.DescribeBase(ctx, t.Repo, b, t.st.BaseCommit, changes, of)
}

// verifierJob is the run of a command on the files as they are, a new one if there is
// none.
func (t *turn) verifierJob(c verify.Choice, on string) *verify.Job {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.s.runner == nil {
		t.s.runner = verify.NewRunner(t.s.project.Root)
	}
	round := int64(t.st.Tickets)
	if j := t.s.runner.ValidJob(c, on, round); j != nil && (!j.Ended() || len(inputsChanged(j)) == 0) {
		return j
	}
	repo := *t.Repo // for another goroutine
	return t.s.runner.Begin(c, on, round, func(ctx context.Context) (string, []string) {
		repo.Hold()
		after, err := repo.Snapshot(ctx)
		if err != nil || after == on {
			return after, nil
		}
		changes, err := repo.Diff(ctx, on, after)
		if err != nil {
			return after, nil
		}
		var moved []string
		for f := range pathsOf(changes) {
			moved = append(moved, f)
		}
		slices.Sort(moved)
		return after, moved
	})
}

// inputsChanged returns the files that a verifier is for and that changed while it ran: what it says
// is not of those that are committed.
func inputsChanged(j *verify.Job) []string {
	_, moved, _ := j.Result()
	return slices.DeleteFunc(slices.Clone(moved), func(f string) bool { return !slices.Contains(j.Files, f) })
}

// trustedVerifiers returns the verifiers whose commands the user trusted and that are for
// a file that the pipeline changed, and the names of those that were trusted and are gone
// or have changed. What the user did not trust has no say: neither is it run, nor does it
// take files from a trusted one.
func (t *turn) trustedVerifiers(ctx context.Context) (chosen []verify.Choice, gone []string, err error) {
	store, err := trust.Open()
	if err != nil {
		t.Warn("pipeline.trust_not_known", err)
		return nil, nil, nil
	}
	verifiers, gone, err := verify.TrustStates(t.s.project, store)
	if p := problem.Of(err); p != nil {
		t.Warn("%s", p.Message)
	} else if err != nil {
		return nil, nil, err
	}
	var trusted []verify.Verifier
	steering := verify.NewSteering(t.s.project)
	for _, s := range verifiers {
		switch s.State {
		case trust.Trusted:
			trusted = append(trusted, s.Verifier)
			if files := steering.ChangedByOthers(ctx, store, s.Verifier); len(files) > 0 {
				t.Warn("verify.others_changed_what_it_reads", s.Name, msg.Listed(", ", files[:min(len(files), 10)]), quote.Shell(s.Name))
			}
		case trust.Changed:
			gone = append(gone, s.Name)
		default:
			t.Warn("pipeline.verifier_not_trusted", s.Name)
		}
	}
	if names, err := store.Names(t.s.project.Root, trust.Verifier); err == nil { // one that names no command any more
		for _, name := range names {
			if !slices.ContainsFunc(verifiers, func(s verify.TrustState) bool { return s.Name == name }) &&
				!slices.Contains(gone, name) {
				gone = append(gone, name)
			}
		}
	}
	slices.Sort(gone)
	changed, err := t.changedSince(ctx, t.st.BaseCommit)
	if err != nil {
		return nil, nil, err
	}
	var files []string
	for f := range changed {
		files = append(files, f)
	}
	slices.Sort(files)
	return verify.Choose(trusted, files), gone, nil
}

// whoChecks tells a person who is about to begin a pipeline that nobody but agents will run
// its tests.
func (s *Service) whoChecks() msg.Message {
	store, err := trust.Open()
	if err != nil {
		return msg.Message{}
	}
	if names, err := store.Names(s.project.Root, trust.Verifier); err != nil || len(names) > 0 {
		return msg.Message{}
	}
	return msg.New("pipeline.nothing_is_run")
}

func commandsOf(chosen []verify.Choice) msg.Message {
	var all []string
	for _, c := range chosen {
		all = append(all, strings.Join(c.Command, " "))
	}
	return textformat.Verbatim(strings.Join(all, "; "))
}

// lastLines is the end of what a command wrote.
func lastLines(tail string) msg.Message {
	const most = 1200 // bytes
	tail = strings.TrimSpace(tail)
	if len(tail) > most {
		tail = "…" + text.Clip(tail[len(tail)-most:], most)
		tail = strings.ToValidUTF8(tail, "")
	}
	return textformat.Verbatim(strings.ReplaceAll(tail, "\n", "\n  "))
}
