//go:build linux

package robustness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"codeintel/internal/provider/lsp"
	"codeintel/test/tier"
)

// An answer is what a hostile server writes when it is asked for something.
type answer func(w io.Writer)

// says answers with a text.
func says(text string) answer { return func(w io.Writer) { _, _ = io.WriteString(w, text) } }

// much answers with a text that is repeated until it has so many megabytes.
func much(before, again, after string, megabytes int) answer {
	return func(w io.Writer) {
		_, _ = io.WriteString(w, before)
		block := strings.Repeat(again, 1<<20/len(again))
		for range megabytes {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, after)
	}
}

// embedded are answers of an embedding server to n texts.
func embedded(n int) map[string]answer {
	vectors := func(v string) answer {
		return says(`{"data":[` + strings.TrimSuffix(strings.Repeat(`{"embedding":`+v+`},`, n), ",") + `]}`)
	}
	return map[string]answer{
		"numbers without end": much(`{"data":[{"embedding":[0`, ",0", "]}]}", 190), "vectors without end": much(`{"data":[`, "{},", "{}]}", 190),
		"spaces without end": much("", " ", "", 300), "no number": vectors("[NaN,1]"), "infinite numbers": vectors("[1e300,1]"),
		"large numbers": vectors("[3e38,3e38]"), "another length": vectors("[1,2,3]"), "none": vectors("[]"), "null": vectors("null"),
		"too few": says(`{"data":[]}`), "a negative index": says(`{"data":[{"index":-1,"embedding":[1,2]}]}`),
		"one index twice": says(`{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`),
		"depth":           much(`{"data":`, "[", "", 100), "a forged line": says("\n" + forged + "\x1b[2J\n"), "good": vectors("[1,2]"),
	}
}

// stored are answers of a Chroma server to what it is asked for.
func stored(what string) map[string]answer {
	usual := map[string]answer{
		"collections": says(`{"id":"1","metadata":{"model":MODEL,"dimension":2},"configuration_json":{"hnsw":{"space":"cosine"}}}`),
		"get":         says(`{"ids":[]}`), "count": says("3"), "query": says(`{"ids":[[]],"distances":[[]],"metadatas":[[]]}`),
	}[what]
	if usual == nil {
		usual = says("{}")
	}
	all := map[string]answer{
		"good": usual, "names without end": much(`{"ids":[["x"`, `,"x"`, `]]}`, 500), "lists without end": much(`{"ids":[[]`, `,[]`, `]}`, 500),
		"spaces without end": much("", " ", "", 600), "one long name": much(`{"ids":[["`, "x", `"]],"distances":[[0]],"metadatas":[[{}]]}`, 500),
		"data without end": much(`{"ids":[["x"]],"distances":[[0]],"metadatas":[[{}`, `,{}`, `]]}`, 500), "null": says("null"),
		"depth": much("", "[", "", 100), "a forged line": says("\n" + forged + "\x1b[2J\n"),
		"a negative number": says("-1"), "a large number": says("99999999999999999999"),
		"what is not there": says(`{"ids":[["x","../outside/secret",` + fmt.Sprintf("%q", forged) + `]],"distances":[[-9e99,null,9e99]],"metadatas":[[null,{"path":"../outside/secret"},{"x":1}]]}`),
	}
	if what != "get" { // a name in the list of all that is there
		return all
	}
	page := `{"ids":["` + strings.Join(strings.Split(strings.Repeat("x", 5000), ""), `","`) + `"]}`
	return map[string]answer{"good": usual, "pages without end": says(page), "a long page": much(`{"ids":["x"`, `,"x"`, `]}`, 500), "null": says("null")}
}

// located are answers of a language server to where a name is used.
func located(uri string) map[string]answer {
	at := func(uri string, line, from, toLine, to int) string {
		return fmt.Sprintf(`{"uri":%q,"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}}`, uri, line, from, toLine, to)
	}
	result := func(places ...string) answer { return says("[" + strings.Join(places, ",") + "]") }
	return map[string]answer{
		"good": result(at(uri, 3, 5, 3, 13)), "negative columns": result(at(uri, 3, -5, 3, 4)), "columns backwards": result(at(uri, 3, 9, 3, 2)),
		"negative lines": result(at(uri, -3, 5, -3, 9)), "columns beyond": result(at(uri, 3, 5, 3, 1<<30)), "lines beyond": result(at(uri, 1<<40, 5, 1<<40, 9)),
		"a file outside": result(at("file:///etc/passwd", 0, 0, 0, 4), at(path.Dir(uri)+"/../outside/secret", 0, 0, 0, 4)), "no file": result(at("http://x/y", 0, 0, 0, 4), at("%zz", 0, 0, 0, 4)),
		"places without end": much("["+at(uri, 3, 5, 3, 13), ","+at(uri, 3, 5, 3, 13), "]", 60), "null": says("null"), "a text": says(fmt.Sprintf("%q", forged)),
		"lists without end": much("[{}", ",{}", "]", 60), "depth": much("", "[", "", 60),
	}
}

// framed are whole messages of a language server instead of an answer.
var framed = map[string]answer{
	"a negative length": says("Content-Length: -5\r\n\r\n{}"), "a large length": says("Content-Length: 99999999999\r\n\r\n{}"), "no length": says("A: b\r\n\r\n{}"),
	"a header without end": much("A: ", "b", "", 700), "headers without end": much("", "A: b\r\n", "", 700), "lines without end": much("", "\r\n", "", 20),
	"a promise": says("Content-Length: 268435456\r\n\r\n{"), "an error with lines": says("\x00"), "nothing is read": nil,
	"questions without end": much("", told(`"id":"x","method":"window/showDocument","params":{"uri":"file:///etc/passwd"}`), "", 20),
	"large questions":       much("", told(`"id":1,"method":"workspace/applyEdit","params":{"label":"`+strings.Repeat("x", 900_000)+`"}`), "", 700),
	"settings without end":  long(`{"jsonrpc":"2.0","id":1,"method":"workspace/configuration","params":{"items":[0`, ",0", "]}}"),
	"talk without end":      much("", told(`"method":"window/logMessage","params":{"message":"`+strings.Repeat("x", 100_000)+`"}`), "", 700),
	"an error without end":  long(`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"`, "x", `"}}`),
	"work without end": func(w io.Writer) {
		for i := range 2_000_000 {
			_, err := io.WriteString(w, told(fmt.Sprintf(`"method":"$/progress","params":{"token":"%d%s","value":{"kind":"begin"}}`, i, strings.Repeat("t", 900))))
			if err != nil {
				return
			}
		}
	},
}

// long is a message of a server that is nearly as long as one may be.
func long(before, again, after string) answer {
	const megabytes = 59
	return much(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(before)+megabytes<<20+len(after), before), again, after, megabytes)
}

// told is a message of a server that is no answer.
func told(fields string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n{\"jsonrpc\":\"2.0\",%s}", len(fields)+len(`{"jsonrpc":"2.0",}`), fields)
}

// The test program is a language server, if it was started as one.
func init() {
	how := os.Getenv("HOSTILE_LANGUAGE_SERVER")
	if how == "" || len(os.Args) != 2 || os.Args[1] != "serve" {
		return
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		body, err := lsp.Read(in)
		if err != nil {
			os.Exit(0)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ TextDocument struct{ URI string } }
		}
		_ = json.Unmarshal(body, &m)
		switch whole, ok := framed[how]; {
		case m.Method == "initialize":
			fmt.Fprint(out, message(m.ID, `{"capabilities":{"positionEncoding":"utf-8"},"serverInfo":{"name":"x\n`+forged+`"}}`))
			if how == "nothing is read" {
				out.Flush()
				select {}
			}
		case m.Method != "textDocument/references":
		case how == "an error with lines":
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"x\n%s\u001b[2J"}}`, m.ID, forged)
			fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(text), text)
		case ok:
			whole(out)
		default:
			var text bytes.Buffer
			text.Grow(64 << 20) // for the longest
			located(m.Params.TextDocument.URI)[how](&text)
			begin := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":`, m.ID)
			fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(begin)+text.Len()+1, begin)
			_, _ = text.WriteTo(out)
			_ = out.WriteByte('}')
		}
		out.Flush()
	}
}

func message(id json.RawMessage, result string) string {
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
}

// indexes are files in SCIP format that lie.
func indexes() map[string][]byte {
	field := func(n protowire.Number, value ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), value)
	}
	text := func(n protowire.Number, value string) []byte { return field(n, []byte(value)...) }
	occurrence := func(symbol string, at ...uint64) []byte {
		var packed []byte
		for _, n := range at {
			packed = protowire.AppendVarint(packed, n)
		}
		return field(2, append(field(1, packed...), text(2, symbol)...)...)
	}
	document := func(file string, occurrences ...[]byte) []byte {
		return field(2, append(text(1, file), bytes.Join(occurrences, nil)...)...)
	}
	good := occurrence("x Greeting().", 3, 5, 13)
	var missing, large, signs [][]byte
	for i := range 300_000 {
		missing = append(missing, document(fmt.Sprint(i), good))
		signs = append(signs, occurrence("x Greeting().", uint64(i+3), 0, 1))
	}
	for i := range largeTexts {
		large = append(large, document(fmt.Sprintf("large%d.go", i), occurrence("x Greeting().", 2, 11, 19)))
	}
	far := uint64(2 + 2*farColumns + 1)
	return map[string][]byte{
		"columns of a long line":   append(document("main.go", good), document("far.go", bytes.Repeat(occurrence("x Greeting().", 2, far, far+8), 20_000))...),
		"files that are not there": append(document("main.go", good), bytes.Join(missing, nil)...),
		"large texts":              append(document("main.go", good), bytes.Join(large, nil)...),
		"places without end":       append(document("main.go", good), document("signs.go", signs...)...),
		"symbols of nothing":       append(document("main.go", good), bytes.Repeat([]byte{0x1a, 0}, 40<<20)...),
		"occurrences of nothing":   append(document("main.go", good), field(2, bytes.Repeat([]byte{0x12, 0}, 30<<20)...)...),
		"a path without end":       append(document("main.go", good), document(strings.Repeat("x", 1<<20), bytes.Repeat(occurrence("local 1", 3, 5, 13), 50_000))...),
		"good":                     document("main.go", good), "columns backwards": document("main.go", good, occurrence("x Greeting().", 3, 9, 2)), "large columns": document("main.go", good, occurrence("x Greeting().", 3, 5, 1<<63)),
		"large lines": document("main.go", good, occurrence("x Greeting().", 1<<63, 5, 13)), "negative": document("main.go", good, occurrence("x Greeting().", 1<<64-1, 1<<64-2, 1<<64-1)),
		"a file outside": bytes.Join([][]byte{document("main.go", good), document("../outside/secret", occurrence("x Greeting().", 0, 0, 10)), document("/etc/passwd", occurrence("x Greeting().", 0, 0, 4))}, nil),
		"one file often": bytes.Repeat(document("main.go", good), 300_000), "many places": document("main.go", bytes.Repeat(good, 1_500_000)),
		"many symbols": document("main.go", good, []byte{}), "forged": append(document("main.go", good), document("a\n"+forged+".go", occurrence("x `\n"+forged+"`.", 3, 5, 13))...),
		"empty fields": append(document("main.go", good), bytes.Repeat([]byte{0x12, 0}, 20<<20)...),
		"cut":          document("main.go", good)[:20], "a length beyond": append(document("main.go", good), 0x12, 0xff, 0xff, 0xff, 0xff, 0x7f),
		"no index": []byte(strings.Repeat("\xff", 1<<20)), "nested": bytes.Repeat([]byte{0x12, 0x7f}, 1<<20),
	}
}

const (
	largeTexts = 250     // of a megabyte each
	farColumns = 200_000 // characters of two bytes in one line
)

// besides makes the texts that an index speaks of.
func (c *clone) besides(how string) {
	switch how {
	case "columns of a long line":
		put(c, c.root, "far.go", "package main\n\n//"+strings.Repeat("é ", farColumns)+" Greeting\n")
	case "large texts":
		text := "package main\n\nfunc y() { Greeting() }\n\n// Unused is.\nfunc Unused() { println(\"a{\") }\n" + strings.Repeat("// "+strings.Repeat("x", 60)+"\n", 15_000)
		for i := range largeTexts {
			put(c, c.root, fmt.Sprintf("large%d.go", i), text)
		}
	case "places without end":
		put(c, c.root, "signs.go", "package main\n\n// Greeting\n"+strings.Repeat("(\n", 300_000))
	}
}

// TestHostileServers has servers that the user allows, and an index that a project has, lie
// in every way: the program answers, takes little, and shows nothing that they forge.
func TestHostileServers(t *testing.T) {
	program := build(t)
	ask := map[string][][]string{"embedding": {{"index"}, {"search", "greets"}}, "chroma": {{"index"}, {"search", "greets"}},
		"scip": {{"refs", "Greeting"}, {"doctor"}, {"dead", "--limit", "3"}}}
	played := func(kind, how string, prepare func(c *clone)) {
		t.Run(kind+": "+how, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			prepare(c)
			if kind == "language server" { // a command waits for it as long as it takes
				shows(c, "the server", c.talk(program, []string{tool("find_references", `{"symbol":"Greeting"}`)}))
			}
			for _, args := range ask[kind] {
				out, _ := c.run(program, "", args...)
				shows(c, strings.Join(args, " "), out)
				if !strings.Contains(out, "main.go") && args[0] != "index" && args[0] != "doctor" && args[0] != "dead" {
					t.Errorf("%v does not answer: %s", args, out)
				}
			}
		})
	}
	for how := range tier.Cases(embedded(1), 4) {
		for _, first := range []bool{true, false} {
			played("embedding", fmt.Sprint(how, first), func(c *clone) { c.embeds(how, first, "") })
		}
	}
	for _, what := range []string{"databases", "pre-flight-checks", "collections", "get", "count", "upsert", "query"} {
		for how := range tier.Cases(stored(what), 2) {
			played("chroma", what+" "+how, func(c *clone) { c.embeds("good", false, c.stores(what, how)) })
		}
	}
	for how := range tier.Cases(located(""), 4) {
		played("language server", how, func(c *clone) { c.speaks(program, how) })
	}
	for how := range tier.Cases(framed, 4) {
		played("language server", how, func(c *clone) { c.speaks(program, how) })
	}
	for how, index := range tier.Cases(indexes(), 4) {
		played("scip", how, func(c *clone) { c.besides(how); put(c, c.root, "index.scip", string(index)) })
	}
}

// shows reports what an answer must not show.
func shows(c *clone, what, out string) {
	c.Helper()
	if strings.Contains(out, secret) || strings.Contains(out, "root:x:") {
		c.Errorf("%s shows a file outside:\n%s", what, out)
	}
	if strings.ContainsAny(out, "\x1b\x07") || strings.Contains("\n"+out, "\n"+forged) {
		c.Errorf("%s shows what is forged: %q", what, out)
	}
	if strings.HasPrefix(out, "internal:") || strings.Contains(strings.ReplaceAll(out, `\"`, `"`), `"error":"internal"`) || strings.Contains(out, "goroutine ") {
		c.Errorf("%s does not know what is the matter:\n%s", what, out)
	}
}

// embeds has the project ask an embedding server that lies, from the first answer on or after it.
func (c *clone) embeds(how string, first bool, store string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		if !first && len(asked.Input) == 1 && asked.Input[0] == "dimension" {
			embedded(1)["good"](w)
			return
		}
		if how == "a forged line" { // in the status, too
			conn, _, err := http.NewResponseController(w).Hijack()
			c.must(err)
			fmt.Fprintf(conn, "HTTP/1.1 400 x\x1b[2J\r\nConnection: close\r\n\r\n")
			defer conn.Close()
			embedded(1)[how](conn)
			return
		}
		embedded(len(asked.Input))[how](w)
	}))
	c.Cleanup(s.Close)
	settings, err := json.Marshal(map[string]string{"embedding_model": s.URL + "/v1/embeddings|model=x", "vector_store": "embedded" + store})
	c.must(err)
	put(c, c.root, ".code-intel/config.json", strings.Replace(string(settings), "embeddedchroma", "chroma", 1))
	c.env = append(c.env, "CODE_INTEL_EMBEDDING_URL="+s.URL)
}

// stores starts a Chroma server that lies when it is asked for one thing.
func (c *clone) stores(lie, how string) (store string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		what := path.Base(r.URL.Path)
		if strings.HasPrefix(path.Base(path.Dir(r.URL.Path)), "databases") {
			what = "databases"
		}
		if what == lie {
			stored(what)[how](w)
			return
		}
		var text bytes.Buffer
		stored(what)["good"](&text)
		var asked struct {
			Metadata struct{ Model json.RawMessage }
		}
		_ = json.Unmarshal(body, &asked)
		_, _ = w.Write(bytes.ReplaceAll(text.Bytes(), []byte("MODEL"), asked.Metadata.Model))
	}))
	c.Cleanup(s.Close)
	return "chroma:" + s.URL
}

// speaks has the user trust a language server that lies.
func (c *clone) speaks(program, how string) {
	self, err := os.Executable()
	c.must(err)
	command := filepath.Join(c.home, "server")
	put(c, c.home, "server", "#!/bin/sh\nHOSTILE_LANGUAGE_SERVER='"+how+"' exec "+self+" serve\n")
	c.must(os.Chmod(command, 0o755))
	put(c, c.root, ".code-intel/config.json", fmt.Sprintf(`{"language_servers":{"go":[%q]}}`, command))
	put(c, c.root, "long.go", "package main\n\n// "+strings.Repeat("long ", 200_000)+"\nfunc Long() string { return Greeting() }\n")
	if out, err := c.command(program, "trust", "server").CombinedOutput(); err != nil {
		c.Fatalf("trust: %v\n%s", err, out)
	}
}
