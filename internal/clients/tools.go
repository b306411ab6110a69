package clients

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// tool reads what a call of a tool is about.
func (t tables) tool(p *Payload, e *Event) {
	e.Tool = p.Text("tool_name")
	input, response := p.Object("tool_input"), p.Value("tool_response")
	e.Failed = p.Failed || p.Flag("is_interrupt") || e.Name == After && failed(response)
	e.Kind = t.tools[strings.ToLower(e.Tool)]
	if e.Server = ServerOf(e.Tool); e.Server != "" || strings.HasPrefix(e.Tool, "mcp__") {
		e.Kind = MCP
		switch {
		case IsOwnServer(e.Server), readsByName(e.Tool):
		case writesByName(e.Tool) && pathOf(input) != "":
			e.Kind = Write
		default:
			e.Kind, e.Command = Foreign, commandOf(input)
		}
	}
	switch e.Kind {
	case Shell:
		e.Command, e.Output = commandOf(input), outputOf(response)
		if e.Failed && e.Output == "" {
			e.Output = p.Text("error")
		}
		e.TTY, _ = input["tty"].(bool)
		if patchShell.MatchString(e.Command) {
			e.Files = patched(e.Command)
		}
	case Patch:
		e.Kind, e.Files = Write, patched(input.text("command", "input", "patch", "patchText"))
	case Write:
		e.Files = written(input)
	case Read:
		e.Files = shownFiles(input, response)
	case Search:
		e.Kind, e.Files = Read, matches(response)
	case List:
		e.Kind = Read
	case Agent:
		if r, ok := response.(map[string]any); ok && e.Name == After {
			result := Object(r)
			e.Tokens, e.Duration, e.Model = result.number("totalTokens"), result.number("totalDurationMs"), result.text("resolvedModel")
		}
	case "":
		e.Kind = OtherTool
	}
}

// batch returns the most that a batch of calls may have done: written files, run a
// command, or nothing that leaves traces.
func (t tables) batch(p *Payload) Kind {
	var calls []map[string]json.RawMessage
	p.read("tool_calls", &calls)
	most := OtherTool
	for _, members := range calls {
		call, e := &Payload{members: members}, Event{Name: Before}
		t.tool(call, &e)
		if call.err != nil && p.err == nil {
			p.err = call.err
		}
		switch e.Kind {
		case Write, Agent:
			return Write
		case Shell, Foreign:
			most = Shell
		}
	}
	return most
}

// pathOf returns the file that the arguments of a tool name.
func pathOf(input Object) string {
	return input.text("file_path", "notebook_path", "absolute_path", "filePath", "path", "relative_path",
		"filename", "destination", "target_file")
}

// commandOf returns the command line of a shell tool, which some send as a list.
func commandOf(input Object) string {
	if list, ok := input["command"].([]any); ok {
		var words []string
		for _, w := range list {
			s, _ := w.(string)
			words = append(words, "'"+strings.ReplaceAll(s, "'", `'\''`)+"'")
		}
		return strings.Join(words, " ")
	}
	return input.text("command", "cmd")
}

// outputOf returns what a shell printed.
func outputOf(response any) string {
	switch r := response.(type) {
	case string:
		return r
	case map[string]any:
		return Object(r).text("stdout", "output", "llmContent", "textResultForLlm")
	}
	return ""
}

// failed reports whether a response says that the call failed.
func failed(response any) bool {
	r, ok := response.(map[string]any)
	if !ok {
		return false
	}
	if b, _ := r["isError"].(bool); b {
		return true
	}
	if b, _ := r["interrupted"].(bool); b {
		return true
	}
	return r["error"] != nil && r["error"] != "" && r["error"] != false
}

// written returns the files that a writing tool names.
func written(input Object) []File {
	var files []File
	for _, name := range []string{pathOf(input), input.text("source", "old_path", "new_path", "to")} {
		if name != "" {
			files = append(files, File{Path: name})
		}
	}
	if list, ok := input["files"].([]any); ok {
		for _, f := range list {
			switch f := f.(type) {
			case string:
				files = append(files, File{Path: f})
			case map[string]any:
				if name := pathOf(f); name != "" {
					files = append(files, File{Path: name})
				}
			}
		}
	}
	return files
}

// patchShell finds the command that Codex takes for a patch, with models that have no
// tool for it.
var patchShell = lazyregexp.MustCompile(`\bapply_?patch\b[\s\S]*\*\*\* Begin Patch`)

// patched returns the files that the text of an apply_patch call names.
func patched(patch string) (files []File) {
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for header, remove := range map[string]bool{"*** Update File: ": false, "*** Add File: ": false,
			"*** Move to: ": false, "*** Delete File: ": true} {
			name, ok := strings.CutPrefix(line, header)
			if name = strings.TrimSpace(name); !ok || name == "" {
				continue
			}
			if i := slices.IndexFunc(files, func(f File) bool { return f.Path == name }); i < 0 {
				files = append(files, File{Path: name, Delete: remove})
			}
		}
	}
	return files
}

// shownFiles returns the file of which a reading tool showed lines, or is about to.
func shownFiles(input Object, response any) []File {
	name := pathOf(input)
	if name == "" {
		return nil
	}
	f := File{Path: name, Start: max(1, input.number("offset"))}
	if n := input.number("limit"); n > 0 {
		f.End = f.Start + n - 1
	}
	// Claude says which lines it has shown.
	if r, ok := response.(map[string]any); ok {
		if text, ok := r["file"].(map[string]any); ok {
			if start, n := Object(text).number("startLine"), Object(text).number("numLines"); n > 0 {
				f.Start, f.End = max(1, start), max(1, start)+n-1
			}
		}
	}
	return []File{f}
}

// match finds "file:12:" and "file-12-" at the beginning of a line.
var match = lazyregexp.MustCompile(`^(.+?)[:-](\d+)[:-]`)

// matches returns the lines that a search in text has shown, where it says which.
func matches(response any) (files []File) {
	r, ok := response.(map[string]any)
	if !ok || Object(r).text("mode") != "content" {
		return nil
	}
	for line := range strings.Lines(Object(r).text("content")) {
		name, number := "", ""
		if m := match.FindStringSubmatch(line); m != nil {
			name, number = m[1], m[2]
		}
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			if last := len(files) - 1; last >= 0 && files[last].Path == name && files[last].End == n-1 {
				files[last].End = n
			} else {
				files = append(files, File{Path: name, Start: n, End: n})
			}
		}
	}
	return files
}
