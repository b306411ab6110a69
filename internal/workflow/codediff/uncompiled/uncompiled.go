// Package uncompiled finds the files of a change that no build compiles, as far as names, build
// constraints, lists of sources and declarations of modules show. Package codediff asks it about every change.
package uncompiled

import (
	"bytes"
	"cmp"
	"go/build/constraint"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// A File is one of a change: what it was called, if not the same, and its text before and after, if any.
type File struct {
	Path, OldPath string
	Base, New     []byte
}

// Paths returns the paths of the files that are part of no build. read returns another file of the
// project as it is now, or nil; it may be nil itself.
func Paths(files []File, read func(string) []byte) map[string]bool {
	out := make(map[string]bool)
	for _, f := range files {
		out[f.Path] = f.New != nil && excluded(f, files, read)
	}
	return out
}

// CSource matches the names of files that no other file includes.
var CSource = lazyregexp.MustCompile(`\.(?:c|cc|cpp|cxx|c\+\+|m|mm)$`)

func excluded(f File, files []File, read func(string) []byte) bool {
	text := func(p string) []byte {
		for _, o := range files {
			if o.Path == p {
				return o.New
			}
		}
		if read == nil {
			return nil
		}
		return read(p)
	}
	base := path.Base(f.Path)
	lang := syntax.Detect(f.Path, f.New)
	if CSource.MatchString(base) {
		return f.Base == nil && !cListed(f.Path, files, text)
	}
	switch lang {
	case syntax.Go:
		return strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || GoFolder(path.Dir(f.Path)) ||
			!goBuilds(f.Path, f.New) && (f.Base == nil || goBuilds(cmp.Or(f.OldPath, f.Path), f.Base)) || goNested(f, files)
	case syntax.Rust:
		return f.Base == nil && !rustDeclared(f.Path, text)
	}
	return false
}

// GoFolder reports whether Go's tools pass over a folder.
func GoFolder(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(p string) bool {
		return p == "testdata" || len(p) > 1 && (p[0] == '_' || p[0] == '.')
	})
}

// systems and processors are what Go builds for.
var (
	systems    = strings.Fields("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows")
	processors = strings.Fields("386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")
)

// goBuilds reports whether there is a platform for which a Go file is built without
// tags that somebody has to ask for.
func goBuilds(name string, text []byte) bool {
	var expr constraint.Expr
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			if e, err := constraint.Parse(line); err == nil {
				expr = e
			}
		}
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".go"), "_test")
	parts := strings.Split(stem, "_")
	var wantOS, wantArch string
	if n := len(parts); n > 1 {
		if slices.Contains(processors, parts[n-1]) {
			wantArch = parts[n-1]
			if n > 2 && slices.Contains(systems, parts[n-2]) {
				wantOS = parts[n-2]
			}
		} else if slices.Contains(systems, parts[n-1]) {
			wantOS = parts[n-1]
		}
	}
	for _, goos := range systems {
		for _, arch := range processors {
			if wantOS != "" && wantOS != goos || wantArch != "" && wantArch != arch {
				continue
			}
			if expr == nil {
				return true
			}
			for _, cgo := range []bool{true, false} {
				if expr.Eval(func(tag string) bool { return goTag(tag, goos, arch, cgo) }) {
					return true
				}
			}
		}
	}
	return false
}

func goTag(tag, goos, arch string, cgo bool) bool {
	switch tag {
	case goos, arch, "gc":
		return true
	case "cgo", "race", "msan", "asan":
		return cgo
	case "unix":
		return !slices.Contains([]string{"js", "plan9", "wasip1", "windows"}, goos)
	case "linux":
		return goos == "android"
	case "darwin":
		return goos == "ios"
	case "solaris":
		return goos == "illumos"
	}
	minor, ok := strings.CutPrefix(tag, "go1.")
	return ok && len(minor) <= 2
}

// goNested reports whether the change puts a file into another module than it was in.
func goNested(f File, files []File) bool {
	was := func(dir string) bool { // whether a module was there
		return slices.ContainsFunc(files, func(o File) bool { return cmp.Or(o.OldPath, o.Path) == path.Join(dir, "go.mod") && o.Base != nil })
	}
	for dir := path.Dir(f.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
		mod := path.Join(dir, "go.mod")
		if slices.ContainsFunc(files, func(o File) bool { return o.Path == mod && o.New != nil }) && !was(dir) {
			return true
		}
	}
	return false
}

// cListed reports whether a new source file is part of a build, as far as files of CMake in
// the folders above it name each source; or whether another file includes it.
func cListed(file string, files []File, text func(string) []byte) bool {
	base := []byte(path.Base(file))
	for _, o := range files {
		if o.Path != file && bytes.Contains(o.New, base) {
			return true
		}
	}
	lists := false
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		list := text(path.Join(dir, "CMakeLists.txt"))
		if bytes.Contains(list, base) || searches.Match(list) {
			return true
		}
		lists = lists || namesSource.Match(list)
		if dir == "." || dir == "/" {
			return !lists
		}
	}
}

// searches finds what adds sources to a build that it does not name; namesSource one that
// is named.
var (
	searches    = lazyregexp.MustCompile(`(?i)\bGLOB|aux_source_directory|include\s*\([^)]*[./$]|foreach`)
	namesSource = lazyregexp.MustCompile(`\w\.(?:c|cc|cpp|cxx)\b`)
)

// rustDeclared reports whether the module of a file is declared by another.
func rustDeclared(file string, text func(string) []byte) bool {
	dir, base := path.Dir(file), path.Base(file)
	name := strings.TrimSuffix(base, ".rs")
	switch {
	case name == "main" || name == "lib" || name == "build" || strings.Contains("/"+dir+"/", "/bin/") ||
		strings.Contains("/"+dir+"/", "/tests/") && (path.Base(dir) == "tests" || !bytes.Contains(text(file), []byte("#[test]"))) ||
		strings.Contains("/"+dir+"/", "/examples/") || strings.Contains("/"+dir+"/", "/benches/"):
		return true
	case name == "mod":
		name, dir = path.Base(dir), path.Dir(dir)
	}
	found := false
	for _, parent := range []string{path.Join(dir, "lib.rs"), path.Join(dir, "main.rs"), path.Join(dir, "mod.rs"), dir + ".rs"} {
		t := text(parent)
		if t == nil {
			continue
		}
		found = true
		for line := range bytes.Lines(t) {
			fields := strings.Fields(strings.TrimSuffix(strings.TrimSpace(string(line)), ";"))
			if n := len(fields); n >= 2 && fields[n-2] == "mod" && fields[n-1] == name || bytes.Contains(line, []byte(base)) {
				return true
			}
		}
	}
	return !found && !strings.Contains("/"+dir+"/", "/tests/") // nobody could declare it: it may be one of a build that is not seen here
}
