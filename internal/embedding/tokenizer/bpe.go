package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpe starts from characters and joins the pair that was learned first, until
// no pair is left that was learned (Sennrich et al. 2016).
type bpe struct {
	vocabulary
	merges map[[2]int32]merge
	unk    int32 // none: unknown characters are passed over
}

// A merge is what a pair becomes.
type merge struct {
	rank int32 // the lower, the earlier
	id   int32
}

// mergePair is a pair to be joined, in the file ["a", "b"] or "a b".
type mergePair [2]string

func (p *mergePair) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		left, right, ok := strings.Cut(text, " ")
		if !ok || strings.Contains(right, " ") {
			return fmt.Errorf("the merge %q is no pair", text)
		}
		*p = mergePair{left, right}
		return nil
	}
	var pair []string
	if err := json.Unmarshal(b, &pair); err != nil || len(pair) != 2 {
		return errors.New("a merge is no pair")
	}
	*p = mergePair{pair[0], pair[1]}
	return nil
}

func readBPE(data json.RawMessage) (model, error) {
	var f struct {
		Type         string            `json:"type"`
		Dropout      float64           `json:"dropout"`
		Unk          *string           `json:"unk_token"`
		Prefix       string            `json:"continuing_subword_prefix"`
		Suffix       string            `json:"end_of_word_suffix"`
		FuseUnk      bool              `json:"fuse_unk"`
		ByteFallback bool              `json:"byte_fallback"`
		IgnoreMerges bool              `json:"ignore_merges"`
		Vocab        vocabulary        `json:"vocab"`
		Merges       []json.RawMessage `json:"merges"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	for name, set := range map[string]bool{
		"dropout": f.Dropout != 0, "continuing_subword_prefix": f.Prefix != "", "end_of_word_suffix": f.Suffix != "",
		"fuse_unk": f.FuseUnk, "byte_fallback": f.ByteFallback, "ignore_merges": f.IgnoreMerges,
	} {
		if set {
			return nil, fmt.Errorf("%s is not known", name)
		}
	}
	m := &bpe{vocabulary: f.Vocab, merges: make(map[[2]int32]merge, len(f.Merges)), unk: none}
	if f.Unk != nil {
		id, ok := f.Vocab[*f.Unk]
		if !ok {
			return nil, fmt.Errorf("the unknown token %q is not in the vocabulary", *f.Unk)
		}
		m.unk = id
	}
	rank := int32(0)
	for _, raw := range f.Merges {
		var p mergePair
		if strings.HasPrefix(string(raw), `"#version`) {
			continue
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		if err := m.learn(p, rank); err != nil {
			return nil, err
		}
		rank++
	}
	return m, f.Vocab.check()
}

func (m *bpe) learn(p mergePair, rank int32) error {
	left, okLeft := m.vocabulary[p[0]]
	right, okRight := m.vocabulary[p[1]]
	joined, okJoined := m.vocabulary[p[0]+p[1]]
	if !okLeft || !okRight || !okJoined {
		return fmt.Errorf("the merge %q has a part that is not in the vocabulary", p)
	}
	m.merges[[2]int32{left, right}] = merge{rank, joined}
	return nil
}

func (m *bpe) unknown() (int32, bool) { return m.unk, m.unk != none }

// maxWords is how many bytes of words and ids a work remembers; then it forgets
// them all.
const (
	maxWords = 1 << 20
	maxWord  = 64 // longer pieces come but once
)

func (m *bpe) encode(ids []int32, s string, w *work) []int32 {
	if known, ok := w.words[s]; ok {
		return append(ids, known...)
	}
	start := len(ids)
	w.symbols = m.symbols(w.symbols[:0], s)
	w.pairs = m.join(w.symbols, w.pairs[:0])
	for i := 0; i >= 0 && i < len(w.symbols); i = int(w.symbols[i].next) {
		ids = append(ids, w.symbols[i].id)
	}
	if len(s) <= maxWord {
		if w.words == nil || w.cached > maxWords {
			w.words, w.cached = make(map[string][]int32), 0
		}
		w.words[strings.Clone(s)] = append([]int32(nil), ids[start:]...)
		w.cached += len(s) + 4*(len(ids)-start) + 64
	}
	return ids
}

// A symbol is a part of a word, linked to its neighbours.
type symbol struct {
	id           int32
	before, next int32 // none at the ends
	gone         bool
}

// symbols makes the first symbols, one a character.
func (m *bpe) symbols(out []symbol, s string) []symbol {
	for i, r := range s {
		id, ok := m.vocabulary[s[i:i+utf8.RuneLen(r)]]
		if !ok {
			id = m.unk
		}
		if id != none {
			out = append(out, symbol{id: id})
		}
	}
	for i := range out {
		out[i].before, out[i].next = int32(i-1), int32(i+1)
	}
	if len(out) > 0 {
		out[len(out)-1].next = none
	}
	return out
}

// A candidate is a pair that may be joined: of the symbol at the place and the
// one after it.
type candidate struct {
	rank, at, id int32
}

func (c candidate) before(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// join joins pairs of symbols, the one learned first and most to the left first;
// heap is memory for the waiting pairs.
func (m *bpe) join(symbols []symbol, heap []candidate) []candidate {
	for i := range symbols {
		heap = m.pushPair(heap, symbols, int32(i))
	}
	for len(heap) > 0 {
		var c candidate
		heap, c = pop(heap)
		left := &symbols[c.at]
		if left.gone || left.next == none {
			continue
		}
		right := &symbols[left.next]
		if now, ok := m.merges[[2]int32{left.id, right.id}]; !ok || now.id != c.id {
			continue // one of the two is no longer what it was
		}
		left.id, right.gone = c.id, true
		left.next = right.next
		if left.next != none {
			symbols[left.next].before = c.at
			heap = m.pushPair(heap, symbols, c.at)
		}
		if left.before != none {
			heap = m.pushPair(heap, symbols, left.before)
		}
	}
	return heap
}

// pushPair puts the pair that begins at the symbol i on the heap, if it was learned.
func (m *bpe) pushPair(heap []candidate, symbols []symbol, i int32) []candidate {
	next := symbols[i].next
	if next == none {
		return heap
	}
	found, ok := m.merges[[2]int32{symbols[i].id, symbols[next].id}]
	if !ok {
		return heap
	}
	heap = append(heap, candidate{found.rank, i, found.id})
	for k := len(heap) - 1; k > 0; {
		parent := (k - 1) / 2
		if !heap[k].before(heap[parent]) {
			break
		}
		heap[k], heap[parent] = heap[parent], heap[k]
		k = parent
	}
	return heap
}

// pop takes the first candidate off the heap.
func pop(heap []candidate) ([]candidate, candidate) {
	first, last := heap[0], len(heap)-1
	heap[0] = heap[last]
	heap = heap[:last]
	for k := 0; ; {
		child := 2*k + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1].before(heap[child]) {
			child++
		}
		if !heap[child].before(heap[k]) {
			break
		}
		heap[k], heap[child] = heap[child], heap[k]
		k = child
	}
	return heap, first
}
