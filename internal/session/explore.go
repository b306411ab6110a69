package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/session/exploration"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/projectrules"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/workflow/phase"
)

// branchIntervention carries out what the user chose to do with old branches.
func (t *turn) branchIntervention(ctx context.Context, p payload.Branch) (answers, error) {
	d, err := t.decision("choice", p.Choice, "")
	if err != nil {
		return nil, err
	}
	var known []string
	for _, st := range t.State.Stale {
		known = append(known, st.Name)
	}
	named := p.Branches
	if len(named) == 0 {
		named = known
	}
	for _, b := range named {
		if !slices.Contains(known, b) {
			return nil, problem.New(refusal.ValidationFailed, "session.branch_none_stale_ones", b).
				Or("session.stale", strings.Join(known, ", "))
		}
	}
	r, err := t.Repository(ctx)
	if err != nil {
		return nil, err
	}
	act := taskbranch.DeleteStale
	if d.Choice == "merge" {
		act = taskbranch.MergeStale
	}
	there, err := taskbranch.FindStale(ctx, r, t.s.ownsBranch) // cleanup_stale_branches may have been faster
	if err != nil {
		return nil, err
	}
	for _, b := range there {
		switch {
		case d.Choice != "continue" && slices.Contains(named, b.Name):
			err = act(ctx, r, b)
		case !t.State.Flags.Quick: // this session's branch is to come from a base
			err = taskbranch.LeaveStale(ctx, r, b)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.settle(d); err != nil {
		return nil, err
	}
	return nil, t.s.measureFrom(ctx, r, t.State)
}

// documentResearch checks that the documents were opened and that each rule is
// where it is said to.
func (t *turn) documentResearch(ctx context.Context, p payload.Research) (answers, error) {
	if len(p.DocumentsReviewed) == 0 {
		docs, err := projectrules.Documents(t.s.project)
		if err != nil {
			return nil, err
		}
		if len(docs) > 0 {
			return nil, problem.New(refusal.ValidationFailed, "session.documents_reviewed_empty_but_documents", len(docs)).
				Or("session.read_ones_bind_task_example", strings.Join(docs[:min(3, len(docs))], ", "))
		}
	}
	wrong, err := t.checkDocumentsOpened(ctx, p.DocumentsReviewed)
	if err != nil {
		return nil, err
	}
	for i, r := range p.MandatoryRules {
		if vaguetext.Silent(r.Rule) {
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.mandatory_rules_says_nothing", i).
				Or("session.state_rule_leave_out"))
		}
		wrong = append(wrong, exploration.Place(t.s.project, fmt.Sprintf("mandatory_rules[%d].source", i), r.Source))
	}
	t.State.Rules = p.MandatoryRules
	return nil, refusal.Join(wrong...)
}

// checkDocumentsOpened returns what is wrong with documents that are claimed to be reviewed: a tool has shown
// them, or the session began with what they say, or no search tool lists them and they are there.
func (t *turn) checkDocumentsOpened(ctx context.Context, documents []string) (wrong []error, err error) {
	if len(documents) == 0 {
		return nil, nil
	}
	list, err := files.List(ctx, t.s.project)
	if err != nil {
		return nil, err
	}
	rules, err := projectrules.Load(t.s.project)
	if err != nil {
		return nil, err
	}
	var listed []string
	for _, doc := range documents {
		rel, err := t.s.project.Resolve(doc)
		if err == nil && rel == rules.Source && rules.Missing && t.State.ProjectRules == rules.Summary {
			continue // its lines were sent as the project's rules
		}
		if err == nil && slices.ContainsFunc(list, func(e files.Entry) bool { return e.Path == rel }) {
			listed = append(listed, doc)
		} else {
			wrong = append(wrong, exploration.Exists(t.s.project, doc))
		}
	}
	return append(wrong, t.explored().CheckSeen("documents_reviewed", listed)), nil
}

// queryFrame takes the request apart and weighs it.
func (t *turn) queryFrame(_ context.Context, p payload.Frame) (answers, error) {
	if vaguetext.Silent(p.ActionType) {
		return nil, problem.New(refusal.PayloadMismatch, "session.action_type_empty").
			Or("session.say_word_two_what_done")
	}
	given := make(map[string]requestslots.Slot)
	for i, slot := range []*requestslots.Slot{p.Feature, p.Trigger, p.Issue, p.Action} {
		if slot != nil {
			given[requestslots.SlotNames[i]] = *slot
		}
	}
	slots, err := requestslots.Check(t.State.Query, given)
	if err != nil {
		return nil, err
	}
	t.State.Frame = &requestslots.Frame{
		ActionType: p.ActionType, TargetSymbols: p.TargetSymbols, Scope: p.Scope, Constraints: p.Constraints,
		Slots: slots, Risk: requestslots.Assess(string(t.State.Intent), slots),
	}
	return nil, nil
}

// exploration checks the claims of the exploration against the ledger.
func (t *turn) exploration(ctx context.Context, p payload.Exploration) (answers, error) {
	wrong := []error{t.explored().CheckSeen("explored_files", p.ExploredFiles)}
	findings := slices.DeleteFunc(slices.Clone(p.Findings), vaguetext.Silent)
	if len(findings) == 0 {
		wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.findings_empty").
			Or("session.say_what_you_learned_about"))
	}
	wrong = append(wrong, t.explored().CheckPlaces("findings", findings))
	for _, claim := range []struct {
		field string
		list  []string
	}{{"symbols_identified", p.Symbols}, {"entry_points", p.EntryPoints}, {"existing_patterns", p.Patterns}} {
		if twice := duplicate(claim.list); twice != "" {
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.names_twice", claim.field, twice).
				Or("session.list_each_once"))
		}
	}
	known, err := t.explored().Shown()
	if err != nil {
		return nil, err
	}
	if err := t.explored().CheckSymbols(ctx, p.Symbols, known); err != nil {
		return nil, err
	}
	known = append(known, p.Symbols...)
	for _, entry := range p.EntryPoints {
		switch tiedTo := func(symbol string) bool { return exploration.Names(entry, symbol) }; {
		case slices.ContainsFunc(known, tiedTo):
		case len(exploration.Places(t.s.project, entry)) > 0: // a place, like those of findings
			wrong = append(wrong, t.explored().CheckPlaces("entry_points", []string{entry}))
		case exploration.Exists(t.s.project, entry) == nil:
			wrong = append(wrong, t.explored().CheckSeen("entry_points", []string{entry}))
		default:
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.entry_points_names_which_tied", entry).
				Or("session.list_symbol_entered_too_take"))
		}
	}
	files := p.ExploredFiles
	if files == nil {
		explored, err := t.explored().Explored()
		if err != nil {
			return nil, err
		}
		files = slices.Sorted(maps.Keys(explored))
	}
	if len(p.Patterns) > 0 && len(files) == 0 {
		wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.existing_patterns_needs_explored_files").
			Or("session.list_files_which_patterns_found"))
	}
	if err := refusal.Join(wrong...); err != nil {
		return nil, err
	}
	warning, once, err := t.explored().CheckRelevance(ctx, findings)
	if !warning.IsZero() {
		t.Warnings = append(t.Warnings, warning)
	}
	if t.refused = once; err != nil {
		return nil, err
	}
	t.State.Findings = findings
	e, err := t.explored().Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	t.State.Evaluation = e
	return nil, nil
}

// q1 honours true, and false only if the exploration was thorough.
func (t *turn) q1(_ context.Context, p payload.Q1) (answers, error) {
	if err := refusal.RequireReason("reason", p.Reason); err != nil {
		return nil, err
	}
	t.defaultSummary(p.Reason)
	low := t.State.Evaluation != nil && t.State.Evaluation.Confidence == state.Low
	if p.ReasonCode != "" {
		if err := refusal.OneOf("reason_code", p.ReasonCode, exploration.ReasonCodes...); err != nil {
			return nil, err
		}
		if low && *p.Needs && !exploration.Explains(t.State.Evaluation, p.ReasonCode) {
			t.Warn("session.reason_code_explains_nothing", p.ReasonCode, t.State.Evaluation.Missing)
		}
	}
	var missing []msg.Message
	if low {
		missing = t.State.Evaluation.Missing
	}
	return t.gate("needs_more_information", *p.Needs, low, msg.New("session.exploration_not_thorough", missing)), nil
}

// gate decides whether a phase of closer study is entered: always if the payload says so or
// the gate is full, and otherwise if the server disagrees with the payload.
func (t *turn) gate(fact phase.Fact, claimed, disagree bool, why msg.Message) answers {
	switch {
	case claimed:
	case t.State.Flags.Gate == codecommand.GateFull:
		t.overridden, t.reason = true, msg.New("session.gate_full_walks_every_phase")
	case disagree:
		t.overridden, t.reason = true, why
	}
	if t.overridden {
		t.State.Overridden = text.Distinct(append(t.State.Overridden, string(t.State.Phase)))
	}
	return answers{fact: claimed || t.overridden}
}

// semantic notes the hits and what is supposed because of them.
func (t *turn) semantic(_ context.Context, p payload.Semantic) (answers, error) {
	var wrong []error
	for i, hit := range p.SearchResults {
		for _, ref := range exploration.Places(t.s.project, hit) {
			wrong = append(wrong, exploration.Place(t.s.project, fmt.Sprintf("search_results[%d]", i), ref))
		}
	}
	t.State.Hypotheses = append(t.State.Hypotheses, p.Hypotheses...)
	return nil, refusal.Join(wrong...)
}

// q2 honours false only if everything that is relied on has a place in the code.
func (t *turn) q2(_ context.Context, p payload.Q2) (answers, error) {
	if err := refusal.RequireReason("reason", p.Reason); err != nil {
		return nil, err
	}
	t.defaultSummary(p.Reason)
	var open []any
	for _, h := range t.State.Hypotheses {
		if !slices.ContainsFunc(t.State.Verified, func(v state.Verdict) bool { return v.Hypothesis == h }) {
			open = append(open, msg.New("session.hypothesis_without_evidence", h))
		}
	}
	for _, f := range t.State.Findings {
		if t.s.project.IsEmpty() {
			break // there is no place to name
		}
		refs := exploration.Places(t.s.project, f)
		ok := slices.ContainsFunc(refs, func(ref string) bool { return exploration.Place(t.s.project, "finding", ref) == nil })
		if !ok {
			open = append(open, msg.New("session.finding_without_file_line_exists", text.Clip(f, 120)))
		}
	}
	return t.gate("has_unverified_hypotheses", *p.Has, len(open) > 0, msg.Join("; ", open...)), nil
}

// verification keeps each verdict whose evidence is there.
func (t *turn) verification(_ context.Context, p payload.Verification) (answers, error) {
	if len(p.Verified) == 0 && !t.s.project.IsEmpty() {
		return nil, problem.New(refusal.ValidationFailed, "session.hypotheses_verified_empty").
			Or("session.hold_what_you_rely_hypotheses")
	}
	var wrong []error
	for i, v := range p.Verified {
		at := fmt.Sprintf("hypotheses_verified[%d]", i)
		if vaguetext.Silent(v.Hypothesis) {
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.hypothesis_empty", at).
				Or("session.state_what_supposed"))
		}
		wrong = append(wrong, refusal.OneOf(at+".result", v.Result, "confirmed", "rejected", "inconclusive"))
		if err := exploration.Place(t.s.project, at+".evidence", v.Evidence); err != nil && !t.s.project.IsEmpty() {
			wrong = append(wrong, err)
		}
	}
	wrong = append(wrong, t.explored().CheckVerdicts(p.Verified))
	if err := refusal.Join(wrong...); err != nil {
		return nil, err
	}
	t.State.Verified = append(t.State.Verified, p.Verified...)
	return nil, nil
}

// q3 honours false only if nothing outside the explored files refers to the
// target symbols.
func (t *turn) q3(ctx context.Context, p payload.Q3) (answers, error) {
	if err := refusal.RequireReason("reason", p.Reason); err != nil {
		return nil, err
	}
	t.defaultSummary(p.Reason)
	disagree, why := false, msg.Message{}
	t.State.OnlyAdds = p.OnlyAdds && t.State.Git // without git there is nothing to hold it against
	if !*p.Needs && t.State.Flags.Gate != codecommand.GateFull {
		targets, err := t.targets(ctx)
		if err != nil {
			return nil, err
		}
		if len(targets) > 0 {
			must, err := t.s.code.MustVerify(ctx, targets, t.State.OnlyAdds)
			if err != nil {
				return nil, err
			}
			explored, err := t.explored().Explored()
			if err != nil {
				return nil, err
			}
			if out := slices.DeleteFunc(must, func(f string) bool { return explored[f] }); len(out) > 0 {
				disagree, why = true, msg.New("session.referred_from_files_not_explored", targets, refusal.Some(out, 5))
			}
		}
	}
	return t.gate("needs_impact_analysis", *p.Needs, disagree, why), nil
}

// targets returns the target symbols of the frame that the code defines, and
// those that name a file.
func (t *turn) targets(ctx context.Context) (found []string, err error) {
	if t.State.Frame == nil {
		return nil, nil
	}
	for _, symbol := range t.State.Frame.TargetSymbols {
		if exploration.Exists(t.s.project, symbol) == nil {
			found = append(found, symbol)
			continue
		}
		files, err := t.s.code.Defined(ctx, symbol)
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			found = append(found, symbol)
		}
	}
	return found, nil
}

// globsFrom is how many must_verify files there must be before globs may answer
// for several at once.
const globsFrom = 30

// impactAnalysis wants an answer for every file that the analysis named.
func (t *turn) impactAnalysis(ctx context.Context, p payload.Impact) (answers, error) {
	covered, adds, must, should, err := t.explored().Analysed()
	if err != nil {
		return nil, err
	}
	t.State.OnlyAdds = false
	targets, err := t.targets(ctx)
	if err != nil {
		return nil, err
	}
	var missed []string
	for _, target := range targets {
		files, err := t.s.code.Defined(ctx, target)
		if err != nil {
			return nil, err
		}
		in := func(list []string) bool {
			return slices.ContainsFunc(files, func(f string) bool { return slices.Contains(list, f) })
		}
		switch {
		case slices.Contains(covered, target), in(covered):
		case in(adds) && t.State.Git:
			t.State.OnlyAdds = true
		default:
			missed = append(missed, target)
		}
	}
	if len(missed) > 0 {
		return nil, problem.New(refusal.PayloadMismatch, "session.impact_not_analyzed",
			strings.Join(missed, ", "), op.AnalyzeImpact).
			OrDo(op.AnalyzeImpact, "targets", missed)
	}
	var answered []state.FileImpact
	var wrong []error
	for i, f := range p.ImpactSummary.Files {
		at := fmt.Sprintf("impact_summary.files[%d]", i)
		wrong = append(wrong, refusal.OneOf(at+".status", f.Status, "will_modify", "no_change_needed", "not_affected"))
		if f.Status != "will_modify" && vaguetext.Silent(f.Reason) {
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.no_reason", at, f.File).
				Or("session.say_why_needs_no_change", f.File))
		}
		if glob := strings.ContainsAny(f.File, "*?["); glob && len(must) <= globsFrom && exploration.Exists(t.s.project, f.File) != nil {
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.globs_more_than_files", at, globsFrom, len(must)).
				Or("session.answer_each_file"))
		}
		if slices.ContainsFunc(answered, func(o state.FileImpact) bool { return o.File == f.File && o.Status != f.Status }) {
			wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.two_answers_differ", at, f.File).
				Or("session.answer_once_each_file"))
		}
		answered = append(answered, f)
	}
	if open := filesUnanswered(must, answered); len(open) > 0 {
		wrong = append(wrong, problem.New(refusal.ValidationFailed, "session.must_verify_files_no_answer", len(open), refusal.Some(open, 20)).
			Or("session.look_at_each_add_file"))
	}
	wrong = append(wrong, t.explored().CheckImpact(answered, must))
	if err := refusal.Join(wrong...); err != nil {
		return nil, err
	}
	if open := filesUnanswered(should, answered); len(open) > 0 {
		t.Warn("session.not_all_answered", refusal.Some(open, 10))
	}
	t.State.Impact = answered
	return nil, nil
}

// filesUnanswered returns the files that no answer mentions.
func filesUnanswered(files []string, given []state.FileImpact) (open []string) {
	for _, f := range files {
		if !slices.ContainsFunc(given, func(a state.FileImpact) bool { return a.File == f || globs(a.File, f) }) {
			open = append(open, f)
		}
	}
	return open
}

func duplicate(list []string) string {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return v
		}
	}
	return ""
}
