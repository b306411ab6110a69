package syntax

import "slices"

// What hooks of several languages do where a grammar does not tell by a field
// what a name is for.

// memberAfterDot notes the last child of a node as a member of what stands
// before it, which the grammar does not tell from the rest by a field. It has
// the role of the whole.
func (w *walker) memberAfterDot(node int32) {
	last, before := int32(-1), int32(-1)
	for c := range w.children(node) {
		if w.info[w.nodes[c].Kind].flags&isComment == 0 {
			last, before = c, last
		}
	}
	if before < 0 || w.info[w.nodes[last].Kind].flags&isName == 0 {
		return
	}
	if w.info[w.nodes[before].Kind].flags&isPlain == 0 || w.nodes[before].Next != last {
		before = -1
	}
	role := roleOf[w.use[node]&useMask]
	if role == Definition || role == Read {
		role = roleOf[w.info[w.nodes[last].Kind].name&useMask]
	}
	w.mentionAs(last, before, role)
	w.hide(last)
}

// noteAs notes a name that a hook found, local or not, and makes the walk pass
// over it.
func (w *walker) noteAs(node int32, role Role) {
	n := &w.nodes[node]
	if n.End > n.Start {
		w.mention(node, n, w.nameOf(n), role, false)
	}
	w.hide(node)
}

// sibling returns the node before a node in its parent, or -1.
func (w *walker) sibling(node int32) int32 {
	parent, before := w.nodes[node].Parent, node-1
	if before <= parent {
		return -1
	}
	for w.nodes[before].Parent != parent {
		before = w.nodes[before].Parent
	}
	return before
}

// lastChild returns the last symbol in the innermost one, or -1.
func (w *walker) lastChild() int32 {
	for i := int32(len(w.file.Symbols)) - 1; i > w.symbol; i-- {
		if w.file.Symbols[i].Parent == int(w.symbol) {
			return i
		}
	}
	return -1
}

// noteLocal declares a local name that a hook found, and makes the walk pass
// over it.
func (w *walker) noteLocal(node int32) {
	n := &w.nodes[node]
	id := w.nameOf(n)
	if n.End > n.Start && (w.blank == "" || w.intern.names[id] != w.blank) {
		w.bind(id, int32(len(w.scopes)-1), true)
		w.occur(node, n, id, Definition, w.symbol, true)
	}
	w.hide(node)
}

// dropWords forgets the words that the grammar takes for names, wherever they
// are not declared as members.
func (w *walker) dropWords(words ...string) {
	w.occs = slices.DeleteFunc(w.occs, func(o occurrence) bool {
		return (o.role == Read || o.local) && slices.Contains(words, w.intern.names[o.name])
	})
}

// withinFunction says whether there is a function around, however far.
func (w *walker) withinFunction() bool {
	return slices.ContainsFunc(w.scopes, func(s scopeState) bool { return s.kind >= functionScope })
}

// dropTrailingComments ends a symbol before the comments that a grammar of
// indentation counts in, though they stand before what comes next.
func (w *walker) dropTrailingComments(node int32, s *Symbol) {
	body := w.child(node, "body")
	last := int32(-1)
	for c := range w.children(body) {
		if w.info[w.nodes[c].Kind].flags&isComment == 0 {
			last = c
		} else if last >= 0 && w.nodes[c].Next >= w.nodes[body].Next && s.End == int(w.nodes[c].End) {
			end, row := w.trimmedEnd(&w.nodes[last])
			s.End, s.EndLine = end, row+1
		}
	}
}

// implsAreUses makes uses of the names of impls: they define nothing. One that
// is a type parameter of its impl is local.
func implsAreUses(w *walker) {
	for i := range w.occs {
		o := &w.occs[i]
		if o.role != Definition || o.symbol < 0 {
			continue
		}
		s := &w.file.Symbols[o.symbol]
		if s.Kind != Impl || s.NameLine != int(o.row)+1 || s.NameColumn != int(o.start-w.lines[o.row])+1 {
			continue
		}
		o.role = TypeUse
		for j := i - 1; j >= 0 && w.occs[j].symbol == o.symbol; j-- {
			if p := &w.occs[j]; p.name == o.name && p.role == Definition && p.local {
				o.local = true
			}
		}
	}
}
