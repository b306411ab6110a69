package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/internal/search/gaps"
)

// TestLeftOut asks for what is only in files that are not searched: every answer
// names them, and none is called incomplete for it.
func TestLeftOut(t *testing.T) {
	const body = "package x\n\nfunc Hidden() {}\n"
	for _, c := range []struct{ name, config, file, ignored, want string }{
		{"outside", `{"source_dirs": ["src"]}`, "lib/far.go", "", "1 file outside source_dirs (lib/far.go)"},
		{"outside, above", `{"source_dirs": ["src/in/here"]}`, "src/far.go", "", "1 file outside source_dirs (src/far.go)"},
		{"excluded", `{"exclude_patterns": ["legacy/**"]}`, "legacy/deep/far.go", "", "1 excluded file (legacy/deep/far.go)"},
		{"ignored", `{}`, "build/far.go", "build/\n", "1 ignored file (build/far.go)"},
		{"large", `{"max_file_bytes": 1024}`, "far.go", "", "1 file above max_file_bytes (far.go)"},
	} {
		tree := map[string]string{
			".code-intel/config.json": c.config, "src/in/here/a.go": "package a\n\nfunc Shown() {}\n\nfunc use() { Shown(); Shown(); Shown() }\n",
			c.file: body, ".env": "Hidden=1\n", "other.bin": "Hidden\x00",
		}
		if c.name == "large" {
			tree[c.file] = body + strings.Repeat("// filler\n", 200)
		}
		if c.ignored != "" {
			tree[".gitignore"] = c.ignored
			tree[".git/HEAD"] = "ref: refs/heads/main\n"
		}
		e := open(t, tree)
		ctx := t.Context()
		for tool, ask := range map[string]func(name string) (gaps.Completeness, string){
			"text": func(name string) (gaps.Completeness, string) {
				a, err := e.Text(ctx, TextQuery{Pattern: OneOrMore{name}})
				return told(t, a, err)
			},
			"definitions": func(name string) (gaps.Completeness, string) {
				a, err := e.Definitions(ctx, DefinitionsQuery{Symbol: name})
				return told(t, a, err)
			},
			"references": func(name string) (gaps.Completeness, string) {
				a, err := e.References(ctx, ReferencesQuery{Symbol: "x." + name})
				return told(t, a, err)
			},
			"files": func(name string) (gaps.Completeness, string) {
				if name == "Hidden" {
					name = "far.go"
				}
				a, err := e.Files(ctx, FilesQuery{Pattern: name})
				return told(t, a, err)
			},
		} {
			if c.name == "large" && tool == "files" {
				continue // it is listed
			}
			got, text := ask("Hidden")
			if !strings.Contains(text, "not searched, but found in "+c.want) {
				t.Errorf("%s, %s: %s", c.name, tool, text)
			}
			if tool != "files" && !got.Complete {
				t.Errorf("%s, %s is called incomplete", c.name, tool)
			}
			if got, text := ask("Shown"); tool != "files" && strings.Contains(text, "not searched, but") || len(got.LeftOut) > 1 {
				t.Errorf("%s, %s of what is searched: %s", c.name, tool, text)
			}
		}
		if got := e.LeftOut(ctx, "x.Hidden"); len(got) == 0 {
			t.Errorf("%s: a target of impact is found nowhere", c.name)
		}
		if got := e.LeftOut(ctx, "Hid"); strings.Contains(strings.Join(msg.Texts(got), " "), "found in") {
			t.Errorf("%s: a part of a word counts", c.name)
		}
	}
}

func told(t *testing.T, a interface{ Text() string }, err error) (c gaps.Completeness, text string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	switch a := a.(type) {
	case *TextAnswer:
		c = a.Completeness
	case *DefinitionsAnswer:
		c = a.Completeness
	case *ReferencesAnswer:
		c = a.Completeness
	case *FilesAnswer:
		c = a.Completeness
	}
	return c, a.Text()
}

// TestLeftOutOfDescriptions asks in words where only some folders are searched.
func TestLeftOutOfDescriptions(t *testing.T) {
	e := open(t, map[string]string{".code-intel/config.json": `{"source_dirs": ["src", "cmd"]}`, "src/a.go": "package a\n\n// Greet says hello.\nfunc Greet() {}\n", "cmd/m.go": "package main\n"})
	a, err := e.Semantic(context.Background(), SemanticQuery{Query: "who says hello"})
	if err != nil || !strings.Contains(a.Text(), "searched only in src, cmd (source_dirs)") {
		t.Errorf("%v, %v", a, err)
	}
}

// TestOneFileLeftOut asks about a file that is not searched: the refusal says why it is not.
func TestOneFileLeftOut(t *testing.T) {
	for config, want := range map[string]string{
		`{"source_dirs": ["src"]}`:            "outside source_dirs of the configuration (src)",
		`{"exclude_patterns": ["lib/**"]}`:    "exclude_patterns of the configuration leaves it out",
		`{"exclude_patterns": ["other/**"]}`:  "",
		`{"source_dirs": ["src", "lib/far"]}`: "outside source_dirs of the configuration (src, lib/far)",
	} {
		e := open(t, map[string]string{
			".code-intel/config.json": config, "src/a.go": "package a\n", "lib/b.go": "package b\n\nfunc B() {}\n", "lib/far/c.go": "package c\n",
		})
		_, symbols := e.Symbols(t.Context(), SymbolsQuery{Path: "lib/b.go"})
		_, at := e.FunctionAt(t.Context(), FunctionAtQuery{FilePath: "lib/b.go", Line: 3})
		_, structure := e.Structure(t.Context(), StructureQuery{Where: Where{Path: "lib/b.go"}})
		for about, err := range map[string]error{"symbols": symbols, "function": at, "outline": structure} {
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v", config, about, err)
			}
		}
	}
}

// TestDeclaredTogether wants what a line declares together to be one line of an outline, and every
// name of it in the structured answer.
func TestDeclaredTogether(t *testing.T) {
	e := open(t, map[string]string{"a.py": "class Route:\n    def __init__(self, path):\n        self.regex, self.format, self.names = compiled(path)\n        self.path = path\n"})
	a, err := e.Structure(t.Context(), StructureQuery{Where: Where{Path: "a.py"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(a.Text(), "self.regex, self.format, self.names"); n != 1 {
		t.Errorf("%d lines, want 1:\n%s", n, a.Text())
	}
	if names := a.Observed().Definitions; !slices.Contains(names, "Route.regex") || !slices.Contains(names, "Route.names") {
		t.Errorf("the structured answer has %q", names)
	}
}

// TestWholeOutline wants a person to see all of a file, however much it declares; a model is
// told how much its answer has no room for.
func TestWholeOutline(t *testing.T) {
	var b strings.Builder
	b.WriteString("package m\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "\nfunc Function%d() {}\n", i)
	}
	e := open(t, map[string]string{"go.mod": "module example.com/m\n", "m.go": b.String()})
	for _, whole := range []bool{true, false} {
		a, err := e.Structure(t.Context(), StructureQuery{Where: Where{Path: "m.go"}, Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		if shown := len(a.Files[0].Symbols); shown+a.Files[0].LeftOut != 2000 || (shown == 2000) != whole {
			t.Errorf("whole %v: %d shown, %d left out", whole, shown, a.Files[0].LeftOut)
		}
	}
}

// TestApart wants an answer of nothing to say what of the project is elsewhere: in a
// submodule, in one that is not checked out, and behind a sparse checkout.
func TestApart(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	notes := func(dir, symbol string) string {
		a, err := openAt(t, dir).Definitions(t.Context(), DefinitionsQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		return a.Text()
	}
	inner, root, clone := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "clone")
	write(t, inner, map[string]string{"inner.py": "def inside(): pass\n"})
	write(t, root, map[string]string{"top.py": "def top(): pass\n", "far/far.py": "def distant(): pass\n"})
	for _, dir := range []string{inner, root} {
		git(t, dir, "init", "-q")
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", "x")
	}
	git(t, root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "lib/inner")
	git(t, root, "commit", "-qm", "y")
	if got := notes(root, "inside"); !strings.Contains(got, "other repositories in it are not searched: lib/inner") {
		t.Errorf("submodule:\n%s", got)
	}
	git(t, root, "clone", "-q", root, clone)
	if got := notes(clone, "inside"); !strings.Contains(got, "not checked out: lib/inner; git submodule update --init") ||
		strings.Contains(got, "sparse") {
		t.Errorf("submodule that is not there:\n%s", got)
	}
	git(t, clone, "sparse-checkout", "set", "lib")
	if got := notes(clone, "distant"); !strings.Contains(got, "the checkout is sparse") {
		t.Errorf("sparse checkout:\n%s", got)
	}
	write(t, clone, map[string]string{"near.py": "def distantly(): pass\n"})
	if got := notes(clone, "distant"); !strings.Contains(got, "distantly") || !strings.Contains(got, "the checkout is sparse") {
		t.Errorf("a similar name in a sparse checkout:\n%s", got)
	}
	if got := notes(clone, "top"); strings.Contains(got, "sparse") {
		t.Errorf("an answer of something:\n%s", got)
	}
	if got := notes(t.TempDir(), "top"); !strings.Contains(got, "no files that can be searched") {
		t.Errorf("an empty folder:\n%s", got)
	}
}

// TestPointer wants what Git LFS keeps elsewhere to be no code, and to be told as what it is.
func TestPointer(t *testing.T) {
	e := open(t, map[string]string{"model.py": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
		"a.py": "x = 1\n"})
	if _, err := e.Structure(t.Context(), StructureQuery{Where: Where{Path: "model.py"}}); err == nil ||
		!strings.Contains(err.Error(), "lfs_pointer") {
		t.Errorf("outline: %v", err)
	}
	found, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: "oid"})
	if err != nil || found.Total != 0 {
		t.Errorf("definitions: %v, %v", found, err)
	}
}

// A location that names lines is taken where a file is asked for: what those lines belong to is
// listed.
func TestOutlineOfLines(t *testing.T) {
	e := open(t, map[string]string{
		"a.py":   "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n\n\ndef h():\n    pass\n",
		"b.py:2": "x = 1\n",
	})
	names := func(list []Outline) (all []string) {
		for _, s := range list {
			all = append(all, s.Name)
			for _, c := range s.Children {
				all = append(all, c.Name)
			}
		}
		return all
	}
	for path, want := range map[string][]string{"a.py:5-6": {"A", "g"}, "a.py:6-9": {"A", "g", "h"}, "a.py:2:9": {"A", "f"}, "a.py": {"A", "f", "g", "h"}} {
		s, err := e.Structure(t.Context(), StructureQuery{Where: Where{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(s.Files[0].Symbols); !slices.Equal(got, want) || s.Files[0].LeftOut != 0 {
			t.Errorf("%s: %q, %d left out, want %q", path, got, s.Files[0].LeftOut, want)
		}
		symbols, err := e.Symbols(t.Context(), SymbolsQuery{Path: path})
		if err != nil || len(symbols.Symbols) != len(want) {
			t.Errorf("%s: %d symbols, want %q: %v", path, len(symbols.Symbols), want, err)
		}
	}
	if s, err := e.Structure(t.Context(), StructureQuery{Where: Where{Path: "b.py:2"}}); err != nil || s.Files[0].File != "b.py:2" {
		t.Error(s, err)
	}
}
