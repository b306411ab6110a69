// Package tokenizer splits text into the tokens that an embedding model was trained on.
//
// It reads the tokenizer.json of Hugging Face and gives exactly the token ids of the
// reference implementation (the Rust crate tokenizers); the tests compare them with golden
// ids. A part of the file that it does not support is refused by name, because a tokenizer
// that is nearly right silently makes wrong vectors.
//
// A text goes through four stages: added tokens are cut out; a normalizer rewrites what
// is between them; a pre-tokenizer cuts it into pieces; the model turns each piece into
// tokens. A template then puts special tokens around them. Padding and decoders, which a
// file may also describe, are ignored.
//
// It supports what these families of models need: BERT (WordPiece), XLM-RoBERTa and
// CamemBERT (Unigram), RoBERTa (BPE of bytes), and the static tables that model2vec makes
// from them.
package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// Unsupported is the code of a Problem with a tokenizer.json that cannot be
// followed to the letter.
const Unsupported problem.Code = "tokenizer_unsupported"

// maxFile is the largest tokenizer.json that is read.
const maxFile = 256 << 20

// A Tokenizer cuts texts. It is safe for concurrent use.
type Tokenizer struct {
	added      addedTokens
	normalize  normalizer   // nil: none
	pre        preTokenizer // nil: none
	model      model
	post       template
	truncation truncation
	works      sync.Pool // of *work
}

// An Encoding is a text as a model reads it.
type Encoding struct {
	IDs   []int32 // one a token
	Types []int32 // the segment of each token
}

// A model makes tokens of a piece of text.
type model interface {
	// encode appends the ids of s, which is valid UTF-8 and not empty.
	encode(ids []int32, s string, w *work) []int32
	// id returns the id of a token as the model spells it.
	id(token string) (int32, bool)
	// size is how many tokens the model has.
	size() int
	// unknown is the id of what stands for unknown text, if there is one.
	unknown() (int32, bool)
	// each calls visit for every token.
	each(visit func(token string))
}

// work is the memory of one call, kept for the next.
type work struct {
	raw, pieces []piece
	parts       []string           // of a piece
	paths       []path             // unigram
	symbols     []symbol           // bpe
	pairs       []candidate        // bpe
	words       map[string][]int32 // bpe: words seen before
	cached      int                // bytes in words
}

// A piece is a part of a text on its way: text, or a token already.
type piece struct {
	text  string
	token int32 // none: still text
}

const none = -1

// Open reads a tokenizer.json.
func Open(path string) (*Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, problem.New(Unsupported, "embedding.no_tokenizer_json_no_plain", path, maxFile>>20).
			Or("embedding.name_model_config_json_tokenizer")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := Parse(data)
	if p := problem.Of(err); p != nil {
		p.Message = msg.Join(": ", path, p.Message)
	}
	return t, err
}

// Parse reads the text of a tokenizer.json.
func Parse(data []byte) (*Tokenizer, error) {
	var f struct {
		Version       string          `json:"version"`
		Truncation    json.RawMessage `json:"truncation"`
		Padding       json.RawMessage `json:"padding"`
		AddedTokens   json.RawMessage `json:"added_tokens"`
		Normalizer    json.RawMessage `json:"normalizer"`
		PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
		PostProcessor json.RawMessage `json:"post_processor"`
		Decoder       json.RawMessage `json:"decoder"`
		Model         json.RawMessage `json:"model"`
	}
	if err := decode(data, &f); err != nil {
		return nil, refusal("the file", err)
	}
	if f.Version != "1.0" {
		return nil, refusal("the file", fmt.Errorf("its version is %q, not \"1.0\"", f.Version))
	}
	t := &Tokenizer{works: sync.Pool{New: func() any { return new(work) }}}
	var err error
	if t.model, err = readModel(f.Model); err != nil {
		return nil, refusal("model", err)
	}
	if t.normalize, err = readNormalizer(f.Normalizer); err != nil {
		return nil, refusal("normalizer", err)
	}
	if t.pre, err = readPreTokenizer(f.PreTokenizer); err != nil {
		return nil, refusal("pre_tokenizer", err)
	}
	if t.post, err = readPostProcessor(f.PostProcessor); err != nil {
		return nil, refusal("post_processor", err)
	}
	if t.truncation, err = readTruncation(f.Truncation); err != nil {
		return nil, refusal("truncation", err)
	}
	if t.added, err = readAddedTokens(f.AddedTokens, t.model, t.normalize); err != nil {
		return nil, refusal("added_tokens", err)
	}
	return t, nil
}

func refusal(part string, err error) error {
	return problem.New(Unsupported, "embedding.file_with_error", part, err).
		Or("embedding.use_model_whose_tokenizer_json")
}

// errMissing is what a part that must be there and is not gets.
var errMissing = errors.New("it is missing")

// decode reads JSON into a struct. A field that the struct does not have is an
// error: it may change what the others mean.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if d.More() {
		return errors.New("there is more text behind it")
	}
	return nil
}

// kind returns the field type of a part, and "" for null or nothing.
func kind(data json.RawMessage) (string, error) {
	if isNull(data) {
		return "", nil
	}
	var k struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &k); err != nil {
		return "", err
	}
	if k.Type == "" {
		return "", errors.New("it has no type")
	}
	return k.Type, nil
}

func isNull(data json.RawMessage) bool { return len(data) == 0 || string(data) == "null" }

// Encode returns text with its special tokens, no longer than limit tokens: the
// length that a model names takes precedence over that of the file, as in the reference
// implementation. 0 keeps that of the file.
func (t *Tokenizer) Encode(text string, limit int) Encoding {
	ids := t.Tokens(nil, text)
	cut := t.truncation
	if limit > 0 {
		cut.length = limit
	}
	if cut.length > 0 {
		ids = cut.apply(ids, cut.length-t.post.extra())
	}
	return t.post.apply(ids)
}

// Tokens appends the ids of text alone, without special tokens, uncut.
func (t *Tokenizer) Tokens(ids []int32, text string) []int32 {
	text = strings.ToValidUTF8(text, "\uFFFD")
	w := t.works.Get().(*work)
	defer t.works.Put(w)
	for _, p := range t.pieces(text, w) {
		if p.token != none {
			ids = append(ids, p.token)
			continue
		}
		w.parts = append(w.parts[:0], p.text)
		if t.pre != nil {
			w.parts = t.pre(w.parts[:0], p.text)
		}
		for _, part := range w.parts {
			ids = t.model.encode(ids, part, w)
		}
	}
	clear(w.raw) // the text must not live on in the pool
	clear(w.pieces)
	clear(w.parts)
	return ids
}

// pieces cuts out the added tokens and normalizes what is between.
func (t *Tokenizer) pieces(text string, w *work) []piece {
	w.raw, w.pieces = t.added.raw.split(w.raw[:0], text), w.pieces[:0]
	for _, p := range w.raw {
		if p.token != none {
			w.pieces = append(w.pieces, p)
			continue
		}
		if t.normalize != nil {
			p.text = t.normalize(p.text)
		}
		w.pieces = t.added.normalized.split(w.pieces, p.text)
	}
	return w.pieces
}

// Unknown returns the id that stands for text the model does not know.
func (t *Tokenizer) Unknown() (int32, bool) { return t.model.unknown() }

// Each calls visit for every token, the model's and the added ones, in no order.
func (t *Tokenizer) Each(visit func(token string)) {
	t.model.each(visit)
	for token := range t.added.ids {
		if _, known := t.model.id(token); !known {
			visit(token)
		}
	}
}

// Size is one more than the highest id.
func (t *Tokenizer) Size() int {
	n := t.model.size()
	for _, id := range t.added.ids {
		n = max(n, int(id)+1)
	}
	return n
}
