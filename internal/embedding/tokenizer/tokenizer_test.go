package tokenizer_test

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"codeintel/internal/embedding/tokenizer"
)

// read decodes a compressed JSON file of testdata.
func read(t testing.TB, path string, into any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// golden is what testdata/generate.py wrote for one tokenizer.
type golden struct {
	Tokenizer json.RawMessage `json:"tokenizer"`
	CRC       []uint32        `json:"crc"` // of ids and types, by text
}

func checksum(e tokenizer.Encoding) uint32 {
	var b []byte
	for _, list := range [][]int32{e.IDs, e.Types} {
		for _, n := range list {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	return crc32.ChecksumIEEE(b)
}

// TestGolden holds ids and types of odd texts to those of the reference.
func TestGolden(t *testing.T) {
	var texts []string
	read(t, "testdata/texts.json.gz", &texts)
	paths, err := filepath.Glob("testdata/golden/*.json.gz")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d golden files, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json.gz")
		t.Run(name, func(t *testing.T) {
			var g golden
			read(t, path, &g)
			if len(g.CRC) != len(texts) {
				t.Fatalf("%d results for %d texts", len(g.CRC), len(texts))
			}
			tok, err := tokenizer.Parse(g.Tokenizer)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for i, text := range texts {
				e := tok.Encode(text, 0)
				if checksum(e) == g.CRC[i] {
					continue
				}
				if wrong++; wrong <= 3 {
					t.Errorf("text %d, %.200q: ids %.100v, types %.20v; python testdata/generate.py %s %d shows the reference's", i, text, e.IDs, e.Types, name, i)
				}
			}
			if wrong > 3 {
				t.Errorf("%d of %d texts are wrong", wrong, len(texts))
			}
		})
	}
}

// TestTogether asks one tokenizer from many goroutines.
func TestTogether(t *testing.T) {
	var texts []string
	read(t, "testdata/texts.json.gz", &texts)
	for _, name := range []string{"bpe-roberta", "unigram-xlmr", "wordpiece-uncased"} {
		var g golden
		read(t, "testdata/golden/"+name+".json.gz", &g)
		tok, err := tokenizer.Parse(g.Tokenizer)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for k := range 4 {
			wg.Go(func() {
				for i := k * 200; i < k*200+400; i++ {
					if checksum(tok.Encode(texts[i], 0)) != g.CRC[i] {
						t.Errorf("%s: text %d is wrong", name, i)
					}
				}
			})
		}
		wg.Wait()
	}
}
