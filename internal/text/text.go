package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Clip returns s in at most the given number of characters. Where it had to cut,
// the last of them is an ellipsis.
func Clip(s string, most int) string {
	if len(Prefix(s, most)) == len(s) {
		return s
	}
	return strings.TrimRight(Prefix(s, most-1), " ") + "…"
}

// Prefix returns the first characters of s, at most the given number.
func Prefix(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for i := range s {
		if most <= 0 {
			return s[:i]
		}
		most--
	}
	return s
}

// OneLine returns the words of s joined by single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// QuoteAll returns the strings in Go's quotation marks, separated by commas.
func QuoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, ", ")
}

// ListFirst joins the first names of a list by commas, at most the given number, and
// says how many more there are.
func ListFirst(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Words yields the runs of letters, digits and underscores in s.
func Words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(c rune) bool {
		return c < utf8.RuneSelf && c != '_' && (c < '0' || '9' < c) && (c < 'A' || 'Z' < c) && (c < 'a' || 'z' < c)
	})
}

// WordSet returns the set of the words in s, which are separated by white space.
func WordSet(s string) map[string]bool {
	set := make(map[string]bool, 1+strings.Count(s, " ")) // about
	for word := range strings.FieldsSeq(s) {
		set[word] = true
	}
	return set
}

// AppendNew appends s to a list that does not have it yet, unless s is empty.
func AppendNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// LineRange writes a range of lines: "7-12", or "7" for a single line.
func LineRange(start, end int) string {
	if end <= start {
		return strconv.Itoa(start)
	}
	return fmt.Sprintf("%d-%d", start, end)
}

// Dotted returns name behind its scope and a dot, or alone where there is no scope.
func Dotted(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

// Hash returns the SHA-256 of s in hexadecimal digits.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Depth returns how many folders deep a folder lies; "." is at the top.
func Depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// CommonFolders returns how many folders two paths of files share at their beginnings.
func CommonFolders(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// CommonTail returns how many folders two paths share at their ends.
func CommonTail(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// IsASCII reports whether s holds nothing but ASCII.
func IsASCII[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Blank writes spaces over b, line breaks apart.
func Blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// LineEnd returns the offset of the first line break at or after from, or the length
// of b if there is none.
func LineEnd(b []byte, from int) int {
	if n := bytes.IndexByte(b[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(b)
}

// Counted returns a number with its noun, which takes the ending unless there is one:
// "1 match", "2 matches".
func Counted(n int, noun, ending string) string {
	if n == 1 {
		ending = ""
	}
	return fmt.Sprintf("%d %s%s", n, noun, ending)
}

// Grouped writes a number with a comma before each three digits.
func Grouped[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Distinct returns each value that is not empty once, sorted.
func Distinct(values []string) (distinct []string) {
	sorted := slices.Sorted(slices.Values(values))
	for i, v := range sorted {
		if v != "" && (i == 0 || v != sorted[i-1]) {
			distinct = append(distinct, v)
		}
	}
	return distinct
}

// Intersect returns each value that is not empty and is in both lists once, sorted.
func Intersect(values, others []string) []string {
	in := setOf(others)
	return Distinct(slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !in[v] }))
}

// Without returns each value that is not in another list once, in their order.
func Without(values, others []string) (rest []string) {
	seen := setOf(others)
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			rest = append(rest, v)
		}
	}
	return rest
}

func setOf(values []string) map[string]bool {
	set := make(map[string]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return set
}
