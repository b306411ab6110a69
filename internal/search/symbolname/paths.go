package symbolname

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/text"
)

// NearPaths returns up to n files and directories of a list that look like a path: first
// those of the same base name, then those of a near path.
func NearPaths(rel string, list []files.Entry, n int) []string {
	base := path.Base(rel)
	var same []string
	names := map[string]bool{}
	for _, f := range list {
		for p := f.Path; p != "." && !names[p]; p = path.Dir(p) {
			names[p] = true
			if strings.EqualFold(path.Base(p), base) {
				same = append(same, p)
			}
		}
	}
	slices.SortFunc(same, func(a, b string) int {
		return cmp.Or(text.CommonTail(b, rel)-text.CommonTail(a, rel), len(a)-len(b), strings.Compare(a, b))
	})
	if len(same) >= n {
		return same[:n]
	}
	all := slices.Sorted(maps.Keys(names))
	for _, c := range Near(rel, all, n) {
		if len(same) < n && !slices.Contains(same, c) {
			same = append(same, c)
		}
	}
	byBase := map[string]string{}
	var bases []string
	for _, p := range all {
		if b := path.Base(p); byBase[b] == "" {
			byBase[b] = p
			bases = append(bases, b)
		}
	}
	for _, b := range Near(base, bases, n) {
		if c := byBase[b]; len(same) < n && !slices.Contains(same, c) {
			same = append(same, c)
		}
	}
	return same
}
