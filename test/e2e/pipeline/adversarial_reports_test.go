package pipeline

import "fmt"

// Reports of what was not handed out, or not done.
var reportAttacks = []attack{
	{
		technique: "reports another phase",
		rule:      "a report is of the outstanding phase",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-5", "tokens_used": 900})
		},
		judge: refused("phase_mismatch", `phase="phase-1"`),
	},
	{
		technique: "does a later phase first",
		rule:      "a report is of the outstanding phase",
		at:        "analysis.md",
		lie: func(o *orchestrator) reply {
			o.Write(o.file("design.md"), english.design)
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-3"})
		},
		judge: refused("phase_mismatch", `phase="phase-1"`),
	},
	{
		technique: "reports a phase that is over once more",
		rule:      "a report is of the outstanding phase",
		at:        "design.md",
		lie: func(o *orchestrator) reply {
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-1"})
		},
		judge: refused("phase_mismatch", `phase="phase-3"`),
	},
	{
		technique: "shows the ticket of an action that is over",
		rule:      "a report is of the outstanding ticket",
		at:        "design.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			return o.next(object{"ticket": "t1", "previous_action_complete": true})
		},
		judge: ignored("t3 is outstanding"),
	},
	{
		technique: "shows a ticket that never was",
		rule:      "a report is of the outstanding ticket",
		at:        "analysis.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-1", "ticket": "t99"})
		},
		judge: refused("ticket_mismatch", "pipeline_next_action"),
	},
	{
		technique: "reports the same thing twice",
		rule:      "a report counts once",
		at:        "analysis.md",
		prepare: func(o *orchestrator) {
			o.do()
			o.ok("pipeline_report_result", object{"workspace": o.ws, "phase": "phase-1", "tokens_used": 900, "ticket": o.now.Answer["ticket"]})
		},
		lie: func(o *orchestrator) reply {
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-1", "tokens_used": 900, "ticket": o.now.Answer["ticket"]})
		},
		judge: counted("nothing was recorded twice"),
	},
	{
		technique: "uses one report for two tasks",
		rule:      "an action is done when its artifact is there",
		effort:    "M",
		at:        "impl-3.md",
		lie: func(o *orchestrator) reply {
			return o.next(object{"previous_action_complete": true, "previous_tokens": 900})
		},
		judge: notTaken("impl-3.md was not found"),
	},
	{
		technique: "keeps saying done and writes nothing",
		rule:      "what is never done is put to a person",
		at:        "review-1.md",
		lie: func(o *orchestrator) (r reply) {
			for range 4 {
				r = o.next(o.done())
			}
			return r
		},
		judge: asked("not-valid", "reported as done 4 times"),
	},
	{
		technique: "says done and has written nothing",
		rule:      "an action is done when its artifact is there",
		at:        "analysis.md",
		lie:       func(o *orchestrator) reply { return o.next(o.done()) },
		judge:     notTaken("analysis.md was not found"),
	},
	{
		technique: "sends tokens in place of a report",
		rule:      "only previous_action_complete says that an action is done",
		at:        "analysis.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie:       func(o *orchestrator) reply { return o.next(object{"previous_tokens": 900, "previous_model": "opus"}) },
		judge:     ignored("previous_action_complete"),
	},
	{
		technique: "reports when nothing is outstanding",
		rule:      "a report needs a ticket",
		at:        "analysis.md",
		prepare: func(o *orchestrator) {
			o.do()
			o.ok("pipeline_report_result", object{"workspace": o.ws, "phase": "phase-1", "ticket": o.now.Answer["ticket"]})
		},
		lie: func(o *orchestrator) reply {
			o.Write(o.file("design.md"), english.design)
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-3"})
		},
		judge: refused("no_ticket", "pipeline_next_action"),
	},
	{
		technique: "reports from two clients at once",
		rule:      "one call at a time",
		at:        "analysis.md",
		prepare:   func(o *orchestrator) { o.do() },
		lie: func(o *orchestrator) reply {
			other := o.Connect(nil)
			replies := make(chan reply, 2)
			said := o.done()
			said["workspace"] = o.ws
			for _, client := range []any{nil, other} {
				go func() {
					if client == nil {
						replies <- o.Call(nil, "pipeline_next_action", said)
					} else {
						replies <- o.Call(other, "pipeline_next_action", said)
					}
				}()
			}
			first, second := <-replies, <-replies
			if first.Refused {
				first, second = second, first
			}
			if first.Refused {
				o.T.Fatalf("neither was heard: %s", first.Raw)
			}
			return second
		},
		judge: verdict{how: "one of the two counts", wrong: func(o *orchestrator, r reply, _ stood) (wrong []string) {
			if s := o.state(); s.Phase != "phase-3" || len(s.Log) != 1 {
				wrong = append(wrong, fmt.Sprintf("in %s with %d runs in the log", s.Phase, len(s.Log)))
			}
			if r.Refused && r.Str("error") != "workspace_busy" || !r.Refused && line(r.Answer) != "design.md" {
				wrong = append(wrong, "the second was told: "+r.Raw)
			}
			return wrong
		}},
	},
	{
		technique: "continues a completed pipeline",
		rule:      "a finished pipeline stays finished",
		at:        "done",
		lie: func(o *orchestrator) reply {
			again := o.next(object{"previous_action_complete": true, "user_response": "approve", "previous_tokens": 900})
			if again.Str("type") != "done" {
				o.T.Errorf("a completed pipeline hands out %s", again.Raw)
			}
			return o.Call(nil, "pipeline_report_result", object{"workspace": o.ws, "phase": "phase-5"})
		},
		judge: refused("pipeline_over", "pipeline_init"),
	},
}

// counted is the verdict on what counts once, however often it is reported.
func counted(way string) verdict {
	return verdict{how: "counts once", wrong: func(o *orchestrator, r reply, was stood) []string {
		wrong := o.held(was, r)
		if s := o.state(); len(s.Log) != 1 {
			wrong = append(wrong, fmt.Sprintf("%d runs in the log", len(s.Log)))
		}
		return append(wrong, names(r, way)...)
	}}
}
