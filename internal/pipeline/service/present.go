package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
)

// maxPresent is how many findings, or files, a digest names.
const maxPresent = 15

// present is the digest of a checkpoint: what is to be decided, and what speaks
// for and against.
func (t *turn) present(ctx context.Context, name string) (string, error) {
	var b strings.Builder
	if p := t.st.Pause; p != nil {
		fmt.Fprintf(&b, "## %s\n\n%s\n", engine.Label(t.s.table, t.st.Phase), p.Text)
		t.presentOptions(&b, name)
		return b.String(), nil
	}
	id := phase.ID(name)
	fmt.Fprintf(&b, "## %s\n\n", engine.Label(t.s.table, id))
	switch id {
	case engine.CheckpointA, "checkpoint-design":
		fmt.Fprintf(&b, "Decision needed: is the design in %s/design.md what you want?\n", t.w.Path())
		t.presentReview(&b, engine.DesignReview)
		t.presentPlan(&b)
	case engine.CheckpointB, "checkpoint-tasks":
		fmt.Fprintf(&b, "Decision needed: may the tasks in %s/tasks.md be implemented?\n", t.w.Path())
		t.presentReview(&b, engine.TasksReview)
		t.presentTasks(&b)
	case engine.CheckpointImpl:
		b.WriteString("Decision needed: these tasks failed their code review again and again. Approve takes the code as it is; guide has it implemented again with what you say.\n")
		for _, k := range t.st.Tasks {
			if k.Status == engine.TaskFailed && k.Review != nil {
				fmt.Fprintf(&b, "\nTask %s, %s: %s\n", k.ID, k.Title, k.Review.Verdict)
				writeFindings(&b, k.Review.Findings)
			}
		}
	case engine.CheckpointVerify:
		b.WriteString("Decision needed: the final verification failed again and again. Approve goes on as it is; guide makes one more task with what you say.\n")
		t.presentReview(&b, engine.FinalVerification)
	case engine.PostToSource:
		fmt.Fprintf(&b, "Decision needed: shall %s/summary.md be posted to %s?\n", t.w.Path(), t.st.Source.URL)
		if text, err := t.w.Read(engine.SummaryFile); err == nil {
			b.WriteString("\n" + cutLines(text, 40) + "\n")
		} else if !errors.Is(err, fs.ErrNotExist) && problem.Of(err) == nil {
			return "", err
		}
	}
	if slices.Contains([]phase.ID{"checkpoint-design", "checkpoint-tasks"}, id) {
		b.WriteString("\nIt was rejected as often as it may be. Approve takes it as it is; guide has it done once more with what you say.\n")
	}
	if err := t.presentDiff(ctx, &b); err != nil {
		return "", err
	}
	t.presentOptions(&b, name)
	return b.String(), nil
}

func (t *turn) presentOptions(b *strings.Builder, name string) {
	words := engine.Options(name)
	fmt.Fprintf(b, "\nAnswer with one of: %s. What you write after the word is passed on to the agents.", strings.Join(words, ", "))
	if engine.CanAbandon(name) {
		b.WriteString(" \"abandon\" gives the pipeline up for good.")
	}
	b.WriteString("\n")
	if t.st.HeldAnswer != "" {
		fmt.Fprintf(b, "\nKept from the last answer, and passed on with the next: %s\n", t.st.HeldAnswer)
	}
}

func (t *turn) presentReview(b *strings.Builder, id phase.ID) {
	j, ok := t.st.Reviews[id]
	if !ok {
		b.WriteString("\nVerdict: none; no review is made at this effort.\n")
		writeFindings(b, t.st.Notes)
		return
	}
	fmt.Fprintf(b, "\nVerdict: %s\n", j.Verdict)
	writeFindings(b, j.Findings)
	if j.Verdict == string(artifact.Revise) {
		b.WriteString("\nThe revisions that are allowed are used up.\n")
	}
}

func writeFindings(b *strings.Builder, all []engine.Finding) {
	if len(all) == 0 {
		b.WriteString("Findings: none\n")
		return
	}
	b.WriteString("Findings:\n")
	for i, f := range all {
		if i == maxPresent {
			fmt.Fprintf(b, "- … and %d more\n", len(all)-i)
			return
		}
		fmt.Fprintf(b, "- **[%s]** %s\n", f.Severity, text.Clip(text.OneLine(f.Description), 300))
	}
}

// presentPlan names the files that the design is about.
func (t *turn) presentPlan(b *strings.Builder) {
	content, err := t.w.Read(engine.DesignFile)
	if err != nil {
		return // the reader sees that it is not there
	}
	files, _ := artifact.Mentions(content)
	if len(files) > 0 {
		fmt.Fprintf(b, "\nFiles that it names: %s\n", text.ListFirst(files, maxPresent))
	}
	b.WriteString("\nThe design begins:\n\n" + quote(cutLines(content, 15)) + "\n")
}

func (t *turn) presentTasks(b *strings.Builder) {
	content, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return
	}
	tasks, _ := artifact.ParseTasks(content)
	b.WriteString("\nTasks:\n")
	for i, k := range tasks {
		if i == maxPresent {
			fmt.Fprintf(b, "- … and %d more\n", len(tasks)-i)
			break
		}
		var files []string
		for _, f := range k.Files {
			files = append(files, f.Path)
		}
		fmt.Fprintf(b, "- %s: %s (%s; %s)\n", k.ID, text.OneLine(k.Title), k.Mode, text.ListFirst(files, maxPresent))
	}
}

// presentDiff says how much has changed since the pipeline began.
func (t *turn) presentDiff(ctx context.Context, b *strings.Builder) error {
	if t.st.BaseCommit == "" {
		return nil
	}
	head, err := t.head(ctx)
	if err != nil {
		return err
	}
	if head == t.st.BaseCommit {
		b.WriteString("\nChanged so far: nothing\n")
		return nil
	}
	changes, err := t.repo.Diff(ctx, t.st.BaseCommit, head)
	if e := (*git.Error)(nil); errors.As(err, &e) {
		return nil // the base is gone: somebody has rewritten history
	}
	if err != nil {
		return err
	}
	out, err := t.repo.Run(ctx, "diff", "--shortstat", "--no-ext-diff", t.st.BaseCommit, head)
	if err != nil {
		return err
	}
	var files []string
	for _, c := range changes {
		files = append(files, c.Path)
	}
	fmt.Fprintf(b, "\nChanged so far:%s\n%s\n", strings.TrimRight(out, "\n"), text.ListFirst(files, maxPresent))
	return nil
}

// presentGate is what a person is asked to do elsewhere.
func (t *turn) presentGate(id string) (string, error) {
	var b strings.Builder
	if task := t.st.Task(id); task != nil {
		fmt.Fprintf(&b, "## Task %s: %s\n\nThis can only be done by a person.\n", task.ID, task.Title)
		if task.Text != "" {
			b.WriteString("\n" + cutLines(task.Text, 40) + "\n")
		}
		b.WriteString("\nAnswer done when it is done, skip to go on without it, or abandon to give the pipeline up for good.\n")
		return b.String(), nil
	}
	tracker := map[string]string{"jira_issue": "Jira", "linear_issue": "Linear"}[t.st.Source.Type]
	fmt.Fprintf(&b, "## Post to Source\n\nPost the content of %s/summary.md as a comment on %s (%s), with the %s tool that this client has, or by hand.\n\nAnswer done when it is posted, skip to go on without it, or abandon.\n",
		t.w.Path(), t.st.Source.ID, t.st.Source.URL, tracker)
	return b.String(), nil
}

// command is the argument vector of a phase that runs one.
func (t *turn) command(ctx context.Context, id phase.ID) ([]string, error) {
	if id == engine.PostToSource {
		return []string{"gh", "issue", "comment", t.st.Source.URL, "--body-file", t.w.Path() + "/" + engine.SummaryFile}, nil
	}
	argv := []string{"gh", "pr", "create", "--title", fmt.Sprintf("%s: %s", t.kind(), t.st.SpecName), "--body", t.pullBody(), "--head", t.st.Branch}
	if t.st.BaseBranch != "" && t.st.BaseBranch != t.st.Branch {
		argv = append(argv, "--base", t.st.BaseBranch)
	}
	return argv, nil
}

// pullBody describes the pull request.
func (t *turn) pullBody() string {
	var b strings.Builder
	if text, err := t.w.Read(engine.DesignFile); err == nil {
		b.WriteString("## Design\n\n" + cutLines(section(text), 30) + "\n\n")
	}
	b.WriteString("## Tasks\n\n")
	for _, k := range t.st.Tasks {
		mark := "x"
		if k.Status == engine.TaskSkipped {
			mark = " "
		}
		fmt.Fprintf(&b, "- [%s] %s: %s\n", mark, k.ID, text.OneLine(k.Title))
	}
	fmt.Fprintf(&b, "\nSpecification: `%s`\n", t.w.Path())
	switch t.st.Source.Type {
	case "github_issue":
		fmt.Fprintf(&b, "\nCloses %s\n", t.st.Source.URL)
	case "jira_issue", "linear_issue":
		fmt.Fprintf(&b, "\nCloses %s (%s)\n", t.st.Source.ID, t.st.Source.URL)
	}
	return b.String()
}
