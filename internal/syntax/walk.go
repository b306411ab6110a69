package syntax

import (
	"sync"

	"codeintel/internal/syntax/treesitter"
)

// A walker goes over the nodes of one file once, in order. It is re-used for
// one file after another, so that the hot loop does not allocate.
type walker struct {
	*program
	file  *File
	src   []byte
	text  string // the same bytes; names are slices of it
	nodes []treesitter.Node
	use   []use    // by node: what a name does there
	lines []uint32 // by row: byte where it starts

	frames   []frame
	naming   int32 // the innermost frame that waits for its names, or -1
	symbol   int32 // the innermost symbol, or -1
	plans    []plan
	meant    []plan // names that hooks gave a meaning, in order
	pending  []int32
	comment  commentRun
	trailing int32 // the last symbol that was closed or created, for a comment behind it

	intern   interner
	scopes   []scopeState
	bindings []binding
	tops     []int32 // by name: its innermost binding
	opens    []int32 // by name: its last unresolved occurrence + 1
	occs     []occurrence
	exports  []int32 // names that the file exports by a statement
}

// A frame is a node that asks for something when the walk leaves it.
type frame struct {
	end       int32 // index of the first node after it
	decl      *compiledDecl
	node      int32
	naming    int32 // to restore
	symbol    int32 // to restore
	plans     int32 // start of its plans
	pending   int32 // start of its pending bindings
	scope     int32 // scope its names belong to
	opensOne  bool  // a scope of its own is open
	hasSymbol bool
}

// A plan says what a name node of a declaration turned out to be.
type plan struct {
	node   int32
	symbol int32 // or one of the below
	local  bool  // the symbol can be seen only in the function around it
}

const (
	planLocal      = -1 - iota // defines a local
	planLocalWrite             // assigns to a local
	planWrite                  // assigns to something declared before
	planMember                 // defines a member of something local
	planKey                    // assigns to a member
)

var walkers = sync.Pool{New: func() any { return new(walker) }}

// walk fills the File from the tree.
func (p *program) walk(f *File, src []byte, nodes []treesitter.Node) {
	w := walkers.Get().(*walker)
	w.begin(p, f, src, nodes)
	w.run()
	w.finishFile()
	w.program, w.file, w.src, w.text, w.nodes = nil, nil, nil, "", nil
	clear(w.intern.names)
	walkers.Put(w)
}

func (w *walker) begin(p *program, f *File, src []byte, nodes []treesitter.Node) {
	w.program, w.file, w.src, w.text, w.nodes = p, f, src, string(src), nodes
	w.use = append(w.use[:0], make([]use, len(nodes))...)
	w.lines = lineStarts(w.lines[:0], src)
	w.frames, w.plans, w.meant = w.frames[:0], w.plans[:0], w.meant[:0]
	w.pending, w.exports, w.occs = w.pending[:0], w.exports[:0], w.occs[:0]
	w.naming, w.symbol, w.trailing = -1, -1, -1
	w.comment = commentRun{}
	w.intern.reset(len(nodes))
	w.tops, w.opens = w.tops[:0], w.opens[:0]
	for _, name := range w.builtinNames {
		w.nameID(name)
	}
	w.bindings = append(w.bindings[:0], binding{}) // 0 is none
	w.scopes = append(w.scopes[:0], scopeState{kind: moduleScope})
}

// lineStarts appends the offset of every line of src.
func lineStarts(lines []uint32, src []byte) []uint32 {
	lines = append(lines, 0)
	for i, b := range src {
		if b == '\n' {
			lines = append(lines, uint32(i+1))
		}
	}
	return lines
}

func (w *walker) run() {
	end := int32(1 << 30) // of the innermost frame
	for i := int32(0); int(i) < len(w.nodes); i++ {
		for i >= end {
			w.leave()
			end = w.innermostEnd()
		}
		n := &w.nodes[i]
		u := asRead
		if n.Parent >= 0 {
			u = w.place(n.Parent, n)
		}
		w.use[i] = u
		info := &w.info[n.Kind]
		if info.flags&isName != 0 {
			w.name(i, n, u)
			continue
		}
		if info.flags&special == 0 {
			continue
		}
		w.enter(i, n, info)
		end = w.innermostEnd()
	}
	for len(w.frames) > 0 {
		w.leave()
	}
	w.closeScope()
}

func (w *walker) innermostEnd() int32 {
	if len(w.frames) == 0 {
		return 1 << 30
	}
	return w.frames[len(w.frames)-1].end
}

// place says what a name does at the place of n in its parent.
func (w *walker) place(parent int32, n *treesitter.Node) use {
	kind := w.nodes[parent].Kind
	u := w.uses[int(kind)*w.fields+int(n.Field)]
	if info := &w.info[kind]; info.flags&hasChildUses != 0 {
		for _, c := range info.childUses {
			if c.kind == n.Kind {
				u = c.use
				break
			}
		}
	}
	switch u & useMask {
	case handOn:
		return w.use[parent] | u&^useMask
	case stickyRead:
		if w.use[parent]&useMask == asType {
			return asType
		}
		return asRead
	}
	return u
}

// enter does what the kind of a node asks for.
func (w *walker) enter(i int32, n *treesitter.Node, info *kindInfo) {
	if info.flags&isComment != 0 {
		w.noteComment(n)
		return
	}
	if info.flags&isLead != 0 {
		w.noteLead(n)
	}
	if info.flags&hasSplit != 0 {
		info = w.split(i, n, info)
	}
	switch {
	case info.flags&hasDecl != 0:
		w.declare(i, n, w.decls[info.decl])
	case info.flags&hasScope != 0 && (n.Parent < 0 || w.info[w.nodes[n.Parent].Kind].flags&isOpen == 0):
		w.openScope(info.scope)
		w.push(frame{end: n.Next, node: i, opensOne: true})
	}
	if info.flags&hasHook != 0 {
		info.hook(w, i)
	}
}

// split gives a node the narrower kind that its children show.
func (w *walker) split(i int32, n *treesitter.Node, info *kindInfo) *kindInfo {
	for c := i + 1; c < n.Next; c = w.nodes[c].Next {
		for _, to := range info.splits {
			if w.nodes[c].Kind == to.child {
				n.Kind = to.kind
				return &w.info[to.kind]
			}
		}
	}
	return info
}

// push adds a frame that keeps what is current now.
func (w *walker) push(f frame) {
	f.naming, f.symbol = w.naming, w.symbol
	f.plans, f.pending = int32(len(w.plans)), int32(len(w.pending))
	w.frames = append(w.frames, f)
}

// leave ends the innermost frame.
func (w *walker) leave() {
	f := &w.frames[len(w.frames)-1]
	if f.opensOne {
		w.closeScope()
	}
	if f.decl != nil {
		for _, id := range w.pending[f.pending:] {
			w.bind(id, f.scope, true)
		}
		w.pending = w.pending[:f.pending]
		w.plans = w.plans[:f.plans]
	}
	if f.hasSymbol {
		w.trailing = w.symbol
	}
	w.naming, w.symbol = f.naming, f.symbol
	w.frames = w.frames[:len(w.frames)-1]
}

// name handles a leaf that is a name.
func (w *walker) name(i int32, n *treesitter.Node, u use) {
	id := w.nameOf(n)
	if w.intern.names[id] == w.blank && w.blank != "" || n.End == n.Start {
		return
	}
	if len(w.meant) > 0 && w.meant[len(w.meant)-1].node <= i && w.hinted(i, n, id) {
		return
	}
	role := Read
	switch what := u & useMask; what {
	case asNothing:
		return
	case asName:
		w.planned(i, n, id, u)
		return
	case asBind, asParam:
		w.bound(i, n, id, u)
		return
	case asTag, asTagEnd:
		if c := w.src[n.Start]; c >= 'a' && c <= 'z' {
			return
		}
		if what == asTag {
			role = Call
		}
	default:
		role = roleOf[what]
		if what == asRead {
			role = roleOf[w.info[n.Kind].name&useMask]
		}
	}
	if role == TypeUse && int(id) < len(w.builtinNames) {
		return
	}
	if u&member != 0 || w.info[n.Kind].name&member != 0 || role == ImportUse {
		w.occur(i, n, id, role, w.symbol, u&local != 0)
		return
	}
	w.mention(i, n, id, role, u&local != 0)
}

var roleOf = [...]Role{
	asRead: Read, asWrite: Write, asCall: Call, asType: TypeUse, asImport: ImportUse,
	asName: Definition, asBind: Definition, asTag: Call, asTagEnd: Read, asParam: Definition,
	asNothing: Read, handOn: Read, stickyRead: Read,
}

// mean lets a hook say what a name further on in its node is: a symbol's
// index, or planKey.
func (w *walker) mean(node, what int32) {
	w.meant = append(w.meant, plan{node: node, symbol: what})
}

// hinted handles a name that a hook gave a meaning.
func (w *walker) hinted(i int32, n *treesitter.Node, id int32) bool {
	for len(w.meant) > 0 {
		m := w.meant[len(w.meant)-1]
		if m.node > i {
			return false
		}
		w.meant = w.meant[:len(w.meant)-1]
		switch {
		case m.node < i:
		case m.symbol == planKey:
			w.occur(i, n, id, Write, w.symbol, false)
			return true
		default:
			w.fulfil(m, n, id)
			return true
		}
	}
	return false
}

// planned handles a name of the innermost declaration.
func (w *walker) planned(i int32, n *treesitter.Node, id int32, u use) {
	if w.naming >= 0 {
		for _, p := range w.plans[w.frames[w.naming].plans:] {
			if p.node == i {
				w.fulfil(p, n, id)
				return
			}
		}
	}
	if u&member != 0 {
		w.occur(i, n, id, Write, w.symbol, false)
		return
	}
	w.mention(i, n, id, Write, false)
}

// fulfil notes a name as it was planned.
func (w *walker) fulfil(p plan, n *treesitter.Node, id int32) {
	switch p.symbol {
	case planLocal, planMember:
		w.occur(p.node, n, id, Definition, w.symbol, true)
	case planLocalWrite:
		w.occur(p.node, n, id, Write, w.symbol, true)
	case planWrite:
		w.mention(p.node, n, id, Write, false)
	default:
		w.occur(p.node, n, id, Definition, p.symbol, p.local)
	}
}

// bound handles a name that is declared and is no symbol.
func (w *walker) bound(i int32, n *treesitter.Node, id int32, u use) {
	scope := int32(len(w.scopes) - 1)
	switch {
	case u&member != 0:
		w.occur(i, n, id, Write, w.symbol, false)
	case u&part != 0:
		w.mention(i, n, id, Write, false)
	case w.scopes[scope].kind < functionScope && u&useMask == asBind:
		w.occur(i, n, id, Definition, w.symbol, false)
	default:
		if b := w.boundIn(id, scope); b != 0 {
			w.occur(i, n, id, Write, w.symbol, w.bindings[b].local)
			return
		}
		w.bind(id, scope, true)
		w.occur(i, n, id, Definition, w.symbol, true)
	}
}
