package embedding_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/embedding"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// golden is what testdata/generate.py wrote.
type golden struct {
	Cases []struct {
		Text   string    `json:"text"`
		Vector []float64 `json:"vector"` // of length 1
	} `json:"cases"`
	Roles []embedding.Role `json:"roles"` // none: of no matter
}

func readGolden(t *testing.T, dir string) (g golden) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "golden.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&g); err != nil {
		t.Fatal(err)
	}
	return g
}

func open(t testing.TB, spec string, o embedding.Options) embedding.Model {
	t.Helper()
	m, err := embedding.Open(context.Background(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestGolden holds vectors of texts to those of the reference, alone and together.
func TestGolden(t *testing.T) {
	for spec, tolerance := range map[string]float64{
		"static:static-f32": 1e-5,
		// The reference adds in 16 bits and rounds its result to them.
		"static:static-mapped": 1e-3,
		"transformer:minilm":   1e-5,
		"transformer:e5-tiny":  1e-5,
	} {
		t.Run(spec, func(t *testing.T) {
			_, dir, _ := strings.Cut(spec, ":")
			g := readGolden(t, filepath.Join("testdata", dir))
			m := open(t, spec, embedding.Options{Root: "testdata"})
			byRole := make(map[embedding.Role][]string)
			for i, c := range g.Cases {
				role := embedding.Passage
				if len(g.Roles) > 0 {
					role = g.Roles[i]
				}
				byRole[role] = append(byRole[role], c.Text)
				got, err := m.Embed(context.Background(), role, []string{c.Text})
				if err != nil {
					t.Fatal(err)
				}
				if d := distance(got[0], c.Vector); !(d < tolerance) {
					t.Errorf("text %d, %.100q, is off by %g", i, c.Text, d)
				}
				if len(got[0]) != m.Dimension() {
					t.Fatalf("%d numbers, want %d", len(got[0]), m.Dimension())
				}
			}
			for role, texts := range byRole {
				together, err := m.Embed(context.Background(), role, texts)
				if err != nil || len(together) != len(texts) {
					t.Fatal(len(together), err)
				}
				for i, text := range texts {
					alone, err := m.Embed(context.Background(), role, []string{text})
					if err != nil {
						t.Fatal(err)
					}
					for j := range alone[0] {
						if math.Abs(float64(alone[0][j]-together[i][j])) > 1e-6 {
							t.Fatalf("text %q has another vector in company", text)
						}
					}
				}
			}
		})
	}
}

func distance(got []float32, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range want {
		worst = max(worst, math.Abs(float64(got[i])-want[i]))
	}
	return worst
}

// TestRoles: a model that was trained with prefixes tells questions from answers.
func TestRoles(t *testing.T) {
	for spec, differ := range map[string]bool{"transformer:e5-tiny": true, "transformer:minilm": false, "static:static-f32": false} {
		m := open(t, spec, embedding.Options{Root: "testdata"})
		q, err := m.Embed(context.Background(), embedding.Query, []string{"some text"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Embed(context.Background(), embedding.Passage, []string{"some text"})
		if err != nil {
			t.Fatal(err)
		}
		if (q[0][0] != p[0][0]) != differ {
			t.Errorf("%s: query and passage differ: %v", spec, !differ)
		}
	}
}

// TestID: what names a model changes with any of its files, and with nothing else.
func TestID(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "minilm")
	if err := os.CopyFS(dir, os.DirFS("testdata/minilm")); err != nil {
		t.Fatal(err)
	}
	first := open(t, "transformer:testdata/minilm", embedding.Options{}).ID()
	if second := open(t, "transformer:"+dir, embedding.Options{}).ID(); second != first {
		t.Errorf("a copy is %q, not %q", second, first)
	}
	if err := os.Chtimes(filepath.Join(dir, "config.json"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if second := open(t, "transformer:"+dir, embedding.Options{}).ID(); second != first {
		t.Errorf("a copy of another date is %q, not %q", second, first)
	}
	seen := map[string]string{first: "the first"}
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "model.safetensors" {
			data[len(data)-1] ^= 1 // the sign of no weight that matters much
		} else {
			data = append(data, ' ')
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		id := open(t, "transformer:"+dir, embedding.Options{}).ID()
		if old := seen[id]; old != "" {
			t.Errorf("after a change of %s the ID is that of %s", name, old)
		}
		seen[id] = name
	}
}

// TestUnavailable: whatever is missing is said with the ways out.
func TestUnavailable(t *testing.T) {
	empty := t.TempDir()
	for spec, want := range map[string]string{
		"multilingual-e5-small":  "model pull multilingual-e5-small",
		"static:" + empty:        "builtin",
		"transformer:nowhere":    "model pull",
		"what is this":           "model list",
		"../escape":              "model list",
		"static:testdata/minilm": "builtin",
	} {
		_, err := embedding.Open(context.Background(), spec, embedding.Options{Models: empty})
		p := problem.Of(err)
		if p == nil || p.Code != embedding.Unavailable || !strings.Contains(strings.Join(msg.Texts(p.Next), " "), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := embedding.Open(ctx, "static:testdata/static-f32", embedding.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	m := open(t, "static:testdata/static-f32", embedding.Options{})
	if _, err := m.Embed(ctx, embedding.Query, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPulled: a name opens what lies in the folder of models, of either kind.
func TestPulled(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "code-intel", "models")
	for _, name := range []string{"static-f32", "e5-tiny"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("testdata/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, "e5-tiny"), filepath.Join(dir, "owner--e5-tiny")); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string { return map[string]string{"XDG_DATA_HOME": home}[name] }
	for name, kind := range map[string]string{"static-f32": "static:", "owner/e5-tiny": "transformer:"} {
		if id := open(t, name, embedding.Options{Getenv: getenv}).ID(); !strings.HasPrefix(id, kind) {
			t.Errorf("%s is %s", name, id)
		}
	}
}

// BenchmarkStatic is the speed of a static model of the usual width.
func BenchmarkStatic(b *testing.B) {
	m := open(b, "static:testdata/static-f32", embedding.Options{})
	text := strings.Repeat("func parse the configuration file and return an error value ", 8)
	texts := make([]string, 256)
	for i := range texts {
		texts[i] = text
	}
	for b.Loop() {
		if _, err := m.Embed(context.Background(), embedding.Passage, texts); err != nil {
			b.Fatal(err)
		}
	}
}
