package artifact

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// A Criterion is one entry of the section "## Criteria" of a review: what was asked for,
// and where it can be seen that it holds.
type Criterion struct {
	Line     int      // of the review
	Text     string   // the whole entry, as one line
	Places   []Place  // the places that it names
	Commands []string // those that it names as run
	Unmet    bool     // it says itself that it does not hold
}

// A Place is a file that a review names, relative to the root, and its lines from Line to
// Last, the smaller first; 0 if it names none.
type Place struct {
	Path  string
	Line  int
	Last  int
	Aside bool // it belongs to what was asked for, before the arrow: it shows nothing
}

// arrow is between what was asked for and where it can be seen.
var arrow = lazyregexp.MustCompile(`→|⇒|->|=>`)

var (
	criteriaHeading = lazyregexp.MustCompile(`(?i)^(?:(?:acceptance|verification|success` +
		`|task)\s+)*criteria(?:\s+(?:checked|check|met|verified|coverage))?\s*:?$|^(?:受け?入れ)?(?:の?(?:基準` +
		`|条件))(?:の?(?:確認|検証))?\s*:?$`)
	unmet = lazyregexp.MustCompile(`(?i)(?:[:：→⇒|(（—–]|->|=>|\s-\s)[\s*_]*(?:not (?:met|done|satisfied` +
		`|fulfilled|implemented|verified|checked|tested)|unmet|unverified|untested|missing` +
		`|partial(?:ly)?(?: met)?|fail(?:ed|s|ing)?|no)[\s*_]*(?:$|[.,;:)）|—–]|\s-\s)|❌|✗|✘|未達|未確認|未実装|満たさない` +
		`|満たしていない|満たされていない`)
	// A remark on a place that retracts it: the whole remark, or the beginning
	// of it up to a stop. Longer remarks may speak of what the code does.
	retraction = lazyregexp.MustCompile(`(?i)` +
		`^[\s\p{P}]*(?:(?:is|are|was|were|but|still|currently|this is)\s+)*(?:` +
		`(?:not|never) (?:yet|met|done|satisfied|fulfilled|implemented|verified|checked|tested|there|covered|run` +
		`|executed|tried)|` +
		`(?:should|would|will) (?:pass|work|hold)|` +
		`does(?: not|n't) (?:hold|work|exist)|` +
		`could(?: not|n't) be (?:checked|verified|tested|confirmed)|` +
		`cannot be (?:checked|verified|tested)|can't be (?:checked|verified|tested)|` +
		`to ?do|tbd|n/?a|later|assumed|presumably|skipped|unclear|unknown|incomplete|blocked|violated|wrong` +
		`|broken|pending|open|` +
		`only (?:half|partly|partially|in part)|ng|` +
		`(?:mostly|largely|almost|nearly|partly)|(?:should|ought to) be (?:fine|ok(?:ay)?|good|enough)|(?:i` +
		`|we) (?:believe|think|hope|guess|assume)|hopefully|probably|likely|perhaps|not sure|` +
		`as far as (?:i|we) (?:can tell|know|see)|to be (?:verified|checked|tested|done|confirmed|implemented)` +
		`|needs (?:more )?(?:work|a test|tests|checking)|work in progress|wip|(?:only|just) an? (?:stub` +
		`|placeholder|dummy)|` +
		`un(?:tested|checked|implemented)|no test (?:covers|checks|shows) (?:it|this)|(?:but )?(?:the` +
		`|its) tests? fails?|postponed|out of scope|not in this change|(?:left )?for later|(?:in|as) a follow[- ]?up)` +
		`(?:\s+(?:yet|so far|met|done|verified|checked|tested|run|executed|implemented|here|now))?[\s*_~)\]]*(?:$` +
		`|[.,;:!—–])|` +
		// words that may be those of what the code does, unless they are all that is said
		`^[\s\p{P}]*(?:half|maybe|(?:an? )?(?:stub|placeholder|dummy)|fails|deferred|unfinished|(?:works|holds` +
		`|met|done),? (?:but not|except)(?: for)? [^.;,]{1,60})[\s*_~)\]]*(?:$|[.;!])|` +
		`^[\s\p{P}]*[?？]|🚧|⏳|⌛|⚠|🔴|⛔|` +
		`未検証|未実行|未テスト|未対応|確認(?:できず|できない|できていない)|一部のみ|後で|あとで|たぶん|おそらく|` +
		`(?:未完了|要確認|別途対応|見送り|(?:確認|実装|テスト|実行)していない)[\s*_~)）」]*(?:$|[。、,.;:！!])`)
	// What is before a criterion, and says that it does not hold.
	struckOut = lazyregexp.MustCompile(`^\[[-~!]\]|^~~.+~~|^(?:NOT MET|UNMET|FAIL(?:ED|S)?|MISSING|TODO|NG|OPEN` +
		`|PENDING)\b|[:：]\s*[×✕✖]|[:：]\s*NG\b`)
	placeAt     = lazyregexp.MustCompile(`(?::L?|#L)(\d{1,9})(?:[-–]L?(\d{1,9}))?`)
	commandLike = lazyregexp.MustCompile(`^(?:\./|[A-Za-z_][\w./-]*)(?:\s+\S.*)$`)
)

// ParseCriteria reads the entries of the section "## Criteria": list items, rows of a
// table, or paragraphs. Without the section there is none.
func ParseCriteria(body string) (all []Criterion) {
	in, level, block := false, 0, -1
	lines := markdown.Read(body)
	for i, l := range lines {
		if l.Level > 0 {
			if heading := criteriaHeading.MatchString(unnumbered(plainLine(l.Text))); heading || l.Level <= level {
				in, level = heading, l.Level
			}
			continue
		}
		if !in || delimiter.MatchString(l.Text) ||
			i+1 < len(lines) && strings.Contains(l.Text, "|") && delimiter.MatchString(lines[i+1].Text) {
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
				said = strings.Join(splitRow(said), " | ")
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

var weakenedHeading = lazyregexp.MustCompile(`(?i)^weakened tests?\b|^弱くなったテスト|^弱めたテスト`)

// ParseWeakened reads the lines of the section "## Weakened Tests". Without the section
// there is none.
func ParseWeakened(body string) []string { return linesBelow(body, weakenedHeading) }

var keptHeading = lazyregexp.MustCompile(`(?i)^kept\b|^残したもの`)

// ParseKept reads the lines of the section "## Kept" likewise: what a report leaves in a file on purpose.
func ParseKept(body string) []string { return linesBelow(body, keptHeading) }

// linesBelow returns the lines below a heading, without what is struck out.
func linesBelow(body string, heading *lazyregexp.Regexp) (all []string) {
	in, level := false, 0
	for _, l := range markdown.Read(body) {
		if l.Level > 0 {
			if is := heading.MatchString(unnumbered(plainLine(l.Text))); is || l.Level <= level {
				in, level = is, l.Level
			}
		} else if in {
			all = append(all, unboxed(struck.ReplaceAllString(l.Text, "")))
		}
	}
	return all
}

var (
	answersTo = lazyregexp.MustCompile(`^[^\p{L}\p{N}]*(C[1-9]\d{0,3}(?:\s*(?:[,、/&+]` +
		`|and)\s*C[1-9]\d{0,3})*)(?:[^\p{L}\p{N}]|$)`)
	commentID = lazyregexp.MustCompile(`C[1-9]\d*`)
	declines  = lazyregexp.MustCompile(`(?i)^[\s\p{P}|→]*(?:declined?|won['’]?t (?:do|fix)` +
		`|no changes?(?: needed)?|nothing to (?:do|change)|見送り|見送る|対応しない|対応不要|変更なし|変更不要)[\s\p{P}|→]+(.*)`)
)

// Answers returns the comments of a review that an entry answers ("C1"), and the reason if it
// declines them; "" if it does not.
func (c Criterion) Answers() (ids []string, declined string) {
	m := answersTo.FindStringSubmatchIndex(c.Text)
	if m == nil {
		return nil, ""
	}
	ids = commentID.FindAllString(c.Text[m[2]:m[3]], -1)
	if reason := declines.FindStringSubmatch(c.Text[m[3]:]); reason != nil {
		declined = strings.Trim(reason[1], " |")
	}
	return ids, declined
}

// trailingText is what is said behind the last place or command of an entry.
func (c *Criterion) trailingText() string {
	spans := markdown.CodeSpans(c.Text)
	if len(spans) == 0 {
		return ""
	}
	return c.Text[spans[len(spans)-1].End:]
}

// read fills in what the text of an entry names.
func (c *Criterion) read() {
	c.Text = clean(c.Text)
	c.Unmet = unmet.MatchString(c.Text) || struckOut.MatchString(c.Text) || retraction.MatchString(c.trailingText())
	asked, shown := "", c.Text
	if at := arrow.FindStringIndex(c.Text); at != nil {
		asked, shown = c.Text[:at[0]], c.Text[at[1]:]
	}
	aside, _ := placesIn(asked)
	for _, p := range aside {
		p.Aside = true
		c.Places = append(c.Places, p)
	}
	shows, commands := placesIn(shown)
	c.Places, c.Commands = append(c.Places, shows...), commands
}

// placesIn returns the places and the commands that a text names.
func placesIn(content string) (places []Place, commands []string) {
	rest := content
	take := func(word string) {
		at := word
		if _, end := gitQuoted(word); end > 0 {
			word, at = word[:end], word[end:]
		} else {
			word = strings.TrimRight(strings.Trim(word, "*_`'\"()[]{}<>,;。、（）「」"), ".")
			word = strings.TrimPrefix(word, "./")
			at = word
		}
		if !likeFile(word) {
			return
		}
		if name, why := cleanPath(word); why.IsZero() {
			p := Place{Path: name}
			if m := placeAt.FindStringSubmatch(at); m != nil {
				p.Line, _ = strconv.Atoi(m[1]) // at most seven digits
				p.Last, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
				p.Line, p.Last = min(p.Line, p.Last), max(p.Line, p.Last)
			}
			places = append(places, p)
		}
	}
	for _, s := range markdown.CodeSpans(content) {
		take(s.Text)
		if commandLike.MatchString(s.Text) && !likeFile(s.Text) {
			commands = append(commands, s.Text)
		}
		rest = strings.Replace(rest, content[s.Start:s.End], " ", 1)
	}
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t|→⇒,、，（）()「」", r) }) {
		take(word)
	}
	return places, commands
}

// Quoted returns those of the files that an entry names in back-ticks and that no name gives away as files.
func (c Criterion) Quoted(files []string) (places []Place) {
	for _, s := range markdown.CodeSpans(c.Text) {
		at := placeAt.FindStringSubmatchIndex(s.Text)
		name, p := s.Text, Place{}
		if at != nil && at[1] == len(name) {
			p.Line, _ = strconv.Atoi(name[at[2]:at[3]])
			name, p.Last = name[:at[0]], p.Line
		}
		if p.Path = name; slices.Contains(files, name) && !likeFile(name) {
			places = append(places, p)
		}
	}
	return places
}

// Shown names what an entry shows as one word, places and commands together; "" if it is
// nothing.
func (c Criterion) Shown() string {
	shown := slices.Clone(c.Commands)
	for _, p := range c.Places {
		if !p.Aside {
			shown = append(shown, fmt.Sprintf("%s:%d", p.Path, p.Line))
		}
	}
	slices.Sort(shown)
	return strings.Join(slices.Compact(shown), ", ")
}

// IsBlank reports whether a place of a file is nothing but blank lines.
func IsBlank(lines []string, p Place) bool {
	return p.Line > 0 && p.Line <= len(lines) &&
		strings.TrimSpace(strings.Join(lines[p.Line-1:min(p.Last, len(lines))], "")) == ""
}

// DifferentTexts is how many of the entries differ.
func DifferentTexts(entries []Criterion) int {
	different := make(map[string]bool)
	for _, e := range entries {
		different[e.Text] = true
	}
	return len(different)
}
