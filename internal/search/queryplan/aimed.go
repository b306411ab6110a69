package queryplan

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/search"
	"codeintel/internal/search/dependencies"
	"codeintel/internal/search/impact"
	"codeintel/internal/search/overrides"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// weightAim is how much what an aim asks for counts: more than all else together.
const weightAim = 4.0

// aimed results of one step.
const aimedEach = 200

// weight returns what a finding of a tool counts: what the aim asks for comes first.
func (r *run) weight(tool string, usual float64) float64 {
	if list := r.aim.Kind.tools(); len(list) > 0 && list[0] == tool {
		return weightAim
	}
	return usual
}

// defined returns what says whether the code defines a name, or has a folder whose
// name ends in a slash.
func (r *Router) defined(ctx context.Context, q Query) func(string) bool {
	return func(name string) bool {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			a, err := r.e.Files(ctx, search.FilesQuery{Pattern: dir + "/**", Match: search.GlobMatch, Page: search.Page{Limit: 1}})
			return err == nil && a.Total > 0
		}
		a, err := r.e.Definitions(ctx, search.DefinitionsQuery{
			Symbol: name, Language: q.Language, ExactMatch: true, Where: q.Where, Page: search.Page{Limit: 1},
		})
		return err == nil && a.Total > 0
	}
}

// fileCalled returns the path of the file that a question calls by its name or the end of
// its path; the name itself if there is none, or several.
func (r *run) fileCalled(name string) string {
	for _, pattern := range []string{name, "**/" + name, "**/" + name + ".*"} {
		a, err := r.e.Files(r.ctx, search.FilesQuery{Pattern: pattern, Match: search.GlobMatch, Where: r.q.Where,
			Page: stepPage(2)})
		if err == nil && a.Total == 1 {
			return a.Files[0].File
		}
	}
	return name
}

// impact says what a change of the target would touch, or which tests are of it.
func (r *run) impact(s *Step) error {
	target := r.aim.Target
	if pathLike.MatchString(target) {
		target = r.fileCalled(target)
	}
	s.Args = target
	a, err := impact.New(r.p, r.x, r.e, nil).Analyze(r.ctx, impact.Query{
		Targets: search.OneOrMore{target}, Where: r.q.Where, Page: search.Page{Limit: aimedEach, MaxTokens: stepTokens},
	})
	if err != nil {
		return err
	}
	r.fresh = a.Freshness
	r.whole.Lack(a.Completeness)
	tests := r.aim.Kind == TestsOf
	for i, f := range append(a.MustVerify, a.ShouldVerify...) {
		if tests && !search.TestFile(f.File) {
			continue
		}
		res := Result{File: f.File, StartLine: 1, EndLine: 1, Reasons: []string{f.Reason}}
		if len(f.Lines) > 0 {
			res.StartLine, res.EndLine = f.Lines[0], f.Lines[0]
		}
		if i < len(a.MustVerify) && !tests {
			res.Reasons = append([]string{"must verify"}, res.Reasons...)
		}
		r.found.add(res, impactOf, r.weight(impactOf, weightReference), s.Found)
		s.Found++
	}
	return nil
}

// atLine shows the function at a line.
func (r *run) atLine(s *Step) error {
	file := r.fileCalled(r.aim.Target)
	s.Args = fmt.Sprintf("%s:%d", file, r.aim.Line)
	a, err := r.e.FunctionAt(r.ctx, search.FunctionAtQuery{FilePath: file, Line: r.aim.Line})
	if err != nil {
		return err
	}
	r.fresh, r.file = a.Freshness, a.File
	r.whole.Lack(a.Completeness)
	if a.Function == nil {
		r.notes = append(r.notes, a.Notes...)
		return nil
	}
	f := a.Function
	s.Found = 1
	r.found.add(Result{
		File: a.File, StartLine: f.StartLine, EndLine: f.EndLine, Symbol: text.Dotted(f.Scope, f.Name), Kind: f.Kind,
		Signature: f.Signature, Snippet: f.Content, snippetAt: f.ContentAt, whole: true,
	}, functionAt, weightAim, 0)
	return nil
}

// fileNames lists the files of a name.
func (r *run) fileNames(s *Step) error {
	s.Args = r.aim.Target
	a, err := r.e.Files(r.ctx, search.FilesQuery{
		Pattern: r.aim.Target, FileType: r.q.Language, Where: r.q.Where, Page: stepPage(aimedEach),
	})
	if err != nil {
		return err
	}
	s.Found, r.fresh = a.Total, a.Freshness
	r.whole.Lack(a.Completeness)
	for i, f := range a.Files {
		r.found.add(Result{File: f.File}, fileNames, weightAim, i)
	}
	return nil
}

// links lists what a file or folder imports, or what imports it.
func (r *run) links(s *Step) error {
	file, way := r.fileCalled(r.aim.Target), dependencies.Imports
	if r.aim.Kind == ImportersOf {
		way = dependencies.Importers
	}
	s.Args = file
	a, err := dependencies.New(r.p, r.x, r.e).List(r.ctx, dependencies.Query{Path: file, Direction: way, Page: stepPage(aimedEach)})
	if err != nil {
		return err
	}
	r.fresh = a.Freshness
	r.whole.Lack(a.Completeness)
	r.notes = append(r.notes, a.Notes...)
	add := func(file string, line int, content, why string) {
		r.found.add(Result{File: file, StartLine: line, EndLine: line, Matches: []Line{{Line: line, Content: content}},
			Reasons: []string{why}}, fileLinks, weightAim, s.Found)
		s.Found++
	}
	for _, i := range a.Imports {
		to := strings.Join(append(slices.Clone(i.Files), i.Folder, i.Outside), " ")
		add(cmp.Or(i.File, a.Path), i.Line, strings.TrimSpace(i.Name+" → "+strings.TrimSpace(to)), "imports")
	}
	for _, i := range a.ImportedBy {
		add(i.File, i.Line, i.Name, "imports "+a.Path)
	}
	for _, u := range a.UsedBy {
		for _, line := range u.Lines[:min(len(u.Lines), shownMatches)] {
			add(u.File, line, u.Reason, "uses "+a.Path)
		}
	}
	return nil
}

// implementers lists the types that name another in their heads, or take it in among their
// members, and of an interface of Go those that have its methods. Where there is none, all
// that refers to it is listed.
func (r *run) implementers(s *Step) error {
	name := r.aim.Target
	s.Args = name
	if err := r.addImplementers(s, name); err != nil {
		return err
	}
	q := search.ReferencesQuery{Symbol: name, Language: r.q.Language, Where: r.q.Where,
		Page: search.Page{Limit: aimedEach, MaxTokens: stepTokens}}
	ofFile, others := map[string][]index.Symbol{}, false
	for range maxPages {
		a, err := r.e.References(r.ctx, q)
		if err != nil {
			return err
		}
		r.fresh = a.Freshness
		r.whole.Lack(a.Completeness)
		for _, ref := range a.References {
			if ref.Confidence == search.Possible || ref.Role == syntax.ImportUse || ref.Role == syntax.Definition {
				continue
			}
			list, known := ofFile[ref.File]
			if !known {
				if list, err = r.x.FileSymbols(r.ctx, ref.File); err != nil {
					return fmt.Errorf("types of %s: %w", ref.File, err)
				}
				ofFile[ref.File] = list
			}
			of := overrides.Derived(list, symbolname.Parse(name).Base, ref.Line, ref.Content, ref.EnclosingKind)
			if of == nil {
				of = anonymousSubclass(&ref, name)
			}
			if of == nil {
				others = true
				continue
			}
			r.found.add(Result{
				File: of.File, StartLine: of.StartLine, EndLine: of.EndLine, Symbol: text.Dotted(of.Scope, of.Name), Kind: of.Kind,
				Signature: of.Signature, Matches: []Line{{Line: ref.Line, Content: ref.Content}},
				Reasons: []string{"derived from " + name},
			}, references, weightAim, s.Found)
			s.Found++
		}
		if q.Cursor = a.NextCursor; q.Cursor == "" {
			break
		}
	}
	if s.Found == 0 {
		return r.references(s)
	}
	if others || q.Cursor != "" { // a lambda may stand for one, and a name of an import
		r.notes = append(r.notes, msg.New("planner.other_uses", msg.CallOf(op.FindReferences, "symbol", name)))
	}
	return nil
}

// addImplementers adds the Go types that have the methods of an interface.
func (r *run) addImplementers(s *Step, name string) error {
	a, err := r.e.Definitions(r.ctx, search.DefinitionsQuery{
		Symbol: name, ExactMatch: true, Language: r.q.Language, Where: r.q.Where, Page: search.Page{Limit: aimedEach}})
	if err != nil {
		return err
	}
	for i := range a.Definitions {
		d := &a.Definitions[i]
		if d.Kind != syntax.Interface || d.Language != syntax.Go {
			continue
		}
		list, err := overrides.Satisfying(r.ctx, r.x, &index.Symbol{Symbol: syntax.Symbol{Name: d.Name, Scope: d.Scope}, File: d.File})
		if err != nil {
			return err
		}
		for j := range list {
			t := &list[j]
			r.found.add(Result{File: t.File, StartLine: t.StartLine, EndLine: t.EndLine, Symbol: text.Dotted(t.Scope, t.Name), Kind: t.Kind,
				Signature: t.Signature, Reasons: []string{"has the methods of " + name}}, references, weightAim, s.Found)
			s.Found++
		}
	}
	return nil
}

// maxPages bounds the pages of references of which those of heads are taken.
const maxPages = 25

// What comes before and after the name of a type where a class without a name is derived from it.
var (
	anonymousClassHead = lazyregexp.MustCompile(`\bobject\s*:[^{=]*$|\bnew\s+(?:readonly\s+)?class\b[^{]*\b(?:extends|implements)\b[^{]*$|` +
		`\bclass\s+(?:extends|implements)\b[^{]*$`)
	anonymousClassNew  = lazyregexp.MustCompile(`\bnew\s+[\w.]*$`)
	anonymousClassBody = map[string]*lazyregexp.Regexp{
		".java":   lazyregexp.MustCompile(`^\s*(?:<[^(]*>)?\s*\(.*\)\s*\{`),
		".groovy": lazyregexp.MustCompile(`^\s*(?:<[^(]*>)?\s*\(.*\)\s*\{`),
		".scala":  lazyregexp.MustCompile(`^\s*(?:\[[^(]*\])?\s*(?:\(.*\))?\s*(?:with\b[^{]*)?\{`),
	}
)

// anonymousSubclass returns the class without a name that the line of a reference begins, derived from what
// is referred to, as what lies around it; nil for none.
func anonymousSubclass(ref *search.Reference, name string) *index.Symbol {
	at := ref.Column - 1
	base := symbolname.Parse(name).Base
	if indent := strings.Index(ref.Content, base); at > len(ref.Content) || !strings.HasPrefix(ref.Content[at:], base) {
		at = indent // the line is shown without its indentation
	}
	if at < 0 {
		return nil
	}
	before, after := ref.Content[:at], ref.Content[at+len(base):]
	body := anonymousClassBody[path.Ext(ref.File)]
	if !anonymousClassHead.MatchString(before) && (body == nil || !anonymousClassNew.MatchString(before) || !body.MatchString(after)) {
		return nil
	}
	return &index.Symbol{
		Symbol: syntax.Symbol{StartLine: ref.Line, EndLine: ref.Line, Name: ref.Enclosing, Kind: ref.EnclosingKind}, File: ref.File,
	}
}

// occurrences lists the lines that hold a text.
func (r *run) occurrences(s *Step) error {
	s.Args = r.aim.Target
	return r.lines(s, search.TextQuery{
		Pattern: search.OneOrMore{r.aim.Target}, Where: r.q.Where, FileType: r.q.Language, Page: stepPage(aimedEach),
	}, "holds the text")
}

func (r *run) lines(s *Step, q search.TextQuery, why string) error {
	a, err := r.e.Text(r.ctx, q)
	if err != nil {
		return err
	}
	s.Found, r.fresh = a.Total, a.Freshness
	r.whole.Lack(a.Completeness)
	for i, m := range a.Matches {
		r.found.add(Result{
			File: m.File, StartLine: m.Line, EndLine: m.Line, Matches: []Line{{Line: m.Line, Content: m.Content}},
			Reasons: []string{why},
		}, textSearch, r.weight(textSearch, weightText), i)
	}
	return nil
}

// outline lists what a file or a type declares.
func (r *run) outline(s *Step) error {
	file, scope := r.aim.Target, ""
	if pathLike.MatchString(file) {
		file = r.fileCalled(file)
	} else {
		a, err := r.e.Definitions(r.ctx, search.DefinitionsQuery{
			Symbol: file, Language: r.q.Language, ExactMatch: true, Where: r.q.Where, Page: stepPage(1),
		})
		if err != nil {
			return err
		}
		if len(a.Definitions) == 0 {
			return nil
		}
		d := a.Definitions[0]
		file, scope = d.File, text.Dotted(d.Scope, d.Name)
	}
	s.Args = r.aim.Target
	a, err := r.e.Symbols(r.ctx, search.SymbolsQuery{Path: file, Page: stepPage(symbolsAsked)})
	if err != nil {
		return err
	}
	r.fresh, r.file = a.Freshness, file
	r.whole.Lack(a.Completeness)
	for _, d := range a.Symbols {
		name := text.Dotted(d.Scope, d.Name)
		if scope != "" && name != scope && d.Scope != scope && !strings.HasPrefix(d.Scope, scope+".") {
			continue
		}
		r.found.add(Result{
			File: file, StartLine: d.Line, EndLine: d.EndLine, Symbol: name, Kind: d.Kind, Signature: d.Signature,
		}, symbols, weightAim, s.Found)
		s.Found++
	}
	return nil
}

// layout lists what a folder holds.
func (r *run) layout(s *Step) error {
	dir := r.aim.Target
	if dir == "" {
		dir = "."
	}
	s.Args = dir
	a, err := r.e.Structure(r.ctx, search.StructureQuery{
		Where: search.Where{Path: path.Clean(dir), Globs: r.q.Globs}, Depth: 1, Language: r.q.Language, Page: stepPage(aimedEach),
	})
	if err != nil {
		return err
	}
	r.fresh = a.Freshness
	r.whole.Lack(a.Completeness)
	for i, f := range a.Files {
		res := Result{File: f.File}
		var names []string
		for _, o := range f.Symbols {
			names = append(names, o.Name)
		}
		if len(names) > 0 {
			res.Signature = strings.Join(names[:min(len(names), outlined)], ", ")
		}
		r.found.add(res, structure, weightAim, i)
		s.Found++
	}
	return nil
}

// aimed returns what carries out a tool for the aim, nil if the usual way does.
func (r *run) aimed(tool string) func(*Step) error {
	switch {
	case tool == impactOf:
		return r.impact
	case tool == functionAt:
		return r.atLine
	case tool == fileNames:
		return r.fileNames
	case tool == fileLinks:
		return r.links
	case tool == references && r.aim.Kind == Implementers:
		return r.implementers
	case tool == textSearch && r.aim.Kind == TextOccurrence:
		return r.occurrences
	case tool == symbols && r.aim.Kind == OutlineOf:
		return r.outline
	case tool == structure && r.aim.Kind == StructureOf:
		return r.layout
	}
	return nil
}
