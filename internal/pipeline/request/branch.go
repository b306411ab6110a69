package request

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// A branchType is one type of branch, and what speaks for it.
type branchType struct {
	name   string
	labels string // issue types and labels, or their words
	words  string // words of titles and texts
}

// branchTypes are in the order in which they win.
var branchTypes = []branchType{
	{"fix", "bug*|defect*|fix|hotfix|regression|incident|crash*|バグ|不具合|障害|修正",
		"fix|fixes|fixing|bug|bugs|bugfix*|hotfix*|repair*|broken|crash*|regression*|resolve the issue|バグ|不具合|障害|修正|修復|を直|クラッシュ|落ちる"},
	{"refactor", "refactor*|tech debt|tech-debt|technical debt|technical-debt|cleanup|clean-up|リファクタ*|技術的負債",
		"refactor*|restructur*|clean up|cleanup|simplif*|deduplicat*|reorgani*|リファクタ*|整理|再構成|共通化|簡素化"},
	{"docs", "docs|doc|documentation|ドキュメント|文書",
		"docs|documentation|readme|document the|document how|changelog|ドキュメント|文書化|説明書|仕様書|手順書|マニュアル"},
	{"chore", "chore*|maintenance|dependenc*|deps|ci|build|infra*|housekeeping|保守|依存*|雑務",
		"chore*|bump|upgrade|dependencies|dependency update*|dependency upgrade*|ci|lint|linter|依存関係|依存ライブラリ|バージョンアップ|アップグレード|雑務"},
	{"feature", "feature*|feat|enhancement*|story|epic|improvement*|機能*|新機能|ストーリー|改善|要望",
		"feature*|add|adds|implement*|introduce*|support|追加|実装|新規|新機能|対応"},
}

// conventional matches the beginning of a title in the style of commits.
var conventional = lazyregexp.MustCompile(`^\s*([a-z]+)(?:\([^)\n]*\))?!?: `)

// Conventional says that a title begins with the type of a change, as those of commits do:
// "fix(cli): …".
func Conventional(title string) bool {
	m := conventional.FindStringSubmatch(fold(title))
	return m != nil && ofCommits[m[1]] != ""
}

// ofCommits are the types of branches for the types of such commits.
var ofCommits = map[string]string{
	"fix": "fix", "bugfix": "fix", "hotfix": "fix", "feat": "feature", "feature": "feature",
	"refactor": "refactor", "perf": "refactor", "docs": "docs", "doc": "docs",
	"chore": "chore", "build": "chore", "ci": "chore", "test": "chore", "style": "chore",
}

// BranchType says what kind of branch the request wants: fix, refactor, docs,
// chore or feature. The issue's type decides, else its labels, else the words
// of its title and of the text's first line, else those of the rest.
func BranchType(c Context, text string) string {
	for _, part := range []string{c.issueType(), strings.Join(c.labels(), "\n")} {
		if name := typeOf(fold(part), func(t branchType) string { return t.labels }); name != "" {
			return name
		}
	}
	line, rest, _ := strings.Cut(clean(text), "\n")
	for _, part := range []string{c.Title(), line} {
		if m := conventional.FindStringSubmatch(fold(part)); m != nil {
			if name := ofCommits[m[1]]; name != "" {
				return name
			}
		}
	}
	for _, part := range []string{c.Title() + "\n" + line, rest, c.Body()} {
		if name := typeOf(mainText(fold(prose(part))), func(t branchType) string { return t.words }); name != "" {
			return name
		}
	}
	return "feature"
}

// What comes with any change, and how a request asks for it beside what it is about: "with
// tests", "and update the docs", "documentation and changelog included", "テストも".
const (
	besides   = `(?:(?:the|its|their|new|some|matching|regression|unit)\s+)*(?:docs?|documentation|docstrings?|readme|changelog|release notes|tests?|test cases|examples?|types|type hints|comments)`
	allBeside = besides + `(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)` + besides + `)*`
)

var accompanying = []*lazyregexp.Regexp{
	lazyregexp.MustCompile(`(?:^|[\s,;(])(?:(?:along |together )?with|including|incl\.|plus|and(?: then)?(?: also)?|also)\s+` +
		`(?:(?:add|adapt|adjust|extend|fix|update|updates|updated|write|mend)(?:ing)?\s+)?` + allBeside + `(?:$|[\s.,;)])`),
	lazyregexp.MustCompile(`(?m)(?:^|[\s.,;(])` + allBeside + `\s+(?:are\s+|is\s+)?(?:included|too|as well|updated|adapted)\b`),
	lazyregexp.MustCompile(`\sand(?: then)?(?: also)?\s+document\s[^.;\n]*`),
	lazyregexp.MustCompile(`\sand(?: then)?(?: also)?\s+\pL+\s+(?:it|this|that|them|both|(?:the|its|their)\s+\S+)\s+(?:in|to|into)\s+` + allBeside + `(?:$|[\s.,;)])`),
	lazyregexp.MustCompile(`[^、。,.\n]*(?:ドキュメント|説明書|仕様書|マニュアル|readme|changelog|変更履歴|テスト)(?:を|は)?も[^、。\n]*`),
}

// mainText is a folded text without what it asks for besides.
func mainText(text string) string {
	for _, a := range accompanying {
		text = a.ReplaceAllString(text, " ")
	}
	return text
}

// typeOf returns the first type of which text says a word, or "".
func typeOf(text string, words func(branchType) string) string {
	for _, t := range branchTypes {
		for word := range strings.SplitSeq(words(t), "|") {
			if findWord(text, word) != "" {
				return t.name
			}
		}
	}
	return ""
}
