package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCheckpointIsFlat wants a checkpoint that was written before the state had a
// struct for each phase to be read, and to be written as it was.
func TestCheckpointIsFlat(t *testing.T) {
	const old = `{
 "schema": 2, "session_id": "20260102-000000000-aaaaa", "started": "2026-01-02T00:00:00Z", "updated": "2026-01-02T01:00:00Z",
 "intent": "MODIFY", "query": "Make it so.", "flags": {"gate": "auto"}, "phase": "PRE_COMMIT", "left": "POST_IMPL_VERIFY", "counts": {"backs": 1},
 "since": 9, "explore_since": 2, "ledger_seq": 12, "ledger_head": "mac", "saves": 7,
 "project_rules": "DO", "mandatory_rules": [{"rule": "r", "source": "a.md:1"}], "findings": ["a.go:1"], "hypotheses": ["h"],
 "verified": [{"hypothesis": "h", "result": "confirmed", "evidence": "a.go:1"}], "impact": [{"file": "a.go", "status": "will_modify"}],
 "summaries": [{"step": 4, "phase": "EXPLORATION", "text": "looked"}],
 "git": true, "branch": {"name": "task", "base": "main", "base_commit": "beef"}, "tip": "c0ffee", "base": "beef", "start": {"tree": "t0"},
 "bearings": {"settings": {"core.eol in git's configuration": "d"}, "hooks": "h"}, "began_empty": true, "approved": ["a.go"], "added": ["b.go"],
 "tasks": [{"id": "t1", "description": "d", "status": "pending", "checklist": null}], "task_start": {"tree": "t1"},
 "review": {"fingerprint": "f", "pages": 1, "delivered": [0]}, "commits": ["c0ffee"], "verify": {"passed": true, "details": "d", "rounds": 1},
 "guidance": "g", "conflicts": ["a.go"], "conflict_task": "t1", "returned": "why", "accepted": true, "human_gate": "terminal",
 "gate": {"nonce": "n", "phase": "USER_ESCALATION", "opened": "2026-01-02T00:30:00Z"},
 "compaction_count": 1, "required_enforcement": "L2", "compact_seen": 3, "refused_once": ["x"], "show_summaries": true, "warnings": ["w"],
 "overridden": ["Q1"], "outcome": "aborted", "ended_in": "PRE_COMMIT", "reason": "enough"
}`
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := json.Unmarshal([]byte(old), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-old +new:\n%s", diff)
	}
}
