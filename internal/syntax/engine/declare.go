package engine

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/treesitter"
)

// declare enters a node that declares: its names become symbols or locals, and
// what is inside it belongs to the first of them.
func (w *Walker) declare(i int32, n *treesitter.Node, d *CompiledDecl) {
	scope := int32(len(w.Scopes) - 1)
	if len(d.whole) > 0 && slices.Contains(d.whole, w.Nodes[n.Parent].Kind) {
		scope = w.FunctionScope()
	}
	w.Push(Frame{End: n.Next, Node: i, Decl: d, Scope: scope})
	f := int32(len(w.Frames) - 1)
	first := int32(len(w.File.Symbols))
	named := false
	switch {
	case d.Decl.Name != "":
		named = w.findNames(i, n, d, func(leaf int32) { w.planName(leaf, i, d, scope) })
		if !named {
			w.nameByText(i, n, d)
		}
	case d.first != nil:
		w.findFirst(i, d, func(leaf int32) { w.planName(leaf, i, d, scope) })
		w.MeanAll(w.plans[w.Frames[f].plans:])
	}
	if int(first) < len(w.File.Symbols) {
		w.Symbol = first
		w.Frames[f].HasSymbol = true
	}
	w.naming = f
	if d.Opens != noScope {
		w.OpenScope(d.Opens)
		w.Frames[f].OpensOne = true
	}
}

// findNames calls yield for each name that the name field of a declaration
// holds, however deep the rules let the name lie. It reports whether there was
// one, member or not.
func (w *Walker) findNames(i int32, n *treesitter.Node, d *CompiledDecl, yield func(leaf int32)) (found bool) {
	for c := i + 1; c < n.Next; c = w.Nodes[c].Next {
		if w.Nodes[c].Field != d.name {
			if found && w.Nodes[c].Field != 0 {
				return found // names are together
			}
			continue
		}
		for j := c; j < w.Nodes[c].Next; {
			leaf := &w.Nodes[j]
			w.Use[j] = w.Place(leaf.Parent, leaf)
			switch {
			case w.Use[j]&UseMask != AsName:
				j = leaf.Next
			case w.Info[leaf.Kind].Flags&IsName != 0:
				found = true
				if w.Use[j]&(Member|Part) == 0 && leaf.End > leaf.Start {
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

// nameContainer returns the child or grandchild that holds the names of a declaration
// without filling a field, or -1.
func (w *Walker) nameContainer(i int32, d *CompiledDecl) int32 {
	for c := range w.Children(i) {
		if slices.Contains(d.first, w.Nodes[c].Kind) {
			return c
		}
	}
	for c := range w.Children(i) {
		for g := range w.Children(c) {
			if slices.Contains(d.first, w.Nodes[g].Kind) {
				return g
			}
		}
	}
	return -1
}

// findFirst calls yield for each name in the holder of the names of a
// declaration.
func (w *Walker) findFirst(i int32, d *CompiledDecl, yield func(leaf int32)) {
	c := w.nameContainer(i, d)
	if c < 0 {
		return
	}
	w.Use[c] = AsName
	for j := c; j < w.Nodes[c].Next; {
		leaf := &w.Nodes[j]
		if j > c {
			w.Use[j] = w.Place(leaf.Parent, leaf)
		}
		switch {
		case w.Use[j]&UseMask != AsName:
			j = leaf.Next
		case w.Info[leaf.Kind].Flags&IsName != 0:
			if w.Use[j]&(Member|Part) == 0 && leaf.End > leaf.Start {
				yield(j)
			}
			j = leaf.Next
		default:
			j++
		}
	}
}

// planName decides what a name of a declaration is.
func (w *Walker) planName(leaf, node int32, d *CompiledDecl, scope int32) {
	n := &w.Nodes[leaf]
	id := w.NameOf(n)
	if w.Blank != "" && w.Intern.Names[id] == w.Blank {
		return
	}
	inFunction := w.Scopes[scope].Kind >= FunctionScope
	what := int32(PlanLocal)
	switch {
	case inFunction && d.Sort == SortVariable && !w.isLasting(leaf, node, id, scope):
		if b := w.BoundIn(id, scope); b != 0 {
			what = planLocalWrite
			if !w.bindings[b].local {
				what = planWrite
			}
		} else if d.After {
			w.pending = append(w.pending, id)
		} else {
			w.Bind(id, scope, true)
		}
	case inFunction && d.Sort == SortField:
		what = planMember
	case d.Once && w.BoundIn(id, scope) != 0:
		what = planWrite
	default:
		if d.Once || inFunction && d.Sort <= SortVariable {
			w.Bind(id, scope, inFunction)
		}
		what = w.addSymbol(node, d, n, w.Intern.Names[id])
	}
	w.plans = append(w.plans, Plan{Node: leaf, Symbol: what, local: d.Sort <= SortVariable && inFunction})
}

// isLasting says whether a name that is new in the scope of a function is a symbol.
func (w *Walker) isLasting(leaf, node, id, scope int32) bool {
	return w.Lasting != nil && w.BoundIn(id, scope) == 0 && w.Lasting(w, leaf, node)
}

// nameByText makes a symbol of a declaration whose name is not a name to the
// grammar: a string, a computed key.
func (w *Walker) nameByText(i int32, n *treesitter.Node, d *CompiledDecl) {
	for c := i + 1; c < n.Next; c = w.Nodes[c].Next {
		if w.Nodes[c].Field != d.name {
			continue
		}
		text := strings.TrimSpace(w.Text[w.Nodes[c].Start:w.Nodes[c].End])
		if w.Is(c, "operator_cast") { // operator T() const
			text, _, _ = strings.Cut(text, "(")
		}
		if w.Use[c]&Member != 0 || d.Sort == SortLexical && w.Use[c]&UseMask != AsName {
			return
		}
		text = strings.Trim(text, `"'`+"`")
		if text == "" || len(text) > 100 || strings.ContainsAny(text, "\n\r") {
			return
		}
		if inFunction := w.Scopes[len(w.Scopes)-1].Kind >= FunctionScope; inFunction && d.Sort != SortProperty {
			return
		}
		at := w.InQuotes(c)
		w.addSymbol(i, d, &at, text)
		return
	}
}

// addSymbol adds a symbol for a node and returns its index.
func (w *Walker) addSymbol(node int32, d *CompiledDecl, name *treesitter.Node, text string) int32 {
	kind := d.Kind
	if d.Member != "" && w.Scopes[len(w.Scopes)-1].Kind == ClassScope {
		kind = d.Member
	}
	if parent := w.Nodes[node].Parent; parent >= 0 {
		for _, u := range d.under {
			if u.parent == w.Nodes[parent].Kind {
				kind = u.kind
			}
		}
	}
	return w.NewSymbol(node, kind, w.Symbol, name, text, d)
}

// NewSymbol adds a symbol for a node under a parent. d may be nil.
func (w *Walker) NewSymbol(node int32, kind Kind, parent int32, name *treesitter.Node, text string,
	d *CompiledDecl) int32 {
	outer := w.Wrapped(node)
	n := &w.Nodes[outer]
	end, endRow := w.TrimmedEnd(&w.Nodes[outer])
	s := Symbol{
		Name: text, Kind: kind, Parent: int(parent),
		Start: int(n.Start), End: end, DocStart: int(n.Start),
		StartLine: int(n.StartRow) + 1, EndLine: endRow + 1,
		NameLine: int(name.StartRow) + 1, NameColumn: int(name.Start-w.Lines[name.StartRow]) + 1,
	}
	if parent >= 0 {
		s.Scope = w.scopeIn(parent)
	}
	s.Doc, s.DocStart = w.docBefore(&w.Nodes[node], n)
	s.Signature = w.signature(outer, node, d, end)
	index := int32(len(w.File.Symbols))
	if w.Finish != nil {
		w.Finish(w, node, &s)
	}
	w.File.Symbols = append(w.File.Symbols, s)
	w.trailing = index
	return index
}

// scopeIn returns the scope of what a symbol contains. Members that follow each other share it.
func (w *Walker) scopeIn(parent int32) string {
	p := &w.File.Symbols[parent]
	if last := len(w.File.Symbols) - 1; last > 0 && w.File.Symbols[last].Parent == int(parent) {
		if shared := w.File.Symbols[last].Scope; len(shared) == len(p.Scope)+len(".")+len(p.Name) &&
			strings.HasPrefix(shared, p.Scope+".") && strings.HasSuffix(shared, p.Name) {
			return shared
		}
	}
	return JoinScope(p.Scope, p.Name)
}

// Wrapped returns the outermost node that exists only for the declaration at
// node: the export or the group of one around it.
func (w *Walker) Wrapped(node int32) int32 {
	for {
		parent := w.Nodes[node].Parent
		if parent < 0 || w.Info[w.Nodes[parent].Kind].Flags&isWrapper == 0 {
			return node
		}
		declarations := 0
		for c := parent + 1; c < w.Nodes[parent].Next && declarations < 2; c = w.Nodes[c].Next {
			if w.Info[w.Nodes[c].Kind].Flags&(hasDecl|isWrapper|hasSplit) != 0 {
				declarations++
			}
		}
		if declarations > 1 {
			return node
		}
		node = parent
	}
}

// TrimmedEnd returns the end of a node without the white space that some
// grammars count in, and the row it is on.
func (w *Walker) TrimmedEnd(n *treesitter.Node) (end, row int) {
	end, row = int(n.End), int(n.EndRow)
	for end > int(n.Start) {
		switch w.Source[end-1] {
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
	MaxSignature = 200 // characters
	MaxDoc       = 2000
)

// conditional is a line of conditional compilation.
var conditional = lazyregexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:if|else|elif|endif)`)

// signature returns the head of a declaration on one line.
func (w *Walker) signature(outer, node int32, d *CompiledDecl, end int) string {
	start := w.AfterDecorators(outer)
	if d != nil {
		if body := w.body(node, d); body >= 0 {
			end = min(end, int(w.Nodes[body].Start))
			for c := range w.Children(node) {
				if w.Info[w.Nodes[c].Kind].Flags&isComment != 0 && int(w.Nodes[c].Start) >= start {
					end = min(end, int(w.Nodes[c].Start))
				}
			}
		}
	}
	text := w.Source[start:max(start, end)]
	if bytes.IndexByte(text, '#') >= 0 && conditional.Match(text) { // of its forms, the one that was read
		text = w.Read[start:max(start, end)]
	}
	if d != nil && d.Cut != "" {
		text, _, _ = bytes.Cut(text, []byte(d.Cut))
	}
	return OneLine(text)
}

// AfterDecorators returns where a declaration starts behind its decorators and remarks on them.
func (w *Walker) AfterDecorators(node int32) int {
	n := &w.Nodes[node]
	start := int(n.Start)
	for c := node + 1; c < n.Next; c = w.Nodes[c].Next {
		if f := w.Info[w.Nodes[c].Kind].Flags; f&isDecorator == 0 && (f&isComment == 0 || c == node+1) {
			break
		}
		start = int(w.Nodes[c].End)
	}
	for start < int(n.End) && IsSpace(w.Source[start]) {
		start++
	}
	return start
}

// body returns the node where the signature ends, or -1.
func (w *Walker) body(node int32, d *CompiledDecl) int32 {
	if d.Body == "" {
		return -1
	}
	isBody := func(n *treesitter.Node) bool {
		return d.BodyField != 0 && n.Field == d.BodyField || slices.Contains(d.bodyKinds, n.Kind)
	}
	for c := node + 1; c < w.Nodes[node].Next; c = w.Nodes[c].Next {
		if isBody(&w.Nodes[c]) {
			return c
		}
		for g := c + 1; g < w.Nodes[c].Next; g = w.Nodes[g].Next {
			if isBody(&w.Nodes[g]) {
				return g
			}
		}
	}
	return -1
}

// OneLine joins the words of text by single spaces, at most maxSignature
// characters of them, without the bracket or sign that would open a body.
func OneLine(text []byte) string {
	const blank, opening = " \t\r\n", " \t\r\n{:=;,"
	text = bytes.TrimRight(text, opening)
	text = bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(text, blank), []byte("=>")), opening)
	if len(text) > 8*MaxSignature {
		text = text[:8*MaxSignature]
	}
	var b strings.Builder
	b.Grow(min(len(text), MaxSignature))
	space := false
	count := 0
	for len(text) > 0 && count < MaxSignature {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if IsSpace(byte(r)) && r < utf8.RuneSelf {
			space = true
			continue
		}
		if space && count > 0 {
			if count+2 > MaxSignature {
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

func IsSpace(b byte) bool {
	return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\f' || b == '\v'
}
