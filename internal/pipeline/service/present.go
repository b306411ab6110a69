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
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
	"codeintel/internal/workflow/phase"
)

// maxPresent is how many findings, or files, a digest names.
const maxPresent = 15

// present is the digest of a checkpoint: what is to be decided, and what speaks
// for and against.
func (t *turn) present(ctx context.Context, name string) (msg.Message, error) {
	d := new(digest)
	if p := t.st.Pause; p != nil {
		d.heading(engine.Label(t.st.Phase))
		d.add(p.Text)
		t.presentOptions(d, name)
		return d.text(), nil
	}
	id := phase.ID(name)
	d.heading(engine.Label(id))
	switch id {
	case engine.CheckpointA, "checkpoint-design":
		d.say("pipeline.decide_design", t.w.Path())
		t.presentReview(d, engine.DesignReview)
		t.presentPlan(d)
	case engine.CheckpointB, "checkpoint-tasks":
		d.say("pipeline.decide_tasks", t.w.Path())
		t.presentReview(d, engine.TasksReview)
		t.presentTasks(d)
	case engine.CheckpointImpl:
		d.say("pipeline.decide_implementation")
		for _, k := range t.st.Tasks {
			if k.Status == engine.TaskFailed && k.Review != nil {
				d.quote("")
				d.say("pipeline.task_title_verdict", k.ID, k.Title, k.Review.Verdict)
				d.findings(k.Review.Findings)
			}
		}
	case engine.CheckpointVerify:
		d.say("pipeline.decide_verification")
		t.presentReview(d, engine.FinalVerification)
	case engine.PostToSource:
		d.say("pipeline.decide_post", t.w.Path(), t.st.Source.URL)
		if text, err := t.w.Read(engine.SummaryFile); err == nil {
			d.quote("")
			d.quote(quotation(cutLines(text, 40)))
		} else if !errors.Is(err, fs.ErrNotExist) && problem.Of(err) == nil {
			return msg.Message{}, err
		}
	}
	if slices.Contains([]phase.ID{"checkpoint-design", "checkpoint-tasks"}, id) {
		d.quote("")
		d.say("pipeline.rejected_as_often_as_it_may_be")
	}
	if err := t.presentDiff(ctx, d); err != nil {
		return msg.Message{}, err
	}
	t.presentOptions(d, name)
	return d.text(), nil
}

func (t *turn) presentOptions(d *digest, name string) {
	d.quote("")
	if engine.CanAbandon(name) {
		d.say("pipeline.answer_with_or_abandon", engine.Options(name))
	} else {
		d.say("pipeline.answer_with", engine.Options(name))
	}
	if t.st.HeldAnswer != "" {
		d.quote("")
		d.say("pipeline.kept_from_last_answer", msg.Block(t.st.HeldAnswer))
	}
	d.quote("") // the last line ends, too
}

func (t *turn) presentReview(d *digest, id phase.ID) {
	j, ok := t.st.Reviews[id]
	d.quote("")
	if !ok {
		d.say("pipeline.no_verdict_no_review")
		d.findings(t.st.Notes)
		return
	}
	d.say("pipeline.verdict", j.Verdict)
	d.findings(j.Findings)
	if j.Verdict == string(artifact.Revise) {
		d.quote("")
		d.say("pipeline.revisions_used_up")
	}
}

// findings adds the first findings of a review or a check.
func (d *digest) findings(all []artifact.Finding) {
	if len(all) == 0 {
		d.say("pipeline.findings_none")
		return
	}
	d.say("pipeline.findings")
	for i, f := range all {
		if i == maxPresent {
			d.say("pipeline.list_more", len(all)-i)
			return
		}
		d.add(msg.Join("", "- **["+f.Severity+"]** ", shortened(f.Description)))
	}
}

// shortened returns a description in one line, and of one that somebody else wrote
// only the beginning.
func shortened(m msg.Message) msg.Message {
	if m.Key() != "" || len([]rune(m.String())) <= 300 && !strings.Contains(m.String(), "\n") {
		return m
	}
	return msg.Literal(text.Clip(text.OneLine(m.String()), 300))
}

// presentPlan names the files that the design is about.
func (t *turn) presentPlan(d *digest) {
	content, err := t.w.Read(engine.DesignFile)
	if err != nil {
		return // the reader sees that it is not there
	}
	files, _ := artifact.Mentions(content)
	if len(files) > 0 {
		d.quote("")
		d.say("pipeline.files_it_names", firstNames(files))
	}
	d.quote("")
	d.say("pipeline.design_begins")
	d.quote("")
	d.quote(quotation(cutLines(content, shownOfDesign)))
	if left := headingsBehind(content, shownOfDesign); len(left) > 0 {
		d.quote("")
		d.say("pipeline.design_goes_on", t.w.Path(), strings.Join(left, ", "))
	}
}

// shownOfDesign is how many lines of a design a digest shows.
const shownOfDesign = 40

// headingsBehind returns the headings of a text that stand behind its first lines.
func headingsBehind(content string, shown int) (left []string) {
	for _, l := range markdown.Read(strings.TrimSpace(content)) {
		if l.Number > shown && l.Level > 0 && l.Level <= 3 {
			left = append(left, text.Clip(text.OneLine(l.Text), 80))
		}
	}
	return left
}

func (t *turn) presentTasks(d *digest) {
	content, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return
	}
	tasks, _ := artifact.ParseTasks(content)
	d.quote("")
	d.say("pipeline.tasks_heading")
	for i, k := range tasks {
		if i == maxPresent {
			d.say("pipeline.list_more", len(tasks)-i)
			break
		}
		var files []string
		for _, f := range k.Files {
			files = append(files, f.Path)
		}
		d.add(msg.Join("", fmt.Sprintf("- %s: %s (%s; ", k.ID, text.OneLine(k.Title), k.Mode), firstNames(files), ")"))
	}
}

// presentDiff says how much has changed since the pipeline began.
func (t *turn) presentDiff(ctx context.Context, d *digest) error {
	if t.st.BaseCommit == "" {
		return nil
	}
	head, err := t.head(ctx)
	if err != nil {
		return err
	}
	if head == t.st.BaseCommit {
		d.quote("")
		d.say("pipeline.changed_so_far_nothing")
		return nil
	}
	changes, err := t.Repo.Diff(ctx, t.st.BaseCommit, head)
	if e := (*git.Error)(nil); errors.As(err, &e) {
		return nil // the base is gone: somebody has rewritten history
	}
	if err != nil {
		return err
	}
	out, err := t.Repo.Run(ctx, "diff", "--shortstat", "--no-ext-diff", t.st.BaseCommit, head)
	if err != nil {
		return err
	}
	var files []string
	for _, c := range changes {
		files = append(files, c.Path)
	}
	d.quote("")
	d.say("pipeline.changed_so_far", strings.TrimRight(out, "\n"))
	d.add(firstNames(files))
	return nil
}

// presentGate is what a person is asked to do elsewhere.
func (t *turn) presentGate(id string) msg.Message {
	d := new(digest)
	if task := t.st.Task(id); task != nil {
		d.heading(msg.New("pipeline.task_with_title", task.ID, task.Title))
		d.say("pipeline.only_by_a_person")
		if task.Text != "" {
			d.quote("")
			d.quote(quotation(cutLines(task.Text, 40)))
		}
		d.quote("")
		d.say("pipeline.answer_done_skip_abandon")
		d.quote("")
		return d.text()
	}
	tracker := map[string]string{"jira_issue": "Jira", "linear_issue": "Linear"}[t.st.Source.Type]
	d.heading(engine.Label(engine.PostToSource))
	d.say("pipeline.post_as_comment", t.w.Path(), t.st.Source.ID, t.st.Source.URL, tracker)
	d.quote("")
	d.say("pipeline.answer_posted_skip_abandon")
	d.quote("")
	return d.text()
}
