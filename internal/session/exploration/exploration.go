// Package exploration determines from the ledger what a session has looked at, and whether that is enough.
// The handlers of the phases before READY hold against it whatever a model claims to have found.
package exploration

import (
	"context"
	"path"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writablefiles"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Record is what one session has looked at.
type Record struct {
	Project *project.Project
	State   *state.State
	Ledger  *audit.Ledger
	Code    Code
}

// Code answers questions about the code of the project.
type Code struct {
	// Defined returns the files that define a symbol; where it is nil, symbols are not checked.
	Defined func(ctx context.Context, symbol string) ([]string, error)
	// Relevance returns how near each symbol is to a phrase; symbols that are defined nowhere are left out.
	Relevance func(ctx context.Context, phrase string, symbols []string) (map[string]float64, error)
	// Declares returns how many symbols a file declares; nil if that is unknown.
	Declares func(ctx context.Context, file string) (int, error)
}

// Tools are the tools that look at code. One kind is one name.
var Tools = op.Strings(
	op.SearchText, op.SearchFiles, op.FindDefinitions, op.FindReferences, op.GetSymbols, op.GetFunctionAtLine,
	op.AnalyzeStructure, op.SemanticSearch, op.FetchChunkDetail, op.Query, op.AnalyzeImpact, op.ValidateRelevance,
	op.Explore,
)

// steering are the tools that move a session. Claiming them claims nothing.
var steering = op.Strings(op.StartSession, op.SubmitPhase, op.GetSessionStatus)

// Calls returns the tool calls observed since seq that count as done: they
// succeeded, and returned something or had good reason not to.
func (r Record) Calls(since int64) ([]audit.Entry, error) {
	entries, err := r.Ledger.Since(since)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e audit.Entry) bool { return e.Kind != audit.Tool || !r.counts(e) }), nil
}

// counts reports whether a call counts for a requirement. A call with an empty answer counts
// only if it asked for something that the request mentions: then finding nothing is a result.
func (r Record) counts(e audit.Entry) bool {
	switch e.Outcome {
	case audit.OK:
		return true
	case audit.Empty:
		if len(e.Observed.Targets) > 0 {
			return true // what was analysed is there, and nothing refers to it
		}
		return slices.ContainsFunc(e.Observed.Asked, func(asked string) bool { return r.State.Frame.Mentions(r.State.Query, asked) })
	}
	return false
}

// ReadByClient reports whether a hook has seen the client show lines of a file since
// the phase began.
func (r Record) ReadByClient() (bool, error) {
	entries, err := r.Ledger.Since(r.State.Since)
	return slices.ContainsFunc(entries, func(e audit.Entry) bool {
		return e.Kind == audit.Event && e.Name == string(clients.After) && e.Outcome == audit.OK && len(e.Observed.Lines) > 0
	}), err
}

// CheckTools returns a Problem if tools_used claims a call that was not seen in the session. Whether the phase has
// the calls that it requires is another question, which no claim answers.
func (r Record) CheckTools(claimed []string) error {
	if len(claimed) == 0 {
		return nil
	}
	entries, err := r.Ledger.Since(0)
	if err != nil {
		return err
	}
	var seen []string
	for _, e := range entries {
		switch {
		case e.Outcome != audit.OK && e.Outcome != audit.Empty:
		case e.Kind == audit.Tool && !slices.Contains(steering, e.Name):
			seen = append(seen, e.Name)
		case e.Kind == audit.Event && e.Name == string(clients.After):
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

// Explored returns the files that the session has been shown lines of, and the
// empty ones, which have none to show.
func (r Record) Explored() (map[string]bool, error) {
	entries, err := r.Ledger.Since(0)
	if err != nil {
		return nil, err
	}
	files := make(map[string]bool)
	for f := range audit.Explored(entries) {
		files[f] = true
	}
	for _, f := range r.State.AddedFiles {
		files[f] = true
	}
	return files, nil
}

// CheckSeen returns a Problem if the list names a file that no tool has shown.
func (r Record) CheckSeen(field string, claimed []string) error {
	unseen, err := r.notShown(claimed)
	if err != nil || len(unseen) == 0 {
		return err
	}
	return notShown(field, unseen).Or("session.take_them_out", field)
}

// notShown returns those of some files that no tool has shown.
func (r Record) notShown(claimed []string) (unseen []string, err error) {
	explored, err := r.Explored()
	if err != nil {
		return nil, err
	}
	for _, f := range claimed {
		rel, err := r.Project.Resolve(f)
		if err != nil {
			return nil, err
		}
		if explored[rel] || writablefiles.EmptyFile(r.Project, rel) {
			continue
		}
		if err := Exists(r.Project, rel); err != nil {
			return nil, err
		}
		unseen = append(unseen, rel)
	}
	return unseen, nil
}

// notShown is the Problem of a field that names files which no tool has shown.
func notShown(field string, unseen []string) *problem.Problem {
	var ways []msg.Call
	for _, f := range unseen[:min(5, len(unseen))] {
		ways = append(ways, Cheapest(f))
	}
	return problem.New(refusal.UnobservedFiles, "session.names_files_no_tool_shown", field, refusal.Some(unseen, 10)).
		Or("session.look_at_them", msg.Listed(", ", ways))
}

// Cheapest is the call that shows lines of a file for the fewest tokens.
func Cheapest(file string) msg.Call { return msg.CallOf(op.GetSymbols, "file_path", file) }

// Analysed returns what the impact analyses since the phase began covered, the files of
// types to which they only add, and the files that they said must and should be looked at.
func (r Record) Analysed() (covered, adds, must, should []string, err error) {
	calls, err := r.Calls(r.State.Since)
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

// Shown returns the functions and symbols that tools have shown since the
// exploration began.
func (r Record) Shown() (names []string, err error) {
	calls, err := r.Calls(r.State.ExploreSince)
	for _, e := range calls {
		names = append(names, e.Observed.Callers...)
		names = append(names, e.Observed.Definitions...)
	}
	return names, err
}

// fileWord finds what looks like the name of a file in running text.
var fileWord = lazyregexp.MustCompile(`[\pL\pN_./-]+\.[A-Za-z][A-Za-z0-9]{0,7}\b`)

// MarkupOnly reports whether the targets are files without logic and nothing
// else. Templates that bear logic (.vue, .blade.php, .jsx …) are not such files.
func (r Record) MarkupOnly() bool {
	if r.State.Frame == nil {
		return false
	}
	var named []string
	for _, text := range append([]string{r.State.Frame.Scope}, r.State.Frame.TargetSymbols...) {
		for _, f := range fileWord.FindAllString(text, -1) {
			if Exists(r.Project, f) == nil {
				named = append(named, f)
			}
		}
	}
	for _, symbol := range r.State.Frame.TargetSymbols {
		if !slices.Contains(named, symbol) {
			return false // a symbol is logic
		}
	}
	return len(named) > 0 && !slices.ContainsFunc(named, func(f string) bool { return !isMarkup(f) })
}

// isMarkup reports whether a file has no logic; a change to nothing else needs less
// exploration.
func isMarkup(file string) bool {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	return ext == "sass" || slices.Contains(strings.Fields(syntax.Of(syntax.Detect(file, nil)).NoLogic), ext)
}
