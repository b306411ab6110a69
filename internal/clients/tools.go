package clients

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kinds are the clients' own tools, in small letters.
var kinds = map[string]Kind{
	"edit": Write, "write": Write, "multiedit": Write, "notebookedit": Write, "apply_patch": Write, // Claude, Codex
	"replace": Write, "write_file": Write, "create": Write, "editfiles": Write, "createfile": Write, "patch": Write, // Gemini, Copilot, opencode
	"bash": Shell, "powershell": Shell, "shell": Shell, "run_shell_command": Shell, "runterminalcommand": Shell, "local_shell": Shell,
	"read": Read, "grep": Read, "glob": Read, "ls": Read, "notebookread": Read, "read_file": Read, "view": Read, "search_file_content": Read, "grep_search": Read,
	"agent": Agent, "task": Agent, "spawn_agent": Agent,
	"askuserquestion": Ask, "ask_user": Ask,
}

// tool reads what a call of a tool is about.
func (p *payload) tool(e *Event) {
	e.Tool = first(p.Tool, p.ToolName)
	input := p.Input
	if input == nil {
		input = p.ToolArgs
	}
	switch strings.ToLower(p.Event) { // Cursor's events that are about one tool
	case "beforeshellexecution", "aftershellexecution":
		e.Tool, input = first(e.Tool, "Shell"), object{"command": p.Shell}
	case "afterfileedit":
		e.Tool, input = first(e.Tool, "Edit"), object{"file_path": p.File}
	case "beforereadfile":
		e.Tool, input = first(e.Tool, "Read"), object{"file_path": p.File}
	}
	response := p.Response
	if response == nil {
		response = p.ToolResult
	}
	if response == nil && p.Output != "" {
		response = p.Output
	}
	e.Failed = strings.EqualFold(p.Event, "PostToolUseFailure") || p.Interrupt || e.Name == After && failed(e.Tool, response)
	e.Kind = kinds[strings.ToLower(e.Tool)]
	if rest, ok := strings.CutPrefix(e.Tool, "mcp__"); ok {
		e.Server, _, _ = cutLast(rest, "__")
		e.Kind = MCP
		if writes(e.Tool) && pathOf(input) != "" && !Own(e.Server) {
			e.Kind = Write
		}
	}
	switch e.Kind {
	case Shell:
		e.Command, e.Output = commandOf(input), outputOf(response)
		if patchShell.MatchString(e.Command) {
			e.Files = Patched(e.Command)
		}
	case Write:
		e.Files = written(e.Tool, input)
	case Read:
		e.Files = shown(e, input, response)
	case Agent:
		if r, ok := response.(map[string]any); ok && e.Name == After {
			e.Tokens, e.Duration, e.Model = object(r).number("totalTokens"), object(r).number("totalDurationMs"), object(r).text("resolvedModel")
		}
	case "":
		e.Kind = OtherTool
	}
}

// batch tells what a batch of calls may have done at most: written files, run a
// command, or nothing that leaves traces.
func (p *payload) batch() Kind {
	most := OtherTool
	for _, c := range p.Calls {
		var e Event
		(&payload{Event: "PreToolUse", Tool: c.Tool, Input: c.Input}).tool(&e)
		switch {
		case e.Kind == Write || e.Kind == Agent:
			return Write
		case e.Kind == Shell:
			most = Shell
		}
	}
	return most
}

// cutLast cuts around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// changing finds the verbs of tools that change files.
var changing = regexp.MustCompile(`(?i)(?:^|[_-])(?:write|edit|create|replace|insert|delete|remove|move|rename|patch|apply|append|update|save)(?:[_-]|$)`)

// Own reports whether a server is that of this program, as it is, in a plugin, or as
// Codex spells it. Its tools write no file of a project, whatever they are called.
func Own(server string) bool {
	server = strings.ReplaceAll(server, "-", "_")
	return server == "code_intel" || strings.HasSuffix(server, "_code_intel")
}

// writes reports whether an MCP tool sounds as if it changed files.
func writes(tool string) bool {
	_, name, _ := cutLast(tool, "__")
	return changing.MatchString(name)
}

// pathOf returns the file that the arguments of a tool name.
func pathOf(input object) string {
	return input.text("file_path", "notebook_path", "absolute_path", "filePath", "path", "relative_path", "filename", "destination", "target_file")
}

// commandOf returns the command line of a shell tool, which some send as a list.
func commandOf(input object) string {
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
		return object(r).text("stdout", "output", "llmContent", "textResultForLlm")
	}
	return ""
}

// exitCode finds how a command ended where the client puts it in front of what it
// printed.
var exitCode = regexp.MustCompile(`^Exit code: (\d+)\n`)

// failed reports whether a response says that the tool came to nothing.
func failed(tool string, response any) bool {
	switch r := response.(type) {
	case string:
		if tool == "apply_patch" || tool == "Bash" {
			m := exitCode.FindStringSubmatch(r)
			return m != nil && m[1] != "0"
		}
	case map[string]any:
		if b, _ := r["isError"].(bool); b {
			return true
		}
		if b, _ := r["interrupted"].(bool); b {
			return true
		}
		return r["error"] != nil && r["error"] != "" && r["error"] != false
	}
	return false
}

// written returns the files that a writing tool names.
func written(tool string, input object) []File {
	if tool == "apply_patch" {
		return Patched(input.text("command", "input", "patch", "patchText"))
	}
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
var patchShell = regexp.MustCompile(`\bapply_?patch\b[\s\S]*\*\*\* Begin Patch`)

// Patched returns the files that the text of an apply_patch call names.
func Patched(patch string) (files []File) {
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for header, remove := range map[string]bool{"*** Update File: ": false, "*** Add File: ": false, "*** Move to: ": false, "*** Delete File: ": true} {
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

// shown returns the files of which a reading tool showed lines, or is about to.
// A tool that only lists names shows none.
func shown(e *Event, input object, response any) []File {
	switch strings.ToLower(e.Tool) {
	case "glob", "ls":
		return nil
	case "grep", "search_file_content", "grep_search":
		return matches(input, response)
	}
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
			if start, n := object(text).number("startLine"), object(text).number("numLines"); n > 0 {
				f.Start, f.End = max(1, start), max(1, start)+n-1
			}
		}
	}
	return []File{f}
}

// match finds "file:12:" and "file-12-" at the beginning of a line.
var match = regexp.MustCompile(`^(.+?)[:-](\d+)[:-]`)

// matches returns the lines that a search in text has shown, where it says which.
func matches(input object, response any) (files []File) {
	r, ok := response.(map[string]any)
	if !ok || object(r).text("mode") != "content" {
		return nil
	}
	for line := range strings.Lines(object(r).text("content")) {
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
