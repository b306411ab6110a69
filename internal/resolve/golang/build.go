package golang

import (
	"bytes"
	"go/build"
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

// knownSystems and knownArchs are what a file name may end in to be built for.
var (
	knownSystems = []string{"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos"}
	knownArchs   = []string{"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
	unixSystems  = []string{"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "linux", "netbsd", "openbsd", "solaris"}
)

// goodName reports whether a Go file of this name is built for a platform:
// x_linux_amd64.go is for one only.
func goodName(ctx *build.Context, base string) bool {
	if strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test"), "_")[1:]
	if n := len(parts); n >= 2 && slices.Contains(knownSystems, parts[n-2]) && slices.Contains(knownArchs, parts[n-1]) {
		return buildTag(ctx, parts[n-2]) && buildTag(ctx, parts[n-1])
	}
	if n := len(parts); n >= 1 && (slices.Contains(knownSystems, parts[n-1]) ||
		slices.Contains(knownArchs, parts[n-1])) {
		return buildTag(ctx, parts[n-1])
	}
	return true
}

// matchesBuild reports whether the build constraint of a file, if any, holds.
func matchesBuild(ctx *build.Context, text []byte) bool {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if bytes.HasPrefix(line, []byte("/*")) {
			_, after, ok := bytes.Cut(append(line[2:len(line):len(line)], append([]byte{'\n'}, text...)...), []byte("*/"))
			if !ok {
				return true
			}
			text = after
			continue
		}
		if !bytes.HasPrefix(line, []byte("//")) {
			return true // the package clause
		}
		if constraint.IsGoBuild(string(line)) {
			expr, err := constraint.Parse(string(line))
			return err != nil || expr.Eval(func(tag string) bool { return buildTag(ctx, tag) })
		}
	}
	return true
}

func buildTag(ctx *build.Context, tag string) bool {
	switch {
	case tag == ctx.GOOS || tag == ctx.GOARCH || tag == ctx.Compiler:
		return true
	case tag == "cgo":
		return ctx.CgoEnabled
	case tag == "unix":
		return slices.Contains(unixSystems, ctx.GOOS)
	case tag == "linux":
		return ctx.GOOS == "android"
	}
	return slices.Contains(ctx.ReleaseTags, tag) || slices.Contains(ctx.ToolTags, tag) ||
		slices.Contains(ctx.BuildTags, tag)
}

// A Module is a go.mod of the project: import paths begin with its name.
type Module struct{ Dir, Path string }

// Modules returns the modules of go.mod files, longest path first. The text of a file that
// cannot be read is "".
func Modules(files []string, text func(file string) string) []Module {
	list := []Module{}
	for _, f := range files {
		for line := range strings.Lines(text(f)) {
			if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
				list = append(list, Module{Dir: path.Dir(f), Path: strings.Trim(fields[1], "\"`")})
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Module) int { return len(b.Path) - len(a.Path) })
	return list
}

// FolderOf returns the folder that a Go import path means, or "?" for a
// package of another module. Modules are sorted, longest path first.
func FolderOf(modules []Module, importPath string) string {
	for _, m := range modules {
		if importPath == m.Path {
			return m.Dir
		}
		if below, ok := strings.CutPrefix(importPath, m.Path+"/"); ok {
			return path.Join(m.Dir, below)
		}
		if m.Path == "std" {
			return path.Join(m.Dir, importPath)
		}
	}
	return "?"
}

// PackageName guesses the name of a Go package from its import path.
func PackageName(importPath string) string {
	last := path.Base(importPath)
	// The version at the end of a path is no name.
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && strings.Contains(importPath, "/") {
		last = path.Base(path.Dir(importPath))
	}
	if at := strings.LastIndex(last, ".v"); at > 0 {
		last = last[:at]
	}
	return strings.ReplaceAll(strings.TrimPrefix(last, "go-"), "-", "_")
}

// Conditional reports whether a file is built only on some systems, or with some build tags.
func Conditional(file, text string) bool {
	for _, part := range strings.Split(strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".go"), "_test"), "_")[1:] {
		if slices.Contains(knownSystems, part) || slices.Contains(knownArchs, part) {
			return true
		}
	}
	return strings.HasPrefix(text, "//go:build") || strings.Contains(text, "\n//go:build")
}
