package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// Codes of what was kept out of the server's writeScope.
const (
	GitSettingsChanged problem.Code = "git_settings_changed"
	VerificationStale  problem.Code = "verification_stale"
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
		t.st.warn("the repository's commit hooks, or where git looks for them, were changed while this session was open")
	}
	bent := differing(t.st.GitSettings.Values, now.Values)
	if len(bent) == 0 {
		return now, nil
	}
	return nil, problem.New(GitSettingsChanged, fmt.Sprintf("What decides which files git looks at, and how it reads them, is not what it was when the session began: %s.", text.ListFirst(bent, 10)),
		"Take that change back. Files that git is to ignore are named in .gitignore, as part of a task.",
		"If the user made it: ask the user to take it back until the session is over.",
		`Give up: submit_phase(data={"abort": true, "reason": …}); branch and work are kept.`)
}

// submodulesUnchanged refuses changes in submodules that no layer of the write guard let
// through: they are in no commit of this repository.
func (t *turn) submodulesUnchanged(now *git.Settings) error {
	changed := differing(t.st.GitSettings.Submodules, now.Submodules)
	if len(changed) == 0 {
		return nil
	}
	entries, err := t.ledger.Since(0)
	if err != nil {
		return err
	}
	approved := approvedBy(t.st, entries)
	var unapproved []string
	for _, name := range changed {
		known := approved[name]
		for f := range approved {
			known = known || strings.HasPrefix(f, name+"/")
		}
		switch {
		case !known:
			unapproved = append(unapproved, name)
		case t.st.Phase == PreCommit && now.Submodules[name] != "":
			t.st.warn("what was changed in the submodule %s is in no commit: it must be committed there first", name)
		}
	}
	if len(unapproved) == 0 {
		return nil
	}
	return problem.New(UnapprovedChanges, fmt.Sprintf("Files in these submodules were changed without check_write_target: %s. They can be part of no commit of this repository.", text.ListFirst(unapproved, 20)),
		"Take the change back.", "If it belongs to the task: tell the user; it must be committed in the submodule.")
}

// differing returns the keys whose values are not the same.
func differing(had, now map[string]string) (keys []string) {
	for k, v := range now {
		if had[k] != v {
			keys = append(keys, k)
		}
	}
	for k := range had {
		if _, ok := now[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// stillVerified refuses a change that is another one than the verification passed.
// What it found beside the files of the task, and what its commands left, may go.
func (t *turn) stillVerified(ctx context.Context) error {
	v := t.st.Verify
	if v == nil || !v.Passed || v.Tree == "" || !t.st.Git {
		return nil
	}
	r, err := t.repo(ctx)
	if err != nil {
		return err
	}
	since, err := taskbranch.ChangesSince(ctx, r, v.Tree)
	if err != nil {
		return err
	}
	entries, err := t.ledger.Since(0)
	if err != nil {
		return err
	}
	approved := approvedBy(t.st, entries)
	stale := slices.DeleteFunc(changedFiles(since), func(f string) bool { return !approved[git.Shown(f)] })
	if len(stale) == 0 {
		return nil
	}
	if !slices.ContainsFunc(v.Commands, ran) { // the verification was the model's word
		t.st.warn("these files were changed after the verification: %s", text.ListFirst(stale, 20))
		return nil
	}
	return problem.New(VerificationStale, fmt.Sprintf("These files are not what they were when the change was verified: %s.", text.ListFirst(stale, 20)),
		`If the edit is meant: submit_phase(data={"back_to": "READY", "reason": …}), plan it as a task, and have it verified.`,
		"Else take it back.")
}
