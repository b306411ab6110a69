package verify

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"codeintel/internal/platform/msg"
)

// A Runner runs the commands of verifiers, one after the other, and knows for which state
// of the files each result is valid. It is not saved: after a restart commands run again.
// One goroutine at a time may use it.
type Runner struct {
	root string
	life context.Context
	end  context.CancelFunc
	jobs sync.WaitGroup
	lane chan struct{}   // holds one word: whose turn it is
	last map[string]*Job // by the key of the choice
}

// key tells the runs of one verifier apart: on the project, and on copies of it.
func (c Choice) key() string {
	if c.Base != nil {
		return c.Name + "\x00" + string(c.Base.Part)
	}
	return c.Name
}

// NewRunner returns a Runner for the project with that root.
func NewRunner(root string) *Runner {
	life, end := context.WithCancel(context.Background())
	return &Runner{root: root, life: life, end: end, lane: make(chan struct{}, 1), last: make(map[string]*Job)}
}

// Close stops all running commands, and waits for them to end.
func (r *Runner) Close() {
	if r != nil {
		r.end()
		r.jobs.Wait()
	}
}

// A Look returns an identifier of the files as they are now, and which files have changed
// since the command began.
type Look func(context.Context) (files string, moved []string)

// A Job is one run of a command, on the files of one moment.
type Job struct {
	Choice
	bytes  [sha256.Size]byte // of the verifier's file
	on     string            // the files that it began on
	round  int64
	again  int // how often before it has changed what it verifies, in this round
	cancel context.CancelFunc

	done   chan struct{} // closed at the end; the rest holds from then on
	result Result
	err    error    // it was stopped
	after  string   // the files that it left
	moved  []string // what changed meanwhile
}

// Ended reports whether the command has ended.
func (j *Job) Ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// Result returns the result of a command that has ended, and the files that changed
// while it ran. If the command was stopped, err says so.
func (j *Job) Result() (r Result, moved []string, err error) { return j.result, j.moved, j.err }

// isFor reports whether the job's result is valid for the files as they are now. A running
// job may be changing them itself, so it counts as valid until it ends. A failed job is valid
// only within its round, because the cause may have been outside the project. Changes while
// the job ran are taken for its own if they are in files that it does not verify, or if they
// happen on every run. If files that it verifies changed, it may have read other contents than
// those of now, even if the files were so when it began.
func (j *Job) isFor(on string, round int64) bool {
	switch {
	case !j.Ended():
		return j.round == round || j.on == on
	case j.err != nil, !j.result.Passed && j.round != round:
		return false
	}
	if j.changesVerified() {
		return j.after == on && j.again > 1
	}
	return j.on == on || j.after == on
}

// changesVerified reports whether the command itself changes files that it verifies.
func (j *Job) changesVerified() bool {
	return slices.ContainsFunc(j.moved, func(f string) bool { return slices.Contains(j.Files, f) })
}

// ValidJob returns the job whose result is valid for the files as they are now, nil if
// the command has to run. on identifies the files; in another round, a command that failed
// runs again.
func (r *Runner) ValidJob(c Choice, on string, round int64) *Job {
	if last := r.last[c.key()]; last != nil && last.bytes == sha256.Sum256(c.Content) && last.isFor(on, round) {
		return last
	}
	return nil
}

// Begun reports whether a command was started in that round.
func (r *Runner) Begun(round int64) bool {
	for _, j := range r.last {
		if j.round == round {
			return true
		}
	}
	return false
}

// Begin runs a command on the files as they are now, as soon as the others have ended. A
// running command of the same verifier is stopped. When the command has ended, look is
// called from another goroutine.
func (r *Runner) Begin(c Choice, on string, round int64, look Look) *Job {
	j := &Job{Choice: c, bytes: sha256.Sum256(c.Content), on: on, round: round, done: make(chan struct{})}
	if last := r.last[c.key()]; last != nil {
		if last.round == round && last.Ended() && last.changesVerified() {
			j.again = last.again + 1
		}
		last.cancel() // nobody waits for it any more
	}
	r.last[c.key()] = j
	life, cancel := context.WithCancel(r.life)
	j.cancel = cancel
	r.jobs.Go(func() {
		defer close(j.done)
		defer cancel()
		select {
		case r.lane <- struct{}{}:
			defer func() { <-r.lane }()
		case <-life.Done():
			j.err = life.Err()
			return
		}
		begin := run
		if c.Base != nil {
			begin = c.Base.run
		}
		if j.result, j.err = begin(life, r.root, c); j.err == nil {
			j.after, j.moved = look(life)
		}
	})
	return j
}

// Await waits until all have ended; it returns false if there was not enough time. About
// once a second it tells how long it has waited, and for what.
func Await(ctx context.Context, jobs []*Job, enough <-chan time.Time,
	tell func(waited time.Duration, what msg.Message)) (ended bool, err error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for began := time.Now(); ; {
		i := slices.IndexFunc(jobs, func(j *Job) bool { return !j.Ended() })
		if i < 0 {
			return true, nil
		}
		tell(time.Since(began), msg.New("verify.running", msg.Listed(" ", jobs[i].Command)))
		select {
		case <-jobs[i].done:
		case <-enough:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick.C:
		}
	}
}
