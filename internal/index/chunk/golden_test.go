package chunk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/syntax"
	"codeintel/test/golden"
)

// TestGolden cuts realistic sources small, so that all there is to decide comes
// up, and compares the pieces with testdata/<file>.golden.
func TestGolden(t *testing.T) {
	const tokens = 100
	for _, source := range []string{
		"java/Warehouse.java", "rust/pool.rs", "c/keystore.c", "cpp/matrix.cpp", "csharp/Orders.cs", "go/scheduler.go",
		"python/observatory.py", "typescript/ferry.ts", "tsx/harbour.tsx", "javascript/kitchen.js", "javascript/planner.jsx",
		"ruby/library.rb", "bash/backup.sh",
		"go/store.go", "python/service.py", "javascript/queue.jsx", "typescript/repository.ts", "tsx/view.tsx",
		"css/teahouse.css", "scss/components.scss", "html/checkout.html", "vue/OrderTable.vue", "svelte/Shop.svelte",
		"blade/teas.blade.php", "php/sample.php", "phptemplate/catalogue.php", "json/openapi.json", "yaml/deploy.yaml", "markdown/guide.md",
		"kotlin/Inventory.kt", "swift/Player.swift", "scala/Ledger.scala", "lua/scheduler.lua", "sql/shop.sql", "haskell/Parser.hs",
		"elixir/cart.ex", "zig/arena.zig",
	} {
		t.Run(filepath.Base(source), func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("..", "..", "syntax", "testdata", source))
			if err != nil {
				t.Fatal(err)
			}
			f, err := syntax.Parse(syntax.Detect(source, src), src)
			if err != nil {
				t.Fatal(err)
			}
			chunks := Split(f, src, tokens)
			holds(t, src, chunks, tokens*bytesPerToken)
			var b strings.Builder
			for _, c := range chunks {
				first, _, _ := strings.Cut(string(src[c.Start:c.End]), "\n")
				fmt.Fprintf(&b, "%d-%d %s %s.%s | %s\n", c.StartLine, c.EndLine, c.Kind, c.Scope, c.Symbol, first)
			}
			golden.Hold(t, filepath.Join("testdata", filepath.Base(source)+".golden"), b.String())
		})
	}
}

// A long function is cut where its statements begin.
func TestCutsBetweenStatements(t *testing.T) {
	body := strings.Repeat("\tif ready {\n\t\tcall(\n\t\t\tone,\n\t\t\ttwo,\n\t\t)\n\t}\n", 60)
	src := []byte("package p\n\nfunc Long() {\n" + body + "}\n")
	f, err := syntax.Parse(syntax.Go, src)
	if err != nil {
		t.Fatal(err)
	}
	chunks := Split(f, src, 100)
	holds(t, src, chunks, 400)
	for _, c := range chunks[1:] {
		if text := string(src[c.Start:]); !strings.HasPrefix(text, "if ready") && !strings.HasPrefix(text, "func") {
			t.Errorf("line %d: a chunk starts at %.20q", c.StartLine, text)
		}
	}
}
