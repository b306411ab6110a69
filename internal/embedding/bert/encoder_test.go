package bert_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/embedding/bert"
	"codeintel/internal/embedding/safetensors"
	"codeintel/internal/problem"
)

// A golden is a text as tokens, and the vector that the reference makes of it;
// see testdata/generate.py.
type golden struct {
	IDs    []int32   `json:"ids"`
	Types  []int32   `json:"types"`
	Vector []float64 `json:"vector"`
}

func readGolden(t *testing.T, dir string) (cases []golden) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func open(t *testing.T, dir string) *bert.Encoder {
	t.Helper()
	e, err := bert.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// distance is the largest difference of two vectors brought to length 1.
func distance(got []float32, want []float64) float64 {
	var a, b, worst float64
	for i := range want {
		a += float64(got[i]) * float64(got[i])
		b += want[i] * want[i]
	}
	for i := range want {
		worst = max(worst, math.Abs(float64(got[i])/math.Sqrt(a)-want[i]/math.Sqrt(b)))
	}
	return worst
}

// TestGolden holds vectors to those of the reference, alone and in one batch.
func TestGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/golden.json")
	if err != nil || len(dirs) < 5 {
		t.Fatalf("%d models, %v", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			e, cases := open(t, dir), readGolden(t, dir)
			var all []bert.Input
			for i, c := range cases {
				in := bert.Input{IDs: c.IDs, Types: c.Types}
				all = append(all, in)
				got, err := e.Encode(context.Background(), []bert.Input{in})
				if err != nil {
					t.Fatal(err)
				}
				if len(got[0]) != len(c.Vector) || e.Dimension() != len(c.Vector) {
					t.Fatalf("%d numbers, want %d", len(got[0]), len(c.Vector))
				}
				if d := distance(got[0], c.Vector); !(d < 1e-5) {
					t.Errorf("case %d of %d tokens is off by %g", i, len(c.IDs), d)
				}
			}
			for range 40 { // enough for several batches
				all = append(all, all[:len(cases)]...)
			}
			got, err := e.Encode(context.Background(), all)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if d := distance(v, cases[i%len(cases)].Vector); !(d < 1e-5) {
					t.Fatalf("case %d in a batch is off by %g", i%len(cases), d)
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	for dir, want := range map[string]int{"bert-mean": 70, "xlmr-mean": 64} {
		if got := open(t, "testdata/"+dir).Limit(); got != want {
			t.Errorf("%s: limit %d, want %d", dir, got, want)
		}
	}
}

func TestInputs(t *testing.T) {
	e := open(t, "testdata/bert-mean")
	for name, in := range map[string]bert.Input{
		"token":    {IDs: []int32{90}},
		"negative": {IDs: []int32{-1}},
		"type":     {IDs: []int32{1}, Types: []int32{2}},
		"types":    {IDs: []int32{1, 2}, Types: []int32{0}},
		"long":     {IDs: make([]int32, 71)},
	} {
		if _, err := e.Encode(context.Background(), []bert.Input{{IDs: []int32{5}}, in}); err == nil {
			t.Errorf("%s was encoded", name)
		}
	}
	got, err := e.Encode(context.Background(), []bert.Input{{}})
	if err != nil || slices.Max(got[0]) != 0 {
		t.Errorf("no tokens: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Encode(ctx, []bert.Input{{IDs: []int32{5}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRefusals changes one thing in a model and looks that it is refused by name.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		file, old, new string
		want           string // in the message
	}{
		{"config.json", `"model_type": "bert"`, `"model_type": "mpnet"`, "mpnet"},
		{"config.json", `"hidden_act": "gelu"`, `"hidden_act": "swish"`, "swish"},
		{"config.json", `"position_embedding_type": "absolute"`, `"position_embedding_type": "relative_key"`, "relative_key"},
		{"config.json", `"num_attention_heads": 4`, `"num_attention_heads": 5`, "multiple"},
		{"config.json", `"num_hidden_layers": 2`, `"num_hidden_layers": 3`, "encoder.layer.2"},
		{"config.json", `"vocab_size": 90`, `"vocab_size": 91`, "shape"},
		{"config.json", `"hidden_size": 32`, `"hidden_size": -1`, "size"},
		{"config.json", `{`, `{"quantization_config": {"bits": 8},`, "quantized"},
		{"config.json", `{`, `[`, "config.json"},
		{"modules.json", `models.Normalize`, `models.Dense`, "Dense"},
		{"modules.json", `1_Pooling`, `../../1_Pooling`, "Pooling"},
		{"1_Pooling/config.json", `"pooling_mode_max_tokens": false`, `"pooling_mode_max_tokens": true`, "max_tokens"},
		{"1_Pooling/config.json", `: 32`, `: 33`, "word_embedding_dimension"},
		{"sentence_bert_config.json", ``, `{"do_lower_case": true}`, "do_lower_case"},
		{"model.safetensors", `embeddings.word_embeddings.weight`, `embeddings.word_embeddings.height`, "word_embeddings"},
		{"model.safetensors", `encoder.layer.1.output.dense.bias`, `encoder.layer.1.output.dense.bits`, "encoder.layer.1.output.dense.bias"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/bert-mean")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.file)
		data, err := os.ReadFile(path)
		if err != nil && c.old != "" {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), c.old, c.new, 1)
		if text == string(data) {
			t.Fatalf("%s does not hold %q", c.file, c.old)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = bert.Open(dir)
		if p := problem.Of(err); p == nil || p.Code != bert.Unsupported || !strings.Contains(p.Message.String(), c.want) || len(p.Next) == 0 {
			t.Errorf("%s, %s: %v", c.file, c.new, err)
		}
	}
	if _, err := bert.Open(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestDamage cuts weights off and spoils them: no crash, no model.
func TestDamage(t *testing.T) {
	for _, c := range []struct{ dir, file string }{{"bert-mean", "model.safetensors"}, {"onnx-mean", "model.onnx"}} {
		whole, err := os.ReadFile(filepath.Join("testdata", c.dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/"+c.dir)); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(whole); n += 1 + len(whole)/97 {
			if err := os.WriteFile(filepath.Join(dir, c.file), whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := bert.Open(dir)
			if problem.Of(err) == nil && !errors.Is(err, safetensors.ErrCorrupt) {
				t.Fatalf("%s cut to %d bytes: %v", c.file, n, err)
			}
		}
	}
}

// BenchmarkEncode is a batch of code on an encoder of the shape of
// multilingual-e5-small, without its table of words.
func BenchmarkEncode(b *testing.B) {
	dir := b.TempDir()
	writeModel(b, dir, 384, 1536, 12, 12)
	e, err := bert.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	in := make([]bert.Input, 16)
	for i := range in {
		in[i].IDs = make([]int32, 128)
	}
	tokens := 0
	for b.Loop() {
		if _, err := e.Encode(context.Background(), in); err != nil {
			b.Fatal(err)
		}
		tokens += 16 * 128
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}
