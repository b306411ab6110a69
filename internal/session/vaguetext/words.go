package vaguetext

import (
	"slices"
	"strings"
	"unicode"
)

// idle are words that say that all is well without naming anything.
var idle = strings.Fields(`
	a all an and any are as be been both by change changed changes check checked checks code complete completed correct
	correctly did done error errors every everything expected fail failed failing fails failure failures fine for found
	good green has have i in is issue issues it its looks manually my no none nothing now of ok okay on pass passed passes
	passing problem problems ran result results run running so succeeded success successful successfully suite test tested
	testing tests that the there these they this to unit validated verification verified was we well were what with without
	work worked working works yes
	すべて 全て 全部 問題 問題なし 確認 確認済み 確認した 検証 検証済み テスト 成功 合格 通過 完了 なし ok です ました した`)

// Vague reports whether a text says only that all is well.
func Vague(details string) bool {
	words := strings.FieldsFunc(strings.ToLower(details), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(idle, w) })
}
