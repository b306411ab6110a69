package text

import (
	"slices"
	"strings"
)

// CommentLines tells of each line of code whether it is but a comment or blank, as most
// languages write them.
func CommentLines(lines []string) []bool {
	is := make([]bool, len(lines))
	until := "" // what ends the comment that lines are in
	for i, whole := range lines {
		l := strings.TrimSpace(whole)
		if until != "" {
			is[i] = true
			if strings.Contains(l, until) {
				until = ""
			}
			continue
		}
		if is[i] = l == ""; is[i] || !commentBegins[l[0]] {
			continue
		}
		is[i] = slices.ContainsFunc(lineComments, func(mark string) bool { return strings.HasPrefix(l+" ", mark) })
		for _, b := range blockComments {
			if inner, ok := strings.CutPrefix(l, b.begin); ok && (b.begin[0] != '=' || directs(whole, b.begin)) {
				if is[i] = true; !strings.Contains(inner, b.end) {
					until = b.end
				}
				break
			}
		}
	}
	return is
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
