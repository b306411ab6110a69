package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

func TestPut(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"empty", "{}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"one line", `{"x": 1}`, `{"x": 1, "a": {"b": 1}}`},
		{"indented by tabs", "{\n\t\"x\": 1\n}\n", "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n"},
		{"four blanks, no last newline", "{\n    \"x\": []\n}", "{\n    \"x\": [],\n    \"a\": {\n        \"b\": 1\n    }\n}"},
		{"line ends of Windows", "{\r\n  \"x\": 1\r\n}\r\n", "{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}\r\n"},
		{"a comment behind", "{\n  \"x\": 1 // one\n}", "{\n  \"x\": 1, // one\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"a trailing comma", "{\n  \"x\": 1, // one\n  // two\n}", "{\n  \"x\": 1, // one\n  // two\n  \"a\": {\n    \"b\": 1\n  },\n}"},
		{"there already", "{\n  \"a\": {\n    \"b\": 2, // two\n    \"c\": 3\n  }\n}", "{\n  \"a\": {\n    \"b\": 1, // two\n    \"c\": 3\n  }\n}"},
		{"beside others", "{\"a\": {\n  \"c\": 3\n}}", "{\"a\": {\n  \"c\": 3,\n  \"b\": 1\n}}"},
		{"a mark at the beginning", "\ufeff{}\n", "\ufeff{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
	} {
		got, err := Put([]byte(tt.text), []byte("1"), "a", "b")
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
		if value, err := Get(got, "a", "b"); err != nil || string(value) != "1" {
			t.Errorf("%s: it is %s, %v", tt.name, value, err)
		}
	}
}

func TestShape(t *testing.T) {
	for _, text := range []string{`[]`, `{"a": 1}`, `{"a": null}`, `{"a": []}`, `"x"`} {
		if got, err := Put([]byte(text), []byte("1"), "a", "b"); !errors.Is(err, errShape) {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	if got, err := Append([]byte(`{"a": {}}`), []byte("1"), "a"); !errors.Is(err, errShape) {
		t.Errorf("an object: %s, %v", got, err)
	}
	for _, text := range []string{`{`, `{"a" 1}`, "{}\n{}"} {
		if got, err := Put([]byte(text), []byte("1"), "a"); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// odd is a text that somebody wrote: any values, comments, white space and commas.
func odd(t *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	extra := func() string {
		var b strings.Builder
		for _, e := range rapid.SliceOfN(rapid.SampledFrom([]string{" ", "  ", "\t", "\n", "// x\n", "/* , } */", "//\n", "/**/"}), 0, 3).Draw(t, "extra") {
			b.WriteString(strings.ReplaceAll(e, "\n", newline))
		}
		return b.String()
	}
	var value func(deep int) string
	value = func(deep int) string {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if deep > 2 || kind < 2 {
			return rapid.SampledFrom([]string{`1`, `"x"`, `null`, `"a // b"`, `"\"}"`, `"日本"`}).Draw(t, "literal")
		}
		n := rapid.IntRange(0, 3).Draw(t, "length")
		names := []string{`"a"`, `"b"`, `"c"`}
		var b strings.Builder
		open, end := "{", "}"
		if kind == 2 {
			open, end = "[", "]"
		}
		b.WriteString(open + extra())
		for i := range n {
			if open == "{" {
				b.WriteString(names[i] + extra() + ":" + extra())
			}
			b.WriteString(value(deep+1) + extra())
			if i < n-1 || rapid.Bool().Draw(t, "comma") {
				b.WriteString("," + extra())
			}
		}
		return b.String() + end
	}
	object := func(members string) string { return "{" + extra() + members + "}" }
	text := value(0)
	if !strings.HasPrefix(text, "{") {
		text = object("")
	}
	return rapid.SampledFrom([]string{"", mark}).Draw(t, "mark") + extra() + text + extra()
}

// What was put somewhere and removed again has left no trace, also if something was
// put elsewhere meanwhile: then only that is there.
func TestRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(odd(t))
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ours"}), 0, 2).Draw(t, "path")
		path = append(path, "ours")
		value := []byte(`{"command": "x", "args": ["y", {"z": []}]}`)
		// inner is what is empty now, of the objects on the way.
		inner, made := "", len(path)
		for i := range path {
			if in, empty, err := Blank(text, path[:i]...); err != nil {
				t.Fatal(err)
			} else if empty {
				inner = in
			}
			if v, _ := Get(text, path[:i+1]...); v == nil {
				made = i + 1
				break
			}
		}
		put := Put
		if rapid.Bool().Draw(t, "element") {
			put = Append
		}
		if v, _ := Get(text, path...); v != nil {
			t.Skip("it is there")
		}
		got, err := put(text, value, path...)
		if errors.Is(err, errShape) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := hujson.Parse(bytes.TrimPrefix(got, []byte(mark))); err != nil {
			t.Fatalf("%v:\n%s", err, got)
		}
		var a, b any
		v, err := Get(got, path...)
		if err != nil || v == nil {
			t.Fatalf("nothing was put (%v):\n%s", err, got)
		}
		if json.Unmarshal(v, &a) != nil || json.Unmarshal(value, &b) != nil {
			t.Fatalf("%s", v)
		}
		back, err := Remove(got, inner, path[:made]...)
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%v: %q became %q, and then %q", err, text, got, back)
		}

		// Something else, put behind it or before it, is all that stays.
		other, err := Put(text, []byte("[1]"), "other")
		if err != nil {
			t.Fatal(err)
		}
		both, err := Put(got, []byte("[1]"), "other")
		if err != nil {
			t.Fatal(err)
		}
		left, err := Remove(both, inner, path[:made]...)
		if err != nil {
			t.Fatal(err)
		}
		var want, have any
		if json.Unmarshal(standard(t, other), &want) != nil || json.Unmarshal(standard(t, left), &have) != nil || !equal(want, have) {
			t.Fatalf("%s\nand\n%s", other, left)
		}
	})
}

func standard(t *rapid.T, text []byte) []byte {
	v, err := Get(text)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return v
}

func equal(a, b any) bool {
	x, err := json.Marshal(a)
	y, also := json.Marshal(b)
	return err == nil && also == nil && bytes.Equal(x, y)
}

func TestElements(t *testing.T) {
	text := []byte("{\"a\": [ /* one */ {\"x\": 1,}, // two\n 2, ]}")
	got, err := Elements(text, "a")
	if err != nil || len(got) != 2 || string(got[0]) != `{"x":1}` || string(got[1]) != "2" {
		t.Errorf("%s, %v", got, err)
	}
	text, err = Remove(text, "", "a", "0")
	if want := "{\"a\": [ /* one */ // two\n 2, ]}"; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func FuzzPut(f *testing.F) {
	for _, s := range []string{"", "{}", "{\"a\":{\"b\":1,},}", "{// x\n}", "[", "\ufeff{ /* */ }", "{\"a\":\r\n{}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Put(text, []byte(`{"x":[1]}`), "a", "b")
		if err != nil {
			return
		}
		if v, err := Get(got, "a", "b", "x", "0"); err != nil || string(v) != "1" {
			t.Errorf("%q became %q: %s, %v", text, got, v, err)
		}
		if again, err := Put(got, []byte(`{"x":[1]}`), "a", "b"); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%q became %q and then %q, %v", text, got, again, err)
		}
	})
}
