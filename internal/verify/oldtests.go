package verify

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// BaseTests is what a command said of the new code with the tests as they were when the work began.
type BaseTests struct {
	Result   Result        `json:"result"`
	Failures []BaseFailure `json:"failures,omitempty"`
}

// A BaseFailure is a test that the new code does not pass, or all of them where the command
// names none.
type BaseFailure struct {
	Test  string   `json:"test,omitempty"`
	Files []string `json:"files"` // changed test files, by their present names, that it can be in
}

// NewBaseTests says which tests of the base failed, and in which of the changed files they can be: was
// is what those held, by their paths, now how each is called now.
func NewBaseTests(r Result, was map[string][]byte, now map[string]string) BaseTests {
	all := BaseTests{Result: r}
	if !r.Skipped.IsZero() || r.Passed {
		return all
	}
	files := slices.Sorted(maps.Values(now))
	for _, name := range r.Failed {
		f := BaseFailure{Test: name}
		words := strings.FieldsFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		for _, old := range slices.Sorted(maps.Keys(now)) {
			named := strings.Contains(name, path.Base(old))
			if !named && len(words) > 0 {
				named = bytes.Contains(was[old], []byte(words[0])) || bytes.Contains(was[old], []byte(words[len(words)-1]))
			}
			if named {
				f.Files = append(f.Files, now[old])
			}
		}
		if len(f.Files) == 0 {
			f.Files = files
		}
		all.Failures = append(all.Failures, f)
	}
	if len(all.Failures) == 0 {
		all.Failures = []BaseFailure{{Files: files}}
	}
	return all
}
