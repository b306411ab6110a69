package synonyms

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/text/terms"
)

func related(text string) map[string]float64 {
	got := make(map[string]float64)
	translated, _ := Translate(text)
	for _, t := range Related(translated, terms.Query(text)) {
		got[t.Text] = t.Weight
	}
	return got
}

func TestRelated(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []string // as words, not stems
	}{
		{"設定ファイルを読み込む", []string{"config", "load", "read"}},
		{"ユーザーを削除する", []string{"user", "delete", "remove"}},
		{"パスワードのハッシュ", []string{"password", "hash"}},
		{"正規表現で置換する", []string{"regex", "replace"}},
		{"タイムアウト", []string{"timeout"}},
		{"レート制限とミドルウェア", []string{"limiter", "middleware"}},
	} {
		got := related(c.question)
		for _, w := range c.want {
			if got[terms.Stem(w)] == 0 {
				t.Errorf("%s: no %q in %v", c.question, w, got)
			}
		}
	}
	if got := related("delete the user"); got["delet"] != 0 || got["us"] != 0 {
		t.Errorf("a term of the question is among the related: %v", got)
	}
	if got := Related(nil, nil); len(got) != 0 {
		t.Errorf("nothing relates to %v", got)
	}
}

func TestLongestKeyWins(t *testing.T) {
	got, rest := Translate("x ファイル名ぺ")
	if len(got) != 1 || !slices.Contains(got[0], terms.Stem("filename")) || rest != "x  ぺ" {
		t.Errorf("x ファイル名ぺ gives %v, %q", got, rest)
	}
}

// A short word is none within a longer one of katakana; words that follow one another are.
func TestWithinWords(t *testing.T) {
	for text, want := range map[string]string{
		"デスポート":   "",
		"ポートの設定":  "port",
		"画面ポート":   "port",
		"フォームボタン": "form button",
		"ホゲファイル":  "file",
		"それは動かない": "",
	} {
		got := first(text)
		for _, w := range strings.Fields(want) {
			if !slices.Contains(got, terms.Stem(w)) {
				t.Errorf("%s gives %q, want %q", text, got, want)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%s gives %q", text, got)
		}
	}
}

func first(text string) (all []string) {
	words, _ := Translate(text)
	for _, w := range words {
		all = append(all, w[0])
	}
	return all
}

// TestTables holds that every key is found, which needs the lines in order.
func TestTables(t *testing.T) {
	for name, table := range map[string]string{"identifiers": identifiers, "japanese": japanese} {
		for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
			key, rest, _ := strings.Cut(line, " ")
			if row, ok := find(table, key); !ok || row != rest || rest == "" {
				t.Fatalf("%s.txt:%d: %q is not found", name, i+1, key)
			}
			if name == "japanese" && len([]rune(key)) > longestKey {
				t.Errorf("%s.txt:%d: %q is longer than %d", name, i+1, key, longestKey)
			}
		}
		if _, ok := find(table, "\x00"); ok {
			t.Errorf("%s: found what is not there", name)
		}
		if _, ok := find(table, "\U0010ffff"); ok {
			t.Errorf("%s: found what is not there", name)
		}
	}
}
