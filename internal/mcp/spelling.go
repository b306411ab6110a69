package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lenientjson"
)

// spellings are names of arguments that models use for each other, those of one meaning in
// a row.
var spellings = [][]string{
	{"symbol", "symbols", "targets", "query", "pattern", "target_feature", "name", "names", "symbol_name", "identifier", "function",
		"function_name", "method", "class", "class_name", "target", "question", "text", "search", "search_query", "search_term",
		"term", "keyword", "keywords", "string", "q", "feature"},
	{"query", "arguments", "task_text", "request", "task", "prompt", "description", "message", "input", "question", "text"},
	{"path", "file_path", "files", "targets", "file", "filename", "file_name", "paths", "file_paths", "target_file", "directory",
		"dir", "folder", "uri"},
	{"line", "line_number", "lineno", "line_no", "start_line", "row"},
	{"limit", "n_results", "max_results", "num_results", "top_k", "k", "n", "max", "count", "head_limit"},
	{"globs", "glob", "include", "file_pattern", "include_pattern"},
	{"chunk_id", "chunk", "id"},
	{"data", "payload"},
	{"choice", "user_response", "decision", "answer", "response"},
	{"workspace", "workspace_path", "spec"},
	{"language", "lang"},
	{"project_rules_summary", "summary", "rules"},
}

// respell returns the arguments of a call under the names that the tool has for them. A name
// that it does not have is taken for the one argument of the same meaning that the call lacks:
// one that is required, else one that the example has, else the only one. Where that is
// not plain the name stays, and is refused.
func (t *tool) respell(given map[string]any) map[string]any {
	fields := lenientjson.Fields(t.args)
	has := func(name string) bool {
		return slices.ContainsFunc(fields, func(f lenientjson.Field) bool { return f.Name == name })
	}
	example := t.exampleArguments()
	called := maps.Clone(given)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if has(name) {
			continue
		}
		var required, shown, other []string
		for _, f := range fields {
			if _, there := called[f.Name]; there || !sameMeaning(name, f.Name) {
				continue
			}
			switch _, inExample := example[f.Name]; {
			case f.Required:
				required = append(required, f.Name)
			case inExample:
				shown = append(shown, f.Name)
			default:
				other = append(other, f.Name)
			}
		}
		for _, may := range [][]string{required, shown, other} {
			if len(may) == 1 {
				called[may[0]] = called[name]
				delete(called, name)
			}
			if len(may) > 0 {
				break
			}
		}
	}
	return called
}

func sameMeaning(a, b string) bool {
	plain := func(name string) string { return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)) }
	if plain(a) == plain(b) {
		return true
	}
	return slices.ContainsFunc(spellings, func(row []string) bool {
		return slices.Contains(row, b) && slices.ContainsFunc(row, func(name string) bool { return plain(name) == plain(a) })
	})
}

func (t *tool) exampleArguments() (all map[string]any) {
	json.Unmarshal([]byte(t.example), &all) // a constant, which tests decode
	return all
}

// longestExample is how long a call may be that a refusal shows, in bytes.
const longestExample = 400

// corrected is a call that works, as JSON: with what was given, as far as it fits, and the
// example's values for what is missing.
func (t *tool) corrected(given map[string]any, wrong []lenientjson.Mismatch) string {
	example, call := t.exampleArguments(), make(map[string]any)
	for _, f := range lenientjson.Fields(t.args) {
		value, there := given[f.Name]
		if slices.ContainsFunc(wrong, func(m lenientjson.Mismatch) bool {
			return m.Path == f.Name || strings.HasPrefix(m.Path, f.Name+".") || strings.HasPrefix(m.Path, f.Name+"[")
		}) {
			there = false
		}
		if !there {
			if value, there = example[f.Name]; !there || !f.Required && len(given) > 0 {
				continue
			}
		}
		call[f.Name] = value
	}
	if data, err := json.Marshal(call); err == nil && len(call) > 0 && len(data) <= longestExample {
		return string(data)
	}
	return t.example
}
