package service

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/workflow/phase"
)

// An artifactReading is an artifact as a report finds it.
type artifactReading struct {
	text string
	why  msg.Message // why there is nothing to report; zero if there is
	same bool        // because the file is unchanged
}

// readArtifact reads an artifact that a ticket asked for.
func (t *turn) readArtifact(ctx context.Context, k engine.Ticket, name string) (artifactReading, error) {
	text, err := t.w.Read(name)
	file := t.w.Path() + "/" + name
	switch p := problem.Of(err); {
	case errors.Is(err, fs.ErrNotExist):
		return artifactReading{why: msg.New("pipeline.not_looked", file, t.w.Dir())}, nil
	case p != nil:
		return artifactReading{why: p.Message}, nil
	case err != nil:
		return artifactReading{}, err
	case strings.TrimSpace(text) == "":
		return artifactReading{why: msg.New("pipeline.argument_is_empty", file)}, nil
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return artifactReading{why: msg.New("pipeline.no_text_utf_write_utf", file)}, nil
	}
	if hashOf(k.Phase, text) == k.FilesBefore[name] {
		if undone, err := t.undone(ctx, k, name); err != nil || undone {
			return artifactReading{text: t.relative(text)}, err
		}
		why := msg.New("pipeline.before_action_handed_out", file)
		return artifactReading{text: text, why: why, same: true}, nil
	}
	if other, err := t.copiedFrom(k.Phase, name, text); other != "" || err != nil {
		return artifactReading{why: msg.New("pipeline.word_word_write_what_holds", file, other)}, err
	}
	return artifactReading{text: t.relative(text)}, nil
}

// undone reports whether the report of a task was refused for files alone that it does not list, and the
// files are others by now: what it says may then be right as it is.
func (t *turn) undone(ctx context.Context, k engine.Ticket, name string) (bool, error) {
	task := t.st.Task(strings.TrimSuffix(strings.TrimPrefix(name, "impl-"), ".md"))
	if k.Phase != engine.Implementation || task == nil || !onlyUnlisted(task.CheckFindings) {
		return false, nil
	}
	now, err := t.tree(ctx)
	return now != k.Tree, err
}

// relative is a text in which files of the project are named by their paths in it.
func (t *turn) relative(text string) string {
	return strings.ReplaceAll(text, strings.TrimSuffix(filepath.ToSlash(t.s.project.Root), "/")+"/", "")
}

// hashOf names what an artifact says, to tell whether it was written anew. With other white space
// alone a plan is not; what is said of the tree may be said again, of another one.
func hashOf(id phase.ID, content string) string {
	if ofTheTree(id) {
		return workspace.HashOf(content)
	}
	return workspace.HashOf(folded(content))
}

// ofTheTree reports whether what a phase writes is about what others have written.
func ofTheTree(id phase.ID) bool {
	_, judges := families[id]
	return judges || id == engine.Implementation || id == engine.CodeReview
}

// minCopied is the length from which on a text that another pipeline has, too, is
// no coincidence. A bare verdict is shorter.
const minCopied = 300

// copiedFrom returns the workspace of another pipeline that has the same artifact, or the artifact of
// this one that says the same, "" if there is none: no agent wrote it for what it was asked.
func (t *turn) copiedFrom(id phase.ID, name, text string) (string, error) {
	if len(text) < minCopied {
		return "", nil
	}
	names, err := t.artifacts()
	if err != nil {
		return "", err
	}
	if ofTheTree(id) {
		names = nil // reports and reviews are checked against each other by what they are about
	}
	for _, other := range names {
		if theirs, err := t.w.Read(other); other != name && err == nil && artifact.Reduced(theirs) == artifact.Reduced(text) {
			return t.w.Path() + "/" + other, nil
		}
	}
	all, err := workspace.List(t.s.project.Root)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		if w.Name() == t.w.Name() {
			continue
		}
		if theirs, err := w.Read(name); err == nil && artifact.Reduced(theirs) == artifact.Reduced(text) {
			return w.Path(), nil
		}
	}
	return "", nil
}

// reportPhase takes the artifact of a phase with one agent.
func (t *turn) reportPhase(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	w, _ := t.s.table.Contract(k.Phase)
	name := w.Writes[0]
	got, err := t.readArtifact(ctx, k, name)
	if err != nil {
		return err
	}
	family, judges := families[k.Phase]
	accept := func(notes []artifact.Finding) error {
		sense, err := t.artifactSense(name)
		t.st.Accept(name, sense, notes)
		return err
	}
	if !got.why.IsZero() {
		checkpoint, found := engine.NotValidCheckpoint, []artifact.Finding(nil)
		if got.same && !judges { // perhaps rightly: a person may say so, of what would be accepted
			if found = t.planChecker().Check(ctx, k.Phase, name, got.text); !artifact.Blocks(found) {
				checkpoint = engine.UnchangedCheckpoint
			}
		}
		if t.notDone(a, got.why, checkpoint); t.st.Pause == nil || checkpoint == engine.NotValidCheckpoint {
			return nil
		}
		return accept(found) // if the person takes it
	}
	a.Artifact = name
	found := t.planChecker().Check(ctx, k.Phase, name, got.text)
	if judges && !artifact.Blocks(found) {
		review := artifact.ParseReview(family, got.text)
		var lacks []artifact.Finding
		var goesOn bool
		if k.Phase == engine.FinalVerification && review.Verdict.Approves() {
			if lacks, err = t.reviewProof().Whole(ctx, name, got.text); err != nil {
				return err
			}
			if len(lacks) > 0 {
				review.Verdict = artifact.Unknown
			} else if lacks, goesOn, err = t.verify(ctx, a, &review, name, got.text); !goesOn || err != nil {
				return err
			}
			found = append(found, lacks...)
		}
		a.Verdict = string(review.Verdict)
		found = append(found, review.Findings...)
		if review.Verdict == artifact.Unknown {
			a.Findings = found
			t.refuse(whyRefusedReview(found, lacks, review.Findings), engine.NotValidCheckpoint)
			return nil
		}
		return t.judge(k, r, a, found)
	}
	if k.Phase == engine.FinalSummary {
		wrong, err := t.checkSummary(ctx, got.text)
		if err != nil {
			return err
		}
		found = append(found, wrong...)
	}
	a.Findings = found
	if artifact.Blocks(found) && !plancheck.OnlyIndex(found) {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		return nil
	}
	if err := accept(found); err != nil {
		return err
	}
	if artifact.Blocks(found) { // a person may say that it is right all the same
		t.refuse(a.Findings, engine.PlanIncompleteCheckpoint)
		if t.st.Pause == nil {
			delete(t.st.Accepted, name)
		}
		return nil
	}
	return t.endPhase(k, r, got.text, a)
}

// endPhase goes on from a phase whose artifact was accepted.
func (t *turn) endPhase(k engine.Ticket, r report, text string, a *ReportAnswer) error {
	t.log(k, "", r, "")
	if k.Phase == engine.Comprehensive {
		a.Findings = artifact.ParseReview(artifact.FinalVerdict, text).Findings
		a.Findings = slices.DeleteFunc(a.Findings,
			func(f artifact.Finding) bool { return f.Description.Is("artifact.verdict_cannot_read") })
		t.st.Keep(k.Phase, engine.Judgement{Findings: a.Findings})
	}
	if k.Phase == engine.FinalSummary && !t.st.Unplanned() {
		if _, err := t.w.Read("improvement.md"); errors.Is(err, fs.ErrNotExist) {
			a.Findings = append(a.Findings, artifact.Finding{Severity: artifact.Minor,
				Description: msg.New("pipeline.improvement_was_not_written")})
		}
	}
	a.Updated, a.Hint, a.Display = true, proceed, msg.New("pipeline.phase_is_done", engine.Label(k.Phase))
	t.st.Ticket = nil
	return t.st.Leave(t.s.table)
}

// families are the verdicts that each phase may give.
var families = map[phase.ID]artifact.Family{
	engine.DesignReview:      artifact.DesignVerdict,
	engine.TasksReview:       artifact.DesignVerdict,
	engine.FinalVerification: artifact.FinalVerdict,
}

// judge takes a verdict, if what it is about is still what it was.
func (t *turn) judge(k engine.Ticket, r report, a *ReportAnswer, found []artifact.Finding) error {
	a.Findings = found
	w, _ := t.s.table.Contract(k.Phase)
	j := engine.Judgement{Verdict: a.Verdict, Findings: found}
	if w.Judges != "" {
		sense, err := t.artifactSense(w.Judges)
		if err != nil {
			return err
		}
		if sense != k.ReviewedFiles[w.Judges] {
			a.Warning = msg.New("pipeline.changed_while_reviewed_so_reviewed", w.Judges)
			t.refuse([]artifact.Finding{artifact.NewCritical("pipeline.changed_while_reviewed_judge_now", w.Judges)}, engine.NotValidCheckpoint)
			return nil
		}
		j.Of = sense
	}
	t.log(k, "", r, a.Verdict)
	t.st.Ticket = nil
	a.Updated, a.Display = true, msg.New("pipeline.label_verdict", engine.Label(k.Phase), a.Verdict)
	if artifact.Verdict(a.Verdict).Approves() {
		a.Hint = proceed
	}
	return t.st.Judge(t.s.table, j)
}
