package question

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// An Exact is what a question writes as it may be in the code: a place that contains it,
// where few do, is likely one that the question is about.
type Exact struct {
	Text string // an option without its dashes, a name, or words of a message that do not vary
	Kind ExactKind
}

// An ExactKind says how an exact text is written where it is.
type ExactKind int

// The kinds, the most telling first.
const (
	Message ExactKind = iota // of an error or to a user
	Option                   // of a command line: --dry-run
	Word                     // a variable of the environment, a key, what is in quotes
)

// Bounds of what is looked for as it is written.
const (
	maxExact   = 5
	minMessage = 10 // characters of a message
	minWord    = 3
)

var (
	option       = lazyregexp.MustCompile("(?:^|[\\s\"'`(\\[,|=/])--([A-Za-z][A-Za-z0-9_-]*[A-Za-z0-9])")
	environment  = lazyregexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)
	inSingle     = lazyregexp.MustCompile(`(?:^|[\s(\[:=,])'([^'\n]{2,200})'(?:$|[\s)\].,:;=?!])`)
	keyed        = lazyregexp.MustCompile(`[{(,]\s*([A-Za-z_]\w+)\s*(?::\s|=[^=>])`)
	errorMessage = lazyregexp.MustCompile(`(?:\b[\w.]*(?:Error|Exception|Warning)|\b[Ee]rror|\bpanic|\bfatal): +(\S.*)`)
	varies       = lazyregexp.MustCompile(`'[^']*'|"[^"]*"|\S*[<{%$/\\=]\S*|\b\d\S*|[:;] `)
	plainWord    = lazyregexp.MustCompile(`^[A-Za-z_@$][\w.-]*\w$`)
	sourceMarks  = lazyregexp.MustCompile(`[(){};=<>]|->|::`)
)

// readExact notes what a part of a text writes as it may be in the code.
func (q *Question) readExact(part string) {
	for _, m := range errorMessage.FindAllStringSubmatch(part, -1) {
		q.exactMessage(m[1])
	}
	for _, quoted := range []*lazyregexp.Regexp{inQuotes, inSingle, inTicks} {
		for _, m := range quoted.FindAllStringSubmatch(part, -1) {
			text := strings.TrimSpace(strings.Join(m[1:], ""))
			switch {
			case plainWord.MatchString(text):
				q.exact(Word, text)
			case !sourceMarks.MatchString(text):
				q.exactMessage(text)
			}
		}
	}
	for _, m := range option.FindAllStringSubmatch(part, -1) {
		q.exact(Option, m[1])
	}
	for _, w := range environment.FindAllString(part, -1) {
		q.exact(Word, w)
	}
	for _, m := range keyed.FindAllStringSubmatch(part, -1) {
		q.exact(Word, m[1])
	}
}

// exactMessage notes the longest run of words of a message that likely do not vary.
func (q *Question) exactMessage(text string) {
	longest := ""
	for _, run := range varies.Split(text, -1) {
		if run = strings.Trim(run, " .,!?…`\"'"); len(run) > len(longest) {
			longest = run
		}
	}
	if strings.Contains(longest, " ") {
		q.exact(Message, longest)
	}
}

func (q *Question) exact(kind ExactKind, text string) {
	least := minWord
	if kind == Message {
		least = minMessage
	}
	e := Exact{text, kind}
	if len(text) >= least && !slices.Contains(q.Exact, e) {
		q.Exact = append(q.Exact, e)
	}
}

// limitExact keeps the most telling ones.
func (q *Question) limitExact() {
	slices.SortStableFunc(q.Exact, func(a, b Exact) int { return int(a.Kind - b.Kind) })
	q.Exact = q.Exact[:min(len(q.Exact), maxExact)]
}
