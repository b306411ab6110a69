package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/test/golden"
)

// TestReference holds docs/reference/tools.md to the tools there are.
func TestReference(t *testing.T) {
	golden.Hold(t, "../../docs/reference/tools.md", reference(t))
}

// A parameter is one field of a tool's input schema.
type parameter struct {
	Type, Description string
	Enum              []string
	Items             *struct{ Type string }
}

// reference describes all tools in Markdown.
func reference(t *testing.T) string {
	titles := map[Toolset]string{Search: "Questions about the repository", Code: "Sessions (/code)", Forge: "Pipelines (/forge)"}
	effects := map[hints]string{
		reads:    "changes nothing",
		records:  "changes only what the server keeps; calling it again changes nothing more",
		advances: "changes only what the server keeps; each call goes further",
		destroys: "may remove something from the repository",
		pushes:   "may change the repository and the remote",
	}
	var b strings.Builder
	b.WriteString("# Tools\n\nGenerated from the program by `go test ./internal/mcp -run TestReference -update`.\n\n")
	b.WriteString("What the server offers besides tools, and how it speaks the protocol, is in [clients](clients.md#mcp-surface).\n")
	var set Toolset
	for i := range tools {
		tool := &tools[i]
		if tool.set != set {
			set = tool.set
			fmt.Fprintf(&b, "\n## %s\n\nToolset `%s`.\n", titles[set], set)
		}
		d, err := tool.describe()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\nEffect: %s. Example: `%s`\n", tool.name, d.Description, effects[tool.hints], tool.example)
		writeArguments(t, &b, d.InputSchema)
	}
	return b.String()
}

// writeArguments writes a table of the arguments, those that must be given first.
func writeArguments(t *testing.T, b *strings.Builder, input any) {
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]parameter
		Required   []string
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(schema.Properties) == 0 {
		return
	}
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		if a, b := slices.Contains(schema.Required, x), slices.Contains(schema.Required, y); a != b {
			if a {
				return -1
			}
			return 1
		}
		return strings.Compare(x, y)
	})
	b.WriteString("\n| argument | type | |\n|---|---|---|\n")
	for _, name := range names {
		a := schema.Properties[name]
		kind := cmp.Or(a.Type, "string or list")
		if a.Items != nil && a.Items.Type != "" {
			kind += " of " + a.Items.Type
		}
		about := a.Description
		if len(a.Enum) > 0 {
			about = strings.TrimSpace(about + " One of: " + strings.Join(a.Enum, ", "))
		}
		if slices.Contains(schema.Required, name) {
			name += "` (required)"
		} else {
			name += "`"
		}
		fmt.Fprintf(b, "| `%s | %s | %s |\n", name, kind, strings.ReplaceAll(about, "|", `\|`))
	}
}
