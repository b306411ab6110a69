package text_test

import (
	"strings"
	"testing"

	"codeintel/internal/text"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 3, "日本語"}, {"日本語の", 3, "日本…"}, {"ab cd", 4, "ab…"},
	} {
		if got := text.Clip(c.s, c.most); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.s, c.most, got, c.want)
		}
	}
}

func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"", 0, ""}, {"abc", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"日本語", 2, "日本"}, {"日本語", 9, "日本語"},
	} {
		if got := text.Prefix(c.s, c.most); got != c.want {
			t.Errorf("Prefix(%q, %d) = %q, want %q", c.s, c.most, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := text.OneLine(" a\tb\r\n\n c "); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

func TestLists(t *testing.T) {
	if got := text.QuoteAll([]string{"a", `"`}); got != `"a", "\""` {
		t.Errorf("QuoteAll: got %q", got)
	}
	names := strings.Fields("a b c")
	for most, want := range []string{2: "a, b and 1 more", 3: "a, b, c"} {
		if got := text.ListFirst(names, most); most >= 2 && got != want {
			t.Errorf("ListFirst %d: got %q", most, got)
		}
	}
	if set := text.WordSet("a b\n c a"); len(set) != 3 || !set["c"] {
		t.Errorf("WordSet: got %v", set)
	}
}

func TestDotted(t *testing.T) {
	if text.Dotted("", "b") != "b" || text.Dotted("a", "b") != "a.b" {
		t.Error("wrong names")
	}
}

func TestIsASCII(t *testing.T) {
	if !text.IsASCII("") || !text.IsASCII([]byte("a\x7f")) || text.IsASCII("é") || text.IsASCII([]byte{0x80}) {
		t.Error("wrong")
	}
}

func TestLineEnd(t *testing.T) {
	b := []byte("ab\nc")
	for from, want := range []int{2, 2, 2, 4, 4} {
		if got := text.LineEnd(b, from); got != want {
			t.Errorf("from %d: got %d, want %d", from, got, want)
		}
	}
}

func TestCommonTail(t *testing.T) {
	if text.CommonTail("a/b/c", "x/b/c") != 2 || text.CommonTail("a", "b") != 0 || text.CommonTail("a", "a") != 1 {
		t.Error("wrong")
	}
}

func TestCommentLines(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{ // one letter a line: c for a comment or a blank line
		{"an empty line of a comment", "# a\n#\n# b\nx\n--\n-- a\n*\n", "cccxcccc"},
		{"comments for tools", "## a\n#' @param x\n--- a\n#define x\n#x", "cccxx"},
		{"documentation of Perl", "x\n\n=head1 A\n\nb\n\n=over 2\n\n=cut\n\nx\n\n=encoding utf8\n\nb", "xccccccccc" + "xcccc"},
		{"code of templates", "=form_for @x do\n=items.each\n  =item\n=header\n=begins(1)\nx", "xxxxxx"},
		{"documentation of Ruby", "=begin\nx\n=end\nx", "cccx"},
		{"the end of a text of several lines", "a = \"\"\"\n  b.\n\"\"\"\nx\nb(\"\"\"\nc\n  \"\"\")\nx", "xxxxxxxx"},
		{"a text on one line", "a = \"\"\"b\"\"\"\nx = '''c'''\n\"\"\"d\"\"\"\nx", "xxcx"},
		{"quotes in quotes", "a('\"\"\"', `\"\"\"b`)\n# c\nx", "xcx"},
		{"three quotes in a comment behind code", "a = 1  # as \"\"\" does\nb()  // or '''\n# c\nx", "xxcx"},
		{"three quotes within a string", "a = \"as ''' does\"\nb = 'x \"\"\" y'\nc = r'\"\"\"|x'\n# c\nx", "xxxcx"},
		{"three quotes within a text", "a = \"\"\" '''\n  b\n\"\"\"\n# c\nx\nd = \"\"\" ''' \"\"\"\n# c\nx", "xxxcxxcx"},
		{"a text behind a text", "a(\"\"\"\nb\n\"\"\", \"\"\"\nc\n\"\"\")\n# c\nx", "xxxxxcx"},
		{"empty texts and doubled quotes", "a = ''''''\nb = replace(c, '''', 'x')\n# c\nx", "xxcx"},
		{"lifetimes and apostrophes", "fn a<'b>(c: &'b str) { d('\"') }\n// c\nlet e = r#\"\"\"\"#;\n// c\nx", "xcxcx"},
		{"a raw string of C#", "a = $$\"\"\"\"\n /* \"\"\"\n // b\n\n \"\"\"\";\n// c\nx\nb = \"\"\"\"\"\n\"\"\"\"\n//\n\"\"\"\"\";", "xxxcxcxxxxx"},
		{"a text that is a quote", "a = \"\"\"\"\n// c\nx", "xcx"},
		{"documentation of Sphinx", "#: a\nx = 1\n#:b", "cxx"},
		{"a text of a decorator", "@cases([\"\"\"\n  b\n\"\"\"])\n# c\nx", "xxxcx"},
		{"documentation of Elixir", "  @doc \"\"\"\n  b\n  \"\"\"\n  x", "xccx"},
		{"a line that no person would write", strings.Repeat("a", 4<<20) + strings.Repeat("\"", 4<<20+3) + "\n# c\nx", "xcx"},
		{"what only looks like it", "--i;\n=cut\n*p = 1\n#if x", "xxxx"},
	} {
		got := ""
		for _, comment := range text.CommentLines(strings.Split(c.code, "\n")) {
			if comment {
				got += "c"
			} else {
				got += "x"
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
