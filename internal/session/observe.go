package session

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/audit"
	"codeintel/internal/files"
	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/manifest"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writescope"
	"codeintel/internal/text"
	"codeintel/internal/text/glob"
	"codeintel/internal/workflow/phase"
)

// exploring are the tools that look at code. One kind is one name.
var exploring = op.Strings(
	op.SearchText, op.SearchFiles, op.FindDefinitions, op.FindReferences, op.GetSymbols, op.GetFunctionAtLine,
	op.AnalyzeStructure, op.SemanticSearch, op.FetchChunkDetail, op.Query, op.AnalyzeImpact, op.ValidateRelevance,
	op.Explore,
)

// steering are the tools that move a session. Claiming them claims nothing.
var steering = op.Strings(op.StartSession, op.SubmitPhase, op.GetSessionStatus)

// calls returns the tool calls observed since seq that count as done: they
// succeeded, and returned something or had good reason not to.
func (t *turn) calls(since int64) ([]audit.Entry, error) {
	entries, err := t.ledger.Since(since)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e audit.Entry) bool { return e.Kind != audit.Tool || !t.counts(e) }), nil
}

// counts reports whether a call counts for a requirement. A call with an empty answer counts
// only if it asked for something that the request mentions: then finding nothing is a result.
func (t *turn) counts(e audit.Entry) bool {
	switch e.Outcome {
	case audit.OK:
		return true
	case audit.Empty:
		if len(e.Observed.Targets) > 0 {
			return true // what was analysed is there, and nothing refers to it
		}
		return slices.ContainsFunc(e.Observed.Asked, func(asked string) bool { return t.st.Frame.Mentions(t.st.Query, asked) })
	}
	return false
}

// require returns a Problem unless the calls that the phase's contract requires
// have been observed since the phase began.
func (t *turn) require(id phase.ID) error {
	c, _ := t.s.table.Contract(id)
	need := c.Requires
	calls, err := t.calls(t.st.Since)
	if err != nil {
		return err
	}
	if manifest.Empty(t.s.project) {
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
	for _, k := range text.Intersect(used, exploring) {
		kinds = append(kinds, k)
	}
	if read, err := t.readSeen(); err != nil {
		return err
	} else if need.Reads && read {
		kinds = append(kinds, msg.New("session.file_read_by_client"))
	}
	want := need.Kinds
	if want > 1 && t.markupOnly() {
		want = 1
	}
	if len(kinds) < want {
		return problem.New(refusal.PayloadMismatch, "session.requires_kinds_exploration_tools_seen", t.s.wire(id),
			want, noneOr(kinds)).
			Or("session.call_more", strings.Join(exploring[:9], ", "))
	}
	return nil
}

// readSeen reports whether a hook has seen the client show lines of a file since
// the phase began.
func (t *turn) readSeen() (bool, error) {
	entries, err := t.ledger.Since(t.st.Since)
	return slices.ContainsFunc(entries, func(e audit.Entry) bool {
		return e.Kind == audit.Event && e.Name == after && e.Outcome == audit.OK && len(e.Observed.Lines) > 0
	}), err
}

// observedTools returns a Problem if tools_used claims a call that was not seen.
func (t *turn) observedTools(claimed []string) error {
	if len(claimed) == 0 {
		return nil
	}
	entries, err := t.ledger.Since(min(t.since, t.st.Since))
	if err != nil {
		return err
	}
	var seen []string
	for _, e := range entries {
		switch {
		case e.Outcome != audit.OK && e.Outcome != audit.Empty:
		case e.Kind == audit.Tool:
			seen = append(seen, e.Name)
		case e.Kind == audit.Event && e.Name == after:
			seen = append(seen, bareTool(e.Detail["tool"]))
		}
	}
	var unseen []string
	for _, name := range claimed {
		if bare := bareTool(name); bare != "" && !slices.Contains(seen, bare) && !slices.Contains(steering, bare) {
			unseen = append(unseen, name)
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	return problem.New(refusal.PayloadMismatch, "session.tools_used_names_but_server", strings.Join(unseen, ", ")).
		Or("session.call_tool_or_take_its_name_out", answer.OrNone(text.Distinct(seen)))
}

// bareTool strips the prefix that a client puts before a tool's name, and a note
// that a model puts after it: "mcp__code-intel__search_text (2x)".
func bareTool(name string) string {
	name = strings.TrimSpace(name)
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	if i := strings.IndexAny(name, " (:"); i > 0 {
		name = name[:i]
	}
	return name
}

// explored returns the files that the session has been shown lines of, and the
// empty ones, which have none to show.
func (t *turn) explored() (map[string]bool, error) {
	entries, err := t.ledger.Since(0)
	if err != nil {
		return nil, err
	}
	files := make(map[string]bool)
	for f := range audit.Explored(entries) {
		files[f] = true
	}
	for _, f := range t.st.AddedFiles {
		files[f] = true
	}
	return files, nil
}

// seen returns a Problem if the list names a file that no tool has shown.
func (t *turn) seen(field string, claimed []string) error {
	explored, err := t.explored()
	if err != nil {
		return err
	}
	var unseen []string
	var ways []msg.Call
	for _, f := range claimed {
		rel, err := t.s.project.Resolve(f)
		if err != nil {
			return err
		}
		if explored[rel] || writescope.EmptyFile(t.s.project, rel) {
			continue
		}
		if err := t.s.exists(rel); err != nil {
			return err
		}
		unseen = append(unseen, rel)
		ways = append(ways, cheapest(rel))
	}
	if len(unseen) == 0 {
		return nil
	}
	return problem.New(refusal.UnobservedFiles, "session.names_files_no_tool_shown", field, refusal.Some(unseen, 10)).
		Or("session.look_at_them", msg.Listed(", ", ways[:min(5, len(ways))])).
		Or("session.take_them_out", field)
}

// cheapest is the call that shows lines of a file for the fewest tokens.
func cheapest(file string) msg.Call { return msg.CallOf(op.GetSymbols, "file_path", file) }

// analysed returns what the impact analyses since the phase began covered, the files of
// types to which they only add, and the files that they said must and should be looked at.
func (t *turn) analysed() (covered, adds, must, should []string, err error) {
	calls, err := t.calls(t.st.Since)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	for _, e := range calls {
		covered = append(covered, e.Observed.Targets...)
		adds = append(adds, e.Observed.Adds...)
		must = append(must, e.Observed.MustVerify...)
		should = append(should, e.Observed.Should...)
	}
	return text.Distinct(covered), adds, text.Distinct(must), text.Distinct(should), nil
}

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

// reasonCodes are the answers to "why is more information needed"; explains says
// which of them fits what is missing.
var reasonCodes = []string{"no_definition_found", "no_reference_found", "no_similar_implementation",
	"architecture_unknown", "context_fragmented"}

// lacks are the reason codes that fit what an evaluation says is missing.
var lacks = map[string][]string{
	"session.missing_symbols":      {"no_definition_found", "architecture_unknown"},
	"session.missing_entry_points": {"no_definition_found", "no_reference_found"},
	"session.missing_patterns":     {"no_similar_implementation", "architecture_unknown"},
	"session.missing_files":        {"context_fragmented", "architecture_unknown"},
	"session.missing_tool":         {"no_definition_found", "no_reference_found"},
}

// explains reports whether the reason code fits anything that is missing.
func explains(e *state.Evaluation, code string) bool {
	return slices.ContainsFunc(e.Missing, func(m msg.Message) bool { return slices.Contains(lacks[m.Key()], code) })
}

// evaluate judges the exploration by what the ledger saw, and by no more than there is to see.
func (t *turn) evaluate(ctx context.Context) (*state.Evaluation, error) {
	calls, err := t.calls(t.st.ExploreSince)
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
	entries, err := t.ledger.Since(t.st.ExploreSince) // what the client's own tools have shown counts too
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
	w := want[t.st.Intent]
	if manifest.Empty(t.s.project) { // nothing to be seen, and so nothing missed
		w = want[state.Question]
	}
	if t.markupOnly() {
		w.symbols, w.entryPoints, w.files, w.tools = 0, 0, min(w.files, 1), nil
	}
	if e.Files < w.files || e.Symbols < w.symbols {
		w.files, w.symbols, err = t.atMost(ctx, w.files, w.symbols, files)
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

// atMost returns how many files and symbols an exploration can have seen, of those that are wanted: those of
// the project, and those that its files declare. It begins with the files that were shown, and looks no further
// than it has to.
func (t *turn) atMost(ctx context.Context, wantFiles, wantSymbols int, shown []string) (most, symbols int, err error) {
	list, err := files.List(ctx, t.s.project)
	if err != nil || t.s.code.Declared == nil {
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
		declared, err := t.s.code.Declared(ctx, file, []git.Range{{Start: 1, End: math.MaxInt32}})
		if err != nil {
			return wantFiles, wantSymbols, err
		}
		symbols += len(declared)
	}
	return min(wantFiles, len(list)), min(wantSymbols, symbols), nil
}

// shown returns the functions and symbols that tools have shown since the
// exploration began.
func (t *turn) shown() (names []string, err error) {
	calls, err := t.calls(t.st.ExploreSince)
	for _, e := range calls {
		names = append(names, e.Observed.Callers...)
		names = append(names, e.Observed.Definitions...)
	}
	return names, err
}

// fileWord finds what looks like the name of a file in running text.
var fileWord = lazyregexp.MustCompile(`[\pL\pN_./-]+\.[A-Za-z][A-Za-z0-9]{0,7}\b`)

// markupOnly reports whether the targets are files without logic and nothing
// else. Templates that bear logic (.vue, .blade.php, .jsx …) are not such files.
func (t *turn) markupOnly() bool {
	if t.st.Frame == nil {
		return false
	}
	var named []string
	for _, text := range append([]string{t.st.Frame.Scope}, t.st.Frame.TargetSymbols...) {
		for _, f := range fileWord.FindAllString(text, -1) {
			if t.s.exists(f) == nil {
				named = append(named, f)
			}
		}
	}
	for _, symbol := range t.st.Frame.TargetSymbols {
		if !slices.Contains(named, symbol) {
			return false // a symbol is logic
		}
	}
	return len(named) > 0 && !slices.ContainsFunc(named, func(f string) bool { return !isMarkup(f) })
}

// placeWord finds "file:line" and "file:line-line" in running text.
var placeWord = lazyregexp.MustCompile(`[\pL\pN_./@+\[\]-]*[\pL\pN_/\]]+(?:\.[\pL\pN_]+)*:\d+(?:-\d+)?`)

// places returns the references to lines that a text holds. Times of day and
// addresses on the network look alike, and are none.
func (s *Service) places(text string) (refs []string) {
	for _, at := range placeWord.FindAllStringIndex(text, -1) {
		ref := text[at[0]:at[1]]
		file, lines, _ := strings.Cut(ref, ":")
		if strings.HasPrefix(ref, "//") || !strings.ContainsFunc(file, unicode.IsLetter) {
			continue
		}
		if s.exists(file) != nil {
			if whole := s.fileBefore(text[:at[0]+len(file)]); whole != "" {
				ref = whole + ":" + lines
			}
		}
		refs = append(refs, ref)
	}
	return refs
}

// fileBefore returns the longest file of the project whose name a text ends with,
// or "". Names may hold blanks, and Japanese puts none before them.
func (s *Service) fileBefore(text string) string {
	const longest = 200
	if len(text) > longest {
		text = strings.ToValidUTF8(text[len(text)-longest:], "")
	}
	inWord := false // the character before belongs to the name
	for i, r := range text {
		if !inWord && s.exists(text[i:]) == nil {
			return text[i:]
		}
		inWord = r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./", r))
	}
	return ""
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
