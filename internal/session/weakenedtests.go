package session

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/verifierruns"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
	"codeintel/internal/workflow/codediff/weakening"
	"codeintel/internal/workflow/requirements"
)

// testsWeakened is the code of a change after which tests can find less, without a
// reason for it.
const testsWeakened problem.Code = "tests_weakened"

// weakened compares the tests of the session's changes with those of the base.
func (t *turn) weakened(ctx context.Context, changes []git.Change) (*codediff.Diff, []weakening.Finding, error) {
	base := state.Mark{Tree: t.State.Base}
	if t.State.Base == "" {
		base = t.State.Start
	}
	diff, err := t.Compare(ctx, base, changes)
	for _, file := range diff.Unread() {
		t.State.Warn("session.code_not_compared", file)
	}
	if err != nil || !t.State.Git { // without git it is unknown what is new
		return diff, diff.Weakened(), err
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return diff, nil, err
	}
	return diff, diff.WeakenedFor(t.State.Query, strings.Join(wordsOf(t.State.Tasks), " "),
		workflow.ProjectFiles(ctx, r, t.s.project.Root)), nil
}

// checkTests refuses a change after which tests can find less, unless the review of
// their files says what of the request, or which change of behaviour, asks for it. The report
// lists each with its reason.
func (t *turn) checkTests(ctx context.Context, changes []git.Change, reviewed []payload.ReviewedFile) error {
	diff, lost, err := t.lostTests(ctx, changes)
	if err != nil || len(lost) == 0 {
		return err
	}
	reasons := make(map[string]string)
	for _, r := range reviewed {
		if r.Decision == "discard" {
			reasons[r.Path] = "\x00"
		} else {
			reasons[r.Path] = strings.TrimSpace(r.Reason)
		}
	}
	about := t.State.Query + " " + strings.Join(diff.Touched(), " ")
	why := func(file string) (reason string, good bool) {
		reason = reasons[git.Shown(file)]
		return reason, reason == "\x00" || refusal.RequireReason("reason", reason) == nil && requirements.Share(reason, about)
	}
	var open []any
	for _, l := range lost {
		at := slices.IndexFunc(l.files, func(f string) bool { _, good := why(f); return good })
		if at < 0 {
			open = append(open, l.what)
		} else if reason, _ := why(l.files[at]); reason != "\x00" {
			t.State.Warn("session.test_weakened_because", l.what, text.Clip(reason, 300))
		}
	}
	if len(open) == 0 {
		return nil
	}
	return problem.New(testsWeakened, "session.tests_can_find_less", someOf(open)).
		Or("session.restore_the_tests", refusal.BackToReady()).
		Or("session.give_reason_for_tests")
}

// A lostCheck is something that a test can no longer find, and the files whose review may give the
// reason.
type lostCheck struct {
	what  msg.Message
	files []string
}

// lostTests returns what the tests of the session can find no longer: as they read, as those of
// the base fail on the new code, and as they pass on the code of the base.
func (t *turn) lostTests(ctx context.Context, changes []git.Change) (*codediff.Diff, []lostCheck, error) {
	diff, weak, err := t.weakened(ctx, changes)
	if err != nil {
		return nil, nil, err
	}
	var lost []lostCheck
	listed := make(map[string]bool)
	for _, w := range weak {
		lost = append(lost, lostCheck{w.Message(), []string{w.File}})
		listed[w.Test] = true
	}
	if t.State.Verify == nil {
		return diff, lost, nil
	}
	for _, b := range t.State.Verify.Base {
		for _, f := range b.Failures {
			if f.Test == "" || !listed[f.Test[strings.LastIndexByte(f.Test, ':')+1:]] {
				lost = append(lost, lostCheck{verifierruns.FailedBefore(b, f), f.Files})
			}
		}
	}
	for _, u := range t.State.Verify.Unnoticed {
		lost = append(lost, lostCheck{verifierruns.PassesWithout(u), u.Tests})
	}
	return diff, lost, nil
}

// reasonsNeeded tells the review what its payload must give a reason for.
func (t *turn) reasonsNeeded(ctx context.Context, changes []git.Change) ([]msg.Message, error) {
	_, lost, err := t.lostTests(ctx, changes)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	var what []any
	for _, l := range lost {
		what = append(what, l.what)
	}
	return []msg.Message{msg.New("session.tests_need_a_reason", someOf(what))}, nil
}

// someOf lists the first twenty, and how many more there are.
func someOf(list []any) msg.List {
	const most = 20
	if more := len(list) - most; more > 0 {
		list = append(list[:most:most], msg.New("problem.and_n_more", more))
	}
	return msg.ListOf(" ", list...)
}

// reportWeakened names weakened tests in the report of a session without a review.
func (t *turn) reportWeakened(ctx context.Context) error {
	changes, err := t.Own(ctx)
	if err != nil {
		return err
	}
	_, weak, err := t.weakened(ctx, changes)
	for _, w := range weak {
		t.State.Warnings = append(t.State.Warnings, w.Message())
	}
	return err
}
