// Package reviewcheck checks that an approving review shows evidence: a place in the change for each
// criterion, an answer to each comment of a pull request, and a reason for each test or verifier of the project
// that the change made weaker. A report of a review counts only if nothing is missing.
package reviewcheck

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
)

// A Checker checks the reviews of one pipeline.
type Checker struct {
	Project   *project.Project
	Repo      *git.Repo
	State     *engine.State
	Workspace *workspace.Workspace
}

const (
	maxAtOnePlace = 8  // criteria that one place, or one command, shows
	maxLacks      = 50 // that are told of one review
)

// lacksProof checks an approval against what it must show: below "## Criteria", for each
// criterion, where it can be seen that it holds. Changed are the files that the review is
// about; at least one entry names a line of them that was changed. Least is how many entries
// there must be, wanted what the plan says of the work.
func (r Checker) lacksProof(ctx context.Context, name, text string, changed []string,
	least int, wanted string) ([]artifact.Finding, error) {
	change, err := r.compare(ctx, changed)
	if err != nil {
		return nil, err
	}
	asked := wanted + "\n" + r.State.Request
	entries := artifact.ParseCriteria(text)
	if len(entries) == 0 {
		return []artifact.Finding{artifact.NewCritical("pipeline.review_without_criteria", name, r.exampleOf(changed))}, nil
	}
	var found []artifact.Finding
	lack := func(line int, key string, args ...any) {
		if len(found) == maxLacks {
			return
		}
		found = append(found, artifact.Diagnostic{Line: line, Severity: artifact.Critical,
			Message: msg.New(key, args...)}.Finding(name))
	}
	if n := artifact.DifferentTexts(entries); n < least {
		lack(entries[0].Line, "pipeline.review_with_few_criteria", n, least)
	}
	seen := len(changed) == 0
	notRun := artifact.NotRun(text)
	count, told := make(map[string]int), make(map[string]bool)
	for _, e := range entries {
		if r.declines(e) {
			continue
		}
		e.Places = append(e.Places, e.Quoted(changed)...)
		shows := len(e.Commands) > 0 && notRun == ""
		var blank *artifact.Place
		ids, _ := e.Answers()
		if at := e.Shown(); at != "" {
			if count[at] += max(1, len(ids)); count[at] > maxAtOnePlace && !told[at] {
				told[at] = true
				lack(e.Line, "pipeline.criteria_at_one_place", maxAtOnePlace, textformat.Shortened(msg.Literal(at)))
			}
		}
		for _, p := range e.Places {
			lines, there := r.Lines(p.Path)
			there = there || slices.Contains(changed, p.Path) // or was deleted
			seen = seen || slices.Contains(changed, p.Path) && change.differs(p)
			if artifact.IsBlank(lines, p) {
				blank = &p
				continue
			}
			shows = shows || there && !p.Aside
			switch {
			case p.Aside, !there && p.Line == 0: // a word, not a place
			case !there:
				lack(e.Line, "pipeline.criterion_names_no_file", p.Path)
				shows = true
			case len(lines) == 0 || p.Line == 0: // nothing to be checked against it
			case p.Last > len(lines):
				lack(e.Line, "pipeline.criterion_names_no_line", p.Path, p.Last, len(lines))
			}
		}
		if e.Unmet || !shows {
			key, args := r.unproven(e, blank, notRun, changed)
			lack(e.Line, key, args...)
		} else if p, why := change.dead(e, asked); why != "" {
			lack(e.Line, withoutEffect[why], fmt.Sprintf("%s:%d", p.Path, p.Line))
		}
	}
	switch {
	case len(found) > 0:
	case !seen:
		lack(entries[0].Line, "pipeline.criteria_not_of_the_diff", textformat.Files(change.changedPlaces(changed)))
	case change.isIdle(asked):
		lack(entries[0].Line, "pipeline.change_without_effect", textformat.Files(changed))
	}
	return found, nil
}

// unproven says why nothing shows that a criterion holds: it is unmet, or all that it names is a
// blank line, or a command that was not run for the reason notRun.
func (r Checker) unproven(e artifact.Criterion, blank *artifact.Place, notRun string,
	changed []string) (string, []any) {
	switch text := textformat.Shortened(msg.Literal(e.Text)); {
	case e.Unmet:
		return "pipeline.criterion_unmet", []any{text}
	case blank != nil:
		return "pipeline.criterion_names_blank_line", []any{blank.Path, blank.Line}
	case len(e.Commands) > 0:
		return "pipeline.criterion_by_what_was_not_run",
			[]any{textformat.Shortened(msg.Literal(e.Commands[0])), textformat.Shortened(msg.Literal(notRun))}
	default:
		return "pipeline.criterion_without_place", []any{text, r.exampleOf(changed)}
	}
}

// exampleOf is a place of one of the files.
func (r Checker) exampleOf(files []string) string {
	if len(files) == 0 {
		return "path/file:12"
	}
	return artifact.Spelled(files[0]) + ":1"
}

// Lines returns the lines of a file of the repository, none of a link, or of one that is
// too large.
func (r Checker) Lines(file string) (lines []string, there bool) {
	info, err := os.Lstat(r.Project.Abs(file))
	if err != nil || info.IsDir() {
		return nil, false
	}
	data, err := repofile.In(r.Project.Root, file).Read(repofile.Records)
	if err != nil {
		return nil, true
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), true
}

// Planned returns the tasks of tasks.md by their ids.
func (r Checker) Planned() map[string]artifact.Task {
	text, err := r.Workspace.Read(engine.TasksFile)
	if err != nil {
		return nil
	}
	tasks, _ := artifact.ParseTasks(text)
	all := make(map[string]artifact.Task)
	for _, k := range slices.Backward(tasks) { // of two with one id the first counts
		all[k.ID] = k
	}
	return all
}

// taskText is what a plan wants of a task, in words.
func taskText(k artifact.Task) string { return k.Title + "\n" + strings.Join(k.Acceptance, "\n") }

// Task checks the approval of a task against its criteria and its diff, and against
// the reviews of the other tasks: one text cannot judge several.
func (r Checker) Task(ctx context.Context, id, name, text string) ([]artifact.Finding, error) {
	task, plan := r.State.Task(id), r.Planned()
	found, err := r.lacksProof(ctx, name, text, task.Claimed, max(1, len(plan[id].Acceptance)), taskText(plan[id]))
	if err != nil {
		return nil, err
	}
	found = append(found, r.notAccounted(name, text, plan[id].Acceptance)...)
	if r.answersIn(engine.CodeReview) {
		found = append(found, r.lacksAnswers(name, text, task.Claimed)...)
	}
	own := artifact.Reduced(text)
	for _, other := range r.State.Tasks {
		if other.ID == id || other.Mode == artifact.HumanGate {
			continue
		}
		if theirs, err := r.Workspace.Read("review-" + other.ID + ".md"); err == nil &&
			(artifact.Reduced(theirs) == own || artifact.SameWords(text, theirs, taskText(plan[id]), taskText(plan[other.ID]))) {
			found = append(found, artifact.NewCritical("pipeline.review_of_another_task", name, other.ID, id))
		}
	}
	return found, nil
}

// Whole checks the approval of the whole against what the tasks changed.
func (r Checker) Whole(ctx context.Context, name, text string) ([]artifact.Finding, error) {
	changed, tasks := r.State.ClaimedFiles(), 0
	for _, k := range r.State.Tasks {
		if k.Mode != artifact.HumanGate && !k.Fix {
			tasks++
		}
	}
	plan := r.Planned()
	var work []string
	for _, k := range r.State.Tasks {
		if k.Mode == artifact.HumanGate || k.Fix {
			work = append(work, "") // so that "Task 3" is the third
			continue
		}
		work = append(work, taskText(plan[k.ID]))
	}
	found, err := r.lacksProof(ctx, name, text, changed, max(1, tasks), strings.Join(work, "\n"))
	if err != nil {
		return nil, err
	}
	found = append(found, r.notAccounted(name, text, work)...)
	for _, k := range r.State.Tasks {
		if review, err := r.Workspace.Read("review-" + k.ID + ".md"); err == nil &&
			(artifact.Reduced(review) == artifact.Reduced(text) || artifact.SameWords(text, review, taskText(plan[k.ID]))) {
			found = append(found, artifact.NewCritical("pipeline.verification_is_a_review", name, k.ID))
		}
	}
	if r.answersIn(engine.FinalVerification) {
		found = append(found, r.lacksAnswers(name, text, changed)...)
	}
	return found, nil
}

// notAccounted returns a finding for each criterion of which a review does not speak.
func (r Checker) notAccounted(name, text string, criteria []string) (found []artifact.Finding) {
	entries := artifact.ParseCriteria(text)
	if len(entries) == 0 {
		return nil // it is told already
	}
	for _, c := range artifact.Unaccounted(criteria, entries) {
		found = append(found, artifact.Diagnostic{Line: entries[0].Line, Severity: artifact.Critical,
			Message: msg.New("pipeline.criterion_not_accounted_for", textformat.Shortened(msg.Literal(strings.Join(strings.Fields(c), " "))))}.Finding(name))
	}
	return found
}

// lacksAnswers checks an approval against the comments of the pull request: each is done at a
// place in what was changed, or declined for a reason. What the review says is kept.
func (r Checker) lacksAnswers(name, review string, changed []string) (found []artifact.Finding) {
	lack := func(key string, args ...any) {
		found = append(found, artifact.Diagnostic{Line: 1, Severity: artifact.Critical,
			Message: msg.New(key, args...)}.Finding(name))
	}
	given := make(map[string]artifact.Criterion)
	for _, e := range artifact.ParseCriteria(review) {
		ids, _ := e.Answers()
		for _, id := range ids {
			given[id] = e
		}
	}
	answers := slices.Clone(r.State.Pull.Comments)
	for i := range answers {
		c := &answers[i]
		e, ok := given[c.ID]
		_, reason := e.Answers()
		c.Answer, c.Done = text.Clip(e.Text, 300), reason == ""
		switch {
		case !ok:
			lack("pipeline.comment_without_answer", c.ID, c.Author, c.Text, r.exampleOf(changed))
		case reason != "" && len([]rune(strings.TrimSpace(artifact.Reason(reason)))) < minReason:
			lack("pipeline.comment_declined_without_reason", c.ID)
		case reason == "" && !slices.ContainsFunc(e.Places, func(p artifact.Place) bool { return slices.Contains(changed, p.Path) }):
			lack("pipeline.comment_done_elsewhere", c.ID, textformat.Files(changed))
		}
	}
	if len(found) == 0 {
		same := slices.EqualFunc(r.State.Pull.Comments, answers, func(a, b engine.Comment) bool { return a.Done == b.Done })
		r.State.Pull.Comments, r.State.Pull.Accepted = answers, r.State.Pull.Accepted && same
	}
	return found
}

// declines reports whether an entry of a review is about a comment that is declined.
func (r Checker) declines(e artifact.Criterion) bool {
	ids, reason := e.Answers()
	return r.State.Pull != nil && len(ids) > 0 && reason != ""
}

// answersIn reports whether a phase has the review that answers the comments.
func (r Checker) answersIn(id phase.ID) bool {
	return r.State.Pull != nil && (id == engine.FinalVerification || id == engine.CodeReview && r.State.Unplanned())
}

// minReason is how many characters a reason has.
const minReason = 8
