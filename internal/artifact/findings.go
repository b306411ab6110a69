package artifact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDescription is how many bytes of a finding are kept; the review has the rest.
const maxDescription = 2000

// marker is how a finding begins: "[CRITICAL]", "**[Minor]**", "【MAJOR】", and
// with a colon also "**CRITICAL**:" and "CRITICAL:".
var (
	marker  = regexp.MustCompile(`(?i)[*_` + "`" + `]*[\[［【(（]\s*(CRITICAL|MAJOR|MINOR)\b[^\]］】)）\[\n]{0,40}[\]］】)）][*_` + "`" + `]*\s*[:：]?[*_]*`)
	leading = regexp.MustCompile(`(?i)^[*_` + "`" + `]*(CRITICAL|MAJOR|MINOR)(?:\s+(?:issue|finding)s?)?(?:\s*[#-]?\d+)?[*_` + "`" + `]*\s*[:：][*_]*`)
	// before is what may stand in front of a finding's marker.
	before = regexp.MustCompile(`(?i)^(?:\[[ x]\]|[|*_\s]|[a-z]{0,8}[-_ ]?\d{1,4}(?:\.\d+)*[.):：|\s]|(?:(?:review|レビュー)\s*)?(?:findings?|issues?|指摘(?:事項)?|問題点?)\s*\d*\s*[:：])*$`)
	// section is a heading that gives the severity of what stands below it.
	section = regexp.MustCompile(`(?i)^[*_\[［【(（\s]*(CRITICAL|MAJOR|MINOR)[*_\]］】)）\s]*(?:(?:issue|finding|problem|comment|item)s?|の?指摘(?:事項)?|の?問題点?)?\s*(?:[(（]\d+\s*件?[)）])?[*_\s]*[:：]?[*_\s]*$`)
	nothing = regexp.MustCompile(`(?i)^(?:none|nil|n/?a|nothing|no|0|-+|–|—|なし|無し|無|特になし|該当なし|該当なし|ありません|特にありません|ない|0\s*件)?(?:\s*(?:critical|major|minor|blocking))?(?:\s*(?:issues?|findings?|problems?))?(?:\s*(?:were|was)?\s*(?:found|identified|remain(?:ing)?|left|noted|at this time|detected))?$`)
)

// findings returns what the lines of a review find; never nil.
func findings(lines []line) []Finding {
	c := collector{all: []Finding{}}
	for _, l := range lines {
		c.add(l)
	}
	c.flush()
	return c.all
}

// A collector gathers the lines of findings.
type collector struct {
	all      []Finding
	severity string // of the finding that is open, else empty
	text     []string
	start    line   // where it begins
	section  string // the severity that a heading gave
	level    int    // of that heading
	depth    int    // of the section's own items, once one was seen
}

func (c *collector) add(l line) {
	if l.level > 0 {
		c.heading(l)
		return
	}
	if _, ok := labelOf(l.text); ok {
		c.flush()
		c.section = ""
		return
	}
	if c.marked(l) {
		return
	}
	if c.severity != "" && c.goesOn(l) {
		c.text = append(c.text, l.text)
		return
	}
	c.flush()
	if c.section != "" && (c.depth < 0 || l.item && l.depth <= c.depth || l.depth == 0) {
		c.open(c.section, l, l.text)
		c.depth = l.depth
	}
}

// heading takes a heading: it may be a finding, or give the severity of those
// below it; in any case it ends what went before.
func (c *collector) heading(l line) {
	c.flush()
	if m := section.FindStringSubmatch(l.text); m != nil {
		c.section, c.level, c.depth = strings.ToUpper(m[1]), l.level, -1
		return
	}
	if l.level <= c.level {
		c.section = ""
	}
	c.marked(l)
}

// marked takes a line that begins with the marker of a finding, and the further
// findings on it.
func (c *collector) marked(l line) bool {
	text := l.text
	if strings.HasPrefix(text, "~~") {
		return false
	}
	at := marker.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 || !before.MatchString(unquoted(text[:at[0][0]])) {
		if m := leading.FindStringSubmatchIndex(text); m != nil {
			at = append([][]int{m}, after(at, m[1])...)
		} else {
			return false
		}
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		c.flush()
		c.open(strings.ToUpper(text[m[2]:m[3]]), l, text[m[1]:end])
	}
	return true
}

// after returns the matches that begin at or behind a place.
func after(matches [][]int, place int) [][]int {
	for i, m := range matches {
		if m[0] >= place {
			return matches[i:]
		}
	}
	return nil
}

func (c *collector) open(severity string, l line, text string) {
	c.severity, c.start, c.text = severity, l, append(c.text[:0], text)
}

// goesOn says whether the line belongs to the open finding: to its list item, to
// its paragraph, to its heading.
func (c *collector) goesOn(l line) bool {
	switch {
	case c.start.level > 0:
		return true
	case c.start.item:
		return l.depth > c.start.depth || l.depth == c.start.depth && !l.item && l.depth > 0
	case l.block == c.start.block && !l.item:
		return true
	case blank(c.text):
		c.start = l // the marker stood alone
		return true
	}
	return l.item && l.depth > c.start.depth && l.block <= c.start.block+2
}

// flush ends the open finding, if there is one and it says something.
func (c *collector) flush() {
	if c.severity != "" {
		if d := description(c.text); d != "" {
			c.all = append(c.all, Finding{c.severity, d})
		}
	}
	c.severity = ""
}

func blank(text []string) bool {
	for _, t := range text {
		if clean(t) != "" {
			return false
		}
	}
	return true
}

// description joins the lines of a finding. It is empty if they say that there
// is none.
func description(text []string) string {
	d := clean(strings.Join(text, " "))
	if nothing.MatchString(strings.TrimRight(clean(plain(d)), ".!。！ ")) {
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

// clean cuts off what joins a marker to its text.
func clean(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimLeftFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune(":：-–—|,;、", c)
	})
	return strings.TrimRight(s, " |,;、*_")
}

func unquoted(s string) string { return strings.ReplaceAll(s, "`", "") }
