package text

import (
	"slices"
	"strings"
)

// CommentLines tells of each line of code whether it is but a comment or blank, as most
// languages write them.
func CommentLines(lines []string) []bool {
	is := make([]bool, len(lines))
	until := ""   // what ends the comment or string that lines are in
	code := false // whether that is a string of the code
	closing := closingQuotes(lines)
	for i, whole := range lines {
		l := strings.TrimSpace(whole)
		switch {
		case until != "":
			is[i] = !code || l == ""
			if _, rest, ends := strings.Cut(l, until); ends {
				until, code = openedString(rest), true
			}
		case l == "":
			is[i] = true
		default:
			if is[i], until = beginsComment(whole, l); is[i] {
				code = false
			} else {
				until, code = openedString(l), !documents(l)
				mark := l[len(strings.TrimRight(l, `"`)):]
				if closing[mark] > i {
					until = mark
				}
			}
		}
	}
	return is
}

// closingQuotes returns the last lines that begin with four or more quotes, by these: what ends a
// raw string of C#. Elsewhere four quotes may be a text that is one quote.
func closingQuotes(lines []string) map[string]int {
	var last map[string]int
	for i, l := range lines {
		if l = strings.TrimLeft(l, " \t"); strings.HasPrefix(l, `""""`) {
			if last == nil {
				last = map[string]int{}
			}
			last[l[:len(l)-len(strings.TrimLeft(l, `"`))]] = i
		}
	}
	return last
}

// documents reports whether a line of Elixir begins documentation: @doc """
func documents(line string) bool {
	attribute, _, _ := strings.Cut(line, " ")
	return attribute == "@doc" || attribute == "@moduledoc" || attribute == "@typedoc"
}

// beginsComment reports whether a line is a comment, and what ends it on a later line, if anything.
func beginsComment(whole, trimmed string) (is bool, until string) {
	if !commentBegins[trimmed[0]] {
		return false, ""
	}
	for _, b := range blockComments {
		if inner, ok := strings.CutPrefix(trimmed, b.begin); ok && (b.begin[0] != '=' || isDirective(whole, b.begin)) {
			if strings.Contains(inner, b.end) {
				return true, ""
			}
			return true, b.end
		}
	}
	return slices.ContainsFunc(lineComments, func(mark string) bool { return strings.HasPrefix(trimmed+" ", mark) }), ""
}

// openedString returns the three quotes by which a line of code begins a string that goes on behind it, or "".
func openedString(line string) string {
	if !strings.Contains(line, `"""`) && !strings.Contains(line, "'''") {
		return ""
	}
	for line != "" {
		quotes := 0 // at the beginning
		if c := line[0]; c == '"' || c == '\'' || c == '`' {
			quotes = len(line) - len(strings.TrimLeft(line, line[:1]))
		}
		switch {
		case strings.HasPrefix(line, " // "), strings.HasPrefix(line, " # "):
			return "" // the rest is a comment
		case line[0] == '\\':
			line = line[min(2, len(line)):]
		case quotes == 0:
			line = line[1:]
		case quotes%2 == 0: // an empty string, or a quote alone as SQL writes it
			line = line[quotes:]
		case quotes > 6: // empty texts, one behind the other
			line = line[quotes-quotes%6:]
		case quotes == 1 || line[0] == '`':
			line = behindString(line)
		default:
			mark := line[:3]
			_, rest, closed := strings.Cut(line[3:], mark)
			if !closed {
				return mark
			}
			line = rest
		}
	}
	return ""
}

// behindString returns what follows the string that a line begins with, or the quote alone if nothing closes it:
// an apostrophe.
func behindString(line string) string {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case line[0]:
			return line[i+1:]
		}
	}
	return line[1:]
}

var (
	lineComments  = []string{"//", "# ", "#: ", "#!", "##", "#'", "-- ", "--- ", ";;", "* ", "%%"}
	blockComments = []struct{ begin, end string }{
		{"/*", "*/"}, {`r"""`, `"""`}, {`"""`, `"""`}, {"'''", "'''"}, {"<!--", "-->"}, {"{-", "-}"},
		{"--[[", "]]"}, {"=begin", "=end"},
		{"=head", "=cut"}, {"=pod", "=cut"}, {"=encoding", "=cut"}, {"=over", "=cut"},
		{"=item", "=cut"}, {"=for", "=cut"},
	}
)

// isDirective reports whether a line is a mark of Ruby or Perl and not code, such as "=form_for f" of a template:
// nothing comes before it, and no more of a word behind it than the digit of a heading.
func isDirective(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	if mark == "=head" {
		rest = strings.TrimLeft(rest, "123456")
	}
	return ok && (rest == "" || strings.ContainsRune(" \t\r", rune(rest[0])))
}

// commentBegins says which bytes a mark of a comment may begin with.
var commentBegins = func() (set [256]bool) {
	for _, mark := range lineComments {
		set[mark[0]] = true
	}
	for _, b := range blockComments {
		set[b.begin[0]] = true
	}
	return set
}()
