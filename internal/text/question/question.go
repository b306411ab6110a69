// Package question analyses a search question: its words, identifiers, language and expansions. This is done
// once, where it enters a search or a plan. Everything that answers takes the [Question], never its text
// again.
package question

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/synonyms"
	"codeintel/internal/text/terms"
)

// A Kind says what a question looks like.
type Kind int

// The kinds.
const (
	Prose    Kind = iota // a few words
	Sentence             // many words
	Symbolic             // a name, perhaps qualified
	CJK                  // words of Chinese, Japanese or Korean
	Report               // a long text: an issue, perhaps with code and a stack trace
	Kinds
)

// sentenceTerms is how many terms make a sentence of prose. A long description
// has words by chance that are in some path, too.
const sentenceTerms = 9

// A Question is an analysed text. Nothing changes it, so it may be shared.
type Question struct {
	Text    string // as it was asked
	Kind    Kind
	Terms   []string  // as [terms.Query] returns them
	Weights []float64 // what each of the terms counts, 1 being usual; nil: all the same
	Words   []string  // as [terms.Words] returns them
	Names   []Named
	Exact   []Exact // what it writes as it may be in the code, the most telling first

	// Translated holds, for each Japanese word that has a translation, the terms
	// that it may be in English, the likeliest first. Untranslated are the words
	// of the rest of the text; they are set only where something is translated.
	Translated   [][]string
	Untranslated []string

	Phrases []synonyms.Phrase // how it speaks of what code has other words for

	// What it is about beside code.
	Tests, Documents, Data bool
	Texts, Migrations      bool // what a program says to people; how its database came to be

	paths []mention // files that it mentions
}

// A Named is a name that a question asks for, and how sure that is, from 0 to 1.
type Named struct {
	Name       string
	Confidence float64
}

// How sure it is that a word of a question is a name.
const (
	calledName  = 0.5 // the question has it with "(" after it, in prose
	joinedName  = 0.9 // the words of the question, joined, are the name
	joinedWords = 5   // of at most so many words
)

var (
	symbolQuery = lazyregexp.MustCompile(`^(?:[A-Za-z_]\w*(?:(?:::|\\|->|\.|#)[A-Za-z_]\w*)+|_\w*|[A-Za-z][A-Za-z0-9]*[A-Z_]\w*|[A-Z][A-Za-z0-9]*)$`)
	separators  = lazyregexp.MustCompile(`::|\\|->|\.|#`)
	identifier  = lazyregexp.MustCompile(`[\pL_][\pL\pN_]*`)
	compound    = lazyregexp.MustCompile(`[a-z][A-Z]|_[A-Za-z]|[A-Z]{2,}[a-z]`)
	called      = lazyregexp.MustCompile(`[\pL_][\pL\pN_]*\(`)
	mentioned   = lazyregexp.MustCompile(`[\w./\\-]+\.\w+|(?:[\w.-]+/)+[\w.-]+`)
	aboutTexts  = lazyregexp.MustCompile(`(?i)\b(?:translat\w*|locali[sz]\w*|locales?|i18n|l10n|languages?|messages?|texts?|labels?|wording|catalogu?es?)\b|翻訳|文言|メッセージ|言語|表示|ロケール`)
	aboutSchema = lazyregexp.MustCompile(`(?i)\b(?:migrat\w*|schemas?|columns?|tables?|databases?)\b|マイグレーション|移行|スキーマ|テーブル|カラム`)
	aboutTests  = lazyregexp.MustCompile(`(?i)\b(?:tests?|spec|testing|fixtures?|mocks?)\b|テスト`)
	aboutDocs   = lazyregexp.MustCompile(`(?i)\b(?:docs?|documentation|documented|readme|change ?log|release notes|guides?|tutorials?|manual|licen[cs]e|markdown)\b|ドキュメント|文書|手順書|説明書|変更履歴|ライセンス`)
	aboutData   = lazyregexp.MustCompile(`(?i)\b(?:configur\w+|config files?|settings|workflows?|ci|ya?ml|json|toml|xml|csv|manifest|lock ?files?|dependenc(?:y|ies)|fixtures?)\b|設定|依存関係`)
)

// What conventions put round the subject of a change: "[fix]", "feat(router)!:", "(#1364)".
// It says of which kind the change is, or where it is discussed, and nothing of code.
var (
	changeKind = lazyregexp.MustCompile(`^\s*(?:\[` + changeKinds + `\]|` + changeKinds + `(?:\(([^()]*)\))?!?:\s)`)
	discussion = lazyregexp.MustCompile(`(?i)(?:\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|refs?)\s+#\d+\b|\(#\d+\))`)
)

const changeKinds = `(?i:feat(?:ure)?|(?:bug)?fix|bug|chore|docs?|refactor|perf|tests?|build|ci|style|revert|minor|major|patch|deps|lint|wip)`

// subject returns a text without such words, or as it is if there are no others.
func subject(text string) string {
	bare := changeKind.ReplaceAllString(discussion.ReplaceAllString(text, " "), "$1 ")
	if strings.TrimSpace(bare) == "" {
		return text
	}
	return bare
}

// Analyse returns the analysis of a text.
func Analyse(text string) *Question {
	whole := text
	text = subject(text)
	q := &Question{Text: whole, Terms: terms.Query(text)}
	q.Words = terms.Words(text)
	translated, rest := synonyms.Translate(text)
	if q.Translated = translated; len(translated) > 0 {
		q.Untranslated = terms.Words(rest)
	}
	text = strings.TrimSpace(text)
	if isReport(text) {
		if q.Kind = Report; mostlyCJK(text) {
			q.Kind = CJK
		}
		q.readReport(text)
		q.limitExact()
		return q
	}
	q.noteSubjects(whole)
	switch {
	case symbolQuery.MatchString(text):
		q.Kind = Symbolic
	case strings.ContainsFunc(text, isCJK):
		q.Kind = CJK
	case len(q.Terms) >= sentenceTerms:
		q.Kind = Sentence
	}
	if q.Kind == Prose || q.Kind == Sentence {
		q.Phrases = synonyms.Phrases(text)
	}
	q.Names = namesIn(text)
	q.readExact(text)
	q.limitExact()
	for _, m := range mentioned.FindAllString(text, -1) {
		q.mention(m, 1, false)
	}
	return q
}

// noteSubjects notes what a text is about beside code.
func (q *Question) noteSubjects(text string) {
	q.Texts, q.Migrations = aboutTexts.MatchString(text), aboutSchema.MatchString(text)
	q.Tests, q.Documents, q.Data = aboutTests.MatchString(text), aboutDocs.MatchString(text), aboutData.MatchString(text)
}

// mention notes a file that the text names; frame says that a stack trace does.
func (q *Question) mention(p string, confidence float64, frame bool) {
	p = strings.Trim(strings.ReplaceAll(strings.ToLower(p), `\`, "/"), "./")
	at := slices.IndexFunc(q.paths, func(m mention) bool { return m.path == p })
	switch {
	case p == "" || at < 0 && len(q.paths) >= reportPaths:
	case at < 0:
		q.paths = append(q.paths, mention{p, confidence, frame})
	default:
		q.paths[at].confidence = max(q.paths[at].confidence, confidence)
	}
}

// mostlyCJK reports whether a text is one of Chinese, Japanese or Korean, with what it
// quotes.
func mostlyCJK(text string) bool {
	letters, all := 0, 0
	for _, r := range text {
		if isCJK(r) {
			letters++
		}
		if unicode.IsLetter(r) {
			all++
		}
	}
	return letters*5 > all
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// namesIn finds what a question may call a symbol: the last part of a qualified
// name; in prose the words that no prose has, and all of its few words together.
func namesIn(text string) (names []Named) {
	if !strings.ContainsFunc(text, unicode.IsSpace) {
		parts := separators.Split(strings.TrimSuffix(text, "()"), -1)
		return []Named{{parts[len(parts)-1], 1}}
	}
	words := identifier.FindAllString(text, -1)
	for _, w := range words {
		if len(w) > 3 && compound.MatchString(w) {
			names = append(names, Named{w, 1})
		}
	}
	for _, c := range called.FindAllString(text, -1) {
		names = append(names, Named{strings.TrimSuffix(c, "("), calledName})
	}
	if len(words) > 1 && len(words) <= joinedWords {
		for _, mark := range []string{"", "_", "-"} {
			names = append(names, Named{strings.Join(words, mark), joinedName})
		}
	}
	return names
}

// Mention returns how clearly the question names the file at p, from 0 to 1.
func (q *Question) Mention(p string) float64 {
	if len(q.paths) == 0 {
		return 0
	}
	p = strings.ToLower(p)
	bare := strings.TrimSuffix(p, path.Ext(p))
	best := 0.0
	for i := range q.paths {
		if m := &q.paths[i]; m.confidence > best {
			best = max(best, m.confidence*m.fit(p, bare))
		}
	}
	return best
}

// How well a mention fits a file that it does not name by its whole path.
const (
	fitsName    = 0.6  // only the name of the file
	fitsModule  = 0.7  // the name of a module
	fitsFolder  = 0.9  // the name and the folder, of a frame
	fitsForeign = 0.15 // the name, of a frame of other folders
)

// fit returns how well a mention fits a file, given by its path with and without
// extension, from 0 to 1.
func (m *mention) fit(p, bare string) float64 {
	base := path.Base(p)
	switch {
	case strings.Contains(m.path, "/") &&
		(p == m.path || strings.HasSuffix(p, "/"+m.path) || strings.HasSuffix(m.path, "/"+p) && (!m.frame || strings.Contains(p, "/")) ||
			strings.HasSuffix(bare, "/"+m.path)):
		return 1
	case m.frame && strings.HasSuffix(m.path, "/"+base):
		if folder := path.Base(path.Dir(p)); folder != "." && strings.HasSuffix(m.path, "/"+folder+"/"+base) {
			return fitsFolder
		}
		return fitsForeign
	case m.path == base || strings.HasSuffix(m.path, "/"+base):
		return fitsName
	case strings.Count(m.path, ".") > 0:
		dotted := "/" + strings.ReplaceAll(m.path, ".", "/") // a module
		if strings.HasSuffix("/"+bare, dotted) || strings.HasSuffix("/"+bare, path.Dir(dotted)) && strings.Count(dotted, "/") > 2 {
			return fitsModule
		}
	}
	return 0
}
