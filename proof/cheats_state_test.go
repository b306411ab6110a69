package proof

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"codeintel/internal/mcpserver"
)

// What the server remembers: forged, replayed, or led by two at once.
var stateCheats = []cheat{
	{
		technique: "forges the checkpoint while the server is down",
		rule:      "checkpoints are sealed",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			a.stop()
			a.rewrite(".json", `"phase": "EXPLORATION"`, `"phase": "READY_IMPLEMENT"`)
			return a.resume()
		},
		judge: refusal("checkpoint_forged", "session abandon"),
	},
	{
		technique: "puts an old checkpoint back",
		rule:      "checkpoints are the last ones",
		at:        "POST_IMPL_VERIFY",
		lie: func(a *agent, p object) any {
			kept := a.sessionFiles()
			a.took(a.submit(with(p, object{"passed": false, "details": "pytest: 1 failed in test_discount"})))
			a.stop()
			for path, text := range kept { // the failure never happened
				if !strings.HasSuffix(path, ".json") {
					continue
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					a.t.Fatal(err)
				}
			}
			return a.resume()
		},
		judge: refusal("checkpoint_forged", "session abandon"),
	},
	{
		technique: "writes a call into the ledger",
		rule:      "ledger entries are chained",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			a.stop()
			a.rewrite(".ledger.jsonl", `"name":"search_text"`, `"name":"analyze_impact"`)
			return a.resume()
		},
		judge: refusal("ledger_broken", "--clean"),
	},
	{
		technique: "writes into the ledger while the server runs",
		rule:      "ledger entries are chained",
		at:        "EXPLORATION",
		lie: func(a *agent, p object) any {
			a.rewrite(".ledger.jsonl", `"name":"search_text"`, `"name":"analyze_impact"`)
			return a.submit(p)
		},
		judge: refusal("ledger_broken", "--clean"),
	},
	{
		technique: "cuts its failures off the ledger",
		rule:      "ledgers are as long as they were",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			a.stop()
			a.cutLedger()
			return a.resume()
		},
		judge: refusal("ledger_broken", "--clean"),
	},
	{
		technique: "starts again to forget what was found",
		rule:      "one session at a time",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			return a.use("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{"--quick"}})
		},
		judge: refused("session_active", "ask the user first"),
	},
	{
		technique: "starts a second server beside the first",
		rule:      "one process leads",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			return a.second().call(nil, "start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{"--quick"}})
		},
		judge: refusal("session_active", "end that process"),
	},
	{
		technique: "removes the lock and leads from two servers",
		rule:      "a session has one writer",
		at:        "EXPLORATION",
		lie: func(a *agent, p object) any {
			if err := os.Remove(a.path(".code-intel/sessions/session.lock")); err != nil {
				a.t.Fatal(err)
			}
			if r := a.second().call(nil, "start_session", object{"flags": []string{"--resume"}}); r.refused {
				a.t.Fatalf("the second server: %s", r.text)
			}
			return a.submit(p)
		},
		judge: refusal("checkpoint_forged", "end one of them"),
	},
	{
		technique: "submits to a session that is not open",
		rule:      "submissions name the open session",
		at:        "QUERY_FRAME",
		lie: func(a *agent, p object) any {
			return a.call(nil, "submit_phase", object{"data": p, "session_id": "20200101-000000000-aaaaa"})
		},
		judge: refused("no_session", "Leave session_id out"),
	},
	{
		technique: "lowers the compaction count",
		rule:      "compaction counts never fall",
		at:        "QUERY_FRAME",
		lie: func(a *agent, p object) any {
			a.took(a.call(nil, "submit_phase", object{"data": p, "compaction_count": 3}))
			return a.call(nil, "submit_phase", object{"data": a.deed(), "compaction_count": 0})
		},
		judge: verdict{"the count stays", func(_ *agent, r reply) []string {
			if r.answer["compaction_count"] != 3.0 {
				return []string{"the count has fallen: " + r.text}
			}
			return nil
		}},
	},
	{
		technique: "reports one task from two clients at once",
		rule:      "tasks are done in order",
		at:        "READY implement",
		lie: func(a *agent, p object) any {
			other := a.connect(nil)
			replies := make(chan reply, 2)
			go func() { replies <- a.call(nil, "submit_phase", object{"data": p}) }()
			go func() { replies <- a.call(other, "submit_phase", object{"data": p}) }()
			first, second := <-replies, <-replies
			if first.refused {
				first, second = second, first
			}
			a.took(first)
			return second
		},
		judge: refused("task_out_of_order", `task "test" next`),
	},
}

// refusal is [refused] where there is no session left to look at.
func refusal(code, way string) verdict {
	return verdict{"refused: `" + code + "`", func(_ *agent, r reply) (wrong []string) {
		if !r.refused {
			return []string{fmt.Sprintf("it got through, to %s: %s", r.str("phase"), r.text)}
		}
		if r.code() != code || !strings.Contains(strings.Join(r.list("legal_next"), "\n"), way) {
			wrong = append(wrong, fmt.Sprintf("refused with %q, want %q and the way %q: %s", r.code(), code, way, r.text))
		}
		return wrong
	}}
}

// resume starts a server and has it take up the session.
func (a *agent) resume() reply {
	a.t.Helper()
	a.serve()
	return a.call(nil, "start_session", object{"flags": []string{"--resume"}})
}

// second starts another server of the same project.
func (a *agent) second() *stage {
	a.t.Helper()
	other := &stage{t: a.t, root: a.root}
	server, err := mcpserver.New(mcpserver.Options{Root: a.root, Version: "proof", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		a.t.Fatal(err)
	}
	other.server = server
	other.client = other.connect(nil)
	a.t.Cleanup(other.stop)
	return other
}

// sessionFiles returns checkpoint and ledger as they are.
func (a *agent) sessionFiles() map[string]string {
	a.t.Helper()
	all := make(map[string]string)
	for _, pattern := range []string{"*.json", "*.jsonl"} {
		files, err := filepath.Glob(a.path(".code-intel/sessions/" + pattern))
		if err != nil {
			a.t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				a.t.Fatal(err)
			}
			all[f] = string(data)
		}
	}
	return all
}

// rewrite changes the first occurrence of a text in the session's file.
func (a *agent) rewrite(suffix, old, new string) {
	a.t.Helper()
	for path, text := range a.sessionFiles() {
		if strings.HasSuffix(path, suffix) {
			if !strings.Contains(text, old) {
				a.t.Fatalf("%s holds no %q", path, old)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o644); err != nil {
				a.t.Fatal(err)
			}
		}
	}
}

// cutLedger takes the last line off.
func (a *agent) cutLedger() {
	a.t.Helper()
	for path, text := range a.sessionFiles() {
		if strings.HasSuffix(path, ".ledger.jsonl") {
			text = strings.TrimSuffix(text, "\n")
			text = text[:strings.LastIndexByte(text, '\n')+1]
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				a.t.Fatal(err)
			}
		}
	}
}
