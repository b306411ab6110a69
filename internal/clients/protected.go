package clients

import (
	"path"
	"strings"
	"unicode"
)

// Steers reports whether a file of a project steers one of the clients; see [Client.Protected].
func (r Registry) Steers(file string) bool {
	parts := strings.Split(path.Clean(file), "/")
	for i, part := range parts {
		parts[i] = Fold(part)
	}
	for _, c := range r {
		if Listed(c.Protected, parts) {
			return true
		}
	}
	return false
}

// Listed reports whether a path, or a folder above it, is on a list of patterns; the
// parts of the path are folded.
func Listed(list, parts []string) bool {
	for _, pattern := range list {
		folder := strings.HasSuffix(pattern, "/")
		want := strings.Split(strings.TrimSuffix(pattern, "/"), "/")
		if len(parts) < len(want) || !folder && len(parts) > len(want) {
			continue
		}
		// A malformed pattern matches nothing; the test of the table finds it.
		if ok, _ := path.Match(strings.Join(want, "/"), strings.Join(parts[:len(want)], "/")); ok {
			return true
		}
	}
	return false
}

// Fold returns the one spelling for all that some file system takes for the same
// name: in other letters, with letters that show nothing, with dots or spaces at
// its end, or naming a stream of the file.
func Fold(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, name)
	if stream := strings.IndexByte(name, ':'); stream > 0 {
		name = name[:stream]
	}
	if name != "." && name != ".." {
		name = strings.TrimRight(name, ". ")
	}
	return name
}
