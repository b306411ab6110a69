package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/embedding/tokenizer"
	"codeintel/internal/problem"
)

// wordPiece is the model of words in a vocabulary.
func wordPiece(vocabulary string) string {
	return `{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":9,"vocab":` + vocabulary + `}`
}

// parts is a tokenizer.json with some parts replaced.
func parts(t testing.TB, change map[string]string) []byte {
	t.Helper()
	f := map[string]json.RawMessage{
		"version": json.RawMessage(`"1.0"`),
		"model":   json.RawMessage(wordPiece(`{"a":0,"b":1,"[UNK]":2}`)),
	}
	for name, text := range change {
		f[name] = json.RawMessage(text)
	}
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRefusals: what is not known is named, never passed over.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ part, text, want string }{
		{"version", `"2.0"`, "2.0"},
		{"extra", `1`, "extra"},
		{"model", `null`, "missing"},
		{"model", `{"type":"Magic"}`, "Magic"},
		{"model", wordPiece(`{}`), "[UNK]"},
		{"model", wordPiece(`{"[UNK]":-1}`), "-1"},
		{"model", `{"type":"WordPiece","vocab":{"[UNK]":0},"unk_token":"[UNK]","fast":true}`, "fast"},
		{"model", `{"type":"WordLevel","vocab":{"[UNK]":0},"unk_token":"[UNK]"}`, "WordLevel"},
		{"model", `{"type":"Unigram","vocab":[["a",-1]],"unk_id":0,"byte_fallback":true}`, "byte_fallback"},
		{"model", `{"type":"Unigram","vocab":[["a",-1]],"unk_id":null}`, "unk_id"},
		{"model", `{"type":"Unigram","vocab":[["a",-1]],"unk_id":3}`, "unk_id"},
		{"model", `{"type":"Unigram","vocab":[["a"]],"unk_id":0}`, "[text, score]"},
		{"model", `{"type":"Unigram","vocab":[["a",null]],"unk_id":0}`, "[text, score]"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1}`, "dropout"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"continuing_subword_prefix":"##"}`, "continuing_subword_prefix"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"end_of_word_suffix":"</w>"}`, "end_of_word_suffix"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"fuse_unk":true}`, "fuse_unk"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"byte_fallback":true}`, "byte_fallback"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"ignore_merges":true}`, "ignore_merges"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":["a b"]}`, "not in the vocabulary"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}`, "no pair"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[["a"]]}`, "no pair"},
		{"normalizer", `{"type":"Magic"}`, "Magic"},
		{"normalizer", `{}`, "no type"},
		{"normalizer", `{"type":"Lowercase","how":"much"}`, "how"},
		{"normalizer", `{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"Magic"}]}`, "Magic"},
		{"normalizer", `{"type":"Nmt"}`, "Nmt"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"AAAA"}`, "empty"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":"/////wAA"}`, "cut off"},
		{"normalizer", `{"type":"Replace","pattern":{"String":"a"}}`, "content"},
		{"normalizer", `{"type":"Replace","pattern":{"Glob":"a"},"content":""}`, "Glob"},
		{"normalizer", `{"type":"Replace","pattern":{},"content":""}`, "neither"},
		{"normalizer", `{"type":"Replace","pattern":{"String":""},"content":"a"}`, "empty"},
		{"normalizer", `{"type":"Replace","pattern":{"Regex":"a+"},"content":""}`, "a+"},
		{"normalizer", `{"type":"NFKC"}`, "NFKC"},
		{"pre_tokenizer", `{"type":"UnicodeScripts"}`, "UnicodeScripts"},
		{"pre_tokenizer", `{"type":"Punctuation","behavior":"Isolated"}`, "Punctuation"},
		{"pre_tokenizer", `{"type":"Split","pattern":{"Regex":"a"},"behavior":"Isolated","invert":false}`, "Split"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"ab"}`, "replacement"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","prepend_scheme":"sometimes"}`, "sometimes"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","prepend_scheme":"first"}`, "first"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"_","prepend_scheme":"always","add_prefix_space":false}`, "contrary"},
		{"pre_tokenizer", `{"type":"CharDelimiterSplit","delimiter":"a"}`, "CharDelimiterSplit"},
		{"post_processor", `{"type":"Magic"}`, "Magic"},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X","type_id":0}}],"pair":[],"special_tokens":{}}`, "X"},
		{"post_processor", `{"type":"TemplateProcessing","single":[],"pair":[],"special_tokens":{}}`, "0 times"},
		{"post_processor", `{"type":"Sequence","processors":[]}`, "Sequence"},
		{"truncation", `{"direction":"Up","max_length":3,"strategy":"LongestFirst","stride":0}`, "Up"},
		{"added_tokens", `[{"id":9,"content":"a","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":false}]`, `"a"`},
		{"added_tokens", `[{"id":9,"content":"","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":false}]`, "content"},
		{"added_tokens", `[{"id":9,"content":"x","single_word":true}]`, "single_word"},
		{"added_tokens", `[{"id":9,"content":"x","normalized":false},{"id":10,"content":"x","normalized":false}]`, "twice"},
	} {
		_, err := tokenizer.Parse(parts(t, map[string]string{c.part: c.text}))
		p := problem.Of(err)
		if p == nil || p.Code != tokenizer.Unsupported || !strings.Contains(p.Message.String(), c.want) || len(p.Next) == 0 {
			t.Errorf("%s %s: %v", c.part, c.text, err)
		}
	}
	for _, text := range []string{"", "{", "[]", "null", `{"version":"1.0"}{}`} {
		if _, err := tokenizer.Parse([]byte(text)); problem.Of(err) == nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := tokenizer.Open(filepath.Join(dir, "none")); !os.IsNotExist(unwrap(err)) {
		t.Error(err)
	}
	if _, err := tokenizer.Open(dir); problem.Of(err) == nil {
		t.Error(err)
	}
	path := filepath.Join(dir, "tokenizer.json")
	if err := os.WriteFile(path, parts(t, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Tokens(nil, "b"); !cmp.Equal(got, []int32{1}) || tok.Size() != 3 {
		t.Errorf("%v of %d", got, tok.Size())
	}
	if id, ok := tok.Unknown(); id != 2 || !ok {
		t.Errorf("unknown is %d, %v", id, ok)
	}
}

func unwrap(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		if _, path := err.(*os.PathError); path {
			return err
		}
		err = u.Unwrap()
	}
}

// TestLimit: a limit counts the special tokens, and takes the place of the file's.
func TestLimit(t *testing.T) {
	var g golden
	read(t, "testdata/golden/wordpiece-cased.json.gz", &g) // cut to 12 by the file
	tok, err := tokenizer.Parse(g.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a b c ", 50)
	whole := tok.Encode(text, 999)
	for limit, want := range map[int]int{0: 12, 5: 5, 2: 2, 1: 2, 12: 12, 99: 99, 152: 152, 999: 152} {
		e := tok.Encode(text, limit)
		if len(e.IDs) != want || len(e.Types) != want {
			t.Errorf("limit %d: %d tokens of %d types, want %d", limit, len(e.IDs), len(e.Types), want)
		}
		if !cmp.Equal(e.IDs[:want-1], whole.IDs[:want-1]) && want > 2 {
			t.Errorf("limit %d: %v", limit, e.IDs)
		}
	}
}

// TestOlderTruncation: a file that does not say where it cuts cuts the end off.
func TestOlderTruncation(t *testing.T) {
	tok, err := tokenizer.Parse(parts(t, map[string]string{
		"pre_tokenizer": `{"type":"WhitespaceSplit"}`,
		"truncation":    `{"max_length":2,"strategy":"LongestFirst","stride":0}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if cut, whole := tok.Encode("b a b a", 0), tok.Encode("b a b a", 9); len(whole.IDs) != 4 || !cmp.Equal(cut.IDs, whole.IDs[:2]) {
		t.Errorf("%v of %v", cut.IDs, whole.IDs)
	}
}

// FuzzTokens: whatever the text, every tokenizer makes ids that there are, the
// same ones each time, and as many types as ids.
func FuzzTokens(f *testing.F) {
	var toks []*tokenizer.Tokenizer
	paths, err := filepath.Glob("testdata/golden/*.json.gz")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		var g golden
		read(f, path, &g)
		tok, err := tokenizer.Parse(g.Tokenizer)
		if err != nil {
			f.Fatal(err)
		}
		toks = append(toks, tok)
	}
	for _, s := range []string{"", "a", "\xff\xc0", "e\u0301\u0323", "<mask> [CLS]ADDED", "\r\n\t ", "日本語 テキスト", "\U0001F468\u200d\U0001F469"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		if len(text) > 4096 {
			return
		}
		for i, tok := range toks {
			e := tok.Encode(text, 0)
			if !cmp.Equal(e, tok.Encode(text, 0)) {
				t.Fatalf("%s: %q is cut in two ways", paths[i], text)
			}
			if len(e.IDs) != len(e.Types) {
				t.Fatalf("%s: %d ids, %d types", paths[i], len(e.IDs), len(e.Types))
			}
			for _, id := range e.IDs {
				if id < 0 || int(id) >= tok.Size() {
					t.Fatalf("%s: %q has the id %d", paths[i], text, id)
				}
			}
			if !utf8.ValidString(text) && !cmp.Equal(e, tok.Encode(strings.ToValidUTF8(text, "\uFFFD"), 0)) {
				t.Fatalf("%s: broken bytes of %q", paths[i], text)
			}
			tok.Encode(text, int(limit))
		}
	})
}

// FuzzParse: a tokenizer.json from anywhere is read or refused, and what is read
// can be used.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"unigram-model2vec", "pre-gpt2", "pre-bert", "normalizer-replace", "pre-metaspace"} {
		var g golden
		read(f, "testdata/golden/"+name+".json.gz", &g)
		if len(g.Tokenizer) < 20_000 {
			f.Add([]byte(g.Tokenizer))
		}
	}
	f.Add(parts(f, map[string]string{"normalizer": `{"type":"Replace","pattern":{"Regex":" {2,}"},"content":"$1"}`}))
	f.Add(parts(f, map[string]string{"model": `{"type":"Unigram","vocab":[["a",-1],["ab",-2]],"unk_id":0,"byte_fallback":false}`}))
	f.Add(parts(f, map[string]string{"model": `{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"],"unk_token":"a","fuse_unk":false}`}))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := tokenizer.Parse(data)
		if err != nil {
			if problem.Of(err) == nil {
				t.Fatal(err)
			}
			return
		}
		for _, text := range []string{"", "a b", "\xffé\u0301 日本 <x>\r\n"} {
			for _, id := range tok.Encode(text, 9).IDs {
				if id < 0 {
					t.Fatalf("%q has the id %d", text, id)
				}
			}
		}
	})
}

// BenchmarkTokens is code, cut by each model; the vocabularies are small, so
// tokens are short.
func BenchmarkTokens(b *testing.B) {
	code, err := os.ReadFile("tokenizer.go")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"wordpiece-uncased", "unigram-xlmr", "unigram-model2vec", "bpe-roberta"} {
		var g golden
		read(b, "testdata/golden/"+name+".json.gz", &g)
		tok, err := tokenizer.Parse(g.Tokenizer)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			var ids []int32
			n := 0
			for b.Loop() {
				ids = tok.Tokens(ids[:0], string(code))
				n += len(ids)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
		})
	}
}
