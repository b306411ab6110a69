package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestCompletion asks as shells do for the values of flags that take one of a set.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"status --log-level ":       "debug info warn error",
		"search x --collection ":    "forest map both",
		"files x --match ":          "auto glob fuzzy",
		"def x --kind ":             "function method class",
		"refs x --lang ":            "go python typescript",
		"grep x --type ":            "go python typescript",
		"init --lang ":              "en ja",
		"install claude --lang ":    "en ja",
		"install claude --scope ":   "project user",
		"uninstall claude --scope ": "project user",
		"mcp --toolsets ":           "search code forge",
		"install ":                  "claude codex cursor",
	} {
		var out bytes.Buffer
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		if status := Main(t.Context(), args, strings.NewReader(""), &out, new(bytes.Buffer)); status != 0 {
			t.Errorf("%q ends with %d", line, status)
		}
		offered := strings.Fields(out.String())
		for _, w := range strings.Fields(want) {
			if !slices.Contains(offered, w) {
				t.Errorf("%q is not offered %q: %q", line, w, offered)
			}
		}
	}
}
