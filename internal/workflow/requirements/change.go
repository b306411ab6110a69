// Package requirements splits a request into its separate requirements, and says which of them a plan does not cover,
// and whether a request asks for a change at all. Sessions and pipelines check plans by it. It goes by words alone,
// English and Japanese, and leaves open what it is not sure of.
package requirements

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
)

// commands are verbs that, where a request begins with them, ask for a change. Verbs
// that may also ask for words (show, write, describe, document) are none.
var commands = strings.Fields(`
	add adjust allow bump change clean convert correct create delete deprecate disable disallow drop enable ensure extend
	extract fix forbid handle implement improve inline insert introduce make merge migrate modify move optimise optimize
	patch port prevent redesign refactor reject remove rename reorganise reorganize replace restore restrict revert
	rewrite simplify split support switch unify update upgrade`)

// before are words that may be before the verb.
var before = strings.Fields("please pls kindly now also then and just next can could would will you lets let's")

// notChange finds what begins like a command and asks for words.
var notChange = lazyregexp.MustCompile(`(?i)^(?:make (?:sense|sure (?:i|you|we) understand)|update me|correct me|improve my understanding|extend my)\b`)

// changeJA finds the end of a Japanese sentence that asks for a change; askJA finds
// what asks for words.
var (
	changeJA = lazyregexp.MustCompile(`(?:追加|修正|実装|変更|削除|改善|置換|置き換え|作成|リファクタ(?:リング)?|移動|更新|統一|改名|リネーム|対応|導入|無効化|有効化)` +
		`(?:を)?(?:し(?:て(?:ください|下さい|ほしい|欲しい|くれ|おいて)?)|せよ|しろ|する|お願い(?:します)?)?(?:。|！|!|$)|` +
		`(?:直して|変えて|消して|加えて|足して|外して|作って|直す|変える|消す|加える)(?:ください|下さい|ほしい|欲しい|くれ)?(?:。|！|!|$)`)
	askJA = lazyregexp.MustCompile(`調べ|調査|教えて|説明|なぜ|どこ|どう|何故|か[？?。]|ですか|ますか|確認して|[？?]`)
)

// AsksForChange reports whether a request asks for a change of the code beyond doubt.
func AsksForChange(request string) bool {
	request = strings.TrimSpace(norm.NFKC.String(request))
	if strings.ContainsFunc(request, japanese) {
		return changeJA.MatchString(request) && !askJA.MatchString(request)
	}
	words := strings.FieldsFunc(strings.ToLower(request), func(r rune) bool {
		return r != '\'' && r != '-' && !unicode.IsLetter(r)
	})
	polite := false
	for len(words) > 0 && slices.Contains(before, words[0]) {
		polite, words = polite || words[0] == "you", words[1:]
	}
	if len(words) < 2 || !slices.Contains(commands, words[0]) || notChange.MatchString(strings.Join(words, " ")) {
		return false
	}
	return polite || !strings.HasSuffix(request, "?")
}

func japanese(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) }

// same finds words of a request after which the program may behave as before, or only its tests change.
var same = lazyregexp.MustCompile(`(?i)\b(?:refactor\w*|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|extract\w*|inline|clean(?:s|ed|ing)?[ -]?up|simplif\w*|` +
	`reorgani[sz]\w*|restructur\w*|de-?duplicat\w*|moderni[sz]\w*|speed(?:s|ing)? up|faster|too slow|performance|` +
	`optimi[sz]\w*|allocat\w*|` +
	`cach(?:e|es|ed|ing)|memoi[sz]\w*|dead code|unused|migrat\w*|upgrad\w*|coverage|cover(?:s|ed|` +
	`ing)? .{1,60}\btests?|` +
	`(?:add|write|more|missing) (?:\w+ ){0,2}tests? (?:for|of|to)|type (?:hint|annotation)s?)\b|` +
	`リファクタ|改名|リネーム|名前を変|移動|整理|移行|未使用|キャッシュ|高速|性能|最適化|カバレッジ|のテストを(?:追加|書)`)

// SameBehaviour reports whether a request may be met by a change that no test can notice.
func SameBehaviour(request string) bool { return same.MatchString(norm.NFKC.String(request)) }
