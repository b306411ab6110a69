package request

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An Effort is how large a piece of work is.
type Effort string

// The efforts.
const (
	S Effort = "S"
	M Effort = "M"
	L Effort = "L"
)

// ParseEffort reads an effort, in any case.
func ParseEffort(s string) (Effort, error) {
	switch e := Effort(strings.ToUpper(strings.TrimSpace(plain(s)))); e {
	case S, M, L:
		return e, nil
	}
	return "", fmt.Errorf("effort must be S, M or L, not %q", s)
}

// Template is the name of the flow that an effort takes.
func (e Effort) Template() string {
	return map[Effort]string{S: "light", M: "standard", L: "full"}[e]
}

// Up to these story points work is S, and M.
const (
	mostPointsOfS = 4
	mostPointsOfM = 12
)

// A sum of weights at or beyond these is S, and L.
const (
	weightOfS = -2.0
	weightOfL = 3.0
)

// A signal is words that speak for little work (below zero) or for much.
type signal struct {
	weight float64
	words  string // separated by "|"
}

var signals = []signal{
	{-3, "typo*|misspell*|misspelt|spelling|one-line*|one line|single line|trivial*|tiny|good first issue|good-first-issue|easy"},
	{-2, "small|minor|tweak*|wording|rephrase|quick|simple|bump|lint|linter warning*|whitespace|broken link*|dead link*|formatting|cosmetic*|reword"},
	{-1, "rename|comment|comments|error message*|log message*|label|readme|docs|documentation|changelog|tooltip|unused|default value"},
	{1, "refactor*|integrate*|integration with|concurren*|performance|security|backward* compatib*|end-to-end|multiple|several|infrastructure|replace all|new service"},
	{2, "complex*|large|huge|major|public api|database|schema|distributed|internationali*|i18n|across all|across the|all modules|all services|all packages|every module|every service|every package|throughout"},
	{3, "migrat*|rewrite|rewriting|redesign*|re-design*|re-architect*|rearchitect*|architectur*|overhaul*|breaking change*|from scratch|entire codebase|whole codebase|large-scale|new subsystem|multi-tenan*"},
	{4, "epic"},

	{-3, "誤字|脱字|誤植|タイポ|一行|1行|軽微|微修正|打ち間違*"},
	{-2, "小さな|小さい|ちょっと|簡単|かんたん|文言|リンク切れ|単純|些細|スペルミス|表記ゆれ|表記揺れ"},
	{-1, "コメント|エラーメッセージ|ログメッセージ|ラベル|未使用|改名|リネーム|ドキュメント|文書"},
	{1, "リファクタ*|連携|統合|並行|性能|セキュリティ|後方互換|複数|インフラ"},
	{2, "複雑|大きな|大きい|データベース|スキーマ|分散|国際化|多言語|横断|公開api|すべての|全ての|全体"},
	{3, "移行|マイグレーション|刷新|全面|作り直*|作りなお*|書き直*|書きなお*|再設計|設計変更|アーキテクチャ|大規模|破壊的|ゼロから|基盤"},
	{4, "エピック"},
}

// labelled matches a label that says how large the work is.
var labelled = regexp.MustCompile(`^(?:(?:size|effort|estimate|complexity|t-?shirt|規模|工数|サイズ)[ :/_=-]*)(xs|s|m|l|xl|xxl|small|medium|large|小|中|大)$`)

var sizes = map[string]Effort{
	"xs": S, "s": S, "small": S, "小": S,
	"m": M, "medium": M, "中": M,
	"l": L, "xl": L, "xxl": L, "large": L, "大": L,
}

// Detect says how much effort a request is, and what speaks for it. What decides
// is the override, else the tracker's story points, else a label that names the
// size, else words and the number of files named; M if they are undecided. An
// override that is no effort is an error.
func Detect(override *string, c Context, text string) (Effort, []string, error) {
	if override != nil && strings.TrimSpace(*override) != "" {
		e, err := ParseEffort(*override)
		if err != nil {
			return "", nil, err
		}
		return e, []string{"--effort=" + string(e)}, nil
	}
	if p := c.StoryPoints(); p != nil {
		e, why := ofPoints(*p)
		return e, []string{why}, nil
	}
	for _, l := range c.Labels() {
		if m := labelled.FindStringSubmatch(fold(strings.TrimSpace(l))); m != nil {
			return sizes[m[1]], []string{fmt.Sprintf("the label %q", l)}, nil
		}
	}
	e, why := ofWords(c, text)
	return e, why, nil
}

func ofPoints(p float64) (Effort, string) {
	said := strconv.FormatFloat(p, 'f', -1, 64) + " story points"
	switch {
	case p <= mostPointsOfS:
		return S, fmt.Sprintf("%s (S up to %d)", said, mostPointsOfS)
	case p <= mostPointsOfM:
		return M, fmt.Sprintf("%s (M up to %d)", said, mostPointsOfM)
	}
	return L, fmt.Sprintf("%s (L above %d)", said, mostPointsOfM)
}

// A field is one part of a request, and how much its words count.
type field struct {
	name   string
	text   string
	weight float64
}

// fields are the parts of a request, those that count most first.
func fields(c Context, text string) []field {
	return []field{
		{"the labels", fold(strings.Join(c.Labels(), "\n")), 1.5},
		{"the issue type", fold(c.IssueType()), 1},
		{"the title", fold(prose(c.Title())), 1},
		{"the text", fold(prose(text)), 1},
		{"the body", fold(prose(c.Body())), 0.5},
	}
}

func ofWords(c Context, text string) (Effort, []string) {
	var (
		sum   float64
		small []string
		large []string
	)
	note := func(weight float64, why string) {
		sum += weight
		if weight < 0 {
			small = append(small, why)
		} else {
			large = append(large, why)
		}
	}
	for _, s := range signals {
		for word := range strings.SplitSeq(s.words, "|") {
			for _, f := range fields(c, text) {
				if f.text != "" && says(f.text, word) {
					note(s.weight*f.weight, fmt.Sprintf("%q in %s", strings.TrimSuffix(word, "*"), f.name))
					break
				}
			}
		}
	}
	switch n := len(namedFiles(strings.Join([]string{c.Title(), c.Body(), text}, "\n"))); {
	case n == 1:
		note(-1, "names one file")
	case n >= 10:
		note(3, fmt.Sprintf("names %d files", n))
	case n >= 4:
		note(1.5, fmt.Sprintf("names %d files", n))
	}
	switch {
	case sum <= weightOfS:
		return S, small
	case sum >= weightOfL:
		return L, large
	case len(small)+len(large) == 0:
		return M, []string{"nothing speaks for S or for L"}
	}
	return M, append([]string{"undecided"}, append(small, large...)...)
}
