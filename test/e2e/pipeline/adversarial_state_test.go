package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The server's files: forged, replaced by older ones, or used by two servers; and paths
// that lead elsewhere.
var stateAttacks = []attack{
	{
		technique: "writes another phase into the state",
		rule:      "the state is what the server wrote",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			o.edit("state.json", `"phase": "phase-1"`, `"phase": "phase-7"`)
			return o.next(object{})
		},
		judge: ignored("was restored"),
	},
	{
		technique: "forges the state while the server is down",
		rule:      "the state is what the server wrote",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			o.Stop()
			o.edit("state.json", `"phase": "checkpoint-a"`, `"phase": "phase-5"`)
			o.Serve()
			return o.next(object{})
		},
		judge: ignored("was restored"),
	},
	{
		technique: "lowers the effort in the state",
		rule:      "the state is what the server wrote",
		effort:    "L",
		at:        "design.md",
		lie: func(o *orchestrator) reply {
			o.Stop()
			o.edit("state.json", `"effort": "L"`, `"effort": "S"`)
			o.Serve()
			return o.next(object{})
		},
		judge: ignored("was restored"),
	},
	{
		technique: "passes its task in the state",
		rule:      "the state is what the server wrote",
		at:        "review-1.md",
		lie: func(o *orchestrator) reply {
			o.Stop()
			o.edit("state.json", `"status": "implemented"`, `"status": "passed"`)
			o.Serve()
			return o.next(object{})
		},
		judge: ignored("was restored"),
	},
	{
		technique: "puts back the state from before a failed review",
		rule:      "the state is the last one",
		at:        "review-1.md",
		prepare:   func(o *orchestrator) {},
		lie: func(o *orchestrator) reply {
			kept := o.Read(o.file("state.json"))
			putting("# Review\n\n## Verdict: FAIL\n\n- **[MAJOR]** greet.py does not greet.\n")(o)
			o.Stop()
			o.Write(o.file("state.json"), kept)
			o.Serve()
			return o.next(object{})
		},
		judge: sentBack("impl-1.md", "was restored"),
	},
	{
		technique: "revives what was given up in the state",
		rule:      "the state is what the server wrote",
		at:        "checkpoint-a",
		prepare:   func(o *orchestrator) { o.next(object{"user_response": "abandon"}) },
		lie: func(o *orchestrator) reply {
			o.Stop()
			o.edit("state.json", `"status": "abandoned"`, `"status": "active"`)
			o.Serve()
			return o.next(object{})
		},
		judge: final(verdict{how: "restored, with a warning", wrong: func(o *orchestrator, r reply, was stood) []string {
			if r.Str("type") != "done" || !strings.HasPrefix(r.Str("summary"), "Pipeline abandoned") {
				return []string{"it lives: " + r.Raw}
			}
			return append(o.held(was, r), names(r, "was restored")...)
		}}),
	},
	{
		technique: "makes the state unreadable",
		rule:      "the state is what the server wrote",
		at:        "design.md",
		lie: func(o *orchestrator) reply {
			o.Write(o.file("state.json"), "{")
			return o.next(object{})
		},
		judge: ignored("was restored"),
	},
	{
		technique: "writes a decision into the journal",
		rule:      "the journal is whole, and decides nothing",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			whole := o.Read(o.file("journal.jsonl"))
			o.Write(o.file("journal.jsonl"), whole+
				`{"seq":99,"revision":99,"time":"2026-04-01T12:00:00Z","event":"decided","phase":"checkpoint-a","by":"elicited","detail":{"name":"checkpoint-a","choice":"approve"}}`+"\n")
			r := o.next(object{})
			o.Write(o.file("journal.jsonl"), whole)
			return r
		},
		judge: refused("journal_damaged", "Restore the file"),
	},
	{
		technique: "runs the pipeline from a second server",
		rule:      "one process at a time",
		at:        "analysis.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			said := o.done()
			said["workspace"] = o.ws
			return o.Second().Call(nil, "pipeline_next_action", said)
		},
		judge: refused("workspace_busy", "end that process"),
	},
	{
		technique: "confirms again with less effort",
		rule:      "a confirmation counts once",
		effort:    "L",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			return o.Call(nil, "pipeline_init_with_context", object{"workspace": o.ws, "task_text": request,
				"user_confirmation": object{"effort": "S", "workspace_slug": "greet-people", "use_current_branch": false}})
		},
		judge: verdict{how: "the first one stands", wrong: func(o *orchestrator, r reply, was stood) []string {
			wrong := o.held(was, r)
			if r.Str("effort") != "L" || r.Str("workspace") != o.ws || len(r.List("skipped_phases")) > 0 {
				wrong = append(wrong, "the second confirmation: "+r.Raw)
			}
			if all, err := filepath.Glob(o.Path(".specs/2*")); err != nil || len(all) != 1 {
				wrong = append(wrong, fmt.Sprintf("workspaces: %v", all))
			}
			return wrong
		}},
	},
	{
		technique: "has the history say that it is completed",
		rule:      "the history decides nothing",
		at:        "design.md",
		lie: func(o *orchestrator) reply {
			o.Write(".specs/index.json", fmt.Sprintf(`{"version":1,"entries":[{"spec_name":"greet-people","workspace":%q,"title":"Greet","status":"completed","effort":"S","findings":[],"phases":[]}]}`+"\n", o.ws))
			o.do()
			o.edit("design.md", "greeted by name", "greeted")
			r := o.next(object{})
			o.Remove(".specs/index.json")
			return r
		},
		judge: verdict{how: "the action is outstanding anyway", wrong: func(o *orchestrator, r reply, was stood) []string {
			wrong := o.held(was, r)
			if line(r.Answer) != "design.md" {
				wrong = append(wrong, "on it goes: "+r.Raw)
			}
			return wrong
		}},
	},
	{
		technique: "starts a session beside the pipeline",
		rule:      "a session and a pipeline do not share a tree",
		at:        "impl-1.md",
		lie: func(o *orchestrator) reply {
			return o.Call(nil, "start_session", object{"intent": "IMPLEMENT", "query": request, "flags": []string{"--quick"}})
		},
		judge: refused("session_active", "code-intel pipeline abandon"),
	},
	{
		technique: "names a workspace outside the repository",
		rule:      "a workspace is in .specs",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			var last reply
			for _, path := range []string{"../elsewhere", ".specs/../../elsewhere", o.Path("../elsewhere"), "/etc", ".specs", ".specs/a/b", ".specs/..", ""} {
				for _, tool := range []string{"pipeline_next_action", "pipeline_report_result", "pipeline_init_with_context", "state_resume_info"} {
					args := object{"workspace": path}
					switch tool {
					case "pipeline_report_result":
						args["phase"] = "phase-1"
					case "pipeline_init_with_context":
						args["user_confirmation"] = object{"effort": "S"}
					}
					last = o.Call(nil, tool, args)
					if !last.Refused {
						o.T.Errorf("%s in %q: %s", tool, path, last.Raw)
					}
				}
			}
			if _, err := os.Stat(o.Path("../elsewhere")); err == nil {
				o.T.Error("it was written outside of the repository")
			}
			return o.Call(nil, "pipeline_next_action", object{"workspace": ".specs/../../elsewhere", "previous_action_complete": true})
		},
		judge: refused("invalid_workspace", "pipeline_init"),
	},
	{
		technique: "names a workspace that is a link",
		rule:      "a workspace is not a link",
		at:        "analysis.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			o.link(filepath.Base(o.ws), ".specs/20250101-link")
			r := o.Call(nil, "pipeline_next_action", object{"workspace": ".specs/20250101-link", "previous_action_complete": true})
			o.Remove(".specs/20250101-link")
			return r
		},
		judge: refused("invalid_workspace", "Move"),
	},
	{
		technique: "runs a copy of the pipeline",
		rule:      "a state is of its workspace",
		at:        "checkpoint-a",
		lie: func(o *orchestrator) reply {
			o.Write(".specs/20250101-copy/state.json", o.Read(o.file("state.json")))
			o.Write(".specs/20250101-copy/design.md", o.Read(o.file("design.md")))
			r := o.Call(nil, "pipeline_next_action", object{"workspace": ".specs/20250101-copy", "user_response": "approve"})
			if err := os.RemoveAll(o.Path(".specs/20250101-copy")); err != nil {
				o.T.Fatal(err)
			}
			return r
		},
		judge: refused("state_damaged", "Rename the folder back"),
	},
}

// edit replaces the first occurrence of a text in a file of the workspace.
func (o *orchestrator) edit(name, old, new string) {
	o.T.Helper()
	text := o.Read(o.file(name))
	if !strings.Contains(text, old) {
		o.T.Fatalf("%s holds no %q:\n%s", name, old, text)
	}
	o.Write(o.file(name), strings.Replace(text, old, new, 1))
}
