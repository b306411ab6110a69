package instructions

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// keyword is what must be the same in every language: names of tools and fields,
// phases and constants, commands, payloads, numbers.
var keyword = regexp.MustCompile(`code-intel approve|[a-z]+(?:_[a-z]+)+|[A-Z][A-Z_0-9]{3,}|(?:file|path):[a-z-]+|` + "`[^`]+`" + `|\{[^}]*\}|\b[0-9]+\b|refs/\S+/`)

// TestInstructionsInEveryLanguage checks the instructions of all languages against
// the English ones: the same phases, the same keywords.
func TestInstructionsInEveryLanguage(t *testing.T) {
	english, err := fs.Glob(builtIn, "en/*.md")
	if err != nil || len(english) == 0 {
		t.Fatalf("no instructions (%v)", err)
	}
	all, err := fs.Glob(builtIn, "ja/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(bases(english), bases(all)); diff != "" {
		t.Errorf("instructions in English (-) and Japanese (+) are not of the same phases:\n%s", diff)
	}
	for _, file := range all {
		japanese, err := builtIn.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		original, err := builtIn.ReadFile("en/" + path.Base(file))
		if err != nil {
			continue // told above
		}
		if diff := cmp.Diff(keywords(original), keywords(japanese)); diff != "" {
			t.Errorf("%s names other things than its original (-):\n%s", file, diff)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(japanese)), "\n") {
			if line != "" && !strings.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.Hiragana) }) {
				t.Errorf("%s: this line is not Japanese: %s", file, line)
			}
		}
	}
}

func bases(files []string) (names []string) {
	for _, f := range files {
		names = append(names, path.Base(f))
	}
	return names
}

func keywords(text []byte) []string {
	found := keyword.FindAllString(string(text), -1)
	slices.Sort(found)
	return slices.Compact(found)
}
