package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownHome are the packages whose tests index nothing themselves: they start the program
// with a home of its own.
var ownHome = []string{"cmd/code-intel", "test/e2e", "test/e2e/pipeline", "test/acceptance", "test/adding"}

// TestCacheOfTests fails where tests could write indexes into the cache folder of the user
// who runs them: wherever they can open an index, package tempcache has a folder for it.
func TestCacheOfTests(t *testing.T) {
	const own, opens = "codeintel/", "codeintel/internal/index"
	imports := map[string][]string{} // by package, without those of tests
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		pkg := own + filepath.ToSlash(filepath.Dir(path))
		imports[pkg] = append(imports[pkg], importsOf(t, file)...)
	})
	reached := map[string]bool{}
	var reaches func(pkg string) bool
	reaches = func(pkg string) bool {
		if known, ok := reached[pkg]; ok {
			return known
		}
		reached[pkg] = pkg == opens
		if slices.ContainsFunc(imports[pkg], reaches) {
			reached[pkg] = true
		}
		return reached[pkg]
	}
	tests, kept := map[string]bool{}, map[string]bool{}
	for path, data := range tracked(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata/") || slices.Contains(ownHome, dir) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		tests[dir] = tests[dir] || reaches(own+dir) || slices.ContainsFunc(importsOf(t, file), reaches)
		kept[dir] = kept[dir] || strings.Contains(string(data), "tempcache.Main(")
	}
	for dir, can := range tests {
		if can && !kept[dir] {
			t.Errorf("the tests of %s can write into the user's cache: have a TestMain that calls tempcache.Main", dir)
		}
	}
}
