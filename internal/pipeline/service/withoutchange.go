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

// passWithout returns, by command that passed and ran tests that the pipeline wrote, those of its test
// files with which the command passes on the code of the base as well: they show nothing of the change.
// That may be right, so it is told and decides nothing.
func (t *turn) passWithout(ctx context.Context, jobs []*verify.Job, on string, enough <-chan time.Time) (
	without map[*verify.Job][]string, waits msg.Message, err error) {
	files, _, err := t.filesOfTasks(ctx)
	if failure := (*git.Error)(nil); errors.As(err, &failure) { // the commit is gone
		return nil, waits, nil
	} else if err != nil {
		return nil, waits, err
	}
	tests := codediff.Compare(files, nil).TestsApart()
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j *verify.Job) bool {
		r, _, _ := j.Result()
		return len(r.RanOf(tests)) == 0
	})
	results, waits, err := t.onBase(ctx, verify.Code, jobs, on, enough)
	without = make(map[*verify.Job][]string)
	for j, r := range results {
		without[j] = r.RanOf(tests)
	}
	return without, waits, err
}
