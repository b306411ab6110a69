package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/clients/prompts"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/pastruns"
	"codeintel/internal/pipeline/prompt"
	"codeintel/internal/pipeline/repoprofile"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/reviewcheck"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/phase"
	"codeintel/internal/workflow/requirements"
)

// fillAction fills in what [engine.Next] leaves open: prompts, texts, commands. It
// records in the ticket what the files were when the action was handed out.
func (t *turn) fillAction(ctx context.Context, h engine.HandOut, k *engine.Ticket) (engine.Action, error) {
	switch a := h.Action.(type) {
	case engine.SpawnAgent:
		for fewer := false; ; {
			filled, err := t.fillAgent(ctx, a, k)
			if err != nil || len(a.Tasks) == 0 || !t.tooLong(filled) {
				if fewer {
					t.Warn("pipeline.fewer_agents_at_once", k.Tasks)
				}
				return filled, err
			}
			// A prompt that a client cuts tells an agent half of what it must do: fewer
			// agents at once, and each told all.
			a = a.Fewer()
			k.Tasks = k.Tasks[:len(k.Tasks)-1]
			fewer = true
		}
	case engine.Checkpoint:
		k.Name = a.Name
		text, err := t.present(ctx, a.Name)
		a.PresentToUser = text
		return a, err
	case engine.HumanGate:
		k.Name = a.Name
		if task := t.st.Task(engine.TaskOf(a)); task != nil {
			if a.Name == "" {
				a.Name = "task-" + strings.ToLower(task.ID)
			}
			k.Name = a.Name
		}
		a.PresentToUser = t.presentGate(engine.TaskOf(a))
		return a, nil
	case engine.Exec:
		if a.Phase == engine.Setup {
			return a, nil
		}
		argv, err := t.command(ctx, a.Phase)
		a.Commands = argv
		return a, err
	case engine.WriteFile:
		text, err := t.singleTask()
		a.Content = text
		k.FilesBefore = map[string]string{engine.TasksFile: workspace.HashOf(text)} // what it must be
		return a, err
	}
	return h.Action, nil
}

func (t *turn) fillAgent(ctx context.Context, a engine.SpawnAgent, k *engine.Ticket) (engine.Action, error) {
	agent, err := prompts.Load(a.Agent, t.s.o.AgentDirs...)
	if err != nil {
		return nil, err
	}
	a.Model = agent.Model
	layers, err := t.promptLayers(ctx)
	if err != nil {
		return nil, err
	}
	layers.Values = map[string]string{prompt.Workspace: t.w.Path(), "branch": t.st.Branch, "spec_name": t.st.SpecName,
		"base_branch": t.st.BaseBranch}
	layers.Feedback = strings.Join(t.st.Feedback, "\n\n")
	if t.st.BaseCommit != "" {
		layers.Values["base_commit"] = t.st.BaseCommit
	}
	switch {
	case t.st.Unplanned() && agent.Small != "":
		agent.Body = agent.Small
	case t.st.Unplanned(): // somebody else's instructions
		agent.Body += unplannedText
	}
	if k.Phase == engine.Implementation {
		agent.Body += t.notesOnPlan()
	}
	layers.Agent, layers.Inputs, layers.Output, layers.Earlier = agent.Body, a.Inputs, a.Output, t.earlierWork()
	var lost []reviewcheck.WeakenedTest
	if k.Phase == engine.CodeReview {
		if lost, err = t.weakened().Find(ctx); err != nil {
			return nil, err
		}
	}
	outputs, own := []string{a.Output}, 0
	if len(a.Tasks) == 0 {
		id := engine.TaskOf(a)
		layers.Values = withTask(layers.Values, id)
		layers.Agent += brace.ReplaceAllString(reviewcheck.WeakenedTestsText(t.st, lost, id)+t.missingText(id)+findingsText(t.findings(id), 0), "{{$1}}")
	} else {
		a.Tasks, outputs = slices.Clone(a.Tasks), nil
	}
	for i := range a.Tasks {
		p := &a.Tasks[i]
		task := prompt.Task{ID: p.ID, Inputs: p.Inputs, Output: p.Output}
		if k := t.st.Task(p.ID); k != nil {
			task.Title = k.Title
		}
		layers.Tasks = append(layers.Tasks, task)
		p.Prompt = prompt.ForTask(task, t.w.Path()) + reviewcheck.WeakenedTestsText(t.st, lost, p.ID) + t.missingText(p.ID) + findingsText(t.findings(p.ID),
			(t.budget-reserve)/(3*len(a.Tasks)))
		outputs, own = append(outputs, p.Output), own+len(p.Prompt)
	}
	layers.Budget = t.promptBudget(own)
	if a.Prompt, err = prompt.Assemble(layers); err != nil {
		return nil, err
	}
	return a, t.recordFiles(ctx, k, outputs...)
}

func withTask(values map[string]string, id string) map[string]string {
	if id == "" {
		return values
	}
	own := map[string]string{prompt.TaskID: id}
	for name, v := range values {
		own[name] = v
	}
	return own
}

// unplannedText takes the place of what the instructions of agents say of plans.
const unplannedText = `

## No Plan

This pipeline is one small task, and request.md is all there is to read about it: no design.md, no tasks.md. Where these instructions speak of the task, its design or its criteria, take what request.md asks for. There is no improvement.md to write. Change as little as does the whole of it; if it turns out to be more than one small task, say so under Notes.
`

// promptBudget is how long the prompt of an answer may be, in tokens, beside texts of so
// many bytes. What a client does not show whole, no agent can be told.
func (t *turn) promptBudget(beside int) int {
	if t.budget == 0 {
		return prompt.DefaultBudget
	}
	return min(prompt.DefaultBudget, max(500, (t.budget-reserve-beside)/4))
}

// tooLong reports whether the client would not show an action whole.
func (t *turn) tooLong(a engine.Action) bool {
	raw, err := engine.Encode(a)
	if err != nil || t.budget == 0 {
		return false
	}
	weight := len(raw) // a character beyond ASCII has two bytes at least, and counts twice
	return weight > t.budget-reserve
}

// reserve is what of an answer is kept for what is beside the prompts.
const reserve = 2500

var brace = lazyregexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// findings are what checks found in the last attempt at a task, or at the phase.
func (t *turn) findings(task string) []artifact.Finding {
	if k := t.st.Task(task); k != nil {
		return k.CheckFindings
	}
	return t.st.CheckFindings
}

// findingsText is the section of a prompt that says what checks found. It has as many of
// the findings as fit into so many bytes, but the first ones always, and says how many
// there are; 0: all.
func findingsText(findings []artifact.Finding, most int) string {
	if len(findings) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n## Fix This First\n\nThe last attempt was not accepted, because of this:\n\n")
	for i, f := range findings {
		line := fmt.Sprintf("- [%s] %s\n", f.Severity, f.Description)
		if most > 0 && i > 1 && b.Len()+len(line) > most {
			fmt.Fprintf(&b, "- and %d more like these\n", len(findings)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// maxNotes is how many bytes of the reviews of a plan an implementer is told.
const maxNotes = 1500

// notesOnPlan is the section of a prompt with what the reviews of design and tasks found and did
// not send back: nobody else would act on it.
func (t *turn) notesOnPlan() string {
	var list strings.Builder
	for _, id := range []phase.ID{engine.DesignReview, engine.TasksReview} {
		for _, f := range t.st.Reviews[id].Findings {
			if line := fmt.Sprintf("- [%s] %s\n", f.Severity, f.Description); list.Len()+len(line) <= maxNotes {
				list.WriteString(line)
			}
		}
	}
	if list.Len() == 0 {
		return ""
	}
	return "\n\n## Notes of the Reviewers of the Plan\n\nThe plan was approved with these notes. Follow those that concern your task, " +
		"or say under Notes why not:\n\n" + brace.ReplaceAllString(list.String(), "{{$1}}")
}

// recordFiles notes the files that the agents are to write, and what reviews are about.
func (t *turn) recordFiles(ctx context.Context, k *engine.Ticket, outputs ...string) error {
	k.FilesBefore = make(map[string]string)
	for _, name := range outputs {
		k.FilesBefore[name] = ""
		text, err := t.w.Read(name)
		switch {
		case err == nil:
			k.FilesBefore[name] = hashOf(k.Phase, text)
		case errors.Is(err, fs.ErrNotExist), problem.Of(err) != nil: // what is there is nothing that a report could mean
		default:
			return err
		}
	}
	var err error
	if k.ReviewedFiles, err = t.reviewedHashes(k); err != nil {
		return err
	}
	if k.Phase != engine.Implementation {
		return nil
	}
	if err := t.onBranch(ctx); err != nil {
		return err
	}
	if k.Tree, err = t.tree(ctx); err != nil {
		return err
	}
	if k.Head, err = taskbranch.HeadTree(ctx, t.Repo); err != nil {
		return err
	}
	for _, id := range k.Tasks {
		task := t.st.Task(id)
		if task.Base == "" {
			task.Base = k.Tree
		}
		if task.Round == "" {
			task.Round = k.Tree
		}
	}
	return nil
}

// reviewedHashes is the content of what a review is about.
func (t *turn) reviewedHashes(k *engine.Ticket) (map[string]string, error) {
	w, _ := t.s.table.Contract(k.Phase)
	if w.Judges == "" {
		return nil, nil
	}
	of := make(map[string]string)
	if len(k.Tasks) == 0 {
		sense, err := t.artifactSense(w.Judges)
		of[w.Judges] = sense
		return of, err
	}
	for _, id := range k.Tasks {
		name := strings.ReplaceAll(w.Judges, "{task}", id)
		hash, err := t.w.Hash(name)
		if err != nil {
			return nil, err
		}
		of[name] = hash
		for _, file := range t.st.Task(id).Claimed {
			of["/"+file] = t.s.contentOf(file)
		}
	}
	return of, nil
}

// contentOf names the content of a file of the repository; "" if it cannot be read.
func (s *Service) contentOf(file string) string {
	name := s.project.Abs(file)
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return ""
	case info.Mode().Type() == fs.ModeSymlink: // as git has it
		to, err := os.Readlink(name)
		if err != nil {
			return ""
		}
		return workspace.HashOf("\x00" + to)
	case !info.Mode().IsRegular():
		return ""
	}
	data, err := repofile.In(s.project.Root, file).Read(repofile.Records)
	if err != nil {
		return ""
	}
	return workspace.HashOf(string(data))
}

// artifactSense names what an artifact says, see [engine.Sense]; "" if it is not there.
func (t *turn) artifactSense(name string) (string, error) {
	text, err := t.w.Read(name)
	if errors.Is(err, fs.ErrNotExist) || problem.Of(err) != nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return workspace.HashOf(engine.Sense(text)), nil
}

// promptLayers are layers 3 and 4 of a prompt.
func (t *turn) promptLayers(ctx context.Context) (prompt.Parts, error) {
	about, err := t.profile(ctx)
	if err != nil {
		return prompt.Parts{}, err
	}
	trusted := t.trustedCommands()
	p := prompt.Parts{Profile: about.WithoutTests(trusted).Markdown()}
	for i := len(trusted) - 1; i >= 0; i-- {
		p.Profile = strings.TrimSpace("Check that the user trusts: `" + trusted[i] + "`\n" + p.Profile)
	}
	if t.st.Phase == engine.FinalSummary { // is about this pipeline alone
		return p, nil
	}
	t.s.past.Lock()
	defer t.s.past.Unlock()
	past, err := t.s.history()
	if refused := problem.Of(err); refused != nil {
		t.Warn("%s", refused.Message)
		return p, nil
	}
	if err != nil {
		return p, err
	}
	const each = 3000 // bytes
	asked, now := question.Analyse(t.st.Request), t.s.o.Now()
	p.Similar = pastruns.SimilarMarkdown(past.Similar(asked, pastruns.Told), each)
	p.Patterns = pastruns.PatternsMarkdown(past.Patterns(asked, now), each)
	p.Frictions = pastruns.FrictionsMarkdown(past.Frictions(asked, now), each)
	return p, nil
}

// trustedCommands names the commands of the verifiers that the user trusts: they decide
// whether the change is right, whatever else the project runs.
func (t *turn) trustedCommands() (commands []string) {
	store, err := trust.Open()
	if err != nil {
		return nil
	}
	verifiers, _, _ := verify.TrustStates(t.s.project, store) // what cannot be read is said where they run
	for _, v := range verifiers {
		if v.State == trust.Trusted {
			commands = append(commands, text.OneLine(strings.Join(v.Command, " ")))
		}
	}
	return commands
}

// history returns the history as it is on disk. Whoever uses it holds s.past.
func (s *Service) history() (*pastruns.Index, error) {
	info, err := os.Stat(filepath.Join(s.project.Root, filepath.FromSlash(pastruns.File)))
	if err != nil { // mostly there is none yet
		s.lessons, s.lessonsOf = nil, nil
		return pastruns.Open(s.project.Root)
	}
	if was := s.lessonsOf; was != nil && os.SameFile(was, info) && was.ModTime().Equal(info.ModTime()) &&
		was.Size() == info.Size() {
		return s.lessons, nil
	}
	past, err := pastruns.Open(s.project.Root)
	if err != nil {
		return nil, err
	}
	s.lessons, s.lessonsOf = past, info
	return past, nil
}

// profile is what is known of the repository, read anew when another commit is
// checked out or a file that it follows from has changed.
func (t *turn) profile(ctx context.Context) (repoprofile.Profile, error) {
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return repoprofile.Profile{}, err
	}
	t.s.mu.Lock()
	about, of := t.s.about, t.s.aboutOf
	t.s.mu.Unlock()
	if of == head && about.Current() {
		return about, nil
	}
	if about, err = repoprofile.Read(ctx, t.s.project.Root); err != nil {
		return about, fmt.Errorf("forge: profile: %w", err)
	}
	t.s.mu.Lock()
	t.s.about, t.s.aboutOf = about, head
	t.s.mu.Unlock()
	return about, nil
}

// maxRequirements is how many criteria the request gives the one task of a pipeline.
const maxRequirements = 12

// requirements are what the request asks for, if that is several things. One is what the design is
// about; what reviewers of a pull request want has criteria of its own.
func (t *turn) requirements() []string {
	if t.st.Pull != nil {
		return nil
	}
	body := request.BodyOf(t.st.RequestFile)
	all := slices.DeleteFunc(requirements.Split(body), func(w string) bool { return strings.Contains(body, w+":\n") }) // its list says it
	for i := range all {
		all[i] = text.OneLine(all[i])
	}
	if all = text.Without(all, nil); len(all) < 2 {
		return nil
	}
	return all[:min(len(all), maxRequirements)]
}

// singleTask is the tasks.md of a pipeline that has one task: the design, and in it what the
// request asks for.
func (t *turn) singleTask() (string, error) {
	design, err := t.w.Read(engine.DesignFile)
	if err != nil {
		return "", err
	}
	task := artifact.Task{
		ID: "1", Title: t.st.OnlyTitle(), Mode: artifact.Sequential,
		Acceptance: append(t.requirements(), "The change is as design.md says, all of it", "Its tests pass"),
		Text:       "Carry out design.md.",
	}
	for _, f := range artifact.Planned(design) {
		rel, err := t.s.project.Resolve(f)
		if err != nil || rel == "." || workspace.IsOwnFile(rel) || rel != filepath.ToSlash(filepath.Clean(f)) {
			continue
		}
		info, err := os.Stat(t.s.project.Abs(rel))
		if err == nil && !info.Mode().IsRegular() {
			continue
		}
		task.Files = append(task.Files, artifact.File{Path: rel, New: err != nil})
	}
	return artifact.WriteTasks([]artifact.Task{task}), nil
}
