package verifierruns

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff/testrun"
	"codeintel/internal/workflow/requirements"
)

// A rerun is one more run of the commands that passed, on copies of the project in which a part of
// it is as it was when the session began.
type rerun struct {
	chosen  []verify.Choice
	passed  []verify.Result
	on      string        // the files as they are
	running []*verify.Job // what has not ended
}

// OnBase runs the commands that passed again: with the tests of the base, if the session
// changed tests, and with the code of the base, if it changed both. Without git nothing is known
// of the base.
func (r Runs) OnBase(ctx context.Context, results []verify.Result,
	v *state.VerifyResult) (running []*verify.Job, err error) {
	if !r.State.Git || r.State.Base == "" || r.State.Flags.OnlyVerify || !slices.ContainsFunc(results, succeeded) {
		return nil, nil
	}
	changes, err := r.Own(ctx)
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return c.Link() || c.Submodule() })
	again := &rerun{passed: results}
	if again.chosen, err = r.Chosen(ctx); err != nil {
		return nil, err
	}
	if again.on, err = r.Fingerprint(ctx); err != nil {
		return nil, err
	}
	if err := r.oldTests(ctx, again, changes, v); err != nil {
		return nil, err
	}
	err = r.oldCode(ctx, again, changes, v)
	return again.running, err
}

// rerunOnCopy runs those of the commands that want accepts on a copy, and returns the results of those that have ended.
func (r Runs) rerunOnCopy(again *rerun, base *verify.Base, want func(verify.Result) bool) (all []verify.Result,
	err error) {
	for _, c := range again.chosen {
		if !slices.ContainsFunc(again.passed, func(p verify.Result) bool { return p.Name == c.Name && want(p) }) {
			continue
		}
		c.Base = base
		j := r.Runner().ValidJob(c, again.on, r.State.Since)
		if j == nil {
			j = r.Runner().Begin(c, again.on, r.State.Since, func(context.Context) (string, []string) { return again.on, nil })
		}
		if !j.Ended() {
			again.running = append(again.running, j)
			continue
		}
		r, _, err := j.Result()
		if err != nil { // it was stopped at this moment: the server closes
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// oldTests notes which tests of the base the new code does not pass.
func (r Runs) oldTests(ctx context.Context, again *rerun, changes []git.Change, v *state.VerifyResult) error {
	base, now, err := r.testsBefore(ctx, changes)
	if err != nil || base == nil {
		return err
	}
	results, err := r.rerunOnCopy(again, base, succeeded)
	for _, r := range results {
		v.Base = append(v.Base, verify.NewBaseTests(r, base.Was, now))
	}
	return err
}

// oldCode notes the commands that pass on the code of the base, with the tests of the session: those
// tests show nothing of the change. Where a request wants the program to behave as before, they may.
func (r Runs) oldCode(ctx context.Context, again *rerun, changes []git.Change, v *state.VerifyResult) error {
	if requirements.SameBehaviour(r.State.Query) {
		return nil
	}
	diff, err := r.Compare(ctx, state.Mark{Tree: r.State.Base}, changes)
	if err != nil {
		return err
	}
	tests := diff.TestsApart()
	tested := func(r verify.Result) bool { return len(r.RanOf(tests)) > 0 }
	if !slices.ContainsFunc(again.passed, tested) {
		return nil
	}
	base, err := r.base(ctx, verify.Code, changes, func(file string) bool { return !r.ofTests(file) })
	if err != nil {
		return err
	}
	results, err := r.rerunOnCopy(again, base, tested)
	for _, r := range results {
		if !r.WasRun() {
			v.Unknown = append(v.Unknown, r.Summary())
		}
		if files := r.RanOf(tests); len(files) > 0 {
			v.Unnoticed = append(v.Unnoticed, state.Unnoticed{Command: r.Command, Tests: files})
		}
	}
	return err
}

// base describes the changed files of a part as they were before.
func (r Runs) base(ctx context.Context, part verify.Part, changes []git.Change,
	of func(file string) bool) (*verify.Base, error) {
	repo, err := r.Repository(ctx)
	if err != nil {
		return nil, err
	}
	b := &verify.Base{Part: part}
	return b, workflow.DescribeBase(ctx, repo, b, r.State.Base, changes, of)
}

func succeeded(r verify.Result) bool { return r.WasRun() && r.Passed }

// testsBefore returns what to copy, and the present names of changed tests by those of the
// base; nil if all tests of the base are unchanged, and nothing new interferes.
func (r Runs) testsBefore(ctx context.Context, changes []git.Change) (*verify.Base, map[string]string, error) {
	now := workflow.ChangedTests(changes, r.ofTests, r.TextNow)
	if len(now) == 0 {
		return nil, nil, nil
	}
	b, err := r.base(ctx, verify.Tests, changes, r.ofTests)
	return b, now, err
}

// ofTests reports whether a file is a test, or is there for tests alone.
func (r Runs) ofTests(file string) bool {
	return r.IsTest != nil && r.IsTest(file) || testrun.OfTests(file)
}

func FailedBefore(b verify.BaseTests, f verify.BaseFailure) msg.Message {
	if f.Test == "" {
		return msg.New("session.base_command_fails", strings.Join(b.Result.Command, " "), b.Result.Why, refusal.Some(f.Files, 5))
	}
	return msg.New("session.base_test_fails", f.Test, refusal.Some(f.Files, 5))
}

// WarnOfBase says what the runs on copies found, before the review asks for reasons.
func (r Runs) WarnOfBase() {
	for _, b := range r.State.Verify.Base {
		if !b.Result.WasRun() {
			r.State.Warn("session.base_tests_not_run", b.Result.Summary())
		}
		for i, f := range b.Failures {
			if i < 5 || r.State.Flags.Quick {
				r.warnNow(FailedBefore(b, f))
			}
		}
	}
	for _, why := range r.State.Verify.Unknown {
		r.State.Warn("session.tests_not_run_without_the_change", why)
	}
	for _, u := range r.State.Verify.Unnoticed {
		r.warnNow(PassesWithout(u))
	}
}

// warnNow says what the review asks reasons for; where there is none, the report says it.
func (r Runs) warnNow(what msg.Message) {
	if r.State.Flags.Quick {
		r.State.Warnings = append(r.State.Warnings, what)
	} else {
		r.Warnings = append(r.Warnings, what)
	}
}

// PassesWithout reports tests that pass without the change.
func PassesWithout(u state.Unnoticed) msg.Message {
	return msg.New("session.passes_without_the_change", strings.Join(u.Command, " "), refusal.Some(u.Tests, 5))
}
