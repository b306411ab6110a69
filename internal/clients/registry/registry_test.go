package registry

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/clients"
)

// TestRegistry holds every client to what the rest of the program takes for granted.
func TestRegistry(t *testing.T) {
	if err := contradiction(All); err != nil {
		t.Error(err)
	}
	for _, c := range All {
		if c.Setup.ID == "" || c.Setup.Title == "" || c.Command == "" || c.Setup.Entries == nil || len(c.Protected) == 0 {
			t.Errorf("%s: a client has a name, a command, entries, and files that steer it", c.ID())
		}
		if c.Hooks == nil {
			if of := All.Find(c.RunsHooksOf); of == nil || of.Hooks == nil {
				t.Errorf("%s has no hooks, and runs none", c.ID())
			}
			continue
		}
		if c.Hooks.Answer == nil || len(c.Hooks.Events) == 0 || c.Setup.GuardEvent == "" || len(c.WriteProbe) == 0 {
			t.Errorf("%s: hooks have events, an answer, one that is asked before a write, and a payload for the doctor", c.ID())
		}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(c.Hooks.Events)), slices.Collect(maps.Keys(c.Hooks.Tools))) {
			if name != strings.ToLower(name) {
				t.Errorf("%s: %q is looked up in lower case", c.ID(), name)
			}
		}
	}
}

// contradiction returns an error if two clients contradict each other: an ID given
// twice, or one name of an event or a tool with two meanings. Hooks of one client are run by
// others, so the names of all of them are known everywhere.
func contradiction(r clients.Registry) error {
	ids := make(map[clients.ID]bool)
	events, tools := make(map[string]clients.Name), make(map[string]clients.Kind)
	for _, c := range r {
		if ids[c.ID()] {
			return fmt.Errorf("there are two clients %q", c.ID())
		}
		ids[c.ID()] = true
		if c.Hooks == nil {
			continue
		}
		for hook, name := range c.Hooks.Events {
			if was, ok := events[hook]; ok && was != name {
				return fmt.Errorf("%s: the event %q means %q, and %q elsewhere", c.ID(), hook, name, was)
			}
			events[hook] = name
		}
		for tool, kind := range c.Hooks.Tools {
			if was, ok := tools[tool]; ok && was != kind {
				return fmt.Errorf("%s: the tool %q is of kind %q, and %q elsewhere", c.ID(), tool, kind, was)
			}
			tools[tool] = kind
		}
	}
	return nil
}

// exempt are files that name several clients and are no list of them.
var exempt = []string{
	"internal/project/rulefiles.go", // documents with rules for whoever reads them
}

// TestOneList wants no second list of clients: no file outside of internal/clients has
// literals that name two of them.
func TestOneList(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, dir := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			switch {
			case d.IsDir() && (d.Name() == "testdata" || name == "internal/clients"):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(exempt, name):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if named := named(file); len(named) > 1 {
				t.Errorf("%s names %s: what differs from client to client belongs into internal/clients", name, strings.Join(named, ", "))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// named returns the clients that the literals of a file name: as a word of its own, or
// by the folder of their settings.
func named(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, _ := strconv.Unquote(literal.Value)
		for _, c := range All {
			id := c.Setup.ID
			if text != id && text != c.Setup.Title && text != c.Command && !strings.HasPrefix(text, "."+id+"/") {
				continue
			}
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
		return true
	})
	return all
}
