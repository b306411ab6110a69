package pipeline

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// example is one of the data contract, as it stands there.
func example(t *testing.T, name string) object {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../internal/pipeline/service/testdata/contract", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var m object
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// like says where an answer lacks a key of its example, or nests it otherwise, or
// has another type there.
func like(path string, want, got any) (wrong []string) {
	switch want := want.(type) {
	case object:
		g, ok := got.(object)
		if !ok {
			return []string{fmt.Sprintf("%s is %v, want an object", path, got)}
		}
		for key, v := range want {
			gv, ok := g[key]
			if !ok {
				wrong = append(wrong, fmt.Sprintf("%s has no %q", path, key))
				continue
			}
			wrong = append(wrong, like(path+"."+key, v, gv)...)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(want) > 0 && len(g) == 0 {
			return []string{fmt.Sprintf("%s is %v, want a list as %v", path, got, want)}
		}
		for i := range g {
			if len(want) > 0 {
				wrong = append(wrong, like(fmt.Sprintf("%s[%d]", path, i), want[0], g[i])...)
			}
		}
	default:
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want something as %v", path, got, want))
		}
	}
	return wrong
}

// TestContract replays every example of the data contract over the protocol: the same
// requests, and answers with the same keys and nesting.
func TestContract(t *testing.T) {
	seen := make(map[string]bool)
	check := func(name string, r reply, exact object) {
		t.Helper()
		seen[name] = true
		if r.Refused {
			t.Errorf("%s: %s", name, r.Raw)
		}
		for _, wrong := range like(name, example(t, name), any(r.Answer)) {
			t.Error(wrong)
		}
		for key, v := range exact {
			if fmt.Sprint(r.Answer[key]) != fmt.Sprint(v) {
				t.Errorf("%s: %s is %v, want %v", name, key, r.Answer[key], v)
			}
		}
	}
	whole := func(name string, r reply) {
		t.Helper()
		check(name, r, nil)
		want, _ := json.Marshal(example(t, name))
		if got, _ := json.Marshal(r.Answer); string(got) != string(want) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	o := &orchestrator{fixture: newFixture(t, repository), effort: "M", written: make(map[string]int), habits: withGate}
	whole("errors", o.Call(nil, "pipeline_init", object{"arguments": "ab"}))
	const url = "https://github.com/owner/repo/issues/42"
	init := o.Call(nil, "pipeline_init", object{"arguments": url, "current_branch": "main"})
	check("init", init, object{"source_type": "github_issue", "source_url": url, "source_id": "42", "core_text": url, "spec_name": "https-github-com-owner-repo-issues-42",
		"flags": example(t, "init")["flags"]})

	text := o.Call(nil, "pipeline_init", object{"arguments": "--discuss implement login feature"})
	call := object{"workspace": text.Answer["workspace"], "flags": text.Answer["flags"], "task_text": text.Answer["core_text"]}
	check("needs_discussion", o.Call(nil, "pipeline_init_with_context", call), nil)
	call["discussion_answers"] = "The goal is login."
	check("needs_user_confirmation", o.Call(nil, "pipeline_init_with_context", call), nil)
	call["user_confirmation"] = example(t, "user_confirmation")
	if r := o.Call(nil, "pipeline_init_with_context", call); !strings.HasPrefix(fmt.Sprint(r.Answer["errors"]), "[ambiguous: ") {
		t.Errorf("both: %s", r.Raw)
	}
	call = object{"workspace": init.Answer["workspace"], "source_id": "42", "source_url": url, "external_context": example(t, "external_context"), "flags": init.Answer["flags"]}
	check("needs_user_confirmation", o.Call(nil, "pipeline_init_with_context", call), nil)
	seen["external_context"] = true
	call["user_confirmation"] = example(t, "user_confirmation")
	seen["user_confirmation"] = true
	ready := o.Call(nil, "pipeline_init_with_context", call)
	check("ready", ready, object{"effort": "M", "flow_template": "standard", "skipped_phases": "[phase-4b checkpoint-b]", "create_branch": true, "branch": "fix/42-fix-auth-timeout"})
	o.ws = ready.Str("workspace")
	check("resume", o.Call(nil, "pipeline_init", object{"arguments": o.ws}), object{"resume_mode": "auto", "workspace": o.ws, "instruction": "call state_resume_info"})

	o.took(o.next(object{}))
	check("exec", o.now, object{"setup_only": true, "commands": "[git switch -c fix/42-fix-auth-timeout]"})
	next(o, object{"previous_setup_only": true})
	check("response", o.next(object{}), nil)
	check("spawn_agent", o.now, object{"agent": "situation-analyst", "model": "sonnet", "phase": "phase-1", "input_files": "[request.md]", "output_file": "analysis.md", "display_message": "Phase 1: Situation Analysis"})
	o.play("review-design.md")
	o.do()
	check("report_result", o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-3b", "tokens_used": 15000, "duration_ms": 45000, "model": "sonnet", "setup_only": false}),
		object{"state_updated": true, "artifact_written": "review-design.md", "verdict_parsed": "APPROVE_WITH_NOTES", "next_action_hint": "proceed", "warning": ""})
	o.took(o.next(object{}))
	check("checkpoint", o.now, object{"name": "checkpoint-a", "options": "[approve reject]"})
	o.play("merge-other")
	check("human_gate", o.now, object{"phase": "phase-5", "options": "[done skip abandon]"})
	o.play("pr-creation")
	check("exec", o.now, object{"phase": "pr-creation", "setup_only": false})
	if argv := o.now.List("commands"); len(argv) < 7 || strings.Join(argv[:4], " ") != "gh pr create --title" || argv[4] != "fix: Fix auth timeout in middleware" || argv[5] != "--body" {
		t.Errorf("commands: %q", argv)
	}
	o.play("")
	check("done", o.now, object{"summary": "Pipeline completed: 10 phases, 2 skipped", "summary_path": o.file("summary.md")})

	small := newOrchestrator(t, "--auto --nopr "+request, "S")
	small.play("phase-5")
	check("write_file", small.now, object{"phase": "phase-5", "path": small.file("tasks.md")})

	files, err := filepath.Glob("../../../internal/pipeline/service/testdata/contract/*.json")
	if err != nil || len(files) < 16 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !seen[name] {
			t.Errorf("the example %s is not replayed", name)
		}
	}
}

// next does the outstanding action and reports it with what the contract's request
// may hold besides.
func next(o *orchestrator, more object) {
	o.T.Helper()
	said := o.do()
	for key, v := range more {
		said[key] = v
	}
	o.took(o.next(said))
}
