package syntax

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"codeintel/internal/syntax/treesitter"
)

var dump = flag.String("dump", "", "print the tree of this file; for writing rules")

// TestDump prints a tree the way rules see it:
//
//	go test ./internal/syntax -run TestDump -v -dump testdata/go/server.go
func TestDump(t *testing.T) {
	if *dump == "" {
		return
	}
	src, err := os.ReadFile(*dump)
	if err != nil {
		t.Fatal(err)
	}
	lang := Detect(*dump, src)
	g, ok := treesitter.Lookup(string(lang))
	if !ok {
		t.Fatalf("no grammar %q", lang)
	}
	keep := g.NewKeep()
	for i := range keep {
		keep[i] = treesitter.KeepNode
	}
	tree, err := g.Parse(src, treesitter.Limit{Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	depth := make([]int, len(tree.Nodes))
	var b strings.Builder
	for i, n := range tree.Nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth[i]), kindText(g, n))
		if int(n.Next) == i+1 && n.Flags&treesitter.Named != 0 {
			fmt.Fprintf(&b, " %.40q", src[n.Start:n.End])
		}
		b.WriteByte('\n')
	}
	t.Log("\n" + b.String())
}

func kindText(g *treesitter.Grammar, n treesitter.Node) string {
	s := g.KindName(n.Kind)
	if n.Flags&treesitter.Named == 0 {
		s = fmt.Sprintf("%q", s)
	}
	if n.Field != 0 {
		s = g.FieldName(n.Field) + ": " + s
	}
	return s
}
