// Package transcript verifies what a hook reports against the conversation that the client stores on disk:
// the tool call with its arguments, or the line that a person typed. Anybody can send the program the payload
// of a hook; the transcript is written by the client itself, into its own folder.
package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/platform/repofile"
)

// How much of the end of a conversation is read, in bytes; and to find what was just asked for.
const (
	most   = 16 << 20
	latest = 1 << 20
)

// A Conversation is the transcript that a client keeps of one conversation.
type Conversation struct {
	records []string
}

// Of is [Open] for the user who runs this program.
func Of(c *clients.Client, file string) (Conversation, bool) {
	home, _ := os.UserHomeDir() // without one no client keeps anything there
	return Open(c, file, home, os.Getenv)
}

// Open reads the end of the conversation in a file that a hook has named. ok is false if
// the file is not one in the folder where the client keeps conversations, or cannot be read.
// Those of sub-agents that are beside it are read with it.
func Open(c *clients.Client, file, home string, env func(string) string) (conversation Conversation, ok bool) {
	folder := conversationFolder(c, home, env)
	if folder == "" || !isWithin(folder, file) {
		return conversation, false
	}
	data, ok := tail(file, most)
	if !ok {
		return conversation, false
	}
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	for _, beside := range []string{stem, filepath.Join(stem, "subagents")} {
		for _, other := range repofile.At(beside).Match("*.jsonl") {
			if more, ok := tail(other, most); ok {
				data += "\n" + more
			}
		}
	}
	conversation.records = strings.Split(data, "\n")
	return conversation, true
}

// conversationFolder returns where a client keeps conversations; empty if it keeps none that can be read.
func conversationFolder(c *clients.Client, home string, env func(string) string) string {
	if c == nil || c.Hooks == nil || c.Hooks.Transcripts == "" {
		return ""
	}
	settings, below, _ := strings.Cut(c.Hooks.Transcripts, "/")
	if own := env(c.Variables.Settings); c.Variables.Settings != "" && own != "" {
		return filepath.Join(own, below)
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, settings, below)
}

// isWithin reports whether a file is in a folder, once links are followed.
func isWithin(folder, file string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil || !filepath.IsAbs(file) {
		return false
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rel)
}

func tail(file string, most int64) (string, bool) {
	f, info, err := repofile.At(file).Open()
	if err != nil {
		return "", false
	}
	defer f.Close()
	from := max(0, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(f, from, most))
	return string(data), err == nil
}

// InTerminal reports whether the conversation says that a command, which was just asked for,
// is to run in a terminal. Of one that a script of the model runs, the script says it.
func InTerminal(c *clients.Client, file, id, home string, env func(string) string) bool {
	folder := conversationFolder(c, home, env)
	if folder == "" || !isWithin(folder, file) {
		return false
	}
	data, _ := tail(file, latest)
	records := strings.Split(data, "\n")
	for _, record := range slices.Backward(records) {
		var whole map[string]any
		if id != "" && strings.Contains(record, id) && json.Unmarshal([]byte(record), &whole) == nil {
			if input, found := callInput(whole, id); found {
				return terminal(input)
			}
		}
	}
	for _, record := range slices.Backward(records) {
		var whole struct {
			Payload struct{ Type, Name, Input string } `json:"payload"`
		}
		if strings.Contains(record, `"custom_tool_call"`) && json.Unmarshal([]byte(record), &whole) == nil &&
			whole.Payload.Type == "custom_tool_call" {
			return whole.Payload.Name == "exec" && strings.Contains(whole.Payload.Input, "tty")
		}
	}
	return false
}

// terminal reports whether the arguments of a call ask for a terminal.
func terminal(input any) bool {
	if s, ok := input.(string); ok {
		var nested map[string]any
		if json.Unmarshal([]byte(s), &nested) != nil {
			return false
		}
		input = nested
	}
	arguments, _ := input.(map[string]any)
	return arguments["tty"] == true
}

// A Call is what a hook has reported of one call of a tool.
type Call struct {
	ID      string    `json:"id"`
	Command string    `json:"command,omitempty"` // of a shell
	Files   []string  `json:"files,omitempty"`   // that it has shown, as the client names them
	Lines   int       `json:"lines,omitempty"`   // how many it has shown
	Since   time.Time `json:"since"`             // when the session began: the call is not older
	Denied  string    `json:"denied,omitempty"`  // why the hook denied it, as it told the model
}

// slack is how much older than the session a call may be: the client writes down when the
// model asked for it.
const slack = time.Minute

// Contains reports whether the conversation contains the call, with these arguments.
func (c Conversation) Contains(call Call) bool {
	if call.ID == "" {
		return false
	}
	asked, answered, refused := false, "", false
	var open []string // files that the arguments do not name
	for _, record := range c.records {
		if !strings.Contains(record, call.ID) {
			refused = refused || call.refused(record)
			continue
		}
		var whole map[string]any
		if json.Unmarshal([]byte(record), &whole) != nil {
			continue
		}
		input, found := callInput(whole, call.ID)
		switch {
		case !found:
			answered += record
		case !asked && recent(whole, call.Since):
			open, asked = call.compareInput(input)
		}
	}
	if !asked {
		return refused && answered == ""
	}
	for _, file := range open { // of a search, the answer names them
		if !strings.Contains(answered, quoted(filepath.Base(file))) {
			return false
		}
	}
	return true
}

// blocked is what Codex puts before the reason of a hook that has denied a call.
const blocked = "blocked by PreToolUse hook: "

// refused reports whether a record is what a script of the model was told of a denied call.
// Codex keeps the IDs of calls that a script makes, but none of one that was denied.
func (call Call) refused(record string) bool {
	var whole struct {
		Payload struct {
			Type   string `json:"type"`
			Output any    `json:"output"`
		} `json:"payload"`
		Timestamp string `json:"timestamp"`
	}
	if call.Denied == "" || !strings.Contains(record, blocked) || json.Unmarshal([]byte(record), &whole) != nil ||
		whole.Payload.Type != "custom_tool_call_output" || !recent(map[string]any{"timestamp": whole.Timestamp}, call.Since) {
		return false
	}
	var said []string
	collect(whole.Payload.Output, &said)
	return slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, blocked+call.Denied) })
}

// quoted returns a text as it is inside of a JSON string.
func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(bytes.Trim(data, `"`))
}

// recent reports whether a record is not from before the session.
func recent(record map[string]any, since time.Time) bool {
	stamp, _ := record["timestamp"].(string)
	at, err := time.Parse(time.RFC3339, stamp)
	return err != nil || !at.Before(since.Add(-slack))
}

// callInput finds the call of a tool by its ID, and returns its arguments.
func callInput(v any, id string) (input any, found bool) {
	switch v := v.(type) {
	case map[string]any:
		if _, named := v["name"].(string); named && (v["id"] == id || v["call_id"] == id) {
			for _, member := range []string{"input", "arguments"} {
				if v[member] != nil {
					return v[member], true
				}
			}
		}
		if action, ok := v["action"]; ok && v["call_id"] == id {
			return action, true
		}
		if command, ok := v["command"]; ok && v["id"] == id && v["type"] == "CommandExecution" { // by a script of the model
			return command, true
		}
		for _, member := range v {
			if input, found := callInput(member, id); found {
				return input, true
			}
		}
	case []any:
		for _, element := range v {
			if input, found := callInput(element, id); found {
				return input, true
			}
		}
	}
	return nil, false
}

// compareInput checks what was reported of the call against its arguments: ok is false if they
// are others. It returns the files that they do not name.
func (call Call) compareInput(input any) (open []string, ok bool) {
	var said []string
	limit := collect(input, &said)
	if call.Command != "" && !slices.Contains(said, call.Command) && !strings.Contains(call.Command, "'"+
		strings.Join(said, "' '")+"'") {
		return nil, false
	}
	if limit > 0 && call.Lines > limit {
		return nil, false
	}
	if call.Command != "" {
		return nil, true
	}
	for _, file := range call.Files {
		if !slices.ContainsFunc(said, func(s string) bool { return maySameFile(s, file) }) {
			open = append(open, file)
		}
	}
	return open, true
}

// maySameFile reports whether two names may be of one file: one is the other, or its end.
func maySameFile(a, b string) bool {
	a, b = filepath.ToSlash(filepath.Clean(a)), filepath.ToSlash(filepath.Clean(b))
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// collect gathers the strings of the arguments, also of those that are JSON in a string,
// and returns how many lines they ask for, 0 if they do not say.
func collect(v any, into *[]string) (limit int) {
	switch v := v.(type) {
	case string:
		*into = append(*into, v)
		if strings.HasPrefix(strings.TrimSpace(v), "{") {
			var nested map[string]any
			if json.Unmarshal([]byte(v), &nested) == nil {
				return collect(nested, into)
			}
		}
	case []any:
		for _, element := range v {
			collect(element, into)
		}
	case map[string]any:
		for name, member := range v {
			if n, ok := member.(float64); ok && name == "limit" && n > 0 && n < 1<<31 {
				limit = int(n)
			}
			limit = max(limit, collect(member, into))
		}
	}
	return limit
}

// Typed reports whether a person typed a command ("code") with these arguments.
func (c Conversation) Typed(command, arguments string) bool {
	arguments = joinFields(arguments)
	for _, record := range slices.Backward(c.records) {
		var whole map[string]any
		if !strings.Contains(record, command) || json.Unmarshal([]byte(record), &whole) != nil {
			continue
		}
		for _, text := range typed(whole) {
			if text = joinFields(text); strings.Contains(text, command) && strings.Contains(text, arguments) {
				return true
			}
		}
	}
	return false
}

func joinFields(s string) string { return strings.Join(strings.Fields(s), " ") }

// typed returns what a person typed, if the record is of that.
func typed(record map[string]any) []string {
	if record["toolUseResult"] != nil || record["isSidechain"] == true { // the prompt of a sub-agent was written by a model
		return nil
	}
	inner := record
	for _, member := range []string{"message", "payload"} {
		if m, ok := record[member].(map[string]any); ok {
			inner = m
		}
	}
	kind, _ := inner["type"].(string)
	if record["type"] != "queue-operation" && inner["role"] != "user" && kind != "user_message" {
		return nil
	}
	var all []string
	for _, member := range []string{"content", "message"} {
		switch content := inner[member].(type) {
		case string:
			all = append(all, content)
		case []any:
			for _, part := range content {
				if p, ok := part.(map[string]any); ok && (p["type"] == "text" || p["type"] == "input_text") {
					if s, ok := p["text"].(string); ok {
						all = append(all, s)
					}
				}
			}
		}
	}
	return all
}
