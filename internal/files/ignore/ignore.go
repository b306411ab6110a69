// Package ignore decides which paths gitignore patterns exclude.
//
// It follows git to the letter: wildmatch on bytes, negation, patterns for directories only,
// anchored patterns, "**", escapes, and nested files, of which the deepest wins. Its tests
// compare it with git itself. It reads no files; the caller passes the text of each.
package ignore

import (
	"bytes"
	"strings"
)

// A Kind says whether a path is a directory; some patterns match only those.
type Kind int

// The kinds of a path.
const (
	File Kind = iota
	Dir
)

// A Verdict is what patterns say about one path.
type Verdict int

// The verdicts.
const (
	None     Verdict = iota // no pattern matches
	Excluded                // the last pattern that matches excludes the path
	Included                // the last pattern that matches is a negated one
)

// Patterns are the patterns of one file, such as a .gitignore.
type Patterns struct {
	base     string // directory the patterns are relative to: "", or ending in "/"
	patterns []pattern
}

// A pattern is one line of a file.
type pattern struct {
	form    form
	scope   scope
	dirOnly bool
	verdict Verdict
	literal string // what a path begins with, ends with or is, by form
	glob    []token
	bytes   byteSet // of wild: what every path that matches has
}

// A byteSet holds the bytes of a text, modulo 64. It rules most patterns out at
// once where a file has thousands of them.
type byteSet uint64

func (s *byteSet) add(text string) {
	for i := range len(text) {
		*s |= 1 << (text[i] & 63)
	}
}

// A form is how a pattern is matched; all but the last are short cuts.
type form uint8

const (
	equal  form = iota // literal, no wildcard
	suffix             // "*" and a literal
	wild               // a literal, then tokens
)

// A scope is what a pattern is matched against.
type scope uint8

const (
	name scope = iota // the last element of a path
	full              // the path below base
)

// Parse reads the patterns in text, the content of a file in directory base
// (relative to the root, with "/", "" for the root itself). Lines that are not
// patterns are skipped, as git does; Parse never fails.
func Parse(base string, text []byte) *Patterns {
	p := &Patterns{base: base}
	if base != "" && !strings.HasSuffix(base, "/") {
		p.base += "/"
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if parsed, ok := parseLine(string(line)); ok {
			p.patterns = append(p.patterns, parsed)
		}
	}
	return p
}

func parseLine(line string) (pattern, bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	line = strings.TrimSuffix(line, "\r")
	line, _, _ = strings.Cut(line, "\x00") // to git a line is a C string
	line = trimSpaces(line)
	p := pattern{verdict: Excluded}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		p.verdict, line = Included, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		p.dirOnly, line = true, rest
	}
	if line == "" {
		return pattern{}, false
	}
	if strings.Contains(line, "/") {
		p.scope = full
		line = strings.TrimPrefix(line, "/")
	}
	plain := strings.IndexAny(line, special)
	switch {
	case plain < 0:
		p.form, p.literal = equal, line
	case p.scope == name && line[0] == '*' && !strings.ContainsAny(line[1:], special):
		p.form, p.literal = suffix, line[1:]
	default:
		// What follows the literal is matched by itself: to git the "**" of
		// "a**/b" is at the beginning of a pattern, and so may cross "/".
		p.form, p.literal = wild, line[:plain]
		var ok bool
		if p.glob, ok = compile(line[plain:], p.scope); !ok {
			return pattern{}, false
		}
		p.bytes.add(p.literal)
		for _, t := range p.glob {
			if t.op == literal {
				p.bytes |= 1 << (t.ch & 63)
			}
		}
	}
	return p, true
}

// trimSpaces removes the spaces at the end, but for one after a backslash.
func trimSpaces(line string) string {
	end := 0 // after the last character that must stay
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' {
			continue
		}
		if line[i] == '\\' {
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// Len returns the number of patterns.
func (p *Patterns) Len() int { return len(p.patterns) }

// Match returns what the patterns of this file alone say about path, which is
// relative to the root. It does not ask about the directories above path.
func (p *Patterns) Match(path string, kind Kind) Verdict {
	below, ok := strings.CutPrefix(path, p.base)
	if !ok || below == "" {
		return None
	}
	last := below[strings.LastIndexByte(below, '/')+1:]
	var has byteSet // of below, once a pattern with wildcards comes
	for i := len(p.patterns) - 1; i >= 0; i-- {
		pt := &p.patterns[i]
		if pt.dirOnly && kind != Dir {
			continue
		}
		if pt.form == wild {
			if has == 0 {
				has.add(below)
			}
			if pt.bytes&^has != 0 {
				continue
			}
		}
		subject := below
		if pt.scope == name {
			subject = last
		}
		if pt.matches(subject) {
			return pt.verdict
		}
	}
	return None
}

func (p *pattern) matches(s string) bool {
	switch p.form {
	case equal:
		return s == p.literal
	case suffix:
		return strings.HasSuffix(s, p.literal)
	}
	rest, ok := strings.CutPrefix(s, p.literal)
	return ok && match(p.glob, rest)
}

// A Chain is a list of Patterns; the last one takes precedence. Chains
// are immutable and share their tails, so that each directory of a walk can
// hold its own. The nil Chain is empty.
type Chain struct {
	outer *Chain
	last  *Patterns
}

// With returns the chain c with p added, which takes precedence.
func (c *Chain) With(p *Patterns) *Chain {
	if p.Len() == 0 {
		return c
	}
	return &Chain{outer: c, last: p}
}

// Match returns what the chain says about path itself.
func (c *Chain) Match(path string, kind Kind) Verdict {
	for ; c != nil; c = c.outer {
		if v := c.last.Match(path, kind); v != None {
			return v
		}
	}
	return None
}

// MatchTree returns what the chain says about path, knowing that below an
// excluded directory nothing can be included again. It is the question to ask
// outside of a walk; the chain must hold the patterns of all directories above.
func (c *Chain) MatchTree(path string, kind Kind) Verdict {
	for i := 0; i < len(path); i++ {
		if path[i] == '/' && c.Match(path[:i], Dir) == Excluded {
			return Excluded
		}
	}
	return c.Match(path, kind)
}
