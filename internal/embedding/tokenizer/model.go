package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// models reads each type of model.
var models = map[string]func(data json.RawMessage) (model, error){
	"BPE":       readBPE,
	"Unigram":   readUnigram,
	"WordPiece": readWordPiece,
}

func readModel(data json.RawMessage) (model, error) {
	if isNull(data) {
		return nil, errMissing
	}
	var f struct {
		Type   string          `json:"type"`
		Merges json.RawMessage `json:"merges"`
		Prefix json.RawMessage `json:"continuing_subword_prefix"`
		Unk    json.RawMessage `json:"unk_id"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Type == "" { // old files tell their type by their fields
		switch {
		case f.Merges != nil:
			f.Type = "BPE"
		case f.Unk != nil:
			f.Type = "Unigram"
		case f.Prefix != nil:
			f.Type = "WordPiece"
		}
	}
	read, ok := models[f.Type]
	if !ok {
		return nil, fmt.Errorf("the type %q is not known", f.Type)
	}
	m, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Type, err)
	}
	return m, nil
}

// A vocabulary gives tokens their ids.
type vocabulary map[string]int32

func (v vocabulary) id(token string) (int32, bool) { id, ok := v[token]; return id, ok }

func (v vocabulary) each(visit func(token string)) {
	for token := range v {
		visit(token)
	}
}

func (v vocabulary) size() int {
	n := 0
	for _, id := range v {
		n = max(n, int(id)+1)
	}
	return n
}

func (v vocabulary) check() error {
	for token, id := range v {
		if id < 0 {
			return fmt.Errorf("the token %q has the id %d", token, id)
		}
	}
	return nil
}

// wordPiece takes, again and again, the longest token that a word goes on with.
type wordPiece struct {
	vocabulary
	heads, tails *trie // tokens that begin a word, and those that go on
	unk          int32
	longest      int // words of more characters are unknown
}

func readWordPiece(data json.RawMessage) (model, error) {
	var f struct {
		Type    string     `json:"type"`
		Unk     string     `json:"unk_token"`
		Prefix  string     `json:"continuing_subword_prefix"`
		Longest int        `json:"max_input_chars_per_word"`
		Vocab   vocabulary `json:"vocab"`
	}
	if err := decode(data, &f); err != nil {
		return nil, err
	}
	unk, ok := f.Vocab[f.Unk]
	if !ok {
		return nil, fmt.Errorf("the unknown token %q is not in the vocabulary", f.Unk)
	}
	m := &wordPiece{vocabulary: f.Vocab, unk: unk, longest: f.Longest}
	var heads, tails []string
	var headIDs, tailIDs []int32
	for token, id := range f.Vocab {
		heads, headIDs = append(heads, token), append(headIDs, id)
		if len(token) > len(f.Prefix) && token[:len(f.Prefix)] == f.Prefix {
			tails, tailIDs = append(tails, token[len(f.Prefix):]), append(tailIDs, id)
		}
	}
	m.heads, m.tails = newTrie(heads, headIDs), newTrie(tails, tailIDs)
	return m, f.Vocab.check()
}

func (m *wordPiece) unknown() (int32, bool) { return m.unk, true }

func (m *wordPiece) encode(ids []int32, s string, _ *work) []int32 {
	if len(s) > m.longest && utf8.RuneCountInString(s) > m.longest {
		return append(ids, m.unk)
	}
	start, t := len(ids), m.heads
	for s != "" {
		id, n := t.longest(s)
		if n == 0 {
			return append(ids[:start], m.unk)
		}
		ids = append(ids, id)
		s, t = s[n:], m.tails
	}
	return ids
}
