package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/internal/session/evidence"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
)

// Codes of a change that is not ready to be committed or merged.
const (
	ReviewMissing      problem.Code = "review_missing"
	UnlistedFiles      problem.Code = "unlisted_files"
	UncommittedChanges problem.Code = "uncommitted_changes"
	UnreviewedCommits  problem.Code = "unreviewed_commits"
)

// verifyIntervention notes what was done to break the loop. The counters of the
// tasks that failed start over.
func (t *turn) verifyIntervention(_ context.Context, p interventionPayload) (answers, error) {
	prompts, err := t.s.texts.prompts("interventions")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, prompt := range prompts {
		names = append(names, prompt.Name, strings.TrimSuffix(prompt.Name, ".md"))
	}
	if len(names) > 0 && !slices.Contains(names, strings.TrimPrefix(p.PromptUsed, ".code-intel/interventions/")) {
		return nil, problem.New(ValidationFailed, fmt.Sprintf("prompt_used is %q, which is no file of .code-intel/interventions.", p.PromptUsed),
			"Name one of: "+strings.Join(names, ", ")+".")
	}
	if err := reasoned("action_taken", p.ActionTaken); err != nil {
		return nil, err
	}
	t.resetFailures()
	return nil, nil
}

func (t *turn) resetFailures() {
	for i := range t.st.Tasks {
		t.st.Tasks[i].FailureCount = 0
	}
}

// userEscalation carries out what the user decided.
func (t *turn) userEscalation(_ context.Context, p escalationPayload) (answers, error) {
	d, err := t.decision("user_decision", p.UserDecision, p.Guidance)
	if err != nil {
		return nil, err
	}
	t.st.Guidance, t.summary = d.Guidance, d.Guidance
	switch d.Choice {
	case "retry":
		t.resetFailures()
		t.st.Returned = "the user asked for another try"
		if t.st.Guidance != "" {
			t.st.Returned += ": " + t.st.Guidance
		}
	case "accept":
		t.st.Accepted = true
		t.st.warn("the user accepted the work although its verification or review did not pass")
	case "abort":
		t.st.Outcome, t.st.Reason = Aborted, "the user decided to abort"
	}
	return answers{"user_retry": d.Choice == "retry", "user_accept": d.Choice == "accept"}, t.settle(d)
}

// preCommit commits the change that was reviewed, without what the review threw
// out.
func (t *turn) preCommit(ctx context.Context, p preCommitPayload) (answers, error) {
	if silent(p.CommitMessage) {
		return nil, problem.New(PayloadMismatch, "commit_message is empty.", "Say in one line what the change does.")
	}
	for _, check := range []func(context.Context) error{t.audit, func(context.Context) error { return t.unmended() }, t.stillVerified} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	changes, err := t.own(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.reviewed(ctx, changes); err != nil {
		return nil, err
	}
	keep, discard, err := t.decided(changes, p.ReviewedFiles)
	if err != nil || !t.st.Git {
		return nil, err
	}
	r, err := t.repo(ctx)
	if err != nil {
		return nil, err
	}
	// The commit comes first: if a hook refuses it, nothing has been discarded.
	if err := t.commitFiles(ctx, r, keep, p.CommitMessage); err != nil {
		return nil, err
	}
	if len(discard) > 0 {
		ref, err := taskbranch.Discard(ctx, r, *t.st.Branch, discard)
		if err != nil {
			return nil, err
		}
		t.warnings = append(t.warnings, fmt.Sprintf("discarded %s; their content is kept in %s", text.ListFirst(discard, 10), ref))
	}
	if err := t.takeBack(ctx, r); err != nil {
		return nil, err
	}
	return nil, t.asReviewed(ctx, r, keep)
}

// asReviewed keeps the session in PRE_COMMIT if what was committed is not what was
// reviewed: hooks of the repository may change it, and whoever writes while they
// run. The commit stands, and is to be reviewed as it is.
func (t *turn) asReviewed(ctx context.Context, r *git.Repo, keep []string) error {
	if t.st.Review == nil { // there was nothing to review
		return nil
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	committed, err := r.Diff(ctx, t.st.Base, head)
	if err != nil {
		return err
	}
	t.missed(committed)
	since, err := r.Diff(ctx, t.st.Review.Fingerprint, head)
	if err != nil {
		return err
	}
	other := distinct(changedFiles(since), append(changedFiles(committed), keep...))
	other = slices.DeleteFunc(other, func(f string) bool { return strings.HasPrefix(f, ".code-intel/") })
	if len(other) == 0 {
		return nil
	}
	t.st.Review, t.stay, t.summary = nil, true, ""
	t.reason = fmt.Sprintf("The commit is not what was reviewed: a hook of the repository, or somebody else, has changed %s meanwhile. "+
		"It stands, and nothing is lost. Where the files in the tree are others than in the commit, git checkout -- FILE takes over the commit's. Then call review_changes and submit again.", text.ListFirst(other, 20))
	return nil
}

// missed names in the report what tasks have shown and the commit does not hold:
// it was taken back, or thrown out.
func (t *turn) missed(committed []git.Change) {
	for _, task := range t.st.Tasks {
		for _, item := range task.Checklist {
			if item.Status == Done && !item.PreExisting && !evidence.Cites(t.s.project, item.Evidence, committed) {
				t.st.warn("task %s shows %q at %s, which the commit does not change", task.ID, item.Item, item.Evidence)
			}
		}
	}
}

// own returns the session's changes: what differs from its base commit, without
// what the user had changed before and the session left as it was.
func (t *turn) own(ctx context.Context) ([]git.Change, error) {
	if !t.st.Git {
		return t.plainChanges(ctx, t.st.Start.Manifest)
	}
	r, err := t.repo(ctx)
	if err != nil {
		return nil, err
	}
	all, err := taskbranch.Changes(ctx, r, t.st.Base)
	if err != nil {
		return nil, err
	}
	theirs, err := t.theirs(ctx, r)
	return slices.DeleteFunc(all, func(c git.Change) bool { return theirs[c.Path] && (c.OldPath == "" || theirs[c.OldPath]) }), err
}

// theirs returns the files that the user had changed before the session began,
// and that are still as the user left them.
func (t *turn) theirs(ctx context.Context, r *git.Repo) (map[string]bool, error) {
	left := make(map[string]bool)
	saved := t.st.Start.Tree // without a task branch nothing is committed, and the start is all there is
	var files []string
	if b := t.st.Branch; b != nil {
		if b.Backup == "" {
			return left, nil
		}
		saved, files = b.Backup, b.UserFiles
	} else {
		base := t.st.Base
		if base == "" { // before the first commit
			var err error
			if base, err = r.EmptyTree(ctx); err != nil {
				return nil, err
			}
		}
		before, err := r.Diff(ctx, base, saved)
		if err != nil {
			return nil, err
		}
		files = changedFiles(before)
	}
	since, err := taskbranch.ChangesSince(ctx, r, saved)
	if err != nil {
		return nil, err
	}
	touched := changedFiles(since)
	for _, f := range files {
		left[f] = !slices.Contains(touched, f)
	}
	return left, nil
}

// reviewed refuses a change that was not shown in full, as it is now.
func (t *turn) reviewed(ctx context.Context, changes []git.Change) error {
	if len(changes) == 0 {
		return nil
	}
	now, err := t.fingerprint(ctx)
	if err != nil {
		return err
	}
	switch {
	case t.st.Review == nil:
		return problem.New(ReviewMissing, "review_changes has not been called in this phase.", "Call review_changes and read the change.")
	case t.st.Review.Fingerprint != now:
		return problem.New(ReviewMissing, "The files have changed since review_changes showed them.", "Call review_changes again.")
	case !t.st.Review.Whole():
		return problem.New(ReviewMissing, fmt.Sprintf("review_changes has shown %d of %d pages.", len(t.st.Review.Delivered), t.st.Review.Pages),
			"Call review_changes with the cursor of the last page until it says that all were delivered.")
	}
	return nil
}

// decided sorts the changed files into those to keep and those to discard.
func (t *turn) decided(changes []git.Change, reviewed []reviewedFile) (keep, discard []string, err error) {
	var changed []string // as their reader can name them
	for _, f := range changedFiles(changes) {
		changed = append(changed, git.Shown(f))
	}
	decision := make(map[string]string)
	var strange []string
	for i, r := range reviewed {
		rel := r.Path // a changed link is named as it is, not by what it points to
		if !slices.Contains(changed, rel) {
			if rel, err = t.s.project.Resolve(r.Path); err != nil {
				return nil, nil, err
			}
		}
		if err := oneOf(fmt.Sprintf("reviewed_files[%d].decision", i), r.Decision, "keep", "discard"); err != nil {
			return nil, nil, err
		}
		if r.Decision == "discard" {
			if err := reasoned(fmt.Sprintf("reviewed_files[%d].reason", i), r.Reason); err != nil {
				return nil, nil, err
			}
		}
		if !slices.Contains(changed, rel) {
			strange = append(strange, r.Path)
		}
		if had, ok := decision[rel]; ok && had != r.Decision {
			return nil, nil, problem.New(ValidationFailed, fmt.Sprintf("reviewed_files names %s twice, once to be kept and once to be discarded.", r.Path), "Decide once for each file.")
		}
		decision[rel] = r.Decision
	}
	if len(strange) > 0 {
		return nil, nil, problem.New(UnlistedFiles, "reviewed_files names files that did not change: "+text.ListFirst(strange, 10)+".", "Changed are: "+text.ListFirst(changed, 50)+".")
	}
	var unlisted []string
	for _, c := range changes {
		switch decision[git.Shown(c.Path)] {
		case "keep":
			keep = append(keep, changedFiles([]git.Change{c})...)
		case "discard":
			discard = append(discard, changedFiles([]git.Change{c})...)
		default:
			unlisted = append(unlisted, git.Shown(c.Path))
		}
	}
	if len(unlisted) > 0 {
		return nil, nil, problem.New(UnlistedFiles, "reviewed_files lacks: "+text.ListFirst(unlisted, 20)+".",
			"List every changed file: its path keeps it, {path, decision: \"discard\", reason} does not.")
	}
	return keep, discard, nil
}

// commitFiles commits the files on the task branch. With none there is no commit.
func (t *turn) commitFiles(ctx context.Context, r *git.Repo, files []string, message string) error {
	if len(files) == 0 {
		return nil
	}
	shared := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !slices.Contains(t.st.Branch.UserFiles, f) })
	if len(shared) > 0 {
		t.st.warn("the commit holds changes that the user had made before: %s", text.ListFirst(shared, 20))
	}
	ref, err := taskbranch.Fold(ctx, r, *t.st.Branch, t.st.Tip, files)
	if err != nil {
		return err
	}
	if ref != "" {
		t.st.warn("commits that were not the server's were made part of its own; they are kept in %s", ref)
	}
	id, err := taskbranch.Commit(ctx, r, *t.st.Branch, files, message)
	if err != nil || id == "" || id == t.st.Tip {
		return err
	}
	return t.noteCommit(id)
}

// commitAll commits whatever the session changed.
func (t *turn) commitAll(ctx context.Context, message string) error {
	changes, err := t.own(ctx)
	if err != nil {
		return err
	}
	r, err := t.repo(ctx)
	if err != nil {
		return err
	}
	return t.commitFiles(ctx, r, changedFiles(changes), message)
}

// qualityReview takes the judgement of the committed change. The third finding
// in a session no longer leads back: the work is merged, with a warning.
func (t *turn) qualityReview(ctx context.Context, p qualityPayload) (answers, error) {
	if *p.QualityScore < 0 || *p.QualityScore > 100 {
		return nil, problem.New(PayloadMismatch, fmt.Sprintf("quality_score is %d.", *p.QualityScore), "Send a number from 0 to 100.")
	}
	if err := t.committed(ctx); err != nil {
		return nil, err
	}
	issues := slices.DeleteFunc(slices.Clone(p.Issues), func(i string) bool { return strings.TrimSpace(i) == "" })
	if len(issues) == 0 {
		return nil, nil
	}
	if t.st.Counts["quality_reverts"] >= 2 {
		t.st.warn("quality review still found: %s", strings.Join(issues, "; "))
	} else {
		t.st.Returned = "quality review found: " + strings.Join(issues, "; ")
	}
	return answers{"issues_found": true}, nil
}

// committed refuses to go on while the session has changes that are in no commit.
func (t *turn) committed(ctx context.Context) error {
	if !t.st.Git || t.st.Branch == nil {
		return nil
	}
	r, err := t.repo(ctx)
	if err != nil {
		return err
	}
	return t.committedIn(ctx, r)
}

// committedIn is committed wherever HEAD is.
func (t *turn) committedIn(ctx context.Context, r *git.Repo) error {
	tip, err := r.Resolve(ctx, "refs/heads/"+t.st.Branch.Name)
	if err != nil {
		return err
	}
	if tip != "" && tip != t.st.Tip { // "": a crash came right behind the merge
		return problem.New(UnreviewedCommits, fmt.Sprintf("The branch %s has commits that were never reviewed: it is at %s, and the server left it at %s.", t.st.Branch.Name, tip, t.st.Tip),
			`If they are meant: submit_phase(data={"back_to": "READY", "reason": …}) and plan them as a task; the review will show them.`,
			fmt.Sprintf("Else take them back: git reset --keep %s", t.st.Tip))
	}
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	open, err := taskbranch.Changes(ctx, r, head)
	if err != nil {
		return err
	}
	theirs, err := t.theirs(ctx, r)
	if err != nil {
		return err
	}
	files, err := t.arrived(ctx, r, tip, slices.DeleteFunc(changedFiles(open), func(f string) bool { return theirs[f] }))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return nil
	}
	return problem.New(UncommittedChanges, fmt.Sprintf("These files were edited after the commit: %s.", text.ListFirst(files, 20)),
		`If the edit is meant: submit_phase(data={"back_to": "READY", "reason": …}) and plan it as a task.`, "Else take it back.")
}

// merge brings the task branch into its base.
func (t *turn) merge(ctx context.Context, p mergePayload) (answers, error) {
	if !t.st.Git || t.st.Branch == nil {
		return nil, nil
	}
	r, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	// A crash in mid-merge may have left HEAD on the base already.
	on, err := r.CurrentBranch(ctx)
	if err != nil {
		return nil, err
	}
	if on == t.st.Branch.Base {
		err = t.committedIn(ctx, r)
	} else {
		err = t.committed(ctx)
	}
	if err != nil {
		return nil, err
	}
	if on != t.st.Branch.Base && t.st.GitSettings != nil { // a driver of somebody's could merge something else
		if _, err := t.gitSettings(ctx); err != nil {
			return nil, err
		}
	}
	if t.outcome(nil) == Completed {
		t.learn(ctx)
	}
	t.merged, err = t.mergeWith(ctx, r, "Merge "+t.st.Branch.Name+"\n\n"+p.Summary)
	var conflict *taskbranch.Conflict
	if errors.As(err, &conflict) {
		return nil, problem.New(taskbranch.MergeConflict, fmt.Sprintf("%s and %s change the same lines: %s. Nothing was touched.", t.st.Branch.Name, t.st.Branch.Base, text.ListFirst(conflict.Files, 20)),
			`When the base has changed again, try once more: submit_phase(data={"summary": …}).`,
			`Solve it as a task: submit_phase(data={"back_to": "READY", "reason": …}).`,
			`Give up: submit_phase(data={"abort": true, "reason": …}); the branch is kept.`)
	}
	return nil, err
}

// takeBase brings a base that has moved on into the task branch. Where both have
// changed the same lines, bringing them together becomes a task.
func (t *turn) takeBase(ctx context.Context) error {
	if t.st.Branch == nil {
		return nil
	}
	r, err := t.repo(ctx)
	if err != nil {
		return err
	}
	unapproved, err := t.unapproved(ctx)
	if err != nil {
		return err
	}
	if err := t.gitUnchanged(ctx); err != nil {
		return err
	}
	b, conflicts, err := taskbranch.TakeBase(ctx, r, *t.st.Branch)
	if err != nil || b.BaseCommit == t.st.Branch.BaseCommit {
		return err
	}
	if t.st.Tip, err = r.Head(ctx); err != nil {
		return err
	}
	t.st.Branch, t.st.Base = &b, b.BaseCommit
	t.st.Conflicts, t.st.ConflictTask = conflicts, ""
	t.st.Returned += fmt.Sprintf(". %s was merged into the task branch", b.Base)
	if len(conflicts) > 0 {
		t.st.Returned += "; both change the same lines in " + text.ListFirst(conflicts, 20) + ", which now hold conflict markers"
	}
	t.st.Unapproved = unapproved
	if t.st.GitSettings, err = r.Settings(ctx); err != nil { // the base may bring files that a sparse checkout leaves out
		return err
	}
	t.st.Start, err = t.mark(ctx)
	return err
}

// conflictTask is the task that brings base and task together, beside those that are
// planned.
func (t *turn) conflictTask(planned []Task) Task {
	id := "merge_conflict"
	for n := 2; t.st.task(id) != nil || slices.ContainsFunc(planned, func(k Task) bool { return k.ID == id }); n++ {
		id = fmt.Sprintf("merge_conflict_%d", n)
	}
	task := Task{ID: id, Description: "Bring together what " + t.st.Branch.Base + " and the task changed in the same lines", Status: Pending}
	for _, f := range t.st.Conflicts {
		task.Checklist = append(task.Checklist, Item{Item: f + ": no conflict markers, both changes kept", Status: Pending})
	}
	return task
}

// end closes the session after its last phase.
func (t *turn) end(ctx context.Context, from phase.ID, given answers) error {
	st := t.st
	st.Outcome, st.EndedIn = t.outcome(given), from
	switch {
	case st.Outcome == CompletedUnverified:
		st.warn("verification failed %d times; the work was not merged", st.Verify.Rounds)
	case st.Flags.OnlyVerify && !st.Verify.Passed:
		st.warn("verification failed: %s", text.Clip(st.Verify.Details, 500))
	case st.Outcome == Completed:
		t.learn(ctx)
	}
	return t.entered(ctx, from)
}

// outcome says how the session ends, if its last phase answered so.
func (t *turn) outcome(given answers) Outcome {
	st := t.st
	switch {
	case st.Outcome != "":
		return st.Outcome
	case given["unverified"]:
		return CompletedUnverified
	case st.Flags.OnlyVerify && !st.Verify.Passed, st.Accepted, given["issues_found"]:
		return CompletedWithWarnings
	case slices.ContainsFunc(st.Warnings, func(w string) bool { return strings.HasPrefix(w, "quality review still found") }):
		return CompletedWithWarnings
	}
	return Completed
}

// report says how the session ended.
func (t *turn) report(ctx context.Context) *Report {
	st := t.st
	r := &Report{
		Summary: t.summary, Tasks: st.Tasks, Findings: st.Findings, Impact: st.Impact, Commits: st.Commits,
		Merged: t.merged, Agreement: st.agreed(), Warnings: st.Warnings, Decisions: withoutGates(st.Decisions), Phases: st.summaries(), Enforcement: t.level(),
	}
	var files []string
	for _, task := range st.Tasks {
		files = append(files, task.Files...)
	}
	r.Files = distinct(files, nil)
	t.reportVerification(r)
	if st.Outcome == Completed || st.Outcome == CompletedWithWarnings {
		return r
	}
	if st.Branch != nil {
		r.TaskBranch = st.Branch.Name
		r.GoOn = []string{
			fmt.Sprintf("git diff %s...%s", st.Branch.Base, st.Branch.Name),
			fmt.Sprintf("git switch %s, to go on by hand", st.Branch.Name),
			fmt.Sprintf("git switch %s, to leave it", st.Branch.Base),
		}
	} else if st.Git && !st.explorationOnly() {
		r.GoOn = []string{"git diff, to see what was left in the working tree"}
	}
	if st.Reason != "" {
		r.Summary = strings.TrimSpace(st.Reason + "\n" + r.Summary)
	}
	return r
}
