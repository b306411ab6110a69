package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeclaredAt(t *testing.T) {
	e := open(t, map[string]string{
		"shop/cart.py": "class Cart:\n    size = 3\n\n    def add(self):\n        n = 1\n        return n\n\n    def total(self):\n        return 0\n\n\ndef pay():\n    return 1\n",
		"a.go":         "package a\n\n// T is a type.\ntype T struct {\n\tA int\n\tB int\n}\n\nfunc (t T) M() int {\n\treturn t.A\n}\n",
		"doc.md":       "# Title\n\ntext\n",
	})
	for _, tt := range []struct {
		file  string
		lines []Span
		want  string
	}{
		{"shop/cart.py", []Span{{5, 5}}, "Cart.add:4-6"},
		{"shop/cart.py", []Span{{5, 5}, {9, 9}, {13, 13}}, "Cart.add:4-6 Cart.total:8-9 pay:12-13"},
		{"shop/cart.py", []Span{{1, 1}}, "Cart:1-9"},
		{"shop/cart.py", []Span{{1, 13}}, "Cart:1-9 Cart.add:4-6 Cart.total:8-9 pay:12-13"},
		{"shop/cart.py", []Span{{10, 11}}, ""},
		{"shop/cart.py", nil, ""},
		{"a.go", []Span{{5, 5}}, "T:4-7"}, // a field is part of its type
		{"a.go", []Span{{10, 10}}, "T.M:9-11"},
		{"doc.md", []Span{{1, 3}}, ""},
	} {
		found, err := e.DeclaredAt(t.Context(), tt.file, tt.lines)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range found {
			got = append(got, fmt.Sprintf("%s:%d-%d", d.Symbol, d.StartLine, d.EndLine))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.file, tt.lines, diff)
		}
	}
	if _, err := e.DeclaredAt(t.Context(), "gone.py", []Span{{1, 1}}); err == nil {
		t.Error("a file that is not there is answered for")
	}
}
