package session

import (
	"context"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/refusal"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

const (
	patience = 50 * time.Second // clients give a call up after a minute
	askAgain = 30 * time.Second // when to submit again what is still running
)

// progressKey is of the function that hears how long a Submit has been waiting.
type progressKey struct{}

// WithProgress makes a [Service.Submit] tell what it waits for, about once a
// second, always from the goroutine that called it.
func WithProgress(ctx context.Context, tell func(waited time.Duration, what msg.Message)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

func progressOf(ctx context.Context) func(time.Duration, msg.Message) {
	if tell, ok := ctx.Value(progressKey{}).(func(time.Duration, msg.Message)); ok {
		return tell
	}
	return func(time.Duration, msg.Message) {}
}

// runner returns what runs commands for the open session.
func (s *Service) runner() *verify.Runner {
	if s.live.runner == nil {
		s.live.runner = verify.NewRunner(s.project.Root)
	}
	return s.live.runner
}

// verifyingNow reports whether commands were begun in this phase. They may have left
// files, which are not the model's.
func (t *turn) verifyingNow() bool {
	return t.s.live.runner != nil && t.s.live.runner.Begun(t.State.Since)
}

// run returns the run of a command that holds for the files as they are now. If
// there is none yet, it begins.
func (t *turn) run(ctx context.Context, c verify.Choice, on string) (*verify.Job, error) {
	if j := t.s.runner().Standing(c, on, t.State.Since); j != nil {
		return j, nil
	}
	own, err := t.s.turn() // a copy of the state, for another goroutine
	if err != nil {
		return nil, err
	}
	before, err := own.Mark(ctx)
	if err != nil {
		return nil, err
	}
	return t.s.runner().Begin(c, on, t.State.Since, func(ctx context.Context) (string, []string) {
		own.Repo = nil // what it holds is of before the run
		after, err := own.Fingerprint(ctx)
		var changes []git.Change
		if err == nil && after != on {
			changes, err = own.Since(ctx, before)
		}
		if err != nil {
			t.s.log.Debug("what a verifier left behind is not known", "verifier", c.Name, "err", err)
		}
		return after, git.Paths(changes)
	}), nil
}

// chosen returns the verifiers for what is to be verified. A file that cannot be
// read is named in a warning: no model can fix it.
func (t *turn) chosen(ctx context.Context) ([]verify.Choice, error) {
	all, err := verify.Load(t.s.project)
	if p := problem.Of(err); p != nil {
		t.Warnings = append(t.Warnings, p.Message)
	} else if err != nil {
		return nil, err
	}
	changed, err := t.toVerify(ctx)
	return verify.Choose(all, changed), err
}

// refusal returns why the server does not run a verifier's command, or "".
func (t *turn) refusal(c verify.Choice) (why msg.Message) {
	store, err := trust.Open()
	if err != nil {
		return msg.Literal(err.Error())
	}
	state, err := store.State(t.s.project.Root, trust.Verifier, c.Name, c.Content)
	how := msg.New("session.only_user_can_trust_terminal", quote.Shell(c.Name))
	switch {
	case problem.Of(err) != nil:
		return problem.Of(err).Message
	case err != nil:
		return msg.Literal(err.Error())
	case state == trust.Untrusted:
		return msg.New("session.not_trusted", how)
	case state == trust.Changed:
		return msg.New("session.changed_since_trusted", c.File(), how)
	}
	return why
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
	return err == nil && !since.Before(t.State.Started)
}

// toldOfStrangers names what others have changed around the command of a verifier since it
// was trusted.
func (t *turn) toldOfStrangers(ctx context.Context, v verify.Verifier) {
	if store, err := trust.Open(); err == nil {
		if files := verify.NewSteering(t.s.project).Strange(ctx, store, v); len(files) > 0 {
			t.State.Warn("verify.others_changed_what_it_reads", v.Name, refusal.Some(files, 10), quote.Shell(v.Name))
		}
	}
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
		results = append(results, verify.Result{Name: name, Exit: -1, Skipped: msg.New("session.user_trusted_gone", file)})
	}
	return results
}

// commands returns what became of the commands of the chosen verifiers on the
// files as they are now. Those that did not run on them begin; running is what
// has not ended.
func (t *turn) commands(ctx context.Context) (results []verify.Result, running []*verify.Job, err error) {
	chosen, err := t.chosen(ctx)
	if err != nil {
		return nil, nil, err
	}
	on, err := t.Fingerprint(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range chosen {
		if len(c.Command) == 0 {
			continue
		}
		if why := t.refusal(c); !why.IsZero() {
			results = append(results, verify.Result{Name: c.Name, Command: c.Command, Files: c.Files, Exit: -1, Skipped: why})
			continue
		}
		j, err := t.run(ctx, c, on)
		if err != nil {
			return nil, nil, err
		}
		if !j.Ended() {
			running = append(running, j)
			continue
		}
		r, moved, err := j.Result()
		if err != nil { // it was stopped at this moment: the server closes
			return nil, nil, err
		}
		t.toldOfStrangers(ctx, c.Verifier)
		if t.trustedMeanwhile(c.Name) {
			t.State.Warn("session.verifier_trusted_while_session_open", c.Name)
		}
		if len(moved) > 0 {
			t.State.Warn("session.while_q_ran_files_changed", msg.Listed(" ", c.Command), refusal.Some(moved, 10))
		}
		results = append(results, r)
	}
	return append(results, t.gone()...), running, nil
}
