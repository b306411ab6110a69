package glob

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a.go", true},
		{"**/*.{ts,tsx}", "src/a/b.tsx", true},
		{"**/*.{ts,tsx}", "src/a/b.js", false},
		{"{a,b{c,d}}/x", "bd/x", true},
		{"{a,b{c,d}}/x", "b/x", false},
		{"{,a}b", "b", true},
		{`\{a,b}`, "{a,b}", true},
		{"[{]a", "{a", true},
		{"{**/,}x", "a/b/x", true},
		{"{a", "a", false},
	} {
		if got := Match(tt.pattern, tt.path); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.path, got)
		}
	}
}

// Without bounds these take longer than anybody waits.
func TestBounds(t *testing.T) {
	name := strings.Repeat("a", 200)
	for _, p := range []string{
		strings.Repeat("{a,a}", 200) + "c",
		strings.Repeat("*{a,a}", 100) + "c",
		strings.Repeat("{a,", 5000) + strings.Repeat("}", 5000),
		strings.Repeat("{", 5000) + strings.Repeat("}", 5000),
		strings.Repeat("{a}", 20_000),
		strings.Repeat("**/*{a,a}", 8) + "c",
		strings.Repeat("**/*a", 200) + "c",
	} {
		if Match(p, name) {
			t.Errorf("%.20q… matches", p)
		}
	}
	if Valid(strings.Repeat("{a,b}", 9)) {
		t.Error("a glob of 512 ways is valid")
	}
	if Valid("{" + strings.Repeat(strings.Repeat("a", 1000)+",", 100) + "}") {
		t.Error("a glob that unfolds to 100 KB is valid")
	}
	if !Valid(strings.Repeat("{a,b}", 8)) {
		t.Error("a glob of 256 ways is not valid")
	}
}

// Unfolded or not, a glob means the same.
func TestSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune(`aab*?{},/[]\`)), 0, 10, -1).Draw(t, "pattern")
		path := rapid.StringOfN(rapid.SampledFrom([]rune(`ab/{},`)), 1, 6, -1).Draw(t, "path")
		want, err := doublestar.Match(pattern, path)
		if err != nil || strings.Contains(pattern, "{}") || strings.Contains(pattern, "{") && strings.Contains(pattern, "*") {
			return // the library reads empty braces, and stars before braces, in its own way
		}
		if got := Match(pattern, path); got != want {
			t.Fatalf("Match(%q, %q) = %v, want %v", pattern, path, got, want)
		}
	})
}
