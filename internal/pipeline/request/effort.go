package request

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
)

// An Effort is how large a piece of work is.
type Effort string

// The efforts.
const (
	XS Effort = "XS"
	S  Effort = "S"
	M  Effort = "M"
	L  Effort = "L"
)

// ParseEffort reads an effort, in any case.
func ParseEffort(s string) (Effort, error) {
	switch e := Effort(strings.ToUpper(strings.Trim(plainWord(s), " \t\n\"'"))); e {
	case XS, S, M, L:
		return e, nil
	}
	return "", msg.Err("request.effort_must_be_s_m_or_l", s)
}

// Exceeds reports whether e is more than another effort; "" is less than any.
func (e Effort) Exceeds(other Effort) bool {
	sizes := []Effort{"", XS, S, M, L}
	return slices.Index(sizes, e) > slices.Index(sizes, other)
}

// Undecided reports whether these are the reasons that [Detect] gives where the request decides nothing.
func Undecided(reasons []msg.Message) bool {
	return msg.Contains(reasons, "request.undecided") || msg.Contains(reasons, "request.nothing_speaks_l")
}

// Template is the name of the flow that an effort takes.
func (e Effort) Template() string {
	return map[Effort]string{XS: "minimal", S: "light", M: "standard", L: "full"}[e]
}

// Up to these story points work is S, and M.
const (
	maxPointsOfS = 4
	maxPointsOfM = 12
)

// A sum of weights at or beyond these is XS, S, and L.
const (
	weightOfXS = -6.0
	weightOfS  = -2.0
	weightOfL  = 3.0
)

// So many named files speak for more work, and for much.
const (
	someFiles = 4
	manyFiles = 10
)

// A signal is words that speak for little work (below zero) or for much.
type signal struct {
	weight float64
	words  string // separated by "|"
}

var signals = []signal{
	{-3, "typo|typos|misspell*|misspelt|spelling|one-line*|one line|trivial*|tiny|good first issue|good-first-issue"},
	{-2, "small|minor|tweak*|wording|rephrase|reword|quick fix|bump|whitespace|broken link*|dead link*|cosmetic*|readme|changelog|sub-task|subtask"},
	{-1, "simple|quick|rename|comment|comments|error message*|log message*|label|docs|documentation|tooltip|unused|default value|formatting|lint"},
	{1, "refactor*|integrate*|integration with|concurren*|performance|security|backward* compatib*|end-to-end|multiple|several|infrastructure|replace all|new service|database|schema|large|big|across the"},
	{2, "complex|huge|major|public api|distributed|internationali*|i18n|across all|all modules|all services|all packages|every module|every service|every package|throughout"},
	{3, "migrat*|rewrite|rewriting|redesign*|re-design*|re-architect*|rearchitect*|architectur*|overhaul*|breaking change*|from scratch|entire codebase|whole codebase|large-scale|new subsystem|multi-tenan*"},
	{4, "epic"},

	{-3, "誤字|脱字|誤植|タイポ|一行|1行|軽微|微修正|打ち間違*"},
	{-2, "小さな|小さい|ちょっとした|文言|リンク切れ|些細|スペルミス|表記ゆれ|表記揺れ|サブタスク"},
	{-1, "簡単な|かんたんな|単純な|コメント|エラーメッセージ|ログメッセージ|ラベル|未使用|改名|リネーム|ドキュメント|文書"},
	{1, "リファクタ*|連携|統合|並行|性能|セキュリティ|後方互換|複数|インフラ|データベース|スキーマ|大きな|すべての|全ての|全体"},
	{2, "複雑|分散|国際化|多言語|横断|公開api|基盤"},
	{3, "移行|マイグレーション|刷新|全面|作り直*|作りなお*|書き直*|書きなお*|再設計|設計変更|アーキテクチャ|大規模|破壊的|ゼロから"},
	{4, "エピック"},
}

// strong is how much a word must weigh to count in a body, where words of
// little weight stand by chance.
const strong = 3

// labelled matches a label that says how large the work is.
var labelled = lazyregexp.MustCompile(`^(?:(?:size|effort|estimate|complexity|difficulty|t-?shirt|規模|工数|サイズ|難易度)[ :/_=-]+)?(xs|s|m|l|xl|xxl|small|medium|large|easy|hard|小|中|大)$`)

var sizes = map[string]Effort{
	"xs": XS, "s": S, "small": S, "easy": S, "小": S,
	"m": M, "medium": M, "中": M,
	"l": L, "xl": L, "xxl": L, "large": L, "hard": L, "大": L,
}

// Detect says how much effort a request is, and what speaks for it. What decides
// is the override, else the tracker's story points, else a label that names the
// size, else words and the number of files named; M if they are undecided. An
// override that is not an effort is an error.
func Detect(override *string, c Context, text string) (Effort, []msg.Message, error) {
	if override != nil && strings.TrimSpace(*override) != "" {
		e, err := ParseEffort(*override)
		if err != nil {
			return "", nil, err
		}
		return e, []msg.Message{msg.New("request.effort_typed", e)}, nil
	}
	if p := c.storyPoints(); p != nil {
		e, why := ofPoints(*p)
		return e, []msg.Message{why}, nil
	}
	for _, l := range c.labels() {
		if m := labelled.FindStringSubmatch(fold(strings.TrimSpace(l))); m != nil {
			return sizes[m[1]], []msg.Message{msg.New("request.the_label", l)}, nil
		}
	}
	e, why := ofWords(c, text)
	return e, why, nil
}

func ofPoints(p float64) (Effort, msg.Message) {
	said := msg.New("request.story_points", strconv.FormatFloat(p, 'f', -1, 64))
	switch {
	case p <= maxPointsOfS:
		return S, msg.New("request.effort_with_limit", said, maxPointsOfS)
	case p <= maxPointsOfM:
		return M, msg.New("request.m_up", said, maxPointsOfM)
	}
	return L, msg.New("request.l_above", said, maxPointsOfM)
}

// A field is one part of a request.
type field struct {
	name   msg.Message
	text   string  // folded
	weight float64 // how much its words count
	min    float64 // how much a word must weigh to count at all
}

// fields are the parts of a request, those that count most first. The first line
// of a text is its title, as it were, the rest its body.
func fields(c Context, text string) []field {
	line, rest, _ := strings.Cut(clean(text), "\n")
	return []field{
		{msg.New("request.the_labels"), fold(strings.Join(c.labels(), "\n")), 1.5, 0},
		{msg.New("request.issue_type"), fold(c.issueType()), 1, 0},
		{msg.New("request.the_title"), fold(prose(c.Title())), 1, 0},
		{msg.New("request.the_text"), fold(prose(line)), 1, 0},
		{msg.New("request.the_text"), fold(prose(rest)), 0.5, strong},
		{msg.New("request.the_body"), fold(prose(c.Body())), 0.5, strong},
	}
}

// find returns the field in which a signal's word counts most, and the word as it
// is there.
func find(word string, weight float64, parts []field) (field, string) {
	for _, f := range parts {
		if math.Abs(weight) < f.min {
			continue
		}
		if there := findWord(f.text, word); there != "" {
			return f, there
		}
	}
	return field{}, ""
}

func ofWords(c Context, text string) (Effort, []msg.Message) {
	var (
		sum          float64
		small, large []msg.Message
	)
	note := func(weight float64, why msg.Message) {
		sum += weight
		if weight < 0 {
			small = append(small, why)
		} else {
			large = append(large, why)
		}
	}
	parts := fields(c, text)
	for _, s := range signals {
		for word := range strings.SplitSeq(s.words, "|") {
			if f, there := find(word, s.weight, parts); there != "" {
				note(s.weight*f.weight, msg.New("request.quoted_in", there, f.name))
			}
		}
	}
	switch n := len(namedFiles(c.Title() + "\n" + text + "\n" + c.Body())); {
	case n == 1:
		note(-1, msg.New("request.names_one_file"))
	case n >= manyFiles:
		note(3, msg.New("request.names_files", n))
	case n >= someFiles:
		note(1.5, msg.New("request.names_files", n))
	}
	switch {
	case sum <= weightOfXS && len(large) == 0:
		return XS, small
	case sum <= weightOfS:
		return S, small
	case sum >= weightOfL:
		return L, large
	case len(small)+len(large) == 0:
		return M, []msg.Message{msg.New("request.nothing_speaks_l")}
	}
	return M, append([]msg.Message{msg.New("request.undecided")}, append(small, large...)...)
}
