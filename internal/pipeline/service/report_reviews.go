package service

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/reviewcheck"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/platform/msg"
)

// reportReviews takes the reviews of tasks, each by itself.
func (t *turn) reportReviews(ctx context.Context, k engine.Ticket, r report, a *ReportAnswer) error {
	now, err := t.reviewedHashes(&k)
	if err != nil {
		return err
	}
	lost, err := t.weakened().Find(ctx)
	if err != nil {
		return err
	}
	var written, edited []string
	var missing []msg.Message
	judged, unread, worst := 0, 0, artifact.Pass
	for i, id := range k.Tasks {
		name, impl := "review-"+id+".md", "impl-"+id+".md"
		got, err := t.readArtifact(ctx, k, name)
		if err != nil {
			return err
		}
		if !got.why.IsZero() {
			missing = append(missing, got.why)
			continue
		}
		written = append(written, name)
		review := artifact.ParseReview(artifact.CodeVerdict, got.text)
		task := t.st.Task(id)
		moved := changedDuringReview(k.ReviewedFiles, now, impl, task.Claimed)
		var lacks, failed []artifact.Finding
		if review.Verdict.Approves() {
			var goesOn bool
			if lacks, failed, goesOn, err = t.checkApproval(ctx, a, task, name, got.text, lost, moved == "", &review); !goesOn || err != nil {
				return err
			}
		}
		found := slices.Concat(lacks, artifact.Findings(name, artifact.Check(string(k.Phase), got.text)),
			review.Findings)
		if len(k.Tasks) > 1 {
			nameTask(found, id)
		}
		a.Findings = append(a.Findings, found...)
		if slices.Index(worse, review.Verdict) > slices.Index(worse, worst) {
			worst = review.Verdict
		}
		if review.Verdict == artifact.Unknown {
			task.CheckFindings = whyRefusedReview(found, lacks, review.Findings)
			unread++
			continue
		}
		if moved != "" && review.Verdict.Approves() { // whoever fails it may have begun to fix it
			if moved != impl {
				edited = append(edited, moved)
			}
			missing = append(missing, msg.New("pipeline.changed_while_task_was_reviewed", moved, id))
			unread++
			continue
		}
		t.log(k, id, r.share(i, len(k.Tasks)), string(review.Verdict))
		t.st.JudgeTask(id, engine.Judgement{Verdict: string(review.Verdict), Findings: found, Of: now[impl]})
		task.CheckFindings = failed // what the review does not say, and the implementer must know
		judged++
	}
	a.Artifact, a.Warning = strings.Join(written, ", "), textformat.Sentences(missing...)
	if len(written) == 0 {
		t.notDone(a, a.Warning, engine.NotValidCheckpoint)
		return nil
	}
	a.Verdict = string(worst)
	if judged == 0 {
		t.refuse(a.Findings, engine.NotValidCheckpoint)
		t.st.CheckFindings = nil
		return t.askAbout(ctx, edited, nil)
	}
	t.st.Ticket, t.st.Attempts = nil, 0
	a.Updated, a.Display = true, msg.New("pipeline.code_review", worst)
	if worst.Approves() && judged == len(k.Tasks) {
		a.Hint = proceed
	}
	return t.askAbout(ctx, edited, nil)
}

// checkApproval checks the approval of a task against the change, and where nobody verifies the
// whole later, runs the verifiers if the reviewed files have not changed since. It returns what the
// review lacks and the failures that it does not mention. goesOn is false while a command still runs.
func (t *turn) checkApproval(ctx context.Context, a *ReportAnswer, task *engine.Task, name, text string, lost []reviewcheck.WeakenedTest,
	unmoved bool, review *artifact.Review) (lacks, failed []artifact.Finding, goesOn bool, err error) {
	if lacks, err = t.reviewProof().Task(ctx, task.ID, name, text); err != nil {
		return nil, nil, false, err
	}
	if lacks = append(lacks, reviewcheck.WeakenedWithoutReason(lost, task, name, text)...); len(lacks) > 0 {
		review.Verdict = artifact.Unknown
		return lacks, nil, true, nil
	}
	if !t.st.Unplanned() || !unmoved {
		return nil, nil, true, nil
	}
	said := len(review.Findings)
	a.Artifact = name
	lacks, goesOn, err = t.verify(ctx, a, review, name, text)
	return lacks, review.Findings[:len(review.Findings)-said], goesOn, err
}

// whyRefusedReview returns the findings about a review that its author must fix: not those that they
// reported themselves, if the review lacks something.
func whyRefusedReview(found, lacks, own []artifact.Finding) []artifact.Finding {
	if len(lacks) == 0 {
		return found
	}
	return found[:len(found)-len(own)]
}

// nameTask prefixes findings with the task that they are about.
func nameTask(found []artifact.Finding, id string) {
	for i := range found {
		found[i].Description = msg.New("pipeline.task_with_title", id, found[i].Description)
	}
}

// worse lists the verdicts on tasks from best to worst.
var worse = []artifact.Verdict{artifact.Pass, artifact.PassWithNotes, artifact.Fail, artifact.Unknown}

// changedDuringReview returns what of a task has changed since its review was handed out.
func changedDuringReview(then, now map[string]string, impl string, files []string) string {
	if then[impl] != now[impl] {
		return impl
	}
	for _, f := range files {
		if then["/"+f] != now["/"+f] {
			return f
		}
	}
	return ""
}
