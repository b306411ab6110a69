package pastruns

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// alikeBelow is how far apart two texts may be, as a share of the longer one, to say
// the same.
const alikeBelow = 0.30

// A form is a text as it is compared with others.
type form struct {
	text   string
	length int       // characters
	grams  [4]uint64 // which pairs of neighbours occur, hashed
}

var (
	quoted   = lazyregexp.MustCompile("`[^`]*`")
	location = lazyregexp.MustCompile(`(?:[\w.~-]+/)*[\w-]*\.?[\w-]+\.[a-z][a-z0-9]{0,4}(?::\d+(?:[-:]\d+)?)?\b|(?:[\w.~-]+/)+[\w.-]+`)
	number   = lazyregexp.MustCompile(`\d+`)
)

// newForm makes the form of a text: small letters, no punctuation, and one mark in
// place of each file, name in backticks and number, because a finding that comes
// back comes back about other files.
func newForm(said string) form {
	said = strings.ToLower(norm.NFKC.String(said))
	bare := location.ReplaceAllString(quoted.ReplaceAllString(said, " § "), " § ")
	if letters(bare) < 8 { // it is made of names
		bare = strings.ReplaceAll(said, "`", " ")
	}
	bare = number.ReplaceAllString(bare, "0")
	bare = strings.Map(func(r rune) rune {
		if r == '§' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			return r
		}
		return ' '
	}, bare)
	bare = text.Prefix(text.OneLine(bare), text.MaxCompared)
	f := form{text: bare, length: utf8.RuneCountInString(bare)}
	before := rune(0)
	for _, r := range bare {
		h := (uint32(before)*31 + uint32(r)) * 2654435769
		f.grams[h>>30] |= 1 << (h >> 24 & 63)
		before = r
	}
	return f
}

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// maxEdits is how many edits apart two texts may be at most to be alike, if the longer
// one has so many characters.
func maxEdits(longer int) int { return int(math.Ceil(alikeBelow*float64(longer))) - 1 }

// isSimilar reports whether f says the same as p, the pattern of g, does. Most texts are
// told apart without measuring: an edit changes the length by one at most, and takes
// away two pairs of neighbours at most.
func (f form) isSimilar(g form, p *text.Pattern) bool {
	limit := maxEdits(max(f.length, g.length))
	if max(f.length, g.length)-min(f.length, g.length) > limit {
		return false
	}
	lost, gained := 0, 0
	for i := range f.grams {
		lost += bits.OnesCount64(f.grams[i] &^ g.grams[i])
		gained += bits.OnesCount64(g.grams[i] &^ f.grams[i])
	}
	return max(lost, gained) <= 2*limit && p.Distance(f.text, f.length, limit) <= limit
}

// A mention is one text of one pipeline.
type mention struct {
	bucket string // only texts of one bucket are merged
	text   string
	form   form
	from   int // the entry
	at     int // its place among the texts of the entry
}

// merge groups mentions whose forms are alike. A group is all that hang together:
// two of its members may be less alike than the limit, if others are between them.
// So the groups do not depend on the order of the mentions, and neither does the
// order of the groups.
func merge(mentions []mention) [][]mention {
	slices.SortFunc(mentions, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.bucket, b.bucket), cmp.Compare(a.form.length, b.form.length),
			cmp.Compare(a.form.text, b.form.text),
			cmp.Compare(a.from, b.from), cmp.Compare(a.at, b.at))
	})
	var distinct []int // mentions, the first of each form in its bucket
	group := make([]int, len(mentions))
	for i := range mentions {
		group[i] = i
		if i > 0 && mentions[i].bucket == mentions[i-1].bucket && mentions[i].form.text == mentions[i-1].form.text {
			group[i] = group[i-1]
			continue
		}
		distinct = append(distinct, i)
	}
	root := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for n, i := range distinct {
		a := &mentions[i]
		p := text.NewPattern(a.form.text)
		for _, j := range distinct[n+1:] {
			b := &mentions[j]
			if a.bucket != b.bucket || b.form.length-a.form.length > maxEdits(b.form.length) {
				break // they are sorted: all others are in another bucket, or longer
			}
			if root(i) != root(j) && b.form.isSimilar(a.form, p) {
				group[max(root(i), root(j))] = min(root(i), root(j))
			}
		}
	}
	var groups [][]mention
	place := make(map[int]int)
	for i := range mentions {
		r := root(i)
		if _, ok := place[r]; !ok {
			place[r] = len(groups)
			groups = append(groups, nil)
		}
		groups[place[r]] = append(groups[place[r]], mentions[i])
	}
	return groups
}
