package golang

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// findGoroot returns the folder of a Go installation, "" if there is none: that of the
// environment, the one that this program was built with, or that of the go command on
// the path. Nothing of it is run.
func findGoroot() string {
	roots := []string{os.Getenv("GOROOT"), build.Default.GOROOT}
	if command, err := exec.LookPath("go"); err == nil {
		if real, err := filepath.EvalSymlinks(command); err == nil {
			roots = append(roots, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, root := range roots {
		if filepath.IsAbs(root) {
			if _, err := os.Stat(filepath.Join(root, "src", "errors")); err == nil {
				return root
			}
		}
	}
	return ""
}

// stdOf loads a package of the standard library, if a Go installation is
// there. Only what callers see of it counts, so bodies are blanked before
// parsing and internal packages are left empty. It is kept for good.
func (c *Checker) stdOf(importPath string) *types.Package {
	if p, ok := c.std[importPath]; ok {
		return p
	}
	first, _, _ := strings.Cut(importPath, "/")
	if c.goroot == "" || strings.Contains(first, ".") || dullStd(importPath) || c.outOfTime() {
		return nil
	}
	cut := c.cut
	dir := filepath.Join(c.goroot, "src", filepath.FromSlash(importPath))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	fset := token.NewFileSet()
	ctx := build.Default
	var parsed []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !goodName(&ctx, name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !matchesBuild(&ctx, text) {
			continue
		}
		if a, err := parser.ParseFile(fset, name, blankBodies(text, noBody), parser.SkipObjectResolution); err == nil {
			parsed = append(parsed, a)
		}
	}
	if parsed == nil {
		return nil
	}
	conf := types.Config{Importer: stdImporter{c}, FakeImportC: true, IgnoreFuncBodies: true, Error: func(error) {}, DisableUnusedImportCheck: true}
	pkg := types.NewPackage(importPath, parsed[0].Name.Name)
	c.std[importPath] = pkg // before it is complete: an import cycle cannot be, but must not hang us
	// The error is the first of those that were expected.
	_ = types.NewChecker(&conf, fset, pkg, nil).Files(parsed)
	if c.cut != cut {
		delete(c.std, importPath) // something that it imports is empty
	}
	return pkg
}

// dullStd reports whether a package of the standard library says nothing about
// the values that programs pass around, and costs much to load.
func dullStd(importPath string) bool {
	switch importPath {
	case "runtime", "reflect", "syscall", "unsafe", "math/big":
		return true
	}
	return strings.HasPrefix(importPath, "internal/") || strings.Contains(importPath, "/internal/") || strings.HasPrefix(importPath, "vendor/") ||
		strings.HasPrefix(importPath, "crypto/") || strings.HasPrefix(importPath, "runtime/")
}

type stdImporter struct{ c *Checker }

func (s stdImporter) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if p := s.c.stdOf(importPath); p != nil {
		return p, nil
	}
	return emptyPackage(importPath), nil
}

func emptyPackage(importPath string) *types.Package {
	p := types.NewPackage(importPath, PackageName(importPath))
	p.MarkComplete()
	return p
}

// blankBodies drops the bodies of the functions of a formatted Go file that are not wanted.
// They end at the first line that is a closing brace. What is left is in its line.
func blankBodies(text []byte, wanted func(body []byte) bool) []byte {
	out := make([]byte, 0, len(text)/2)
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		if bytes.HasPrefix(line, []byte("func ")) && bytes.HasSuffix(line, []byte("{")) {
			end := bytes.Index(rest, []byte("\n}\n"))
			if end >= 0 && !bytes.HasPrefix(rest, []byte("}\n")) && !wanted(rest[:end]) {
				out = append(append(out, line[:len(line)-1]...), '\n')
				for range bytes.Count(rest[:end+3], []byte{'\n'}) {
					out = append(out, '\n')
				}
				text = rest[end+3:]
				continue
			}
		}
		out = append(append(out, line...), '\n')
	}
	return out
}

func noBody([]byte) bool { return false }
