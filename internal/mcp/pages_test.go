package mcp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestPagesHoldAll reads long answers of every tool that has pages to their ends, in pages of
// several sizes: the structured content of each page has what its text has, and all
// pages together have everything once.
func TestPagesHoldAll(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), []byte("module example.com/m\n"))
	write(t, filepath.Join(root, "base", "base.go"), []byte("package base\n\n// Thing is "+strings.Repeat("described at length, ", 40)+"by this.\ntype Thing struct{}\n\n// Use uses "+strings.Repeat("all that there is to use, ", 60)+"and more.\nfunc (Thing) Use() {}\n"))
	for i := range 60 {
		write(t, filepath.Join(root, fmt.Sprintf("p%02d", i), "thing.go"), fmt.Appendf(nil,
			"package p%02d\n\nimport \"example.com/m/base\"\n\n// ThingUser%d uses things.\nfunc ThingUser%d(t base.Thing) {\n\tt.Use()\n\tt.Use() // 日本語で使う\n}\n", i, i, i))
	}
	var unused strings.Builder
	for i := range 60 {
		fmt.Fprintf(&unused, "\nfunc unused%d() {}\n", i)
	}
	write(t, filepath.Join(root, "base", "unused.go"), []byte("package base\n"+unused.String()))
	var many strings.Builder
	many.WriteString("package many\n")
	for i := range 150 {
		fmt.Fprintf(&many, "\n// Many%d is one of many.\nfunc Many%d() {}\n", i, i)
	}
	write(t, filepath.Join(root, "many", "many.go"), []byte(many.String()))
	s := open(t, root, slog.New(slog.DiscardHandler))
	sizes := []int{12500, 3377, 3000, 700, 200} // at 3377 the first page of a query is too long by a few characters
	random := rand.New(rand.NewPCG(14, uint64(time.Now().UnixNano())))
	sizes = slices.Insert(sizes, 1, 200+random.IntN(12300), 600+random.IntN(3000))
	type question struct {
		tool, list string
		arguments  map[string]any
		key        []string // members that tell items apart, and stand in the text
	}
	questions := []question{
		{"semantic_search", "forest_hits", map[string]any{"query": "uses things"}, []string{"file", "start_line"}},
		{"fetch_chunk_detail", "content", nil, nil}, // see TestChunkPages
		{"find_references", "references", map[string]any{"symbol": "Thing.Use"}, []string{"file", "line"}},
		{"find_references", "references", map[string]any{"symbol": "Thing"}, []string{"file", "line"}},
		{"find_definitions", "definitions", map[string]any{"symbol": "ThingUser"}, []string{"file", "name"}},
		{"search_text", "matches", map[string]any{"pattern": "t.Use()", "context": 1}, []string{"file", "line"}},
		{"search_files", "files", map[string]any{"pattern": "**/*.go"}, []string{"file"}},
		{"get_symbols", "symbols", map[string]any{"path": "many/many.go"}, []string{"name"}},
		{"analyze_structure", "files", map[string]any{"path": "."}, []string{"file"}},
		{"analyze_impact", "must_verify should_verify", map[string]any{"targets": []string{"Thing.Use"}}, []string{"file"}},
		{"file_dependencies", "imports imported_by", map[string]any{"path": "base"}, []string{"file", "line"}},
		{"find_dead_code", "symbols", map[string]any{"path": "base"}, []string{"file", "name"}},
		{"query", "results", map[string]any{"query": "who calls Thing.Use"}, []string{"file", "start_line"}},
		{"query", "results", map[string]any{"query": "files named thing.go"}, []string{"file"}},
	}
	for _, row := range tools {
		_, pages := row.args.FieldByName("Cursor")
		held := slices.ContainsFunc(questions, func(q question) bool { return q.tool == row.name })
		if pages && row.set == Search && !held {
			t.Errorf("%s has pages, and nothing holds them to their content", row.name)
		}
	}
	for _, tt := range questions {
		whole := 0 // how many items the longest pages have
		for _, tokens := range sizes {
			if tt.key == nil || tokens < 400 && (tt.tool == "query" || tt.tool == "semantic_search") {
				continue // a page has one result, and each runs the whole plan
			}
			t.Run(fmt.Sprintf("%s/%v%v/%d", tt.tool, tt.arguments["symbol"], tt.arguments["query"], tokens), func(t *testing.T) {
				client := connect(t, s, "some client")
				arguments := maps.Clone(tt.arguments)
				arguments["limit"], arguments["max_tokens"] = 1000, tokens
				if tt.tool == "semantic_search" {
					delete(arguments, "limit")
					arguments["n_results"] = 50
				}
				seen, total, pages := map[string]bool{}, 0, 0
				for {
					r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: arguments})
					if err != nil || r.IsError {
						t.Fatal(err, r.Content)
					}
					page, text := structured(t, r), r.Content[0].(*mcp.TextContent).Text
					if cut, ok := page["truncated"]; ok || strings.Contains(text, "characters left out") {
						t.Fatalf("page %d is cut: %v", pages+1, cut)
					}
					var list []any
					for name := range strings.FieldsSeq(tt.list) {
						part, _ := page[name].([]any)
						list = append(list, part...)
					}
					if len(list) == 0 {
						t.Fatalf("page %d has no %s", pages+1, tt.list)
					}
					for _, item := range list {
						var key strings.Builder
						for _, k := range tt.key {
							part := fmt.Sprint(item.(map[string]any)[k])
							if !strings.Contains(text, part) {
								t.Errorf("page %d: %s is not in the text", pages+1, part)
							}
							key.WriteString(part + " ")
						}
						if seen[key.String()] {
							t.Errorf("%s is on two pages", key.String())
						}
						seen[key.String()] = true
					}
					pages++
					if n, ok := number(page["total"]); ok {
						total = n
					} else {
						total = max(whole, len(seen))
					}
					next, _ := page["next_cursor"].(string)
					if next == "" {
						break
					}
					arguments["cursor"] = next
				}
				if whole = max(whole, len(seen)); len(seen) != total || total < 20 {
					t.Errorf("%d of %d on %d pages", len(seen), total, pages)
				}
				if tokens == 200 && pages < 4 || tokens == 12500 && pages > 3 {
					t.Errorf("%d pages", pages)
				}
			})
		}
	}
}

// TestChunkPages reads a long chunk to its end in pages of several sizes: together they
// are the chunk.
func TestChunkPages(t *testing.T) {
	root := t.TempDir()
	var body strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, "\tuse(%d, \"日本語\")\n", i)
	}
	source := "package a\n\n// Long is long.\nfunc Long() {\n" + body.String() + "}\n"
	write(t, filepath.Join(root, "a.go"), []byte(source))
	client := connect(t, open(t, root, slog.New(slog.DiscardHandler)), "some client")
	hits := structured(t, asked(t, client, "semantic_search", map[string]any{"query": "Long"}))["forest_hits"].([]any)
	id := hits[0].(map[string]any)["chunk_id"]
	want := structured(t, asked(t, client, "fetch_chunk_detail", map[string]any{"chunk_id": id}))["content"].(string)
	if !strings.Contains(source, want) || want == "" {
		t.Fatalf("the chunk is no part of its file: %q", want)
	}
	for range 6 {
		tokens := 200 + rand.IntN(400)
		arguments, got := map[string]any{"chunk_id": id, "max_tokens": tokens}, ""
		for {
			r := asked(t, client, "fetch_chunk_detail", arguments)
			page, text := structured(t, r), r.Content[0].(*mcp.TextContent).Text
			content := page["content"].(string)
			for line := range strings.Lines(content) {
				if !strings.Contains(text, strings.TrimSpace(line)) {
					t.Errorf("%d tokens: %q is not in the text", tokens, line)
				}
			}
			got += content
			next, _ := page["next_cursor"].(string)
			if next == "" {
				break
			}
			arguments["cursor"] = next
		}
		if got != want {
			t.Errorf("%d tokens: the pages are %d bytes of %d", tokens, len(got), len(want))
		}
	}
}

func structured(t *testing.T, r *mcp.CallToolResult) (m map[string]any) {
	t.Helper()
	b, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func number(v any) (int, bool) {
	f, ok := v.(float64)
	return int(f), ok
}
