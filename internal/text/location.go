package text

import (
	"strconv"

	"codeintel/internal/platform/lazyregexp"
)

var location = lazyregexp.MustCompile(`^(.+?):(\d{1,9})(?:-(\d{1,9})|:\d+)?$`)

// ParseLocation parses a location as answers, compilers and grep write it: FILE:LINE, FILE:FIRST-LAST or
// FILE:LINE:COLUMN. For a single line, first and last are equal; a column is ignored.
func ParseLocation(s string) (file string, first, last int, ok bool) {
	match := location.FindStringSubmatch(s)
	if match == nil {
		return "", 0, 0, false
	}
	first, _ = strconv.Atoi(match[2])
	if last, _ = strconv.Atoi(match[3]); match[3] == "" {
		last = first
	}
	return match[1], first, last, true
}
