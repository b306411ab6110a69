package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
		"hook ":                     "claude codex cursor",
		"model pull multi":          "multilingual-e5-small",
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

// TestOffersAreHarmless leaves out names that a shell would run, or a terminal act on.
func TestOffersAreHarmless(t *testing.T) {
	names := []string{"Server.Handle", "a.ts#Router", "src/日本.go:3"}
	all := []string{"$(touch ran)", "`touch ran`", "a;b", "a\x1b[2J", "a\nb", "a\u202eb", "#a", "-rf", "", "a\x9b2J"}
	list := func(context.Context) ([]string, error) { return append(all, names...), nil }
	a := new(app)
	got, _ := a.completeFrom(list)(a.command(commands), nil, "")
	if !slices.Equal(got, names) {
		t.Errorf("offered: %q, want %q", got, names)
	}
}

// TestArgumentsAreCompleted walks all commands: each one that takes names of a closed set
// offers them, or files where it takes files.
func TestArgumentsAreCompleted(t *testing.T) {
	root := new(app).command(commands)
	free := map[string]bool{ // any text, or shells complete files without being told
		"code-intel search": true, "code-intel outline": true, "code-intel help": true,
	}
	var below func(*cobra.Command)
	below = func(cmd *cobra.Command) {
		all, _, _ := operandsInUseLine(cmd)
		if len(all) > 0 && cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil && !free[cmd.CommandPath()] {
			t.Errorf("%s completes none of %v", cmd.CommandPath(), all)
		}
		for _, sub := range cmd.Commands() {
			below(sub)
		}
	}
	below(root)
}
