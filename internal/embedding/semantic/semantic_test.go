package semantic

import (
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// staticModel writes a model whose words each have a vector of their own, but
// that synonyms share one.
func staticModel(t *testing.T, dir string) {
	t.Helper()
	words := map[string]int{"[UNK]": 0, "trolley": 1, "basket": 1, "engine": 2, "motor": 2, "the": 3}
	const dim = 4
	vocab := make([]string, 0, len(words))
	rows := make([]float32, len(words)*dim)
	for w, axis := range words {
		rows[len(vocab)*dim+axis] = 1
		vocab = append(vocab, fmt.Sprintf("%q: %d", w, len(vocab)))
	}
	tokenizer := `{"version": "1.0", "added_tokens": [], "normalizer": {"type": "Lowercase"},
		"pre_tokenizer": {"type": "BertPreTokenizer"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
		"vocab": {` + strings.Join(vocab, ", ") + `}}}`
	write(t, filepath.Join(dir, "tokenizer.json"), tokenizer)
	header := fmt.Sprintf(`{"embeddings": {"dtype": "F32", "shape": [%d, %d], "data_offsets": [0, %d]}}`, len(words), dim, 4*len(rows))
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for _, x := range rows {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	write(t, filepath.Join(dir, "model.safetensors"), string(b))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, root, model string) (*Searcher, *search.Engine) {
	t.Helper()
	write(t, filepath.Join(root, ".code-intel/config.json"), fmt.Sprintf(`{"embedding_model": %q}`, model))
	write(t, filepath.Join(root, "trolley.go"), "package shop\n\nfunc trolley() {}\n")
	write(t, filepath.Join(root, "engine.go"), "package shop\n\nfunc engine() {}\n")
	if strings.HasPrefix(model, "static:") {
		staticModel(t, filepath.Join(root, ".code-intel", "models"))
	}
	k, e := again(t, root)
	if _, err := e.Best(t.Context(), "engine", 1); err != nil { // indexes
		t.Fatal(err)
	}
	return k, e
}

// again opens what another process has set up.
func again(t *testing.T, root string) (*Searcher, *search.Engine) {
	t.Helper()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	x, err := index.Open(t.Context(), p, log)
	if err != nil {
		t.Fatal(err)
	}
	k := Open(p, x, func(string) string { return "" }, log)
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	e := search.New(p, x)
	if k != nil {
		e = e.WithMeaning(k.Ready())
	}
	return k, e
}

// byMeaning reports whether the first hit says that its meaning raised it.
func byMeaning(a *search.SemanticAnswer) bool {
	return len(a.ForestHits) > 0 && strings.Contains(strings.Join(a.ForestHits[0].Reasons, "; "), "meaning")
}

func TestModelFindsWhatWordsDoNot(t *testing.T) {
	root := t.TempDir()
	k, e := opened(t, root, "static:.code-intel/models")
	if err := k.Sync(t.Context(), func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{"basket": "trolley.go", "the motor": "engine.go"} {
		hits, err := e.Best(t.Context(), question, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].Chunk.File != want {
			t.Errorf("%s: %+v, want %s", question, hits, want)
		}
	}
	a, err := e.Semantic(t.Context(), search.SemanticQuery{Query: "basket"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Notes) != 0 || !byMeaning(a) {
		t.Errorf("the answer does not say why:\n%s", a.Text())
	}
	// Another process, which embeds nothing, knows that all is embedded.
	_, other := again(t, root)
	if b, err := other.Semantic(t.Context(), search.SemanticQuery{Query: "basket"}); err != nil || len(b.Notes) != 0 || !byMeaning(b) {
		t.Errorf("another process: %v, %v:\n%s", b.Notes, err, b.Text())
	}
}

func TestBuiltinNeedsNoSearcher(t *testing.T) {
	if k, _ := opened(t, t.TempDir(), "builtin"); k != nil {
		t.Error("a keeper for nothing")
	}
}

func TestSearchGoesOnWithoutTheModel(t *testing.T) {
	k, e := opened(t, t.TempDir(), "multilingual-e5-small")
	a, err := e.Semantic(t.Context(), search.SemanticQuery{Query: "trolley"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.ForestHits) == 0 || a.ForestHits[0].File != "trolley.go" {
		t.Errorf("found %+v", a.ForestHits)
	}
	if text := strings.Join(msg.Texts(a.Notes), "\n"); !strings.Contains(text, "built-in") || !strings.Contains(text, "model pull multilingual-e5-small") {
		t.Errorf("the notes do not say what is missing: %q", text)
	}
	if err := k.Sync(t.Context(), func(int, int) {}); err == nil {
		t.Error("embedded without a model")
	}
}

// TestCloseAtOnce closes keepers of a process that asks nothing of the model: while it
// is being opened, and where its store cannot be reached.
func TestCloseAtOnce(t *testing.T) {
	for name, config := range map[string]string{
		"a model that is here":          `{"embedding_model": "static:.code-intel/models"}`,
		"a store that is not reached":   `{"embedding_model": "static:.code-intel/models", "vector_store": "chroma:http://127.0.0.1:1"}`,
		"a model that is not reached":   `{"embedding_model": "http://127.0.0.1:1/v1#m"}`,
		"a model that is not installed": `{"embedding_model": "minishlab/potion-base-8M"}`,
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, ".code-intel/config.json"), config)
			staticModel(t, filepath.Join(root, ".code-intel", "models"))
			for range 20 {
				k, _ := again(t, root)
				if err := k.Close(); err != nil {
					t.Fatal(err)
				}
			}
			k, _ := again(t, root)
			_ = k.Missing(t.Context()) // waits until it is open, or known not to be
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
