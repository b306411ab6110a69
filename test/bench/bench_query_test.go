//go:build bench

package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/search"
)

// A call is a question, as a client asks a tool.
type call struct {
	tool string
	args map[string]any
}

// calls are what is asked of the source tree of Go: for each tool a few questions
// as they come, none chosen for being cheap.
var calls = []call{
	{"semantic_search", map[string]any{"query": "how are http timeouts handled"}},
	{"semantic_search", map[string]any{"query": "where is a goroutine put to sleep"}},
	{"semantic_search", map[string]any{"query": "parse certificate chain"}},
	{"semantic_search", map[string]any{"query": "ReadString"}},
	{"semantic_search", map[string]any{"query": "ファイルを開く"}},
	{"find_definitions", map[string]any{"symbol": "NewReader"}},
	{"find_definitions", map[string]any{"symbol": "http.Get"}},
	{"find_references", map[string]any{"symbol": "NewReaderSize"}},
	{"find_references", map[string]any{"symbol": "ErrUnexpectedEOF"}},
	{"search_text", map[string]any{"pattern": "func NewReaderSize"}},
	{"search_text", map[string]any{"pattern": "http: Server closed"}},
	{"search_files", map[string]any{"pattern": "httpserver"}},
	{"get_symbols", map[string]any{"path": "bufio/bufio.go"}},
	{"analyze_structure", map[string]any{"path": "net/http/server.go"}},
	{"get_function_at_line", map[string]any{"file_path": "bufio/bufio.go", "line": 200}},
}

// tools returns the tools of calls, in their order.
func tools() (names []string) {
	for _, c := range calls {
		if !slices.Contains(names, c.tool) {
			names = append(names, c.tool)
		}
	}
	return names
}

// ask puts a call to an engine in this process.
func (c call) ask(ctx context.Context, e *search.Engine) (err error) {
	word := func(key string) string { s, _ := c.args[key].(string); return s }
	switch c.tool {
	case "semantic_search":
		_, err = e.Semantic(ctx, search.SemanticQuery{Query: word("query")})
	case "find_definitions":
		_, err = e.Definitions(ctx, search.DefinitionsQuery{Symbol: word("symbol")})
	case "find_references":
		_, err = e.References(ctx, search.ReferencesQuery{Symbol: word("symbol")})
	case "search_text":
		_, err = e.Text(ctx, search.TextQuery{Pattern: search.OneOrMore{word("pattern")}})
	case "search_files":
		_, err = e.Files(ctx, search.FilesQuery{Pattern: word("pattern")})
	case "get_symbols":
		_, err = e.Symbols(ctx, search.SymbolsQuery{Path: word("path")})
	case "analyze_structure":
		_, err = e.Structure(ctx, search.StructureQuery{Where: search.Where{Path: word("path")}})
	case "get_function_at_line":
		_, err = e.FunctionAt(ctx, search.FunctionAtQuery{FilePath: word("file_path"), Line: c.args["line"].(int)})
	default:
		err = fmt.Errorf("no tool %q", c.tool)
	}
	return err
}

// perTool is how often each tool is asked: enough for the 95th of a hundred.
const perTool = 100

// latencies asks every call in turns, so that no tool is asked twice in a row, and
// returns the times by tool and of all.
func latencies(t *testing.T, ask func(call) error) (by map[string]*sample, all sample) {
	t.Helper()
	by = make(map[string]*sample)
	count := make(map[string]int)
	for _, c := range calls {
		count[c.tool]++
		for range 3 { // warm
			if err := ask(c); err != nil {
				t.Fatalf("%s %v: %v", c.tool, c.args, err)
			}
		}
	}
	for i := range perTool {
		for _, c := range calls {
			if by[c.tool] == nil {
				by[c.tool] = new(sample)
			}
			if i*count[c.tool] >= perTool {
				continue
			}
			n := len(*by[c.tool])
			by[c.tool].time(1, func() {
				if err := ask(c); err != nil {
					t.Fatalf("%s %v: %v", c.tool, c.args, err)
				}
			})
			all = append(all, (*by[c.tool])[n])
		}
	}
	return by, all
}

// slowest returns the tool with the greatest median.
func slowest(by map[string]*sample) string {
	return slices.MaxFunc(tools(), func(a, b string) int { return int(by[a].at(.5) - by[b].at(.5)) })
}

// warmQueries asks in this process, with the watcher on.
func (b *bench) warmQueries(t *testing.T) {
	o := watched(t, b.indexed(t))
	by, all := latencies(t, func(c call) error { return c.ask(t.Context(), o.search) })
	worst := slowest(by)
	b.row(target{what: "warm query in process, `semantic_search`, p50", goal: "≤ 3 ms", measured: round(by["semantic_search"].at(.5)), value: by["semantic_search"].at(.5).Seconds(), limit: .003})
	b.row(target{what: "warm query in process, all tools, p50", goal: "≤ 3 ms", measured: fmt.Sprintf("%s; slowest tool %s %s", round(all.at(.5)), worst, round(by[worst].at(.5))), value: all.at(.5).Seconds(), limit: .003})
	b.section("Queries by tool", "The source tree of Go, %d chunks, watcher on, %d calls of each tool in turns.\n\n| tool | in process p50 | p95 | through MCP p50 | p95 |\n|---|---|---|---|---|\n", o.chunks(t), perTool)
	section := &b.sections[len(b.sections)-1]
	client := b.connect(t, b.src)
	overMCP, allMCP := latencies(t, func(c call) error { return callTool(t.Context(), client, c) })
	for _, name := range tools() {
		section.text += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", name, round(by[name].at(.5)), round(by[name].at(.95)), round(overMCP[name].at(.5)), round(overMCP[name].at(.95)))
	}
	section.text += fmt.Sprintf("| all | %s | %s | %s | %s |\n", round(all.at(.5)), round(all.at(.95)), round(allMCP.at(.5)), round(allMCP.at(.95)))
	worst = slowest(overMCP)
	b.row(target{what: "warm query through MCP over pipes, `semantic_search`, p50", goal: "≤ 5 ms", measured: round(overMCP["semantic_search"].at(.5)), value: overMCP["semantic_search"].at(.5).Seconds(), limit: .005})
	b.row(target{what: "warm query through MCP over pipes, all tools, p50", goal: "≤ 5 ms", measured: fmt.Sprintf("%s; slowest tool %s %s", round(allMCP.at(.5)), worst, round(overMCP[worst].at(.5))), value: allMCP.at(.5).Seconds(), limit: .005})
	b.profile(t, "warm queries", func() {
		for range 30 {
			for _, c := range calls {
				if err := c.ask(t.Context(), o.search); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// connect starts the program as a client does, and waits for its first answer.
func (b *bench) connect(t *testing.T, root string) *mcp.ClientSession {
	t.Helper()
	client, _ := b.start(t, root)
	t.Cleanup(func() { client.Close() })
	return client
}

func (b *bench) start(t *testing.T, root string) (*mcp.ClientSession, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(b.bin, "mcp", "--root", root)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client, cmd
}

func callTool(ctx context.Context, client *mcp.ClientSession, c call) error {
	r, err := client.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
	if err != nil {
		return err
	}
	if r.IsError {
		return fmt.Errorf("refused: %v", r.StructuredContent)
	}
	return nil
}

// mcpOnLarge asks the tree of 100,000 chunks through MCP.
func (b *bench) mcpOnLarge(t *testing.T, root string) {
	t.Helper()
	client := b.connect(t, root)
	var s sample
	for i, q := range questions(120) {
		c := call{"semantic_search", map[string]any{"query": q}}
		ask := func() {
			if err := callTool(t.Context(), client, c); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			ask()
		}
		s.time(1, ask)
	}
	b.row(target{what: "`semantic_search` through MCP on 100,000 generated chunks, p95 of 120 different questions", goal: "≤ 20 ms", measured: fmt.Sprintf("%s (p50 %s)", round(s.at(.95)), round(s.at(.5))), value: s.at(.95).Seconds(), limit: .020})
}

// editedFile changes one file and asks every tool until it shows the change. A tool
// whose first answer is behind is asked again, and all that counts.
func (b *bench) editedFile(t *testing.T) {
	const edited = "bufio/zz_edited.go"
	path := filepath.Join(b.indexed(t), filepath.FromSlash(edited))
	write := func(name string) {
		text := fmt.Sprintf("package bufio\n\n// %s is new: it polishes marbles.\nfunc %s() int {\n\treturn 1\n}\n\nvar _ = %s()\n", name, name, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("MarbleFirst")
	defer os.Remove(path)
	var p strings.Builder
	p.WriteString("One file is written anew and each tool asked at once, until its answer shows the new name; what counts is the time from the end of the write. `rg` is asked for the same name.\n\n| tool | with the watcher | by sweep |\n|---|---|---|\n")
	times := make(map[bool]map[string]*sample)
	for _, watch := range []bool{true, false} {
		o := open(t, b.src)
		if watch {
			o = watched(t, b.src)
		}
		if _, err := o.search.Semantic(t.Context(), search.SemanticQuery{Query: "marbles"}); err != nil {
			t.Fatal(err)
		}
		times[watch] = make(map[string]*sample)
		for _, tool := range tools() {
			if tool == "search_files" {
				continue // a name does not change with a content
			}
			s := new(sample)
			times[watch][tool] = s
			shows(t, o.search, tool, edited, "MarbleFirst") // what a server holds that has been asked
			for range *benchRuns {
				name := fmt.Sprintf("Marble%06d", rand.IntN(1e6))
				write(name)
				s.time(1, func() {
					for start := time.Now(); !shows(t, o.search, tool, edited, name); {
						if time.Since(start) > 10*time.Second {
							t.Fatalf("%s never showed the change", tool)
						}
					}
				})
			}
		}
	}
	for _, watch := range []bool{true, false} {
		by := times[watch]
		worst := ""
		for tool := range by {
			if worst == "" || by[tool].at(.5) > by[worst].at(.5) {
				worst = tool
			}
		}
		how := "by sweep"
		if watch {
			how = "with the watcher"
		}
		r := target{what: "one edited file visible to every tool, " + how, goal: "≤ 50 ms", measured: fmt.Sprintf("%s (%s, the slowest)", round(by[worst].at(.5)), worst), value: by[worst].at(.5).Seconds(), limit: .050}
		if peer, ok := try(t, b.src, "rg", "-n", "-F", "var _ = Marble"); ok {
			r.peer = "rg " + round(peer.wall)
		}
		b.row(r)
	}
	for _, tool := range tools() {
		if times[true][tool] != nil {
			fmt.Fprintf(&p, "| `%s` | %s | %s |\n", tool, round(times[true][tool].at(.5)), round(times[false][tool].at(.5)))
		}
	}
	b.section("An edited file", "%s", p.String())
	b.profile(t, "find_references after an edit", func() {
		o := watched(t, b.src)
		for i := range 10 {
			name := fmt.Sprintf("Marble%06d", i)
			write(name)
			for !shows(t, o.search, "find_references", edited, name) {
			}
		}
	})
}

// shows asks a tool and says whether its answer has name from the edited file.
func shows(t *testing.T, e *search.Engine, tool, file, name string) bool {
	t.Helper()
	ctx := t.Context()
	var a interface{ Text() string }
	var err error
	switch tool {
	case "semantic_search":
		a, err = e.Semantic(ctx, search.SemanticQuery{Query: name + " polishes marbles"})
	case "find_definitions":
		a, err = e.Definitions(ctx, search.DefinitionsQuery{Symbol: name})
	case "find_references":
		a, err = e.References(ctx, search.ReferencesQuery{Symbol: name})
	case "search_text":
		a, err = e.Text(ctx, search.TextQuery{Pattern: search.OneOrMore{"func " + name}})
	case "get_symbols":
		a, err = e.Symbols(ctx, search.SymbolsQuery{Path: file})
	case "analyze_structure":
		a, err = e.Structure(ctx, search.StructureQuery{Where: search.Where{Path: file}})
	case "get_function_at_line":
		a, err = e.FunctionAt(ctx, search.FunctionAtQuery{FilePath: file, Line: 5})
	default:
		t.Fatalf("no tool %q", tool)
	}
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := a.Text()
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.Contains(first, name) {
		text = rest // the first line repeats the question
	}
	return strings.Contains(text, name)
}

// needles are what is looked for literally: rare, common, in a string, and nowhere.
var needles = []string{"func NewReaderSize", "func (s *Server)", "http: Server closed", "ErrUnexpectedEOF", "noSuchThingAnywhere"}

// literalText looks for texts with an index, without one, and by ripgrep, in turns.
func (b *bench) literalText(t *testing.T) {
	if _, err := exec.LookPath("rg"); err != nil {
		t.Fatal("ripgrep is the peer of this row: apt-get install ripgrep")
	}
	indexed := watched(t, b.indexed(t))
	plain := search.New(indexed.project, nil)
	var p strings.Builder
	p.WriteString("`search_text` in a process that is warm, `rg -n -F` as a process, and `code-intel grep` as a process, in turns. Matching lines are counted whole by all; ours shows the first 50.\n\n| text | indexed | not indexed | rg | indexed / rg | not indexed / rg | `code-intel grep` |\n|---|---|---|---|---|---|---|\n")
	var with, bareRatio []float64
	for _, n := range needles {
		q := search.TextQuery{Pattern: search.OneOrMore{n}}
		ask := func(e *search.Engine) func() {
			return func() {
				if _, err := e.Text(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
		}
		ask(indexed.search)()
		ask(plain)()
		var ours, without, rg, whole sample
		for range max(*benchRuns, 3) * 2 {
			ours.time(1, ask(indexed.search))
			without.time(1, ask(plain))
			rg.time(1, func() { _, _ = run(b.src, "rg", "-n", "-F", n) }) // 1 means that there is none
			whole.time(1, func() { _, _ = run(b.src, b.bin, "grep", n) })
		}
		a, w := ratio(ours.at(.5), rg.at(.5)), ratio(without.at(.5), rg.at(.5))
		with, bareRatio = append(with, a), append(bareRatio, w)
		fmt.Fprintf(&p, "| `%s` | %s | %s | %s | %.2f | %.2f | %s |\n", n, round(ours.at(.5)), round(without.at(.5)), round(rg.at(.5)), a, w, round(whole.at(.5)))
	}
	b.section("Literal text", "%s", p.String())
	slices.Sort(with)
	slices.Sort(bareRatio)
	describe := func(r []float64) string {
		return fmt.Sprintf("%.2f × (median of %d texts; worst %.2f ×)", r[len(r)/2], len(r), r[len(r)-1])
	}
	b.row(target{what: "literal `search_text`, indexed", goal: "≤ 0.1 × ripgrep", measured: describe(with), peer: "rg -n -F", value: with[len(with)/2], limit: .1})
	b.row(target{what: "literal `search_text`, no index", goal: "≤ 1.2 × ripgrep", measured: describe(bareRatio), peer: "rg -n -F", value: bareRatio[len(bareRatio)/2], limit: 1.2})
	b.profile(t, "search_text without an index", func() {
		for range 20 {
			if _, err := plain.Text(t.Context(), search.TextQuery{Pattern: search.OneOrMore{needles[0]}}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
