package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// What the rules of several languages do alike.

// sharedHead gives one of several names that are declared together the head
// they share: "private int count = 0" in private int total, count = 0. holder
// is the whole declaration and node the part of it that declares the name.
func (w *walker) sharedHead(holder, node int32, s *Symbol) {
	first := node
	for c := range w.children(w.nodes[node].Parent) {
		if w.nodes[c].Kind == w.nodes[node].Kind {
			first = c
			break
		}
	}
	if first == node && w.wrapped(node) == holder {
		return // it has the whole text already
	}
	head := slices.Clone(w.src[w.afterLeads(holder):w.nodes[first].Start])
	s.Signature = oneLine(append(append(head, ' '), w.textOf(node)...))
}

// ownDoc takes documentation from a declaration that belongs to what is around
// or before it: the comment is near, but does not stand right above. holder is
// the whole declaration of which the symbol may be a part.
func (w *walker) ownDoc(holder int32, s *Symbol) {
	end := int(w.comment.end)
	if s.DocStart == s.Start || w.onlySpace(end, s.Start) {
		return
	}
	s.DocStart = s.Start
	if h := int(w.nodes[holder].Start); h < end || h > s.Start || !w.onlySpace(end, h) {
		s.Doc = ""
	}
}

// meanAll lets a hook say what several names further on are; see mean.
func (w *walker) meanAll(names []plan) {
	for _, p := range slices.Backward(names) {
		w.meant = append(w.meant, p)
	}
}

// hasKeyword says whether a word stands in the head of a declaration, before its name or
// type and behind its annotations. It is for keywords, which are no nodes.
func (w *walker) hasKeyword(node, until int32, modifier string) bool {
	if until < 0 {
		return false
	}
	start := w.afterLeads(node)
	end := int(w.nodes[until].Start)
	if start >= end {
		return false
	}
	for word := range keywordsOf(w.text[start:end]) {
		if word == modifier {
			return true
		}
	}
	return false
}

// keywordsOf yields the words of a text, which are runs of letters and digits.
func keywordsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(text); i++ {
			letter := i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= 'A' && text[i] <= 'Z' || text[i] >= '0' && text[i] <= '9' || text[i] == '_')
			switch {
			case letter && start < 0:
				start = i
			case !letter && start >= 0:
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
		}
	}
}

// fileNamespace puts what follows a namespace that has no body, as in
// namespace a.b; into that namespace.
func fileNamespace(w *walker) {
	namespace := ""
	for i := range w.file.Symbols {
		s := &w.file.Symbols[i]
		if s.Kind == Namespace && s.Parent < 0 {
			namespace = ""
			if strings.HasSuffix(w.text[s.Start:s.End], ";") {
				namespace = s.Name
			}
			continue
		}
		if namespace != "" {
			s.Scope = joinScope(namespace, s.Scope)
		}
	}
}

func joinScope(outer, inner string) string {
	if outer == "" || inner == "" {
		return outer + inner
	}
	return outer + "." + inner
}

// mentionAs notes an occurrence of no local that a hook found. qualifier is the
// node before the dot, or -1 for the one that the rules say.
func (w *walker) mentionAs(node, qualifier int32, role Role) {
	n := &w.nodes[node]
	if n.End == n.Start {
		return // made up by the parser
	}
	w.occur(node, n, w.nameOf(n), role, w.symbol, false)
	if qualifier >= 0 {
		w.occs[len(w.occs)-1].qualifier = qualifier
	}
}

// hide makes the walk pass over the names in a node that a hook has dealt with.
func (w *walker) hide(node int32) {
	for j := node; j < w.nodes[node].Next; j++ {
		if w.info[w.nodes[j].Kind].flags&isName != 0 {
			w.nodes[j].Kind = 0
		}
	}
}

// inOrder puts the occurrences in the order of the source, for rules whose
// hooks note names before the walk comes to them.
func inOrder(w *walker) {
	slices.SortStableFunc(w.occs, func(a, b occurrence) int { return cmp.Compare(a.start, b.start) })
}

// lastLeaf returns the last node in node, which is a leaf, or -1.
func (w *walker) lastLeaf(node int32) int32 {
	if node < 0 {
		return -1
	}
	return w.nodes[node].Next - 1
}

// isUpper says whether a name starts with an ASCII capital.
func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// leafOf returns the first node below node, itself included, that is a name, or
// -1.
func (w *walker) leafOf(node int32) int32 {
	for j := node; node >= 0 && j < w.nodes[node].Next; j++ {
		if w.info[w.nodes[j].Kind].flags&isName != 0 {
			return j
		}
	}
	return -1
}
