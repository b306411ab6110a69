package postings

import "sort"

// ComparePath compares the path of a file with another, as strings.Compare does.
func (s *Segment) ComparePath(file int, path string) int {
	own := s.blob(file, 0)
	switch { // the compiler copies nothing for these
	case string(own) < path:
		return -1
	case string(own) > path:
		return 1
	}
	return 0
}

// FindPath returns the number of the file with a path. Files must have been
// added in the order of their paths.
func (s *Segment) FindPath(path string) (file int, ok bool) {
	return sort.Find(s.files, func(i int) int { return -s.ComparePath(i, path) })
}
