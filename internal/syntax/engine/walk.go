package engine

import (
	"sync"

	"codeintel/internal/syntax/treesitter"
)

// A Walker goes over the nodes of one file once, in order. It is re-used for
// one file after another, so that the hot loop does not allocate.
type Walker struct {
	*program
	File   *File
	Source []byte
	Read   []byte // the text that the tree is of: Source, or Source as it was repaired
	Text   string // the same bytes; names are slices of it
	Nodes  []treesitter.Node
	Use    []Use    // by node: what a name does there
	Lines  []uint32 // by row: byte where it starts

	imported  int // bytes of the paths of imports so far
	Frames    []Frame
	naming    int32 // the innermost frame that waits for its names, or -1
	Symbol    int32 // the innermost symbol, or -1
	plans     []Plan
	HookPlans []Plan // names that hooks gave a meaning, in order
	pending   []int32
	comment   commentRun
	trailing  int32 // the last symbol that was closed or created, for a comment behind it

	Intern   interner
	Scopes   []scopeState
	bindings []binding
	Tops     []int32 // by name: its innermost binding
	opens    []int32 // by name: its last unresolved occurrence + 1
	Mentions []RawOccurrence
	Exports  []int32          // names that the file exports by a statement
	Access   map[int32]Access // by node: what hooks have read of the access to its members
	Exposed  map[string]bool  // names that it gives to members of the same name; nil until asked for
}

// A Frame is a node that asks for something when the walk leaves it.
type Frame struct {
	End       int32 // index of the first node after it
	Decl      *CompiledDecl
	Node      int32
	naming    int32 // to restore
	symbol    int32 // to restore
	plans     int32 // start of its plans
	pending   int32 // start of its pending bindings
	Scope     int32 // scope its names belong to
	OpensOne  bool  // a scope of its own is open
	HasSymbol bool
}

// A Plan says what a name node of a declaration turned out to be.
type Plan struct {
	Node   int32
	Symbol int32 // or one of the below
	local  bool  // the symbol can be seen only in the function around it
}

const (
	PlanLocal      = -1 - iota // defines a local
	planLocalWrite             // assigns to a local
	planWrite                  // assigns to something declared before
	planMember                 // defines a member of something local
	PlanKey                    // assigns to a member
)

var walkers = sync.Pool{New: func() any { return new(Walker) }}

// walk fills the File from the tree.
func (p *program) walk(f *File, src, read []byte, nodes []treesitter.Node) {
	w := walkers.Get().(*Walker)
	w.begin(p, f, src, nodes)
	w.Read = read
	w.run()
	w.finishFile()
	w.program, w.File, w.Source, w.Read, w.Text, w.Nodes = nil, nil, nil, nil, "", nil
	clear(w.Intern.Names)
	walkers.Put(w)
}

func (w *Walker) begin(p *program, f *File, src []byte, nodes []treesitter.Node) {
	w.program, w.File, w.Source, w.Text, w.Nodes = p, f, src, string(src), nodes
	w.Use = append(w.Use[:0], make([]Use, len(nodes))...)
	w.Lines = LineStarts(w.Lines[:0], src)
	w.Frames, w.plans, w.HookPlans = w.Frames[:0], w.plans[:0], w.HookPlans[:0]
	w.pending, w.Exports, w.Mentions = w.pending[:0], w.Exports[:0], w.Mentions[:0]
	w.Access = map[int32]Access{}
	w.naming, w.Symbol, w.trailing, w.imported = -1, -1, -1, 0
	w.comment, w.Exposed = commentRun{}, nil
	w.Intern.reset(len(nodes))
	w.Tops, w.opens = w.Tops[:0], w.opens[:0]
	for _, name := range w.BuiltinNames {
		w.NameID(name)
	}
	w.bindings = append(w.bindings[:0], binding{}) // 0 is none
	w.Scopes = append(w.Scopes[:0], scopeState{Kind: ModuleScope})
}

// LineStarts appends the offset of every line of src.
func LineStarts(lines []uint32, src []byte) []uint32 {
	lines = append(lines, 0)
	for i, b := range src {
		if b == '\n' {
			lines = append(lines, uint32(i+1))
		}
	}
	return lines
}

func (w *Walker) run() {
	end := int32(1 << 30) // of the innermost frame
	for i := int32(0); int(i) < len(w.Nodes); i++ {
		for i >= end {
			w.leave()
			end = w.innermostEnd()
		}
		n := &w.Nodes[i]
		u := AsRead
		if n.Parent >= 0 {
			u = w.Place(n.Parent, n)
		}
		w.Use[i] = u
		info := &w.Info[n.Kind]
		if info.Flags&IsName != 0 {
			w.name(i, n, u)
			continue
		}
		if info.Flags&special == 0 {
			continue
		}
		w.enterNode(i, n, info)
		end = w.innermostEnd()
	}
	for len(w.Frames) > 0 {
		w.leave()
	}
	w.closeScope()
}

func (w *Walker) innermostEnd() int32 {
	if len(w.Frames) == 0 {
		return 1 << 30
	}
	return w.Frames[len(w.Frames)-1].End
}

// Place says what a name does at the place of n in its parent.
func (w *Walker) Place(parent int32, n *treesitter.Node) Use {
	kind := w.Nodes[parent].Kind
	u := w.uses[int(kind)*w.fields+int(n.Field)]
	if info := &w.Info[kind]; info.Flags&hasChildUses != 0 {
		for _, c := range info.childUses {
			if c.kind == n.Kind {
				u = c.use
				break
			}
		}
	}
	switch u & UseMask {
	case HandOn:
		return w.Use[parent] | u&^UseMask
	case StickyRead:
		if w.Use[parent]&UseMask == AsType {
			return AsType
		}
		return AsRead
	}
	return u
}

// enterNode does what the kind of a node asks for.
func (w *Walker) enterNode(i int32, n *treesitter.Node, info *kindInfo) {
	if info.Flags&isComment != 0 {
		w.noteComment(n)
		return
	}
	if info.Flags&isDecorator != 0 {
		w.noteDecorator(n)
	}
	if info.Flags&hasSplit != 0 {
		info = w.split(i, n, info)
	}
	switch {
	case info.Flags&hasDecl != 0:
		w.declare(i, n, w.decls[info.decl])
	case info.Flags&hasScope != 0 && (n.Parent < 0 || w.Info[w.Nodes[n.Parent].Kind].Flags&isOpen == 0):
		w.OpenScope(info.scope)
		w.Push(Frame{End: n.Next, Node: i, OpensOne: true})
	}
	if info.Flags&hasHook != 0 {
		info.hook(w, i)
	}
}

// split gives a node the narrower kind that its children show.
func (w *Walker) split(i int32, n *treesitter.Node, info *kindInfo) *kindInfo {
	for c := i + 1; c < n.Next; c = w.Nodes[c].Next {
		for _, to := range info.splits {
			if w.Nodes[c].Kind == to.child {
				n.Kind = to.kind
				return &w.Info[to.kind]
			}
		}
	}
	return info
}

// Push adds a frame that keeps what is current now.
func (w *Walker) Push(f Frame) {
	f.naming, f.symbol = w.naming, w.Symbol
	f.plans, f.pending = int32(len(w.plans)), int32(len(w.pending))
	w.Frames = append(w.Frames, f)
}

// leave ends the innermost frame.
func (w *Walker) leave() {
	f := &w.Frames[len(w.Frames)-1]
	if f.OpensOne {
		w.closeScope()
	}
	if f.Decl != nil {
		for _, id := range w.pending[f.pending:] {
			w.Bind(id, f.Scope, true)
		}
		w.pending = w.pending[:f.pending]
		w.plans = w.plans[:f.plans]
	}
	if f.HasSymbol {
		w.trailing = w.Symbol
	}
	w.naming, w.Symbol = f.naming, f.symbol
	w.Frames = w.Frames[:len(w.Frames)-1]
}

// name handles a leaf that is a name.
func (w *Walker) name(i int32, n *treesitter.Node, u Use) {
	id := w.NameOf(n)
	if w.Intern.Names[id] == w.Blank && w.Blank != "" || n.End == n.Start {
		return
	}
	if len(w.HookPlans) > 0 && w.HookPlans[len(w.HookPlans)-1].Node <= i && w.handleHinted(i, n, id) {
		return
	}
	role := Read
	switch what := u & UseMask; what {
	case AsNothing:
		return
	case AsName:
		w.planned(i, n, id, u)
		return
	case AsBind, AsParam:
		w.Bound(n, id, u)
		return
	case AsTag, AsTagEnd:
		if c := w.Source[n.Start]; c >= 'a' && c <= 'z' {
			return
		}
		if what == AsTag {
			role = Call
		}
	default:
		role = RoleOf[what]
		if what == AsRead {
			role = RoleOf[w.Info[n.Kind].name&UseMask]
		}
	}
	if role == TypeUse && int(id) < len(w.BuiltinNames) {
		return
	}
	if u&Member != 0 || w.Info[n.Kind].name&Member != 0 || role == ImportUse {
		w.Occur(n, id, role, w.Symbol, u&Local != 0)
		return
	}
	w.Mention(n, id, role, u&Local != 0)
}

var RoleOf = [...]Role{
	AsRead: Read, AsWrite: Write, AsCall: Call, AsType: TypeUse, AsImport: ImportUse,
	AsName: Definition, AsBind: Definition, AsTag: Call, AsTagEnd: Read, AsParam: Definition,
	AsNothing: Read, HandOn: Read, StickyRead: Read,
}

// Mean lets a hook say what a name further on in its node is: a symbol's
// index, or PlanKey.
func (w *Walker) Mean(node, what int32) {
	w.HookPlans = append(w.HookPlans, Plan{Node: node, Symbol: what})
}

// handleHinted handles a name that a hook gave a meaning.
func (w *Walker) handleHinted(i int32, n *treesitter.Node, id int32) bool {
	for len(w.HookPlans) > 0 {
		m := w.HookPlans[len(w.HookPlans)-1]
		if m.Node > i {
			return false
		}
		w.HookPlans = w.HookPlans[:len(w.HookPlans)-1]
		switch {
		case m.Node < i:
		case m.Symbol == PlanKey:
			w.Occur(n, id, Write, w.Symbol, false)
			return true
		default:
			w.notePlanned(m, n, id)
			return true
		}
	}
	return false
}

// planned handles a name of the innermost declaration.
func (w *Walker) planned(i int32, n *treesitter.Node, id int32, u Use) {
	if w.naming >= 0 {
		for _, p := range w.plans[w.Frames[w.naming].plans:] {
			if p.Node == i {
				w.notePlanned(p, n, id)
				return
			}
		}
	}
	if u&Member != 0 {
		w.Occur(n, id, Write, w.Symbol, false)
		return
	}
	w.Mention(n, id, Write, false)
}

// notePlanned notes a name as it was planned.
func (w *Walker) notePlanned(p Plan, n *treesitter.Node, id int32) {
	switch p.Symbol {
	case PlanLocal, planMember:
		w.Occur(n, id, Definition, w.Symbol, true)
	case planLocalWrite:
		w.Occur(n, id, Write, w.Symbol, true)
	case planWrite:
		w.Mention(n, id, Write, false)
	default:
		w.Occur(n, id, Definition, p.Symbol, p.local)
	}
}

// Bound handles a name that is declared and is not a symbol.
func (w *Walker) Bound(n *treesitter.Node, id int32, u Use) {
	scope := int32(len(w.Scopes) - 1)
	switch {
	case u&Member != 0:
		w.Occur(n, id, Write, w.Symbol, false)
	case u&Part != 0:
		w.Mention(n, id, Write, false)
	case w.Scopes[scope].Kind < FunctionScope && u&UseMask == AsBind:
		w.Occur(n, id, Definition, w.Symbol, false)
	default:
		if b := w.BoundIn(id, scope); b != 0 {
			w.Occur(n, id, Write, w.Symbol, w.bindings[b].local)
			return
		}
		w.Bind(id, scope, true)
		w.Occur(n, id, Definition, w.Symbol, true)
	}
}
