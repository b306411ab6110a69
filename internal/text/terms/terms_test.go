package terms

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"codeintel/test/tier"
)

func code(text string) (terms []string) {
	Code([]byte(text), func(term string) { terms = append(terms, term) })
	return terms
}

func TestSplitIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"HTTPServer": "http server", "parseHTTPHeader": "parse http header", "snake_case_name": "snake case name",
		"kebab-case-name": "kebab case name", "SCREAMING_CASE": "screaming case", "utf8_decode": "utf 8 decode",
		"sha256Sum": "sha 256 sum", "Int32": "int 32", "URLs": "urls", "userIDs": "user ids", "getURLsFor": "get urls for",
		"DNSserver": "dn sserver", "x": "x", "X": "x", "_private": "private", "__init__": "init", "iPhone": "i phone",
		"IOError": "io error", "i18n": "i 18 n", "": "", "___": "", "a1B2": "a 1 b 2", "getX": "get x", "ABC": "abc",
		"ÜberGröße": "über größe", "данныеПользователя": "данные пользователя", "naïveÉtat": "naïve état",
		"取得User": "取得 user", "ユーザーID": "ユーザー id", "ＨＴＴＰ接続": "http 接続", "$el.text": "el text", "e\u0301te": "éte",
		"TestURLs2": "test urls 2", "XMLHttpRequest": "xml http request", "aHTTPs": "a https",
	} {
		if got := strings.Join(SplitIdentifier(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, family := range []string{
		"handle handles handled handling handler handlers", "parse parses parsed parsing parser", "map maps mapping mapped mapper",
		"query queries queried", "retry retries retried retrying retrier", "copy copies copied copying", "try tries tried trying",
		"notify notified notifier", "validate validates validated validating validation validator validators", "cache caches cached caching",
		"index indexes indexed indexing indexer", "class classes", "status statuses", "connect connection connections connected",
		"configure configuration", "match matches matcher", "register registers",
	} {
		words := strings.Fields(family)
		for _, w := range words[1:] {
			if Stem(w) != Stem(words[0]) {
				t.Errorf("%s gives %s, %s gives %s", words[0], Stem(words[0]), w, Stem(w))
			}
		}
	}
	for _, w := range []string{"ring", "this", "status", "ids", "http", "x", "", "größe", "取得", "utf8", "API"} {
		if got := Stem(w); got != w {
			t.Errorf("%s: %s", w, got)
		}
	}
}

// Tables that were learned on stems hold only as long as the stems stay.
func TestStemsStay(t *testing.T) {
	for _, pair := range strings.Fields(`string:str name:nam user:user update:updat generate:gener generation:gener session:sess
		function:funct function:funct position:posit service:servic directory:director memory:memor property:propert address:address
		process:process processes:process entries:entr bytes:byt boxes:box available:avail readable:read document:docu
		agreement:agr active:activ relative:relat quickly:quick global:global internal:intern length:length buffer:buf
		adding:add added:add error:error editor:edit colors:color serialized:serializ embed:emb embedding:embed`) {
		word, want, _ := strings.Cut(pair, ":")
		if got := Stem(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"func (s *HTTPServer) ParseForms(r io.Reader) {": "func httpserver http serv parseform pars form io read",
		"http_server = HttpServer()":                     "httpserver http serv httpserver http serv",
		"x := a + i":                                     "",
		"0x1F 42 3.14 7 1_000_000 2fa 12345678901234567": "0x1f 42 14 1000000 2fa",
		"utf8.DecodeRune":                                "utf8 utf decoderun decod run",
		".btn-primary { color: #ff00aa }":                "btn primar color ff00aa ff 00 aa",
		"// ユーザー情報を取得する":                                 "ユーザー ユー ーザ ザー 情報 取得",
		"// 初期化してください":                                   "初期 期化 して てく くだ ださ さい",
		"// ｶﾅ 行 ﾊﾞｰ":                                    "カナ 行 バー",
		"// 설정 파일":                                       "설정 파일",
		"# Größe der Fenster":                            "größe der fenst",
		"日本語Parser（テスト）":                                 "日本 本語 pars テスト テス スト",
		"\xff\xfe broken \xe3\x81 bytes":                 "broken byt",
	} {
		// "parseform" is what Fold makes of ParseForms, which is not stemmed.
		want = strings.NewReplacer("parseform pars", "parseforms pars", "decoderun decod", "decoderune decod").Replace(want)
		if diff := cmp.Diff(strings.Fields(want), code(text)); diff != "" && (want != "" || code(text) != nil) {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestData(t *testing.T) {
	for name, text := range map[string]string{
		"base64": strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo", 10),
		"digits": strings.Repeat("1234567890", 5),
	} {
		if got := code(text); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := code("d41d8cd98f00b204e9800998ecf8427e"); len(got) > 1 {
		t.Errorf("a hash: %q", got)
	}
}

func TestQuery(t *testing.T) {
	for text, want := range map[string]string{
		"How does the HTTPServer parse headers?": "httpserver http serv pars head",
		"where is parse_http_header used":        "parsehttpheader pars http head",
		"parseHttpHeader":                        "parsehttpheader pars http head",
		"retry retries retried":                  "retr",
		"what is it":                             "what is it",
		"ユーザーの情報を取得する処理はどこにありますか": "ユーザー ユー ーザ ザー 情報 取得 処理",
		"してください":       "して てく くだ ださ さい",
		"ＡＰＩ キー":       "api キー",
		"":             "",
		"?!":           "",
		"isValid flag": "isvalid valid flag",
	} {
		if got := strings.Join(Query(text), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What is asked for as it stands in the code is found.
func TestQueryMeetsCode(t *testing.T) {
	for _, text := range []string{"HTTPServer", "parse_url", "ユーザー情報", "初期化", "getURLs", "sha256", "設定ファイル読み込み", "größe"} {
		have := code("x = " + text + "(1) // end")
		for _, term := range Query(text) {
			if !slices.Contains(have, term) {
				t.Errorf("%s: %q is not among %q", text, term, have)
			}
		}
	}
}

// A tokenizer with a full memory answers as one without.
func TestTokenizerMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for range 150_000 {
		for range 2 + r.IntN(4) {
			text.WriteByte("abcdefghijklmnopqrstuvwxyzABC_"[r.IntN(30)])
		}
		text.WriteByte(' ')
	}
	var tok Tokenizer
	var got, want []string
	tok.Code(text.Bytes(), func(n int32) { got = append(got, tok.Term(n)) })
	if len(tok.runs.texts) > maxKnown {
		t.Errorf("%d identifiers are remembered", len(tok.runs.texts))
	}
	for word := range strings.FieldsSeq(text.String()) {
		want = append(want, code(word)...)
	}
	if !slices.Equal(got, want) {
		t.Error("the answers differ")
	}
	tok.Trim()
	if n := len(tok.runs.texts) + len(tok.terms.texts) + len(tok.lists); n > 0 {
		t.Errorf("%d things are remembered after Trim", n)
	}
	got = got[:0]
	tok.Code(text.Bytes()[:10_000], func(n int32) { got = append(got, tok.Term(n)) })
	if !slices.Equal(got[:len(got)-2], want[:len(got)-2]) { // the last word may be cut short
		t.Error("the answers differ after Trim")
	}
	before := len(tok.runs.texts)
	if tok.Trim(); before == 0 || len(tok.runs.texts) != before {
		t.Error("a small memory is not kept")
	}
}

// What is done faster for ASCII is done alike.
func TestASCII(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var tok Tokenizer
	for range tier.Number(40_000, 200_000) {
		var b []byte
		for range 2 + r.IntN(9) {
			b = append(b, "abcABCs_sSIT019_zed-."[r.IntN(21)])
		}
		name := string(b)
		if got, want := splitASCII(nil, name, strings.ToLower(name)), splitRunes(name); !slices.Equal(got, want) {
			t.Fatalf("%s: words %q, want %q", name, got, want)
		}
		run := strings.Trim(name, "-.")
		if len(run) < 2 || strings.ContainsAny(run, "-.") {
			continue
		}
		run = strings.Repeat(run, 1+r.IntN(8))
		var got []string
		tok.Code([]byte(run), func(n int32) { got = append(got, tok.Term(n)) })
		if want := runTerms(run); !slices.Equal(got, want) {
			t.Fatalf("%s: terms %q, want %q", run, got, want)
		}
	}
}

func FuzzCode(f *testing.F) {
	for _, seed := range []string{"HTTPServer_x", "日本語ＡＢＣ", "\xff\xe3", "e\u0301", "ﬁle ﷺ", "a\u200db", "ǅungla", "İstanbul"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, term := range append(code(string(text)), Query(string(text))...) {
			if term == "" || !utf8.ValidString(term) || strings.ContainsAny(term, " \n_") {
				t.Fatalf("%q gave the term %q", text, term)
			}
			if len(term) > 4*maxWhole {
				t.Fatalf("a term of %d bytes", len(term))
			}
		}
		SplitIdentifier(string(text))
	})
}

// BenchmarkCode runs over Go's own net package and below.
func BenchmarkCode(b *testing.B) {
	var files [][]byte
	total := 0
	err := filepath.WalkDir(filepath.Join(goroot(b), "src", "net"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		files = append(files, text)
		total += len(text)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		var t Tokenizer
		for _, text := range files {
			t.Code(text, func(int32) { n++ })
		}
	}
	b.ReportMetric(float64(n)/float64(b.N), "terms")
}

func BenchmarkCodeJapanese(b *testing.B) {
	text := []byte(strings.Repeat("// ユーザー情報を取得する。表示用の名前（ソート済み）を返す。\nreturn s.Name // 名前\n", 2000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var t Tokenizer
	for b.Loop() {
		t.Code(text, func(int32) {})
	}
}

// goroot is where Go's own sources lie.
func goroot(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
