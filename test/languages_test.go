package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/syntax"
)

// severalLanguages are the places that may name more than a few languages, and why.
// Everything else asks the row of a language; see docs/design/adding.md.
var severalLanguages = map[string]string{
	"internal/files/secretnames.go":                      "files of code and documents, which hold no secret",
	"internal/index/ranking/paths.go":                    "files of data and documents, whether they are of a language or not",
	"internal/search/impact/documents.go":                "files that configure, whether they are of a language or not",
	"internal/resolve/typescript/specifier/specifier.go": "suffixes that an import may leave out",
	"internal/search/importpath/importpath.go":           "suffixes that an import may leave out",
	"internal/pipeline/reviewcheck/weakenedtests.go":     "scripts that run or include others, whether they are of a language or not",
}

// mostLanguages is how many languages a piece of code may name.
const mostLanguages = 3

// TestOneListOfLanguages fails where a list, a table or a switch outside of package
// syntax names languages one by one, by their suffixes or their names: that belongs
// into a column of their rows.
func TestOneListOfLanguages(t *testing.T) {
	bySuffix := make(map[string]syntax.Language)
	byName := make(map[string]syntax.Language)
	for _, l := range syntax.Languages() {
		byName[string(l)] = l
		for ext := range strings.FieldsSeq(syntax.Of(l).Extensions) {
			bySuffix["."+ext] = l
		}
	}
	used := make(map[string]bool)
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, fset *token.FileSet) {
		if packageOf(path) == "" || strings.HasPrefix(packageOf(path), "syntax") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.CompositeLit, *ast.SwitchStmt, *ast.BasicLit:
			default:
				return true
			}
			found := make(map[syntax.Language]bool)
			ast.Inspect(n, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "syntax" {
						if l, ok := byName[strings.ToLower(n.Sel.Name)]; ok {
							found[l] = true
						}
					}
				case *ast.BasicLit:
					text, _ := strconv.Unquote(n.Value)
					for word := range strings.FieldsSeq(text) {
						if l, ok := bySuffix[word]; ok {
							found[l] = true
						}
					}
					if l, ok := byName[text]; ok {
						found[l] = true
					}
				}
				return true
			})
			if len(found) <= mostLanguages {
				return true
			}
			if severalLanguages[path] == "" {
				t.Errorf("%s names %v: make it a column of the rows in package syntax", fset.Position(n.Pos()), slices.Sorted(maps.Keys(found)))
			}
			used[path] = true
			return false
		})
	})
	for path := range severalLanguages {
		if !used[path] {
			t.Errorf("%s names no languages any more; take it off the list", path)
		}
	}
}
