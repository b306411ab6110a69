package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

var (
	// changesHeading is above the changes that a design plans, or a summary tells of.
	changesHeading = lazyregexp.MustCompile(`(?i)^(?:the |all |main |file |code |planned |what (?:was |has |is |will be )?|summary of |files )*` +
		`(?:chang(?:e|es|ed)|done|implement(?:ed|ation)|modified)(?: files?| made| by file)?\s*:?$|^(?:変更(?:点|内容|` +
		`箇所|した(?:ファイル|内容))?|実装(?:内容)?|内容|実施内容)$`)
	// leading is what may be before the file that an item is about.
	leading = lazyregexp.MustCompile(`(?i)^[\s*_|>]*(?:\[[ xX]\]\s*)?(?:(?:new|added|add|changed|change|modified|modify|updated|update|edited|edit|rewritten|rewrote|rewrite|removed|remove|deleted|delete|created|create|extended|extend|fixed|fix|adjusted|adapted|refactored|新規|追加|変更|修正|更新|削除)[\s:：]*)?(?:the )?(?:file )?[\s*_|:：]*$`)
	// later is what is said of something that is not to be done now.
	later = lazyregexp.MustCompile(`(?i)\b(?:out of scope|not in scope|not part of|later|postponed?|deferred?|follow[- ]?ups?|(?:an)?other (?:pipeline|pull request|pr|issue|ticket|time)|not (?:now|yet|here|covered|included|done|implemented)|skipped?|left out|won't|will not)\b|` +
		`対象外|範囲外|後で|あとで|別途|今回は(?:しない|行わない|含まない)|含めない|見送`)
)

// A changesSection says where in a document a line is.
type changesSection struct {
	below int // the level of the heading of changes above it; 0: there is none
	above int // the level of a heading below that one which says that nothing changes; 0: there is none
}

// heading takes in a heading, and reports whether it begins or ends such a section.
func (s *changesSection) heading(level int, text string) bool {
	is := changesHeading.MatchString(unnumbered(plainLine(text)))
	stays := s.below > 0 && level > s.below && (unchanged.MatchString(text) || later.MatchString(text))
	if s.above > 0 && level > s.above || s.above == 0 && !is && !stays && level > s.below {
		return false
	}
	if s.above = 0; stays {
		s.above = level
	}
	if is || level <= s.below {
		if s.below = 0; is {
			s.below = level
		}
	}
	return true
}

// Changes returns the files that a design, or a summary, says to be changed: those with which an entry
// below a heading such as "Changes" begins. Of a file that is said to stay as it is, it says nothing.
func Changes(text string) []string {
	var named namesOf
	var at changesSection
	about := false // the item names a file
	for _, l := range markdown.Read(text) {
		if l.Level > 0 && at.heading(l.Level, l.Text) {
			continue
		}
		if l.Item && l.Depth > 1 && about {
			continue // says more of the file above
		}
		if l.Item && l.Depth <= 1 {
			about = false
		}
		spans := markdown.CodeSpans(l.Text)
		if at.below == 0 || at.above > 0 || len(spans) == 0 || !leading.MatchString(l.Text[:spans[0].Start]) || unchanged.MatchString(l.Text) || later.MatchString(l.Text) {
			continue
		}
		end := spans[0].End
		for _, s := range spans[1:] { // "`a.go`, `b.go` and `c.go`: ..."
			if strings.Trim(l.Text[end:s.Start], " ,、&+/") != "" && strings.TrimSpace(l.Text[end:s.Start]) != "and" {
				break
			}
			end = s.End
		}
		had := len(named.files)
		named.take(l.Text[:end])
		about = about || l.Item && l.Depth <= 1 && len(named.files) > had
	}
	return named.files
}

// Now returns the lines of a text that are not quotations and do not say of something that it is not to be
// done now.
func Now(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool {
		return strings.HasPrefix(strings.TrimSpace(l), ">") || later.MatchString(l)
	}), "\n")
}

var (
	// notRun finds what a verification says of itself, not of the code.
	notRun = lazyregexp.MustCompile(`(?i)(?:^|[.;:,(–—]\s*|\b(?:because|since|as|but|and|so|that|note)\s+)(?:\*\*)?(?:` +
		`(?:the |all |any |its |these |no )?(?:unit |existing |whole |full |project(?:'s)? )*(?:tests?|` +
		`test suite|suite|test commands?|verification)\s+` +
		`(?:(?:could|can|can|would|will|did|do|does|has|have|had|was|were|is|are)\s*(?:not|n['’]t)|cannot|` +
		`couldn['’]t|can['’]t|wasn['’]t|weren['’]t|haven['’]t|didn['’]t|` +
		`never)\s+(?:yet\s+)?(?:be(?:en)?\s+)?(?:actually\s+)?(?:run|executed|tried|started)\b|` +
		`(?:nothing|none of (?:the tests|them|it|these)|no (?:tests?|commands?|checks?))\s+(?:was|were|has been|` +
		`have been|could be|can be|is|are)\s+(?:actually\s+)?(?:run|executed|tried)\b|` +
		`(?:i|we)\s+(?:did(?:n['’]t| not)|could(?:n['’]t| not)|can(?:['’]t|not)|have(?:n['’]t| not)|` +
		`had no way to|was (?:not|un)able to|were (?:not |un)able to)\s+(?:actually\s+)?(?:run|execute|` +
		`try)\s+(?:it|them|anything|any|the tests?|the (?:test )?suite|tests?|any tests?|the code|` +
		`the commands?)\b|` +
		`(?:(?:there (?:is|was) |with |have |had )?no (?:\w+ )?(?:environment|interpreter|toolchain|runtime|` +
		`sandbox|machine)\s+(?:here\s+)?(?:(?:is |was )?available\s+)?to (?:run|execute|try)\b)|` +
		`verified (?:(?:only|purely|just) by (?:reading|inspection)|by (?:reading|inspection) (?:only|alone))\b|` +
		`not (?:run|executed) (?:here|locally|yet|because|for lack)\b)|` +
		`(?:テスト|コマンド|コード|検証)(?:は|を|が)?(?:実行(?:できない|できなかった|していない|せず|しなかった|不可)|走らせていない|動かしていない)|実行環境(?:が|は)?(?:ない|` +
		`無い|なく|無く|なし)|何も実行していない`)
)

var (
	// ofAll is what may follow where nothing was run: no part of it, and no way, such as "in parallel", is named.
	ofAll = lazyregexp.MustCompile(`(?i)^(?:[\s*_)]*(?:$|[.,;:!()（–—。、]|-\s)|(?:\s+(?:suite|here|at all|yet|locally|either|in this (?:environment|sandbox|session)|it|them|anything|any(?: tests?)?|the (?:\w+ ){0,2}(?:tests?|suite|code|commands?)))*(?:\s+(?:because|since|as|due|for (?:lack|want)|without)\b.*|\s+in)?\s*(?:$|[.,;:!()–—。、])|ため|[。、（(]|ので|から)`)
	// ofSome ends what is before tests that are not all.
	ofSome = lazyregexp.MustCompile(`(?i)(?:統合|結合|E2E|負荷|性能|UI|一部の?|外部の?|ブラウザ)$|\b(?:if|when|unless|with)\s[^.;]*$`)
)

// NotRun returns the line in which a verification says of itself that it ran nothing, "" if there is
// none. What it says of a part, such as a linter, is none.
func NotRun(text string) string {
	below := 0 // the level of the heading of the criteria, which speak of what the code does
	for _, l := range markdown.Read(text) {
		if l.Level > 0 {
			if is := criteriaHeading.MatchString(unnumbered(plainLine(l.Text))); is || l.Level <= below {
				if below = 0; is {
					below = l.Level
				}
			}
			continue
		}
		if below > 0 {
			continue
		}
		said := labelPrefix.ReplaceAllString(withoutCode(l.Text), "")
		if at := notRun.FindStringIndex(said); at != nil && !ofSome.MatchString(said[:at[0]]) && ofAll.MatchString(said[at[1]:]) {
			return clip(l.Text)
		}
	}
	return ""
}

// labelPrefix is the severity at the beginning of a finding.
var labelPrefix = lazyregexp.MustCompile(`(?i)^[\s*_\[]*(?:critical|major|minor|info|note)[\s*_\]:：-]*`)

var (
	// braced are the files in which white space says nothing.
	braced = lazyregexp.MustCompile(`(?i)\.(?:go|c|h|cc|cpp|cxx|hh|hpp|m|mm|java|kt|kts|scala|cs|swift|rs|dart|php|jsx?|tsx?|mjs|cjs|mts|cts|py|pyi|rb)$`)
	// instructs begins a comment that a compiler or another program obeys.
	instructs = lazyregexp.MustCompile(`(?m)^[ \t]*(?://(?:go:|\s*\+build|export )|#!|#\s*(?:syntax|escape)=|#\s*-\*-|///\s*<reference|(?://|/\*+)\s*@|#\s*(?:cython|distutils):|>>>|\.\. doctest)`)
)

// Effective reports whether a change of nothing but comments and white space does something all the same:
// it makes a file, or is of one whose white space counts, or of a comment that programs obey.
func Effective(file string, had, now []byte) bool {
	same := slices.Equal(instructs.FindAllString(string(had), -1), instructs.FindAllString(string(now), -1))
	return had == nil || !braced.MatchString(file) || strings.Contains(string(had), "\r\n") != strings.Contains(string(now), "\r\n") || !same
}

// ofText is what a finding says if a change of comments and texts alone can mend it.
var ofText = lazyregexp.MustCompile(`(?i)\b(?:comment(?:s|ed)?|doc(?:s|string|strings|ument\w*|umentation)?|godoc|javadoc|typos?|spell\w*|wording|licen[cs]e|header|indent\w*|(?:re)?format\w*|quotes|whitespace|blank lines?|lint\w*|style|todo|suppress\w*|noqa|nolint|pragma|annotation|directive|misspel\w*|grammar|explan\w*|remarks?|copyright|jsdoc|rustdoc|fixme|crlf|(?:line|trailing) \w+|newlines?|tabs?|spaces?|black|prettier|gofm\w*|gofumpt|rustfmt|isort|ruff|flake8|eslint|E\d{3}|(?:build|type) \w+)\b|` +
	`コメント|文書|ドキュメント|誤字|文言|書式|整形|空白|インデント|説明|注釈|ライセンス|改行|綴り`)

// AboutText reports whether one of the findings is about comments or other texts.
func AboutText(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool {
		return f.Severity == Critical && IsAboutText(f.Description.String())
	})
}

// IsAboutText reports whether what is said is about comments or other texts.
func IsAboutText(said string) bool { return ofText.MatchString(said) }
