package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
)

// host does with a plugin what opencode does: it loads the module, calls what it
// exports for the hooks, and calls those one after the other. A hook before a tool that
// throws keeps the tool from being run.
const host = `
import { pathToFileURL } from "node:url"

const [file, directory, ...calls] = process.argv.slice(2)
const said = []
for (const exported of Object.values(await import(pathToFileURL(file)))) {
  const hooks = await exported({ directory, worktree: directory, project: {}, client: {} })
  for (const call of calls) {
    const { hook, input, output } = JSON.parse(call)
    const result = { hook }
    try {
      await hooks[hook](input, output)
      result.output = output
    } catch (e) {
      result.error = e instanceof Error ? e.message : "not an error"
    }
    said.push(result)
  }
}
console.log(JSON.stringify(said))
`

// TestOpencodePlugin has node run the plugin that install writes, while a server runs
// a session in the project.
func TestOpencodePlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	st := newStage(t, txtar.Parse([]byte("-- repo main.go --\npackage main\n\nfunc main() {}\n-- repo .gitignore --\n.code-intel/\n.opencode/\nopencode.json\nAGENTS.md\n")))
	st.env = append(st.env, "CLAUDE_PROJECT_DIR=")
	cmd := exec.Command("code-intel", "install", "opencode", "--yes")
	cmd.Dir, cmd.Env = st.root, st.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	folder := t.TempDir()
	script := filepath.Join(folder, "host.mjs")
	if err := os.WriteFile(script, []byte(host), 0o644); err != nil {
		t.Fatal(err)
	}
	// opencode takes a plugin for a module whatever its folder says; node asks the folder.
	if err := os.WriteFile(filepath.Join(st.root, ".opencode", "package.json"), []byte(`{"type": "module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	type result struct {
		Hook   string
		Error  string
		Output object
	}
	fire := func(calls ...object) (results []result) {
		t.Helper()
		args := []string{script, filepath.Join(st.root, ".opencode", "plugins", "code-intel.js"), st.root}
		for _, c := range calls {
			data, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, string(data))
		}
		cmd := exec.CommandContext(t.Context(), node, args...)
		cmd.Dir, cmd.Env = st.root, st.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := json.Unmarshal(out, &results); err != nil || len(results) != len(calls) {
			t.Fatalf("%v: %s", err, out)
		}
		return results
	}
	before := func(tool string, args object) object {
		return object{"hook": "tool.execute.before", "input": object{"tool": tool, "sessionID": "s", "callID": "c-" + tool}, "output": object{"args": args}}
	}
	write := before("write", object{"filePath": filepath.Join(st.root, "main.go"), "content": "x"})

	if r := fire(write); r[0].Error != "" {
		t.Errorf("no session: %+v", r)
	}

	serve := exec.Command("code-intel", "mcp")
	serve.Dir, serve.Env = st.root, st.env
	st.client, err = mcp.NewClient(&mcp.Implementation{Name: "opencode", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: serve, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.client.Close() })
	line := object{"hook": "chat.message", "input": object{"sessionID": "s"}, "output": object{"message": object{}, "parts": []object{{"type": "text", "text": "/code --quick --no-doc say goodbye"}}}}
	fire(line)
	st.call("start_session", []byte(`{"intent":"MODIFY","query":"say goodbye","flags":["--quick","--no-doc"]}`))

	read := object{"hook": "tool.execute.after", "input": object{"tool": "read", "sessionID": "s", "callID": "c-read", "args": object{"filePath": filepath.Join(st.root, "main.go")}}, "output": object{"title": "main.go", "output": "package main\n", "metadata": object{}}}
	results := fire(
		write,
		before("edit", object{"filePath": filepath.Join(st.root, "main.go"), "oldString": "a", "newString": "b"}),
		before("bash", object{"command": "sed -i s/a/b/ main.go"}),
		before("bash", object{"command": "git commit -am x"}),
		before("bash", object{"command": "cat main.go"}),
		before("read", object{"filePath": filepath.Join(st.root, "main.go")}),
		read,
		object{"hook": "event", "input": object{"event": object{"type": "session.idle", "properties": object{"sessionID": "s"}}}, "output": object{}},
	)
	for i, r := range results {
		if denied := i < 4; denied != strings.Contains(r.Error, "QUERY_FRAME") || denied && !strings.Contains(r.Error, "code-intel session show") || !denied && r.Error != "" {
			t.Errorf("%d, %s: %q", i, r.Hook, r.Error)
		}
	}
	if out, _ := results[6].Output["output"].(string); !strings.HasPrefix(out, "package main\n") {
		t.Errorf("what was read is lost: %q", out)
	}

	files, err := filepath.Glob(filepath.Join(st.root, ".code-intel", "sessions", "*.ledger.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(err, files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	ledger := string(data)
	for _, want := range []string{`"client":"opencode"`, `"tool":"write"`, `"tool":"read"`, `"main.go"`} {
		if !strings.Contains(ledger, want) {
			t.Errorf("the ledger lacks %s", want)
		}
	}
}
