package bert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/embedding/simd"
	"codeintel/internal/problem"
)

// config is what config.json says of a model. Fields that are of no effect on
// the result are not read; those that could have one are.
type config struct {
	Kind         string          `json:"model_type"`
	Hidden       int             `json:"hidden_size"`
	Layers       int             `json:"num_hidden_layers"`
	Heads        int             `json:"num_attention_heads"`
	Intermediate int             `json:"intermediate_size"`
	Activation   string          `json:"hidden_act"`
	Epsilon      float32         `json:"layer_norm_eps"`
	Positions    int             `json:"max_position_embeddings"`
	Types        int             `json:"type_vocab_size"`
	Vocabulary   int             `json:"vocab_size"`
	Pad          int             `json:"pad_token_id"`
	PositionKind string          `json:"position_embedding_type"`
	Decoder      bool            `json:"is_decoder"`
	Cross        bool            `json:"add_cross_attention"`
	Quantization json.RawMessage `json:"quantization_config"`

	MaxTokens  int             `json:"-"` // special ones included
	activation simd.Activation // of Activation
	scale      float32         // of attention
}

// kinds are the model types that are computed here.
var kinds = []string{"bert", "camembert", "roberta", "xlm-roberta"}

// activations are the names of functions. gelu_fast, gelu_new and
// gelu_pytorch_tanh are three ways to write down one formula.
var activations = map[string]simd.Activation{
	"gelu":              simd.GELU,
	"gelu_fast":         simd.GELUTanh,
	"gelu_new":          simd.GELUTanh,
	"gelu_python":       simd.GELU,
	"gelu_pytorch_tanh": simd.GELUTanh,
	"quick_gelu":        simd.QuickGELU,
	"relu":              simd.ReLU,
}

// maxSize bounds each size of a model, far above any that exists.
const maxSize = 1 << 24

func readConfig(dir string) (config, error) {
	file := path(dir, "config.json")
	c := config{Activation: "gelu", Epsilon: 1e-12, PositionKind: "absolute", Types: 2}
	if err := readJSON(file, &c); err != nil {
		return c, err
	}
	refuse := func(format string, args ...any) (config, error) {
		return c, refusal(file, fmt.Sprintf(format, args...))
	}
	if !slices.Contains(kinds, c.Kind) {
		return refuse("the model_type %q is not computed here, only %s", c.Kind, strings.Join(kinds, ", "))
	}
	for _, n := range []int{c.Hidden, c.Layers, c.Heads, c.Intermediate, c.Positions, c.Types, c.Vocabulary} {
		if n <= 0 || n > maxSize {
			return refuse("a size is missing, or is %d", n)
		}
	}
	var known bool
	c.activation, known = activations[c.Activation]
	switch {
	case !known:
		return refuse("the hidden_act %q is not known", c.Activation)
	case c.PositionKind != "absolute":
		return refuse("the position_embedding_type %q is not known", c.PositionKind)
	case c.Decoder || c.Cross:
		return refuse("it is a decoder")
	case len(c.Quantization) > 0 && string(c.Quantization) != "null":
		return refuse("its weights are quantized")
	case c.Hidden%c.Heads != 0:
		return refuse("hidden_size %d is no multiple of %d heads", c.Hidden, c.Heads)
	case c.Epsilon <= 0 || c.Epsilon > 1:
		return refuse("layer_norm_eps is %g", c.Epsilon)
	case c.Pad < 0 || c.roberta() && c.firstPosition() >= c.Positions:
		return refuse("pad_token_id is %d", c.Pad)
	}
	c.scale = float32(1 / math.Sqrt(float64(c.Hidden/c.Heads)))
	c.MaxTokens = c.Positions
	if c.roberta() {
		c.MaxTokens -= c.firstPosition()
	}
	return c, nil
}

// roberta says whether the model counts places as RoBERTa does, and has no
// segments.
func (c *config) roberta() bool { return c.Kind != "bert" }

// firstPosition is the place of a text's first token: RoBERTa leaves out those up
// to the number of its padding.
func (c *config) firstPosition() int {
	if c.roberta() {
		return c.Pad + 1
	}
	return 0
}

// A pooling makes one vector of those of all tokens.
type pooling string

// The poolings.
const (
	meanOfTokens pooling = "mean"
	firstToken   pooling = "cls"
)

// readPooling reads what sentence-transformers notes beside a model, and lowers
// c.MaxTokens to what it was trained with. A model without such notes is pooled
// by the mean, as sentence-transformers does.
func readPooling(dir string, c *config) (pooling, error) {
	limit := struct {
		Length *int `json:"max_seq_length"`
		Lower  bool `json:"do_lower_case"`
	}{}
	file := path(dir, "sentence_bert_config.json")
	if err := readJSON(file, &limit); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if limit.Lower {
		return "", refusal(file, "do_lower_case is not done here")
	}
	if limit.Length != nil && *limit.Length > 0 {
		c.MaxTokens = min(c.MaxTokens, *limit.Length)
	}
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	file = path(dir, "modules.json")
	switch err := readJSON(file, &modules); {
	case errors.Is(err, fs.ErrNotExist):
		return meanOfTokens, nil
	case err != nil:
		return "", err
	}
	p := meanOfTokens
	for i, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; {
		case i == 0 && kind == "Transformer" && m.Path == "":
		case i == 1 && kind == "Pooling" && filepath.IsLocal(m.Path):
			var err error
			if p, err = readPoolingConfig(path(dir, m.Path, "config.json"), c.Hidden); err != nil {
				return "", err
			}
		case i == 2 && kind == "Normalize": // every vector here is normalized in the end
		default:
			return "", refusal(file, fmt.Sprintf("module %d, %q in %q, is not known there", i, m.Type, m.Path))
		}
	}
	return p, nil
}

func readPoolingConfig(file string, hidden int) (pooling, error) {
	var f map[string]any
	if err := readJSON(file, &f); err != nil {
		return "", err
	}
	var on []string
	for name, v := range f {
		if v == true && strings.HasPrefix(name, "pooling_mode_") {
			on = append(on, strings.TrimPrefix(name, "pooling_mode_"))
		}
	}
	if mode, ok := f["pooling_mode"].(string); ok { // newer files
		on = append(on, mode)
	}
	slices.Sort(on)
	if d, ok := f["word_embedding_dimension"].(float64); ok && int(d) != hidden {
		return "", refusal(file, fmt.Sprintf("word_embedding_dimension is %v, and hidden_size %d", d, hidden))
	}
	switch mode := strings.Join(slices.Compact(on), " and "); mode {
	case "mean_tokens", "mean":
		return meanOfTokens, nil
	case "cls_token", "cls":
		return firstToken, nil
	default:
		return "", refusal(file, fmt.Sprintf("the pooling %q is not known", mode))
	}
}

// apply pools the rows of x, each of n numbers.
func (p pooling) apply(x []float32, n int) []float32 {
	out := make([]float32, n)
	if len(x) == 0 {
		return out
	}
	if p == firstToken {
		copy(out, x)
		return out
	}
	sums := make([]float64, n)
	for at := 0; at < len(x); at += n {
		for j, v := range x[at : at+n] {
			sums[j] += float64(v)
		}
	}
	for j, s := range sums {
		out[j] = float32(s / float64(len(x)/n))
	}
	return out
}

// maxJSON is the largest file of settings that is read.
const maxJSON = 1 << 20

func readJSON(file string, into any) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("bert: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxJSON {
		return refusal(file, "it is no plain file, or too large")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("bert: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return refusal(file, err.Error())
	}
	return nil
}

func refusal(file, what string) error {
	return problem.New(Unsupported, "embedding.file_with_message", file, what).
		Or("embedding.use_bert_roberta_xlm_roberta")
}
