package session

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/session/manifest"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/wording"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
)

// symbolsExist refuses symbols that no tool has shown and the code does not define.
func (t *turn) symbolsExist(ctx context.Context, claimed, shown []string) error {
	if t.s.code.Defined == nil || manifest.Empty(t.s.project) {
		return nil
	}
	var unknown []string
	for _, symbol := range claimed {
		if t.s.exists(symbol) == nil || slices.ContainsFunc(shown,
			func(s string) bool { return tied(symbol, s) || tied(s, symbol) }) {
			continue
		}
		name := strings.TrimSpace(symbolName.FindString(symbol))
		files, err := t.s.code.Defined(ctx, name)
		if err != nil {
			return err
		}
		if len(files) == 0 && name != symbol {
			if files, err = t.s.code.Defined(ctx, symbol); err != nil {
				return err
			}
		}
		if len(files) == 0 {
			unknown = append(unknown, symbol)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return problem.New(refusal.ValidationFailed, "session.symbols_are_not_defined", refusal.Some(unknown, 10)).
		Or("session.name_symbols_that_are_there")
}

// symbolName finds the name at the beginning of how a symbol is written: "Cart.total"
// of "Cart.total(tax=0) in shop/cart.py".
var symbolName = lazyregexp.MustCompile(`^[\pL\pN_.:#$@]+`)

// placesHold refuses claims about lines that are not there, in files that no tool has
// shown, and those that name what the file does not hold.
func (t *turn) placesHold(field string, claims []string) error {
	explored, err := t.explored()
	if err != nil {
		return err
	}
	var unseen []string
	for _, f := range claims {
		for _, ref := range t.s.places(f) {
			if err := t.s.place(field, ref); err != nil {
				return err
			}
			file, _, _ := strings.Cut(ref, ":")
			if rel, err := t.s.project.Resolve(ref[:strings.LastIndex(ref, ":")]); err == nil {
				file = rel
			}
			if !explored[file] {
				unseen = append(unseen, file)
				continue
			}
			if name := t.s.namesOther(f, ref, file); name != "" {
				return problem.New(refusal.ValidationFailed, "session.finding_names_what_is_not_there", f, name, file).
					Or("session.say_each_finding_with_its_place")
			}
		}
	}
	if unseen = text.Distinct(unseen); len(unseen) == 0 {
		return nil
	}
	var ways []msg.Call
	for _, f := range unseen {
		ways = append(ways, cheapest(f))
	}
	return problem.New(refusal.UnobservedFiles, "session.names_files_no_tool_shown", field, refusal.Some(unseen, 10)).
		Or("session.look_at_them", msg.Listed(", ", ways[:min(5, len(ways))])).
		Or("session.take_them_out", field)
}

// codeWord finds what is written as code in running text: calls, and names in snake
// case or in camel case.
var codeWord = lazyregexp.MustCompile(`\b[A-Za-z_][A-Za-z0-9_]*(?:\(\)|\()|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z][A-Za-z0-9]*\b`)

// namesOther returns a name of a finding, if it has names of code and the file that it
// cites holds none of them.
func (s *Service) namesOther(finding, ref, file string) string {
	data, err := repofile.In(s.project.Root, file).Read(repofile.Records)
	if err != nil {
		return ""
	}
	text, other := string(data), ""
	for _, name := range codeWord.FindAllString(strings.ReplaceAll(finding, ref, " "), -1) {
		name = strings.TrimRight(name, "()")
		if strings.Contains(text, name) || strings.Contains(file, name) {
			return ""
		}
		other = name
	}
	return other
}

// hypothesesMet refuses verdicts that leave out a hypothesis that was registered.
func (t *turn) hypothesesMet(given []state.Verdict) error {
	var open []string
	for _, h := range t.st.Hypotheses {
		if !slices.ContainsFunc(slices.Concat(t.st.Verified, given),
			func(v state.Verdict) bool { return wording.Plain(v.Hypothesis) == wording.Plain(h) }) {
			open = append(open, h)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return problem.New(refusal.ValidationFailed, "session.hypothesis_without_verdict", refusal.Quoted(open)).
		Or("session.give_each_hypothesis_a_verdict")
}

// oneReason is how many files may share a reason that names no target.
const oneReason = 2

// impactLooked refuses answers for files that no tool has shown. It also refuses a reason that
// is given for many files unless it names a target of the request: what is true of every file
// that uses a type may be said once, but not what could be said of any file.
func (t *turn) impactLooked(answers []state.FileImpact) error {
	var targets []string
	if t.st.Frame != nil {
		targets = t.st.Frame.TargetSymbols
	}
	var files []string
	reasons := make(map[string]int)
	for _, a := range answers {
		if a.Status == "will_modify" || strings.ContainsAny(a.File, "*?[") || t.s.exists(a.File) != nil {
			continue
		}
		files = append(files, a.File)
		specific := slices.ContainsFunc(targets, func(symbol string) bool { return tied(a.Reason, symbol) })
		if reasons[wording.Plain(a.Reason)]++; reasons[wording.Plain(a.Reason)] > oneReason && !specific {
			return problem.New(refusal.ValidationFailed, "session.one_reason_for_many_files", a.Reason, a.File).
				Or("session.say_why_needs_no_change", a.File)
		}
	}
	return t.seen("impact_summary", files)
}

// impactHolds checks what the impact analysis said of files against the change. A different
// decision must be reported with its reason.
func (t *turn) impactHolds(ctx context.Context, said []state.FileImpact) error {
	if len(t.st.Impact) == 0 {
		return nil
	}
	own, err := t.own(ctx)
	if err != nil {
		return err
	}
	changed := git.Paths(own)
	var wrong []string
	for i, f := range t.st.Impact {
		touched := slices.ContainsFunc(changed, func(c string) bool { return c == f.File || globs(f.File, c) })
		if touched == (f.Status == "will_modify") {
			continue
		}
		j := slices.IndexFunc(said, func(o state.FileImpact) bool { return o.File == f.File })
		if j < 0 || refusal.RequireReason("reason", said[j].Reason) != nil {
			wrong = append(wrong, f.File+" ("+f.Status+")")
			continue
		}
		t.st.Impact[i].Status, t.st.Impact[i].Reason = "no_change_needed", said[j].Reason
		if touched {
			t.st.Impact[i].Status = "will_modify"
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return problem.New(refusal.ValidationFailed, "session.impact_does_not_hold", refusal.Some(wrong, 20)).
		OrSay(msg.New("session.say_why_it_turned_out_otherwise", refusal.Submit("impact_changes", msg.Blank))).
		Or("session.else_change_or_take_back")
}

// onlyAdded checks a claim that the change only adds code. If it also changes something that
// existed, the places that use it must have been looked at.
func (t *turn) onlyAdded(ctx context.Context) error {
	if !t.st.OnlyAdds || t.st.Base == "" {
		return nil
	}
	symbols, files, err := t.s.code.Changed(ctx, t.st.Base)
	if p := problem.Of(err); p != nil { // such as a history that cannot be read: nobody is stuck by it
		t.st.Warn("session.additions_not_compared", p.Message)
		return nil
	}
	if err != nil {
		return err
	}
	explored, err := t.explored()
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return explored[f] })
	if len(files) == 0 {
		return nil
	}
	var ways []msg.Call
	for _, f := range files[:min(5, len(files))] {
		ways = append(ways, cheapest(f))
	}
	return problem.New(refusal.ValidationFailed, "session.change_does_not_only_add", refusal.Some(symbols, 10), refusal.Some(files, 20)).
		Or("session.look_at_them", msg.Listed(", ", ways)).
		Or("session.else_change_or_take_back")
}

// clean refuses files with conflict markers or secrets that were not there before,
// unless the review keeps them with a reason.
func (t *turn) clean(ctx context.Context, keep []string, reviewed []payload.ReviewedFile) error {
	for _, f := range keep {
		data, err := repofile.In(t.s.project.Root, f).Read(repofile.Records)
		if err != nil {
			continue // it is gone, or no file
		}
		before, err := t.before(ctx, f)
		if err != nil {
			return err
		}
		what := ""
		switch {
		case workflow.BringsConflict(data, before):
			what = "session.holds_conflict_markers"
		case workflow.BringsSecret(data, before):
			what = "session.holds_a_secret"
		case workflow.BringsHidden(data, before):
			what = "session.holds_hidden_order"
		default:
			continue
		}
		i := slices.IndexFunc(reviewed, func(r payload.ReviewedFile) bool {
			return r.Path == f && refusal.RequireReason("reason", r.Reason) == nil
		})
		if i >= 0 {
			t.st.Warn("session.kept_in_spite_of_it", f, msg.New(what, f), reviewed[i].Reason)
			continue
		}
		return problem.New(refusal.ValidationFailed, what, f).
			Or("session.if_the_edit_is_meant", refusal.BackToReady()).
			Or("session.keep_it_with_a_reason", f)
	}
	return nil
}

// before returns a file as it was when the session began; nothing if it was not there.
func (t *turn) before(ctx context.Context, file string) ([]byte, error) {
	r, err := t.repo(ctx)
	if err != nil || t.st.Base == "" {
		return nil, err
	}
	data, err := r.Content(ctx, t.st.Base, file, int64(repofile.Records))
	if err != nil {
		return nil, nil // it was not there
	}
	return data, nil
}
