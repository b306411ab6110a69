package service

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
)

// wrongClaim returns what is wrong with a claim of a task to have changed a file.
func (t *turn) wrongClaim(ctx context.Context, k engine.Ticket, id, file string, changed map[string]bool) []artifact.Finding {
	name := "impl-" + id + ".md"
	if !changed[file] {
		return []artifact.Finding{t.unchangedFinding(ctx, name, file)}
	}
	if other := t.ownerOf(file, id, k.Tasks); other != "" {
		why := msg.New("pipeline.claims_which_task_change_at", name, file, other)
		return []artifact.Finding{{Severity: artifact.Critical, Description: why}}
	}
	return nil
}

// reportTasks takes what implementers report, each by itself.
func (t *turn) reportTasks(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	reports, missing := make(map[string]artifactReading), []msg.Message{}
	for _, id := range k.Tasks {
		got, err := t.readArtifact(k, "impl-"+id+".md")
		if err != nil {
			return err
		}
		if !got.why.IsZero() {
			missing = append(missing, got.why)
			continue
		}
		reports[id] = got
	}
	if len(reports) == 0 {
		t.notDone(a, sentences(missing...), engine.NotValidCheckpoint)
		return nil
	}
	claims, all := make(map[string][]string), make(map[string]bool)
	blocked := make(map[string][]artifact.Finding)
	for _, id := range k.Tasks {
		got, ok := reports[id]
		if !ok {
			continue
		}
		name := "impl-" + id + ".md"
		impl, wrong := artifact.ParseImpl(got.text)
		found := artifact.Findings(name, append(artifact.Check(string(k.Phase), got.text), wrong...))
		found = uniqueFindings(found)
		changed, err := t.changedSince(ctx, t.st.Task(id).Base)
		if err != nil {
			return err
		}
		if len(impl.Files) == 0 {
			lacks, err := t.checkNoChange(ctx, t.st.Task(id), impl.NoChange)
			if err != nil {
				return err
			}
			found = append(found, lacks...)
		}
		for _, f := range impl.Files {
			found = append(found, t.wrongClaim(ctx, k, id, f, changed)...)
			all[f] = true
		}
		claims[id], blocked[id] = impl.Files, found
	}
	since, err := t.changedSince(ctx, cmp.Or(t.lastKnownCommit(), k.Head)) // what is not in a commit of ours
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		since, err = t.changedSince(ctx, k.Head)
	}
	if err != nil {
		return err
	}
	var undeclared []string
	for _, id := range k.Tasks {
		began, err := t.changedSince(ctx, t.st.Task(id).Round)
		if err != nil {
			return err
		}
		for f := range began {
			declared := all[f] || !since[f] || slices.Contains(undeclared, f)
			for _, other := range k.Tasks {
				declared = declared || len(k.Tasks) > 1 && slices.Contains(t.st.Task(other).Files, f)
			}
			if !declared {
				undeclared = append(undeclared, f)
			}
		}
	}
	slices.Sort(undeclared)
	return t.acceptTasks(k, r, a, taskReports{reports, claims, blocked, undeclared, missing, since})
}

// unchangedFinding is the finding about a file that a report claims and git sees no change of.
func (t *turn) unchangedFinding(ctx context.Context, report, file string) artifact.Finding {
	if t.ignored(ctx, file) {
		return artifact.Finding{Severity: artifact.Critical, Description: msg.New("pipeline.claims_which_git_ignores_so", report, file)}
	}
	return artifact.Finding{Severity: artifact.Critical, Description: msg.New("pipeline.claims_which_before_task_began", report, file)}
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
func (t *turn) checkNoChange(ctx context.Context, k *engine.Task, reasons []string) ([]artifact.Finding, error) {
	critical := func(key string, args ...any) ([]artifact.Finding, error) {
		return []artifact.Finding{{Severity: artifact.Critical, Description: msg.New(key, args...)}}, nil
	}
	if len(reasons) == 0 {
		return critical("pipeline.task_changed_nothing_do_what", k.ID)
	}
	touched, err := t.changedSince(ctx, k.Round)
	if err != nil {
		return nil, err
	}
	for _, f := range k.Files {
		if touched[f] {
			return critical("pipeline.impl_md_says_nothing_changed", k.ID, f)
		}
	}
	text, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return nil, err
	}
	tasks, _ := artifact.ParseTasks(text)
	for _, task := range tasks {
		if n := len(task.Acceptance); task.ID == k.ID && len(reasons) < n {
			return critical("pipeline.impl_md_accounts_acceptance_criteria", k.ID, len(reasons), n, k.ID)
		}
	}
	places, _ := artifact.Mentions(strings.Join(reasons, "\n\n"))
	for _, f := range places {
		if info, err := os.Stat(t.s.project.Abs(path.Clean(f))); err == nil && info.Mode().IsRegular() && !ours(f) {
			return nil, nil
		}
	}
	return critical("pipeline.impl_md_says_nothing_changed_2", k.ID)
}

// A taskReports is what was found of the reports of a batch.
type taskReports struct {
	reports    map[string]artifactReading
	claims     map[string][]string
	blocked    map[string][]artifact.Finding
	undeclared []string
	missing    []msg.Message
	since      map[string]bool
}

func (t *turn) acceptTasks(k engine.Ticket, r report, a *ReportAnswer, got taskReports) error {
	single := len(k.Tasks) == 1
	var files, accepted, written []string
	for i, id := range k.Tasks {
		if _, ok := got.reports[id]; !ok {
			continue
		}
		task, name, found := t.st.Task(id), "impl-"+id+".md", got.blocked[id]
		written = append(written, name)
		if single {
			for _, f := range got.undeclared {
				found = append(found, artifact.Finding{Severity: artifact.Critical, Description: msg.New("pipeline.changed_but_does_not_list", f, name)})
			}
		}
		for _, f := range got.claims[id] {
			if !slices.Contains(task.Files, f) && len(task.Files) > 0 {
				found = append(found, artifact.Finding{Severity: artifact.Minor, Description: msg.New("pipeline.task_changed_which_tasks_md", id, f)})
			}
		}
		a.Findings = append(a.Findings, findings(found)...)
		if artifact.Blocks(found) {
			task.CheckFindings = findings(found)
			continue
		}
		t.log(k, id, r.share(i, len(k.Tasks)), "")
		t.st.Implement(id, got.claims[id])
		accepted = append(accepted, id)
		files = append(files, got.claims[id]...)
		for _, f := range task.Files {
			if got.since[f] && !single {
				files = append(files, f)
			}
		}
	}
	if !single {
		for _, f := range got.undeclared {
			a.Findings = append(a.Findings, engine.Finding{Severity: engine.Minor, Description: msg.New("pipeline.changed_but_no_task_batch", f)})
		}
	}
	a.Artifact = strings.Join(written, ", ")
	a.Warning = sentences(got.missing...)
	if len(accepted) == 0 {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		t.st.CheckFindings = nil
		return nil
	}
	slices.Sort(files)
	t.st.Ticket, t.st.Attempts = nil, 0
	t.st.Commit = &engine.Commit{Files: slices.Compact(files), Tasks: accepted, Message: t.commitMessage(accepted)}
	a.Updated, a.Display = true, msg.New("pipeline.implemented_task", strings.Join(accepted, ", "))
	if len(accepted) == len(k.Tasks) {
		a.Hint = Proceed
	} else {
		a.Display = msg.New("pipeline.others_handed_out_again_after", a.Display)
	}
	return nil
}

func uniqueFindings(all []artifact.Finding) (list []artifact.Finding) {
	for _, f := range all {
		if !slices.ContainsFunc(list, func(o artifact.Finding) bool { return o.Severity == f.Severity && o.Description.Equal(f.Description) }) {
			list = append(list, f)
		}
	}
	return list
}
