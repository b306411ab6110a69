package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/codediff"
)

// passWithout runs the commands that passed and ran tests that the pipeline wrote on the code of the base: with
// the test files with which one passes there as well, it shows nothing of the change. That may be right, so it is
// told and decides nothing.
func (t *turn) passWithout(ctx context.Context, jobs []*verify.Job, on string, enough <-chan time.Time) (
	results map[*verify.Job]verify.Result, tests []string, waits msg.Message, err error) {
	files, _, err := t.filesOfTasks(ctx)
	gone := errors.As(err, new(*git.Error)) // the commit, so that nothing tells which tests are new
	if err != nil && !gone {
		return nil, nil, waits, err
	}
	tests = codediff.Compare(files, nil).TestsApart()
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *verify.Job) bool {
		r, _, _ := j.Result()
		return len(r.RanOf(tests)) == 0 && !(gone && r.Passed && len(r.Ran) > 0)
	})
	results, waits, err = t.onBase(ctx, verify.Code, jobs, on, enough)
	return results, tests, waits, err
}

// unknown says what the runs on the base could not tell about a command.
func unknown(before, without verify.Result) (what []msg.Message) {
	if !before.Skipped.IsZero() {
		what = append(what, msg.New("pipeline.not_known_whether_it_failed_before", before.Skipped))
	}
	if !without.Skipped.IsZero() {
		what = append(what, msg.New("pipeline.not_known_whether_it_passes_without", without.Skipped))
	}
	return what
}
