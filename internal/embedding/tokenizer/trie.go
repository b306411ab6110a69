package tokenizer

import (
	"bytes"
	"slices"
	"strings"
)

// A trie finds the keys that a text begins with. The children of a node lie side
// by side: those of node n are first[n] to first[n+1], in order of their labels.
type trie struct {
	first  []int32
	labels []byte  // of each node, the byte that leads to it
	values []int32 // of each node, or none
}

// newTrie holds keys with their values; of equal keys the last one counts, empty
// ones are left out.
func newTrie(keys []string, values []int32) *trie {
	order := make([]int32, 0, len(keys))
	for i, k := range keys {
		if k != "" {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := strings.Compare(keys[a], keys[b]); c != 0 {
			return c
		}
		return int(a - b)
	})
	t := &trie{labels: []byte{0}, values: []int32{none}}
	// Breadth first: the nodes of a level are laid out before those below, so the
	// children of one node come together.
	type span struct{ from, to, depth int32 }
	queue := []span{{0, int32(len(order)), 0}}
	for n := 0; n < len(queue); n++ {
		s := queue[n]
		t.first = append(t.first, int32(len(t.labels)))
		from := s.from
		for from < s.to && int32(len(keys[order[from]])) == s.depth {
			t.values[n] = values[order[from]]
			from++
		}
		for from < s.to {
			label, to := keys[order[from]][s.depth], from+1
			for to < s.to && keys[order[to]][s.depth] == label {
				to++
			}
			t.labels = append(t.labels, label)
			t.values = append(t.values, none)
			queue = append(queue, span{from, to, s.depth + 1})
			from = to
		}
	}
	t.first = append(t.first, int32(len(t.labels)))
	return t
}

// step returns the child of node that b leads to, or none.
func (t *trie) step(node int32, b byte) int32 {
	from, to := t.first[node], t.first[node+1]
	if to-from > 8 {
		if i := bytes.IndexByte(t.labels[from:to], b); i >= 0 {
			return from + int32(i)
		}
		return none
	}
	for i := from; i < to; i++ {
		if t.labels[i] == b {
			return i
		}
	}
	return none
}

// longest returns the value of the longest key that s begins with, and its
// length; 0 if there is none.
func (t *trie) longest(s string) (value int32, length int) {
	node := int32(0)
	value = none
	for i := range len(s) {
		if node = t.step(node, s[i]); node == none {
			break
		}
		if t.values[node] != none {
			value, length = t.values[node], i+1
		}
	}
	return value, length
}
