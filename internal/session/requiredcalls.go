package session

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/exploration"
	"codeintel/internal/session/refusal"
	"codeintel/internal/text"
	"codeintel/internal/text/glob"
	"codeintel/internal/workflow/phase"
)

// require returns a Problem unless the calls that the phase's contract requires
// have been observed since the phase began.
func (t *turn) require(id phase.ID) error {
	c, _ := t.s.table.Contract(id)
	need := c.Requires
	calls, err := t.explored().Calls(t.State.Since)
	if err != nil {
		return err
	}
	if t.s.project.IsEmpty() {
		return nil // there is nothing that a tool could show
	}
	var used []string
	for _, e := range calls {
		used = append(used, e.Name)
	}
	var missing []string
	for _, tool := range slices.Concat(need.Tools, t.s.texts.Requires(id)) {
		if !slices.Contains(used, tool) {
			missing = append(missing, tool)
		}
	}
	if len(missing) > 0 {
		return problem.New(refusal.PayloadMismatch, "session.requires_no_call_returned_something", t.s.wire(id),
			strings.Join(missing, " and ")).
			Or("session.call_then_submit_again", missing[0])
	}
	var kinds []any
	for _, k := range text.Intersect(used, exploration.Tools) {
		kinds = append(kinds, k)
	}
	if read, err := t.explored().ReadByClient(); err != nil {
		return err
	} else if need.Reads && read {
		kinds = append(kinds, msg.New("session.file_read_by_client"))
	}
	want := need.Kinds
	if want > 1 && t.explored().MarkupOnly() {
		want = 1
	}
	if len(kinds) < want {
		return problem.New(refusal.PayloadMismatch, "session.requires_kinds_exploration_tools_seen", t.s.wire(id),
			want, noneOr(kinds)).
			Or("session.call_more", strings.Join(exploration.Tools[:9], ", "))
	}
	return nil
}

// explored is what the session has looked at.
func (t *turn) explored() exploration.Record {
	code := exploration.Code{Defined: t.s.code.Defined, Relevance: t.s.code.Relevance}
	if declared := t.s.code.Declared; declared != nil {
		code.Declares = func(ctx context.Context, file string) (int, error) {
			all, err := declared(ctx, file, []git.Range{{Start: 1, End: math.MaxInt32}})
			return len(all), err
		}
	}
	return exploration.Record{Project: t.s.project, State: t.State, Ledger: t.Ledger, Code: code}
}

// noneOr is orNone for arguments of messages.
func noneOr(list []any) any {
	if len(list) == 0 {
		return msg.New("session.none")
	}
	return msg.ListOf(", ", list...)
}

func globs(pattern, file string) bool {
	return glob.Valid(pattern) && glob.Match(pattern, path.Clean(file))
}

// defaultSummary serves where a payload may leave its summary out.
func (t *turn) defaultSummary(text string) {
	if t.summary == "" {
		t.summary = strings.TrimSpace(text)
	}
}
