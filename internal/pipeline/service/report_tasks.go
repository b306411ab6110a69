package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
)

// reportTasks takes what implementers report, each by itself.
func (t *turn) reportTasks(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	reports, missing := make(map[string]artifactReading), []string{}
	for _, id := range k.Tasks {
		got, err := t.readArtifact(k, "impl-"+id+".md")
		if err != nil {
			return err
		}
		if got.why != "" {
			missing = append(missing, got.why)
			continue
		}
		reports[id] = got
	}
	if len(reports) == 0 {
		t.notDone(a, strings.Join(missing, " "), engine.NotValidCheckpoint)
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
			switch other := t.ownerOf(f, id, k.Tasks); {
			case !changed[f]:
				found = append(found, t.unchangedFinding(ctx, name, f))
			case other != "":
				found = append(found, artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s claims %s, which is for task %s to change, at the same time; leave it to that task.", name, f, other)})
			}
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
		return artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s claims %s, which git ignores, so that it gets into no commit; leave it out.", report, file)}
	}
	return artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s claims %s, which is as it was before the task began.", report, file)}
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
	critical := func(format string, args ...any) ([]artifact.Finding, error) {
		return []artifact.Finding{{Severity: artifact.Critical, Description: fmt.Sprintf(format, args...)}}, nil
	}
	if len(reasons) == 0 {
		return critical("Task %s has changed nothing; do what it asks for, and list the files. If all of it is there already, say so below a heading \"## No Change\": for each acceptance criterion one item that names the place where it is met.", k.ID)
	}
	touched, err := t.changedSince(ctx, k.Round)
	if err != nil {
		return nil, err
	}
	for _, f := range k.Files {
		if touched[f] {
			return critical("impl-%s.md says that nothing is to be changed, but %s was changed since the task was begun: list it, or undo the change.", k.ID, f)
		}
	}
	text, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return nil, err
	}
	tasks, _ := artifact.ParseTasks(text)
	for _, task := range tasks {
		if n := len(task.Acceptance); task.ID == k.ID && len(reasons) < n {
			return critical("impl-%s.md accounts for %d of the %d acceptance criteria of task %s; below \"## No Change\", each has an item of its own.", k.ID, len(reasons), n, k.ID)
		}
	}
	places, _ := artifact.Mentions(strings.Join(reasons, "\n\n"))
	for _, f := range places {
		if info, err := os.Stat(t.s.project.Abs(path.Clean(f))); err == nil && info.Mode().IsRegular() && !ours(f) {
			return nil, nil
		}
	}
	return critical("impl-%s.md says that nothing is to be changed and names no file of the repository; say in which, as `main.go`, each acceptance criterion is met.", k.ID)
}

// A taskReports is what was found of the reports of a batch.
type taskReports struct {
	reports    map[string]artifactReading
	claims     map[string][]string
	blocked    map[string][]artifact.Finding
	undeclared []string
	missing    []string
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
				found = append(found, artifact.Finding{Severity: artifact.Critical, Description: fmt.Sprintf("%s was changed, but %s does not list it: list it, or undo the change.", f, name)})
			}
		}
		for _, f := range got.claims[id] {
			if !slices.Contains(task.Files, f) && len(task.Files) > 0 {
				found = append(found, artifact.Finding{Severity: artifact.Minor, Description: fmt.Sprintf("Task %s changed %s, which tasks.md does not give it.", id, f)})
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
			a.Findings = append(a.Findings, engine.Finding{Severity: engine.Minor, Description: f + " was changed, but no task of the batch declares it; it is not committed."})
		}
	}
	a.Artifact = strings.Join(written, ", ")
	a.Warning = strings.Join(got.missing, " ")
	if len(accepted) == 0 {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		t.st.CheckFindings = nil
		return nil
	}
	slices.Sort(files)
	t.st.Ticket, t.st.Attempts = nil, 0
	t.st.Commit = &engine.Commit{Files: slices.Compact(files), Tasks: accepted, Message: t.commitMessage(accepted)}
	a.Updated, a.Display = true, "Implemented: task "+strings.Join(accepted, ", ")+"."
	if len(accepted) == len(k.Tasks) {
		a.Hint = Proceed
	} else {
		a.Display += " The others are handed out again."
	}
	return nil
}

func uniqueFindings(all []artifact.Finding) (list []artifact.Finding) {
	for _, f := range all {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}
