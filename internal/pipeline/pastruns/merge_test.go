package pastruns

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"codeintel/internal/text"
)

// line draws texts of up to n characters that are often near each other: few letters,
// in several scripts.
func line(n int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aaab eé日本")), 0, n, -1)
}

// edited draws a text and one that a few edits made of it.
func edited(t *rapid.T) (a, b string) {
	from := []rune(line(text.MaxCompared).Draw(t, "a"))
	to := slices.Clone(from)
	for range rapid.IntRange(0, 80).Draw(t, "edits") {
		at := rapid.IntRange(0, len(to)).Draw(t, "at")
		switch {
		case at == len(to) || len(to) < text.MaxCompared && rapid.Bool().Draw(t, "insert"):
			to = slices.Insert(to, at, 'b')
		default:
			to = slices.Delete(to, at, at+1)
		}
	}
	return string(from), string(to[:min(len(to), text.MaxCompared)])
}

// TestAlike checks what is told apart without measuring against the definition: less
// than 0.30 of the longer one.
func TestAlike(t *testing.T) {
	near := 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := edited(t)
		f, g := newForm(a), newForm(b)
		longer := max(f.length, g.length)
		want := float64(levenshtein.ComputeDistance(f.text, g.text)) < alikeBelow*float64(longer)
		if f.text == g.text {
			return // merge knows those
		}
		if one, other := f.isSimilar(g, text.NewPattern(g.text)), g.isSimilar(f, text.NewPattern(f.text)); one != want || other != want {
			t.Fatalf("%q and %q: alike %v, the other way round %v, want %v", f.text, g.text, one, other, want)
		}
		if want {
			near++
		}
	})
	if near == 0 {
		t.Error("no two texts were alike")
	}
}

func mentionsOf(texts ...string) (all []mention) {
	for i, text := range texts {
		bucket, text, ok := strings.Cut(text, "|")
		if !ok {
			bucket, text = "", bucket
		}
		all = append(all, mention{bucket: bucket, text: text, form: newForm(text), from: i})
	}
	return all
}

func textsOf(groups [][]mention) (all [][]string) {
	for _, g := range groups {
		var texts []string
		for _, m := range g {
			texts = append(texts, m.bucket+"|"+m.text)
		}
		slices.Sort(texts)
		all = append(all, texts)
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  int // groups
	}{
		{"none", nil, 0},
		{"the same", []string{"The error is ignored", "the error is ignored."}, 1},
		{"other names", []string{"The error of `f.Close` in a/b.go:12 is ignored", "The error of `resp.Body.Close` in internal/auth/token.go:88-90 is ignored"}, 1},
		{"other numbers", []string{"30 callers are not updated", "4 callers are not updated"}, 1},
		{"other words", []string{"The error is ignored", "The name is misleading"}, 2},
		{"almost", []string{"No test covers the retry after a timeout", "No test covers a retry after the timeout"}, 1},
		{"Japanese", []string{"`login.go` のエラーが握りつぶされている", "`token.go` のエラーが握りつぶされています"}, 1},
		{"Japanese, another matter", []string{"エラーが握りつぶされている", "テストが不足している"}, 2},
		{"half and full width", []string{"ＡＰＩのエラー処理がない", "APIのエラー処理がない"}, 1},
		{"other buckets", []string{"a|The error is ignored", "b|The error is ignored"}, 2},
		{"through one between", []string{"aaaaaaaaaa", "aaaaaaaabb", "aaaaaabbbb"}, 1},
		{"names alone", []string{"`parseConfig`", "`loadUser`"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := merge(mentionsOf(tt.texts...)); len(got) != tt.want {
				t.Errorf("%d groups, want %d: %q", len(got), tt.want, textsOf(got))
			}
		})
	}
}

// The groups are the same in whatever order the mentions come, in the same order.
func TestMergeKnowsNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"a|", "b|"}).Draw(t, "bucket") + line(20).Draw(t, "text")
		}), 0, 12).Draw(t, "texts")
		mentions := mentionsOf(texts...)
		groups := merge(slices.Clone(mentions))
		want := textsOf(groups)
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(mentions), func(i, j int) { mentions[i], mentions[j] = mentions[j], mentions[i] })
		again := merge(mentions)
		if diff := cmp.Diff(want, textsOf(again)); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
		for i := range groups {
			if groups[i][0].text != again[i][0].text {
				t.Fatalf("group %d begins with %q, then with %q", i, groups[i][0].text, again[i][0].text)
			}
		}
		// Each mention is in one group, and no two groups hold texts that are alike.
		n := 0
		for i, g := range groups {
			n += len(g)
			for _, h := range groups[i+1:] {
				for _, a := range g {
					for _, b := range h {
						if a.bucket == b.bucket && a.form.isSimilar(b.form, text.NewPattern(b.form.text)) {
							t.Fatalf("%q and %q are alike, but in two groups", a.text, b.text)
						}
					}
				}
			}
		}
		if n != len(texts) {
			t.Fatalf("%d mentions became %d", len(texts), n)
		}
	})
}

func TestForm(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"The error of `f.Close` in a/b.go:12 is ignored!", "the error of § in § is ignored"},
		{"**Naming**: use_snake_case, not 12 ways", "naming use snake case not 0 ways"},
		{"Look at internal/auth/token.go:88-90 and web/src", "look at § and §"},
		{"`login.go` のエラーが握りつぶされている。", "§ のエラーが握りつぶされている"},
		{"ＡＰＩ　のテスト", "api のテスト"},
		{"`a` and `b`", "a and b"},
		{strings.Repeat("長", 1000), strings.Repeat("長", text.MaxCompared)},
	} {
		if got := newForm(tt.text); got.text != tt.want || got.length != utf8.RuneCountInString(tt.want) {
			t.Errorf("newForm(%q) = %q of %d, want %q", tt.text, got.text, got.length, tt.want)
		}
	}
}

func TestCategoryOf(t *testing.T) {
	if len(subjects) > 16 {
		t.Fatal("there are more subjects than categoryOf counts")
	}
	for _, tt := range []struct {
		text string
		want Category
	}{
		{"The password is written to the log in plaintext", Security},
		{"パスワードが平文でログに出力される", Security},
		{"The mutex is held while the request is sent", Concurrency},
		{"ロックの範囲が広く、並行に処理できない", Concurrency},
		{"No test covers the empty list", Tests},
		{"ログイン失敗時のテストがない", Tests},
		{"The returned error is swallowed", Errors},
		{"エラーが握りつぶされている", Errors},
		{"The loop allocates for every row, which is slow", Performance},
		{"Renaming the column needs a migration; old versions break", Compatibility},
		{"The README does not mention the flag, nor does a comment", Documentation},
		{"関数の命名が規約と異なる", Naming},
		{"The logic is duplicated in two modules", Structure},
		{"Off by one at the boundary", Correctness},
		{"境界値の考慮が漏れている", Correctness},
		{"No test covers the error path", Tests},
		{"An important point: the block performs two steps", Other},
		{"重要なブロックです", Other},
		{"`errTest` looks odd", Other},
		{"I would do it another way", Other},
		{"", Other},
	} {
		if got := categoryOf(tt.text); got != tt.want {
			t.Errorf("categoryOf(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}
