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
	for i, whole := range lines {
		l := strings.TrimSpace(whole)
		switch {
		case until != "":
			is[i] = !code || l == ""
			if strings.Contains(l, until) {
				until = ""
			}
		case l == "":
			is[i] = true
		default:
			if is[i], until = beginsComment(whole, l); !is[i] {
				until, code = opened(l), !strings.HasPrefix(l, "@") // @doc """ of Elixir
			} else {
				code = false
			}
		}
	}
	return is
}

// beginsComment reports whether a line is a comment, and what ends it on a later line, if anything.
func beginsComment(whole, trimmed string) (is bool, until string) {
	if !commentBegins[trimmed[0]] {
		return false, ""
	}
	for _, b := range blockComments {
		if inner, ok := strings.CutPrefix(trimmed, b.begin); ok && (b.begin[0] != '=' || directs(whole, b.begin)) {
			if strings.Contains(inner, b.end) {
				return true, ""
			}
			return true, b.end
		}
	}
	return slices.ContainsFunc(lineComments, func(mark string) bool { return strings.HasPrefix(trimmed+" ", mark) }), ""
}

// opened returns the three quotes by which a line of code begins a string that goes on behind it, or "".
func opened(line string) string {
	for _, mark := range []string{`"""`, "'''"} {
		open := false
		for at := 0; ; at += len(mark) {
			i := strings.Index(line[at:], mark)
			if i < 0 {
				break
			}
			at += i
			if at == 0 || !strings.ContainsRune("\\\"'`", rune(line[at-1])) { // itself in quotes
				open = !open
			}
		}
		if open {
			return mark
		}
	}
	return ""
}

var (
	lineComments  = []string{"//", "# ", "#!", "##", "#'", "-- ", "--- ", ";;", "* ", "%%"}
	blockComments = []struct{ begin, end string }{
		{"/*", "*/"}, {`r"""`, `"""`}, {`"""`, `"""`}, {"'''", "'''"}, {"<!--", "-->"}, {"{-", "-}"},
		{"--[[", "]]"}, {"=begin", "=end"},
		{"=head", "=cut"}, {"=pod", "=cut"}, {"=encoding", "=cut"}, {"=over", "=cut"},
		{"=item", "=cut"}, {"=for", "=cut"},
	}
)

// directs reports whether a line is a mark of Ruby or Perl and not code, such as "=form_for f" of a template:
// nothing comes before it, and no more of a word behind it than the digit of a heading.
func directs(line, mark string) bool {
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
