package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
	"codeintel/internal/workflow/codediff/testrun"
)

// passWithout runs the commands that passed and ran tests that the pipeline wrote on the code of the base: with
// the test files with which one passes there as well, it shows nothing of the change. That may be right, so it is
// told and decides nothing.
func (t *turn) passWithout(ctx context.Context, jobs []*verify.Job, known failures, on string, enough <-chan time.Time) (
	results map[*verify.Job]verify.Result, tests []string, waits msg.Message, err error) {
	files, _, err := t.weakened().Files(ctx)
	gone := errors.As(err, new(*git.Error)) // the commit, so that nothing tells which tests are new
	if err != nil && !gone {
		return nil, nil, waits, err
	}
	tests = codediff.Compare(files, nil).TestsApart()
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *verify.Job) bool {
		r := known.withoutKnown(j)
		return len(r.RanOf(tests)) == 0 && !(gone && r.Passed && len(r.Ran) > 0)
	})
	results, _, waits, err = t.onBase(ctx, verify.Code, jobs, known, on, enough)
	return results, tests, waits, err
}

// failures are those of commands that failed before the work began as they do now.
type failures map[*verify.Job][]string

func failuresKnown(before map[*verify.Job]verify.Result) failures {
	known := make(failures)
	for j, was := range before {
		r, _, _ := j.Result()
		if added, ok := verify.NewFailures(r, was); ok && len(added) == 0 {
			known[j] = was.Failed
		}
	}
	return known
}

// withoutKnown is the result of a command but for the failures that are known.
func (f failures) withoutKnown(j *verify.Job) verify.Result {
	r, _, _ := j.Result()
	return r.Beyond(f[j])
}

// oldTests runs the commands that passed, but for what failed before, with the tests as they were when the work
// began, if that changed some: the new code has to pass them, or a review says why not.
func (t *turn) oldTests(ctx context.Context, jobs []*verify.Job, known failures, on string, enough <-chan time.Time) (
	results map[*verify.Job]verify.BaseTests, waits msg.Message, err error) {
	changes, err := t.Repo.Diff(ctx, t.st.BaseCommit, on)
	if errors.As(err, new(*git.Error)) {
		return nil, waits, nil // the commit is gone, which passWithout says
	} else if err != nil {
		return nil, waits, err
	}
	now := workflow.ChangedTests(slices.DeleteFunc(changes, t.notOfTheWork), t.ofTests, t.textNow)
	if len(now) == 0 {
		return nil, waits, nil
	}
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *verify.Job) bool {
		return !known.withoutKnown(j).Passed
	})
	ran, base, waits, err := t.onBase(ctx, verify.Tests, jobs, known, on, enough)
	if err != nil || !waits.IsZero() || len(ran) == 0 {
		return nil, waits, err
	}
	results = make(map[*verify.Job]verify.BaseTests)
	for j, r := range ran {
		results[j] = verify.NewBaseTests(r, base.Was, now)
	}
	return results, waits, nil
}

// ofTests reports whether a file is a test, or is there for tests alone.
func (t *turn) ofTests(file string) bool {
	return testrun.OfTests(file) || t.s.o.Code != nil && t.s.o.Code.IsTest != nil && t.s.o.Code.IsTest(file)
}

// notOfTheWork reports whether a change is one of the pipeline's own files, or of a submodule.
func (t *turn) notOfTheWork(c git.Change) bool {
	return workspace.IsOwnFile(c.Path) || t.isArtifact(c.Path) || c.Submodule()
}

// keepOld notes the tests that failed as they were.
func (t *turn) keepOld(check *engine.Check, old verify.BaseTests) {
	for _, f := range old.Failures {
		check.Old = append(check.Old, engine.OldTest{Test: f.Test, Files: f.Files})
	}
	if len(check.Old) > 0 {
		t.Warn("pipeline.old_tests_fail", check.Command, textformat.Files(engine.TestNames(check.Old)))
	}
}

// unreasonedOld returns a finding for each test that failed as it was and of which no review says why.
func (t *turn) unreasonedOld(name, body string) (found []artifact.Finding) {
	said := artifact.ParseWeakened(body)
	for _, k := range t.st.Tasks {
		if review, err := t.w.Read("review-" + k.ID + ".md"); err == nil {
			said = append(said, artifact.ParseWeakened(review)...)
		}
	}
	for _, check := range t.st.Checks {
		for _, old := range check.Old {
			if slices.ContainsFunc(said, func(line string) bool { return artifact.GivesReason(line, old.Names()) }) {
				continue
			}
			found = append(found, artifact.Diagnostic{Line: 1, Severity: artifact.Critical, Message: msg.New("pipeline.tests_weakened",
				msg.New("pipeline.old_test_fails", old.Names()[0], check.Command), "`"+old.Files[0]+"`")}.Finding(name))
		}
	}
	return found
}

// unknown says what the runs on the base could not tell about a command.
func unknown(before, without, old verify.Result) (what []msg.Message) {
	if !before.Skipped.IsZero() {
		what = append(what, msg.New("pipeline.not_known_whether_it_failed_before", before.Skipped))
	}
	if !without.Skipped.IsZero() {
		what = append(what, msg.New("pipeline.not_known_whether_it_passes_without", without.Skipped))
	}
	if !old.Skipped.IsZero() {
		what = append(what, msg.New("pipeline.not_known_whether_old_tests_pass", old.Skipped))
	}
	return what
}
