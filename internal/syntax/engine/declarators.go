package engine

import (
	"cmp"
	"slices"
	"strings"

	"codeintel/internal/text"
)

// What the rules of several languages do alike.

// SharedHead gives one of several names that are declared together the head
// they share: "private int count = 0" in private int total, count = 0. holder
// is the whole declaration and node the part of it that declares the name.
func (w *Walker) SharedHead(owner, node int32, s *Symbol) {
	first := node
	for c := range w.Children(w.Nodes[node].Parent) {
		if w.Nodes[c].Kind == w.Nodes[node].Kind {
			first = c
			break
		}
	}
	if first == node && w.Wrapped(node) == owner {
		return // it has the whole text already
	}
	head := slices.Clone(w.Source[w.AfterDecorators(owner):w.Nodes[first].Start])
	s.Signature = OneLine(append(append(head, ' '), w.TextOf(node)...))
}

// OwnDoc takes documentation from a declaration that belongs to what is around
// or before it: the comment is near, but is not right above. holder is
// the whole declaration of which the symbol may be a part.
func (w *Walker) OwnDoc(owner int32, s *Symbol) {
	end := int(w.comment.end)
	if s.DocStart == s.Start || w.onlySpace(end, s.Start) {
		return
	}
	s.DocStart = s.Start
	if h := int(w.Nodes[owner].Start); h < end || h > s.Start || !w.onlySpace(end, h) {
		s.Doc = ""
	}
}

// MeanAll lets a hook say what several names further on are; see mean.
func (w *Walker) MeanAll(names []Plan) {
	for _, p := range slices.Backward(names) {
		w.HookPlans = append(w.HookPlans, p)
	}
}

// HasKeyword says whether a word is in the head of a declaration, before its name or
// type and behind its annotations. It is for keywords, which are not nodes.
func (w *Walker) HasKeyword(node, until int32, modifier string) bool {
	if until < 0 {
		return false
	}
	start := w.AfterDecorators(node)
	end := int(w.Nodes[until].Start)
	if start >= end {
		return false
	}
	for word := range text.Words(w.Text[start:end]) {
		if word == modifier {
			return true
		}
	}
	return false
}

// FileNamespace puts what follows a namespace that has no body, as in
// namespace a.b; into that namespace.
func FileNamespace(w *Walker) {
	namespace := ""
	for i := range w.File.Symbols {
		s := &w.File.Symbols[i]
		if s.Kind == Namespace && s.Parent < 0 {
			namespace = ""
			if strings.HasSuffix(w.Text[s.Start:s.End], ";") {
				namespace = s.Name
			}
			continue
		}
		if namespace != "" {
			s.Scope = JoinScope(namespace, s.Scope)
		}
	}
}

// JoinScope returns the scope of what inner contains, which is in outer. Of one that no person would write
// the inner end is kept, if it is short enough: each member repeats its scope, so a file of a few megabytes
// could take any memory.
func JoinScope(outer, inner string) string {
	switch {
	case len(inner) > maxScope:
		return ""
	case outer == "" || inner == "" || len(outer)+len(".")+len(inner) > maxScope:
		return cmp.Or(inner, outer)
	}
	return outer + "." + inner
}

// maxScope bounds the bytes of a scope.
const maxScope = 1000

// MentionAs notes an occurrence of no local that a hook found. qualifier is the
// node before the dot, or -1 for the one that the rules say.
func (w *Walker) MentionAs(node, qualifier int32, role Role) {
	n := &w.Nodes[node]
	if n.End == n.Start {
		return // made up by the parser
	}
	w.Occur(n, w.NameOf(n), role, w.Symbol, false)
	if qualifier >= 0 {
		w.Mentions[len(w.Mentions)-1].Qualifier = qualifier
	}
}

// Hide makes the walk pass over the names in a node that a hook has dealt with.
func (w *Walker) Hide(node int32) {
	for j := node; j < w.Nodes[node].Next; j++ {
		if w.Info[w.Nodes[j].Kind].Flags&IsName != 0 {
			w.Nodes[j].Kind = 0
		}
	}
}

// InOrder puts the occurrences in the order of the source, for rules whose
// hooks note names before the walk comes to them.
func InOrder(w *Walker) {
	slices.SortStableFunc(w.Mentions, func(a, b RawOccurrence) int { return cmp.Compare(a.Start, b.Start) })
}

// LastLeaf returns the last node in node, which is a leaf, or -1.
func (w *Walker) LastLeaf(node int32) int32 {
	if node < 0 {
		return -1
	}
	return w.Nodes[node].Next - 1
}

// IsUpper says whether a name starts with an ASCII capital.
func IsUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// LeafOf returns the first node below node, itself included, that is a name, or
// -1.
func (w *Walker) LeafOf(node int32) int32 {
	for j := node; node >= 0 && j < w.Nodes[node].Next; j++ {
		if w.Info[w.Nodes[j].Kind].Flags&IsName != 0 {
			return j
		}
	}
	return -1
}
