package vectorindex

import (
	"strings"
	"testing"
	"unicode/utf8"

	"codeintel/internal/index"
)

func TestPassage(t *testing.T) {
	c := index.ChunkInfo{File: "a/b.go", Scope: "Server", Symbol: "Start", Signature: "func (s *Server) Start() error", Doc: "Start begins.",
		Text: "// Start begins.\nfunc (s *Server) Start() error {\n}\n"}
	const want = "a/b.go\nServer Start\n// Start begins.\nfunc (s *Server) Start() error {\n}\n"
	if got := passage(&c); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.Text = "\treturn nil\n}\n" // the end of a long function
	const tail = "a/b.go\nServer Start\nfunc (s *Server) Start() error\nStart begins.\n\treturn nil\n}\n"
	if got := passage(&c); got != tail {
		t.Errorf("%q, want %q", got, tail)
	}
	c.Text = strings.Repeat("語", longestText)
	if got := passage(&c); len(got) > longestText || len(got) < longestText-3 || !utf8.ValidString(got) {
		t.Errorf("cut to %d bytes, valid: %v", len(got), utf8.ValidString(got))
	}
}

func TestKey(t *testing.T) {
	c := index.ChunkInfo{File: "a.go", Symbol: "S", Scope: "T", Signature: "f", Doc: "d", Fingerprint: "0011223344556677"}
	k := keyOf(&c)
	moved := c
	moved.StartLine, moved.Start, moved.ID = 9, 99, "x"
	if keyOf(&moved) != k {
		t.Error("a chunk that moves has another key")
	}
	for name, change := range map[string]func(*index.ChunkInfo){
		"file": func(c *index.ChunkInfo) { c.File = "b.go" }, "symbol": func(c *index.ChunkInfo) { c.Symbol = "" },
		"scope": func(c *index.ChunkInfo) { c.Scope = "" }, "signature": func(c *index.ChunkInfo) { c.Signature = "g" },
		"doc": func(c *index.ChunkInfo) { c.Doc = "" }, "text": func(c *index.ChunkInfo) { c.Fingerprint = "0011223344556678" },
		"borders": func(c *index.ChunkInfo) { c.Scope, c.Symbol = "TS", "" },
	} {
		other := c
		change(&other)
		if keyOf(&other) == k {
			t.Errorf("%s: the key is the same", name)
		}
	}
	if k.fingerprint() != c.Fingerprint {
		t.Errorf("fingerprint %s, want %s", k.fingerprint(), c.Fingerprint)
	}
	if parsed, ok := parseKey(k.String()); !ok || parsed != k {
		t.Errorf("%s is parsed as %s", k, parsed)
	}
	for _, id := range []string{"", "zz", k.String() + "00", k.String()[2:], strings.Repeat("g", 40)} {
		if _, ok := parseKey(id); ok {
			t.Errorf("%q is a key", id)
		}
	}
}
