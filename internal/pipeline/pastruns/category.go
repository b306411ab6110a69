package pastruns

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Category is what a finding is about.
type Category string

// The categories.
const (
	Security      Category = "security"
	Concurrency   Category = "concurrency"
	Tests         Category = "tests"
	Errors        Category = "errors"
	Performance   Category = "performance"
	Compatibility Category = "compatibility"
	Documentation Category = "documentation"
	Naming        Category = "naming"
	Structure     Category = "structure"
	Correctness   Category = "correctness"
	Other         Category = "other"
)

// subjects are the words by which a finding's category is known: of English their
// beginnings, or with a dot the whole word, of Japanese any place. Of several
// categories the one with most words is taken; of equals, the earlier one.
var subjects = []struct {
	category          Category
	english, japanese string
}{
	{Security, `secur vulnerab injection xss csrf ssrf sanitiz sanitis credential password secret authoriz authoris authenticat permission privilege traversal tls encrypt plaintext`,
		`セキュリティ 脆弱 インジェクション 認証 認可 権限 パスワード 秘密 暗号 サニタイズ 漏洩 平文`},
	{Concurrency, `race. races. racy. deadlock mutex lock goroutine thread concurren atomic synchroni channel`,
		`競合 排他 ロック 並行 並列 スレッド ゴルーチン 同期`},
	{Tests, `test untested coverage assert fixture mock golden`, `テスト カバレッジ モック 網羅`},
	{Errors, `error err. panic exception fail swallow timeout retry retries deadline rollback recover`,
		`エラー 例外 失敗 握りつぶ タイムアウト リトライ 再試行 ロールバック パニック`},
	{Performance, `performan slow ineffici alloc memory cache quadratic latency throughput benchmark leak`,
		`性能 パフォーマンス 遅い メモリ キャッシュ 非効率 リーク 計算量`},
	{Compatibility, `compatib incompatib breaking migrat deprecat version backward upgrade schema`,
		`互換 移行 マイグレーション 破壊的 非推奨 バージョン スキーマ`},
	{Documentation, `document undocumented docs comment readme changelog godoc docstring typo`,
		`ドキュメント 文書 コメント 説明 変更履歴 誤字 記載`},
	{Naming, `naming name. names. named. rename identifier abbreviat misspel`, `命名 名前 名称 識別子 略語`},
	{Structure, `duplicat coupl layer abstraction refactor responsib dependenc import. imports. imported. circular cycle module package interface unused complex`,
		`重複 結合 抽象 責務 依存 循環 モジュール パッケージ 未使用 複雑 分割`},
	{Correctness, `boundary edge nil null undefined overflow incorrect wrong missing validat unvalidated unhandled invariant`,
		`境界 範囲外 未定義 オーバーフロー 誤り 誤って 不正 検証 漏れ`},
}

// stem is how long the beginnings are by which english is kept.
const stem = 3

type subject struct {
	word string
	at   int // in subjects
}

// english has the words of subjects by their first letters; japanese has the others.
var english, japanese = func() (map[string][]subject, []subject) {
	latin, cjk := make(map[string][]subject), []subject(nil)
	for i, s := range subjects {
		for _, w := range strings.Fields(s.english) {
			latin[w[:stem]] = append(latin[w[:stem]], subject{w, i})
		}
		for _, w := range strings.Fields(s.japanese) {
			cjk = append(cjk, subject{w, i})
		}
	}
	return latin, cjk
}()

// noLocks takes out words that end in the Japanese word for a lock and mean another
// thing: block, clock.
var noLocks = strings.NewReplacer("ブロック", " ", "クロック", " ")

// categoryOf returns what a finding is about. Names in backticks do not count.
func categoryOf(text string) Category {
	text = strings.ToLower(norm.NFKC.String(withoutQuotes(text)))
	var counts [16]int // more than subjects
	ascii := true
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		ascii = ascii && word[0] < 0x80
		if len(word) < stem {
			continue
		}
		for _, s := range english[word[:stem]] {
			if whole, is := strings.CutSuffix(s.word, "."); word == whole || !is && strings.HasPrefix(word, s.word) {
				counts[s.at]++
			}
		}
	}
	if !ascii {
		text = noLocks.Replace(text)
		for _, s := range japanese {
			counts[s.at] += strings.Count(text, s.word)
		}
	}
	best, most := Other, 0
	for i, n := range counts {
		if n > most {
			best, most = subjects[i].category, n
		}
	}
	return best
}

// withoutQuotes takes out what is in backticks.
func withoutQuotes(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	return quoted.ReplaceAllString(text, " ")
}
