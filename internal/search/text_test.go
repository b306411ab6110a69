package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"codeintel/internal/audit/shown"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// write makes a tree of files.
func write(t testing.TB, dir string, tree map[string]string) {
	t.Helper()
	for name, text := range tree {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// textEngine opens a tree without an index: text and file search need none.
func textEngine(t testing.TB, tree map[string]string) *Engine {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, tree)
	p, err := project.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return New(p, nil)
}

func encoded(t *testing.T, s string, enc func(string) (string, error)) string {
	t.Helper()
	out, err := enc(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTextReadsEveryEncoding(t *testing.T) {
	const line = "first\n// 検索する関数 findNeedle\n"
	e := textEngine(t, map[string]string{
		"utf8.go":    line,
		"bom.go":     "\uFEFF" + line,
		"crlf.go":    strings.ReplaceAll(line, "\n", "\r\n"),
		"sjis.c":     encoded(t, line, japanese.ShiftJIS.NewEncoder().String),
		"euc.c":      encoded(t, line, japanese.EUCJP.NewEncoder().String),
		"jis.txt":    encoded(t, line, japanese.ISO2022JP.NewEncoder().String),
		"utf16.cs":   encoded(t, line, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String),
		"data.bin":   "\x00\x01findNeedle\x00",
		"image.png":  "\x89PNG findNeedle",
		"nothing.go": "package nothing\n",
	})
	for _, pattern := range []string{"findNeedle", "検索する", "関数 find[A-Z]"} {
		a, err := e.Text(context.Background(), TextQuery{Pattern: OneOrMore{pattern}, Regex: strings.Contains(pattern, "[")})
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, m := range a.Matches {
			files = append(files, m.File)
			if m.Line != 2 || m.Content != "// 検索する関数 findNeedle" {
				t.Errorf("%s: %s:%d %q", pattern, m.File, m.Line, m.Content)
			}
		}
		want := []string{"bom.go", "crlf.go", "euc.c", "jis.txt", "sjis.c", "utf16.cs", "utf8.go"}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
		if !strings.Contains(strings.Join(msg.Texts(a.Notes), " "), "2 binary") {
			t.Errorf("%s: notes %q do not tell of the binary files", pattern, a.Notes)
		}
	}
}

func TestTextSeveralPatterns(t *testing.T) {
	e := textEngine(t, map[string]string{
		"a.go":          "alpha beta\nbeta\ngamma\n",
		"a_test.go":     "alpha\n",
		"src/b.py":      "Alpha\nalpha.beta\n",
		"vendor/x/v.go": "package v\n// alpha\n",
	})
	a, err := e.Text(context.Background(), TextQuery{Pattern: OneOrMore{"alpha", "beta", "delta"}, Context: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []TextMatch{
		{File: "a.go", Line: 1, Column: 1, Content: "alpha beta", After: []string{"beta"}, Patterns: []int{1, 2}},
		{File: "a.go", Line: 2, Column: 1, Content: "beta", Before: []string{"alpha beta"}, After: []string{"gamma"}, Patterns: []int{2}},
		{File: "src/b.py", Line: 2, Column: 1, Content: "alpha.beta", Before: []string{"Alpha"}, Patterns: []int{1, 2}},
		{File: "a_test.go", Line: 1, Column: 1, Content: "alpha", Patterns: []int{1}},
		{File: "vendor/x/v.go", Line: 2, Column: 4, Content: "// alpha", Before: []string{"package v"}, Patterns: []int{1}},
	}
	if diff := cmp.Diff(want, a.Matches); diff != "" {
		t.Errorf("matches (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]PatternCount{{"alpha", 4, 4}, {"beta", 3, 2}, {"delta", 0, 0}}, a.Patterns); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	facts := shown.Facts{
		Lines:    []shown.Lines{{File: "a.go", Start: 1, End: 3}, {File: "src/b.py", Start: 1, End: 2}, {File: "a_test.go", Start: 1, End: 1}, {File: "vendor/x/v.go", Start: 1, End: 2}},
		Patterns: []string{"alpha", "beta"},
		Asked:    []string{"alpha", "beta", "delta"},
	}
	if diff := cmp.Diff(facts, a.Observed()); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

func TestTextFilters(t *testing.T) {
	e := textEngine(t, map[string]string{
		"a.go": "x needle\n", "b.ts": "needle\n", "c.tsx": "needle\n", "web/d.js": "needle\n", "web/deep/e.css": "needle\n",
		".gitignore": "out/\n", "out/f.go": "needle\n", "odd.zzz": "needle\n", "Makefile": "needle\n",
	})
	for _, tt := range []struct {
		q    TextQuery
		want string
	}{
		{TextQuery{}, "Makefile a.go b.ts c.tsx odd.zzz web/d.js web/deep/e.css"},
		{TextQuery{FileType: "ts"}, "b.ts c.tsx"},
		{TextQuery{FileType: ".zzz"}, "odd.zzz"},
		{TextQuery{FileType: "Go"}, "a.go"},
		{TextQuery{Where: Where{Path: "web"}}, "web/d.js web/deep/e.css"},
		{TextQuery{Where: Where{Path: "web/deep/e.css"}}, "web/deep/e.css"},
		{TextQuery{Where: Where{Globs: OneOrMore{"*.{js,css}"}}}, "web/d.js web/deep/e.css"},
		{TextQuery{Where: Where{Globs: OneOrMore{"web/*"}}}, "web/d.js"},
		{TextQuery{Where: Where{Globs: OneOrMore{"web"}}}, "web/d.js web/deep/e.css"},
		{TextQuery{Where: Where{Globs: OneOrMore{"!web/**", "!*.go"}}}, "Makefile b.ts c.tsx odd.zzz"},
	} {
		tt.q.Pattern = OneOrMore{"needle"}
		a, err := e.Text(context.Background(), tt.q)
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, m := range a.Matches {
			files = append(files, m.File)
		}
		if got := strings.Join(files, " "); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.q, got, tt.want)
		}
	}
}

func TestTextRefuses(t *testing.T) {
	e := textEngine(t, map[string]string{"src/server.go": "x\n", "src/a.py": "y\n", ".gitignore": "out\n", "out/x.go": "z\n"})
	for _, tt := range []struct {
		q    TextQuery
		code problem.Code
		say  string
	}{
		{TextQuery{}, problem.InvalidArgument, "pattern is missing"},
		{TextQuery{Pattern: OneOrMore{""}}, problem.InvalidArgument, "empty"},
		{TextQuery{Pattern: OneOrMore{"1", "2", "3", "4", "5", "6"}}, problem.InvalidArgument, "at most 5"},
		{TextQuery{Pattern: OneOrMore{"a\x00b"}}, problem.InvalidArgument, "NUL"},
		{TextQuery{Pattern: OneOrMore{"x"}, Case: "upper"}, problem.InvalidArgument, "sensitive"},
		{TextQuery{Pattern: OneOrMore{"x"}, Context: 21}, problem.InvalidArgument, "between 0 and 20"},
		{TextQuery{Pattern: OneOrMore{"x"}, Page: Page{Limit: -1}}, problem.InvalidArgument, "limit is -1"},
		{TextQuery{Pattern: OneOrMore{"x"}, FileType: "pyhton"}, problem.InvalidArgument, `"file_type": "python"`},
		{TextQuery{Pattern: OneOrMore{"x"}, Where: Where{Globs: OneOrMore{"[a"}}}, problem.InvalidArgument, "not a glob"},
		{TextQuery{Pattern: OneOrMore{"x"}, Where: Where{Path: "../x"}}, problem.OutsideRoot, ""},
		{TextQuery{Pattern: OneOrMore{"x"}, Where: Where{Path: "src/sever.go"}}, problem.NotFound, `"src/server.go"`},
		{TextQuery{Pattern: OneOrMore{"x"}, Where: Where{Path: "lib/server.go"}}, problem.NotFound, `"src/server.go"`},
		{TextQuery{Pattern: OneOrMore{"x"}, Where: Where{Path: "out/x.go"}}, problem.NotFound, "ignored"},
		{TextQuery{Pattern: OneOrMore{"x"}, Page: Page{Cursor: "zzz"}}, InvalidCursor, "cursor"},
	} {
		_, err := e.Text(context.Background(), tt.q)
		p := problem.Of(err)
		if p == nil {
			t.Errorf("%+v: %v, want a Problem", tt.q, err)
			continue
		}
		if p.Code != tt.code || !strings.Contains(p.Error(), tt.say) || len(p.Next) == 0 {
			t.Errorf("%+v: %v, want %s saying %q with a next step", tt.q, p, tt.code, tt.say)
		}
	}
}

// TestTextPages walks through a long answer and sees every line once, though
// the tree changes between two pages.
func TestTextPages(t *testing.T) {
	tree := map[string]string{}
	for i := range 7 {
		tree[fmt.Sprintf("d/f%d.go", i)] = strings.Repeat("needle here\nother\n", 9)
	}
	e := textEngine(t, tree)
	q := TextQuery{Pattern: OneOrMore{"needle"}, Page: Page{Limit: 10}}
	seen := map[string]bool{}
	for page := 0; ; page++ {
		a, err := e.Text(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range a.Matches {
			if key := fmt.Sprintf("%s:%d", m.File, m.Line); seen[key] {
				t.Errorf("page %d: %s again", page, key)
			} else {
				seen[key] = true
			}
		}
		if page == 2 {
			write(t, e.p.Root, map[string]string{"a/new.go": "needle\n"})
		}
		if a.NextCursor == "" {
			break
		}
		if page > 20 {
			t.Fatal("no end")
		}
		q.Cursor, q.Limit = a.NextCursor, 5+page
	}
	if len(seen) != 63 {
		t.Errorf("%d lines seen, want 63", len(seen))
	}
	q.Pattern = OneOrMore{"other"}
	if _, err := e.Text(context.Background(), q); q.Cursor != "" && problem.Of(err) == nil {
		t.Errorf("a cursor of another question: %v, want a Problem", err)
	}
}

func TestTextStaysSmall(t *testing.T) {
	long := strings.Repeat("x", 5000) + "needle" + strings.Repeat("日本", 4000)
	e := textEngine(t, map[string]string{"long.js": strings.Repeat(long+"\n", 100), "one.go": strings.Repeat("some needle text\n", 3000)})
	for _, tokens := range []int{0, 500, 12500} {
		a, err := e.Text(context.Background(), TextQuery{Pattern: OneOrMore{"needle"}, Context: 2, Page: Page{Limit: 1000, MaxTokens: tokens}})
		if err != nil {
			t.Fatal(err)
		}
		limit := 4 * tokens
		if tokens == 0 {
			limit = 32000
		}
		if n := Size(a); n > limit {
			t.Errorf("max_tokens %d: %d characters", tokens, n)
		}
		if n := len([]rune(a.Text())); n > limit {
			t.Errorf("max_tokens %d: text form has %d characters", tokens, n)
		}
		if a.Shown == 0 || a.Total != 3100 || a.NextCursor == "" {
			t.Errorf("max_tokens %d: %+v", tokens, a.Coverage)
		}
		for _, m := range a.Matches {
			if !strings.Contains(m.Content, "needle") {
				t.Fatalf("the match is cut away: %q", m.Content)
			}
		}
	}
}

func TestTextForm(t *testing.T) {
	e := textEngine(t, map[string]string{"a.go": "one\ntwo needle\nthree\n", "b.go": "needle\n"})
	a, err := e.Text(context.Background(), TextQuery{Pattern: OneOrMore{"needle"}, Context: 1})
	if err != nil {
		t.Fatal(err)
	}
	const want = `2 matches in 2 files
a.go
  1- one
  2: two needle
  3- three
b.go
  1: needle
`
	if diff := cmp.Diff(want, a.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func BenchmarkTextGoroot(b *testing.B) {
	root := os.Getenv("CODEINTEL_BENCH_ROOT")
	if root == "" {
		b.Skip("CODEINTEL_BENCH_ROOT names a tree to search")
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		b.Fatal(err)
	}
	e := New(p, nil)
	for _, q := range []TextQuery{
		{Pattern: OneOrMore{"NewReader"}},
		{Pattern: OneOrMore{"newreader"}, Case: Insensitive},
		{Pattern: OneOrMore{`func\s+\(\w+\s+\*?Conn\)`}, Regex: true},
		{Pattern: OneOrMore{`return [a-z]+, nil$`}, Regex: true},
		{Pattern: OneOrMore{"NewReader", "NewWriter", "Conn", "errors.New", "xyzzy"}},
	} {
		b.Run(strings.Join(q.Pattern, ","), func(b *testing.B) {
			for b.Loop() {
				a, err := e.Text(context.Background(), q)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(a.Total), "lines")
			}
		})
	}
}

// TestSecretsNamed names the files that were not searched because they are secret, by
// their names or by what is in them.
func TestSecretsNamed(t *testing.T) {
	e := open(t, map[string]string{
		"a.go": "package a // token\n", ".env": "TOKEN=token\n",
		"deploy/key.txt": "-----BEGIN RSA PRIVATE KEY-----\ntoken\n-----END RSA PRIVATE KEY-----\n",
	})
	a, err := e.Text(t.Context(), TextQuery{Pattern: OneOrMore{"token"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "2 secret (.env, deploy/key.txt)"; !strings.Contains(a.Text(), want) {
		t.Errorf("want %q in\n%s", want, a.Text())
	}
}
