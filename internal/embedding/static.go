package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/embedding/safetensors"
	"codeintel/internal/embedding/tokenizer"
	"codeintel/internal/problem"
)

// staticModel is a model2vec model: a text's vector is the mean of those of its
// tokens. In model.safetensors there are the table, "embeddings", and maybe a
// weight for each token, "weights", and the row of each token, "mapping".
type staticModel struct {
	id      string
	tokens  *tokenizer.Tokenizer
	unknown int32 // is left out; -1: nothing is
	file    *safetensors.File
	table   safetensors.Tensor
	rows    []float32 // table, if it is there as float32
	dim     int
	weights []float32 // by token; nil: all 1
	mapping []int32   // by token; nil: the token is the row
	limit   int       // tokens of a text
	runes   int       // characters of a text
}

// tableNames are what the table is called by model2vec and by
// sentence-transformers.
var tableNames = []string{"embeddings", "embedding.weight"}

// isStatic says whether the model in dir is a table.
func isStatic(dir string) bool {
	f, err := safetensors.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return false
	}
	defer f.Close()
	return slices.ContainsFunc(tableNames, func(n string) bool { _, ok := f.Tensor(n); return ok })
}

// defaultLimit is how many tokens of a text count where the model does not say.
const defaultLimit = 512

func openStatic(dir string) (Model, error) {
	m := &staticModel{unknown: -1, limit: defaultLimit}
	var err error
	if m.tokens, err = tokenizer.Open(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, err
	}
	if err := m.configure(filepath.Join(dir, "config.json")); err != nil {
		return nil, err
	}
	if id, ok := m.tokens.Unknown(); ok {
		m.unknown = id
	}
	var lengths []int
	m.tokens.Each(func(token string) { lengths = append(lengths, utf8.RuneCountInString(token)) })
	m.runes = m.limit * median(lengths)

	if m.file, err = safetensors.Open(filepath.Join(dir, "model.safetensors")); err != nil {
		if errors.Is(err, safetensors.ErrCorrupt) {
			return nil, unusable(dir, err.Error())
		}
		return nil, err
	}
	err = m.load(dir)
	if err == nil {
		m.id, err = identify("static", dir, "config.json", "model.safetensors", "tokenizer.json")
	}
	if err != nil {
		return nil, errors.Join(err, m.file.Close())
	}
	return m, nil
}

// configure reads how long a text may be. That vectors are normalized, which the
// file may also say, is always so here.
func (m *staticModel) configure(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // sentence-transformers writes none
	}
	if err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	var f struct {
		Limit *int `json:"max_length"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return unusable(path, err.Error())
	}
	if f.Limit != nil && *f.Limit > 0 {
		m.limit = *f.Limit
	}
	return nil
}

func unusable(where, what string) error {
	return problem.New(Unavailable, "embedding.embedding_model_cannot_used", where, what).
		Or("embedding.fetch_again_use_another_model")
}

func (m *staticModel) load(dir string) error {
	found := false
	for _, n := range tableNames {
		if t, ok := m.file.Tensor(n); ok {
			m.table, found = t, true
			break
		}
	}
	if !found || len(m.table.Shape) != 2 || m.table.Len() == 0 {
		return unusable(dir, `model.safetensors holds no table "embeddings"`)
	}
	rows := m.table.Shape[0]
	m.dim = m.table.Shape[1]
	if m.table.Type == safetensors.F32 {
		m.rows, _ = m.table.Float32s() // a type that converts
	} else if err := m.table.Convert(make([]float32, 1), 0); err != nil {
		return unusable(dir, err.Error())
	}
	tokens := m.tokens.Size()
	if t, ok := m.file.Tensor("mapping"); ok {
		if t.Len() < tokens {
			return unusable(dir, fmt.Sprintf("mapping has %d rows for %d tokens", t.Len(), tokens))
		}
		m.mapping = make([]int32, t.Len())
		for i := range m.mapping {
			row, err := t.Int(i)
			if err != nil || row < 0 || row >= int64(rows) {
				return unusable(dir, fmt.Sprintf("mapping leads token %d to row %d of %d", i, row, rows))
			}
			m.mapping[i] = int32(row)
		}
	} else if rows < tokens {
		return unusable(dir, fmt.Sprintf("the table has %d rows for %d tokens", rows, tokens))
	}
	if t, ok := m.file.Tensor("weights"); ok {
		w, err := t.Float32s()
		if err != nil || len(w) < tokens {
			return unusable(dir, fmt.Sprintf("there are %d weights for %d tokens", t.Len(), tokens))
		}
		m.weights = w
	}
	return nil
}

// median is that of numbers, rounded down between two.
func median(numbers []int) int {
	if len(numbers) == 0 {
		return 1
	}
	slices.Sort(numbers)
	n := len(numbers)
	return max(1, (numbers[(n-1)/2]+numbers[n/2])/2)
}

func (m *staticModel) ID() string { return m.id }

func (m *staticModel) Dimension() int { return m.dim }

func (m *staticModel) Close() error { return m.file.Close() }

// share is how many texts one goroutine takes at a time.
const share = 64

func (m *staticModel) Embed(ctx context.Context, _ Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(texts); from += share {
		to := min(from+share, len(texts))
		group.Go(func() error {
			var ids []int32
			row := make([]float32, m.dim)
			for i := from; i < to; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				ids = m.ids(ids[:0], texts[i])
				v, err := m.mean(ids, row)
				if err != nil {
					return fmt.Errorf("text %d: %w", i, err)
				}
				out[i] = v
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("embedding: %s: %w", m.id, err)
	}
	return out, nil
}

// ids appends the tokens of a text that count.
func (m *staticModel) ids(ids []int32, text string) []int32 {
	if len(text) > m.runes {
		runes := 0
		for i := range text {
			if runes++; runes > m.runes {
				text = text[:i]
				break
			}
		}
	}
	ids = m.tokens.Tokens(ids, text)
	ids = ids[:min(len(ids), m.limit)]
	if m.unknown >= 0 {
		ids = slices.DeleteFunc(ids, func(id int32) bool { return id == m.unknown })
	}
	return ids
}

// mean is the mean of the tokens' rows; row is memory for one.
func (m *staticModel) mean(ids []int32, row []float32) ([]float32, error) {
	out := make([]float32, m.dim)
	for _, id := range ids {
		at := int(id)
		if m.mapping != nil {
			at = int(m.mapping[id])
		}
		from := row
		if m.rows != nil {
			from = m.rows[at*m.dim : (at+1)*m.dim]
		} else if err := m.table.Convert(row, at*m.dim); err != nil {
			return nil, err
		}
		if m.weights == nil {
			add(out, from)
			continue
		}
		w := m.weights[id]
		for j, x := range from {
			out[j] += w * x
		}
	}
	return out, unit(out) // the length of the sum does not matter
}

// add adds from to out, four at a time so that the additions overlap.
func add(out, from []float32) {
	from = from[:len(out)]
	j := 0
	for ; j+4 <= len(out); j += 4 {
		o, f := out[j:j+4:j+4], from[j:j+4:j+4]
		o[0] += f[0]
		o[1] += f[1]
		o[2] += f[2]
		o[3] += f[3]
	}
	for ; j < len(out); j++ {
		out[j] += from[j]
	}
}
