package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// unigram cuts text so that the sum of the tokens' log probabilities is highest
// (Kudo 2018, as SentencePiece does it).
type unigram struct {
	vocabulary
	tokens   *trie
	scores   []float64 // by id
	unk      int32
	unkScore float64
}

// penalty is how much less likely an unknown character is than the least likely
// token.
const penalty = 10.0

// scored is a token with its log probability.
type scored struct {
	token string
	score float64
}

var errScore = errors.New("a token of the vocabulary is not of the form [text, score]")

// scoredList is a vocabulary: in the file a list of pairs, [["a", -1.5], …]. It
// is read by hand, because a quarter of a million calls of the JSON decoder take
// a second.
type scoredList []scored

func (l *scoredList) UnmarshalJSON(b []byte) error {
	// b is sound JSON: only its shape is in question.
	c := jsonCursor(b)
	if !c.skip('[') {
		return errScore
	}
	for !c.skip(']') {
		token, ok := "", c.skip('[')
		if ok {
			token, ok = c.text()
		}
		score, err := 0.0, errScore
		if ok && c.skip(',') {
			score, err = strconv.ParseFloat(c.number(), 64)
		}
		if err != nil || !c.skip(']') {
			return errScore
		}
		*l = append(*l, scored{token, score})
		c.skip(',')
	}
	return nil
}

// A jsonCursor is what is left to read of sound JSON.
type jsonCursor []byte

// skip passes over white space, and over b if it comes next.
func (c *jsonCursor) skip(b byte) bool {
	*c = bytes.TrimLeft(*c, " \t\r\n")
	if len(*c) == 0 || (*c)[0] != b {
		return false
	}
	*c = (*c)[1:]
	return true
}

// text reads a string.
func (c *jsonCursor) text() (string, bool) {
	if !c.skip('"') {
		return "", false
	}
	escaped := false
	for i, b := range *c {
		switch {
		case escaped:
			escaped = false
		case b == '\\':
			escaped = true
		case b == '"':
			raw := (*c)[:i]
			*c = (*c)[i+1:]
			if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
				return string(raw), true
			}
			var s string
			err := json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &s)
			return s, err == nil
		}
	}
	return "", false
}

// number returns the text up to the next bracket, comma or white space.
func (c *jsonCursor) number() string {
	*c = bytes.TrimLeft(*c, " \t\r\n")
	n := bytes.IndexAny(*c, "],} \t\r\n")
	if n < 0 {
		n = len(*c)
	}
	s := string((*c)[:n])
	*c = (*c)[n:]
	return s
}

func readUnigram(data json.RawMessage) (model, error) {
	var f struct {
		Type         string     `json:"type"`
		Unk          *int32     `json:"unk_id"`
		Vocab        scoredList `json:"vocab"`
		ByteFallback bool       `json:"byte_fallback"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	if f.ByteFallback {
		return nil, errors.New("byte_fallback is not known")
	}
	if f.Unk == nil || *f.Unk < 0 || int(*f.Unk) >= len(f.Vocab) {
		return nil, errors.New("unk_id names no token of the vocabulary")
	}
	m := &unigram{
		vocabulary: make(vocabulary, len(f.Vocab)),
		scores:     make([]float64, len(f.Vocab)),
		unk:        *f.Unk,
		unkScore:   math.Inf(1),
	}
	keys, ids := make([]string, len(f.Vocab)), make([]int32, len(f.Vocab))
	for i, t := range f.Vocab {
		if math.IsNaN(t.score) || math.IsInf(t.score, 0) {
			return nil, fmt.Errorf("the score of the token %q is no number", t.token)
		}
		m.vocabulary[t.token] = int32(i)
		keys[i], ids[i], m.scores[i] = t.token, int32(i), t.score
		m.unkScore = min(m.unkScore, t.score)
	}
	m.unkScore -= penalty
	m.tokens = newTrie(keys, ids)
	return m, nil
}

func (m *unigram) unknown() (int32, bool) { return m.unk, true }

// A path is the best way to reach a place in the text.
type path struct {
	score float64
	start int32 // where its last token starts; none: not reached yet
	id    int32
}

// encode is the Viterbi algorithm from left to right. Of two ways that are
// equally good the one found first stays, which is the one with the longer last
// token.
func (m *unigram) encode(ids []int32, s string, w *work) []int32 {
	if cap(w.paths) <= len(s) {
		w.paths = make([]path, len(s)+1+len(s)/4)
	}
	paths := w.paths[:len(s)+1]
	for i := range paths {
		paths[i] = path{start: none}
	}
	for at := 0; at < len(s); {
		_, width := utf8.DecodeRuneInString(s[at:])
		here, single := paths[at].score, false
		node := int32(0)
		for end := at; end < len(s); {
			if node = m.tokens.step(node, s[end]); node == none {
				break
			}
			end++
			id := m.tokens.values[node]
			if id == none {
				continue
			}
			paths[end].improve(m.scores[id]+here, at, id)
			single = single || end-at == width
		}
		if !single {
			paths[at+width].improve(m.unkScore+here, at, m.unk)
		}
		at += width
	}
	return m.walk(ids, s, paths)
}

func (p *path) improve(score float64, start int, id int32) {
	if p.start == none || score > p.score {
		*p = path{score, int32(start), id}
	}
}

// walk follows the best way back and appends its tokens in order.
func (m *unigram) walk(ids []int32, s string, paths []path) []int32 {
	// Turn the links round first: paths[i].start becomes where the token that
	// starts at i ends.
	next, id := int32(len(s)), int32(none)
	for at := int32(len(s)); at > 0; {
		p := &paths[at]
		start := p.start
		p.start, next = next, at
		p.id, id = id, p.id
		at = start
	}
	paths[0].start, paths[0].id = next, id
	for at := int32(0); int(at) < len(s); {
		end, id := paths[at].start, paths[at].id
		if id == m.unk {
			for int(end) < len(s) && paths[end].id == m.unk {
				end = paths[end].start
			}
			ids = m.appendUnknown(ids, s[at:end])
		} else {
			ids = append(ids, id)
		}
		at = end
	}
	return ids
}

// appendUnknown appends what stands for a run of text that no token covers.
func (m *unigram) appendUnknown(ids []int32, s string) []int32 {
	if id, ok := m.vocabulary[s]; ok { // the run as a whole may yet be a token, if a bad one
		return append(ids, id)
	}
	return append(ids, m.unk)
}
