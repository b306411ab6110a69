package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPagesHoldAll reads the long answers of every command that prints items to their ends, in
// pages of several sizes: the JSON of each page has what its text has, and all pages together
// have everything once.
func TestPagesHoldAll(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n")
	write("base/base.go", "package base\n\n// Thing is shared.\ntype Thing struct{}\n\n// Use uses it.\nfunc (Thing) Use() {}\n")
	const users = 24
	for i := range users {
		write(fmt.Sprintf("p%02d/thing.go", i), fmt.Sprintf("package p%02d\n\nimport \"example.com/m/base\"\n\n// ThingUser%d uses things.\nfunc ThingUser%d(t base.Thing) {\n\tt.Use()\n}\n", i, i, i))
	}
	var unused strings.Builder
	for i := range users {
		fmt.Fprintf(&unused, "\nfunc unused%d() {}\n", i)
	}
	write("base/unused.go", "package base\n"+unused.String())
	commands := []struct {
		args  []string
		lists string
		keys  []string // members that tell items apart, and stand in the text
	}{
		{[]string{"search", "uses things"}, "map_hits forest_hits", []string{"file", "start_line"}},
		{[]string{"def", "ThingUser"}, "definitions", []string{"file", "name"}},
		{[]string{"refs", "Thing.Use"}, "references", []string{"file", "line"}},
		{[]string{"outline"}, "files", []string{"file"}},
		{[]string{"grep", "Use"}, "matches", []string{"file", "line"}},
		{[]string{"files", "**/*.go"}, "files", []string{"file"}},
		{[]string{"deps", "base"}, "imports imported_by", []string{"file", "line"}},
		{[]string{"dead"}, "symbols", []string{"file", "name"}},
		{[]string{"impact", "Thing.Use"}, "must_verify should_verify", []string{"file"}},
	}
	for _, name := range commandsWithPages(t) {
		if !slices.ContainsFunc(commands, func(c struct {
			args  []string
			lists string
			keys  []string
		}) bool {
			return c.args[0] == name
		}) {
			t.Errorf("%s has pages, and nothing holds them to their text", name)
		}
	}
	for _, c := range commands {
		var whole []string
		for _, limit := range []string{"1000", "7", "3"} {
			size := "--limit"
			if c.args[0] == "search" {
				size = "--top"
				limit = strings.Replace(limit, "1000", "100", 1)
			}
			var seen []string
			for cursor := ""; ; {
				args := append(slices.Clone(c.args), "--root", root, size, limit)
				if cursor != "" {
					args = append(args, "--cursor", cursor)
				}
				text, data := answered(t, args), answered(t, append(args, "--json"))
				var page map[string]any
				if err := json.Unmarshal([]byte(data), &page); err != nil {
					t.Fatalf("%v: %v\n%s", args, err, data)
				}
				before := len(seen)
				for list := range strings.FieldsSeq(c.lists) {
					items, _ := page[list].([]any)
					for _, item := range items {
						var id []string
						for _, key := range c.keys {
							value := fmt.Sprint(item.(map[string]any)[key])
							if said := strings.TrimPrefix(value, root+"/"); !strings.Contains(text, said) {
								t.Errorf("%v: %s %q is not in the text:\n%s", args, key, said, text)
							}
							id = append(id, value)
						}
						if name := strings.Join(id, " "); slices.Contains(seen, name) {
							t.Errorf("%v: %s is on two pages", args, name)
						} else {
							seen = append(seen, name)
						}
					}
				}
				if cursor, _ = page["next_cursor"].(string); cursor == "" {
					break
				}
				if len(seen) == before {
					t.Fatalf("%v: a page has nothing, and another follows", args)
				}
			}
			slices.Sort(seen)
			if whole == nil {
				whole = seen
			}
			if !slices.Equal(seen, whole) || len(seen) < users {
				t.Errorf("%v in pages of %s: %d of %d", c.args, limit, len(seen), len(whole))
			}
		}
	}
}

// commandsWithPages are the commands that take a cursor.
func commandsWithPages(t *testing.T) (names []string) {
	t.Helper()
	root := (&app{}).command(commands)
	for _, cmd := range root.Commands() {
		if cmd.Flags().Lookup("cursor") != nil {
			names = append(names, cmd.Name())
		}
	}
	if len(names) < 5 {
		t.Fatalf("only %v have pages", names)
	}
	return names
}

// answered is the output of a command that found something.
func answered(t *testing.T, args []string) string {
	t.Helper()
	var out, problem bytes.Buffer
	if status := Main(t.Context(), args, strings.NewReader(""), &out, &problem); status != 0 {
		t.Fatalf("%v: status %d\n%s", args, status, problem.String())
	}
	return out.String()
}
