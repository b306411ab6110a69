// Package verifierruns runs the commands of the verifiers that a user trusts on the change of a session: on the files
// as they are, and on copies in which tests or code are unchanged. The handler of the phase POST_IMPL_VERIFY
// takes the results from here, and counts them.
package verifierruns

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// Runs are the runs of one session.
type Runs struct {
	*changes.Tree
	Runner func() *verify.Runner
	Log    *slog.Logger
	Copy   func() (*changes.Tree, error) // the tree for another goroutine
}

// Required returns the verifiers that the user trusts as they are now.
func Required(p *project.Project) (all []state.MustRun, err error) {
	store, err := trust.Open()
	if err != nil {
		return nil, nil // there is no record, and nothing runs
	}
	verifiers, _, err := verify.TrustStates(p, store)
	if err != nil && problem.Of(err) == nil {
		return nil, err
	}
	for _, v := range verifiers {
		if v.State == trust.Trusted {
			all = append(all, state.MustRun{Name: v.Name, Globs: v.Globs})
		}
	}
	return all, nil
}

// NotRun says why verifiers that must run on the present change did not.
func (r Runs) NotRun(ctx context.Context, results []verify.Result) (why []msg.Message, err error) {
	if len(r.State.Verifiers) == 0 {
		return nil, nil
	}
	changed, err := r.files(ctx)
	if err != nil {
		return nil, err
	}
	var all []verify.Verifier
	for _, v := range r.State.Verifiers {
		all = append(all, verify.Verifier{Name: v.Name, Globs: v.Globs})
	}
	for _, c := range verify.Choose(all, changed) {
		i := slices.IndexFunc(results, func(p verify.Result) bool { return p.Name == c.Name })
		switch {
		case i >= 0 && results[i].WasRun():
		case i >= 0:
			why = append(why, msg.New("session.verifier_did_not_run", c.Name, results[i].Skipped))
		default:
			why = append(why, msg.New("session.verifier_is_for_other_files_now", c.Name, refusal.Some(c.Files, 5)))
		}
	}
	return why, nil
}

// job returns the run of a command that holds for the files as they are now. If
// there is none yet, it begins.
func (r Runs) job(ctx context.Context, c verify.Choice, on string) (*verify.Job, error) {
	if j := r.Runner().ValidJob(c, on, r.State.Since); j != nil {
		return j, nil
	}
	own, err := r.Copy()
	if err != nil {
		return nil, err
	}
	before, err := own.Mark(ctx)
	if err != nil {
		return nil, err
	}
	return r.Runner().Begin(c, on, r.State.Since, func(ctx context.Context) (string, []string) {
		own.Repo = nil // what it holds is of before the run
		after, err := own.Fingerprint(ctx)
		var changes []git.Change
		if err == nil && after != on {
			changes, err = own.Since(ctx, before)
		}
		if err != nil {
			r.Log.Debug("what a verifier left behind is not known", "verifier", c.Name, "err", err)
		}
		return after, git.Paths(changes)
	}), nil
}

// Chosen returns the verifiers for what is to be verified. A file that cannot be
// read is named in a warning: no model can fix it.
func (r Runs) Chosen(ctx context.Context) ([]verify.Choice, error) {
	all, err := verify.Load(r.Project)
	if p := problem.Of(err); p != nil {
		r.Warnings = append(r.Warnings, p.Message)
	} else if err != nil {
		return nil, err
	}
	changed, err := r.files(ctx)
	return verify.Choose(all, changed), err
}

// Refusal returns why the server does not run a verifier's command, or "".
func (r Runs) Refusal(c verify.Choice) (why msg.Message) {
	store, err := trust.Open()
	if err != nil {
		return msg.Literal(err.Error())
	}
	state, err := store.State(r.Project.Root, trust.Verifier, c.Name, c.Content)
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
func (r Runs) trustedMeanwhile(name string) bool {
	store, err := trust.Open()
	if err != nil {
		return false // then it did not run
	}
	since, err := store.Since(r.Project.Root, trust.Verifier, name)
	return err == nil && !since.Before(r.State.Started)
}

// warnOfOtherChanges names what others have changed around the command of a verifier since it
// was trusted.
func (r Runs) warnOfOtherChanges(ctx context.Context, v verify.Verifier) {
	if store, err := trust.Open(); err == nil {
		if files := verify.NewSteering(r.Project).ChangedByOthers(ctx, store, v); len(files) > 0 {
			r.State.Warn("verify.others_changed_what_it_reads", v.Name, refusal.Some(files, 10), quote.Shell(v.Name))
		}
	}
}

// goneVerifiers returns a Result for each trusted verifier of the project whose file is
// not there any more.
func (r Runs) goneVerifiers() (results []verify.Result) {
	store, err := trust.Open()
	if err != nil {
		return nil
	}
	names, err := verify.Gone(r.Project, store)
	if err != nil {
		return nil // each verifier that is there says so
	}
	for _, name := range names {
		file := verify.Verifier{Name: name}.File()
		results = append(results, verify.Result{Name: name, Exit: -1, Skipped: msg.New("session.user_trusted_gone", file)})
	}
	return results
}

// Commands returns what became of the commands of the chosen verifiers on the
// files as they are now. Those that did not run on them begin; running is what
// has not ended.
func (r Runs) Commands(ctx context.Context) (results []verify.Result, running []*verify.Job, err error) {
	chosen, err := r.Chosen(ctx)
	if err != nil {
		return nil, nil, err
	}
	on, err := r.Fingerprint(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range chosen {
		if len(c.Command) == 0 {
			continue
		}
		if why := r.Refusal(c); !why.IsZero() {
			results = append(results, verify.Result{Name: c.Name, Command: c.Command, Files: c.Files, Exit: -1, Skipped: why})
			continue
		}
		j, err := r.job(ctx, c, on)
		if err != nil {
			return nil, nil, err
		}
		if !j.Ended() {
			running = append(running, j)
			continue
		}
		result, moved, err := j.Result()
		if err != nil { // it was stopped at this moment: the server closes
			return nil, nil, err
		}
		r.warnOfOtherChanges(ctx, c.Verifier)
		if r.trustedMeanwhile(c.Name) {
			r.State.Warn("session.verifier_trusted_while_session_open", c.Name)
		}
		if len(moved) > 0 {
			r.State.Warn("session.while_q_ran_files_changed", msg.Listed(" ", c.Command), refusal.Some(moved, 10))
		}
		results = append(results, result)
	}
	return append(results, r.goneVerifiers()...), running, nil
}

// files returns the files that a verification is about.
func (r Runs) files(ctx context.Context) ([]string, error) {
	if !r.State.Git && r.State.Flags.OnlyVerify { // without git it is unknown what is new
		return slices.Sorted(maps.Keys(r.State.Start.Manifest)), nil
	}
	if !r.State.Flags.OnlyVerify {
		// What the tasks have shown is verified too, if it is not there at this moment.
		var shown []string
		for _, task := range r.State.Tasks {
			shown = append(shown, task.Files...)
		}
		changes, err := r.Own(ctx)
		return text.Distinct(append(shown, git.Paths(changes)...)), err
	}
	changes, err := r.Since(ctx, state.Mark{Tree: r.State.Base})
	return git.Paths(changes), err
}
