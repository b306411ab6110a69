// Package treesitter parses source text with the tree-sitter core.
//
// One native call parses a text, flattens its tree into an array in pre-order and frees the
// tree, so no native memory outlives a call, and Go walks a plain slice. A parse has limits on
// work, size and number of nodes, and nothing recurses with the depth of the source. The
// package knows no language: what kinds of nodes mean is up to its caller.
//
// The core and the grammars are compiled by their own modules. The few functions called here
// are declared, not copied; the linker joins them, which is why undefined symbols are allowed
// on macOS when this package alone is linked.
package treesitter

/*
#cgo CFLAGS: -std=c11 -O2 -D_POSIX_C_SOURCE=200809L
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include "flat.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	_ "github.com/tree-sitter/go-tree-sitter" // compiles the core that flat.c calls

	"codeintel/internal/platform/memlimit"
)

// A Node is one node of a flattened tree. Its layout is that of FlatNode in
// flat.h.
type Node struct {
	Start, End       uint32 // bytes, half open
	StartRow, EndRow uint32 // 0-based
	Parent           int32  // index of the nearest kept node around it, -1 for the root
	Next             int32  // index of the first node after its subtree
	Kind             uint16 // see [Grammar.KindName]
	Field            uint16 // field it fills in its parent, 0 for none
	Flags            Flags
	_                [3]byte
}

// Flags are marks of a node.
type Flags uint8

// The marks of a node.
const (
	Named   Flags = 1 << iota // it has a name in the grammar; the others are tokens
	Missing                   // the parser made it up to go on
	Error                     // text that fits no rule
)

// A Limit bounds one parse. Zero fields do not limit.
type Limit struct {
	Work  int // steps of the parser: about a hundred operations each, or 8 KiB of text looked at
	Nodes int
	Bytes int
	Keep  []Keep // by kind, made with [Grammar.NewKeep]; nil keeps named nodes and tokens that fill a field
	Plain bool   // fill Tree.Plain, if the tree has an error
}

// Work returns the number of steps that parsing a text of size bytes may take. Code takes
// about 25 per KiB; a hostile text takes any number.
func Work(size int) int {
	const small = 1 << 20
	return 1<<14 + 40*min(size, small)>>10 + 30*max(0, size-small)>>10
}

// maxSpace is how many bytes of memory the core may need for one text, whoever asks. It needs
// 20 to 50 for a byte of code, up to 160 for tables and minified code, 540 for an open bracket.
const maxSpace = 256 << 20

// Keep says what becomes of the nodes of one kind.
type Keep uint8

// What may become of the nodes of a kind.
const (
	KeepDefault  Keep = iota // kept when named or filling a field
	KeepNode                 // kept
	KeepChildren             // left out; its children go to its parent and fill its field
	KeepLeaf                 // kept without what is in it
	KeepNothing              // left out with what is in it
)

// A Tree is the flattened tree of one text. Nodes[0] is the root unless the
// slice is empty, which it is when the parser had to stop.
type Tree struct {
	Nodes     []Node
	Plain     []Node // the tree once more, with what nil for Limit.Keep keeps; empty if that was not to be had
	HasError  bool   // some of the text fits no rule
	Truncated bool   // a limit was reached
	Why       string // which limit, if Truncated
	Work      int    // steps that it took; see [Limit]
	Space     int    // bytes that the parser needed
}

var nodePool = sync.Pool{New: func() any { return new([]Node) }}

// Release gives the nodes back for re-use. It may be left out; after it the
// nodes must not be looked at.
func (t *Tree) Release() {
	for _, of := range []*[]Node{&t.Nodes, &t.Plain} {
		if *of != nil {
			nodes := (*of)[:0]
			*of = nil
			nodePool.Put(&nodes)
		}
	}
}

// Parse parses src. It never fails for what src holds; an error means that the
// grammar does not fit the core or that memory ran out.
func (g *Grammar) Parse(src []byte, l Limit) (*Tree, error) {
	if l.Bytes > 0 && len(src) > l.Bytes || uint64(len(src)) > 1<<31 {
		return &Tree{Truncated: true, Why: fmt.Sprintf("larger than %d bytes", l.Bytes)}, nil
	}
	kinds := g.load().kinds
	keep := l.Keep
	if keep == nil {
		keep = g.keepDefault
	}
	if len(keep) != len(kinds) {
		return nil, fmt.Errorf("treesitter: %s: keep table has %d kinds, grammar has %d", g.name, len(keep), len(kinds))
	}
	maxNodes := l.Nodes
	if maxNodes <= 0 || maxNodes > 1<<30 {
		maxNodes = 1 << 30
	}
	w, err := workers.takeWorker()
	if err != nil {
		return nil, err
	}
	defer workers.putWorker(w)

	space := memlimit.Within(maxSpace, 4)
	var again *C.uint8_t
	if l.Plain {
		again = (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(g.keepDefault)))
	}
	code := C.flat_parse(w, (*C.TSLanguage)(g.language()),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)),
		(*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(keep))), again, C.uint32_t(len(keep)-1),
		C.uint32_t(maxNodes), C.uint64_t(max(0, l.Work)), C.size_t(space))

	t := &Tree{HasError: bool(C.flat_has_error(w)), Work: int(C.flat_work(w)), Space: int(C.flat_space(w))}
	switch code {
	case C.FLAT_MEMORY:
		return nil, fmt.Errorf("treesitter: %s: out of native memory", g.name)
	case C.FLAT_LANGUAGE:
		return nil, fmt.Errorf("treesitter: %s: grammar does not fit the core", g.name)
	case C.FLAT_WORK:
		t.Truncated, t.Why = true, fmt.Sprintf("not parsed within %d steps", l.Work)
	case C.FLAT_SPACE:
		t.Truncated, t.Why = true, fmt.Sprintf("not parsed within %d bytes of memory", space)
	case C.FLAT_NODES:
		t.Truncated, t.Why = true, fmt.Sprintf("more than %d nodes", l.Nodes)
	}
	var count C.uint32_t
	if flat := C.flat_nodes(w, &count); count > 0 {
		t.Nodes = nodesOf(flat, count)
	}
	if flat := C.flat_others(w, &count); count > 0 {
		t.Plain = nodesOf(flat, count)
	}
	if g.correct != nil {
		g.correct(g, t)
		g.correct(g, &Tree{Nodes: t.Plain})
	}
	return t, nil
}

// nodesOf copies what is in a worker.
func nodesOf(flat *C.FlatNode, count C.uint32_t) []Node {
	reused := nodePool.Get().(*[]Node)
	return append((*reused)[:0], unsafe.Slice((*Node)(unsafe.Pointer(flat)), int(count))...)
}

// A pool keeps idle workers. Each owns native memory that only one parse at a
// time may use.
type pool struct {
	mu    sync.Mutex
	idle  []*C.Worker
	ready bool // the allocator is set
}

// workers is shared by all grammars.
var workers pool

// maxIdle bounds what is kept; more run at once only for a moment.
const maxIdle = 8

func (p *pool) takeWorker() (*C.Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w, nil
	}
	if !p.ready {
		C.flat_setup()
		p.ready = true
	}
	w := C.flat_new()
	if w == nil {
		return nil, errors.New("treesitter: out of native memory")
	}
	return w, nil
}

func (p *pool) putWorker(w *C.Worker) {
	C.flat_trim(w)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == maxIdle {
		C.flat_delete(w)
		return
	}
	p.idle = append(p.idle, w)
}
