package e2e

import (
	"encoding/json"
	"strings"
)

// Agents with habits of speech and memory.
var habitAgents = []honestAgent{
	{name: "diligent"},
	{
		name: "terse",
		habits: habits{submits: func(_ *agent, p object) object {
			p["summary"] = "ok"
			shortest := object{"reason": "seen it all", "details": "ran pytest", "commit_message": "Discount", "tools_used": []string{}}
			for key, short := range shortest {
				if _, there := p[key]; there {
					p[key] = short
				}
			}
			return p
		}},
	},
	{
		name: "verbose",
		habits: habits{submits: verbose, wraps: func(p object) any {
			text, err := json.Marshal(p)
			if err != nil {
				panic(err)
			}
			return string(text) // an object as a string of JSON
		}},
	},
	{name: "in the wrong order", habits: habits{before: hasty}},
	{
		name: "names tools of earlier phases",
		habits: habits{submits: func(a *agent, p object) object {
			if a.at() == "Q1" {
				p["tools_used"] = []string{"find_definitions"}
			}
			return p
		}},
	},
	{
		name: "forgetful after compaction",
		habits: habits{
			before: func(a *agent) {
				finished := a.trail[:len(a.trail)-1]
				a.answer = a.counted("get_session_status", object{}) // all it has
				text := a.answer.Text
				if a.answer.Str("query") != a.work.query || !strings.Contains(text, a.work.query) {
					a.T.Errorf("at %q the request is not told: %s", a.at(), text)
				}
				summaries, _ := a.answer.Answer["phase_summaries"].(object)
				for _, phase := range finished {
					phase = strings.ReplaceAll(phase, " ", "_")
					found := false
					for key := range summaries {
						found = found || strings.HasSuffix(key, "_"+strings.ToUpper(phase))
					}
					if !found {
						a.T.Errorf("at %q the summary of %s is not told: %v", a.at(), phase, summaries)
					}
				}
			},
			echoes: func(a *agent) int { return int(a.answer.Answer["compaction_count"].(float64)) + 1 },
			submits: func(a *agent, p object) object {
				if next, ok := a.answer.Answer["next_task"].(object); ok { // the report is made of what the server knows
					for i, said := range next["checklist"].([]any) {
						if said.(object)["item"] != p["checklist"].([]any)[i].(object)["item"] {
							a.T.Errorf("next_task does not say %v", p["checklist"])
						}
					}
				}
				return p
			},
		},
	},
	{name: "restarted again and again", habits: habits{before: restarted}},
	{name: "in Japanese", work: japanese},
	{
		name: "careless about leave to write",
		habits: habits{before: func(a *agent) {
			if a.at() != implement {
				return
			}
			t := a.next()
			for _, e := range t.edits {
				a.apply(e)
			}
			r := a.submit(with(report(t), object{"summary": "Done.", "tools_used": []string{}}))
			a.refuses(r, "unapproved_changes", "check_write_target(files=")
		}},
	},
	{
		name: "cites by guess",
		habits: habits{before: func(a *agent) {
			if a.at() != implement || a.next().id != "cart" {
				return
			}
			t := a.next()
			a.carryOut(t.edits)
			guesses := map[string]string{"shop/cart.py": "evidence_format", "cart.py:20": "evidence_file_missing", "shop/cart.py:200": "evidence_out_of_range", "shop/cart.py:1": "evidence_not_in_change"}
			for evidence, code := range guesses {
				t.items = []item{{text: t.items[0].text, evidence: evidence}, t.items[1]}
				a.refuses(a.submit(with(report(t), object{"summary": "Done.", "tools_used": []string{}})), code, "")
			}
		}},
	},
}

// verbose says everything at length, and more than is asked for.
func verbose(_ *agent, p object) object {
	long := strings.Repeat("As an attentive reader will have noticed, this phase has been carried out with the greatest care. ", 30)
	p["summary"] = p["summary"].(string) + " " + long
	p["thoughts"] = long
	p["confidence"] = 0.97
	p["next_steps"] = []string{"go on", "and on"}
	if _, explores := p["findings"]; explores {
		p["entry_points"] = []string{"shop/cart.py:1"}
	}
	for key, item := range p {
		if key == "reason" || key == "details" {
			p[key] = item.(string) + " " + long
		}
		if list, ok := item.([]any); ok {
			for _, o := range list {
				if o, ok := o.(object); ok {
					o["remark"] = long
				}
			}
		}
	}
	if used, ok := p["tools_used"].([]string); ok {
		for i, tool := range used {
			used[i] = []string{"mcp__code-intel__" + tool, tool + " (2x)", "mcp__code-intel__" + tool + " (several times)"}[i%3]
		}
	}
	return p
}

// hasty first does what belongs to other phases.
func hasty(a *agent) {
	empty := object{"summary": "Done.", "tools_used": []string{}}
	switch a.at() {
	case "DOCUMENT_RESEARCH":
		a.refuses(a.submit(with(a.plan(), empty)), "payload_mismatch", "expected_payload")
		a.refuses(a.counted("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{}}), "session_active", "get_session_status")
	case "QUERY_FRAME":
		a.refuses(a.counted("check_write_target", object{"file_path": "shop/cart.py"}), "phase_blocked", "submit_phase")
	case "EXPLORATION":
		a.refuses(a.submit(with(empty, object{"explored_files": a.work.explored, "findings": a.work.findings})), "payload_mismatch", "find_definitions")
	case "Q1":
		a.refuses(a.counted("review_changes", object{}), "phase_blocked", "submit_phase")
		a.refuses(a.submit(object{"needs_more_information": false, "reason": "no"}), "payload_mismatch", "Say why in one sentence")
	case "Q3":
		a.refuses(a.submit(object{"needs_impact_analysis": "no", "reason": "nobody calls it"}), "payload_mismatch", "expected_payload")
	case "READY plan":
		r := a.counted("check_write_target", object{"file_path": "shop/cart.py"})
		if r.Answer["allowed"] != false || !strings.Contains(r.Text, "while a task is being implemented") {
			a.T.Errorf("before the plan: %s", r.Text)
		}
		a.refuses(a.submit(with(report(a.work.tasks[0]), empty)), "payload_mismatch", "expected_payload")
	case implement:
		if a.next().id == "cart" {
			a.refuses(a.submit(with(report(a.work.tasks[1]), empty)), "task_out_of_order", `task "cart" first`)
			a.refuses(a.submit(with(report(a.work.tasks[0]), empty)), "evidence_out_of_range", "Cite lines that exist")
		}
	case "POST_IMPL_VERIFY":
		a.refuses(a.submit(with(empty, object{"quality_score": 90, "issues": []string{}})), "payload_mismatch", "expected_payload")
	case "PRE_COMMIT":
		a.refuses(a.submit(with(empty, object{"reviewed_files": []string{"shop/cart.py", "tests/test_cart.py"}, "commit_message": "x"})), "payload_mismatch", "Call review_changes")
	case "MERGE":
		a.refuses(a.counted("review_changes", object{}), "phase_blocked", "submit_phase")
	}
}

// restarted ends client and server before several phases, and resumes the session in
// each possible way.
func restarted(a *agent) {
	switch a.at() {
	case "QUERY_FRAME": // as if nothing had happened
		a.Restart()
		a.took(a.submit(with(a.work.frame, object{"summary": "Done.", "tools_used": []string{}})))
	case "Q2": // as a new conversation begins
		a.Restart()
		r := a.counted("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{}})
		if _, offered := r.Answer["recovery_available"].(object); r.Refused || !offered {
			a.T.Fatalf("the session is not offered: %s", r.Text)
		}
		a.took(a.counted("start_session", object{"flags": []string{"--resume"}}))
	case "READY plan", implement, "PRE_COMMIT", "MERGE":
		a.Restart()
		a.took(a.counted("get_session_status", object{}))
	}
}
