package search

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
func lineNumbers(t *testing.T, text, pattern string, form patternForm) []int {
	t.Helper()
	m, err := newMatcher("pattern", pattern, form)
	if err != nil {
		t.Fatalf("newMatcher(%q): %v", pattern, err)
	}
	b := []byte(text)
	if !m.exact {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	var lines []int
	eachLine(b, []*matcher{m}, 0, newWork(), func(h lineHit) bool {
		lines = append(lines, bytes.Count(b[:h.lo], []byte("\n"))+1)
		return true
	})
	if n := int(countLines(b, []*matcher{m}, newWork()).lines); n != len(lines) {
		t.Errorf("countLines(%q) = %d, eachLine found %d", pattern, n, len(lines))
	}
	return lines
}

func TestMatcher(t *testing.T) {
	const text = "alpha beta\nAlpha\r\nalphabet\n\nx := foo(bar)\nfoo bar_\n日本語の alpha\nend"
	for _, tt := range []struct {
		pattern string
		form    patternForm
		want    []int
	}{
		{"alpha", patternForm{}, []int{1, 3, 7}},
		{"alpha", patternForm{fold: true}, []int{1, 2, 3, 7}},
		{"ALPHA", patternForm{fold: true}, []int{1, 2, 3, 7}},
		{"alpha", patternForm{word: true}, []int{1, 7}},
		{"alpha", patternForm{word: true, fold: true}, []int{1, 2, 7}},
		{"foo(bar)", patternForm{}, []int{5}},
		{"foo(bar)", patternForm{regex: true}, nil},
		{`foo.bar`, patternForm{regex: true}, []int{5, 6}},
		{`foo.bar`, patternForm{regex: true, word: true}, []int{5}},
		{`^alpha$`, patternForm{regex: true, fold: true}, []int{2}},
		{`\Aalpha\z`, patternForm{regex: true, fold: true}, []int{2}},
		{`^$`, patternForm{regex: true}, []int{4}},
		{`end$`, patternForm{regex: true}, []int{8}},
		{`$`, patternForm{regex: true}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{`(?s)alpha.*foo`, patternForm{regex: true}, nil},
		{`[^a]+`, patternForm{regex: true}, []int{1, 2, 3, 5, 6, 7, 8}},
		{`\s`, patternForm{regex: true}, []int{1, 5, 6, 7}},
		{`alpha|foo`, patternForm{regex: true}, []int{1, 3, 5, 6, 7}},
		{`al|alphabet`, patternForm{regex: true, word: true}, []int{3}},
		{`日本`, patternForm{}, []int{7}},
		{`日本`, patternForm{fold: true}, []int{7}},
		{`日本`, patternForm{word: true}, nil},
		{`(foo|bar){2,}`, patternForm{regex: true}, nil},
		{`x*`, patternForm{regex: true}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		if diff := cmp.Diff(tt.want, lineNumbers(t, text, tt.pattern, tt.form)); diff != "" {
			t.Errorf("%q %+v (-want +got):\n%s", tt.pattern, tt.form, diff)
		}
	}
}

// TestMatcherAgrees holds the matcher against the plainest thing that could
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
		if diff := cmp.Diff(want, lineNumbers(t, text.String(), p, patternForm{regex: true})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", p, diff)
		}
	}
}

func TestMatcherRefuses(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		form    patternForm
		say     string
	}{
		{`foo(`, patternForm{regex: true}, "missing closing )"},
		{`ab[c`, patternForm{regex: true}, "at character 3"},
		{`(?<=x)y`, patternForm{regex: true}, "invalid"},
		{`日本*+a**`, patternForm{regex: true}, "at character"},
		{"two\nlines", patternForm{}, "line break"},
		{`two\nlines`, patternForm{regex: true}, "line break"},
		{`a{5000}`, patternForm{regex: true}, "repeat"},
		{strings.Repeat(`[ab]{900}.`, 6), patternForm{regex: true}, "steps"},
	} {
		_, err := newMatcher("pattern 2 of 3", tt.pattern, tt.form)
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
		m, err := newMatcher("pattern", tt.pattern, patternForm{regex: true})
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
		m, err := newMatcher("pattern", pattern, patternForm{regex: regex, fold: fold, word: word})
		if err != nil {
			if problem.Of(err) == nil {
				t.Fatalf("not a Problem: %v", err)
			}
			return
		}
		b, last := []byte(text), -1
		eachLine(b, []*matcher{m}, 0, newWork(), func(h lineHit) bool {
			if h.lo <= last || h.start < h.lo || h.end > h.hi+1 || h.hi > len(b) {
				t.Fatalf("hit %+v after %d in %q", h, last, text)
			}
			last = h.hi
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
