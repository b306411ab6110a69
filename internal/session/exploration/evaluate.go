package exploration

import (
	"context"
	"slices"

	"codeintel/internal/audit"
	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
)

// want is what an exploration must have seen, by intent.
var want = map[state.Intent]struct {
	symbols, entryPoints, files, patterns int
	tools                                 []string
}{
	state.Implement:   {3, 1, 2, 1, op.Strings(op.FindDefinitions, op.FindReferences)},
	state.Modify:      {3, 1, 2, 1, op.Strings(op.FindDefinitions, op.FindReferences)},
	state.Investigate: {1, 0, 1, 0, nil},
	state.Question:    {},
}

// ReasonCodes are the answers to "why is more information needed"; [Explains] says
// which of them fits what is missing.
var ReasonCodes = []string{"no_definition_found", "no_reference_found", "no_similar_implementation",
	"architecture_unknown", "context_fragmented"}

// lacks are the reason codes that fit what an evaluation says is missing.
var lacks = map[string][]string{
	"session.missing_symbols":      {"no_definition_found", "architecture_unknown"},
	"session.missing_entry_points": {"no_definition_found", "no_reference_found"},
	"session.missing_patterns":     {"no_similar_implementation", "architecture_unknown"},
	"session.missing_files":        {"context_fragmented", "architecture_unknown"},
	"session.missing_tool":         {"no_definition_found", "no_reference_found"},
}

// Explains reports whether the reason code fits anything that is missing.
func Explains(e *state.Evaluation, code string) bool {
	return slices.ContainsFunc(e.Missing, func(m msg.Message) bool { return slices.Contains(lacks[m.Key()], code) })
}

// Evaluate judges the exploration by what the ledger saw, and by no more than there is to see.
func (r Record) Evaluate(ctx context.Context) (*state.Evaluation, error) {
	calls, err := r.Calls(r.State.ExploreSince)
	if err != nil {
		return nil, err
	}
	var definitions, callers, patterns, files, used []string
	for _, e := range calls {
		definitions = append(definitions, e.Observed.Definitions...)
		callers = append(callers, e.Observed.Callers...)
		patterns = append(patterns, e.Observed.Patterns...)
		used = append(used, e.Name)
	}
	entries, err := r.Ledger.Since(r.State.ExploreSince) // what the client's own tools have shown counts too
	if err != nil {
		return nil, err
	}
	for f := range audit.Explored(entries) {
		files = append(files, f)
	}
	e := &state.Evaluation{
		Confidence: state.High, Symbols: len(text.Distinct(definitions)), EntryPoints: len(text.Distinct(callers)),
		Files: len(files), Patterns: len(text.Distinct(patterns)),
	}
	w := want[r.State.Intent]
	if r.Project.IsEmpty() { // nothing to be seen, and so nothing missed
		w = want[state.Question]
	}
	if r.MarkupOnly() {
		w.symbols, w.entryPoints, w.files, w.tools = 0, 0, min(w.files, 1), nil
	}
	if slices.ContainsFunc(calls, showsNoCaller) {
		w.entryPoints = 0
	}
	if e.Files < w.files || e.Symbols < w.symbols {
		w.files, w.symbols, err = r.atMost(ctx, w.files, w.symbols, files)
		if err != nil {
			return nil, err
		}
	}
	lack := func(what string, got, want int) {
		if got < want {
			e.Missing = append(e.Missing, msg.New(what, got, want))
		}
	}
	lack("session.missing_symbols", e.Symbols, w.symbols)
	lack("session.missing_entry_points", e.EntryPoints, w.entryPoints)
	lack("session.missing_files", e.Files, w.files)
	lack("session.missing_patterns", e.Patterns, w.patterns)
	for _, tool := range w.tools {
		if !slices.Contains(used, tool) {
			e.Missing = append(e.Missing, msg.New("session.missing_tool", tool))
		}
	}
	if len(e.Missing) > 0 {
		e.Confidence = state.Low
	}
	return e, nil
}

// showsNoCaller reports whether a call looked for uses of a symbol that is there, and no function
// was among them: a setting, an output of Terraform, what only callers outside of the project use.
func showsNoCaller(e audit.Entry) bool {
	return e.Name == string(op.FindReferences) && len(e.Observed.Definitions) > 0 && len(e.Observed.Callers) == 0
}

// atMost returns how many files and symbols an exploration can have seen, of those that are wanted: those of
// the project, and those that its files declare. It begins with the files that were shown, and looks no further
// than it has to.
func (r Record) atMost(ctx context.Context, wantFiles, wantSymbols int, shown []string) (most, symbols int, err error) {
	list, err := files.List(ctx, r.Project)
	if err != nil || r.Code.Declares == nil {
		return wantFiles, wantSymbols, err
	}
	all := slices.Clone(shown)
	for _, f := range list {
		all = append(all, f.Path)
	}
	for _, file := range text.Distinct(all) {
		if symbols >= wantSymbols {
			break
		}
		declared, err := r.Code.Declares(ctx, file)
		if err != nil {
			return wantFiles, wantSymbols, err
		}
		symbols += declared
	}
	return min(wantFiles, len(list)), min(wantSymbols, symbols), nil
}
