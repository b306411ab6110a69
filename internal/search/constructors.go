package search

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/resolve"
	"codeintel/internal/search/binding"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

const (
	maxHeirs   = 20 // types that are followed because their constructor is that of a type above them
	shownCalls = 20 // of constructors
)

// constructed finds what calls the constructors that are meant by the name of their type
// instead of their own: Point(1, 2), new Point(1, 2) and Point.new(1, 2) of __init__,
// constructor and initialize. The same of a type below that has no constructor is likely
// a call of them.
// Those that are known are left out.
func (e *Engine) constructed(ctx context.Context, m *subject, src *sources, known []mention) (list []mention,
	err error) {
	if len(m.Definitions) > binding.ManyDefinitions {
		return nil, nil
	}
	seen := map[resolve.Position]bool{}
	for i := range known {
		seen[placeOf(&known[i].Occurrence)] = true
	}
	for i := range m.Definitions {
		d := &m.Definitions[i]
		if d.Kind != syntax.Constructor {
			continue
		}
		symbols, err := e.x.FileSymbols(ctx, d.File)
		if err != nil {
			return nil, fmt.Errorf("search: type of %s: %w", d.Name, err)
		}
		if d.Parent < 0 || d.Parent >= len(symbols) || symbols[d.Parent].Name == d.Name {
			continue
		}
		types := []index.Symbol{symbols[d.Parent]}
		for k := 0; k < len(types) && k < maxHeirs; k++ {
			found, err := e.mentionsOf(ctx, subjectFor(&types[k]), false, src)
			if err != nil {
				return nil, err
			}
			for j := range found {
				o := &found[j]
				switch heir := e.heirAt(ctx, o, src); {
				case heir != nil && !slices.ContainsFunc(types, func(t index.Symbol) bool { return t.ID() == heir.ID() }):
					types = append(types, *heir)
				case src.constructs(&o.Occurrence) && !seen[placeOf(&o.Occurrence)]:
					seen[placeOf(&o.Occurrence)] = true
					if k > 0 {
						o.confidence = min(o.confidence, binding.Likely)
					}
					list = append(list, *o)
				}
			}
		}
	}
	return list, nil
}

// subjectFor is what a question for one definition is about.
func subjectFor(s *index.Symbol) *subject {
	m := &subject{Target: binding.Target{Name: symbolname.Name{Whole: s.Name, Base: s.Name}, Definitions: []index.Symbol{*s}}}
	if binding.IsPathModule(s) { // it is mentioned by the last part of its name
		m.Name = symbolname.Parse(s.Name)
	}
	m.listSpellings()
	return m
}

// calledByType says where constructors are called without being named.
func calledByType(built []mention) msg.Message {
	sortMentions(built)
	var places []string
	for i := range built {
		places = append(places, fmt.Sprintf("%s:%d", built[i].File, built[i].Line))
	}
	return msg.New("search.called_by_type", len(places), text.ListFirst(places, shownCalls))
}

// constructs reports whether a mention of a type makes a thing of it.
func (s *sources) constructs(o *index.Occurrence) bool {
	if o.Role == syntax.Call {
		return true
	}
	line := s.Raw(o.File, o.Line, o.Line)
	return o.Language == syntax.Ruby && bytes.HasPrefix(line[min(len(line), o.Column-1+len(o.Name)):], []byte(".new"))
}

// heirAt returns the type in whose head a mention names what it extends, if it has no
// constructor of its own.
func (e *Engine) heirAt(ctx context.Context, o *mention, src *sources) *index.Symbol {
	if o.Role == syntax.Call || o.Role == syntax.ImportUse || o.confidence < binding.Likely || !o.Enclosing.Kind.HasMembers() {
		return nil
	}
	line := src.Raw(o.File, o.Line, o.Line)
	before := line[:min(len(line), o.Column-1)]
	if bytes.Count(before, []byte("<"))+bytes.Count(before, []byte("[")) >
		bytes.Count(before, []byte(">"))+bytes.Count(before, []byte("]")) && o.Language != syntax.Ruby {
		return nil // an argument of another type
	}
	list, err := e.x.FileSymbols(ctx, o.File)
	if err != nil {
		return nil // gone meanwhile
	}
	at := slices.IndexFunc(list, func(s index.Symbol) bool {
		return s.Name == o.Enclosing.Name && s.Scope == o.Enclosing.Scope && s.NameLine == o.Line &&
			s.NameColumn < o.Column
	})
	if at < 0 || slices.ContainsFunc(list, func(s index.Symbol) bool { return s.Parent == at && s.Kind == syntax.Constructor }) {
		return nil
	}
	return &list[at]
}
