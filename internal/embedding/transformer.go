package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/embedding/bert"
	"codeintel/internal/embedding/safetensors"
	"codeintel/internal/embedding/tokenizer"
	"codeintel/internal/platform/lazyregexp"
)

// transformer is an encoder with its tokenizer.
type transformer struct {
	id      string
	tokens  *tokenizer.Tokenizer
	encoder *bert.Encoder
	prefix  map[Role]string
}

func openTransformer(dir string) (Model, error) {
	m := &transformer{}
	var err error
	if m.tokens, err = tokenizer.Open(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, err
	}
	if m.prefix, err = readPrefixes(dir); err != nil {
		return nil, err
	}
	if m.encoder, err = bert.Open(dir); err != nil {
		if errors.Is(err, safetensors.ErrCorrupt) {
			return nil, unusable(dir, err.Error())
		}
		return nil, err
	}
	m.id, err = identify("transformer", dir, "1_Pooling/config.json", "config.json", "config_sentence_transformers.json",
		"model.onnx", "model.safetensors", "modules.json", "onnx/model.onnx", "sentence_bert_config.json", "tokenizer.json")
	if err != nil {
		return nil, errors.Join(err, m.encoder.Close())
	}
	// A model that does not say so is of the E5 family by its name only, so the
	// prefixes are part of what names it.
	m.id += prefixTag(m.prefix)
	return m, nil
}

func prefixTag(prefix map[Role]string) string {
	if len(prefix) == 0 {
		return ""
	}
	return fmt.Sprintf("+%q/%q", prefix[Query], prefix[Passage])
}

// e5 finds the names of models that are trained with prefixes and do not say so
// in their files: those of the E5 family.
var e5 = lazyregexp.MustCompile(`(?i)(^|[-_/])e5([-_/]|$)`)

// promptNames are the names under which models keep the prefix of a role.
var promptNames = map[Role][]string{
	Query:   {"query", "search_query"},
	Passage: {"passage", "document", "search_document"},
}

// readPrefixes finds out what comes before a text by its role.
func readPrefixes(dir string) (map[Role]string, error) {
	var notes struct {
		Prompts map[string]string `json:"prompts"`
		Default *string           `json:"default_prompt_name"`
	}
	if err := readNotes(filepath.Join(dir, "config_sentence_transformers.json"), &notes); err != nil {
		return nil, err
	}
	found := make(map[Role]string)
	for role, names := range promptNames {
		for _, n := range names {
			if p, ok := notes.Prompts[n]; ok && p != "" {
				found[role] = p
				break
			}
		}
		if p := found[role]; p == "" && notes.Default != nil && notes.Prompts[*notes.Default] != "" {
			found[role] = notes.Prompts[*notes.Default]
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	var config struct {
		Name string `json:"_name_or_path"`
	}
	if err := readNotes(filepath.Join(dir, "config.json"), &config); err != nil {
		return nil, err
	}
	if e5.MatchString(filepath.Base(dir)) || e5.MatchString(config.Name) {
		return map[Role]string{Query: "query: ", Passage: "passage: "}, nil
	}
	return found, nil
}

// readNotes reads a JSON file that need not be there.
func readNotes(path string, into any) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return unusable(path, err.Error())
	}
	return nil
}

func (m *transformer) ID() string { return m.id }

func (m *transformer) Dimension() int { return m.encoder.Dimension() }

func (m *transformer) Close() error { return m.encoder.Close() }

// slab is how many texts are held as tokens at a time: enough that those of a
// length are together.
const slab = 2048

func (m *transformer) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(slab, len(texts))
		inputs := make([]bert.Input, n)
		for i, text := range texts[:n] {
			inputs[i] = bert.Input(m.tokens.Encode(m.prefix[role]+text, m.encoder.Limit()))
		}
		vectors, err := m.encoder.Encode(ctx, inputs)
		if err != nil {
			return nil, fmt.Errorf("embedding: %s: %w", m.id, err)
		}
		for i, v := range vectors {
			if err := unit(v); err != nil {
				return nil, fmt.Errorf("embedding: %s: text %d: %w", m.id, len(out)+i, err)
			}
		}
		out = append(out, vectors...)
		texts = texts[n:]
	}
	return out, nil
}
