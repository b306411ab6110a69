package quote

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// emojis are written with characters that no person sees, as are Persian, Hebrew, Mongolian
// and the names of some Japanese.
const emojis = "👁\ufe0f\u200d🗨\ufe0f 1\ufe0f\u20e3 ☎\ufe0e می\u200cخواهم שלום\u200f葛\U000e0100 ᠠ\u180b ไทย\u200bไทย"

func TestQuote(t *testing.T) {
	for _, tt := range []struct{ in, text, path string }{
		{"plain/日本.go", "plain/日本.go", "plain/日本.go"},
		{"a\nb.go:1: forged", "a\nb.go:1: forged", `a\nb.go:1: forged`},
		{"\x1b[2J\x1b]0;x\x07", `\x1b[2J\x1b]0;x\x07`, `\x1b[2J\x1b]0;x\x07`},
		{"one\r\ntwo\r\n\tthree", "one\r\ntwo\r\n\tthree", `one\r\ntwo\r\n\tthree`},
		{"over\rwritten", `over\rwritten`, `over\rwritten`},
		{"c1 \u009b31m", `c1 \u009b31m`, `c1 \u009b31m`},
		{"bidi \u202e cba", `bidi \u202e cba`, `bidi \u202e cba`},
		{"tags \U000e0041", `tags \U000e0041`, `tags \U000e0041`},
		{"a\u200bb", `a\u200bb`, `a\u200bb`},
		{"a\ufe01\U000e0110é\U000e0110é\ufe01", `a\ufe01\U000e0110é\U000e0110é\ufe01`, `a\ufe01\U000e0110é\U000e0110é\ufe01`},
		{"日\u200b\u200c\u2063\u3164", "日\u200b" + `\u200c\u2063\u3164`, "日\u200b" + `\u200c\u2063\u3164`},
		{"\ufeffpackage", `\ufeffpackage`, `\ufeffpackage`},
		{emojis, emojis, emojis},
		{"bad \xff\xfe", "bad \xff\xfe", "bad \xff\xfe"},
		{"8 bits \x9b2J \x85 \xe9", `8 bits \x9b2J \x85 ` + "\xe9", `8 bits \x9b2J \x85 ` + "\xe9"},
		{"replaced \ufffd", "replaced \ufffd", "replaced \ufffd"},
		{"bad \xff \x1b", "bad \xff \\x1b", "bad \xff \\x1b"},
		{"", "", ""},
	} {
		text := tt.text
		if tt.in == "one\r\ntwo\r\n\tthree" {
			text = "one\ntwo\n\tthree"
		}
		if got := Text(tt.in); got != text {
			t.Errorf("Text(%q) = %q", tt.in, got)
		}
		if got := Path(tt.in); got != tt.path {
			t.Errorf("Path(%q) = %q", tt.in, got)
		}
	}
}

// TestJSON wants what is read back to be what was written, and nothing in between to act.
func TestJSON(t *testing.T) {
	want := "\x1b a\n\u009b31m \u202e \U000e0041 日本 \U0001f600"
	var b bytes.Buffer
	if err := json.NewEncoder(JSON{&b}).Encode(want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want || anyActs(b.Bytes()) {
		t.Errorf("%q of %s: %v", got, b.Bytes(), err)
	}
	page, err := json.Marshal("\x1b\u2028 \u202e \U000e0041 \\u202e 日本 \u200b")
	if err == nil {
		err = json.Unmarshal(Page(page), &got)
	}
	if want := `\u001b\u2028 \u202e \U000e0041 \u202e 日本 \u200b`; err != nil || got != want {
		t.Errorf("%q: %v", got, err)
	}
}

type hit struct {
	File  string   `json:"file"`
	Also  []string `json:"places"`
	Code  string   `json:"code"`
	Inner *hit     `json:"inner"`
}

func TestPaths(t *testing.T) {
	in := []any{&hit{File: "a\nb", Also: []string{"c\nd"}, Code: "x\ny", Inner: &hit{File: "e\nf"}}}
	want := []any{&hit{File: `a\nb`, Also: []string{`c\nd`}, Code: "x\ny", Inner: &hit{File: `e\nf`, Also: []string{}}}}
	if got := Paths(in, Path); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got[0])
	}
	if in[0].(*hit).Inner.File != "e\nf" {
		t.Error("the answer itself was changed")
	}
}

func TestShell(t *testing.T) {
	for word, want := range map[string]string{
		"": "''", "go": "go", ".code-intel/a-b_c.md": ".code-intel/a-b_c.md", "日本.md": "日本.md", "a b": "'a b'",
		"$(touch x).md": "'$(touch x).md'", "it's": `'it'\''s'`, "-f": "'-f'", "a;b": "'a;b'", "~root": "'~root'", "a\nb": "'a\nb'",
	} {
		if got := Shell(word); got != want {
			t.Errorf("Shell(%q) = %s, want %s", word, got, want)
		}
	}
}

// A list of structs that bears the name of a list of paths is gone through.
func TestPathsOfPlaces(t *testing.T) {
	type place struct {
		File string `json:"file"`
	}
	type answer struct {
		Places []place `json:"places"`
	}
	got := Paths(answer{[]place{{"a\nb.go"}}}, Path)
	if got.Places[0].File != `a\nb.go` {
		t.Errorf("%q", got)
	}
}

// FuzzJSON wants JSON to mean the same once it is quoted, and nothing in it to act.
func FuzzJSON(f *testing.F) {
	f.Add("\b\r\f\r\n\x1b\u009b \u202e \U000e0041 \\ \" \xff")
	f.Fuzz(func(t *testing.T, text string) {
		plain, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got, shown string
		var b bytes.Buffer
		if _, err := (JSON{&b}).Write(plain); err != nil {
			t.Fatal(err)
		}
		page := Page(plain)
		for into, from := range map[*string][]byte{&want: plain, &got: b.Bytes(), &shown: page} {
			if err := json.Unmarshal(from, into); err != nil {
				t.Fatalf("%q: %s: %v", text, from, err)
			}
		}
		if got != want || anyActs(b.Bytes()) || anyActs(page) || anyActs(strings.ReplaceAll(shown, "\r\n", "\n")) {
			t.Errorf("%q: %s, %s", text, b.Bytes(), page)
		}
	})
}
