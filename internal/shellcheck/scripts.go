package shellcheck

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

var (
	sedAddress  = lazyregexp.MustCompile(`^(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*)(?:\s*,\s*[+~]?(?:\d+|\$|/(?:[^/\\\n]|\\.)*/[IM]*))?\s*`)
	sedLabel    = lazyregexp.MustCompile(`^[:btT]\s*\w*`)
	sedNumber   = lazyregexp.MustCompile(`^[qQlL]\s*\d*`)
	sedEnd      = lazyregexp.MustCompile(`^\s*(?:[;\n]|$|#[^\n]*)|^\s*}`)
	sedFlags    = lazyregexp.MustCompile(`^[gpiImM\d]*`)
	sedSubcount = 2 // texts behind the command s or y
)

// sedReads reports whether a script of sed changes nothing: all its commands are
// known, and none writes a file or runs something.
func sedReads(script string) bool {
	for script = strings.TrimLeft(script, " \t\n;"); script != ""; script = strings.TrimLeft(script, " \t\n;") {
		if script[0] == '#' {
			_, script, _ = strings.Cut(script, "\n")
			continue
		}
		script = script[len(sedAddress.FindString(script)):]
		script = strings.TrimLeft(script, "! \t")
		if script == "" {
			return false
		}
		switch c := script[0]; c {
		case '{', '}':
			script = script[1:]
			continue
		case 's', 'y':
			rest, ok := sedTexts(script[1:])
			if !ok {
				return false
			}
			script = rest
			if c == 's' {
				script = script[len(sedFlags.FindString(script)):]
			}
		case ':', 'b', 't', 'T':
			script = script[len(sedLabel.FindString(script)):]
		case 'q', 'Q', 'l', 'L':
			script = script[len(sedNumber.FindString(script)):]
		case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
			script = script[1:]
		default:
			return false
		}
		if !sedEnd.MatchString(script) {
			return false
		}
	}
	return true
}

// sedTexts returns what follows the two texts of s and y; false where some sed may
// see them end elsewhere.
func sedTexts(text string) (rest string, ok bool) {
	if text == "" || text[0] == '\\' || text[0] == '\n' {
		return "", false
	}
	end, text := text[0], text[1:]
	for range sedSubcount {
		open, i := false, 0
		for ; i < len(text) && text[i] != end; i++ {
			switch text[i] {
			case '\\':
				i++
			case '[':
				open = true
			case ']':
				open = false
			case '\n':
				return "", false
			}
		}
		if i >= len(text) || open {
			return "", false
		}
		text = text[i+1:]
	}
	return text, true
}

// awkWriting finds what a program of awk needs in order to write or run something,
// once strings, patterns and comments are taken out of it.
var (
	awkWriting = lazyregexp.MustCompile(`system|\||printf?[^;}\n]*>|getline|@|close`)
	awkWord    = lazyregexp.MustCompile(`(?:^|[^\w$])(?:print|printf|return|in|case|do|else)\s*$`)
)

// awkReads reports whether a program of awk is known to change nothing.
func awkReads(program string) bool {
	var b strings.Builder
	for i := 0; i < len(program); i++ {
		c := program[i]
		before := strings.TrimRight(b.String(), " \t")
		switch {
		case c == '#':
			for i < len(program) && program[i] != '\n' {
				i++
			}
			b.WriteByte('\n')
			continue
		case c == '"', c == '/' && (before == "" || strings.ContainsAny(before[len(before)-1:], "~!(,{};&|\n") ||
			awkWord.MatchString(before)):
			end := i + 1
			for ; end < len(program) && program[end] != c && program[end] != '\n'; end++ {
				if program[end] == '\\' {
					end++
				}
			}
			if end >= len(program) || program[end] != c || c == '/' && strings.Contains(program[i:end], "[") {
				if end >= len(program) || program[end] != c || strings.ContainsAny(program[i:end], `"`) {
					return false // it may end elsewhere
				}
			}
			i = end
			b.WriteString("0")
			continue
		case c == '|' && strings.HasPrefix(program[i:], "||"):
			b.WriteByte('&')
			i++
			continue
		}
		b.WriteByte(c)
	}
	return !awkWriting.MatchString(b.String())
}
