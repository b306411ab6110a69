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
	for _, t := range Related(translated, nil, terms.Query(text)) {
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
	if got := Related(nil, nil, nil); len(got) != 0 {
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

// A noun of one character is none where endings make it a verb.
func TestVerbs(t *testing.T) {
	for text, want := range map[string]string{
		"行の折り返し":        "line",
		"行から":           "line",
		"次の行":           "line",
		"どこで行われますか":     "",
		"検証を行う":         "validate",
		"認証はどこで行っていますか": "auth",
		"分かりません":        "",
		"表す":            "",
		"表が空":           "table",
	} {
		got := first(text)
		if want != "" && !slices.Contains(got, terms.Stem(want)) {
			t.Errorf("%s gives %q, want %q", text, got, want)
		}
		for _, no := range []string{"line", "row", "minute"} {
			if !strings.Contains(text, "行の") && !strings.Contains(text, "次の行") && text != "行から" && slices.Contains(got, terms.Stem(no)) {
				t.Errorf("%s gives %q", text, got)
			}
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

// The longest saying is taken, whatever the endings of its words, and its words say nothing
// else; a word that says little means nothing.
func TestSayings(t *testing.T) {
	var got []string
	for _, s := range Phrases("Gives up, and already used RAM at the same time") {
		got = append(got, strings.Join(s.Words, " ")+": "+strings.Join(s.Means[:min(1, len(s.Means))], " "))
		if s.Empty() != (len(s.Words) > 1 || len(s.Means) == 0) {
			t.Errorf("%v says little: %v", s, s.Empty())
		}
	}
	want := []string{"giv up: abort", "alread: exist", "ram: memor", "at the sam tim: concurrent"}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("no %q in %q", w, got)
		}
	}
	if len(Phrases("")) != 0 || len(Phrases("LRUCache")) != 0 {
		t.Error("a saying where there is none")
	}
	for _, s := range Phrases("without ram") {
		if s.Words[0] == "without" && len(s.Terms(1)) != 0 {
			t.Errorf("%v means %v", s.Words, s.Terms(1))
		}
		if s.Words[0] == "ram" && (s.Terms(1)[0].Weight <= s.Terms(1)[1].Weight || s.Terms(.5)[0].Weight != s.Terms(1)[0].Weight/2) {
			t.Errorf("ram means %v, by half %v", s.Terms(1), s.Terms(.5))
		}
	}
}

// TestTables holds that every key is found, which needs the lines of the large tables in order.
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

// TestEnglish holds that every key of english.txt is found as it is written, and means what
// its line says: no other line has the same stems.
func TestEnglish(t *testing.T) {
	var keys []string
	for line := range strings.Lines(english) {
		key, row, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		keys = append(keys, key)
		words := strings.Split(key, "-")
		got := Phrases(strings.Join(words, " "))
		if len(got) != 1 || len(got[0].Words) != len(words) || !slices.Equal(got[0].Means, stemmed(strings.Fields(row))) {
			t.Errorf("%q gives %q", line, got)
		}
	}
	if !slices.IsSorted(keys) || len(keys) < 600 {
		t.Errorf("%d keys, in order: %v", len(keys), slices.IsSorted(keys))
	}
}
