package mcp

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/project"
	"codeintel/test/tier"
)

// lay writes a repository of so many files, in three languages.
func lay(t *testing.T, root string, files int) {
	t.Helper()
	write(t, filepath.Join(root, "go.mod"), []byte("module example.com/m\n"))
	write(t, filepath.Join(root, "base", "base.go"), []byte("package base\n\n// Thing is shared.\ntype Thing struct{}\n\n// Use uses it.\nfunc (Thing) Use() int {\n\treturn 1\n}\n"))
	write(t, filepath.Join(root, "py", "base.py"), []byte("class Shape:\n    def area(self):\n        return 1\n"))
	write(t, filepath.Join(root, "ts", "base.ts"), []byte("export class Box {\n  open(): number { return 1 }\n}\n"))
	for i := range files - 4 {
		switch n := fmt.Sprintf("n%04d", i); i % 3 {
		case 0:
			use := "return 0"
			if i%60 == 0 {
				use = "return base.Thing{}.Use()"
			}
			write(t, filepath.Join(root, n, n+".go"), fmt.Appendf(nil, "package %s\n\nimport \"example.com/m/base\"\n\nvar _ base.Thing\n\n// Work%d works.\nfunc Work%d() int {\n\t%s\n}\n", n, i, i, use))
		case 1:
			use := "return 0"
			if i%60 == 1 {
				use = "return Shape().area()"
			}
			write(t, filepath.Join(root, "py", n+".py"), fmt.Appendf(nil, "from base import Shape\n\ndef work%d():\n    %s\n", i, use))
		default:
			use := "return 0"
			if i%60 == 2 {
				use = "return new Box().open()"
			}
			write(t, filepath.Join(root, "ts", n+".ts"), fmt.Appendf(nil, "import { Box } from './base'\n\nexport function work%d(): number {\n  %s\n}\n", i, use))
		}
	}
}

// firstQuestions are what tools that search are asked of the repository of [lay], each by
// the name of the tool. A tool that is not here fails the test.
var firstQuestions = map[string][]map[string]any{
	"semantic_search":           {{"query": "uses the shared thing"}},
	"search_text":               {{"pattern": "Thing{}"}},
	"search_files":              {{"pattern": "base"}},
	"find_definitions":          {{"symbol": "Thing.Use"}, {"symbol": "Shape"}},
	"find_references":           {{"symbol": "Thing.Use"}, {"symbol": "Shape.area"}, {"symbol": "Box.open"}, {"symbol": "no_such_name"}},
	"get_symbols":               {{"path": "base/base.go"}},
	"get_function_at_line":      {{"file_path": "py/base.py", "line": 3}},
	"analyze_structure":         {{"path": "ts/base.ts"}, {"path": "base"}},
	"fetch_chunk_detail":        {{}},
	"query":                     {{"query": "who calls Thing.Use"}},
	"validate_symbol_relevance": {{"target_feature": "use of things", "symbols": []string{"Thing.Use"}}},
	"analyze_impact":            {{"targets": []string{"Thing.Use"}}},
	"explore":                   {{"query": "Thing.Use"}, {"query": "use of things"}},
	"file_history":              {{"file_path": "py/base.py", "line": 3}, {"file_path": "base/base.go"}},
	"file_dependencies":         {{"path": "py/base.py"}, {"path": "base"}},
	"find_dead_code":            {{}},
	"sync_index":                {{}},
}

// fromOneFile are the tools that answer from files, and wait for no index.
var fromOneFile = map[string]bool{
	"search_text": true, "search_files": true, "get_symbols": true, "get_function_at_line": true, "analyze_structure": true,
	"fetch_chunk_detail": true, "file_history": true,
}

// TestFirstQuestion asks each tool as the first call of a server on a repository that was
// never indexed. The answer is the one that a server gives whose index is built, or says
// that it is incomplete. Tools about files answer even where no index can be built,
// because another process is writing it.
func TestFirstQuestion(t *testing.T) {
	for _, files := range []int{40, 300, 5000} {
		t.Run(fmt.Sprint(files), func(t *testing.T) {
			if files > 40 {
				tier.Full(t)
			}
			firstQuestion(t, files)
		})
	}
}

func firstQuestion(t *testing.T, files int) {
	root := t.TempDir()
	lay(t, root, files)
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := p.IndexDir()
	if err != nil {
		t.Fatal(err)
	}
	built := connect(t, open(t, root, slog.New(slog.DiscardHandler)), "some client")
	asked(t, built, "sync_index", map[string]any{})
	hits := structured(t, asked(t, built, "semantic_search", map[string]any{"query": "uses the shared thing"}))["forest_hits"].([]any)
	firstQuestions["fetch_chunk_detail"] = []map[string]any{{"chunk_id": hits[0].(map[string]any)["chunk_id"]}}
	type answer struct {
		tool      string
		arguments map[string]any
		want      map[string]any
	}
	var all []answer
	for _, row := range tools {
		if row.set != Search || row.name == "sync_index" {
			continue
		}
		if len(firstQuestions[row.name]) == 0 {
			t.Errorf("%s is never the first question", row.name)
		}
		for _, arguments := range firstQuestions[row.name] {
			all = append(all, answer{row.name, arguments, said(t, asked(t, built, row.name, arguments))})
		}
	}
	for _, a := range all {
		t.Run(fmt.Sprint(a.tool, a.arguments), func(t *testing.T) {
			aside, err := os.MkdirTemp(filepath.Dir(dir), "aside-")
			if err == nil {
				err = os.Rename(dir, filepath.Join(aside, "index"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if fromOneFile[a.tool] {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				writer := flock.New(filepath.Join(dir, "write.lock"))
				if ok, err := writer.TryLock(); !ok || err != nil {
					t.Fatal(ok, err)
				}
				defer writer.Unlock()
			}
			got := said(t, asked(t, connect(t, open(t, root, slog.New(slog.DiscardHandler)), "some client"), a.tool, a.arguments))
			if got["complete"] == false && !fromOneFile[a.tool] {
				t.Logf("incomplete: %v", got["missing"])
				return
			}
			if diff := cmp.Diff(a.want, got); diff != "" {
				t.Errorf("the first answer is another (-built +first):\n%s", diff)
			}
		})
	}
}

// TestSessionStartsWithIndex starts a session as the first call: when it is open, there is
// an index to ask.
func TestSessionStartsWithIndex(t *testing.T) {
	root := t.TempDir()
	lay(t, root, 300)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	s := open(t, root, slog.New(slog.DiscardHandler))
	asked(t, connect(t, s, "claude-code"), "start_session", map[string]any{"intent": "IMPLEMENT", "query": "make things shared"})
	h, err := s.work.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if all, err := h.index.Files(t.Context()); err != nil || len(all) < 300 {
		t.Errorf("%d files can be asked about, %v", len(all), err)
	}
}

// TestWorkflowWaits has what a workflow rests on looked up for a caller without patience,
// as the first question: it is looked up in the whole index all the same.
func TestWorkflowWaits(t *testing.T) {
	root := t.TempDir()
	lay(t, root, 300)
	s := open(t, root, slog.New(slog.DiscardHandler))
	h, err := s.work.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := softdeadline.With(t.Context(), time.Nanosecond, nil)
	defer stop()
	if files, err := h.forForge().References(ctx, "Thing.Use"); err != nil || len(files) < 2 {
		t.Errorf("references in %v, %v", files, err)
	}
	if files, err := h.forSession().Defined(ctx, "Thing.Use"); err != nil || len(files) != 1 {
		t.Errorf("defined in %v, %v", files, err)
	}
	if files, err := h.forSession().MustVerify(ctx, []string{"Thing.Use"}, false); err != nil || len(files) == 0 {
		t.Errorf("%v must be verified, %v", files, err)
	}
	if scores, err := h.forSession().Relevance(ctx, "use of things", []string{"Thing.Use"}); err != nil || len(scores) != 1 {
		t.Errorf("relevance %v, %v", scores, err)
	}
}

// asked is an answer that is no refusal.
func asked(t *testing.T, c *mcp.ClientSession, tool string, arguments map[string]any) *mcp.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if r.IsError {
		t.Fatalf("%s %v: %s", tool, arguments, r.Content[0].(*mcp.TextContent).Text)
	}
	return r
}

// said is what an answer says, without what is different at every run.
func said(t *testing.T, r *mcp.CallToolResult) map[string]any {
	t.Helper()
	m := structured(t, r)
	for _, name := range []string{"freshness", "generation"} {
		delete(m, name)
	}
	var lines []any
	for line := range strings.Lines(r.Content[0].(*mcp.TextContent).Text) {
		for _, v := range varies {
			line = v.form.ReplaceAllString(line, v.as)
		}
		lines = append(lines, line)
	}
	m["text"] = lines
	return m
}
