package provider

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/resolve"
)

// write makes a project of some files and opens it.
func write(t *testing.T, texts map[string]string) *project.Project {
	t.Helper()
	root := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// indexOf writes an index in which every word of the files that begins with a letter of
// symbols stands for that symbol, and is its definition where it is marked with "!".
// Columns count in UTF-16.
func indexOf(texts map[string]string, symbols string, related map[string]string) string {
	var index []byte
	for name, text := range texts {
		document := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		for n, line := range strings.Split(text, "\n") {
			column := 0
			for _, word := range strings.SplitAfter(line, " ") {
				width := len(strings.TrimRight(word, " !"))
				if word != "" && strings.ContainsAny(word[:1], symbols) {
					var at []byte
					for _, v := range []int{n, column, column + width} {
						at = protowire.AppendVarint(at, uint64(v))
					}
					o := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), at)
					o = protowire.AppendString(protowire.AppendTag(o, 2, protowire.BytesType), "x . . . "+word[:width]+"().")
					if strings.Contains(word, "!") {
						o = protowire.AppendVarint(protowire.AppendTag(o, 3, protowire.VarintType), 1)
					}
					document = protowire.AppendBytes(protowire.AppendTag(document, 2, protowire.BytesType), o)
				}
				for _, r := range word {
					if column++; r > 0xFFFF {
						column++
					}
				}
			}
		}
		for from, to := range related {
			r := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "x . . . "+to+"().")
			r = protowire.AppendVarint(protowire.AppendTag(r, 3, protowire.VarintType), 1)
			s := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "x . . . "+from+"().")
			s = protowire.AppendBytes(protowire.AppendTag(s, 4, protowire.BytesType), r)
			document = protowire.AppendBytes(protowire.AppendTag(document, 3, protowire.BytesType), s)
		}
		index = protowire.AppendBytes(protowire.AppendTag(index, 2, protowire.BytesType), document)
	}
	return string(index)
}

// places lists what an answer says, as file:line:column relation.
func places(x *Exact) (list []string) {
	if x == nil {
		return nil
	}
	for at, u := range x.Uses {
		list = append(list, at.File+":"+string(rune('0'+at.Line))+":"+string(rune('0'+at.Column))+" "+string(u.Relation))
	}
	slices.Sort(list)
	return list
}

// named are the files of a project, in the same version.
func named(list ...string) iter.Seq[resolve.FileVersion] {
	return func(yield func(resolve.FileVersion) bool) {
		for _, name := range list {
			if !yield(resolve.FileVersion{Path: name}) {
				return
			}
		}
	}
}

func TestIndex(t *testing.T) {
	texts := map[string]string{
		"a.x": "run! go\n𝄞 run",
		"b.x": "// 日本 run walk!",
		"c.x": "walk run",
	}
	index := indexOf(texts, "rw", map[string]string{"walk": "run"})
	texts["index.scip"] = index
	p := write(t, texts)
	o := Open(p)
	ask := Question{Targets: []resolve.Position{{File: "a.x", Line: 1, Column: 1}}, Name: "run", Holding: []string{"a.x", "b.x", "c.x"}, Files: named("a.x", "b.x", "c.x")}
	want := []string{"a.x:1:1 same", "a.x:2:6 same", "b.x:1:; same", "b.x:1:? related", "c.x:1:1 related", "c.x:1:6 same"}
	x, err := o.Uses(t.Context(), ask)
	if got := places(x); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v\nwant %v", got, err, want)
	}

	// A document that was written for another text is not believed, and others are.
	if err := os.WriteFile(p.Abs("c.x"), []byte("now walk run"), 0o644); err != nil {
		t.Fatal(err)
	}
	x, err = o.Uses(t.Context(), ask)
	if got := places(x); err != nil || !slices.Equal(got, want[:4]) || x.Files["c.x"] || !x.Files["a.x"] {
		t.Errorf("with a changed file: got %v of %v, %v", got, x.Files, err)
	}
	states, err := Indexes(t.Context(), p)
	if err != nil || len(states) != 1 || states[0].Documents != 3 || states[0].Current != 2 {
		t.Errorf("got %+v, %v", states, err)
	}

	// Nothing is known where the index does not know the place.
	if x, err := o.Uses(t.Context(), Question{Targets: []resolve.Position{{File: "a.x", Line: 1, Column: 6}}, Name: "go", Files: named("a.x")}); x != nil || err != nil {
		t.Errorf("got %v, %v", places(x), err)
	}

	// That question read a.x: the next one does not take its text for the one of now.
	if err := os.WriteFile(p.Abs("a.x"), []byte("then run go"), 0o644); err != nil {
		t.Fatal(err)
	}
	if x, err := o.Uses(t.Context(), ask); x != nil || err != nil {
		t.Errorf("with another text at the place: got %v, %v", places(x), err)
	}

	// A damaged index is said to be one, and no index is none.
	if err := os.WriteFile(p.Abs("index.scip"), []byte(index[:len(index)-3]), 0o644); err != nil {
		t.Fatal(err)
	}
	if x, err := o.Uses(t.Context(), ask); x != nil || problemCode(err) != unusableIndex {
		t.Errorf("with a damaged index: got %v, %v", places(x), err)
	}
	if err := os.Remove(p.Abs("index.scip")); err != nil {
		t.Fatal(err)
	}
	if x, err := o.Uses(t.Context(), ask); x != nil || err != nil || !o.None("x") {
		t.Errorf("without an index: got %v, %v", places(x), err)
	}
}

// TestIndexLink sees that a link is not followed out of the project.
func TestIndexLink(t *testing.T) {
	texts := map[string]string{"a.x": "run!"}
	outside := filepath.Join(t.TempDir(), "index.scip")
	if err := os.WriteFile(outside, []byte(indexOf(texts, "r", nil)), 0o644); err != nil {
		t.Fatal(err)
	}
	p := write(t, texts)
	if err := os.Symlink(outside, p.Abs("index.scip")); err != nil {
		t.Skip(err)
	}
	x, _ := Open(p).Uses(t.Context(), Question{Targets: []resolve.Position{{File: "a.x", Line: 1, Column: 1}}, Name: "run", Files: named("a.x")})
	if x != nil {
		t.Errorf("got %v", places(x))
	}
}

func problemCode(err error) problem.Code {
	for _, e := range unwrap(err) {
		if p := problem.Of(e); p != nil {
			return p.Code
		}
	}
	return ""
}

func unwrap(err error) []error {
	var several interface{ Unwrap() []error }
	if errors.As(err, &several) {
		return several.Unwrap()
	}
	return []error{err}
}
