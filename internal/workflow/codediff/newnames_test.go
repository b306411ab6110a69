package codediff

import (
	"strings"
	"testing"
)

// TestUnusedNames looks for what changes add and do not use. Each is the text before, what is added to
// it, a second file, the request, and what is found.
func TestUnusedNames(t *testing.T) {
	const options = "export interface CartOptions {\n  currency?: string;\n}\n"
	const rust = "pub struct Config {\n    pub capacity: usize,\n}\n"
	for _, c := range []struct{ name, file, base, now, other, request, want string }{
		{"a function that nobody names", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "", "Escape titles", "escapeHtml:never_named"},
		{"a function that a test names", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "escapeHtml(\"<\");\n", "Escape titles", ""},
		{"a function that was asked for", "src/page.ts", "export const a = 1;\n", "export const a = 1;\n\nexport function escapeHtml(t: string) {\n  return t;\n}\n", "", "Add escapeHtml", ""},
		{"a method", "src/page.ts", "class A {\n}\n", "class A {\n  escapeHtml(t: string) {\n    return t;\n  }\n}\n", "", "Escape titles", ""},
		{"a variant that nobody makes", "src/parser.rs", "pub enum E {\n    Empty,\n}\n", "pub enum E {\n    Empty,\n    TooMany,\n}\n", "", "Refuse too much", "TooMany:never_named"},
		{"an option that is off", "src/cart.ts", options, "export interface CartOptions {\n  currency?: string;\n  roundToFive?: boolean;\n}\n\nexport const f = (o: CartOptions) => (o.roundToFive ? 5 : 1);\n", "", "Round totals", "roundToFive:never_set"},
		{"an option that a test turns on", "src/cart.ts", options, "export interface CartOptions {\n  currency?: string;\n  roundToFive?: boolean;\n}\n\nexport const f = (o: CartOptions) => (o.roundToFive ? 5 : 1);\n", "f({ roundToFive: true });\n", "Round totals", ""},
		{"an option that was asked for", "src/cart.ts", options, "export interface CartOptions {\n  currency?: string;\n  roundToFive?: boolean;\n}\n\nexport const f = (o: CartOptions) => (o.roundToFive ? 5 : 1);\n", "", "Add an option to round totals", ""},
		{"an option that nobody reads", "src/config.rs", rust, "pub struct Config {\n    pub capacity: usize,\n    pub max_length: usize,\n}\n\nfn f(c: &mut Config) {\n    c.max_length = 3;\n}\n", "", "Support the setting max_length", "max_length:never_read"},
		{"an option of Go that nobody reads", "queue.go", "package p\n\ntype Options struct {\n\tLimit int\n}\n", "package p\n\ntype Options struct {\n\tLimit int\n\tMaxWait time.Duration\n}\n", "", "Wait at most MaxWait", "MaxWait:never_read"},
		{"an option that is read", "src/config.rs", rust, "pub struct Config {\n    pub capacity: usize,\n    pub max_length: usize,\n}\n\nfn f(c: &Config) -> bool {\n    c.max_length > 3\n}\n", "", "Support the setting max_length", ""},
	} {
		files := []File{{Path: c.file, Base: []byte(c.base), New: []byte(c.now)}}
		if c.other != "" {
			files = append(files, File{Path: "test/a.test.ts", New: []byte(c.other), Test: true})
		}
		var got []string
		for _, w := range Compare(files, nil).WeakenedFor(c.request, "") {
			got = append(got, w.Test+":"+string(w.How))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestItems holds what items say against what is cited.
func TestItems(t *testing.T) {
	base := "class A {\n  async get(p: string) {\n    return go(p);\n  }\n\n  async post(p: string) {\n    return go(p);\n  }\n}\n"
	one := strings.Replace(base, "return go(p);", "return go(p, { headers });", 1)
	both := strings.ReplaceAll(base, "return go(p);", "return go(p, { headers });")
	for _, c := range []struct {
		now, item, want string
	}{
		{one, "Send headers with GET and POST", "post"},
		{one, "Send headers with `get()` and `post()`", "post"},
		{one, "Send headers with GET", ""},
		{one, "Get and post what is there", ""},
		{both, "Send headers with GET and POST", ""},
	} {
		d := Compare([]File{{Path: "src/a.ts", Base: []byte(base), New: []byte(c.now)}}, nil)
		if got := d.Untouched(c.item, "src/a.ts"); got != c.want {
			t.Errorf("%q: %q, want %q", c.item, got, c.want)
		}
	}
	caught := func(file, text, item string) bool {
		return Compare([]File{{Path: file, New: []byte(text)}}, nil).Swallows(item, file, 1, 9)
	}
	for text, want := range map[string]bool{
		"function f() {\n  try {\n    return g();\n  } catch (error) {\n    return [];\n  }\n}\n":                       true,
		"function f() {\n  try {\n    return g();\n  } catch (error) {\n    throw new Error(`f: ${error}`);\n  }\n}\n":  false,
		"function f() {\n  try {\n    return g();\n  } catch (error) {\n    log.warn(error);\n    return [];\n  }\n}\n": false,
		"function f() {\n  return g();\n}\n": false,
	} {
		if got := caught("src/a.ts", text, "report what goes wrong"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if caught("src/a.ts", "function f() {\n  try {\n    return g();\n  } catch (error) {\n    return [];\n  }\n}\n", "give an empty list where there is none") {
		t.Error("an item that wants no error")
	}
	if !caught("src/a.rs", "fn f(out: &mut W) {\n    out.flush().ok();\n}\n", "report what cannot be flushed") {
		t.Error("an error that is dropped")
	}
}
