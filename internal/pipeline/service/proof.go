package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/digest"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/taskbranch"
)

const (
	mostAtOnePlace = 8  // criteria that one place, or one command, shows
	maxLacks       = 50 // that are told of one review
)

// lacksProof holds an approval against what it must show: below "## Criteria", for each
// criterion, where it can be seen that it holds. Changed are the files that the review is
// about; at least one entry names a line of them that was changed. Least is how many entries
// there must be.
func (t *turn) lacksProof(ctx context.Context, name, text string, changed []string,
	least int) ([]artifact.Finding, error) {
	differs, places, err := t.changedLines(ctx)
	if err != nil {
		return nil, err
	}
	entries := artifact.ParseCriteria(text)
	if len(entries) == 0 {
		return []artifact.Finding{critical("pipeline.review_without_criteria", name, t.exampleOf(changed))}, nil
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
		if t.declines(e) {
			continue
		}
		shows := len(e.Commands) > 0 && notRun == ""
		var blank *artifact.Place
		ids, _ := e.Answers()
		if at := e.Shown(); at != "" {
			if count[at] += max(1, len(ids)); count[at] > mostAtOnePlace && !told[at] {
				told[at] = true
				lack(e.Line, "pipeline.criteria_at_one_place", mostAtOnePlace, digest.Shortened(msg.Literal(at)))
			}
		}
		for _, p := range e.Places {
			lines, there := t.linesOf(p.Path)
			there = there || slices.Contains(changed, p.Path) // or was deleted
			seen = seen || slices.Contains(changed, p.Path) && differs(p)
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
			case len(lines) == 0 || p.Line == 0: // nothing to be held against it
			case p.Last > len(lines):
				lack(e.Line, "pipeline.criterion_names_no_line", p.Path, p.Last, len(lines))
			}
		}
		if e.Unmet || !shows {
			key, args := t.unproven(e, blank, notRun, changed)
			lack(e.Line, key, args...)
		}
	}
	if !seen && len(found) == 0 {
		lack(entries[0].Line, "pipeline.criteria_not_of_the_diff", digest.Files(places(changed)))
	}
	return found, nil
}

// unproven says why nothing shows that a criterion holds: it is unmet, or all that it names is a
// blank line, or a command that was not run for the reason notRun.
func (t *turn) unproven(e artifact.Criterion, blank *artifact.Place, notRun string, changed []string) (string, []any) {
	switch text := digest.Shortened(msg.Literal(e.Text)); {
	case e.Unmet:
		return "pipeline.criterion_unmet", []any{text}
	case blank != nil:
		return "pipeline.criterion_names_blank_line", []any{blank.Path, blank.Line}
	case len(e.Commands) > 0:
		return "pipeline.criterion_by_what_was_not_run",
			[]any{digest.Shortened(msg.Literal(e.Commands[0])), digest.Shortened(msg.Literal(notRun))}
	default:
		return "pipeline.criterion_without_place", []any{text, t.exampleOf(changed)}
	}
}

// aroundChange is how many lines before and after a change still show it: those that git shows
// with it.
const aroundChange = 3

// changedLines returns a function that says whether a place is in what the pipeline has changed,
// in whichever task, and one that gives such places of files. Of a file that is new, gone, renamed,
// or no text, every place is; so it is of any file if the commit where the work began is there no
// more.
func (t *turn) changedLines(ctx context.Context) (differs func(artifact.Place) bool, places func(files []string) []string, err error) {
	head, err := taskbranch.HeadTree(ctx, t.Repo)
	if err != nil {
		return nil, nil, err
	}
	changes, err := t.Repo.Diff(ctx, t.st.BaseCommit, head)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return func(artifact.Place) bool { return true }, func(files []string) []string { return files }, nil
	}
	whole := func(c git.Change) bool { return c.Status != git.Modified || len(c.Hunks) == 0 }
	differs = func(p artifact.Place) bool {
		return slices.ContainsFunc(changes, func(c git.Change) bool {
			return (c.Path == p.Path || c.OldPath == p.Path) && (whole(c) ||
				p.Line > 0 && slices.ContainsFunc(c.Hunks, func(h git.Range) bool {
					return p.Line <= h.End+aroundChange && p.Last >= h.Start-aroundChange
				}))
		})
	}
	places = func(files []string) (named []string) {
		for _, c := range changes {
			switch {
			case !slices.Contains(files, c.Path):
			case whole(c):
				named = append(named, artifact.Spelled(c.Path))
			default:
				named = append(named, fmt.Sprintf("%s:%d-%d", artifact.Spelled(c.Path), c.Hunks[0].Start, c.Hunks[0].End))
			}
		}
		return named
	}
	return differs, places, err
}

// exampleOf is a place of one of the files.
func (t *turn) exampleOf(files []string) string {
	if len(files) == 0 {
		return "path/file:12"
	}
	return artifact.Spelled(files[0]) + ":1"
}

// linesOf returns the lines of a file of the repository, none of a link, or of one that is
// too large.
func (t *turn) linesOf(file string) (lines []string, there bool) {
	info, err := os.Lstat(t.s.project.Abs(file))
	if err != nil || info.IsDir() {
		return nil, false
	}
	data, err := repofile.In(t.s.project.Root, file).Read(repofile.Records)
	if err != nil {
		return nil, true
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), true
}

// planned returns the tasks of tasks.md by their ids.
func (t *turn) planned() map[string]artifact.Task {
	text, err := t.w.Read(engine.TasksFile)
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

// wanted is what a plan wants of a task, in words.
func wanted(k artifact.Task) string { return k.Title + "\n" + strings.Join(k.Acceptance, "\n") }

// taskProof holds the approval of a task against its criteria and its diff, and against
// the reviews of the other tasks: one text cannot judge several.
func (t *turn) taskProof(ctx context.Context, id, name, text string) ([]artifact.Finding, error) {
	task, plan := t.st.Task(id), t.planned()
	found, err := t.lacksProof(ctx, name, text, task.Claimed, max(1, len(plan[id].Acceptance)))
	if err != nil {
		return nil, err
	}
	found = append(found, t.notAccounted(name, text, plan[id].Acceptance)...)
	if t.answersIn(engine.CodeReview) {
		found = append(found, t.lacksAnswers(name, text, task.Claimed)...)
	}
	own := artifact.Reduced(text)
	for _, other := range t.st.Tasks {
		if other.ID == id || other.Mode == artifact.HumanGate {
			continue
		}
		if theirs, err := t.w.Read("review-" + other.ID + ".md"); err == nil &&
			(artifact.Reduced(theirs) == own || artifact.SameWords(text, theirs, wanted(plan[id]), wanted(plan[other.ID]))) {
			found = append(found, critical("pipeline.review_of_another_task", name, other.ID, id))
		}
	}
	return found, nil
}

// finalProof holds the approval of the whole against what the tasks changed.
func (t *turn) finalProof(ctx context.Context, name, text string) ([]artifact.Finding, error) {
	changed, tasks := t.claimed(), 0
	for _, k := range t.st.Tasks {
		if k.Mode != artifact.HumanGate && !k.Fix {
			tasks++
		}
	}
	found, err := t.lacksProof(ctx, name, text, changed, max(1, tasks))
	if err != nil {
		return nil, err
	}
	plan := t.planned()
	var work []string
	for _, k := range t.st.Tasks {
		if k.Mode == artifact.HumanGate || k.Fix {
			work = append(work, "") // so that "Task 3" is the third
			continue
		}
		work = append(work, wanted(plan[k.ID]))
	}
	found = append(found, t.notAccounted(name, text, work)...)
	for _, k := range t.st.Tasks {
		if review, err := t.w.Read("review-" + k.ID + ".md"); err == nil &&
			(artifact.Reduced(review) == artifact.Reduced(text) || artifact.SameWords(text, review, wanted(plan[k.ID]))) {
			found = append(found, critical("pipeline.verification_is_a_review", name, k.ID))
		}
	}
	if t.answersIn(engine.FinalVerification) {
		found = append(found, t.lacksAnswers(name, text, changed)...)
	}
	return found, nil
}
