package session

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writescope"
)

// Codes of what was kept out of the server's sight.
const (
	gitSettingsChanged problem.Code = "git_settings_changed"
	verificationStale  problem.Code = "verification_stale"
)

// gitUnchanged refuses to go on where git no longer looks at all that it looked at when
// the session began, or reads it in another way. Who hid something meanwhile can
// have done so only by this.
func (t *turn) gitUnchanged(ctx context.Context) error {
	if t.st.GitSettings == nil {
		return nil
	}
	now, err := t.gitSettings(ctx)
	if err != nil {
		return err
	}
	return t.submodulesUnchanged(now)
}

// gitSettings returns what git goes by now, or the refusal if that has changed.
func (t *turn) gitSettings(ctx context.Context) (*git.Settings, error) {
	r, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	now, err := r.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if now.Hooks != t.st.GitSettings.Hooks {
		t.st.Warn("session.repository_commit_hooks_where_git")
	}
	bent := git.Differing(t.st.GitSettings.Values, now.Values)
	if len(bent) == 0 {
		return now, nil
	}
	return nil, problem.New(gitSettingsChanged, "session.what_decides_which_files_git", refusal.Some(bent, 10)).
		Or("session.take_change_back_files_git").
		Or("session.if_user_made_ask_user").
		Or("session.give_up_and_keep_the_work", refusal.GiveUp())
}

// submodulesUnchanged refuses changes in submodules that no layer of the write guard let
// through: they are in no commit of this repository.
func (t *turn) submodulesUnchanged(now *git.Settings) error {
	changed := git.Differing(t.st.GitSettings.Submodules, now.Submodules)
	if len(changed) == 0 {
		return nil
	}
	entries, err := t.ledger.Since(0)
	if err != nil {
		return err
	}
	approved := writescope.Approved(t.st, entries)
	var unapproved []string
	for _, name := range changed {
		known := approved[name]
		for f := range approved {
			known = known || strings.HasPrefix(f, name+"/")
		}
		switch {
		case !known:
			unapproved = append(unapproved, name)
		case t.st.Phase == phases.PreCommit && now.Submodules[name] != "":
			t.st.Warn("session.what_changed_submodule_no_commit", name)
		}
	}
	if len(unapproved) == 0 {
		return nil
	}
	return problem.New(unapprovedChanges, "session.submodules_changed",
		refusal.Some(unapproved, 20), op.CheckWriteTarget).
		Or("session.take_change_back").
		Or("session.if_belongs_task_tell_user")
}

// stillVerified refuses a change that is another one than the verification passed.
// What it found beside the files of the task, and what its commands left, may go.
func (t *turn) stillVerified(ctx context.Context) error {
	v := t.st.Verify
	if v == nil || !v.Passed || v.Tree == "" || !t.st.Git {
		return nil
	}
	since, err := t.changesSince(ctx, state.Mark{Tree: v.Tree})
	if err != nil {
		return err
	}
	entries, err := t.ledger.Since(0)
	if err != nil {
		return err
	}
	approved := writescope.Approved(t.st, entries)
	stale := slices.DeleteFunc(git.Paths(since), func(f string) bool { return !approved[git.Shown(f)] })
	if len(stale) == 0 || !slices.ContainsFunc(v.Commands, ran) { // the verification was the model's word
		return nil
	}
	return problem.New(verificationStale, "session.files_changed_since_verified", refusal.Some(stale, 20)).
		Or("session.if_the_edit_is_meant_plan_it", refusal.BackToReady()).
		Or("session.else_take_back")
}
