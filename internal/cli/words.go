package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/clients/install"
)

// The packages below speak of tools and their arguments, for the models that call
// them. Here a person types commands and flags, so what they say is put in those
// words: notes, refusals, and what to do next.

// A form is how a tool is called on the command line.
type form struct {
	command string
	operand string            // the argument that needs no flag
	flags   map[string]string // of arguments whose flag is called otherwise
}

var forms = map[string]form{
	"semantic_search":   {"search", "query", map[string]string{"n_results": "top", "language": "lang"}},
	"find_definitions":  {"def", "symbol", map[string]string{"language": "lang", "exact_match": "exact"}},
	"find_references":   {"refs", "symbol", map[string]string{"language": "lang", "include_locals": "locals", "include_comments": "comments"}},
	"analyze_structure": {"outline", "path", map[string]string{"language": "lang"}},
	"analyze_impact":    {"impact", "targets", nil},
	"search_text":       {"grep", "pattern", map[string]string{"file_type": "type", "whole_word": "word"}},
	"search_files":      {"files", "pattern", map[string]string{"file_type": "type"}},
	"sync_index":        {"index", "", nil},
}

// tools finds a tool that is named, alone or with its arguments, and arguments alone.
var tools = regexp.MustCompile(`(?:\b(?:Call )?(semantic_search|find_definitions|find_references|analyze_structure|analyze_impact|search_text|search_files|sync_index)\b)?(?: ?(\{(?:"(?:[^"\\]|\\.)*"|[^"{}])*\}))?`)

// arguments finds the places where a refusal names an argument, and no value.
var arguments = regexp.MustCompile(`^([a-z_]+)( is| holds| was)\b|(Leave )([a-z_]+)( out\b)|\b(next_cursor)\b|(Send )?"([a-z_]+)": ("(?:[^"\\]|\\.)*")`)

// formOf is how the tool of a command is called, for what that command says.
func formOf(command string) form {
	for _, f := range forms {
		if f.command == command {
			return f
		}
	}
	return form{command: command}
}

// flag is what an argument of a tool is called here.
func (f form) flag(argument string) string {
	switch name, other := f.flags[argument]; {
	case argument == f.operand:
		return strings.ToUpper(argument)
	case other:
		return "--" + name
	case argument == "globs":
		return "--glob"
	}
	return "--" + strings.ReplaceAll(argument, "_", "-")
}

// line is the command line that does what a call would; "" if there is none.
func (f form) line(call string) string {
	parts := []string{"code-intel", f.command}
	d := json.NewDecoder(strings.NewReader(call))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return strings.Join(parts, " ")
	}
	for d.More() { // in the order of the call
		name, err := d.Token()
		if err != nil {
			return ""
		}
		var value any
		if d.Decode(&value) != nil {
			return ""
		}
		key, _ := name.(string)
		many, list := value.([]any)
		if !list {
			many = []any{value}
		}
		for _, v := range many {
			switch {
			case key == f.operand:
				parts = append(parts, install.Quote(fmt.Sprint(v)))
			case v == true:
				parts = append(parts, f.flag(key))
			default:
				parts = append(parts, f.flag(key), install.Quote(fmt.Sprint(v)))
			}
		}
	}
	return strings.Join(parts, " ")
}

// spoken puts what a package says to a model in the words of the command line.
func spoken(command, text string) string {
	own := formOf(command)
	text = tools.ReplaceAllStringFunc(text, func(m string) string {
		part := tools.FindStringSubmatch(m)
		tool, call := part[1], part[2]
		f, known := forms[tool]
		switch {
		case tool == "" && call == "":
			return m
		case !known:
			f = own
		}
		line := f.line(call)
		if line == "" {
			return m
		}
		switch before, _, _ := strings.Cut(m, "{"); {
		case strings.HasPrefix(m, "Call "):
			return "Run " + line
		case !known && strings.HasPrefix(before, " "):
			return " " + line
		}
		return line
	})
	return arguments.ReplaceAllStringFunc(text, func(m string) string {
		part := arguments.FindStringSubmatch(m)
		switch {
		case part[6] != "":
			return "the cursor"
		case part[8] != "":
			flag := strings.TrimPrefix(own.line("{\""+part[8]+"\": "+part[9]+"}"), "code-intel "+own.command+" ")
			return strings.Replace(part[7], "Send", "Use", 1) + flag
		case part[3] != "":
			return part[3] + own.flag(part[4]) + part[5]
		case !slices.Contains(argumentNames, part[1]):
			return m
		}
		return own.flag(part[1]) + part[2]
	})
}

// argumentNames are the arguments that a refusal may begin with.
var argumentNames = []string{
	"case", "collection", "column", "context", "cursor", "depth", "exact_match", "file_path", "file_type", "globs", "include_comments", "include_locals",
	"kind", "language", "limit", "line", "match", "max_tokens", "n_results", "path", "pattern", "query", "regex", "symbol", "targets", "whole_word",
}

// notes are the lines of an answer that are about the answer.
var notes = regexp.MustCompile(`(?m)^(note|more): .*$`)

// spokenNotes puts the notes of an answer in the words of the command line, and
// leaves alone what was found.
func spokenNotes(command, text string) string {
	return notes.ReplaceAllStringFunc(text, func(m string) string {
		if cursor, ok := strings.CutPrefix(m, "more: cursor "); ok {
			return "more: --cursor " + cursor
		}
		return spoken(command, m)
	})
}
