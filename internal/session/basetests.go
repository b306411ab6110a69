package session

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
	"codeintel/internal/workflow/wishes"
)

// A rerun is one more run of the commands that passed, on copies of the project in which a part of
// it is as it was when the session began.
type rerun struct {
	chosen  []verify.Choice
	passed  []verify.Result
	on      string        // the files as they are
	running []*verify.Job // what has not ended
}

// onCopies runs the commands that passed again: with the tests of the base, if the session
// changed tests, and with the code of the base, if it changed both. Without git nothing is known
// of the base.
func (t *turn) onCopies(ctx context.Context, results []verify.Result, v *state.VerifyResult) (running []*verify.Job, err error) {
	if !t.State.Git || t.State.Base == "" || t.State.Flags.OnlyVerify || !slices.ContainsFunc(results, succeeded) {
		return nil, nil
	}
	changes, err := t.Own(ctx)
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return c.Link() || c.Submodule() })
	again := &rerun{passed: results}
	if again.chosen, err = t.chosen(ctx); err != nil {
		return nil, err
	}
	if again.on, err = t.Fingerprint(ctx); err != nil {
		return nil, err
	}
	if err := t.oldTests(ctx, again, changes, v); err != nil {
		return nil, err
	}
	err = t.oldCode(ctx, again, changes, v)
	return again.running, err
}

// ended runs those of the commands that want accepts on a copy, and returns the results of those that have ended.
func (t *turn) ended(again *rerun, base *verify.Base, want func(verify.Result) bool) (all []verify.Result, err error) {
	for _, c := range again.chosen {
		if !slices.ContainsFunc(again.passed, func(r verify.Result) bool { return r.Name == c.Name && want(r) }) {
			continue
		}
		c.Base = base
		j := t.s.runner().Standing(c, again.on, t.State.Since)
		if j == nil {
			j = t.s.runner().Begin(c, again.on, t.State.Since, func(context.Context) (string, []string) { return again.on, nil })
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
func (t *turn) oldTests(ctx context.Context, again *rerun, changes []git.Change, v *state.VerifyResult) error {
	base, now, err := t.testsBefore(ctx, changes)
	if err != nil || base == nil {
		return err
	}
	results, err := t.ended(again, base, succeeded)
	for _, r := range results {
		v.Base = append(v.Base, verify.NewBaseTests(r, base.Was, now))
	}
	return err
}

// oldCode notes the commands that pass on the code of the base, with the tests of the session: those
// tests show nothing of the change. Where a request wants the program to behave as before, they may.
func (t *turn) oldCode(ctx context.Context, again *rerun, changes []git.Change, v *state.VerifyResult) error {
	if wishes.SameBehaviour(t.State.Query) {
		return nil
	}
	diff, err := t.Compare(ctx, state.Mark{Tree: t.State.Base}, changes)
	if err != nil {
		return err
	}
	tests := diff.TestsApart()
	tested := func(r verify.Result) bool { return len(r.RanOf(tests)) > 0 }
	if !slices.ContainsFunc(again.passed, tested) {
		return nil
	}
	base, err := t.base(ctx, verify.Code, changes, func(file string) bool { return !t.ofTests(file) })
	if err != nil {
		return err
	}
	results, err := t.ended(again, base, tested)
	for _, r := range results {
		if !ran(r) {
			v.Unknown = append(v.Unknown, r.Said())
		}
		if files := r.RanOf(tests); len(files) > 0 {
			v.Unnoticed = append(v.Unnoticed, state.Unnoticed{Command: r.Command, Tests: files})
		}
	}
	return err
}

// base describes the changed files of a part as they were before.
func (t *turn) base(ctx context.Context, part verify.Part, changes []git.Change, of func(file string) bool) (*verify.Base, error) {
	r, err := t.Repository(ctx)
	if err != nil {
		return nil, err
	}
	b := &verify.Base{Part: part}
	return b, workflow.DescribeBase(ctx, r, b, t.State.Base, changes, of)
}

func succeeded(r verify.Result) bool { return ran(r) && r.Passed }

// testsBefore returns what to copy, and the present names of changed tests by those of the
// base; nil if all tests of the base are as they were, and nothing new interferes.
func (t *turn) testsBefore(ctx context.Context, changes []git.Change) (*verify.Base, map[string]string, error) {
	now := workflow.TestsBefore(changes, t.ofTests, t.TextNow)
	if len(now) == 0 {
		return nil, nil, nil
	}
	b, err := t.base(ctx, verify.Tests, changes, t.ofTests)
	return b, now, err
}

// ofTests reports whether a file is a test, or is there for tests alone.
func (t *turn) ofTests(file string) bool {
	return t.s.code.IsTest != nil && t.s.code.IsTest(file) || testrun.OfTests(file)
}

func failedBefore(b verify.BaseTests, f verify.BaseFailure) msg.Message {
	if f.Test == "" {
		return msg.New("session.base_command_fails", strings.Join(b.Result.Command, " "), b.Result.Why, refusal.Some(f.Files, 5))
	}
	return msg.New("session.base_test_fails", f.Test, refusal.Some(f.Files, 5))
}

// tellBaseTests says what the runs on copies found, before the review asks for reasons.
func (t *turn) tellBaseTests() {
	for _, b := range t.State.Verify.Base {
		if !ran(b.Result) {
			t.State.Warn("session.base_tests_not_run", b.Result.Said())
		}
		for i, f := range b.Failures {
			if i < 5 || t.State.Flags.Quick {
				t.tellNow(failedBefore(b, f))
			}
		}
	}
	for _, why := range t.State.Verify.Unknown {
		t.State.Warn("session.tests_not_run_without_the_change", why)
	}
	for _, u := range t.State.Verify.Unnoticed {
		t.tellNow(unnoticed(u))
	}
}

// tellNow says what the review asks reasons for; where there is none, the report says it.
func (t *turn) tellNow(what msg.Message) {
	if t.State.Flags.Quick {
		t.State.Warnings = append(t.State.Warnings, what)
	} else {
		t.Warnings = append(t.Warnings, what)
	}
}

// unnoticed tells of tests that pass without the change.
func unnoticed(u state.Unnoticed) msg.Message {
	return msg.New("session.passes_without_the_change", strings.Join(u.Command, " "), refusal.Some(u.Tests, 5))
}
