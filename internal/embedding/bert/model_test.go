package bert_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// writeModel writes a BERT with random weights.
func writeModel(t testing.TB, dir string, hidden, wide, layers, heads int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	header, data := make(map[string]any), []byte(nil)
	add := func(name string, shape ...int) {
		numbers, begin := 1, len(data)
		for _, n := range shape {
			numbers *= n
		}
		for range numbers {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(r.NormFloat64()*0.05)))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": shape, "data_offsets": [2]int{begin, len(data)}}
	}
	linear := func(name string, in, out int) { add(name+".weight", out, in); add(name+".bias", out) }
	norm := func(name string) { add(name+".weight", hidden); add(name+".bias", hidden) }
	add("embeddings.word_embeddings.weight", 100, hidden)
	add("embeddings.position_embeddings.weight", 512, hidden)
	add("embeddings.token_type_embeddings.weight", 2, hidden)
	norm("embeddings.LayerNorm")
	for i := range layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			linear(at+"attention.self."+part, hidden, hidden)
		}
		linear(at+"attention.output.dense", hidden, hidden)
		norm(at + "attention.output.LayerNorm")
		linear(at+"intermediate.dense", hidden, wide)
		linear(at+"output.dense", wide, hidden)
		norm(at + "output.LayerNorm")
	}
	file, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file = append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(file))), file...), data...)
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{"model_type":"bert","hidden_size":%d,"intermediate_size":%d,"num_hidden_layers":%d,"num_attention_heads":%d,
		"max_position_embeddings":512,"type_vocab_size":2,"vocab_size":100,"hidden_act":"gelu","pad_token_id":0}`, hidden, wide, layers, heads)
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}
