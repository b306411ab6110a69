package service

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"codeintel/internal/clients/registry"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// wrongClaim returns what is wrong with a claim of a task to have changed a file.
func (t *turn) wrongClaim(ctx context.Context, k engine.Ticket, id, file string,
	changed map[string]bool) []artifact.Finding {
	name := "impl-" + id + ".md"
	if !changed[file] {
		return []artifact.Finding{t.unchangedFinding(ctx, name, file)}
	}
	if other := t.ownerOf(file, id, k.Tasks); other != "" {
		why := msg.New("pipeline.claims_file_of_parallel_task", name, file, other)
		return []artifact.Finding{{Severity: artifact.Critical, Description: why}}
	}
	return nil
}

// reportTasks takes what implementers report, each by itself.
func (t *turn) reportTasks(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	now, err := t.changes(ctx, k)
	if err != nil {
		return err
	}
	var reports []taskReport
	var missing []msg.Message
	var claims []string // of all tasks
	for i, id := range k.Tasks {
		name := "impl-" + id + ".md"
		got, err := t.readArtifact(ctx, k, name)
		if err != nil {
			return err
		}
		if !got.why.IsZero() {
			missing = append(missing, got.why)
			continue
		}
		report, err := t.checkReport(ctx, k, taskReport{task: t.st.Task(id), share: r.share(i, len(k.Tasks)),
			file: name}, got.text, now)
		if err != nil {
			return err
		}
		reports, claims = append(reports, report), append(claims, report.claims...)
	}
	if len(reports) == 0 {
		t.notDone(a, textformat.Sentences(missing...), engine.NotValidCheckpoint)
		return nil
	}
	undeclared, err := t.undeclared(ctx, k, claims, now)
	if err != nil {
		return err
	}
	a.Warning = textformat.Sentences(missing...)
	before := t.st.Task(k.Tasks[0]).CheckFindings
	t.acceptTasks(k, a, reports, undeclared, now.since)
	if len(k.Tasks) == 1 && onlyUnlisted(before) && onlyUnlisted(a.Findings) && t.st.Pause == nil {
		return t.askAbout(ctx, undeclared, nil) // it is the user's, perhaps
	}
	return nil
}

// onlyUnlisted reports whether a report was refused for files alone that it does not list.
func onlyUnlisted(found []artifact.Finding) bool {
	return artifact.Blocks(found) && !slices.ContainsFunc(found, func(f artifact.Finding) bool {
		return f.Severity == artifact.Critical && !f.Description.Is("pipeline.changed_but_does_not_list")
	})
}

// A changes is what the tree holds and no commit of ours does, as sets of files.
type changes struct {
	since   map[string]bool // all of it
	brought map[string]bool // as the base branch has it

	// What a task may have been worked on in before it was handed out: neither the user nor the
	// base branch has changed it. Who claims it has it committed and reviewed with the task.
	early map[string]bool
}

func (t *turn) changes(ctx context.Context, k engine.Ticket) (c changes, err error) {
	c.since, err = t.changedSince(ctx, cmp.Or(t.lastKnownCommit(), k.Head))
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		c.since, err = t.changedSince(ctx, k.Head)
	}
	if err != nil {
		return c, err
	}
	if c.brought, err = t.broughtByBase(ctx); err != nil || len(t.st.UserFiles) >= maxUserFiles {
		return c, err
	}
	c.early = make(map[string]bool)
	for f := range c.since {
		c.early[f] = !c.brought[f] && !t.usersOwn(f)
	}
	return c, nil
}

// A taskReport is what an implementer reports of one task.
type taskReport struct {
	task   *engine.Task
	share  report // its part of what the agents took
	file   string // that holds it
	claims []string
	found  []artifact.Finding // what is wrong with it
}

// checkReport reads the report of a task and checks what it claims against the files.
func (t *turn) checkReport(ctx context.Context, k engine.Ticket, r taskReport, content string,
	now changes) (taskReport, error) {
	impl, wrong := artifact.ParseImpl(content)
	r.claims = impl.Files
	r.found = artifact.UniqueFindings(artifact.Findings(r.file, append(artifact.Check(string(k.Phase), content), wrong...)))
	changed, err := t.changedSince(ctx, r.task.Base)
	if err != nil {
		return r, err
	}
	if len(impl.Files) == 0 {
		lacks, err := t.checkNoChange(ctx, r.task, impl.NoChange, now)
		r.found = append(r.found, lacks...)
		return r, err
	}
	for _, f := range impl.Files {
		changed[f] = changed[f] || now.early[f] || slices.Contains(r.task.Claimed, f)
		r.found = append(r.found, t.wrongClaim(ctx, k, r.task.ID, f, changed)...)
	}
	for _, f := range slices.Concat(impl.Files, text.Without(r.task.Files, impl.Files)) {
		if changed[f] {
			r.found = append(r.found, t.leadsOut(r.file, f)...)
		}
	}
	left, err := t.leftoverFindings(ctx, r.file, impl.Files, artifact.ParseKept(content))
	if r.found = append(r.found, left...); err != nil {
		return r, err
	}
	remarks, err := t.onlyRemarks(ctx, r.task, impl.Files)
	r.found = append(r.found, remarks...)
	return r, err
}

// undeclared returns the files, sorted, that were changed since the tasks began, are in
// no commit, and that no task claims. Of several tasks that run at the same time, each
// may change what another one declares.
func (t *turn) undeclared(ctx context.Context, k engine.Ticket, claims []string,
	now changes) ([]string, error) {
	declared := make(map[string]bool)
	for _, f := range claims {
		declared[f] = true
	}
	for _, id := range k.Tasks {
		for _, f := range t.st.Task(id).Files {
			declared[f] = declared[f] || len(k.Tasks) > 1
		}
	}
	var files []string
	for _, id := range k.Tasks {
		began, err := t.changedSince(ctx, t.st.Task(id).Round)
		if err != nil {
			return nil, err
		}
		for f := range began {
			if now.since[f] && !declared[f] && !now.brought[f] {
				files = append(files, f)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// unchangedFinding is the finding about a file that a report claims and git sees no change of.
func (t *turn) unchangedFinding(ctx context.Context, report, file string) artifact.Finding {
	what := msg.New("pipeline.claims_which_before_task_began", report, file)
	if len(plancheck.Ignored(ctx, t.Repo, file)) > 0 {
		what = msg.New("pipeline.claims_an_ignored_file", report, file)
	}
	return artifact.Finding{Severity: artifact.Critical, Description: what}
}

// ownerOf returns which other task of a batch declares a file that the task itself
// does not, "" if none does.
func (t *turn) ownerOf(file, id string, batch []string) string {
	if slices.Contains(t.st.Task(id).Files, file) {
		return ""
	}
	for _, other := range batch {
		if slices.Contains(t.st.Task(other).Files, file) {
			return other
		}
	}
	return ""
}

// checkNoChange holds a report that says that a task needs no change, because all that it
// asks for is there, against the tree and against what it asks for. Whether it is
// so, the review says.
func (t *turn) checkNoChange(ctx context.Context, k *engine.Task, reasons []string,
	now changes) ([]artifact.Finding, error) {
	critical := func(key string, args ...any) ([]artifact.Finding, error) {
		return []artifact.Finding{artifact.NewCritical(key, args...)}, nil
	}
	if len(reasons) == 0 {
		return critical("pipeline.task_has_changed_nothing", k.ID)
	}
	touched, err := t.changedSince(ctx, k.Round)
	if err != nil {
		return nil, err
	}
	for _, f := range k.Files {
		if touched[f] && !now.brought[f] || now.early[f] {
			return critical("pipeline.impl_md_says_nothing_changed", k.ID, f)
		}
	}
	if n := max(1, len(t.reviewProof().Planned()[k.ID].Acceptance)); len(reasons) < n {
		return critical("pipeline.impl_md_accounts_acceptance_criteria", k.ID, len(reasons), n, k.ID)
	}
	places, _ := artifact.Mentions(strings.Join(reasons, "\n\n"))
	for _, f := range places {
		if info, err := os.Stat(t.s.project.Abs(path.Clean(f))); err == nil && info.Mode().IsRegular() && !workspace.IsOwnFile(f) {
			return nil, nil
		}
	}
	return critical("pipeline.impl_without_change_names_no_file", k.ID)
}

// acceptTasks takes the reports that hold. The rest is handed out again.
func (t *turn) acceptTasks(k engine.Ticket, a *ReportAnswer, reports []taskReport, undeclared []string,
	since map[string]bool) {
	single := len(k.Tasks) == 1
	finding := func(severity, key string, args ...any) artifact.Finding {
		return artifact.Finding{Severity: severity, Description: msg.New(key, args...)}
	}
	var files, accepted, written []string
	for _, r := range reports {
		task, found := r.task, r.found
		written = append(written, r.file)
		if single {
			for _, f := range undeclared {
				found = append(found, finding(artifact.Critical, "pipeline.changed_but_does_not_list", artifact.Spelled(f), r.file))
			}
		}
		for _, f := range r.claims {
			switch unplanned := !slices.Contains(task.Files, f); {
			case unplanned && registry.All.Steers(f) && !strings.Contains(t.st.Request, f):
				found = append(found, finding(artifact.Critical, "pipeline.task_changed_what_steers_agents", task.ID, f))
			case unplanned && len(task.Files) > 0:
				found = append(found, finding(artifact.Minor, "pipeline.task_changed_which_tasks_md", task.ID, f))
			}
		}
		for _, f := range t.missing(task.ID) {
			found = append(found, finding(artifact.Minor, "pipeline.new_file_is_missing", f, task.ID))
		}
		a.Findings = append(a.Findings, found...)
		if artifact.Blocks(found) {
			task.CheckFindings = found
			continue
		}
		claims := slices.Clone(r.claims)
		for _, f := range text.Without(task.Files, claims) {
			if since[f] && !single {
				claims = append(claims, f)
			}
		}
		t.log(k, task.ID, r.share, "")
		t.st.Implement(task.ID, claims)
		accepted = append(accepted, task.ID)
		files = append(files, claims...)
	}
	if !single {
		for _, f := range undeclared {
			a.Findings = append(a.Findings, finding(artifact.Minor, "pipeline.changed_but_no_task_batch", f))
		}
	}
	a.Artifact = strings.Join(written, ", ")
	if len(accepted) == 0 {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		t.st.CheckFindings = nil
		return
	}
	slices.Sort(files)
	t.st.Ticket, t.st.Attempts = nil, 0
	t.st.Commit = &engine.Commit{Files: slices.Compact(files), Tasks: accepted, Message: t.commitMessage(accepted)}
	a.Updated, a.Display = true, msg.New("pipeline.implemented_task", strings.Join(accepted, ", "))
	if len(accepted) == len(k.Tasks) {
		a.Hint = proceed
	} else {
		a.Display = msg.New("pipeline.others_are_handed_out_again", a.Display)
	}
}
