package search

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"codeintel/internal/index"
	"codeintel/internal/project"
)

// words make texts that have much in common, so that filters are put to the test.
var textWords = []string{"func", "Reader", "reader", "READER", "disk", "di\u017Fk", "\u212Aey", "key", "検索", "する", "関数", "ｱ", "x", "(", ".", "  ", "Straße"}

func randomLine(r *rand.Rand, words []string) string {
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(words[r.IntN(len(words))])
		if r.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// TestTextMissesNothing asks an indexed project random questions, while files
// change, and checks the answers against matching every line of every file.
func TestTextMissesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	p, err := project.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	age := time.Now().Add(-time.Hour)
	lines := make(map[string][]string) // of each file, as it reads in UTF-8
	put := func(name string) {
		// Encodings that cannot write all letters get only those they can.
		var enc encoding.Encoding
		words := textWords
		switch r.IntN(6) {
		case 0:
			enc, words = japanese.ShiftJIS, textWords[8:15]
		case 1:
			enc, words = japanese.EUCJP, textWords[8:15]
		case 2:
			enc = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
		}
		list := []string{"// 検索する関数を検索する。設定を読み、値を返す。", "// 関数 disk key reader"} // enough to tell the encoding by
		for range r.IntN(20) {
			list = append(list, randomLine(r, words))
		}
		text := strings.Join(list, "\n") + "\n"
		if r.IntN(4) == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if enc != nil {
			if text, err = enc.NewEncoder().String(text); err != nil {
				t.Fatal(err)
			}
		}
		write(t, dir, map[string]string{name: text})
		// A file just written is always read, whatever a filter says; these are old.
		age = age.Add(time.Second)
		if err := os.Chtimes(filepath.Join(dir, name), age, age); err != nil {
			t.Fatal(err)
		}
		lines[name] = list
	}
	for i := range 200 {
		put(fmt.Sprintf("d%d/f%d.txt", i%9, i))
	}
	ctx := context.Background()
	x, err := index.Open(ctx, p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Sync(ctx, index.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	x.Watch()
	e := New(p, x)
	for round := range 150 {
		switch r.IntN(3) {
		case 0:
			put(fmt.Sprintf("d%d/f%d.txt", r.IntN(9), r.IntN(250)))
		case 1:
			name := fmt.Sprintf("d%d/f%d.txt", r.IntN(9), r.IntN(250))
			os.Remove(filepath.Join(dir, name))
			delete(lines, name)
		}
		if r.IntN(4) == 0 {
			if err := x.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
		}
		q, match := randomQuestion(r)
		a, err := e.Text(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]int)
		for {
			for _, m := range a.Matches {
				got[m.File]++
			}
			if a.NextCursor == "" {
				break
			}
			next := q
			next.Cursor = a.NextCursor
			if a, err = e.Text(ctx, next); err != nil {
				t.Fatal(err)
			}
		}
		want, total := make(map[string]int), 0
		for name, list := range lines {
			for _, line := range list {
				if match(line) {
					want[name]++
					total++
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d: %+v (-every line +answer):\n%s", round, q, diff)
		}
		if a.Total != total || a.Files != len(want) || a.Searched != len(lines) {
			t.Errorf("round %d: %d of %d lines, %d of %d files, %d of %d searched", round, a.Total, total, a.Files, len(want), a.Searched, len(lines))
		}
	}
}

// randomQuestion returns a question and the naive way to answer it for a line.
func randomQuestion(r *rand.Rand) (TextQuery, func(line string) bool) {
	word := func() string { return textWords[r.IntN(len(textWords))] }
	literal := word() + []string{"", " ", word()}[r.IntN(3)]
	switch r.IntN(4) {
	case 0:
		return TextQuery{Pattern: OneOrMore{literal}, Page: Page{Limit: 200}}, func(line string) bool { return strings.Contains(line, literal) }
	case 1:
		a, b := literal, word()
		q := TextQuery{Pattern: OneOrMore{a, b}, Page: Page{Limit: 200}}
		return q, func(line string) bool { return strings.Contains(line, a) || strings.Contains(line, b) }
	case 2:
		q := TextQuery{Pattern: OneOrMore{literal}, Case: Insensitive, Page: Page{Limit: 200}}
		lower := func(s string) string {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					return r + 'a' - 'A'
				}
				return r
			}, s)
		}
		if slices.ContainsFunc([]rune(literal), func(r rune) bool { return r >= 0x80 }) {
			re := regexp.MustCompile("(?i:" + regexp.QuoteMeta(literal) + ")")
			return q, re.MatchString
		}
		return q, func(line string) bool { return strings.Contains(lower(line), lower(literal)) }
	}
	quoted := func() string { return regexp.QuoteMeta(word()) }
	source := []string{
		quoted() + ".*" + quoted(),
		"(?i)" + quoted() + quoted(),
		quoted() + "|" + quoted() + quoted(),
		quoted() + "(" + quoted() + ")?" + quoted(),
		"^" + quoted(),
		quoted() + "+$",
		`\b` + quoted() + `[ \pL]+`,
	}[r.IntN(7)]
	return TextQuery{Pattern: OneOrMore{source}, Regex: true, Page: Page{Limit: 200}}, regexp.MustCompile(source).MatchString
}
