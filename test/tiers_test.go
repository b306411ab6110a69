package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// samplers are the helpers that try a sample of their cases for the tests of a package
// that call them.
var samplers = map[string]string{"internal/taskbranch": "interrupted", "internal/pipeline/service": "reached"}

// TestTiers compares the lists of long tests in the Makefile with the tests that ask
// package tier how much to do: each of them is listed, and each entry names one.
func TestTiers(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool) // entries of the lists, and whether they name a long test
	for _, list := range regexp.MustCompile(`(?m)^(?:HOSTILE|CRASH|ADVERSARIAL|HISTORIES|ADDING) +:= (.*)$`).FindAllStringSubmatch(string(makefile), -1) {
		for entry := range strings.SplitSeq(strings.ReplaceAll(list[1], "$$", "$"), "|") {
			named[entry] = false
		}
	}
	for path, data := range tracked(t) {
		long := regexp.MustCompile(`\btier\.[A-Z]`)
		if helper := samplers[filepath.Dir(path)]; helper != "" {
			long = regexp.MustCompile(`\btier\.[A-Z]|\b` + helper + `\(`)
		}
		if !strings.HasSuffix(path, "_test.go") || !long.Match(data) || strings.HasPrefix(path, "test/tier") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") || !long.Match(data[f.Pos()-1:f.End()-1]) {
				continue
			}
			listed := false
			for entry := range named {
				if regexp.MustCompile(entry).MatchString(f.Name.Name) {
					named[entry], listed = true, true
				}
			}
			if !listed {
				t.Errorf("%s: %s is a long test, and no list in the Makefile names it", path, f.Name.Name)
			}
		}
	}
	for entry, ok := range named {
		if !ok {
			t.Errorf("Makefile: %q names no long test", entry)
		}
	}
}

// TestTemporaryFolder has make keep the temporary files of tests in one folder, which is in
// memory where there is some. GOTMPDIR would put those of t.TempDir elsewhere.
func TestTemporaryFolder(t *testing.T) {
	if os.Getenv("MAKELEVEL") == "" {
		t.Skip("make does not run it")
	}
	if dir := t.TempDir(); !strings.HasPrefix(dir, os.TempDir()) {
		t.Errorf("temporary files are in %s, not in %s", dir, os.TempDir())
	}
}
