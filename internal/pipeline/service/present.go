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
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
	"codeintel/internal/workflow/phase"
)

// present is the digest of a checkpoint: what is to be decided, and what speaks
// for and against.
func (t *turn) present(ctx context.Context, name string) (msg.Message, error) {
	d := new(textformat.Text)
	if p := t.st.Pause; p != nil {
		d.Heading(engine.Label(t.st.Phase))
		d.Add(p.Text)
		t.presentOptions(d, name)
		return d.Message(), nil
	}
	id := phase.ID(name)
	d.Heading(engine.Label(id))
	switch id {
	case engine.CheckpointA, "checkpoint-design":
		d.Say("pipeline.decide_design", t.w.Path())
		t.presentReview(d, engine.DesignReview)
		t.presentPlan(d)
	case engine.CheckpointB, "checkpoint-tasks":
		d.Say("pipeline.decide_tasks", t.w.Path())
		t.presentReview(d, engine.TasksReview)
		t.presentTasks(d)
	case engine.CheckpointImpl:
		d.Say("pipeline.decide_implementation")
		for _, k := range t.st.Tasks {
			if k.Status == engine.TaskFailed && k.Review != nil {
				d.Quote("")
				d.Say("pipeline.task_title_verdict", k.ID, k.Title, k.Review.Verdict)
				d.Findings(k.Review.Findings)
			}
		}
	case engine.CheckpointVerify:
		d.Say("pipeline.decide_verification")
		t.presentReview(d, engine.FinalVerification)
	case engine.PostToSource:
		d.Say("pipeline.decide_post", t.w.Path(), t.st.Source.URL)
		if text, err := t.w.Read(engine.SummaryFile); err == nil {
			d.Quote("")
			d.Quote(textformat.Quotation(textformat.CutLines(text, 40)))
		} else if !errors.Is(err, fs.ErrNotExist) && problem.Of(err) == nil {
			return msg.Message{}, err
		}
	}
	if slices.Contains([]phase.ID{"checkpoint-design", "checkpoint-tasks"}, id) {
		d.Quote("")
		d.Say("pipeline.rejected_as_often_as_it_may_be")
	}
	if err := t.presentDiff(ctx, d); err != nil {
		return msg.Message{}, err
	}
	t.presentOptions(d, name)
	return d.Message(), nil
}

func (t *turn) presentOptions(d *textformat.Text, name string) {
	d.Quote("")
	if engine.CanAbandon(name) {
		d.Say("pipeline.answer_with_or_abandon", engine.Options(name))
	} else {
		d.Say("pipeline.answer_with", engine.Options(name))
	}
	if t.st.HeldAnswer != "" {
		d.Quote("")
		d.Say("pipeline.kept_from_last_answer", msg.Block(t.st.HeldAnswer))
	}
	d.Quote("") // the last line ends, too
}

func (t *turn) presentReview(d *textformat.Text, id phase.ID) {
	j, ok := t.st.Reviews[id]
	d.Quote("")
	if !ok {
		d.Say("pipeline.no_verdict_no_review")
		d.Findings(t.st.Notes)
		return
	}
	d.Say("pipeline.verdict", j.Verdict)
	d.Findings(j.Findings)
	if j.Verdict == string(artifact.Revise) {
		d.Quote("")
		d.Say("pipeline.revisions_used_up")
	}
}

// presentPlan names the files that the design is about.
func (t *turn) presentPlan(d *textformat.Text) {
	content, err := t.w.Read(engine.DesignFile)
	if err != nil {
		return // the reader sees that it is not there
	}
	files, _ := artifact.Mentions(content)
	if len(files) > 0 {
		d.Quote("")
		d.Say("pipeline.files_it_names", textformat.FirstNames(files))
	}
	d.Quote("")
	d.Say("pipeline.design_begins")
	d.Quote("")
	d.Quote(textformat.Quotation(textformat.CutLines(content, shownOfDesign)))
	if left := headingsBehind(content, shownOfDesign); len(left) > 0 {
		d.Quote("")
		d.Say("pipeline.design_goes_on", t.w.Path(), strings.Join(left, ", "))
	}
}

// shownOfDesign is how many lines of a design a digest shows.
const shownOfDesign = 40

// headingsBehind returns the headings of a text that are behind its first lines.
func headingsBehind(content string, shown int) (left []string) {
	for _, l := range markdown.Read(strings.TrimSpace(content)) {
		if l.Number > shown && l.Level > 0 && l.Level <= 3 {
			left = append(left, text.Clip(text.OneLine(l.Text), 80))
		}
	}
	return left
}

func (t *turn) presentTasks(d *textformat.Text) {
	content, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return
	}
	tasks, _ := artifact.ParseTasks(content)
	d.Quote("")
	d.Say("pipeline.tasks_heading")
	for i, k := range tasks {
		if i == textformat.MostListed {
			d.Say("pipeline.list_more", len(tasks)-i)
			break
		}
		var files []string
		for _, f := range k.Files {
			files = append(files, f.Path)
		}
		d.Add(msg.Join("", fmt.Sprintf("- %s: %s (%s; ", k.ID, text.OneLine(k.Title), k.Mode), textformat.FirstNames(files), ")"))
	}
}

// presentDiff says how much has changed since the pipeline began.
func (t *turn) presentDiff(ctx context.Context, d *textformat.Text) error {
	if t.st.BaseCommit == "" {
		return nil
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return err
	}
	if head == t.st.BaseCommit {
		d.Quote("")
		d.Say("pipeline.changed_so_far_nothing")
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
	d.Quote("")
	d.Say("pipeline.changed_so_far", strings.TrimRight(out, "\n"))
	d.Add(textformat.FirstNames(files))
	return nil
}

// presentGate is what a person is asked to do elsewhere.
func (t *turn) presentGate(id string) msg.Message {
	d := new(textformat.Text)
	if task := t.st.Task(id); task != nil {
		d.Heading(msg.New("pipeline.task_with_title", task.ID, task.Title))
		d.Say("pipeline.only_by_a_person")
		if task.Text != "" {
			d.Quote("")
			d.Quote(textformat.Quotation(textformat.CutLines(task.Text, 40)))
		}
		d.Quote("")
		d.Say("pipeline.answer_done_skip_abandon")
		d.Quote("")
		return d.Message()
	}
	tracker := map[string]string{"jira_issue": "Jira", "linear_issue": "Linear"}[t.st.Source.Type]
	d.Heading(engine.Label(engine.PostToSource))
	d.Say("pipeline.post_as_comment", t.w.Path(), t.st.Source.ID, t.st.Source.URL, tracker)
	d.Quote("")
	d.Say("pipeline.answer_posted_skip_abandon")
	d.Quote("")
	return d.Message()
}
