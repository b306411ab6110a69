package postings

import (
	"strings"
	"sync/atomic"
)

// A Part is a segment and which of its files no longer count. Dead is nil or as
// long as the segment has files.
type Part struct {
	Segment *Segment
	Dead    []bool
}

func (p *Part) dead(file int) bool { return p.Dead != nil && p.Dead[file] }

// A View asks several segments as if they were one. It is immutable and safe for
// concurrent use.
type View struct {
	parts  []Part
	first  []int // number of the first chunk of each part, and of one after the last
	totals totals
	memory *atomic.Pointer[scratch] // of the next search; nil while there is none, or another search has it
}

// NewView returns a View of parts. No path should be alive in two of them.
func NewView(parts ...Part) *View { return newView(new(atomic.Pointer[scratch]), parts) }

// With returns a View of other parts that works in the memory of v.
func (v *View) With(parts ...Part) *View { return newView(v.memory, parts) }

func newView(memory *atomic.Pointer[scratch], parts []Part) *View {
	v := &View{parts: parts, first: make([]int, len(parts)+1), memory: memory}
	for i, p := range parts {
		t := &p.Segment.totals
		v.first[i+1] = v.first[i] + p.Segment.Chunks()
		v.totals.files += t.files
		v.totals.chunks += t.chunks
		v.totals.path += t.path
		for f := range t.lengths {
			v.totals.lengths[f] += t.lengths[f]
		}
	}
	return v
}

// A Ref names a file of a View by the number of its part and its number there.
type Ref struct{ Part, File int }

// Occurrences returns every occurrence of exactly name, in the order of parts,
// files and lines.
func (v *View) Occurrences(name string, yield func(Ref, Occurrence) bool) {
	fold := foldName(name)
	for i := range v.parts {
		p := &v.parts[i]
		n := p.Segment.findName(fold, name)
		if n == p.Segment.names || string(p.Segment.name(n)) != name {
			continue
		}
		list, _ := p.Segment.places(n)
		goOn := true
		p.Segment.byFile(list, func(file int, list []byte) bool {
			if !p.dead(file) {
				occurrences(list, func(o Occurrence) bool {
					goOn = yield(Ref{i, file}, o)
					return goOn
				})
			}
			return goOn
		})
		if !goOn {
			return
		}
	}
}

// A Match says how a declared name is compared.
type Match int

// The ways to compare.
const (
	Exact  Match = iota // as written
	Folded              // upper and lower case are the same
	Prefix              // it begins so, in any case
)

// Declared returns the symbols whose name matches. Symbol is the number given to
// [Forward.Declare].
func (v *View) Declared(name string, m Match, yield func(r Ref, symbol int) bool) {
	fold := foldName(name)
	from := name
	if m != Exact {
		from = "" // before all spellings of the fold
	}
	for i := range v.parts {
		s := v.parts[i].Segment
		for n := s.findName(fold, from); n < s.names; n++ {
			text := string(s.name(n))
			if m == Exact && text != name || m == Folded && foldName(text) != fold ||
				m == Prefix && !strings.HasPrefix(foldName(text), fold) {
				break
			}
			if !v.symbols(i, n, yield) {
				return
			}
		}
	}
}

// DeclaredWords returns the symbols whose name has all of the words, as the
// Builder's split gave them.
func (v *View) DeclaredWords(words []string, yield func(r Ref, symbol int) bool) {
	if len(words) == 0 {
		return
	}
	for i := range v.parts {
		s := v.parts[i].Segment
		var names []int // ascending, that have all words so far
		for k, word := range words {
			var with []int
			rest := names
			numbers(s.namesWithWord(word), func(n int) bool {
				for len(rest) > 0 && rest[0] < n {
					rest = rest[1:]
				}
				if k == 0 || len(rest) > 0 && rest[0] == n {
					with = append(with, n)
				}
				return true
			})
			names = with
		}
		for _, n := range names {
			if n < s.names && !v.symbols(i, n, yield) {
				return
			}
		}
	}
}

// symbols yields the living symbols of one name of one part.
func (v *View) symbols(part, name int, yield func(r Ref, symbol int) bool) bool {
	p := &v.parts[part]
	_, list := p.Segment.places(name)
	goOn := true
	p.Segment.byFile(list, func(file int, list []byte) bool {
		if !p.dead(file) {
			numbers(list, func(symbol int) bool {
				goOn = yield(Ref{part, file}, symbol)
				return goOn
			})
		}
		return goOn
	})
	return goOn
}
