package reason

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The beginnings of the words that a text has if it is about just that which changes no program.
var (
	unused = []string{"unused", "unreachable", "dead code", "never called", "never used", "no longer used",
		"nobody calls", "未使用", "使われ", "到達しない", "不要"}
	subjects = map[Reason][]string{
		Comment: {"comment", "doc", "readme", "changelog", "explain", "descri", "mention", "note",
			"licen", "typo", "wording", "コメント", "文書", "ドキュメント", "説明", "記載", "誤字"},
		InString:    {"template", "fixture", "snippet", "generat", "テンプレート", "雛形"},
		Moved:       {"move", "moving", "reorder", "sort", "extract", "split", "relocat", "移動", "並"},
		Unreachable: unused,
		NoEffect: append([]string{"deprecat", "obsolete", "suppress", "warning", "lint", "typespec",
			"@spec", "dialyzer", "pragma", "import", "export", "re-export", "非推奨", "警告", "インポート", "エクスポート"}, unused...),
		Format: append([]string{"format", "indent", "whitespace", "white space", "style", "lint", "gofmt",
			"line end", "crlf", "move", "reorder", "sort", "整形", "空白", "改行", "インデント", "deprecat", "suppress", "非推奨"}, unused...),
		Blank:       append([]string{"blank", "newline", "format", "whitespace", "空行", "改行"}, unused...),
		RenamedName: {"rename", "renaming", "naming", "改名", "名前"},
		LeftOut:     {"testdata", "fixture", "build tag", "build constraint", "ignored by the build"},
		Stub:        {"no-op", "noop", "nop", "null object", "dummy", "does nothing", "何もしない"},
		Constant:    {"no-op", "noop", "always return", "constant", "定数", "常に"},
	}
)

// IsSubject reports whether a text is about changes that have no effect for this reason, as "fix a typo in
// the comment" is about comments.
func IsSubject(why Reason, text string) bool { return Speaks(text, subjects[why]) }

// Speaks reports whether a text has a word that begins with one of some beginnings.
func Speaks(text string, beginnings []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(beginnings, func(word string) bool {
		for from := 0; ; {
			i := strings.Index(text[from:], word)
			if i < 0 {
				return false
			}
			before, _ := utf8.DecodeLastRuneInString(text[:from+i])
			if from+i == 0 || !unicode.IsLetter(before) || word[0] >= utf8.RuneSelf {
				return true
			}
			from += i + len(word)
		}
	})
}
