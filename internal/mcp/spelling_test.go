package mcp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/problem"
)

// decoded returns what a tool reads from arguments.
func decoded(t *testing.T, tool *tool, args map[string]any) (any, error) {
	t.Helper()
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	in := reflect.New(tool.args)
	err = tool.decode(data, in.Interface())
	return in.Elem().Interface(), err
}

// A required argument of any tool is understood under every name that means the same.
func TestRespelled(t *testing.T) {
	calls := 0
	for i := range tools {
		tool := &tools[i]
		fields := lenientjson.Fields(tool.args)
		want, err := decoded(t, tool, tool.exampleArguments())
		if err != nil {
			t.Errorf("%s: %v", tool.name, err)
		}
		for _, f := range fields {
			if !f.Required {
				continue
			}
			names := []string{strings.ToUpper(f.Name), strings.ReplaceAll(f.Name, "_", "-")}
			for _, row := range spellings {
				if slices.Contains(row, f.Name) {
					names = append(names, row...)
				}
			}
			for _, name := range names {
				if slices.ContainsFunc(fields, func(o lenientjson.Field) bool { return o.Name == name }) {
					continue // an argument of its own
				}
				args := tool.exampleArguments()
				args[name] = args[f.Name]
				delete(args, f.Name)
				got, err := decoded(t, tool, args)
				if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); err != nil || diff != "" {
					t.Errorf("%s with %s for %s: %v\n%s", tool.name, name, f.Name, err, diff)
				}
				calls++
			}
		}
	}
	if calls < 200 {
		t.Errorf("only %d calls", calls)
	}
}

// What is not plain is refused, with a call that works and holds what was given.
func TestRespelledOrRefused(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"find_references", `{"symbol": "Cart", "file": "cart.go"}`, ""},
		{"find_definitions", `{"symbol": "Cart", "name": "Add"}`, `{"symbol":"Cart"}`},
		{"find_definitions", `{"name": 7}`, `{"symbol":"NewReader"}`},
		{"find_definitions", `{"name": "Cart", "depth": 3}`, `{"symbol":"Cart"}`},
		{"get_function_at_line", `{"file": "cart.go"}`, `{"file_path":"cart.go","line":12}`},
		{"search_text", `{"path": "internal"}`, `{"path":"internal","pattern":"NewReader"}`},
	} {
		at := slices.IndexFunc(tools, func(row tool) bool { return row.name == tt.tool })
		in := reflect.New(tools[at].args)
		err := tools[at].decode([]byte(tt.args), in.Interface())
		p := problem.Of(err)
		if p == nil {
			t.Errorf("%s %s: %v", tt.tool, tt.args, err)
			continue
		}
		if said := p.Next[0].String(); !strings.Contains(said, tt.want) {
			t.Errorf("%s %s: %s; want %s", tt.tool, tt.args, said, tt.want)
		}
	}
}

// An argument that is not required is understood where only one can be meant.
func TestRespelledOptional(t *testing.T) {
	for _, tt := range []struct{ tool, args, same string }{
		{"get_symbols", `{"file": "cart.go"}`, `{"path": "cart.go"}`},
		{"check_write_target", `{"path": "cart.go"}`, `{"file_path": "cart.go"}`},
		{"analyze_impact", `{"symbol": "Cart"}`, `{"targets": ["Cart"]}`},
		{"analyze_impact", `{"file": "cart.go"}`, `{"targets": ["cart.go"]}`},
		{"find_definitions", `{"name": "Cart", "dir": "shop", "maxTokens": 400}`, `{"symbol": "Cart", "path": "shop", "max_tokens": 400}`},
		{"semantic_search", `{"question": "where", "limit": 3}`, `{"query": "where", "n_results": 3}`},
		{"start_session", `{"intent": "MODIFY", "task": "Add it"}`, `{"intent": "MODIFY", "query": "Add it"}`},
		{"pipeline_next_action", `{"workspace": ".specs/x", "answer": "approve"}`, `{"workspace": ".specs/x", "user_response": "approve"}`},
		{"find_definitions", `"{\"name\": \"Cart\"}"`, `{"symbol": "Cart"}`},
	} {
		at := slices.IndexFunc(tools, func(row tool) bool { return row.name == tt.tool })
		got, want := reflect.New(tools[at].args), reflect.New(tools[at].args)
		if err := tools[at].decode([]byte(tt.args), got.Interface()); err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.args, err)
		}
		if err := tools[at].decode([]byte(tt.same), want.Interface()); err != nil {
			t.Errorf("%s %s: %v", tt.tool, tt.same, err)
		}
		if diff := cmp.Diff(want.Elem().Interface(), got.Elem().Interface(), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%s %s (-%s +got):\n%s", tt.tool, tt.args, tt.same, diff)
		}
	}
}
