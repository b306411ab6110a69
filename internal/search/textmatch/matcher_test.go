package textmatch

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codeintel/internal/problem"
)

// lineNumbers runs one pattern over a text as search_text does.
func lineNumbers(t *testing.T, text, pattern string, form Form) []int {
	t.Helper()
	m, err := New("pattern", pattern, form)
	if err != nil {
		t.Fatalf("newMatcher(%q): %v", pattern, err)
	}
	b := []byte(text)
	if !m.Exact {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	var lines []int
	EachLine(b, []*Matcher{m}, 0, NewWork(), func(h Hit) bool {
		lines = append(lines, bytes.Count(b[:h.Lo], []byte("\n"))+1)
		return true
	})
	if n := int(CountLines(b, []*Matcher{m}, NewWork()).Lines); n != len(lines) {
		t.Errorf("countLines(%q) = %d, eachLine found %d", pattern, n, len(lines))
	}
	return lines
}

func TestMatcher(t *testing.T) {
	const text = "alpha beta\nAlpha\r\nalphabet\n\nx := foo(bar)\nfoo bar_\n日本語の alpha\nend"
	for _, tt := range []struct {
		pattern string
		form    Form
		want    []int
	}{
		{"alpha", Form{}, []int{1, 3, 7}},
		{"alpha", Form{Fold: true}, []int{1, 2, 3, 7}},
		{"ALPHA", Form{Fold: true}, []int{1, 2, 3, 7}},
		{"alpha", Form{Word: true}, []int{1, 7}},
		{"alpha", Form{Word: true, Fold: true}, []int{1, 2, 7}},
		{"foo(bar)", Form{}, []int{5}},
		{"foo(bar)", Form{Regex: true}, nil},
		{`foo.bar`, Form{Regex: true}, []int{5, 6}},
		{`foo.bar`, Form{Regex: true, Word: true}, []int{5}},
		{`^alpha$`, Form{Regex: true, Fold: true}, []int{2}},
		{`\Aalpha\z`, Form{Regex: true, Fold: true}, []int{2}},
		{`^$`, Form{Regex: true}, []int{4}},
		{`end$`, Form{Regex: true}, []int{8}},
		{`$`, Form{Regex: true}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{`(?s)alpha.*foo`, Form{Regex: true}, nil},
		{`[^a]+`, Form{Regex: true}, []int{1, 2, 3, 5, 6, 7, 8}},
		{`\s`, Form{Regex: true}, []int{1, 5, 6, 7}},
		{`alpha|foo`, Form{Regex: true}, []int{1, 3, 5, 6, 7}},
		{`al|alphabet`, Form{Regex: true, Word: true}, []int{3}},
		{`日本`, Form{}, []int{7}},
		{`日本`, Form{Fold: true}, []int{7}},
		{`日本`, Form{Word: true}, nil},
		{`(foo|bar){2,}`, Form{Regex: true}, nil},
		{`x*`, Form{Regex: true}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		if diff := cmp.Diff(tt.want, lineNumbers(t, text, tt.pattern, tt.form)); diff != "" {
			t.Errorf("%q %+v (-want +got):\n%s", tt.pattern, tt.form, diff)
		}
	}
}

// TestMatcherAgrees checks the matcher against the plainest thing that could
// do its work: the expression on every line.
func TestMatcherAgrees(t *testing.T) {
	var text strings.Builder
	for i := range 1000 { // more than one stretch
		fmt.Fprintf(&text, "%sfunc (s *Server) Handle%d(err error) { return fmt.Errorf(\"x%d: %%w\", err) }\n", strings.Repeat("\t", i%3), i, i*7)
		if i%5 == 0 {
			text.WriteString("\n// ÄÖÜ straße Service\nerrors.New\n")
		}
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for _, p := range []string{
		`err(or)?s\.New`, `Handle\d+5\(`, `(?i)HANDLE7`, `\bfmt\b`, `Handle(1|2|3)\(`, `^\t\tfunc`, `[A-Z]{2,}`, `x\d{4}`, `}$`, `^$`, `\s*$`,
		`[^,]*`, `(|x)$`, `(foo|Errorf|New)`, `(?i:errorf)\(`, `stra.e`, `a+b`, `(s \*S|err e)`, `\p{Lu}`,
	} {
		re := regexp.MustCompile(p)
		var want []int
		for i, l := range lines {
			if re.MatchString(l) {
				want = append(want, i+1)
			}
		}
		if diff := cmp.Diff(want, lineNumbers(t, text.String(), p, Form{Regex: true})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", p, diff)
		}
	}
}

func TestMatcherRefuses(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		form    Form
		say     string
	}{
		{`foo(`, Form{Regex: true}, "missing closing )"},
		{`ab[c`, Form{Regex: true}, "at character 3"},
		{`(?<=x)y`, Form{Regex: true}, "invalid"},
		{`日本*+a**`, Form{Regex: true}, "at character"},
		{"two\nlines", Form{}, "line break"},
		{`two\nlines`, Form{Regex: true}, "line break"},
		{`a{5000}`, Form{Regex: true}, "repeat"},
		{strings.Repeat(`[ab]{900}.`, 6), Form{Regex: true}, "steps"},
	} {
		_, err := New("pattern 2 of 3", tt.pattern, tt.form)
		p := problem.Of(err)
		if p == nil || p.Code != problem.InvalidArgument {
			t.Errorf("%q: got %v, want a Problem", tt.pattern, err)
			continue
		}
		if !strings.Contains(p.Message.String(), tt.say) || !strings.Contains(p.Message.String(), "pattern 2 of 3") || len(p.Next) == 0 {
			t.Errorf("%q: message %q (next %q) does not say %q and where", tt.pattern, p.Message, p.Next, tt.say)
		}
	}
}

func TestNeedles(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{`func\s+\(\w+`, "func"},
		{`err(or)?s\.New\(`, "s.New("},
		{`(foo|barbaz)x`, "foo|barbaz"},
		{`a*b*`, ""},
		{`(?i)ErrNotFound`, "errnotfound"},
		{`(?i)straße`, ""},
		{`(abc)+d?`, "abc"},
		{`[a-z]{3}`, ""},
	} {
		m, err := New("pattern", tt.pattern, Form{Regex: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range m.needs {
			got = append(got, string(n.text))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: literals %q, want %q", tt.pattern, s, tt.want)
		}
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("alpha", "alpha\nbeta\r\n", false, false, false)
	f.Add(`^a.*b$`, "ab\nacb\n\n", true, true, true)
	f.Add(`(a|b)*\z`, "x\ny", true, false, true)
	f.Add("K", "\u212Aelvin k K", false, true, true)
	f.Add(`[^x]`, "\n\n", true, false, false)
	f.Fuzz(func(t *testing.T, pattern, text string, regex, fold, word bool) {
		if pattern == "" || len(pattern) > 60 || len(text) > 400 {
			return
		}
		m, err := New("pattern", pattern, Form{Regex: regex, Fold: fold, Word: word})
		if err != nil {
			if problem.Of(err) == nil {
				t.Fatalf("not a Problem: %v", err)
			}
			return
		}
		b, last := []byte(text), -1
		EachLine(b, []*Matcher{m}, 0, NewWork(), func(h Hit) bool {
			if h.Lo <= last || h.Start < h.Lo || h.End > h.Hi+1 || h.Hi > len(b) {
				t.Fatalf("hit %+v after %d in %q", h, last, text)
			}
			last = h.Hi
			return true
		})
	})
}

// A literal is found where the standard library finds it, be its bytes rare or not.
func TestNeedle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]byte("eeeeQx日"))
		text := rapid.SliceOfN(letters, 0, 300).Draw(t, "text")
		want := rapid.SliceOfN(letters, 1, 6).Draw(t, "needle")
		if len(text) > 20 && rapid.Bool().Draw(t, "inside") {
			want = text[len(text)-7:]
		}
		n := newLiteral(string(want), false)
		if got := n.index(text); got != bytes.Index(text, want) {
			t.Fatalf("%q in %q: %d, want %d", want, text, got, bytes.Index(text, want))
		}
	})
}
