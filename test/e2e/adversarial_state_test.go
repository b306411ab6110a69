package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The server's records: forged, replayed, or used by two servers at once.
var stateAttacks = []attack{
	{
		technique: "forges the checkpoint while the server is down",
		rule:      "checkpoints are sealed",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			a.Stop()
			a.rewrite(".json", `"phase": "EXPLORATION"`, `"phase": "READY_IMPLEMENT"`)
			return a.resume()
		},
		judge: refusal("checkpoint_forged", "session abandon"),
	},
	{
		technique: "puts an old checkpoint back",
		rule:      "a checkpoint is the last one written",
		at:        "POST_IMPL_VERIFY",
		lie: func(a *agent, p object) any {
			kept := a.sessionFiles()
			a.took(a.submit(with(p, object{"passed": false, "details": "pytest: 1 failed in test_discount"})))
			a.Stop()
			for path, text := range kept { // the failure never happened
				if !strings.HasSuffix(path, ".json") {
					continue
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					a.T.Fatal(err)
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
			a.Stop()
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
		rule:      "ledgers do not get shorter",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			a.Stop()
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
		rule:      "one process at a time",
		at:        "EXPLORATION",
		lie: func(a *agent, _ object) any {
			return a.Second().Call(nil, "start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{"--quick"}})
		},
		judge: refusal("session_active", "end that process"),
	},
	{
		technique: "removes the lock and runs two servers",
		rule:      "a session has one writer",
		at:        "EXPLORATION",
		lie: func(a *agent, p object) any {
			if err := os.Remove(a.Path(".code-intel/sessions/session.lock")); err != nil {
				a.T.Fatal(err)
			}
			if r := a.Second().Call(nil, "start_session", object{"flags": []string{"--resume"}}); r.Refused {
				a.T.Fatalf("the second server: %s", r.Text)
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
			return a.Call(nil, "submit_phase", object{"data": p, "session_id": "20200101-000000000-aaaaa"})
		},
		judge: refused("no_session", "Leave session_id out"),
	},
	{
		technique: "lowers the compaction count",
		rule:      "compaction counts never fall",
		at:        "QUERY_FRAME",
		lie: func(a *agent, p object) any {
			a.took(a.Call(nil, "submit_phase", object{"data": p, "compaction_count": 3}))
			return a.Call(nil, "submit_phase", object{"data": a.deed(), "compaction_count": 0})
		},
		judge: verdict{"the count stays", func(_ *agent, r reply) []string {
			if r.Answer["compaction_count"] != 3.0 {
				return []string{"the count has fallen: " + r.Text}
			}
			return nil
		}},
	},
	{
		technique: "reports one task from two clients at once",
		rule:      "tasks are done in order",
		at:        "READY implement",
		lie: func(a *agent, p object) any {
			other := a.Connect(nil)
			replies := make(chan reply, 2)
			go func() { replies <- a.Call(nil, "submit_phase", object{"data": p}) }()
			go func() { replies <- a.Call(other, "submit_phase", object{"data": p}) }()
			first, second := <-replies, <-replies
			if first.Refused {
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
		if !r.Refused {
			return []string{fmt.Sprintf("it got through, to %s: %s", r.Str("phase"), r.Text)}
		}
		if r.Code() != code || !strings.Contains(strings.Join(r.List("legal_next"), "\n"), way) {
			wrong = append(wrong, fmt.Sprintf("refused with %q, want %q and the way %q: %s", r.Code(), code, way, r.Text))
		}
		return wrong
	}}
}

// resume starts a server and has it resume the session.
func (a *agent) resume() reply {
	a.T.Helper()
	a.Serve()
	return a.Call(nil, "start_session", object{"flags": []string{"--resume"}})
}

// sessionFiles returns checkpoint and ledger as they are.
func (a *agent) sessionFiles() map[string]string {
	a.T.Helper()
	all := make(map[string]string)
	for _, pattern := range []string{"*.json", "*.jsonl"} {
		files, err := filepath.Glob(a.Path(".code-intel/sessions/" + pattern))
		if err != nil {
			a.T.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				a.T.Fatal(err)
			}
			all[f] = string(data)
		}
	}
	return all
}

// rewrite changes the first occurrence of a text in the session's file.
func (a *agent) rewrite(suffix, old, new string) {
	a.T.Helper()
	for path, text := range a.sessionFiles() {
		if strings.HasSuffix(path, suffix) {
			if !strings.Contains(text, old) {
				a.T.Fatalf("%s holds no %q", path, old)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o644); err != nil {
				a.T.Fatal(err)
			}
		}
	}
}

// cutLedger removes the last line.
func (a *agent) cutLedger() {
	a.T.Helper()
	for path, text := range a.sessionFiles() {
		if strings.HasSuffix(path, ".ledger.jsonl") {
			text = strings.TrimSuffix(text, "\n")
			text = text[:strings.LastIndexByte(text, '\n')+1]
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				a.T.Fatal(err)
			}
		}
	}
}
