package artifact

import (
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// A Criterion is one entry of the section "## Criteria" of a review: what was asked for,
// and where it can be seen that it holds.
type Criterion struct {
	Line    int     // of the review
	Text    string  // the whole entry, as one line
	Places  []Place // the places that it names
	Command bool    // it names a command that was run
	Unmet   bool    // it says itself that it does not hold
}

// A Place is a file that a review names, relative to the root, and a line of it; 0 if it
// names none.
type Place struct {
	Path string
	Line int
}

var (
	criteriaHeading = lazyregexp.MustCompile(`(?i)^(?:(?:acceptance|verification|success|task)\s+)*criteria(?:\s+(?:checked|check|met|verified|coverage))?\s*:?$|^(?:受け?入れ)?(?:の?(?:基準|条件))(?:の?(?:確認|検証))?\s*:?$`)
	unmet           = lazyregexp.MustCompile(`(?i)(?:[:：→⇒|(（—–]|->|=>|\s-\s)[\s*_]*(?:not (?:met|done|satisfied|fulfilled|implemented|verified|checked|tested)|unmet|unverified|untested|missing|partial(?:ly)?(?: met)?|fail(?:ed|s|ing)?|no)[\s*_]*(?:$|[.,;:)）|—–]|\s-\s)|❌|✗|✘|未達|未確認|未実装|満たさない|満たしていない|満たされていない`)
	placeAt         = lazyregexp.MustCompile(`(?::|#L)(\d{1,7})`)
	commandLike     = lazyregexp.MustCompile(`^(?:\./|[A-Za-z_][\w./-]*)(?:\s+\S.*)$`)
)

// ParseCriteria reads the entries of the section "## Criteria": list items, rows of a
// table, or paragraphs. Without the section there is none.
func ParseCriteria(body string) (all []Criterion) {
	in, level, block := false, 0, -1
	lines := markdown.Read(body)
	for i, l := range lines {
		if l.Level > 0 {
			if heading := criteriaHeading.MatchString(unnumbered(plain(l.Text))); heading || l.Level <= level {
				in, level = heading, l.Level
			}
			continue
		}
		if !in || delimiter.MatchString(l.Text) || i+1 < len(lines) && strings.Contains(l.Text, "|") && delimiter.MatchString(lines[i+1].Text) {
			continue
		}
		if _, labelled := labelOf(l.Text); labelled {
			in, level = false, 0
			continue
		}
		row := strings.HasPrefix(l.Text, "|")
		if n := len(all); n > 0 && !row && (!l.Item && (l.Block == block || l.Depth > 0) || l.Item && l.Depth > 1) {
			all[n-1].Text += " " + unboxed(l.Text)
		} else {
			said := unboxed(l.Text)
			if row {
				said = strings.Join(cells(said), " | ")
			}
			if strings.HasPrefix(strings.TrimSpace(l.Text), "[ ]") {
				said = "❌ " + said // a box that is not ticked
			}
			all = append(all, Criterion{Line: l.Number, Text: said})
		}
		block = l.Block
	}
	for i := range all {
		all[i].read()
	}
	return all
}

// read fills in what the text of an entry names.
func (c *Criterion) read() {
	c.Text = clean(c.Text)
	c.Unmet = unmet.MatchString(c.Text)
	rest := c.Text
	take := func(word string) {
		word = strings.Trim(word, "*_`'\"()[]{}<>,;.。、（）「」")
		if !likeFile(word) {
			return
		}
		if name, why := cleanPath(word); why.IsZero() {
			p := Place{Path: name}
			if m := placeAt.FindStringSubmatch(word); m != nil {
				p.Line, _ = strconv.Atoi(m[1]) // at most seven digits
			}
			c.Places = append(c.Places, p)
		}
	}
	for _, s := range markdown.CodeSpans(c.Text) {
		take(s.Text)
		if commandLike.MatchString(s.Text) && !likeFile(s.Text) {
			c.Command = true
		}
		rest = strings.Replace(rest, c.Text[s.Start:s.End], " ", 1)
	}
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t|→⇒,、，（）()「」", r) }) {
		take(word)
	}
}
