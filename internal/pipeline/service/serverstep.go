package service

import (
	"context"
	"fmt"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
)

// runServerStep does what the server does itself. It returns an answer only where
// nothing can follow.
func (t *turn) runServerStep(ctx context.Context, d engine.ServerStep) (*NextAnswer, error) {
	t.dirty = true
	note := func() { // before the phase changes
		t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server",
			Detail: map[string]string{"step": string(d.Operation), "why": d.Why.String()}})
	}
	switch d.Operation {
	case engine.OpTakeUp:
		return nil, t.takeUp(ctx)
	case engine.OpBegin:
		note()
		return nil, t.recordBase(ctx)
	case engine.OpLeave:
		if t.phaseIs(engine.Implementation, engine.CodeReview) {
			return nil, t.leaveTasks()
		}
		return nil, t.st.Leave(t.s.table)
	case engine.OpPass:
		note()
		t.st.Ticket = &engine.Ticket{ID: "", Type: engine.Checkpoint{}.Kind(), Name: string(t.st.Phase)}
		_, err := engine.Decide(t.s.table, t.st, "approve", string(byItself))
		return nil, err
	case engine.OpGoBack:
		note()
		return nil, t.goBack(ctx, d)
	case engine.OpReadTasks:
		note()
		return nil, t.readTasks("")
	case engine.OpAppendFix:
		note()
		return nil, t.appendFix(ctx)
	case engine.OpBlock:
		note()
		t.st.Pause = &engine.Pause{Name: engine.TasksBlockedCheckpoint, Text: d.Why}
		return nil, nil
	case engine.OpCommitTasks:
		return nil, t.commitTasks(ctx)
	case engine.OpPush:
		return nil, t.push(ctx)
	case engine.OpFinish:
		return nil, t.finish(ctx, note)
	case engine.OpFinalCommit:
		t.dirty = false
		return t.commitState(ctx)
	}
	return nil, fmt.Errorf("forge: no such step: %s", d.Operation)
}

// recordBase records the commit at which the work begins: the one that was checked out when
// the user confirmed. Of what came later a person is asked: no ref of this repository shows
// that others have it, because who writes here can move every ref.
func (t *turn) recordBase(ctx context.Context) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return err
	}
	t.st.BaseCommit = head
	if t.st.FromCommit != "" {
		t.st.BaseCommit = t.st.FromCommit
	}
	if t.st.TakenUp { // another branch may have other files and rules
		settings, err := t.Repo.Settings(ctx)
		if err != nil {
			return err
		}
		t.st.GitSettings = settings.All()
	}
	if t.st.TakenUp && t.st.Previous == "" {
		if t.st.Previous, err = t.previous(); err != nil {
			return err
		}
	}
	return t.st.Leave(t.s.table)
}

// reopenTasksWithoutReport has the tasks of which there is no report any more worked on again:
// without it nobody can judge them.
func (t *turn) reopenTasksWithoutReport() error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || !t.phaseIs(engine.CodeReview) {
		return nil
	}
	for i := range t.st.Tasks {
		k := &t.st.Tasks[i]
		if k.Mode == artifact.HumanGate || k.Status == engine.TaskPending {
			continue
		}
		name := "impl-" + k.ID + ".md"
		hash, err := t.w.Hash(name)
		if err != nil && problem.Of(err) == nil {
			return err
		}
		if hash == "" {
			t.Warn("pipeline.gone_so_task_handed_out", name, k.ID)
			k.Status, k.Review = engine.TaskPending, nil
			t.st.Go(engine.Implementation, msg.New("pipeline.report_task_gone"))
			t.dirty = true
		}
	}
	return nil
}

// goBack takes an artifact as it is now, if it is in order, and goes to where it
// is looked at.
func (t *turn) goBack(ctx context.Context, d engine.ServerStep) error {
	t.Warn("pipeline.so_looked_at_again", d.Why)
	name := d.Artifact
	text, err := t.w.Read(name)
	if err != nil { // gone, or nothing that can be read
		delete(t.st.Accepted, name)
		t.st.TasksSense = ""
		t.st.Go(d.To, d.Why)
		return nil
	}
	from := engine.Design
	if name == engine.TasksFile {
		from = engine.Decomposition
	}
	found := t.planChecker().Check(ctx, from, name, text)
	if artifact.Blocks(found) && t.st.Effort == "S" && name == engine.TasksFile { // the server writes it anew
		delete(t.st.Accepted, name)
		t.st.TasksSense = ""
		t.st.Go(engine.Implementation, d.Why)
		return nil
	}
	if artifact.Blocks(found) {
		delete(t.st.Accepted, name)
		t.st.Go(from, d.Why)
		t.st.CheckFindings = found
		return nil
	}
	sense, err := t.artifactSense(name)
	if err != nil {
		return err
	}
	t.st.Accept(name, sense, found)
	t.st.Go(d.To, d.Why)
	if d.To == engine.Implementation { // no review is made at this effort
		t.st.Pause = &engine.Pause{Name: engine.TasksBlockedCheckpoint, Text: textformat.Paragraphs(
			msg.New("pipeline.changed_after_accepted", t.w.Path(), engine.TasksFile),
			msg.New("pipeline.changed_after_accepted_options"))}
	}
	return nil
}
