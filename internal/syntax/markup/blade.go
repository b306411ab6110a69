package markup

import (
	"bytes"

	"codeintel/internal/text"
)

// A Blade template is read in three steps. A scanner of its own finds what
// Blade itself would: directives with their arguments, echoes, comments, PHP.
// All of it is blanked out of a copy of the same length, which is read as HTML;
// and all expressions together are joined into one text that is read as PHP.

// A bladeToken is one thing that Blade acts on.
type bladeToken struct {
	kind bladeKind
	all  span
	name span // of a directive, without the sign
	code span // arguments without their brackets, or an expression, or PHP
}

type bladeKind uint8

const (
	bladeComment   bladeKind = iota // {{-- … --}}
	bladeEcho                       // {{ … }}, {!! … !!}
	bladeDirective                  // @name, @name(…)
	bladePHP                        // @php … @endphp, <?php … ?>
)

// bladeScanner finds the tokens of a template.
type bladeScanner struct {
	src    []byte
	tokens []bladeToken
	ends   map[string]bool // what is nowhere behind the scanner: no use to look again
	budget int             // bytes that may still be looked at for brackets that do not close
}

// scanBlade returns the tokens of a template in order; they do not overlap.
func scanBlade(src []byte) []bladeToken {
	s := bladeScanner{src: src, ends: make(map[string]bool), budget: 4*len(src) + 1<<16}
	for at := 0; at < len(src); {
		i := bytes.IndexAny(src[at:], "@{<")
		if i < 0 {
			break
		}
		at = s.token(at + i)
	}
	return s.tokens
}

// token reads what begins at a byte, if anything does, and returns where to go
// on.
func (s *bladeScanner) token(at int) int {
	rest := s.src[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("{{--")):
		return s.enclosed(at, bladeComment, "{{--", "--}}")
	case bytes.HasPrefix(rest, []byte("{{{")):
		return s.enclosed(at, bladeEcho, "{{{", "}}}")
	case bytes.HasPrefix(rest, []byte("{{")):
		return s.enclosed(at, bladeEcho, "{{", "}}")
	case bytes.HasPrefix(rest, []byte("{!!")):
		return s.enclosed(at, bladeEcho, "{!!", "!!}")
	case bytes.HasPrefix(rest, []byte("<?php")), bytes.HasPrefix(rest, []byte("<?=")):
		return s.php(at)
	case rest[0] == '@':
		return s.directive(at)
	}
	return at + 1
}

// find returns where text next is at or behind a byte, or -1.
func (s *bladeScanner) find(at int, text string) int {
	if s.ends[text] {
		return -1
	}
	i := bytes.Index(s.src[at:], []byte(text))
	if i < 0 {
		s.ends[text] = true
		return -1
	}
	return at + i
}

// enclosed reads what is between two marks. One that is not closed is text.
func (s *bladeScanner) enclosed(at int, kind bladeKind, open, shut string) int {
	end := s.find(at+len(open), shut)
	if end < 0 {
		return at + len(open)
	}
	all := span{uint32(at), uint32(end + len(shut))}
	s.tokens = append(s.tokens, bladeToken{kind: kind, all: all, code: span{uint32(at + len(open)), uint32(end)}})
	return int(all.End)
}

// php reads a PHP tag.
func (s *bladeScanner) php(at int) int {
	end := phpEnd(s.src, at+2)
	code := span{uint32(at + len("<?=")), uint32(end)}
	kind := bladeEcho
	if s.src[at+2] == 'p' {
		code.Start, kind = uint32(at+len("<?php")), bladePHP
	}
	if bytes.HasSuffix(s.src[code.Start:end], []byte("?>")) {
		code.End -= 2
	}
	s.tokens = append(s.tokens, bladeToken{kind: kind, all: span{uint32(at), uint32(end)}, code: code})
	return end
}

// directive reads what begins with @. An address, @@name, @{{ and the
// attributes of scripts (@click=) are text.
func (s *bladeScanner) directive(at int) int {
	src := s.src
	if at > 0 && isWord(src[at-1]) || at+1 == len(src) {
		return at + 1
	}
	switch src[at+1] {
	case '@':
		return wordEnd(src, at+2)
	case '{':
		return s.escaped(at + 1)
	}
	end := wordEnd(src, at+1)
	if bytes.HasPrefix(src[end:], []byte("::")) {
		end = wordEnd(src, end+2)
	}
	if end == at+1 || src[at+1] >= '0' && src[at+1] <= '9' {
		return at + 1
	}
	t := bladeToken{kind: bladeDirective, all: span{uint32(at), uint32(end)}, name: span{uint32(at + 1), uint32(end)}}
	name := string(src[at+1 : end])
	if end < len(src) && (src[end] == '=' || src[end] == '.' && end+1 < len(src) && isWord(src[end+1]) ||
		src[end] == '-' || src[end] == ':') || atRules[name] {
		return end
	}
	if open := SkipBlanks(src, end); open < len(src) && src[open] == '(' {
		if shut := s.bracket(open); shut > 0 {
			t.code = span{uint32(open + 1), uint32(shut)}
			t.all.End = uint32(shut + 1)
		}
	}
	switch name {
	case "verbatim":
		s.tokens = append(s.tokens, t)
		return s.verbatim(int(t.all.End))
	case "php":
		if t.code.End == 0 {
			if shut := s.find(end, "@endphp"); shut >= 0 {
				t.kind, t.code, t.all.End = bladePHP, span{uint32(end), uint32(shut)}, uint32(shut+len("@endphp"))
			}
		}
	}
	s.tokens = append(s.tokens, t)
	return int(t.all.End)
}

// escaped skips an echo that is meant for a script: @{{ name }}.
func (s *bladeScanner) escaped(at int) int {
	for _, marks := range [][2]string{{"{{", "}}"}, {"{!!", "!!}"}} {
		if bytes.HasPrefix(s.src[at:], []byte(marks[0])) {
			if end := s.find(at, marks[1]); end >= 0 {
				return end + len(marks[1])
			}
		}
	}
	return at + 1
}

// verbatim skips to the end of a stretch that Blade leaves alone.
func (s *bladeScanner) verbatim(at int) int {
	end := s.find(at, "@endverbatim")
	if end < 0 {
		return at
	}
	name := span{uint32(end + 1), uint32(end + len("@endverbatim"))}
	s.tokens = append(s.tokens, bladeToken{kind: bladeDirective, all: span{uint32(end), name.End}, name: name})
	return int(name.End)
}

// bracket returns where the bracket that opens at a byte closes, strings and
// comments skipped; -1 if it does not, or if too much was looked at in vain.
func (s *bladeScanner) bracket(open int) int {
	if s.budget <= 0 {
		return -1
	}
	depth := 0
	for i := open; i < len(s.src); i++ {
		switch c := s.src[i]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		case '\'', '"':
			i = stringEnd(s.src, i) - 1
		case '/':
			if bytes.HasPrefix(s.src[i:], []byte("/*")) {
				if n := bytes.Index(s.src[i+2:], []byte("*/")); n >= 0 {
					i += n + 3
				}
			}
		}
	}
	s.budget -= len(s.src) - open
	return -1
}

func wordEnd(src []byte, at int) int {
	for at < len(src) && isWord(src[at]) && src[at] != '$' && src[at] < 0x80 {
		at++
	}
	return at
}

func SkipBlanks(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

// atRules are the words behind @ that belong to style sheets.
var atRules = text.WordSet(`charset container counter-style font-face import keyframes layer media namespace page property
 scope starting-style supports tailwind apply font webkit moz`)
