package syntax

import (
	"codeintel/internal/syntax/treesitter"
)

// Names of one file are numbered, and what they mean is kept by number: the
// innermost binding of each name, and the scope each binding belongs to. A
// scope that closes takes its bindings away.

type scopeState struct {
	kind  scope
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

// An occurrence as the walk keeps it, small.
type occurrence struct {
	start     uint32
	row       uint32
	name      int32
	symbol    int32
	open      int32 // the occurrence of the same name that is unresolved before this one, + 1
	qualifier int32 // node, or -1
	role      Role
	local     bool
}

func (w *walker) openScope(kind scope) {
	w.scopes = append(w.scopes, scopeState{kind: kind, occs: int32(len(w.occs))})
}

// closeScope takes the bindings of the innermost scope away. Where names are
// known before they are declared, the occurrences that waited are told.
func (w *walker) closeScope() {
	s := w.scopes[len(w.scopes)-1]
	for b := s.first; b != 0; b = w.bindings[b].next {
		id := w.bindings[b].name
		w.tops[id] = w.bindings[b].outer
		if !w.hoist || s.kind == classScope && !w.bindings[b].local {
			continue
		}
		at := w.opens[id]
		for at > s.occs {
			o := &w.occs[at-1]
			o.local = w.bindings[b].local
			at = o.open
		}
		w.opens[id] = at
	}
	w.scopes = w.scopes[:len(w.scopes)-1]
}

// bind declares a name in a scope, which need not be the innermost.
func (w *walker) bind(id, scope int32, local bool) {
	b := int32(len(w.bindings))
	w.bindings = append(w.bindings, binding{name: id, scope: scope, next: w.scopes[scope].first, local: local})
	w.scopes[scope].first = b
	at := &w.tops[id]
	for *at != 0 && w.bindings[*at].scope > scope {
		at = &w.bindings[*at].outer
	}
	w.bindings[b].outer = *at
	*at = b
}

// boundIn returns the binding of a name in just this scope, or 0.
func (w *walker) boundIn(id, scope int32) int32 {
	for b := w.tops[id]; b != 0; b = w.bindings[b].outer {
		if at := w.bindings[b].scope; at <= scope {
			if at == scope {
				return b
			}
			return 0
		}
	}
	return 0
}

// isLocal says whether a name means something local where the walk is.
func (w *walker) isLocal(id int32) bool {
	for b := w.tops[id]; b != 0; b = w.bindings[b].outer {
		bd := &w.bindings[b]
		if bd.local || w.scopes[bd.scope].kind != classScope {
			return bd.local
		}
	}
	return false
}

// functionScope returns the innermost scope that is no block.
func (w *walker) functionScope() int32 {
	s := int32(len(w.scopes) - 1)
	for s > 0 && w.scopes[s].kind == blockScope {
		s--
	}
	return s
}

// mention notes an occurrence whose meaning depends on what is bound.
func (w *walker) mention(i int32, n *treesitter.Node, id int32, role Role, isLocal bool) {
	if isLocal || w.isLocal(id) {
		w.occur(i, n, id, role, w.symbol, true)
		return
	}
	w.occur(i, n, id, role, w.symbol, false)
	if w.hoist {
		o := &w.occs[len(w.occs)-1]
		o.open = w.opens[id]
		w.opens[id] = int32(len(w.occs))
	}
}

// occur notes an occurrence.
func (w *walker) occur(i int32, n *treesitter.Node, id int32, role Role, symbol int32, isLocal bool) {
	qualifier := int32(-1)
	if n.Parent >= 0 {
		if f := w.info[w.nodes[n.Parent].Kind].qualifier; f != 0 && n.Field != f {
			qualifier = w.qualifier(n.Parent, f)
		}
	}
	w.occs = append(w.occs, occurrence{start: n.Start, row: n.StartRow, name: id, symbol: symbol, qualifier: qualifier, role: role, local: isLocal})
}

// qualifier returns the plain name in a field of a node, or the one that counts
// there by rules.paths, or -1.
func (w *walker) qualifier(node int32, field uint16) int32 {
	for c := node + 1; c < w.nodes[node].Next; c = w.nodes[c].Next {
		if n := &w.nodes[c]; n.Field == field {
			info := &w.info[n.Kind]
			switch {
			case info.flags&isPlain != 0 && n.Next == c+1:
				return c
			case info.path != 0:
				return w.qualifier(c, info.path)
			}
			return -1
		}
	}
	return -1
}

// nameOf numbers the name that a node is.
func (w *walker) nameOf(n *treesitter.Node) int32 {
	return w.nameID(w.text[n.Start:n.End])
}

func (w *walker) nameID(name string) int32 {
	id := w.intern.id(name)
	if int(id) == len(w.tops) {
		w.tops = append(w.tops, 0)
		w.opens = append(w.opens, 0)
	}
	return id
}

// An interner numbers names from 0 in the order they come.
type interner struct {
	names []string
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
	t.names, t.hash = t.names[:0], t.hash[:0]
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
		if id := t.table[at] - 1; t.hash[id] == h && t.names[id] == name {
			return id
		}
		at = (at + 1) & mask
	}
	id := int32(len(t.names))
	t.names, t.hash = append(t.names, name), append(t.hash, h)
	t.table[at] = id + 1
	if 2*len(t.names) > len(t.table) {
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
