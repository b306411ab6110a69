package changes

import (
	"context"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/writablefiles"
)

// GitSettingsChanged is the code of settings that decide which files git looks at.
const GitSettingsChanged problem.Code = "git_settings_changed"

// CheckGit refuses to go on where git no longer looks at all that it looked at when
// the session began, or reads it in another way. Who hid something meanwhile can
// have done so only by this.
func (t *Tree) CheckGit(ctx context.Context) error {
	if t.State.GitSettings == nil {
		return nil
	}
	now, err := t.GitSettings(ctx)
	if err != nil {
		return err
	}
	return t.checkSubmodules(now)
}

// GitSettings returns what git goes by now, or the refusal if that has changed.
func (t *Tree) GitSettings(ctx context.Context) (*git.Settings, error) {
	r, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	now, err := r.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if now.Hooks != t.State.GitSettings.Hooks {
		t.State.Warn("session.repository_commit_hooks_where_git")
	}
	bent := git.Differing(t.State.GitSettings.Values, now.Values)
	if len(bent) == 0 {
		return now, nil
	}
	return nil, problem.New(GitSettingsChanged, "session.what_decides_which_files_git", refusal.Some(bent, 10)).
		Or("session.take_change_back_files_git").
		Or("session.if_user_made_ask_user").
		Or("session.give_up_and_keep_the_work", refusal.GiveUp())
}

// checkSubmodules refuses changes in submodules that no layer of the write guard let
// through: they are in no commit of this repository.
func (t *Tree) checkSubmodules(now *git.Settings) error {
	changed := git.Differing(t.State.GitSettings.Submodules, now.Submodules)
	if len(changed) == 0 {
		return nil
	}
	entries, err := t.Ledger.Since(0)
	if err != nil {
		return err
	}
	approved := writablefiles.Approved(t.State, entries)
	var unapproved []string
	for _, name := range changed {
		known := approved[name]
		for f := range approved {
			known = known || strings.HasPrefix(f, name+"/")
		}
		switch {
		case !known:
			unapproved = append(unapproved, name)
		case t.State.Phase == phases.PreCommit && now.Submodules[name] != "":
			t.State.Warn("session.what_changed_submodule_no_commit", name)
		}
	}
	if len(unapproved) == 0 {
		return nil
	}
	return problem.New(UnapprovedChanges, "session.submodules_changed",
		refusal.Some(unapproved, 20), op.CheckWriteTarget).
		Or("session.take_change_back").
		Or("session.if_belongs_task_tell_user")
}
