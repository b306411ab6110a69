package text

import (
	"strconv"

	"codeintel/internal/platform/lazyregexp"
)

var place = lazyregexp.MustCompile(`^(.+?):(\d{1,9})(?:-(\d{1,9})|:\d+)?$`)

// Place takes a place apart as answers, compilers and grep write it: FILE:LINE,
// FILE:LINE-LINE or FILE:LINE:COLUMN. Of one line, to is from.
func Place(s string) (file string, from, to int, ok bool) {
	m := place.FindStringSubmatch(s)
	if m == nil {
		return "", 0, 0, false
	}
	from, _ = strconv.Atoi(m[2])
	if to, _ = strconv.Atoi(m[3]); m[3] == "" {
		to = from
	}
	return m[1], from, to, true
}
