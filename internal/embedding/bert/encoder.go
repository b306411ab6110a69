// Package bert runs transformer encoders of the BERT family: it turns the tokens of a text
// into one vector.
//
// It supports BERT, RoBERTa and XLM-RoBERTa as Hugging Face stores them: config.json, the
// weights in model.safetensors or model.onnx (as they were before the export), and the
// pooling that sentence-transformers records next to them. Options that would change the
// result and are not supported are refused by name. Vectors agree with the reference
// implementation up to rounding.
//
// The texts of one call are packed one after the other, without padding, in batches of
// bounded size; batches run on all processors.
package bert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/embedding/safetensors"
	"codeintel/internal/embedding/simd"
	"codeintel/internal/problem"
)

// Unsupported is the code of a Problem with a model that cannot be followed to
// the letter.
const Unsupported problem.Code = "model_unsupported"

// An Input is a text as tokens, special ones included.
type Input struct {
	IDs   []int32
	Types []int32 // of the segment of each token; nil: all 0
}

// An Encoder is a model with its weights. It may be used by many goroutines at
// once.
type Encoder struct {
	config
	pooling    pooling
	words      safetensors.Tensor // one row a token
	positions  []float32          // one row a place
	types      []float32          // one row a segment
	first      norm               // of the embeddings
	layers     []layer
	close      func() error
	scratches  sync.Pool // of *scratch
	batchLimit int       // tokens in a batch
}

// norm is a normalization of rows.
type norm struct{ gain, shift []float32 }

// linear is y = x·w + bias.
type linear struct {
	w    *simd.Weights
	bias []float32
}

func (l linear) apply(y, x simd.Rows, rows int) { l.w.Multiply(y, x, rows, l.bias) }

// layer is one layer of the encoder.
type layer struct {
	attend        linear // to queries, keys and values, fused by fused
	project       linear
	afterAttend   norm
	widen, narrow linear
	afterNarrow   norm
}

// Open reads the model in a folder.
func Open(dir string) (*Encoder, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	e := &Encoder{config: c, scratches: sync.Pool{New: func() any { return new(scratch) }}}
	if e.pooling, err = readPooling(dir, &e.config); err != nil {
		return nil, err
	}
	w, err := openWeights(dir)
	if err != nil {
		return nil, err
	}
	e.close = w.close
	if err := e.load(w); err != nil {
		return nil, errors.Join(err, w.close())
	}
	// Memory of a batch in numbers for each token: see type scratch. 16 MB keep a
	// processor's caches busy, and more would not be faster.
	e.batchLimit = max(e.MaxTokens, (4<<20)/(6*e.Hidden+e.Intermediate))
	return e, nil
}

// Close frees the weights.
func (e *Encoder) Close() error { return e.close() }

// Dimension is the length of a vector.
func (e *Encoder) Dimension() int { return e.Hidden }

// Limit is how many tokens a text may have.
func (e *Encoder) Limit() int { return e.MaxTokens }

// Encode returns a vector for each input, pooled but of any length. An input
// longer than [Encoder.Limit], or with a token there is not, is an error; one
// without tokens gets a vector of zeros.
func (e *Encoder) Encode(ctx context.Context, inputs []Input) ([][]float32, error) {
	for i, in := range inputs {
		if err := e.check(in); err != nil {
			return nil, fmt.Errorf("bert: text %d: %w", i, err)
		}
	}
	out := make([][]float32, len(inputs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, b := range e.batches(inputs) {
		group.Go(func() error { return e.batch(ctx, inputs, b, out) })
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("bert: %w", err)
	}
	return out, nil
}

func (e *Encoder) check(in Input) error {
	if len(in.IDs) > e.MaxTokens || in.Types != nil && len(in.Types) != len(in.IDs) {
		return fmt.Errorf("%d tokens of %d types; %d tokens are the limit", len(in.IDs), len(in.Types), e.MaxTokens)
	}
	for i, id := range in.IDs {
		if id < 0 || int(id) >= e.Vocabulary {
			return fmt.Errorf("there is no token %d", id)
		}
		if in.Types != nil && !e.roberta() && (in.Types[i] < 0 || int(in.Types[i]) >= e.Types) {
			return fmt.Errorf("there is no type %d", in.Types[i])
		}
	}
	return nil
}

// batches groups the inputs, by index, so that those of a batch are of about the
// same length and every processor gets its share.
func (e *Encoder) batches(inputs []Input) [][]int {
	order := make([]int, len(inputs))
	total := 0
	for i := range order {
		order[i] = i
		total += len(inputs[i].IDs)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(inputs[b].IDs), len(inputs[a].IDs)) })
	limit := min(e.batchLimit, total/runtime.GOMAXPROCS(0)+1)
	var all [][]int
	size := 0
	for _, i := range order {
		n := len(inputs[i].IDs)
		if len(all) == 0 || size+n > limit {
			all, size = append(all, nil), 0
		}
		all[len(all)-1] = append(all[len(all)-1], i)
		size += n
	}
	return all
}

// scratch is the memory of one batch, kept for the next. Each slice but scores has
// a row for every token.
type scratch struct {
	x, qkv, context, y, wide []float32
	scores                   []float32 // of one text and one head
	keys, values             simd.Weights
}

// grow makes a slice of n numbers out of s.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// batch encodes some of the inputs, by index, into out.
func (e *Encoder) batch(ctx context.Context, inputs []Input, indices []int, out [][]float32) error {
	r := e.scratches.Get().(*scratch)
	defer e.scratches.Put(r)
	tokens, longest := 0, 0
	for _, i := range indices {
		tokens += len(inputs[i].IDs)
		longest = max(longest, len(inputs[i].IDs))
	}
	h := e.Hidden
	r.x, r.y, r.context = grow(r.x, tokens*h), grow(r.y, tokens*h), grow(r.context, tokens*h)
	r.qkv, r.wide = grow(r.qkv, tokens*3*h), grow(r.wide, tokens*e.Intermediate)
	r.scores = grow(r.scores, longest*longest)
	at := 0
	for _, i := range indices {
		if err := e.embed(r.x[at*h:], inputs[i]); err != nil {
			return err
		}
		at += len(inputs[i].IDs)
	}
	simd.Normalize(r.x[:tokens*h], nil, e.first.gain, e.first.shift, e.Epsilon)
	for _, l := range e.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.applyLayer(r, l, inputs, indices, tokens)
	}
	at = 0
	for _, i := range indices {
		n := len(inputs[i].IDs)
		out[i] = e.pooling.apply(r.x[at*h:(at+n)*h], h)
		at += n
	}
	return nil
}

// embed puts the sums of word, place and segment into x.
func (e *Encoder) embed(x []float32, in Input) error {
	h, place := e.Hidden, e.firstPosition()
	for i, id := range in.IDs {
		row := x[i*h : (i+1)*h]
		if err := e.words.Convert(row, int(id)*h); err != nil {
			return err
		}
		at := place
		if e.roberta() && int(id) == e.Pad {
			at = e.Pad // padding has no place, even where a text spells it
		} else {
			place++
		}
		kind := 0
		if in.Types != nil && !e.roberta() {
			kind = int(in.Types[i])
		}
		p, t := e.positions[at*h:(at+1)*h], e.types[kind*h:(kind+1)*h]
		for j := range row {
			row[j] += t[j] + p[j]
		}
	}
	return nil
}

// applyLayer is attention and two dense layers, each added to what went in.
func (e *Encoder) applyLayer(r *scratch, l layer, inputs []Input, indices []int, tokens int) {
	h := e.Hidden
	x, y := simd.Rows{Data: r.x, Stride: h}, simd.Rows{Data: r.y, Stride: h}
	wide := simd.Rows{Data: r.wide, Stride: e.Intermediate}
	l.attend.apply(simd.Rows{Data: r.qkv, Stride: 3 * h}, x, tokens)
	at := 0
	for _, i := range indices {
		e.applyAttention(r, at, len(inputs[i].IDs))
		at += len(inputs[i].IDs)
	}
	l.project.apply(y, simd.Rows{Data: r.context, Stride: h}, tokens)
	simd.Normalize(r.x, r.y, l.afterAttend.gain, l.afterAttend.shift, e.Epsilon)
	l.widen.apply(wide, x, tokens)
	simd.Activate(e.activation, r.wide)
	l.narrow.apply(y, wide, tokens)
	simd.Normalize(r.x, r.y, l.afterNarrow.gain, l.afterNarrow.shift, e.Epsilon)
}

// applyAttention lets the n tokens from at on look at each other, head by head.
func (e *Encoder) applyAttention(r *scratch, at, n int) {
	if n == 0 {
		return
	}
	h, d := e.Hidden, e.Hidden/e.Heads
	scores := simd.Rows{Data: r.scores, Stride: n}
	for head := range e.Heads {
		q := at*3*h + head*d
		r.keys.PackRows(r.qkv[q+h:], 3*h, d, n)
		r.keys.Multiply(scores, simd.Rows{Data: r.qkv[q:], Stride: 3 * h}, n, nil)
		simd.Softmax(scores, n, n, e.scale)
		r.values.PackColumns(r.qkv[q+2*h:], 3*h, n, d)
		r.values.Multiply(simd.Rows{Data: r.context[at*h+head*d:], Stride: h}, scores, n, nil)
	}
}

// load takes the weights out of w.
func (e *Encoder) load(w *weights) error {
	l := loader{w: w}
	h := e.Hidden
	e.words = l.tensor("embeddings.word_embeddings.weight", e.Vocabulary, h)
	e.positions = l.floats("embeddings.position_embeddings.weight", e.Positions, h)
	e.types = l.floats("embeddings.token_type_embeddings.weight", e.Types, h)
	e.first = l.norm("embeddings.LayerNorm", h)
	for i := range e.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		e.layers = append(e.layers, layer{
			attend:      l.fused(h, at+"attention.self.query", at+"attention.self.key", at+"attention.self.value"),
			project:     l.linear(at+"attention.output.dense", h, h),
			afterAttend: l.norm(at+"attention.output.LayerNorm", h),
			widen:       l.linear(at+"intermediate.dense", h, e.Intermediate),
			narrow:      l.linear(at+"output.dense", e.Intermediate, h),
			afterNarrow: l.norm(at+"output.LayerNorm", h),
		})
		if l.err != nil {
			return l.err
		}
	}
	return l.err
}

// path joins a folder and a name within it.
func path(dir string, name ...string) string {
	return filepath.Join(append([]string{dir}, name...)...)
}
