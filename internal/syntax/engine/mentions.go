package engine

import "slices"

// What hooks of several languages do where a grammar does not tell by a field
// what a name is for.

// MemberAfterDot notes the last child of a node as a member of what is
// before it, which the grammar does not tell from the rest by a field. It has
// the role of the whole.
func (w *Walker) MemberAfterDot(node int32) {
	last, before := int32(-1), int32(-1)
	for c := range w.Children(node) {
		if w.Info[w.Nodes[c].Kind].Flags&isComment == 0 {
			last, before = c, last
		}
	}
	if before < 0 || w.Info[w.Nodes[last].Kind].Flags&IsName == 0 {
		return
	}
	if w.Info[w.Nodes[before].Kind].Flags&IsPlain == 0 || w.Nodes[before].Next != last {
		before = -1
	}
	role := RoleOf[w.Use[node]&UseMask]
	if role == Definition || role == Read {
		role = RoleOf[w.Info[w.Nodes[last].Kind].name&UseMask]
	}
	w.MentionAs(last, before, role)
	w.Hide(last)
}

// NoteAs notes a name that a hook found, local or not, and makes the walk pass
// over it.
func (w *Walker) NoteAs(node int32, role Role) {
	n := &w.Nodes[node]
	if n.End > n.Start {
		w.Mention(n, w.NameOf(n), role, false)
	}
	w.Hide(node)
}

// Sibling returns the node before a node in its parent, or -1.
func (w *Walker) Sibling(node int32) int32 {
	parent, before := w.Nodes[node].Parent, node-1
	if before <= parent {
		return -1
	}
	for w.Nodes[before].Parent != parent {
		before = w.Nodes[before].Parent
	}
	return before
}

// LastChild returns the last symbol in the innermost one, or -1.
func (w *Walker) LastChild() int32 {
	for i := int32(len(w.File.Symbols)) - 1; i > w.Symbol; i-- {
		if w.File.Symbols[i].Parent == int(w.Symbol) {
			return i
		}
	}
	return -1
}

// NoteLocal declares a local name that a hook found, and makes the walk pass
// over it.
func (w *Walker) NoteLocal(node int32) {
	n := &w.Nodes[node]
	id := w.NameOf(n)
	if n.End > n.Start && (w.Blank == "" || w.Intern.Names[id] != w.Blank) {
		w.Bind(id, int32(len(w.Scopes)-1), true)
		w.Occur(n, id, Definition, w.Symbol, true)
	}
	w.Hide(node)
}

// DropWords forgets the words that the grammar takes for names, wherever they
// are not declared as members.
func (w *Walker) DropWords(words ...string) {
	w.Mentions = slices.DeleteFunc(w.Mentions, func(o RawOccurrence) bool {
		return (o.Role == Read || o.Local) && slices.Contains(words, w.Intern.Names[o.Name])
	})
}

// WithinFunction says whether there is a function around, however far.
func (w *Walker) WithinFunction() bool {
	return slices.ContainsFunc(w.Scopes, func(s scopeState) bool { return s.Kind >= FunctionScope })
}

// DropTrailingComments ends a symbol before the comments that a grammar of
// indentation counts in, though they come before what comes next.
func (w *Walker) DropTrailingComments(node int32, s *Symbol) {
	body := w.Child(node, "body")
	last := int32(-1)
	for c := range w.Children(body) {
		if w.Info[w.Nodes[c].Kind].Flags&isComment == 0 {
			last = c
		} else if last >= 0 && w.Nodes[c].Next >= w.Nodes[body].Next && s.End == int(w.Nodes[c].End) {
			end, row := w.TrimmedEnd(&w.Nodes[last])
			s.End, s.EndLine = end, row+1
		}
	}
}

// ImplsAreUses makes uses of the names of impls: they define nothing. One that
// is a type parameter of its impl is local.
func ImplsAreUses(w *Walker) {
	for i := range w.Mentions {
		o := &w.Mentions[i]
		if o.Role != Definition || o.Symbol < 0 {
			continue
		}
		s := &w.File.Symbols[o.Symbol]
		if s.Kind != Impl || s.NameLine != int(o.row)+1 || s.NameColumn != int(o.Start-w.Lines[o.row])+1 {
			continue
		}
		o.Role = TypeUse
		for j := i - 1; j >= 0 && w.Mentions[j].Symbol == o.Symbol; j-- {
			if p := &w.Mentions[j]; p.Name == o.Name && p.Role == Definition && p.Local {
				o.Local = true
			}
		}
	}
}
