package session

import (
	"context"
	"slices"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// mustRun returns the verifiers that the user trusts as they are now.
func (s *Service) mustRun() (all []state.MustRun, err error) {
	store, err := trust.Open()
	if err != nil {
		return nil, nil // there is no record, and nothing runs
	}
	standing, _, err := verify.Standings(s.project, store)
	if err != nil && problem.Of(err) == nil {
		return nil, err
	}
	for _, v := range standing {
		if v.State == trust.Trusted {
			all = append(all, state.MustRun{Name: v.Name, Globs: v.Globs})
		}
	}
	return all, nil
}

// notRun says why verifiers that must run on the present change did not.
func (t *turn) notRun(ctx context.Context, results []verify.Result) (why []msg.Message, err error) {
	if len(t.State.Verifiers) == 0 {
		return nil, nil
	}
	changed, err := t.toVerify(ctx)
	if err != nil {
		return nil, err
	}
	var all []verify.Verifier
	for _, v := range t.State.Verifiers {
		all = append(all, verify.Verifier{Name: v.Name, Globs: v.Globs})
	}
	for _, c := range verify.Choose(all, changed) {
		i := slices.IndexFunc(results, func(r verify.Result) bool { return r.Name == c.Name })
		switch {
		case i >= 0 && ran(results[i]):
		case i >= 0:
			why = append(why, msg.New("session.verifier_did_not_run", c.Name, results[i].Skipped))
		default:
			why = append(why, msg.New("session.verifier_is_for_other_files_now", c.Name, refusal.Some(c.Files, 5)))
		}
	}
	return why, nil
}

// withoutVerifier sends the session to a person, because a command that they trusted to verify
// the change did not run on it. Only they can accept the change without it.
func (t *turn) withoutVerifier(ctx context.Context) (answers, error) {
	why := msg.New("session.trusted_verifier_did_not_run", msg.Listed("; ", t.State.Verify.NotRun))
	if t.State.Flags.OnlyVerify {
		t.State.Warnings = append(t.State.Warnings, why)
		return answers{"verify_failed": true}, nil
	}
	t.State.Returned = why
	m, err := t.Mark(ctx)
	t.State.Verify.Tree = m.Tree
	return answers{"verifier_missing": true}, err
}
