package artifact

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// Bounds on what is kept; the review itself has the rest.
const (
	maxDescription = 2000 // bytes of one finding
	maxFindings    = 200
)

var (
	// marker begins a finding: "[CRITICAL]", "**[Minor]**", "【MAJOR】".
	marker = lazyregexp.MustCompile(`(?i)[*_` + "`" + `]*[\[［【]\s*` + severities + `[^\]］】\[\n]{0,40}[\]］】](?:[*_` +
		"`" + `]*[*_\s:：]|` + "`" + `$)?[*_\s]*[:：]?[*_]*`)
	// named begins one without brackets: "CRITICAL:", "**Minor issue 2:**".
	named = lazyregexp.MustCompile(`(?i)^[*_` + "`" + `]*` + severities + `(?:\s+(?:issue|finding|bug|problem)s?)?(?:な?の?(?:指摘(?:事項)?|問題点?|不具合|バグ))?(?:[-\s]*#?\d+)?[*_` + "`" + `]*\s*[:：][*_]*`)
	// before is what may be in front of the first marker of a line: a box, a
	// number, the word finding.
	before = lazyregexp.MustCompile(`(?i)^(?:\[[ x]\]|[|*_` + "`" + `\s]|[a-z]{0,8}[-_ ]?#?\d{1,4}(?:\.\d+)*[.):：|–—\s]|[–—]|-\s|(?:review\s+|レビュー)?(?:findings?|issues?|指摘(?:事項)?|問題点?)\s*#?\d*\s*[:：.–—-]?)*$`)
	// stop is what a marker within a line must follow, unless another came before.
	stop = lazyregexp.MustCompile(`[.;。；|!！)）][*_` + "`" + `\s]*$`)
	// A marker that these are around is spoken of, not set.
	spokenBefore = lazyregexp.MustCompile(`(?i)\b(?:the|an?|no|any|as|than|not|is|are|of|to|or|and|for|from|without|reach(?:es)?|zero)[*_` + "`" + `\s]*$`)
	spokenAfter  = lazyregexp.MustCompile(`(?i)^\s*(?:(?:level|severity|findings?|issues?|ones?|or|and)\b|の指摘|な指摘|または|や)`)
	// section is a heading that gives the severity of what is below it.
	section = lazyregexp.MustCompile(`(?i)^[\[【(]?\s*` + severities + `\s*[\]】)]?\s*(?:(?:issue|finding|problem|comment|item|concern|bug|defect)s?|な?の?指摘(?:事項)?|な?の?問題点?)?\s*(?:\([^)]{0,40}\))?\s*:?$`)
)

// nothing is what agents write where there is nothing to say.
var nothing = lazyregexp.MustCompile(`(?i)^(?:(?:issues?|findings?|problems?)\s*:\s*)?(?:` + strings.Join([]string{
	``, `-+`, `[–—]`, `nil`, `n/?a`, `nothing(?:\s+(?:found|to report|else))?`, `no`, `empty`,
	`none(?:\s+(?:found|identified|noted|remaining|detected|at this time|so far|in this \w+))?`,
	`(?:there (?:are|were) |i found |we found )?(?:no|zero)\s+(?:(?:critical|major|minor|blocking|significant|further|other|such|new|remaining|additional)(?:\s+or\s+|\s+and\s+|[/,]\s*|\s+))*(?:issues?|findings?|problems?|concerns?|defects?|items?)\b[^.;:,]{0,60}`,
	`\d+\s*(?:件|issues?|findings?)?(?:\s*[,;|/、].*)?`, // a count is not a finding
	`(?:(?:重大な|クリティカルな|軽微な|ブロッキングな)?(?:指摘(?:事項)?|問題(?:点)?|懸念(?:点)?|該当)(?:は|も)?、?)?(?:特に)?(?:なし|無し|無|ない|ありません(?:でした)?|見つかりませんでした)(?:です)?`,
}, `|`) + `)$`)

// saysNothing reports whether a text says that there is nothing to say.
func saysNothing(text string) bool {
	const longest = 300
	return len(text) <= longest && nothing.MatchString(strings.TrimRight(clean(plainLine(text)), ".!。 "))
}

// A reading is what the lines of a review find.
type reading struct {
	all  []Finding    // never nil
	seen map[int]bool // the lines that hold a finding, or say that there is none
	// The first line whose severity cannot be told, or that counts critical findings
	// that are nowhere listed; zero if there is none.
	unread markdown.Line
}

func findings(lines []markdown.Line) reading {
	seen := make(map[int]bool)
	lines, counted, unread := tables(lines, seen)
	c := collector{reading: reading{all: []Finding{}, seen: seen, unread: unread}, counted: counted}
	for _, l := range lines {
		c.add(l)
	}
	c.flush()
	if c.counted > 0 && !Blocks(c.all) && c.unread.Number == 0 && len(lines) > 0 {
		c.unread = lines[0]
	}
	if more := len(c.all) - maxFindings; more > 0 {
		worst := Minor
		for _, f := range c.all[maxFindings:] {
			if f.Severity == Critical || worst == Minor {
				worst = f.Severity
			}
		}
		c.all = append(c.all[:maxFindings], Finding{worst, msg.New("artifact.more_review", more)})
	}
	return c.reading
}

// A collector gathers the lines of findings.
type collector struct {
	reading
	severity string        // of the finding that is open, else empty
	start    markdown.Line // where that begins
	block    int           // of the last line of it
	text     []string

	section string // the severity that a heading gave
	level   int    // of that heading
	depth   int    // of the section's items; 0 before one was seen

	heading  markdown.Line   // the last one
	items    []markdown.Line // the open list items, outermost first
	previous markdown.Line
	counted  int // critical findings that are counted
	settled  int // the level of the heading below which findings hold no more; 0: there is none
}

func (c *collector) add(l markdown.Line) {
	defer c.pass(l)
	if c.settled > 0 && (l.Level == 0 || l.Level > c.settled) {
		c.seen[l.Number] = true
		return
	}
	c.settled = 0
	_, labelled := labelOf(l.Text)
	if !labelled {
		l.Text = canonical(l.Text)
	}
	switch {
	case labelled:
		c.flush()
		c.section = ""
	case l.Text == "":
	case c.field(l):
	case l.Level > 0:
		c.takeHeading(l)
	case c.marked(l):
	case c.severity != "" && c.goesOn(l):
		c.text, c.block = append(c.text, l.Text), l.Block
	case c.section == "":
		c.flush()
	case c.depth > 0 && l.Depth == 0: // a paragraph behind the section's items
		c.flush()
		c.section = ""
	default:
		if c.severity != "" && !l.Item && !c.start.Item {
			c.text, c.block = append(c.text, l.Text), l.Block
			return
		}
		if l.Item && (c.depth == 0 || l.Depth < c.depth) {
			c.depth = l.Depth
		}
		c.open(c.section, l, l.Text)
	}
}

// pass notes where the reading is.
func (c *collector) pass(l markdown.Line) {
	switch {
	case l.Level > 0:
		c.heading, c.items = l, nil
	case l.Item:
		for n := len(c.items); n > 0 && c.items[n-1].Depth >= l.Depth; n-- {
			c.items = c.items[:n-1]
		}
		c.items = append(c.items, l)
	case l.Depth == 0:
		c.items = nil
	}
	c.previous = l
}

// field takes a line that names the severity of what is around it: "Severity:
// critical" below a heading, in a list item, or in a paragraph.
func (c *collector) field(l markdown.Line) bool {
	m := keyed.FindStringSubmatchIndex(l.Text)
	if m == nil || l.Level > 0 {
		return false
	}
	severity, rest := severityOf(l.Text[m[2]:m[3]]), strings.TrimLeft(l.Text[m[3]:], "*_`]】)） ")
	c.seen[l.Number] = true
	if c.severity != "" && c.goesOn(l) {
		if severity == Critical || c.severity == Minor {
			c.severity = severity
		}
		c.text, c.block = append(c.text, rest), l.Block
		return true
	}
	about := markdown.Line{}
	for _, p := range c.items {
		if p.Depth < l.Depth || p.Depth == l.Depth && !l.Item {
			about = p
		}
	}
	switch {
	case about.Number > 0:
	case !l.Item && c.previous.Block == l.Block && c.previous.Level == 0:
		about = c.previous
	case c.heading.Number > 0 && c.heading.Level > 1 && !findingsHeading.MatchString(unnumbered(plainLine(c.heading.Text))):
		about = c.heading
	}
	if about.Number == 0 {
		if rest == "" && c.previous.Level == 0 {
			rest = c.previous.Text + " "
		}
		if rest == "" {
			rest = l.Text
		}
		c.open(severity, l, rest)
		return true
	}
	c.open(severity, about, about.Text)
	c.text, c.block = append(c.text, rest), l.Block
	return true
}

// takeHeading takes a heading: it may be a finding, or give the severity of those
// below it; in any case it ends what went before.
func (c *collector) takeHeading(l markdown.Line) {
	c.flush()
	if settledHeading.MatchString(unnumbered(plainLine(l.Text))) {
		c.settled, c.section, c.seen[l.Number] = l.Level, "", true
		return
	}
	if c.opensSection(l) {
		return
	}
	if l.Level <= c.level {
		c.section = ""
	}
	c.marked(l)
}

func (c *collector) opensSection(l markdown.Line) bool {
	if len(l.Text) > 100 {
		return false
	}
	m := section.FindStringSubmatch(unnumbered(plainLine(l.Text)))
	if m == nil {
		return false
	}
	c.flush()
	c.section, c.level, c.depth = severityOf(m[1]), l.Level, 0
	if l.Level == 0 {
		c.level = 6
	}
	return true
}

// marked takes a line on which findings begin.
func (c *collector) marked(l markdown.Line) bool {
	text := l.Text
	if strings.HasPrefix(text, "~~") {
		c.seen[l.Number] = true
		return false // struck out: it is settled
	}
	if !l.Item && l.Level == 0 && c.opensSection(l) {
		return true
	}
	at := c.markers(l)
	if len(at) == 0 {
		return false
	}
	if front := text[:at[0][0]]; c.severity != "" && c.goesOn(l) && !before.MatchString(front) {
		c.text = append(c.text, front)
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		c.flush()
		c.open(severityOf(text[m[2]:m[3]]), l, text[m[1]:end])
	}
	return true
}

// markers returns where findings begin on a line: the indices of the markers and
// of the severities in them.
func (c *collector) markers(l markdown.Line) [][]int {
	var at [][]int
	if m := named.FindStringSubmatchIndex(l.Text); m != nil {
		at = append(at, m)
	}
	within := len(at) > 0 || c.severity != "" && c.goesOn(l)
	for _, m := range marker.FindAllStringSubmatchIndex(l.Text, -1) {
		const near = 60 // what is farther away says nothing of this one
		from := max(0, m[0]-near)
		front, behind := l.Text[from:m[0]], l.Text[m[1]:min(len(l.Text), m[1]+near)]
		first := from == 0 && before.MatchString(front)
		bold := strings.HasPrefix(l.Text[m[0]:], "*")
		spoken := !bold && spokenBefore.MatchString(front) || spokenAfter.MatchString(behind)
		if first || (within || stop.MatchString(front)) && !spoken {
			at, within = append(at, m), true
		}
	}
	return at
}

func (c *collector) open(severity string, l markdown.Line, text string) {
	c.flush()
	c.severity, c.start, c.block, c.text = severity, l, l.Block, append(c.text[:0], text)
	c.seen[l.Number] = true
}

// goesOn says whether the line belongs to the open finding: to its heading, its
// list item, its paragraph.
func (c *collector) goesOn(l markdown.Line) bool {
	switch {
	case l.Level > 0:
		return false
	case c.start.Level > 0:
		return true
	case !l.Item && l.Block == c.block:
		return l.Text[0] != '|' // a row is a finding of its own
	case c.start.Item:
		return l.Depth > c.start.Depth || l.Depth == c.start.Depth && !l.Item
	}
	return l.Item && l.Depth > c.start.Depth && l.Block <= c.block+1 // bullets right below
}

// flush ends the open finding, if there is one and it says something.
func (c *collector) flush() {
	if c.severity != "" {
		if d := description(c.text); d != "" && !settled.MatchString(d) {
			c.all = append(c.all, Finding{c.severity, msg.Literal(d)})
		} else if n := leadingNumber(c.text); d == "" && c.severity == Critical && n > 0 {
			c.counted += n
		}
	}
	c.severity = ""
}

// leadingNumber is the number that the text of a finding begins with: "[CRITICAL]: 2".
func leadingNumber(text []string) int {
	said := clean(strings.Join(text, " "))
	end := strings.IndexFunc(said, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(said)
	}
	n, err := strconv.Atoi(said[:min(end, 6)])
	if err != nil {
		return 0
	}
	return n
}

// description joins the lines of a finding. It is empty if they say that there
// is none.
func description(text []string) string {
	d := clean(strings.Join(text, " "))
	if saysNothing(d) {
		return ""
	}
	if len(d) > maxDescription {
		cut := maxDescription
		for !utf8.RuneStart(d[cut]) {
			cut--
		}
		d = d[:cut] + "…"
	}
	return d
}

// clean makes a text one line, without bold type and what joins a marker to it.
func clean(s string) string {
	s = text.OneLine(strings.ReplaceAll(s, "**", ""))
	s = strings.TrimLeftFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune(":：-–—|,;、", c)
	})
	return strings.TrimRight(s, " |,;、")
}

// UniqueFindings returns each finding once; never nil.
func UniqueFindings(all []Finding) []Finding {
	list := []Finding{}
	for _, f := range all {
		if !slices.ContainsFunc(list, func(o Finding) bool { return o.Severity == f.Severity && o.Description.Equal(f.Description) }) {
			list = append(list, f)
		}
	}
	return list
}

// NewCritical is a finding that keeps the work from going on.
func NewCritical(key string, args ...any) Finding {
	return Finding{Severity: Critical, Description: msg.New(key, args...)}
}
