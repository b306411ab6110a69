package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An agent is honest: it reads each answer, does what the phase is for, and says what
// it did. Its habits can be changed.
type agent struct {
	*fixture
	work work

	answer   reply    // the last one that said where the session is
	used     []string // tools that were called since the phase began
	calls    int      // of any tool
	refusals int      // among them
	edits    int      // of files
	asked    bool     // whether all files of the plan may be written
	warned   string   // what the last review must give a reason for
	trail    []string // the phases it has been in
	habits
}

// habits are what distinguishes agents.
type habits struct {
	unasked bool // nobody typed the flags
	// before is called when a phase is entered, before anything is done there.
	before func(*agent)
	// submits gives the honest payload to be sent, and returns what is sent. It is
	// called when everything else in the phase is done.
	submits func(a *agent, honest object) object
	// wraps makes of a payload what is sent as data.
	wraps func(object) any
	// echoes is the compaction count that goes with a payload.
	echoes func(*agent) int
	// ahead is set for an agent that sends every payload that may be sent in one call.
	ahead bool
	// hears is called with the answer to each call, and where the session stood before.
	hears func(tool, at string, r reply)
	// around makes each call in a place of its own, such as one without space on the disk; may be nil.
	around func(call func() reply) reply
}

// newAgent lays out the work's project and returns an agent in front of it.
func newAgent(st *fixture, w work) *agent { return &agent{fixture: st, work: w} }

// at is where the session is: "EXPLORATION", "READY plan", or "END".
func (a *agent) at() string {
	if a.answer.Answer["session_complete"] == true {
		return "END"
	}
	return strings.TrimSpace(a.answer.Str("phase") + " " + a.answer.Str("ready_step"))
}

// use calls a tool.
func (a *agent) use(tool string, args object) reply {
	a.T.Helper()
	r := a.counted(tool, args)
	if !r.Refused && !slices.Contains(a.used, tool) {
		a.used = append(a.used, tool)
	}
	return r
}

// counted calls a tool and counts the result.
func (a *agent) counted(tool string, args object) reply {
	a.T.Helper()
	a.calls++
	call := func() reply { return a.Call(nil, tool, args) }
	if a.around == nil {
		a.around = func(call func() reply) reply { return call() }
	}
	r := a.around(call)
	if a.hears != nil {
		a.hears(tool, a.at(), r)
	}
	if r.Refused || r.Answer["allowed"] == false {
		a.refusals++
	}
	return r
}

// start opens the session.
func (a *agent) start() {
	a.T.Helper()
	flags := a.work.flags
	if flags == nil {
		flags = []string{}
	}
	if len(flags) > 0 && !a.unasked {
		a.Types("/code " + strings.Join(flags, " ") + " " + a.work.query)
	}
	a.took(a.use("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": flags}))
}

// took takes an answer that must not be a refusal.
func (a *agent) took(r reply) {
	a.T.Helper()
	if r.Refused {
		a.T.Fatalf("at %q an honest agent was refused: %s", a.at(), r.Text)
	}
	before := a.at()
	a.answer = r
	if a.at() != before {
		a.trail = append(a.trail, a.at())
		a.used = nil
	}
}

// mostSteps is more submissions than any work here needs.
const mostSteps = 80

// play continues until the session ends or reaches the phase until.
func (a *agent) play(until string) {
	a.T.Helper()
	for range mostSteps {
		if a.at() == until || a.at() == "END" {
			return
		}
		a.step()
	}
	a.T.Fatalf("no end after %d steps: %v", mostSteps, a.trail)
}

// step does one phase, or one task.
func (a *agent) step() {
	a.T.Helper()
	if a.before != nil {
		a.before(a)
	}
	honest := a.deed()
	if a.submits != nil {
		honest = a.submits(a, honest)
	}
	a.took(a.submit(honest))
}

// submit ends the phase.
func (a *agent) submit(data object) reply {
	a.T.Helper()
	var payload any = data
	if a.wraps != nil {
		payload = a.wraps(data)
	}
	args := object{"data": payload}
	if then := a.sentAhead(); len(then) > 0 {
		args["then"] = then
	}
	if a.echoes != nil {
		args["compaction_count"] = a.echoes(a)
	}
	return a.counted("submit_phase", args)
}

// sentAhead are the payloads that an agent sends together with that of the phase.
func (a *agent) sentAhead() (then []object) {
	lines, _ := a.answer.Answer["then"].([]any)
	for _, line := range lines {
		phase, _ := line.(object)["phase"].(string)
		if a.ahead {
			then = append(then, object{"phase": phase, "data": a.payload(strings.Replace(phase, "READY_COMPLETE", "READY complete", 1))})
		}
	}
	return then
}

// payload is what an honest agent says in a phase, after doing what it is for.
func (a *agent) payload(at string) object {
	a.T.Helper()
	do, ok := deeds[at]
	if !ok {
		a.T.Fatalf("an agent does not know what to do in %q", at)
	}
	p := do(a)
	if _, said := p["summary"]; !said {
		p["summary"] = "Done: " + at + "."
	}
	return p
}

// deed does what the phase is for and returns the payload that says so.
func (a *agent) deed() object {
	a.T.Helper()
	p := a.payload(a.at())
	if _, wanted := a.answer.Answer["expected_payload"].(object)["tools_used"]; wanted {
		p["tools_used"] = slices.Clone(a.used)
		if a.used == nil {
			p["tools_used"] = []string{}
		}
	}
	return p
}

// wantsAll reports whether the user wants every gate open.
func (a *agent) wantsAll() bool { return slices.Contains(a.work.flags, "--gate=full") }

// deeds are what an honest agent does in each phase.
var deeds = map[string]func(*agent) object{
	"BRANCH_INTERVENTION": func(*agent) object { return object{"choice": "continue"} },
	"DOCUMENT_RESEARCH": func(a *agent) object {
		for _, doc := range a.work.documents {
			a.use("get_symbols", object{"file_path": doc})
		}
		return object{"documents_reviewed": orEmpty(a.work.documents), "mandatory_rules": a.work.rules}
	},
	"QUERY_FRAME": func(a *agent) object { return with(a.work.frame, nil) },
	"EXPLORATION": func(a *agent) object {
		a.explore()
		return object{"explored_files": orEmpty(a.work.explored), "findings": orEmpty(a.work.findings)}
	},
	"Q1": func(a *agent) object {
		if a.wantsAll() {
			return object{"needs_more_information": true, "reason": "the user wants every gate open"}
		}
		return object{"needs_more_information": false, "reason": "what is to be changed was seen"}
	},
	"SEMANTIC": func(a *agent) object {
		if a.work.semantic != "" {
			a.use("semantic_search", object{"query": a.work.semantic})
		}
		return object{"search_results": []string{}, "hypotheses": []string{}}
	},
	"Q2": func(a *agent) object {
		if a.wantsAll() {
			return object{"has_unverified_hypotheses": true, "reason": "the user wants every gate open"}
		}
		return object{"has_unverified_hypotheses": false, "reason": "all that is relied on was seen"}
	},
	"VERIFICATION": func(a *agent) object {
		a.explore()
		place := a.work.explored[0] + ":1"
		return object{"hypotheses_verified": []any{object{"hypothesis": "the code is as it was found", "result": "confirmed", "evidence": place}}}
	},
	"Q3": func(a *agent) object {
		if a.wantsAll() {
			return object{"needs_impact_analysis": true, "reason": "the user wants every gate open"}
		}
		return object{"needs_impact_analysis": false, "reason": "the callers were looked at"}
	},
	"IMPACT_ANALYSIS":  (*agent).impact,
	"READY plan":       (*agent).plan,
	"READY implement":  (*agent).implement,
	"READY complete":   func(*agent) object { return object{} },
	"POST_IMPL_VERIFY": func(*agent) object { return object{"passed": true, "details": "python -m pytest: all passed"} },
	"VERIFY_INTERVENTION": func(a *agent) object {
		name := "none"
		if prompts, _ := a.answer.Answer["interventions"].([]any); len(prompts) > 0 {
			name, _ = prompts[0].(object)["name"].(string)
		}
		return object{"prompt_used": name, "action_taken": "read the failing test once more"}
	},
	"USER_ESCALATION": func(*agent) object { return object{"user_decision": "accept", "guidance": "good enough"} },
	"PRE_COMMIT":      (*agent).review,
	"QUALITY_REVIEW":  func(*agent) object { return object{"quality_score": 90, "issues": []string{}} },
	"MERGE":           func(*agent) object { return object{"summary": "The work is done."} },
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// explore looks at what the work names.
func (a *agent) explore() {
	for _, c := range a.work.look {
		a.use(c.tool, c.args)
	}
}

// impact asks what the targets touch and answers for every file.
func (a *agent) impact() object {
	r := a.use("analyze_impact", object{"targets": a.work.targets})
	var files []any
	for _, f := range mustVerify(r) {
		files = append(files, a.answerFor(f))
	}
	return object{"impact_summary": object{"files": files}}
}

func (a *agent) answerFor(file string) object {
	if slices.ContainsFunc(a.work.tasks, func(t task) bool {
		return slices.ContainsFunc(t.edits, func(e edit) bool { return e.path == file })
	}) {
		return object{"file": file, "status": "will_modify"}
	}
	return object{"file": file, "status": "no_change_needed", "reason": "it only passes on what it gets"}
}

// mustVerify returns the files of analyze_impact's answer.
func mustVerify(r reply) (files []string) {
	items, _ := r.Answer["must_verify"].([]any)
	for _, i := range items {
		if o, ok := i.(object); ok {
			if f, ok := o["file"].(string); ok && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files
}

// plan registers the tasks that are not there yet.
func (a *agent) plan() object {
	var tasks []any
	for _, t := range a.work.tasks {
		var list []any
		for _, i := range t.items {
			list = append(list, object{"item": i.text, "status": "pending"})
		}
		tasks = append(tasks, object{"id": t.id, "description": t.description, "status": "pending", "checklist": list})
	}
	return object{"tasks": tasks}
}

// next is the task that the server names next.
func (a *agent) next() task {
	a.T.Helper()
	named, _ := a.answer.Answer["next_task"].(object)
	id, _ := named["id"].(string)
	i := slices.IndexFunc(a.work.tasks, func(t task) bool { return t.id == id })
	if i < 0 {
		a.T.Fatalf("the server names the task %q, which is not one of the plan", id)
	}
	return a.work.tasks[i]
}

// implement does the next task and reports it.
func (a *agent) implement() object {
	a.T.Helper()
	t := a.next()
	if a.ahead && !a.asked { // one call for all that the plan is going to change
		a.asked = true
		var files []string
		for _, t := range a.work.tasks {
			for _, e := range t.edits {
				files = append(files, e.path)
			}
		}
		a.allowed(files...)
	}
	a.carryOut(t.edits)
	return report(t)
}

// carryOut asks whether the files may be written, and writes them.
func (a *agent) carryOut(edits []edit) {
	a.T.Helper()
	var files []string
	for _, e := range edits {
		for _, path := range []string{e.from, e.path} {
			if path != "" && !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	if len(files) > 0 && !a.asked {
		a.allowed(files...)
	}
	for _, e := range edits {
		a.apply(e)
	}
}

// callIn finds a call in what an answer says is to be done next.
var callIn = regexp.MustCompile(`\b([a-z_]+)\(([a-z_]+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\])\)`)

// follow makes the first call that a text names. Without any it does nothing.
func (a *agent) follow(next string) {
	a.T.Helper()
	m := callIn.FindStringSubmatch(next)
	if m == nil {
		return
	}
	var value any
	if err := json.Unmarshal([]byte(m[3]), &value); err != nil {
		a.T.Fatalf("%s: %v", m[0], err)
	}
	if r := a.use(m[1], object{m[2]: value}); r.Refused {
		a.T.Errorf("the server says to call %s, and refuses it: %s", m[0], r.Text)
	}
}

// allowed gets permission to write files. It does what the server demands first,
// once for each file.
func (a *agent) allowed(files ...string) {
	a.T.Helper()
	r := a.use("check_write_target", object{"files": files})
	if !r.Refused && r.Answer["allowed"] != true {
		for _, f := range r.Answer["files"].([]any) {
			if next, _ := f.(object)["next"].(string); next != "" {
				a.follow(next)
			}
		}
		r = a.use("check_write_target", object{"files": files})
	}
	if r.Refused || r.Answer["allowed"] != true {
		a.T.Fatalf("at %q %v may not be written: %s", a.at(), files, r.Text)
	}
}

// apply changes the files.
func (a *agent) apply(e edit) {
	a.T.Helper()
	a.edits++
	switch {
	case e.by != nil:
		e.by(a, e.path)
	case e.gone:
		a.Remove(e.path)
	case e.from != "":
		if err := os.MkdirAll(filepath.Dir(a.Path(e.path)), 0o755); err != nil {
			a.T.Fatal(err)
		}
		if err := os.Rename(a.Path(e.from), a.Path(e.path)); err != nil {
			a.T.Fatal(err)
		}
		if e.text != "" {
			a.Write(e.path, e.text)
		}
	default:
		a.Write(e.path, e.text)
	}
}

// report is the honest report of a task that was done.
func report(t task) object {
	var list []any
	for _, i := range t.items {
		switch {
		case i.evidence != "" && i.reason != "":
			list = append(list, object{"item": i.text, "status": "done", "evidence": i.evidence, "reason": i.reason})
		case i.evidence != "":
			list = append(list, object{"item": i.text, "status": "done", "evidence": i.evidence})
		default:
			list = append(list, object{"item": i.text, "status": "skipped", "reason": i.reason})
		}
	}
	return object{"task_id": t.id, "checklist": list}
}

// review reads the whole change and keeps it.
func (a *agent) review() object {
	files := []string{}
	a.warned = ""
	for args := (object{}); ; {
		r := a.use("review_changes", args)
		a.warned += strings.Join(r.List("warnings"), "\n")
		if r.Refused {
			a.T.Fatalf("review_changes: %s", r.Text)
		}
		listed, _ := r.Answer["files"].([]any)
		for _, f := range listed {
			if path, ok := f.(object)["path"].(string); ok {
				files = append(files, path)
			}
		}
		if r.Answer["all_pages_delivered"] == true {
			break
		}
		args = object{"cursor": r.Str("next_cursor")}
	}
	return object{"reviewed_files": files, "commit_message": a.work.message}
}

// unmerged reports an error if anything of the session has reached the base, or if
// the session claims that its work is complete.
func (a *agent) unmerged() (wrong []string) {
	a.T.Helper()
	if a.base != "" {
		if tip := a.Git("rev-parse", "refs/heads/main"); tip != a.base {
			wrong = append(wrong, fmt.Sprintf("main has moved to %s: %s", tip, a.Git("log", "--oneline", a.base+".."+tip)))
		}
	}
	for _, c := range a.checkpoints() {
		if strings.HasPrefix(c.Outcome, "completed") {
			wrong = append(wrong, "session "+c.ID+" is "+c.Outcome)
		}
	}
	return wrong
}
