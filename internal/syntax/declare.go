package syntax

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/syntax/treesitter"
)

// declare enters a node that declares: its names become symbols or locals, and
// what is inside it belongs to the first of them.
func (w *walker) declare(i int32, n *treesitter.Node, d *compiledDecl) {
	scope := int32(len(w.scopes) - 1)
	if len(d.whole) > 0 && slices.Contains(d.whole, w.nodes[n.Parent].Kind) {
		scope = w.functionScope()
	}
	w.push(frame{end: n.Next, node: i, decl: d, scope: scope})
	f := int32(len(w.frames) - 1)
	first := int32(len(w.file.Symbols))
	named := false
	switch {
	case d.decl.name != "":
		named = w.findNames(i, n, d, func(leaf int32) { w.planName(leaf, i, d, scope) })
		if !named {
			w.nameByText(i, n, d)
		}
	case d.first != nil:
		w.findFirst(i, d, func(leaf int32) { w.planName(leaf, i, d, scope) })
		w.meanAll(w.plans[w.frames[f].plans:])
	}
	if int(first) < len(w.file.Symbols) {
		w.symbol = first
		w.frames[f].hasSymbol = true
	}
	w.naming = f
	if d.opens != noScope {
		w.openScope(d.opens)
		w.frames[f].opensOne = true
	}
}

// findNames calls yield for each name that the name field of a declaration
// holds, however deep the rules let the name lie. It reports whether there was
// one, member or not.
func (w *walker) findNames(i int32, n *treesitter.Node, d *compiledDecl, yield func(leaf int32)) (found bool) {
	for c := i + 1; c < n.Next; c = w.nodes[c].Next {
		if w.nodes[c].Field != d.name {
			if found && w.nodes[c].Field != 0 {
				return found // names stand together
			}
			continue
		}
		for j := c; j < w.nodes[c].Next; {
			leaf := &w.nodes[j]
			w.use[j] = w.place(leaf.Parent, leaf)
			switch {
			case w.use[j]&useMask != asName:
				j = leaf.Next
			case w.info[leaf.Kind].flags&isName != 0:
				found = true
				if w.use[j]&(member|part) == 0 && leaf.End > leaf.Start {
					yield(j)
				}
				j = leaf.Next
			default:
				j++
			}
		}
	}
	return found
}

// holder returns the child or grandchild that holds the names of a declaration
// without filling a field, or -1.
func (w *walker) holder(i int32, d *compiledDecl) int32 {
	for c := range w.children(i) {
		if slices.Contains(d.first, w.nodes[c].Kind) {
			return c
		}
	}
	for c := range w.children(i) {
		for g := range w.children(c) {
			if slices.Contains(d.first, w.nodes[g].Kind) {
				return g
			}
		}
	}
	return -1
}

// findFirst calls yield for each name in the holder of the names of a
// declaration.
func (w *walker) findFirst(i int32, d *compiledDecl, yield func(leaf int32)) {
	c := w.holder(i, d)
	if c < 0 {
		return
	}
	w.use[c] = asName
	for j := c; j < w.nodes[c].Next; {
		leaf := &w.nodes[j]
		if j > c {
			w.use[j] = w.place(leaf.Parent, leaf)
		}
		switch {
		case w.use[j]&useMask != asName:
			j = leaf.Next
		case w.info[leaf.Kind].flags&isName != 0:
			if w.use[j]&(member|part) == 0 && leaf.End > leaf.Start {
				yield(j)
			}
			j = leaf.Next
		default:
			j++
		}
	}
}

// planName decides what a name of a declaration is.
func (w *walker) planName(leaf, node int32, d *compiledDecl, scope int32) {
	n := &w.nodes[leaf]
	id := w.nameOf(n)
	if w.blank != "" && w.intern.names[id] == w.blank {
		return
	}
	inFunction := w.scopes[scope].kind >= functionScope
	what := int32(planLocal)
	switch {
	case inFunction && d.sort == variable:
		if b := w.boundIn(id, scope); b != 0 {
			what = planLocalWrite
			if !w.bindings[b].local {
				what = planWrite
			}
		} else if d.after {
			w.pending = append(w.pending, id)
		} else {
			w.bind(id, scope, true)
		}
	case inFunction && d.sort == field:
		what = planMember
	case d.once && w.boundIn(id, scope) != 0:
		what = planWrite
	default:
		if d.once || inFunction && d.sort == lexical {
			w.bind(id, scope, inFunction)
		}
		what = w.addSymbol(node, d, n, w.intern.names[id])
	}
	w.plans = append(w.plans, plan{node: leaf, symbol: what, local: d.sort <= variable && inFunction})
}

// nameByText makes a symbol of a declaration whose name is no name to the
// grammar: a string, a computed key.
func (w *walker) nameByText(i int32, n *treesitter.Node, d *compiledDecl) {
	for c := i + 1; c < n.Next; c = w.nodes[c].Next {
		if w.nodes[c].Field != d.name {
			continue
		}
		text := strings.TrimSpace(w.text[w.nodes[c].Start:w.nodes[c].End])
		if w.use[c]&member != 0 || d.sort == lexical && w.use[c]&useMask != asName {
			return
		}
		text = strings.Trim(text, `"'`+"`")
		if text == "" || len(text) > 100 || strings.ContainsAny(text, "\n\r") {
			return
		}
		if inFunction := w.scopes[len(w.scopes)-1].kind >= functionScope; inFunction && d.sort != property {
			return
		}
		w.addSymbol(i, d, &w.nodes[c], text)
		return
	}
}

// addSymbol adds a symbol for a node and returns its index.
func (w *walker) addSymbol(node int32, d *compiledDecl, name *treesitter.Node, text string) int32 {
	kind := d.kind
	if d.member != "" && w.scopes[len(w.scopes)-1].kind == classScope {
		kind = d.member
	}
	if parent := w.nodes[node].Parent; parent >= 0 {
		for _, u := range d.under {
			if u.parent == w.nodes[parent].Kind {
				kind = u.kind
			}
		}
	}
	return w.newSymbol(node, kind, w.symbol, name, text, d)
}

// newSymbol adds a symbol for a node under a parent. d may be nil.
func (w *walker) newSymbol(node int32, kind Kind, parent int32, name *treesitter.Node, text string, d *compiledDecl) int32 {
	outer := w.wrapped(node)
	n := &w.nodes[outer]
	end, endRow := w.trimmedEnd(&w.nodes[outer])
	s := Symbol{
		Name: text, Kind: kind, Parent: int(parent),
		Start: int(n.Start), End: end, DocStart: int(n.Start),
		StartLine: int(n.StartRow) + 1, EndLine: endRow + 1,
		NameLine: int(name.StartRow) + 1, NameColumn: int(name.Start-w.lines[name.StartRow]) + 1,
	}
	if parent >= 0 {
		p := &w.file.Symbols[parent]
		s.Scope = p.Name
		if p.Scope != "" {
			s.Scope = p.Scope + "." + p.Name
		}
	}
	s.Doc, s.DocStart = w.docBefore(&w.nodes[node], n)
	s.Signature = w.signature(outer, node, d, end)
	index := int32(len(w.file.Symbols))
	if w.finish != nil {
		w.finish(w, node, &s)
	}
	w.file.Symbols = append(w.file.Symbols, s)
	w.trailing = index
	return index
}

// wrapped returns the outermost node that exists only for the declaration at
// node: the export or the group of one around it.
func (w *walker) wrapped(node int32) int32 {
	for {
		parent := w.nodes[node].Parent
		if parent < 0 || w.info[w.nodes[parent].Kind].flags&isWrapper == 0 {
			return node
		}
		declarations := 0
		for c := parent + 1; c < w.nodes[parent].Next && declarations < 2; c = w.nodes[c].Next {
			if w.info[w.nodes[c].Kind].flags&(hasDecl|isWrapper|hasSplit) != 0 {
				declarations++
			}
		}
		if declarations > 1 {
			return node
		}
		node = parent
	}
}

// trimmedEnd returns the end of a node without the white space that some
// grammars count in, and the row it lies on.
func (w *walker) trimmedEnd(n *treesitter.Node) (end, row int) {
	end, row = int(n.End), int(n.EndRow)
	for end > int(n.Start) {
		switch w.src[end-1] {
		case '\n':
			row--
		case ' ', '\t', '\r':
		default:
			return end, row
		}
		end--
	}
	return end, row
}

const (
	maxSignature = 200 // characters
	maxDoc       = 2000
)

// signature returns the head of a declaration on one line.
func (w *walker) signature(outer, node int32, d *compiledDecl, end int) string {
	start := w.afterLeads(outer)
	if d != nil {
		if body := w.body(node, d); body >= 0 {
			end = min(end, int(w.nodes[body].Start))
			for c := range w.children(node) {
				if w.info[w.nodes[c].Kind].flags&isComment != 0 {
					end = min(end, int(w.nodes[c].Start))
				}
			}
		}
	}
	text := w.src[start:max(start, end)]
	if d != nil && d.cut != "" {
		text, _, _ = bytes.Cut(text, []byte(d.cut))
	}
	return oneLine(text)
}

// afterLeads returns where a declaration starts behind its decorators.
func (w *walker) afterLeads(node int32) int {
	n := &w.nodes[node]
	start := int(n.Start)
	for c := node + 1; c < n.Next; c = w.nodes[c].Next {
		if w.info[w.nodes[c].Kind].flags&isLead == 0 {
			break
		}
		start = int(w.nodes[c].End)
	}
	for start < int(n.End) && isSpace(w.src[start]) {
		start++
	}
	return start
}

// body returns the node where the signature ends, or -1.
func (w *walker) body(node int32, d *compiledDecl) int32 {
	if d.body == "" {
		return -1
	}
	isBody := func(n *treesitter.Node) bool {
		return d.bodyField != 0 && n.Field == d.bodyField || slices.Contains(d.bodyKinds, n.Kind)
	}
	for c := node + 1; c < w.nodes[node].Next; c = w.nodes[c].Next {
		if isBody(&w.nodes[c]) {
			return c
		}
		for g := c + 1; g < w.nodes[c].Next; g = w.nodes[g].Next {
			if isBody(&w.nodes[g]) {
				return g
			}
		}
	}
	return -1
}

// oneLine joins the words of text by single spaces, at most maxSignature
// characters of them, without the bracket or sign that would open a body.
func oneLine(text []byte) string {
	const blank, opening = " \t\r\n", " \t\r\n{:=;,"
	text = bytes.TrimRight(text, opening)
	text = bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(text, blank), []byte("=>")), opening)
	if len(text) > 8*maxSignature {
		text = text[:8*maxSignature]
	}
	var b strings.Builder
	b.Grow(min(len(text), maxSignature))
	space := false
	count := 0
	for len(text) > 0 && count < maxSignature {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if isSpace(byte(r)) && r < utf8.RuneSelf {
			space = true
			continue
		}
		if space && count > 0 {
			if count+2 > maxSignature {
				break
			}
			b.WriteByte(' ')
			count++
		}
		space = false
		b.WriteRune(r)
		count++
	}
	return b.String()
}

func isSpace(b byte) bool {
	return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\f' || b == '\v'
}
