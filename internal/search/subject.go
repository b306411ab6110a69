package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/resolve"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A subject is what a question about references asks for.
type subject struct {
	binding.Target
	names   []string                  // spellings to look for
	local   *index.Occurrence         // set when a local binding is meant
	field   *golang.Position          // set when a field is meant that Go names by embedding a type there
	place   *resolve.Position         // set when the thing at a place is meant, in a language that is inferred
	judged  *judgement                // what separated those that mean it from others
	others  map[resolve.Position]bool // where its name is known to mean something else, once that was asked
	wide    bool                      // what may be meant, for all that is known, is wanted too
	byName  bool                      // a place was asked about that could not be read: the name is all that is known
	quoting []string                  // files that may name it in quotes, where too many things have the name to ask inference
}

// subjectOf finds out what a name stands for.
func (e *Engine) subjectOf(ctx context.Context, q ReferencesQuery, src *sources) (*subject, error) {
	n := symbolname.Parse(q.Symbol)
	m := &subject{Target: binding.Target{Name: n}, wide: true}
	found, err := e.define(ctx, n, true, src, func(*index.Symbol) bool { return true })
	if err != nil {
		return nil, err
	}
	if bare := n.Signless(); bare != "" && len(found) == 0 {
		list, err := e.x.Occurrences(ctx, n.Base)
		if err != nil {
			return nil, fmt.Errorf("search: occurrences of %q: %w", n.Base, err)
		}
		if len(list) == 0 { // the sign is no part of the name
			m.Name.Base, m.Name.Whole = bare, bare
		}
	}
	for _, f := range found {
		m.Definitions = append(m.Definitions, f.Symbol)
		if !binding.IsPathModule(&f.Symbol) && (f.Name == n.Whole || text.Dotted(f.Scope, f.Name) == n.Sent || n.Pasted()) {
			m.Name = symbolname.Name{Sent: n.Sent, Whole: n.Whole, Base: f.Name} // group_by.data.frame is one name in R, and no frame
		}
	}
	if len(n.Scope) > 0 && len(found) == 0 {
		m.Qualifier = n.Scope[len(n.Scope)-1]
	}
	m.Any = len(n.Scope) == 0
	if q.FilePath != "" || q.Line != 0 || q.Column != 0 {
		m.Any = false
		if err := e.narrowToPlace(ctx, q, m, src); err != nil {
			return nil, err
		}
	}
	m.listSpellings()
	return m, nil
}

// unnamed is how the language calls the method meant without its name, "" if it does not.
func (m *subject) unnamed() string {
	if len(m.Definitions) == 0 {
		return ""
	}
	d := &m.Definitions[0]
	if d.Kind != syntax.Method && !strings.HasPrefix(d.Name, "operator") && d.Name != "this[]" {
		return ""
	}
	return symbolname.Unnamed(d.Language, d.Name)
}

// listSpellings lists the spellings under which the thing meant may be.
func (m *subject) listSpellings() {
	m.names = []string{m.Name.Base}
	for _, d := range m.Definitions {
		m.names = append(m.names, d.Name)
		if d.Kind == syntax.Property || d.Kind == syntax.Field {
			m.names = append(m.names, strings.TrimLeft(d.Name, "$@"), "@"+strings.TrimLeft(d.Name, "$@")) // of Ruby
		}
		if d.Language == syntax.Vue || d.Kind == syntax.Component {
			m.names = append(m.names, symbolname.Kebab(d.Name), symbolname.Pascal(d.Name))
		}
	}
	slices.Sort(m.names)
	m.names = slices.Compact(m.names)
}

// narrowToMention narrows a subject to the definitions that a mention can mean best.
func (e *Engine) narrowToMention(ctx context.Context, o *index.Occurrence, m *subject) error {
	res := e.resolver(ctx, &subject{Target: binding.Target{Name: m.Name, Definitions: m.Definitions}}, e.sources())
	if o.Language == syntax.Go {
		field, err := res.EmbeddedField(o)
		if field != nil {
			m.field, m.Definitions = field, nil
		}
		if err != nil || field != nil {
			return err
		}
	}
	best, kept := binding.Possible, []index.Symbol(nil)
	for _, d := range m.Definitions {
		rel, err := res.RelateTo(o, &d)
		if err != nil {
			return err
		}
		if rel > best {
			best, kept = rel, nil
		}
		if rel == best {
			kept = append(kept, d)
		}
	}
	if m.Definitions = kept; len(kept) == 0 {
		m.Qualifier = o.Qualifier // of another package or module
	}
	return nil
}

// narrowToPlace narrows a subject to the thing at a place. Where the name is there but not as
// code that could be read, the subject stays as wide as the name.
func (e *Engine) narrowToPlace(ctx context.Context, q ReferencesQuery, m *subject, src *sources) error {
	if q.FilePath == "" || q.Line < 1 || q.Column < 0 {
		example := msg.CallOf(op.FindReferences, "symbol", q.Symbol, "file_path", "internal/a.go", "line", 12)
		return problem.New(problem.InvalidArgument, "search.file_path_line_column_go",
			msg.Param("file_path"), msg.Param("line"), msg.Param("column")).
			Or("search.for_example", example).
			Or("search.leave_both_out_see_references")
	}
	rel, err := e.p.Resolve(q.FilePath)
	if err != nil {
		return err
	}
	sign := len(q.Symbol) - len(strings.TrimLeft(q.Symbol, "$@")) // it may be pointed at too
	pointed := func(column int) bool { return q.Column == 0 || column-sign <= q.Column && q.Column <= column }
	for _, d := range m.Definitions {
		there := d.NameLine == q.Line || d.StartLine == q.Line
		if d.File == rel && there && pointed(d.NameColumn) {
			m.Definitions = withExtended(d, m.Definitions)
			if registry.Inferred(d.Language) {
				at := named(&d)
				m.place = &at
			}
			return nil
		}
	}
	for _, n := range m.Name.Forms() {
		list, err := e.x.Occurrences(ctx, n)
		if err != nil {
			return fmt.Errorf("search: occurrences of %q: %w", n, err)
		}
		for i := range list {
			o := &list[i]
			if o.File != rel || o.Line != q.Line || !pointed(o.Column) {
				continue
			}
			if registry.Inferred(o.Language) {
				at := placeOf(o)
				m.place = &at
			}
			if o.Local {
				m.local, m.Definitions = o, nil
				return nil
			}
			return e.narrowToMention(ctx, o, m)
		}
	}
	if hasWord(src.lineAt(rel, q.Line, max(q.Column, 1)), m.Name.Base) {
		m.byName = true
		src.Lacks(gaps.Place, rel)
		return nil
	}
	return problem.New(problem.NotFound, "search.is_not_on_line", m.Name.Base, q.Line, rel).
		Or("search.call_shows_where_it_does", msg.CallOf(op.SearchText, "pattern", m.Name.Base, "path", rel)).
		Or("search.leave_file_path_line_out", msg.Param("file_path"), msg.Param("line"))
}

// withExtended returns a definition and, if that only extends a type in a language that is not
// inferred, the types of its name that it may extend: its own uses are theirs.
func withExtended(d index.Symbol, named []index.Symbol) []index.Symbol {
	list := []index.Symbol{d}
	for _, s := range named {
		if d.Kind == syntax.Impl && !registry.Inferred(d.Language) &&
			s.Name == d.Name && s.Language == d.Language && s.Kind != syntax.Impl && s.Kind.HasMembers() {
			list = append(list, s)
		}
	}
	return list
}

// hasWord reports whether a line contains a name as a word of its own.
func hasWord(line, name string) bool {
	name = strings.TrimLeft(name, "$@")
	for at := 0; name != ""; {
		i := strings.Index(line[at:], name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(line[:at+i])
		after, _ := utf8.DecodeRuneInString(line[at+i+len(name):])
		if !textmatch.WordRune(before) && !textmatch.WordRune(after) {
			return true
		}
		at += i + len(name)
	}
	return false
}

// askedFirst lists the definitions, those at the place that was pointed at first.
func (m *subject) askedFirst() []index.Symbol {
	list := slices.Clone(m.Definitions)
	if m.place != nil {
		slices.SortStableFunc(list, func(a, b index.Symbol) int {
			return -compareBool(named(&a) == *m.place, named(&b) == *m.place)
		})
	}
	return list
}
