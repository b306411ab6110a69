package engine

import (
	"codeintel/internal/syntax/treesitter"
)

// Names of one file are numbered, and what they mean is kept by number: the
// innermost binding of each name, and the scope each binding belongs to. A
// scope that closes takes its bindings away.

type scopeState struct {
	Kind  Scope
	first int32 // its last binding; others follow by next
	occs  int32 // number of occurrences when it opened
}

type binding struct {
	name  int32
	scope int32
	outer int32 // the binding of the same name that this one hides
	next  int32 // the next one of the same scope
	local bool  // false: the name is known here and means something that is not local
}

// A RawOccurrence as the walk keeps it, small.
type RawOccurrence struct {
	Start     uint32
	row       uint32
	Name      int32
	Symbol    int32
	open      int32 // the occurrence of the same name that is unresolved before this one, + 1
	Qualifier int32 // node, or -1
	Role      Role
	Local     bool
}

func (w *Walker) OpenScope(kind Scope) {
	w.Scopes = append(w.Scopes, scopeState{Kind: kind, occs: int32(len(w.Mentions))})
}

// closeScope takes the bindings of the innermost scope away. Where names are
// known before they are declared, the occurrences that waited are told.
func (w *Walker) closeScope() {
	s := w.Scopes[len(w.Scopes)-1]
	for b := s.first; b != 0; b = w.bindings[b].next {
		id := w.bindings[b].name
		w.Tops[id] = w.bindings[b].outer
		if !w.Hoist || s.Kind == ClassScope && !w.bindings[b].local {
			continue
		}
		at := w.opens[id]
		for at > s.occs {
			o := &w.Mentions[at-1]
			o.Local = w.bindings[b].local
			at = o.open
		}
		w.opens[id] = at
	}
	w.Scopes = w.Scopes[:len(w.Scopes)-1]
}

// Bind declares a name in a scope, which need not be the innermost.
func (w *Walker) Bind(id, scope int32, local bool) {
	b := int32(len(w.bindings))
	w.bindings = append(w.bindings, binding{name: id, scope: scope, next: w.Scopes[scope].first, local: local})
	w.Scopes[scope].first = b
	at := &w.Tops[id]
	for *at != 0 && w.bindings[*at].scope > scope {
		at = &w.bindings[*at].outer
	}
	w.bindings[b].outer = *at
	*at = b
}

// BoundIn returns the binding of a name in just this scope, or 0.
func (w *Walker) BoundIn(id, scope int32) int32 {
	for b := w.Tops[id]; b != 0; b = w.bindings[b].outer {
		if at := w.bindings[b].scope; at <= scope {
			if at == scope {
				return b
			}
			return 0
		}
	}
	return 0
}

// IsLocal says whether a name means something local where the walk is.
func (w *Walker) IsLocal(id int32) bool {
	for b := w.Tops[id]; b != 0; b = w.bindings[b].outer {
		bd := &w.bindings[b]
		if bd.local || w.Scopes[bd.scope].Kind != ClassScope {
			return bd.local
		}
	}
	return false
}

// FunctionScope returns the innermost scope that is not a block.
func (w *Walker) FunctionScope() int32 {
	s := int32(len(w.Scopes) - 1)
	for s > 0 && w.Scopes[s].Kind == BlockScope {
		s--
	}
	return s
}

// Mention notes an occurrence whose meaning depends on what is bound.
func (w *Walker) Mention(n *treesitter.Node, id int32, role Role, isLocal bool) {
	if isLocal || w.IsLocal(id) {
		w.Occur(n, id, role, w.Symbol, true)
		return
	}
	w.Occur(n, id, role, w.Symbol, false)
	if w.Hoist {
		o := &w.Mentions[len(w.Mentions)-1]
		o.open = w.opens[id]
		w.opens[id] = int32(len(w.Mentions))
	}
}

// Occur notes an occurrence.
func (w *Walker) Occur(n *treesitter.Node, id int32, role Role, symbol int32, isLocal bool) {
	qualifier := int32(-1)
	if n.Parent >= 0 {
		if f := w.Info[w.Nodes[n.Parent].Kind].qualifier; f != 0 && n.Field != f {
			qualifier = w.qualifier(n.Parent, f)
		}
	}
	w.Mentions = append(w.Mentions, RawOccurrence{Start: n.Start, row: n.StartRow, Name: id, Symbol: symbol,
		Qualifier: qualifier, Role: role, Local: isLocal})
}

// qualifier returns the plain name in a field of a node, or the one that counts
// there by rules.paths, or -1.
func (w *Walker) qualifier(node int32, field uint16) int32 {
	for c := node + 1; c < w.Nodes[node].Next; c = w.Nodes[c].Next {
		if n := &w.Nodes[c]; n.Field == field {
			info := &w.Info[n.Kind]
			switch {
			case info.Flags&IsPlain != 0 && n.Next == c+1:
				return c
			case info.path != 0:
				return w.qualifier(c, info.path)
			}
			return -1
		}
	}
	return -1
}

// NameOf numbers the name that a node is.
func (w *Walker) NameOf(n *treesitter.Node) int32 {
	return w.NameID(w.Text[n.Start:n.End])
}

func (w *Walker) NameID(name string) int32 {
	id := w.Intern.id(name)
	if int(id) == len(w.Tops) {
		w.Tops = append(w.Tops, 0)
		w.opens = append(w.opens, 0)
	}
	return id
}

// An interner numbers names from 0 in the order they come.
type interner struct {
	Names []string
	hash  []uint32 // by name
	table []int32  // open addressing: id + 1, or 0
}

// reset empties it and makes room for the names of a tree of so many nodes.
func (t *interner) reset(nodes int) {
	size := 256
	for size < nodes/4 && size < 1<<20 {
		size *= 2
	}
	if len(t.table) < size || len(t.table) > 8*size {
		t.table = make([]int32, size)
	} else {
		clear(t.table)
	}
	t.Names, t.hash = t.Names[:0], t.hash[:0]
}

func (t *interner) id(name string) int32 {
	h := uint32(2166136261)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * 16777619
	}
	h ^= h >> 15
	mask := uint32(len(t.table) - 1)
	at := h & mask
	for t.table[at] != 0 {
		if id := t.table[at] - 1; t.hash[id] == h && t.Names[id] == name {
			return id
		}
		at = (at + 1) & mask
	}
	id := int32(len(t.Names))
	t.Names, t.hash = append(t.Names, name), append(t.hash, h)
	t.table[at] = id + 1
	if 2*len(t.Names) > len(t.table) {
		t.grow()
	}
	return id
}

func (t *interner) grow() {
	t.table = make([]int32, 2*len(t.table))
	mask := uint32(len(t.table) - 1)
	for id, h := range t.hash {
		at := h & mask
		for t.table[at] != 0 {
			at = (at + 1) & mask
		}
		t.table[at] = int32(id) + 1
	}
}
