package redact

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLikely looks for the words in texts that are made of parts of them.
func TestLikely(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200_000 {
		var text []byte
		for len(text) < 12 {
			w := words[r.IntN(len(words))]
			from := r.IntN(len(w))
			text = append(text, w[from:from+r.IntN(len(w)-from)+1]...)
		}
		text = text[r.IntN(3):]
		want := slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
		if mayContainSecret(text) != want {
			t.Fatalf("%q: likely is %v", text, !want)
		}
		if want {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("words in %d texts alone", found)
	}
	for _, w := range words {
		for before := range 4 {
			if text := strings.Repeat(" ", before) + w; !mayContainSecret([]byte(text)) || mayContainSecret([]byte(text[:len(text)-1])) {
				t.Errorf("%q is not told from its beginning", text)
			}
		}
	}
}

// TestLines wants tokens to be found in a text as in each of its lines: those with a word are
// looked at alone.
func TestLines(t *testing.T) {
	random := strings.Repeat("a1B2c3D4", 10)
	parts := []string{
		"gh" + "p_" + random[:36], "gh" + "p_", random[:36], "AKI" + "A" + strings.Repeat("Q2W3", 4), "aws_secret_" + "access_key", " = ", random[:40],
		"xox" + "b-123456-" + random[:20], `\n`, `"`, " ", "_", "é", "\xff", "npm" + "_" + random[:36], "npm_",
	}
	r := rand.New(rand.NewPCG(3, 4))
	concealed := 0
	for range 20_000 {
		var lines, covered []string
		for range 1 + r.IntN(4) {
			var line strings.Builder
			for range r.IntN(5) {
				line.WriteString(parts[r.IntN(len(parts))])
			}
			lines = append(lines, line.String())
			covered = append(covered, string(tokensCovered(line.String())))
		}
		text, want := strings.Join(lines, "\n"), strings.Join(covered, "\n")
		if got := String(text); got != want {
			t.Fatalf("%q becomes %q instead of %q", text, got, want)
		}
		if text != want {
			concealed++
		}
	}
	if concealed < 1000 {
		t.Errorf("only %d texts have a token", concealed)
	}
}

// tokensCovered covers the tokens of a text, whatever words it has.
func tokensCovered(text string) []byte {
	covered := []byte(text)
	for _, m := range tokens.FindAllSubmatchIndex(covered, -1) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				cover(covered[m[g+1]:m[1]])
			}
		}
	}
	return covered
}
