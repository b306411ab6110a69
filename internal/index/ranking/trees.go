package ranking

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"sync"
)

// A head is an ensemble of regression trees: what they say of a row is added up.
type head []tree

// A tree is asked from its first split on. A child below 0 is a leaf: -1 is the first.
type tree struct {
	splits []split
	leaves []float64
}

type split struct {
	column      uint8
	max         float64 // rows go left up to this
	left, right int8
}

// score adds up the leaves in the order of the trees, which is the same everywhere.
func (h head) score(r *Row) (sum float64) {
	for i := range h {
		t := &h[i]
		at := int8(0)
		for at >= 0 {
			s := &t.splits[at]
			if at = s.right; float64(r[s.column]) <= s.max {
				at = s.left
			}
		}
		sum += t.leaves[-at-1]
	}
	return sum
}

// heads are the two that the program has.
type heads struct{ files, pieces head }

// trained is written by script/rank/train.py:
//
//	the first 8 bytes of columnsHash
//	two heads, each: number of trees, uint16; each of them:
//	    number of splits n, byte; each: column, byte; most, float64; left and right, int8
//	    n+1 leaves, float64
//
// All numbers are little-endian.
//
//go:embed trained.bin
var trained []byte

// defaultHeads returns the heads of the program; nil if they cannot be read, which a test
// finds: the order is then that of the weights.
var defaultHeads = sync.OnceValue(func() *heads {
	h, _ := readHeads(trained)
	return h
})

var (
	errColumns = errors.New("ranking: the trees were trained on other columns: docs/design/ranking.md says how to train")
	errTrees   = errors.New("ranking: no trees")
)

func readHeads(b []byte) (*heads, error) {
	r := treeReader{b: b}
	if hash := columnsHash(); string(r.take(len(hash))) != string(hash) {
		return nil, errColumns
	}
	h := &heads{files: r.head(), pieces: r.head()}
	if r.bad || len(r.b) > 0 {
		return nil, errTrees
	}
	return h, nil
}

// columnsHash tells columns from others.
func columnsHash() []byte {
	sum := sha256.Sum256([]byte(strings.Join(ColumnNames(), "\n")))
	return sum[:8]
}

type treeReader struct {
	b   []byte
	bad bool
}

func (r *treeReader) take(n int) []byte {
	if n > len(r.b) {
		r.b, r.bad = nil, true
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *treeReader) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
}

func (r *treeReader) head() head {
	h := make(head, binary.LittleEndian.Uint16(r.take(2)))
	for i := range h {
		h[i] = r.tree()
	}
	return h
}

func (r *treeReader) tree() (t tree) {
	n := int(r.take(1)[0])
	for i := range n {
		s := split{column: r.take(1)[0], max: r.float()}
		s.left, s.right = int8(r.take(1)[0]), int8(r.take(1)[0])
		r.bad = r.bad || int(s.column) >= len(Row{}) || !below(i, s.left, n) || !below(i, s.right, n)
		t.splits = append(t.splits, s)
	}
	for range n + 1 {
		t.leaves = append(t.leaves, r.float())
	}
	r.bad = r.bad || n == 0
	return t
}

// below reports whether a child of a split is a later one of n splits, or one of n+1 leaves.
func below(parent int, child int8, n int) bool {
	if child < 0 {
		return -int(child)-1 <= n
	}
	return int(child) > parent && int(child) < n
}
