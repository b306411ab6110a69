package postings

import (
	"sort"
	"strings"
)

// ComparePath compares the path of a file with another, as strings.Compare does.
func (s *Segment) ComparePath(file int, path string) int {
	return strings.Compare(string(s.blob(file, 0)), path)
}

// FindPath returns the number of the file with a path. Files must have been
// added in the order of their paths.
func (s *Segment) FindPath(path string) (file int, ok bool) {
	return sort.Find(s.files, func(i int) int { return -s.ComparePath(i, path) })
}
