package session

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"codeintel/internal/problem"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

const (
	patience = 50 * time.Second // clients give a call up after a minute
	askAgain = 30 * time.Second // when to submit again what is still running
)

// Submit ends the current phase with the model's payload and goes on to the
// next. A payload that does not hold changes nothing, with one exception: a
// [VerificationContradicted] counts as the failed verification that it is.
//
// Where commands of verifiers are to be run, it waits for them, for a while;
// other calls are not held up by that. What takes longer runs on, and a later
// Submit has its result.
func (s *Service) Submit(ctx context.Context, req SubmitRequest) (*Answer, error) {
	enough := time.NewTimer(s.patience)
	defer enough.Stop()
	for patient := true; ; {
		a, running, err := s.submit(ctx, req, patient)
		if len(running) == 0 {
			return a, err
		}
		if patient, err = await(ctx, running, enough.C); err != nil {
			return nil, err
		}
	}
}

// await waits until all have ended; it is false if there was not time enough.
func await(ctx context.Context, running []*run, enough <-chan time.Time) (ended bool, err error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	tell := progressOf(ctx)
	for began := time.Now(); ; {
		i := slices.IndexFunc(running, func(r *run) bool { return !r.ended() })
		if i < 0 {
			return true, nil
		}
		tell(time.Since(began), "running "+strings.Join(running[i].choice.Command, " "))
		select {
		case <-running[i].done:
		case <-enough:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick.C:
		}
	}
}

// progressKey is of the function that hears how long a Submit has been waiting.
type progressKey struct{}

// WithProgress makes a [Service.Submit] tell what it waits for, about once a
// second, always from the goroutine that called it.
func WithProgress(ctx context.Context, tell func(waited time.Duration, what string)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

func progressOf(ctx context.Context) func(time.Duration, string) {
	if tell, ok := ctx.Value(progressKey{}).(func(time.Duration, string)); ok {
		return tell
	}
	return func(time.Duration, string) {}
}

// verifying is what runs, or has run, for the open session of this process. It
// is not kept: after a restart commands run again.
type verifying struct {
	life context.Context
	end  context.CancelFunc
	jobs sync.WaitGroup
	lane chan struct{}   // holds one word: commands run one after the other
	last map[string]*run // by the verifier's name
}

// A run is a command of a verifier on the files of one moment.
type run struct {
	choice verify.Choice
	bytes  [sha256.Size]byte // of the verifier's file
	on     string            // the files that it began on
	since  int64             // when the phase began that it is for, see [State]
	again  int               // how often before it has changed what it verifies, in this phase
	cancel context.CancelFunc

	done   chan struct{} // closed at the end; the rest holds from then on
	result verify.Result
	err    error    // it was stopped
	after  string   // the files that it left
	moved  []string // what changed meanwhile
}

func (r *run) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// holds reports whether the run holds for the files as they are now. While it
// runs, it may be what changes them; so it is waited for. One that failed does
// not hold beyond its phase: the cause may have been outside of the project.
// Files that changed meanwhile are its own doing if they are none that it
// verifies, or if they change every time.
func (r *run) holds(on string, since int64) bool {
	switch {
	case !r.ended():
		return r.since == since || r.on == on
	case r.err != nil, !r.result.Passed && r.since != since:
		return false
	}
	return r.on == on || r.after == on && (r.again > 1 || len(r.movedOwn()) == 0)
}

// movedOwn returns what it verifies and has changed while it ran.
func (r *run) movedOwn() []string { return distinct(r.moved, r.choice.Files) }

// stop ends all that runs, and waits for that.
func (v *verifying) stop() {
	if v != nil {
		v.end()
		v.jobs.Wait()
	}
}

// verifying returns what runs for the open session.
func (s *Service) verifying() *verifying {
	if s.live.verifying == nil {
		life, end := context.WithCancel(context.Background())
		s.live.verifying = &verifying{life: life, end: end, lane: make(chan struct{}, 1), last: make(map[string]*run)}
	}
	return s.live.verifying
}

// run returns the run of a command that holds for the files as they are now. If
// there is none yet, it begins.
func (t *turn) run(c verify.Choice, on string) (*run, error) {
	v, sum := t.s.verifying(), sha256.Sum256(c.Content)
	last := v.last[c.Name]
	if last != nil && last.bytes == sum && last.holds(on, t.st.Since) {
		return last, nil
	}
	r := &run{choice: c, bytes: sum, on: on, since: t.st.Since, done: make(chan struct{})}
	if last != nil && last.since == r.since && last.ended() && len(last.movedOwn()) > 0 {
		r.again = last.again + 1
	}
	own, err := t.s.turn() // a copy of the state, for another goroutine
	if err != nil {
		return nil, err
	}
	before, err := own.mark(v.life)
	if err != nil {
		return nil, err
	}
	if last != nil {
		last.cancel() // nobody waits for it any more
	}
	v.last[c.Name] = r
	life, cancel := context.WithCancel(v.life)
	r.cancel = cancel
	v.jobs.Go(func() {
		defer close(r.done)
		defer cancel()
		select {
		case v.lane <- struct{}{}:
			defer func() { <-v.lane }()
		case <-life.Done():
			r.err = life.Err()
			return
		}
		if r.result, r.err = verify.Run(life, t.s.project.Root, c); r.err != nil {
			return
		}
		if err := r.look(life, own, before); err != nil {
			t.s.log.Debug("what a verifier left behind is not known", "verifier", c.Name, "err", err)
		}
	})
	return r, nil
}

// look notes the files that the run has left.
func (r *run) look(ctx context.Context, t *turn, before Mark) (err error) {
	t.git = nil // what it holds is of before the run
	if r.after, err = t.filesNow(ctx); err != nil || r.after == r.on {
		return err
	}
	changes, err := t.changesSince(ctx, before)
	r.moved = changedFiles(changes)
	return err
}

// filesNow identifies the files of the project as they are.
func (t *turn) filesNow(ctx context.Context) (string, error) {
	if !t.st.Git {
		return t.plainFingerprint(ctx)
	}
	m, err := t.mark(ctx)
	return m.Tree, err
}

// chosen returns the verifiers for what is to be verified. A file that cannot be
// read is named in a warning: no model can mend it.
func (t *turn) chosen(ctx context.Context) ([]verify.Choice, error) {
	all, err := verify.Load(t.s.project)
	if p := problem.Of(err); p != nil {
		t.warnings = append(t.warnings, p.Message)
	} else if err != nil {
		return nil, err
	}
	changed, err := t.toVerify(ctx)
	return verify.Choose(all, changed), err
}

// refusal returns why the server does not run a verifier's command, or "".
func (t *turn) refusal(c verify.Choice) string {
	store, err := trust.Open()
	if err != nil {
		return err.Error()
	}
	state, err := store.State(t.s.project.Root, trust.Verifier, c.Name, c.Content)
	how := fmt.Sprintf("only the user can trust it, in a terminal: code-intel trust %s", c.Name)
	switch {
	case problem.Of(err) != nil:
		return problem.Of(err).Message
	case err != nil:
		return err.Error()
	case state == trust.Untrusted:
		return "it is not trusted; " + how
	case state == trust.Changed:
		return c.File() + " has changed since it was trusted; " + how
	}
	return ""
}

// trustedMeanwhile reports whether the verifier was trusted since the session
// began. It may well have been the user; the report says so in any case, because a
// model with a shell of the user's could have done it too.
func (t *turn) trustedMeanwhile(name string) bool {
	store, err := trust.Open()
	if err != nil {
		return false // then it did not run
	}
	since, err := store.Since(t.s.project.Root, trust.Verifier, name)
	return err == nil && !since.Before(t.st.Started)
}

// gone returns a Result for each trusted verifier of the project whose file is
// not there any more.
func (t *turn) gone() (results []verify.Result) {
	store, err := trust.Open()
	if err != nil {
		return nil
	}
	names, err := verify.Gone(t.s.project, store)
	if err != nil {
		return nil // each verifier that is there says so
	}
	for _, name := range names {
		file := verify.Verifier{Name: name}.File()
		results = append(results, verify.Result{Name: name, Exit: -1, Skipped: "the user has trusted " + file + ", and it is gone"})
	}
	return results
}

// commands returns what became of the commands of the chosen verifiers on the
// files as they are now. Those that did not run on them begin; running is what
// has not ended.
func (t *turn) commands(ctx context.Context) (results []verify.Result, running []*run, err error) {
	chosen, err := t.chosen(ctx)
	if err != nil {
		return nil, nil, err
	}
	on, err := t.filesNow(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range chosen {
		if len(c.Command) == 0 {
			continue
		}
		if why := t.refusal(c); why != "" {
			results = append(results, verify.Result{Name: c.Name, Command: c.Command, Files: c.Files, Exit: -1, Skipped: why})
			continue
		}
		r, err := t.run(c, on)
		if err != nil {
			return nil, nil, err
		}
		if !r.ended() {
			running = append(running, r)
			continue
		}
		if r.err != nil { // it was stopped at this moment: the server closes
			return nil, nil, r.err
		}
		if t.trustedMeanwhile(c.Name) {
			t.st.warn("the verifier %s was trusted while this session was open", c.Name)
		}
		if len(r.moved) > 0 {
			t.st.warn("while %q ran, files changed: %s", strings.Join(c.Command, " "), some(r.moved, 10))
		}
		results = append(results, r.result)
	}
	return append(results, t.gone()...), running, nil
}
