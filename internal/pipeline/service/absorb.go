package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
)

// absorb does a step that is the server's own. It returns an answer only where
// nothing can follow.
func (t *turn) absorb(ctx context.Context, d engine.ServerStep) (*NextAnswer, error) {
	t.dirty = true
	note := func() { // before the phase changes
		t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server", Detail: map[string]string{"step": string(d.Operation), "why": d.Why}})
	}
	switch d.Operation {
	case engine.OpBegin:
		note()
		return nil, t.start(ctx)
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
		note()
		return nil, t.finish(ctx)
	case engine.OpFinalCommit:
		t.dirty = false
		return t.commitState(ctx)
	}
	return nil, fmt.Errorf("forge: no such step: %s", d.Operation)
}

// start notes where the work begins: at what the user had before him when he
// confirmed, or at what a remote has had since.
func (t *turn) start(ctx context.Context) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	head, err := t.head(ctx)
	if err != nil {
		return err
	}
	t.st.BaseCommit = head
	if from := t.st.FromCommit; from != "" && from != head {
		published, err := t.repo.Run(ctx, "for-each-ref", "--contains", head, "--format=%(refname)", "refs/remotes/")
		if err != nil {
			return err
		}
		if published == "" {
			t.st.BaseCommit = from
		}
	}
	return t.st.Leave(t.s.table)
}

// leaveTasks goes on from a phase that works task by task. A review whose report
// has changed since is made again.
func (t *turn) leaveTasks() error {
	if t.st.Phase == engine.CodeReview {
		again := false
		for i := range t.st.Tasks {
			k := &t.st.Tasks[i]
			if k.Review == nil || k.Review.Of == "" || k.Status != engine.TaskPassed && k.Status != engine.TaskFailed {
				continue
			}
			hash, err := t.w.Hash("impl-" + k.ID + ".md")
			if err != nil {
				return err
			}
			if hash != k.Review.Of {
				k.Status, k.Review, again = engine.TaskImplemented, nil, true
				t.warn("impl-%s.md has changed since its review, so it is reviewed again.", k.ID)
			}
		}
		if again {
			return nil
		}
	}
	return t.st.LeaveTasks(t.s.table)
}

// reportsGone has the tasks of which there is no report any more worked on again:
// without it nobody can judge them.
func (t *turn) reportsGone() error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil || t.st.Commit != nil || !t.phaseIs(engine.CodeReview) {
		return nil
	}
	for i := range t.st.Tasks {
		k := &t.st.Tasks[i]
		if k.Mode == engine.ModeHumanGate || k.Status == engine.TaskPending {
			continue
		}
		name := "impl-" + k.ID + ".md"
		hash, err := t.w.Hash(name)
		if err != nil && problem.Of(err) == nil {
			return err
		}
		if hash == "" {
			t.warn("%s is gone, so task %s is handed out again.", name, k.ID)
			k.Status, k.Review = engine.TaskPending, nil
			t.st.Go(engine.Implementation, "the report of a task is gone")
			t.dirty = true
		}
	}
	return nil
}

// goBack takes an artifact as it is now, if it is in order, and goes to where it
// is looked at.
func (t *turn) goBack(ctx context.Context, d engine.ServerStep) error {
	t.warn("%s, so it is looked at again.", d.Why)
	name := engine.DesignFile
	if slices.Contains(strings.Fields(d.Why), engine.TasksFile) {
		name = engine.TasksFile
	}
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
	found := t.checkPlan(ctx, from, name, text)
	if artifact.Blocks(found) && t.st.Effort == "S" && name == engine.TasksFile { // the server writes it anew
		delete(t.st.Accepted, name)
		t.st.TasksSense = ""
		t.st.Go(engine.Implementation, d.Why)
		return nil
	}
	if artifact.Blocks(found) {
		delete(t.st.Accepted, name)
		t.st.Go(from, d.Why)
		t.st.CheckFindings = findings(found)
		return nil
	}
	sense, err := t.sense(name)
	if err != nil {
		return err
	}
	t.st.Accept(name, sense, findings(found))
	t.st.Go(d.To, d.Why)
	if d.To == engine.Implementation { // no review is made at this effort
		t.st.Pause = &engine.Pause{Name: engine.TasksBlockedCheckpoint, Text: fmt.Sprintf("%s/%s was changed after it was accepted, and nobody has looked at it.\n\nretry takes it as it is now, revise has the tasks made anew.", t.w.Path(), engine.TasksFile)}
	}
	return nil
}

// readTasks takes tasks.md into the state. A task is a fix if the server has appended
// it, before or just now, and not because a plan calls it so.
func (t *turn) readTasks(appended string) error {
	text, err := t.w.Read(engine.TasksFile)
	if err != nil {
		return err
	}
	tasks, found := artifact.ParseTasks(text)
	made := t.st.Effort == "S" && len(tasks) > 0 // by the server, from a design that need not name files
	if blocking := slices.DeleteFunc(slices.Clone(found), func(d artifact.Diagnostic) bool { return d.Severity != artifact.Critical }); len(blocking) > 0 && !made {
		var lines []string
		for _, f := range artifact.Findings(engine.TasksFile, blocking) {
			lines = append(lines, "- "+f.Description)
		}
		t.st.Pause = &engine.Pause{Name: engine.TasksBlockedCheckpoint, Text: "tasks.md cannot be worked on:\n" + strings.Join(lines, "\n")}
		return nil
	}
	sense, err := t.sense(engine.TasksFile)
	if err != nil {
		return err
	}
	list := taskStates(tasks)
	for i := range list {
		was := t.st.Task(list[i].ID)
		list[i].Fix = list[i].ID == appended || was != nil && was.Fix
	}
	t.st.SetTasks(list, sense)
	return nil
}

func taskStates(tasks []artifact.Task) []engine.Task {
	list := make([]engine.Task, len(tasks))
	for i, k := range tasks {
		list[i] = engine.Task{
			ID: k.ID, Title: k.Title, Mode: k.Mode, DependsOn: k.DependsOn, Gate: k.Gate, Status: engine.TaskPending,
			Sense: workspace.HashOf(engine.Sense(artifact.WriteTasks([]artifact.Task{k}))),
			Text:  k.Text,
		}
		for _, f := range k.Files {
			list[i].Files = append(list[i].Files, f.Path)
		}
	}
	return list
}

// appendFix makes a task of what the final verification found, unless a killed
// process has appended it already.
func (t *turn) appendFix(ctx context.Context) error {
	n := 1
	for t.st.Task(fmt.Sprintf("fix-%d", n)) != nil {
		n++
	}
	id := fmt.Sprintf("fix-%d", n)
	text, err := t.w.Read(engine.TasksFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && problem.Of(err) == nil {
		return err
	}
	tasks, _ := artifact.ParseTasks(text)
	appended := slices.ContainsFunc(tasks, func(k artifact.Task) bool { return k.ID == id })
	l, err := t.look(ctx)
	if err != nil {
		return err
	}
	if before, _, ok := strings.Cut(text, "\n\n## Task "+id+":"); ok && appended && workspace.HashOf(engine.Sense(before)) == t.st.Accepted[engine.TasksFile] {
		l.Sense[engine.TasksFile] = t.st.Accepted[engine.TasksFile]
	}
	if d, stale := engine.Stale(t.s.table, t.st, l); stale {
		return t.goBack(ctx, d)
	}
	if !appended {
		task := artifact.Task{ID: id, Title: "Mend what the final verification found", Mode: artifact.Sequential}
		var said []string
		for _, f := range t.st.Reviews[engine.FinalVerification].Findings {
			task.Acceptance = append(task.Acceptance, f.Description)
			said = append(said, f.Description)
		}
		said = append(said, t.st.Feedback...)
		if len(task.Acceptance) == 0 {
			task.Acceptance = []string{"final-verification.md says PASS"}
		}
		task.Files = t.filesFor(strings.Join(said, "\n"))
		section := strings.TrimPrefix(artifact.WriteTasks([]artifact.Task{task}), "# Tasks\n")
		if err := t.w.Write(engine.TasksFile, strings.TrimRight(text, "\n")+"\n"+section); err != nil {
			return err
		}
		failpoint.Point("fix: written")
	}
	sense, err := t.sense(engine.TasksFile)
	if err != nil {
		return err
	}
	t.st.FixDue = false
	t.st.Accepted[engine.TasksFile] = sense
	return t.readTasks(id)
}

// filesFor are the files that a text names and the pipeline has changed; all that
// it has changed if the text names none.
func (t *turn) filesFor(text string) (files []artifact.File) {
	var changed []string
	for _, k := range t.st.Tasks {
		changed = append(changed, k.Claimed...)
	}
	slices.Sort(changed)
	changed = slices.Compact(changed)
	for _, f := range changed {
		if strings.Contains(text, f) {
			files = append(files, artifact.File{Path: f})
		}
	}
	if len(files) == 0 {
		for _, f := range changed {
			files = append(files, artifact.File{Path: f})
		}
	}
	return files
}

// commitTasks commits what the tasks changed. Files that are in a commit already
// are left alone, so it may be done again.
func (t *turn) commitTasks(ctx context.Context) error {
	if err := t.save(); err != nil { // what is about to be done is known before it is
		return err
	}
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	c := t.st.Commit
	if !c.AcceptOthers {
		besides, err := t.besidesTasks(ctx)
		if err != nil {
			return t.rewritten(err, c)
		}
		if besides = without(besides, c.Files); len(besides) > 0 {
			t.unreviewed(besides, &engine.Commit{Files: slices.Concat(c.Files, besides), Tasks: c.Tasks, Message: c.Message})
			return nil
		}
	}
	id, err := t.commit(ctx, c.Files, c.Message)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		t.st.Pause = &engine.Pause{Name: engine.CommitFailedCheckpoint, Text: "git refused the commit:\n\n" + fenced(failure.Said()) + inTheWay(failure) + "\n\nretry commits again, when what is in the way is mended."}
		t.dirty = true
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.fromHooks(ctx, c); err != nil {
		return err
	}
	for _, k := range c.Tasks {
		if task := t.st.Task(k); task != nil {
			task.Commit = id
		}
	}
	if rest := without(t.st.UserFiles, c.Files); len(rest) < len(t.st.UserFiles) {
		t.warn("The commit %s also holds what the user had changed before the pipeline began, and not committed: %s. Tell the user.", id[:min(len(id), 10)], listed(without(t.st.UserFiles, rest)))
		t.st.UserFiles = rest
	}
	t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server", Detail: map[string]string{"step": "commit tasks", "commit": id, "files": strings.Join(c.Files, ", ")}})
	t.st.Commit, t.st.ReviewedCommit, t.dirty = nil, id, true
	return t.save()
}

// commit commits files as they are, and nothing else; the repository's hooks run.
// It returns HEAD if they are committed.
func (t *turn) commit(ctx context.Context, files []string, message string) (string, error) {
	if _, err := t.tree(ctx); err != nil { // which says what is in the way
		return "", err
	}
	return taskbranch.CommitFiles(ctx, t.repo, t.st.Branch, files, message)
}

// fromHooks has the first task of a commit answer for the files that hooks of the
// repository have added to it, so that its review is about them, too.
func (t *turn) fromHooks(ctx context.Context, c *engine.Commit) error {
	if c.AcceptOthers || len(c.Tasks) == 0 {
		return nil
	}
	all, err := t.besidesTasks(ctx)
	if errors.Is(err, errRewritten) {
		return nil
	}
	added := without(all, c.Files)
	if k := t.st.Task(c.Tasks[0]); k != nil && len(added) > 0 {
		k.Claimed = append(k.Claimed, added...)
		t.warn("The commit of task %s also holds %s, which a commit hook has added; the review is about that, too.", k.ID, listed(added))
	}
	return err
}

// head is the commit that is checked out, or the empty tree if there is none yet.
func (t *turn) head(ctx context.Context) (string, error) {
	head, err := t.repo.Head(ctx)
	if err == nil && head == "" {
		return t.repo.EmptyTree(ctx)
	}
	return head, err
}

const pushWays = "\n\nretry pushes again, when what is in the way is mended. skip goes on without a pull request: the work stays on its branch here."

// push sends the branch to where it is pushed to.
func (t *turn) push(ctx context.Context) error {
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	err := t.pushBranch(ctx)
	var failure *git.Error
	switch {
	case errors.As(err, &failure):
		t.st.Pause = &engine.Pause{Name: engine.PushFailedCheckpoint, Text: "git push failed:\n\n" + fenced(failure.Said()) + inTheWay(failure) + pushWays}
	case problem.Of(err) != nil:
		t.st.Pause = &engine.Pause{Name: engine.PushFailedCheckpoint, Text: problem.Of(err).Message.String() + pushWays}
	case err != nil:
		return err
	default:
		t.st.Pushed = true
		t.st.Note(engine.Entry{Event: engine.EventDoneByServer, By: "server", Detail: map[string]string{"step": "push", "branch": t.st.Branch}})
	}
	t.dirty = true
	return nil
}

func (t *turn) pushBranch(ctx context.Context) error {
	remote := "origin"
	out, err := t.repo.Run(ctx, "remote")
	if err != nil {
		return err
	}
	names := strings.Fields(out)
	if len(names) == 0 {
		return problem.New("no_remote", "The repository has no remote to push to.")
	}
	if !slices.Contains(names, remote) {
		remote = names[0]
	}
	_, err = t.repo.Do(ctx, git.Command{Args: []string{"push", "--quiet", "--set-upstream", remote, "refs/heads/" + t.st.Branch + ":refs/heads/" + t.st.Branch}, Effect: git.Hooks})
	return err
}

// finish writes the history, then makes the state completed: nothing in the
// workspace changes after that.
func (t *turn) finish(ctx context.Context) error {
	t.st.Updated = t.s.o.Now().UTC().Format(time.RFC3339)
	if err := t.remember(ctx, engine.StatusCompleted); err != nil {
		t.warn("The pipeline could not be added to .specs/index.json (%s); code-intel pipeline reindex does it.", sayErr(err))
	}
	if t.st.Pushed && !t.st.Flags.SkipPR {
		if err := t.locks.Owe(t.w); err != nil {
			return err
		}
	}
	t.st.Finish()
	return t.save()
}

// commitState commits the workspace of a completed pipeline, and pushes if the
// branch was pushed.
func (t *turn) commitState(ctx context.Context) (*NextAnswer, error) {
	if err := t.onBranch(ctx); err != nil {
		t.warn("The workspace is not committed: %s", sayErr(err))
		return t.last()
	}
	t.repo.Hold() // anew: state and history have just been written
	out, err := t.repo.Run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--", t.w.Path(), indexFile)
	if err != nil {
		return nil, err
	}
	var files []string
	for field := range strings.SplitSeq(out, "\x00") {
		if len(field) > 3 {
			files = append(files, field[3:])
		}
	}
	if _, err := t.commit(ctx, files, "chore: record the pipeline "+t.st.SpecName+"\n\nPipeline: "+t.w.Path()); err != nil {
		t.warn("The workspace could not be committed: %s", sayErr(err))
		return t.last()
	}
	if !t.locks.Owes(t.w) {
		return nil, nil
	}
	failpoint.Point("last push: before")
	failed := t.pushBranch(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := t.locks.Settle(t.w); err != nil {
		return nil, err
	}
	if failed != nil {
		t.warn("The last commit could not be pushed: %s", sayErr(failed))
		return t.last()
	}
	return nil, nil
}

// last is the end as it is, though something could not be done.
func (t *turn) last() (*NextAnswer, error) {
	h, ok := engine.Next(t.s.table, t.st, t.ended()).(engine.HandOut)
	if !ok {
		return nil, errors.New("forge: a completed pipeline has more to do")
	}
	raw, err := engine.Encode(h.Action)
	if err != nil {
		return nil, err
	}
	return t.answer(raw), nil
}

func (t *turn) ended() engine.Observation {
	names, _ := t.w.Artifacts() // without them only the path of the summary is missing
	return engine.Observation{Artifacts: names}
}

// uncommitted reports whether something of the workspace is not in git.
func (t *turn) uncommitted(ctx context.Context) (bool, error) {
	out, err := t.repo.Run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--", t.w.Path())
	return strings.Trim(out, "\x00") != "" && err == nil, err
}

// sayErr is an error in words for the user.
func sayErr(err error) string {
	if p := problem.Of(err); p != nil {
		return p.Message.String()
	}
	if e := (*git.Error)(nil); errors.As(err, &e) {
		return e.Said() + inTheWay(e)
	}
	return err.Error()
}

// inTheWay says what to do about a lock that git has waited for in vain, "" if none
// was in the way.
func inTheWay(e *git.Error) string {
	lock := e.Lock()
	if lock == "" {
		return ""
	}
	return fmt.Sprintf("\n\nThe lock file %s was in the way for seconds: another git is at work in this repository, or one has died and left it. If no git runs there, remove the file; then go on.", lock)
}

// maxOutput is how much of a command's output is kept and shown: its end.
const maxOutput = 8 << 10

func fenced(output string) string {
	if len(output) > maxOutput {
		output = "…" + strings.ToValidUTF8(output[len(output)-maxOutput:], "")
	}
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSpace(output) + "\n" + fence
}

func findings(all []artifact.Finding) []engine.Finding {
	list := make([]engine.Finding, len(all))
	for i, f := range all {
		list[i] = engine.Finding(f)
	}
	return list
}
