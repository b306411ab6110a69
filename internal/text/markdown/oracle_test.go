package markdown

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// TestDocuments holds the headings, and what is code, of all Markdown files of the
// repository against goldmark.
func TestDocuments(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		if diff := agree(string(data)); diff != "" {
			t.Errorf("%s (-goldmark +ours):\n%s", path, diff)
		}
		return nil
	})
	if err != nil || n < 20 {
		t.Fatalf("%d documents: %v", n, err)
	}
}

// blocks are pieces of documents as people write them. Where goldmark and this
// reader differ on purpose, TestRead says so.
var blocks = []string{
	"# Title\n", "## Two ##\n", "### `code` and *more*\n", "#no heading\n", "####### no heading\n",
	"A paragraph\nof two lines.\n", "    indented code\n    # no heading\n",
	"```go\n# no heading\n- no item\n```\n", "~~~\n# no heading\n```\n~~~\n", "````\n```\n# no heading\n```\n````\n",
	"- one\n- two\n  - three\n", "1. one\n2. two\n\n   more of two\n", "* item\n\n  ```\n  # no heading\n  ```\n",
	"> quoted\n> # no heading\n", "<!-- a comment\n# no heading\n-->\n", "| a | b |\n|---|---|\n| c | d |\n", "---\n", "***\n",
	"# 見出し\n", "- 項目\n",
}

// TestAgrees checks made-up documents against goldmark.
func TestAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "blocks") {
			b.WriteString(rapid.SampledFrom(blocks).Draw(t, "block"))
			b.WriteString("\n")
		}
		if diff := agree(b.String()); diff != "" {
			t.Fatalf("%q (-goldmark +ours):\n%s", b.String(), diff)
		}
	})
}

// agree returns how the headings that this reader sees, and the lines of code that
// it should not see, differ from goldmark's.
func agree(source string) string {
	var want, got []string
	code, html := make(map[int]bool), make(map[int]bool)
	src := []byte(source)
	number := func(offset int) int { return bytes.Count(src[:offset], []byte("\n")) + 1 }
	root := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Blockquote:
			return ast.WalkSkipChildren, nil
		case *ast.Heading:
			if n.Lines().Len() > 0 {
				line := n.Lines().At(0)
				if before := src[bytes.LastIndexByte(src[:line.Start], '\n')+1 : line.Start]; bytes.Contains(before, []byte("#")) {
					want = append(want, fmt.Sprintf("%d %d", number(line.Start), n.Level))
				}
			}
		case *ast.HTMLBlock: // this reader shows the lines in it, as TestRead says
			for i := range n.Lines().Len() {
				html[number(n.Lines().At(i).Start)] = true
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				code[number(n.Lines().At(i).Start)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	for _, l := range Read(source) {
		if l.Level > 0 && l.Text != "" && !html[l.Number] {
			got = append(got, fmt.Sprintf("%d %d", l.Number, l.Level))
		}
		if code[l.Number] {
			got = append(got, fmt.Sprintf("%d is code", l.Number))
		}
	}
	return cmp.Diff(want, got)
}

// FuzzRead holds what is true of the lines of any text.
func FuzzRead(f *testing.F) {
	for _, b := range blocks {
		f.Add(b + b)
	}
	f.Fuzz(func(t *testing.T, source string) {
		raw, last := RawLines(source), 0
		for _, l := range Read(source) {
			if l.Number <= last || l.Number > len(raw) || l.Text == "" && l.Level == 0 || l.Level > 6 || l.Depth < 0 {
				t.Errorf("%q: %+v after line %d", source, l, last)
			}
			last = l.Number
			for _, s := range CodeSpans(l.Text) {
				if l.Text[s.Start] != '`' || l.Text[s.End-1] != '`' {
					t.Errorf("%q: code span %+v", l.Text, s)
				}
			}
		}
	})
}
