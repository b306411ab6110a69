package session

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/evidence"
	"codeintel/internal/session/lessons"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/projectrules"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/reviewpages"
	"codeintel/internal/session/state"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/phase"
)

// Codes of a change that is not ready to be committed or merged.
const (
	unlistedFiles      problem.Code = "unlisted_files"
	uncommittedChanges problem.Code = "uncommitted_changes"
	unreviewedCommits  problem.Code = "unreviewed_commits"
)

// verifyIntervention notes what was done to break the loop. The counters of the
// tasks that failed start over.
func (t *turn) verifyIntervention(_ context.Context, p payload.Intervention) (answers, error) {
	prompts, err := t.s.texts.Prompts("interventions")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, prompt := range prompts {
		if name := path.Base(prompt.File); !prompt.Left {
			names = append(names, name, strings.TrimSuffix(name, ".md"))
		}
	}
	if len(names) > 0 && !slices.Contains(names, strings.TrimPrefix(p.PromptUsed, ".code-intel/interventions/")) {
		return nil, problem.New(refusal.ValidationFailed, "session.prompt_used_which_no_file", p.PromptUsed).
			Or("problem.name_one", strings.Join(names, ", "))
	}
	if err := refusal.RequireReason("action_taken", p.ActionTaken); err != nil {
		return nil, err
	}
	t.resetFailures()
	return nil, nil
}

func (t *turn) resetFailures() {
	for i := range t.State.Tasks {
		t.State.Tasks[i].FailureCount = 0
	}
}

// userEscalation carries out what the user decided.
func (t *turn) userEscalation(ctx context.Context, p payload.Escalation) (answers, error) {
	d, err := t.decision("user_decision", p.UserDecision, p.Guidance)
	if err != nil {
		return nil, err
	}
	t.State.Guidance, t.summary = d.Guidance, d.Guidance
	switch d.Choice {
	case "retry":
		if v := t.State.Verify; v != nil && len(v.NotRun) > 0 {
			t.State.Returned = msg.New("session.user_asked_another_try")
			return answers{"user_verify": true}, t.settle(d)
		}
		t.resetFailures()
		t.State.Returned = msg.New("session.user_asked_another_try")
		if t.State.Guidance != "" {
			t.State.Returned = msg.Join(": ", t.State.Returned, msg.Literal(t.State.Guidance))
		}
	case "accept":
		t.State.Accepted = true
		t.State.Warn("session.user_accepted_failed_work")
	case "abort":
		if err := t.abort(ctx, msg.New("session.user_decided_abort")); err != nil {
			return nil, err
		}
	}
	return answers{"user_retry": d.Choice == "retry", "user_accept": d.Choice == "accept"}, t.settle(d)
}

// preCommit commits the change that was reviewed, without what the review threw
// out.
func (t *turn) preCommit(ctx context.Context, p payload.PreCommit) (answers, error) {
	if vaguetext.Silent(p.CommitMessage) {
		return nil, problem.New(refusal.PayloadMismatch, "session.commit_message_empty").
			Or("session.say_one_line_what_change")
	}
	for _, check := range []func(context.Context) error{t.stillVerified, t.Audit, func(context.Context) error { return t.checkConflictMarkers() }} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	changes, err := t.Own(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.reviewed(ctx, changes); err != nil {
		return nil, err
	}
	keep, discard, err := t.decided(changes, p.ReviewedFiles)
	if err != nil {
		return nil, err
	}
	if err := t.checkTests(ctx, changes, p.ReviewedFiles); err != nil || !t.State.Git {
		return nil, err
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.clean(ctx, keep, p.ReviewedFiles); err != nil {
		return nil, err
	}
	if v := t.State.Verify; len(discard) > 0 && v != nil && v.Passed && slices.ContainsFunc(v.Commands, verify.Result.WasRun) {
		if err := t.discard(ctx, r, discard); err != nil {
			return nil, err
		}
		return answers{"verify_again": true}, t.implemented(ctx) // what is left has not been verified
	}
	// The commit comes first: if a hook refuses it, nothing has been discarded.
	if err := t.commitFiles(ctx, r, keep, p.CommitMessage); err != nil {
		return nil, errors.Join(err, t.s.noteLeft(ctx))
	}
	if err := t.discard(ctx, r, discard); err != nil {
		return nil, err
	}
	if err := t.takeBack(ctx, r); err != nil {
		return nil, err
	}
	return nil, t.asReviewed(ctx, r, keep)
}

// discard removes the files from the change. Their content is kept in a ref.
func (t *turn) discard(ctx context.Context, r *git.Repo, files []string) error {
	if len(files) == 0 {
		return nil
	}
	ref, err := taskbranch.Discard(ctx, r, *t.State.Branch, files)
	if err != nil {
		return err
	}
	t.Warn("session.discarded_their_content_kept", refusal.Some(files, 10), ref)
	return nil
}

// asReviewed keeps the session in PRE_COMMIT if what was committed is not what was reviewed:
// hooks of the repository, or somebody who writes while they run, may change it. The commit
// stays, and has to be reviewed as it is.
func (t *turn) asReviewed(ctx context.Context, r *git.Repo, keep []string) error {
	if t.State.Review == nil { // there was nothing to review
		return nil
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	committed, err := r.Diff(ctx, t.State.Base, head)
	if err != nil {
		return err
	}
	t.missed(committed)
	since, err := r.Diff(ctx, t.State.Review.Fingerprint, head)
	if err != nil {
		return err
	}
	other := git.Paths(since)
	if among := append(git.Paths(committed), keep...); len(among) > 0 { // otherwise all that was reviewed is gone
		other = text.Intersect(other, among)
	}
	other = slices.DeleteFunc(other, func(f string) bool { return strings.HasPrefix(f, ".code-intel/") })
	if len(other) == 0 {
		return nil
	}
	t.State.Review, t.stay, t.summary = nil, true, ""
	t.code = unreviewedCommits
	t.reason = msg.New("session.commit_not_what_reviewed_hook", refusal.Some(other, 20), op.ReviewChanges)
	return t.implemented(ctx)
}

// missed names in the report the evidence of tasks that the commit does not contain, because
// it was undone or discarded.
func (t *turn) missed(committed []git.Change) {
	for _, task := range t.State.Tasks {
		for _, item := range task.Checklist {
			if item.Status == state.Done && !item.PreExisting && !evidence.Cites(t.s.project, item.Evidence, committed) {
				t.State.Warn("session.task_shows_unchanged_place", task.ID, item.Item, item.Evidence)
			}
		}
	}
}

// reviewed refuses a change that was not shown in full, as it is now.
func (t *turn) reviewed(ctx context.Context, changes []git.Change) error {
	if len(changes) == 0 {
		return nil
	}
	now, err := t.Fingerprint(ctx)
	if err != nil {
		return err
	}
	switch {
	case t.State.Review == nil:
		return problem.New(reviewpages.Missing, "session.changes_not_reviewed", op.ReviewChanges).
			Or("session.review_and_read_the_change", op.ReviewChanges)
	case t.State.Review.Fingerprint != now:
		return problem.New(reviewpages.Missing, "session.files_changed_since_review", op.ReviewChanges).
			Or("session.review_changes_again", op.ReviewChanges)
	case !t.State.Review.Whole():
		return problem.New(reviewpages.Missing, "session.not_all_pages_reviewed", len(t.State.Review.Delivered),
			t.State.Review.Pages, op.ReviewChanges).
			Or("session.review_changes_from_cursor", op.ReviewChanges)
	}
	return nil
}

// decided sorts the changed files into those to keep and those to discard.
func (t *turn) decided(changes []git.Change, reviewed []payload.ReviewedFile) (keep, discard []string, err error) {
	var changed []string // as their reader can name them
	for _, f := range git.Paths(changes) {
		changed = append(changed, git.Shown(f))
	}
	decision := make(map[string]string)
	var unchanged []string
	for i, r := range reviewed {
		rel := r.Path // a changed link is named as it is, not by what it points to
		if !slices.Contains(changed, rel) {
			if rel, err = t.s.project.Resolve(r.Path); err != nil {
				return nil, nil, err
			}
		}
		if err := refusal.OneOf(fmt.Sprintf("reviewed_files[%d].decision", i), r.Decision, "keep", "discard"); err != nil {
			return nil, nil, err
		}
		if r.Decision == "discard" {
			if err := refusal.RequireReason(fmt.Sprintf("reviewed_files[%d].reason", i), r.Reason); err != nil {
				return nil, nil, err
			}
		}
		if !slices.Contains(changed, rel) {
			unchanged = append(unchanged, r.Path)
		}
		if had, ok := decision[rel]; ok && had != r.Decision {
			return nil, nil, problem.New(refusal.ValidationFailed, "session.reviewed_files_names_twice_once", r.Path).
				Or("session.decide_once_each_file")
		}
		decision[rel] = r.Decision
	}
	if len(unchanged) > 0 {
		return nil, nil, problem.New(unlistedFiles, "session.reviewed_files_not_changed", refusal.Some(unchanged, 10)).
			Or("session.changed", refusal.Some(changed, 50))
	}
	var unlisted []string
	for _, c := range changes {
		switch decision[git.Shown(c.Path)] {
		case "keep":
			keep = append(keep, git.Paths([]git.Change{c})...)
		case "discard":
			discard = append(discard, git.Paths([]git.Change{c})...)
		default:
			unlisted = append(unlisted, git.Shown(c.Path))
		}
	}
	if len(unlisted) > 0 {
		return nil, nil, problem.New(unlistedFiles, "session.reviewed_files_lacks", refusal.Some(unlisted, 20)).
			Or("session.list_every_changed_file")
	}
	return keep, discard, nil
}

// commitFiles commits the files on the task branch. With none there is no commit.
func (t *turn) commitFiles(ctx context.Context, r *git.Repo, files []string, message string) error {
	if len(files) == 0 {
		return nil
	}
	shared := slices.DeleteFunc(slices.Clone(files),
		func(f string) bool { return !slices.Contains(t.State.Branch.UserFiles, f) })
	if len(shared) > 0 {
		t.State.Warn("session.commit_holds_changes_user_had", refusal.Some(shared, 20))
	}
	ref, err := taskbranch.Fold(ctx, r, *t.State.Branch, t.State.Tip, files)
	if err != nil {
		return err
	}
	if ref != "" {
		t.State.Warn("session.commits_not_server_made_part", ref)
	}
	id, err := taskbranch.Commit(ctx, r, *t.State.Branch, files, message)
	if err != nil || id == "" || id == t.State.Tip {
		return err
	}
	return t.noteCommit(id)
}

// commitAll commits whatever the session changed.
func (t *turn) commitAll(ctx context.Context, message string) error {
	changes, err := t.Own(ctx)
	if err != nil {
		return err
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return err
	}
	return t.commitFiles(ctx, r, git.Paths(changes), message)
}

// qualityReview takes the judgement of the committed change. The third finding
// in a session no longer leads back: the work is merged, with a warning.
func (t *turn) qualityReview(ctx context.Context, p payload.Quality) (answers, error) {
	if *p.QualityScore < 0 || *p.QualityScore > 100 {
		return nil, problem.New(refusal.PayloadMismatch, "session.quality_score", *p.QualityScore).
			Or("session.send_number_from")
	}
	if err := t.committed(ctx); err != nil {
		return nil, err
	}
	issues := slices.DeleteFunc(slices.Clone(p.Issues), func(i string) bool { return strings.TrimSpace(i) == "" })
	if len(issues) == 0 {
		return nil, nil
	}
	if t.State.Counts["quality_reverts"] >= 2 {
		t.State.Warn("session.quality_review_still_found", msg.Listed("; ", issues))
	} else {
		t.State.Returned = msg.New("session.quality_review_found", msg.Listed("; ", issues))
	}
	return answers{"issues_found": true}, nil
}

// committed refuses to go on while the session has changes that are in no commit.
func (t *turn) committed(ctx context.Context) error {
	if !t.State.Git || t.State.Branch == nil {
		return nil
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return err
	}
	return t.committedIn(ctx, r)
}

// committedIn is committed wherever HEAD is.
func (t *turn) committedIn(ctx context.Context, r *git.Repo) error {
	tip, err := r.Resolve(ctx, "refs/heads/"+t.State.Branch.Name)
	if err != nil {
		return err
	}
	if tip != "" && tip != t.State.Tip { // "": a crash came right behind the merge
		return problem.New(unreviewedCommits, "session.branch_has_unreviewed_commits", t.State.Branch.Name, tip, t.State.Tip).
			Or("session.if_they_are_meant", refusal.BackToReady()).
			Or("session.else_take_them_back_git", t.State.Tip)
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	open, err := taskbranch.Changes(ctx, r, head)
	if err != nil {
		return err
	}
	theirs, err := t.UsersFiles(ctx)
	if err != nil {
		return err
	}
	files, err := t.arrived(ctx, r, tip, slices.DeleteFunc(git.Paths(open), func(f string) bool { return theirs[f] }))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return nil
	}
	return problem.New(uncommittedChanges, "session.these_files_edited_after_commit", refusal.Some(files, 20)).
		Or("session.if_the_edit_is_meant", refusal.BackToReady()).
		Or("session.else_take_back")
}

// merge brings the task branch into its base.
func (t *turn) merge(ctx context.Context, p payload.Merge) (answers, error) {
	if !t.State.Git || t.State.Branch == nil {
		return nil, nil
	}
	r, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	// A crash in mid-merge may have left HEAD on the base already.
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return nil, err
	}
	if on == t.State.Branch.Base {
		err = t.committedIn(ctx, r)
	} else {
		err = t.committed(ctx)
	}
	if err != nil {
		return nil, err
	}
	if on != t.State.Branch.Base && t.State.GitSettings != nil { // a driver of somebody's could merge something else
		if _, err := t.GitSettings(ctx); err != nil {
			return nil, err
		}
	}
	if named, err := t.foreignNamed(ctx, r); !named || err != nil {
		t.stay, t.summary, t.code = true, "", unreviewedCommits
		t.reason = msg.New("session.base_has_commits_submit_again", t.State.Branch.Base)
		return nil, err
	}
	if t.outcome(nil) == state.Completed {
		t.learn(ctx)
	}
	t.merged, err = t.mergeWith(ctx, r, "Merge "+t.State.Branch.Name+"\n\n"+p.Summary)
	var conflict *taskbranch.Conflict
	if errors.As(err, &conflict) {
		return nil, problem.New(taskbranch.MergeConflict, "session.change_same_lines_nothing_touched", t.State.Branch.Name, t.State.Branch.Base, refusal.Some(conflict.Files, 20)).
			Or("session.when_base_changed_again_try", refusal.Submit("summary", msg.Blank)).
			Or("session.solve_it_as_a_task", refusal.BackToReady()).
			Or("session.give_up_last_resort", refusal.GiveUp())
	}
	return nil, err
}

// takeBase brings a base that has moved on into the task branch. Where both have
// changed the same lines, bringing them together becomes a task.
func (t *turn) takeBase(ctx context.Context) error {
	if t.State.Branch == nil {
		return nil
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return err
	}
	unapproved, err := t.Unapproved(ctx)
	if err != nil {
		return err
	}
	if err := t.CheckGit(ctx); err != nil {
		return err
	}
	if _, _, err := t.NameBaseCommits(ctx, r); err != nil {
		return err
	}
	b, conflicts, err := taskbranch.TakeBase(ctx, r, *t.State.Branch)
	if err != nil || b.BaseCommit == t.State.Branch.BaseCommit {
		return err
	}
	if t.State.Tip, err = r.Head(ctx); err != nil {
		return err
	}
	t.State.Branch, t.State.Base = &b, b.BaseCommit
	t.State.Conflicts, t.State.ConflictTask = conflicts, ""
	t.State.Returned = msg.Join("", t.State.Returned, msg.New("session.merged_into_task_branch", b.Base))
	if len(conflicts) > 0 {
		t.State.Returned = msg.Join("", t.State.Returned, msg.New("session.both_change_the_same_lines", refusal.Some(conflicts, 20)))
	}
	t.State.Unapproved = unapproved
	if t.State.GitSettings, err = r.Settings(ctx); err != nil { // the base may bring files that a sparse checkout leaves out
		return err
	}
	t.State.Start, err = t.Mark(ctx)
	return err
}

// withConflictTask returns the planned tasks with the one that brings base and task
// together, if that is to be done. A plan that is sent again keeps the one there is.
func (t *turn) withConflictTask(planned []state.Task) []state.Task {
	if len(t.State.Conflicts) == 0 || slices.ContainsFunc(planned, func(k state.Task) bool { return k.ID == t.State.ConflictTask }) {
		return planned
	}
	if had := t.State.Task(t.State.ConflictTask); had != nil {
		return append(planned, *had)
	}
	task := t.conflictTask(planned)
	t.State.ConflictTask = task.ID
	return append(planned, task)
}

// conflictTask is the task that brings base and task together, beside those that are
// planned.
func (t *turn) conflictTask(planned []state.Task) state.Task {
	id := "merge_conflict"
	for n := 2; t.State.Task(id) != nil || slices.ContainsFunc(planned, func(k state.Task) bool { return k.ID == id }); n++ {
		id = fmt.Sprintf("merge_conflict_%d", n)
	}
	task := state.Task{ID: id, Description: "Bring together what " + t.State.Branch.Base + " and the task changed in the same lines", Status: state.Pending}
	for _, f := range t.State.Conflicts {
		task.Checklist = append(task.Checklist, state.Item{Item: f + ": no conflict markers, both changes kept", Status: state.Pending})
	}
	return task
}

// end closes the session after its last phase.
func (t *turn) end(ctx context.Context, from phase.ID, given answers) error {
	st := t.State
	st.Outcome, st.EndedIn = t.outcome(given), from
	switch {
	case st.Outcome == state.CompletedUnverified:
		st.Warn("session.verification_failed_d_times_work", st.Verify.Rounds)
	case st.Flags.OnlyVerify && !st.Verify.Passed:
		st.Warn("session.verification_failed", msg.Block(text.Clip(st.Verify.Details, 500)))
	case st.Outcome == state.Completed:
		t.learn(ctx)
	}
	return t.onPhaseBegin(ctx, from)
}

// outcome says how the session ends, if its last phase answered so.
func (t *turn) outcome(given answers) state.Outcome {
	st := t.State
	switch {
	case st.Outcome != "":
		return st.Outcome
	case given["unverified"]:
		return state.CompletedUnverified
	case st.Flags.OnlyVerify && !st.Verify.Passed, st.Accepted, given["issues_found"]:
		return state.CompletedWithWarnings
	case msg.Contains(st.Warnings, "session.quality_review_still_found"),
		msg.Contains(st.Warnings, "session.changed_while_only_looking"):
		return state.CompletedWithWarnings
	}
	return state.Completed
}

// report says how the session ended.
func (t *turn) report() *state.Report {
	st := t.State
	r := &state.Report{
		Summary: msg.Literal(lastSummary(st, t.summary)), Tasks: st.Tasks, Findings: st.Findings, Impact: st.Impact, Commits: st.Commits,
		Merged: t.merged, Agreement: lessons.AgreementOf(st), Warnings: slices.DeleteFunc(slices.Clone(st.Warnings), projectrules.Asks), Decisions: withoutGates(st.Decisions),
		Phases: summaries(st), Enforcement: t.level(), Options: reportOptions(st),
	}
	var files []string
	for _, task := range st.Tasks {
		files = append(files, task.Files...)
	}
	r.Files = text.Distinct(files)
	t.reportVerification(r)
	if st.Outcome == state.Completed || st.Outcome == state.CompletedWithWarnings {
		return r
	}
	if st.Branch != nil {
		r.TaskBranch = st.Branch.Name
		r.GoOn = []msg.Message{
			msg.Literal(fmt.Sprintf("git diff %s...%s", st.Branch.Base, st.Branch.Name)),
			msg.New("session.git_switch_go_hand", st.Branch.Name),
			msg.New("session.git_switch_leave", quote.Shell(st.Branch.Base)),
		}
	} else if st.Git && !st.ExplorationOnly() {
		r.GoOn = []msg.Message{msg.New("session.git_diff_see_what_left")}
	}
	switch {
	case st.Reason.IsZero():
	case r.Summary.IsZero():
		r.Summary = st.Reason
	default:
		r.Summary = msg.Join("\n", st.Reason, r.Summary)
	}
	return r
}

// lastSummary returns the summary that the work ended with. The answer to one of the three questions, with which a
// session that only looks ends, is none: what was found stands in the phase before.
func lastSummary(st *state.State, last string) string {
	question := func(id phase.ID) bool { return id == phases.Q1 || id == phases.Q2 || id == phases.Q3 }
	if n := len(st.Summaries); n == 0 || !question(st.Summaries[n-1].ID) || st.Summaries[n-1].Text != last {
		return last
	}
	for _, sum := range slices.Backward(st.Summaries) {
		if !question(sum.ID) {
			return sum.Text
		}
	}
	return last
}
