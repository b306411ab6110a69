package repair

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// The grammar of Haskell takes what is between #else and #endif for a comment, as of version
// 0.23: whatever only that branch declares is lost.

var (
	haskellDirective = lazyregexp.MustCompile(`^#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b`)
	// What goes on with what is before it: behind another branch it would be an error.
	haskellGoesOn = lazyregexp.MustCompile(`^(?:(?:where|in|then|else|of|deriving)\b|[^\w"'({\[$|,-])`)
)

// A haskellBranching is an #if with its branches: the lines of its directives, and the
// indentation that its branches have in common.
type haskellBranching struct {
	directives []int
	indent     int
	fits       bool
	begins     bool // the next line of code is the first of a branch
}

// Haskell leaves out the directives of conditional compilation where all branches can be
// read one behind the other: they begin at the same column, and what follows begins there
// or before it.
func Haskell(src []byte) (b []byte, needed bool) {
	if !bytes.Contains(src, []byte("\n#")) {
		return src, false
	}
	b = bytes.Clone(src)
	lines := bytes.SplitAfter(b, []byte("\n"))
	var open []*haskellBranching
	var ended []*haskellBranching // the next line of code follows these
	for i, line := range lines {
		if m := haskellDirective.FindSubmatchIndex(line); m != nil {
			switch word := string(line[m[2]:m[3]]); {
			case word[0] == 'i':
				open = append(open, &haskellBranching{indent: -1, fits: true, begins: true, directives: []int{i}})
			case len(open) == 0:
			default:
				at := open[len(open)-1]
				at.directives, at.begins = append(at.directives, i), true
				if word == "endif" {
					open, ended = open[:len(open)-1], append(ended, at)
				}
			}
			continue
		}
		code := bytes.TrimLeft(line, " \t")
		if blank := bytes.TrimSpace(code); len(blank) == 0 || blank[0] == '#' || bytes.HasPrefix(blank, []byte("--")) {
			continue
		}
		indent := len(line) - len(code)
		for _, at := range ended {
			at.fits = at.fits && indent <= max(at.indent, 0)
			needed = at.leaveOut(lines) || needed
		}
		ended = nil
		for _, at := range open {
			if at.begins {
				at.fits = at.fits && (at.indent < 0 || indent == at.indent) && !haskellGoesOn.Match(code)
				at.indent, at.begins = indent, false
			}
			at.fits = at.fits && indent >= at.indent
		}
	}
	for _, at := range ended {
		needed = at.leaveOut(lines) || needed
	}
	return b, needed
}

// leaveOut puts spaces in the place of the directives, if there are several branches.
func (h *haskellBranching) leaveOut(lines [][]byte) bool {
	if !h.fits || len(h.directives) < 3 {
		return false
	}
	for _, i := range h.directives {
		text.Blank(lines[i])
	}
	return true
}
