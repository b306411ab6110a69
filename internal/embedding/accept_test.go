//go:build accept

package embedding_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"codeintel/internal/embedding"
	"codeintel/internal/embedding/bert"
	"codeintel/internal/embedding/tokenizer"
)

// A realCase is a text, or a pair of which only the tokens are kept, and what the
// reference makes of it: test/acceptance/model_reference.py.
type realCase struct {
	Text   *string   `json:"text"`
	IDs    []int32   `json:"ids"`
	Types  []int32   `json:"types"`
	Vector []float64 `json:"vector"` // of length 1
}

// TestReal holds a model with real weights to the reference: the same tokens one
// for one, and vectors that differ by no more than 1e-4 in any number.
func TestReal(t *testing.T) {
	dir, file := os.Getenv("CODE_INTEL_ACCEPT_MODEL"), os.Getenv("CODE_INTEL_ACCEPT_GOLDEN")
	if dir == "" || file == "" {
		t.Fatal("CODE_INTEL_ACCEPT_MODEL and CODE_INTEL_ACCEPT_GOLDEN name no model; run test/acceptance/model.py")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Limit int        `json:"limit"`
		Cases []realCase `json:"cases"`
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) < 50 {
		t.Fatalf("%d cases, %v", len(golden.Cases), err)
	}
	tok, err := tokenizer.Open(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	enc, err := bert.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	if enc.Limit() != golden.Limit {
		t.Errorf("the limit is %d tokens, want %d", enc.Limit(), golden.Limit)
	}
	m := open(t, "transformer:"+dir, embedding.Options{})
	var texts []string
	var want [][]float64
	worst, worstCosine := 0.0, 0.0
	compare := func(what string, got []float32, want []float64) {
		d, c := distance(got, want), 1-product(got, want)
		worst, worstCosine = max(worst, d), max(worstCosine, c)
		if !(d <= 1e-4) || !(c <= 1e-4) {
			t.Errorf("%.60q is off by %.2g, its cosine by %.2g", what, d, c)
		}
	}
	for _, c := range golden.Cases {
		if c.Text == nil {
			v, err := enc.Encode(context.Background(), []bert.Input{{IDs: c.IDs, Types: c.Types}})
			if err != nil {
				t.Fatal(err)
			}
			compare("a pair", unit(v[0]), c.Vector)
			continue
		}
		if got := tok.Encode(*c.Text, enc.Limit()); !slices.Equal(got.IDs, c.IDs) || !slices.Equal(got.Types, c.Types) {
			t.Errorf("%.60q: tokens %v, want %v", *c.Text, got.IDs, c.IDs)
		}
		v, err := m.Embed(context.Background(), embedding.Passage, []string{*c.Text})
		if err != nil {
			t.Fatal(err)
		}
		compare(*c.Text, v[0], c.Vector)
		texts, want = append(texts, *c.Text), append(want, c.Vector)
	}
	began := time.Now()
	together, err := m.Embed(context.Background(), embedding.Passage, texts)
	took := time.Since(began).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for i, v := range together {
		compare(texts[i], v, want[i])
		tokens += len(tok.Encode(texts[i], enc.Limit()).IDs)
	}
	t.Logf("%d texts, %d pairs: the same tokens; no number of a vector off by more than %.1e, no cosine by more than %.1e; %.0f texts/s, %.0f tokens/s together",
		len(texts), len(golden.Cases)-len(texts), worst, worstCosine, float64(len(texts))/took, float64(tokens)/took)
}

// product is the inner product, of vectors of length 1 their cosine.
func product(a []float32, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * b[i]
	}
	return sum
}

// unit brings v to length 1.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}
