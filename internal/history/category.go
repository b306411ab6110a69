package history

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Category is what a finding is about.
type Category string

// The categories.
const (
	Security      Category = "security"
	Concurrency   Category = "concurrency"
	Errors        Category = "errors"
	Tests         Category = "tests"
	Performance   Category = "performance"
	Compatibility Category = "compatibility"
	Documentation Category = "documentation"
	Naming        Category = "naming"
	Structure     Category = "structure"
	Correctness   Category = "correctness"
	Other         Category = "other"
)

// subjects are the words by which a finding's category is known, English ones as
// beginnings of words. Of several, the category with most words is taken; of equals,
// the earlier one.
var subjects = []struct {
	category Category
	english  string
	japanese string
}{
	{Security, `secur|vulnerab|injection|xss|csrf|ssrf|sanitiz|sanitis|credential|password|secret|token leak|authoriz|authoris|authenticat|permission|privilege|traversal|tls|encrypt`,
		`セキュリティ|脆弱|インジェクション|認証|認可|権限|パスワード|秘密|暗号|サニタイズ|漏洩`},
	{Concurrency, `race|deadlock|mutex|lock|goroutine|thread|concurren|atomic|synchroni|channel`,
		`競合|排他|デッドロック|ロック|並行|並列|スレッド|ゴルーチン|同期`},
	{Tests, `test|coverage|assert|fixture|mock|golden`, `テスト|カバレッジ|検証コード|モック|網羅`},
	{Errors, `error|err |panic|exception|fail|swallow|timeout|retry|retries|deadline|rollback|recover`,
		`エラー|例外|失敗|握りつぶ|タイムアウト|リトライ|再試行|ロールバック|パニック`},
	{Performance, `perform|slow|ineffici|alloc|memory|cache|quadratic|n\+1|o\(n|latency|throughput|benchmark|leak`,
		`性能|パフォーマンス|遅い|メモリ|キャッシュ|非効率|リーク|計算量`},
	{Compatibility, `compatib|breaking|migrat|deprecat|version|backward|upgrade|schema`,
		`互換|移行|マイグレーション|破壊的|非推奨|バージョン|スキーマ`},
	{Documentation, `document|docs|comment|readme|changelog|godoc|docstring|typo`,
		`ドキュメント|文書|コメント|説明|変更履歴|誤字|記載`},
	{Naming, `naming|name|rename|identifier|abbreviat|spelling`, `命名|名前|名称|識別子|略語`},
	{Structure, `duplicat|coupl|layer|abstraction|refactor|responsib|dependenc|import|circular|cycle|module|package|interface|dead code|unused|complex`,
		`重複|結合|層|抽象|責務|依存|循環|モジュール|パッケージ|未使用|複雑|分割`},
	{Correctness, `off by one|off-by-one|boundary|edge case|nil|null|undefined|overflow|incorrect|wrong|missing case|validat|unhandled|invariant`,
		`境界|範囲外|ヌル|未定義|オーバーフロー|誤り|誤って|不正|検証|考慮漏れ|漏れ`},
}

var subjectWords = func() (all []*regexp.Regexp) {
	for _, s := range subjects {
		all = append(all, regexp.MustCompile(`\b(?:`+s.english+`)|`+s.japanese))
	}
	return all
}()

// categoryOf returns what a finding is about.
func categoryOf(text string) Category {
	text = strings.ToLower(norm.NFKC.String(quoted.ReplaceAllString(text, " ")))
	best, most := Other, 0
	for i, words := range subjectWords {
		if n := len(words.FindAllStringIndex(text, -1)); n > most {
			best, most = subjects[i].category, n
		}
	}
	return best
}
