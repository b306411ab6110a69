package overrides_test

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/search/overrides"
	"codeintel/internal/syntax"
	"codeintel/test/searchtest"
)

// TestSatisfyingNamesakes finds the type of each of very many packages that call theirs the same.
func TestSatisfyingNamesakes(t *testing.T) {
	const packages = 150
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"i/i.go": "package i\n\ntype Closer interface {\n\tClose() error\n\tString() string\n}\n",
	}
	for i := range packages {
		files[fmt.Sprintf("p%d/client.go", i)] = "package p\n\ntype Client struct{}\n\nfunc (*Client) Close() error { return nil }\n"
		files[fmt.Sprintf("p%d/string.go", i)] = "package p\n\nfunc (Client) String() string { return \"\" }\n"
	}
	files["q/q.go"] = "package q\n\ntype Client struct{}\n\nfunc (*Client) Close() error { return nil }\n"
	_, x, _ := searchtest.Open(t, searchtest.Files(t, files))
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := overrides.Satisfying(t.Context(), x,
		&index.Symbol{Symbol: syntax.Symbol{Name: "Closer", Kind: syntax.Interface}, File: "i/i.go"})
	if err != nil || len(list) != packages {
		t.Fatalf("%d types, want %d: %v", len(list), packages, err)
	}
	for _, s := range list {
		if s.Name != "Client" || s.File == "q/q.go" {
			t.Errorf("%s of %s has not the methods", s.Name, s.File)
		}
	}
}

// TestSatisfyingTakenIn asks of interfaces that take in others for types with the methods of all.
func TestSatisfyingTakenIn(t *testing.T) {
	_, x, _ := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"b/b.go":    "package b\n\ntype Opener interface {\n\tOpen(Loop) error\n}\n\ntype Loop interface {\n\tLoop\n\tOpener\n}\n",
		"a/a.go":    "package a\n\nimport (\n\t\"io\"\n\n\t\"example.com/m/b\"\n)\n\ntype Conn interface {\n\tb.Opener\n\tClose() error\n}\n\ntype Body interface {\n\tio.Reader\n\tClose() error\n}\n\ntype Only interface {\n\tConn\n\tio.Reader\n}\n",
		"f/f.go":    "package f\n\ntype File struct{}\n\nfunc (*File) Open() error { return nil }\nfunc (*File) Close() error { return nil }\nfunc (*File) Read([]byte) (int, error) { return 0, nil }\n",
		"f/pipe.go": "package f\n\ntype Pipe struct{}\n\nfunc (*Pipe) Close() error { return nil }\nfunc (*Pipe) Read([]byte) (int, error) { return 0, nil }\n\ntype Door struct{}\n\nfunc (*Door) Open() error { return nil }\nfunc (*Door) Close() error { return nil }\n",
	}))
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"a/a.go Conn": "[File Door]", "a/a.go Body": "[File Pipe]", "a/a.go Only": "[File]", "b/b.go Loop": "[File Door]",
	} {
		file, name, _ := strings.Cut(at, " ")
		list, err := overrides.Satisfying(t.Context(), x,
			&index.Symbol{Symbol: syntax.Symbol{Name: name, Kind: syntax.Interface}, File: file})
		var names []string
		for _, s := range list {
			names = append(names, s.Name)
		}
		if err != nil || fmt.Sprint(names) != want {
			t.Errorf("%s: %v, want %s, %v", name, names, want, err)
		}
	}
}
