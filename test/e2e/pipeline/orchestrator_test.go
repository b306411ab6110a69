package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// An orchestrator runs one pipeline, as the /forge skill says: it does each action and
// reports it. It is honest; attacks lie in between.
type orchestrator struct {
	*fixture
	habits
	ws      string // the workspace
	effort  string
	answers map[string]string // to checkpoints and gates, by name; else the first option
	now     reply             // the action that is outstanding
	trail   []string
	written map[string]int // how often each file was written
	more    []string       // files that its tasks change besides the usual
	slug    string         // what the user calls the workspace; "": greet-people
}

// habits are how one honest orchestrator differs from another.
type habits struct {
	texts   *texts                             // nil: English
	reports bool                               // by pipeline_report_result, not by previous_…
	forgets bool                               // the ticket
	before  func(*orchestrator)                // before each action is done
	after   func(*orchestrator, object) object // given the report, before it is sent
	works   func(*orchestrator, string) bool   // does the work of an output file; false: the usual is done
	alone   bool                               // it lets the person decide in a terminal
}

// request is what the user typed, where nothing else is said.
const request = "Greet people by name and tell them goodbye"

func newOrchestrator(t testing.TB, arguments, effort string) *orchestrator {
	t.Helper()
	o := &orchestrator{fixture: newFixture(t, repository)}
	o.begin(arguments, effort)
	return o
}

// begin takes a request through the handshake and asks for the first action.
func (o *orchestrator) begin(arguments, effort string) {
	o.T.Helper()
	o.confirm(arguments, effort)
	o.now = o.next(object{})
	o.trail = []string{line(o.now.Answer)}
}

// confirm takes a request through the handshake.
func (o *orchestrator) confirm(arguments, effort string) {
	o.T.Helper()
	o.effort, o.written = effort, make(map[string]int)
	init := o.ok("pipeline_init", object{"arguments": arguments, "current_branch": "main"})
	call := object{"workspace": init.Answer["workspace"], "flags": init.Answer["flags"], "task_text": init.Answer["core_text"],
		"source_id": init.Answer["source_id"], "source_url": init.Answer["source_url"]}
	if init.Answer["fetch_needed"] != nil {
		call["external_context"] = object{"github_labels": []string{"enhancement"}, "github_title": "Greet people by name", "github_body": "and say goodbye"}
	}
	if r := o.ok("pipeline_init_with_context", call); r.Answer["needs_user_confirmation"] == nil {
		o.T.Fatalf("detection: %s", r.Raw)
	}
	call["user_confirmation"] = object{"effort": effort, "workspace_slug": cmp.Or(o.slug, "greet-people"), "use_current_branch": false}
	ready := o.ok("pipeline_init_with_context", call)
	if o.ws = ready.Str("workspace"); ready.Answer["ready"] != true || o.ws == "" {
		o.T.Fatalf("confirmation: %s", ready.Raw)
	}
}

// ok calls a tool that must not refuse.
func (o *orchestrator) ok(tool string, args object) reply {
	o.T.Helper()
	r := o.Call(nil, tool, args)
	if r.Refused || r.Answer["errors"] != nil {
		o.T.Fatalf("%s: %s", tool, r.Raw)
	}
	return r
}

// next calls pipeline_next_action; the caller judges the answer.
func (o *orchestrator) next(args object) reply {
	o.T.Helper()
	args["workspace"] = o.ws
	return o.Call(nil, "pipeline_next_action", args)
}

// line is an action in a few words: the output file of an agent, else the phase or
// the name.
func line(a object) string {
	if ids, ok := a["parallel_task_ids"].([]any); ok {
		return fmt.Sprintf("%s %v", a["phase"], ids)
	}
	for _, key := range []string{"output_file", "name", "phase", "type"} {
		if s, _ := a[key].(string); s != "" {
			return s
		}
	}
	return ""
}

func (o *orchestrator) at() string { return line(o.now.Answer) }

// outputs are the files that the outstanding action asks for.
func (o *orchestrator) outputs() (names []string) {
	if list, ok := o.now.Answer["parallel_tasks"].([]any); ok {
		for _, p := range list {
			names = append(names, p.(object)["output_file"].(string))
		}
		return names
	}
	if name := o.now.Str("output_file"); name != "" {
		names = append(names, name)
	}
	return names
}

// file is the path of a file of the workspace.
func (o *orchestrator) file(name string) string { return o.ws + "/" + name }

// text is what an honest agent writes into an output file.
func (o *orchestrator) text(name string) string {
	o.written[name]++
	x := o.texts
	if x == nil {
		x = &english
	}
	return x.of(name, o.files(name), o.written[name])
}

// files are those of the task of an impl-N.md.
func (o *orchestrator) files(name string) []string {
	id := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "impl-"), "review-"), ".md")
	switch {
	case strings.HasPrefix(id, "fix-"):
		return []string{"greet.py"}
	case o.effort == "S", o.effort == "XS":
		return slices.Concat(filesOf["1"], filesOf["2"], filesOf["3"])
	}
	return filesOf[id]
}

// work does what an agent of an output file does.
func (o *orchestrator) work(name string) {
	o.T.Helper()
	if o.works != nil && o.works(o, name) {
		return
	}
	if strings.HasPrefix(name, "impl-") {
		for _, f := range o.files(name) {
			text := changed[f]
			if n := o.written[name]; n > 0 || strings.HasPrefix(name, "impl-fix") {
				text += fmt.Sprintf("mended = '%d of %s'\n", n, name)
			}
			o.Write(f, text)
		}
	}
	o.Write(o.file(name), o.text(name))
	if name == "summary.md" && o.effort != "XS" {
		x := o.texts
		if x == nil {
			x = &english
		}
		o.Write(o.file("improvement.md"), x.improvement)
	}
}

// done is the bare report that an action was done.
func (o *orchestrator) done() object {
	return object{"previous_action_complete": true, "ticket": o.now.Answer["ticket"]}
}

// do does the outstanding action, and returns its report.
func (o *orchestrator) do() object {
	o.T.Helper()
	said := o.done()
	switch o.now.Str("type") {
	case "spawn_agent":
		for _, name := range o.outputs() {
			o.work(name)
		}
		said["previous_tokens"], said["previous_duration_ms"], said["previous_model"] = 1200, 3400, "sonnet"
	case "write_file":
		o.Write(o.now.Str("path"), o.now.Str("content"))
	case "exec":
		code, out := o.Exec(o.now.List("commands")...)
		said["previous_exit_code"], said["previous_output"] = code, out
		if o.now.Answer["setup_only"] == true {
			said["previous_setup_only"] = true
		}
	case "checkpoint", "human_gate":
		answer := o.answers[o.now.Str("name")]
		if answer == "" {
			answer = o.now.List("options")[0]
		}
		if o.alone {
			if err := o.decides(o.now.Str("ticket"), answer, ""); err != nil {
				o.T.Fatal(err)
			}
			return object{}
		}
		return object{"user_response": answer, "ticket": o.now.Answer["ticket"]}
	default:
		o.T.Fatalf("after %v: what is this? %s", o.trail, o.now.Raw)
	}
	return said
}

// step does the outstanding action, reports it, and takes the next one.
func (o *orchestrator) step() {
	o.T.Helper()
	if o.before != nil {
		o.before(o)
	}
	said := o.do()
	if o.after != nil {
		said = o.after(o, said)
	}
	if o.forgets {
		delete(said, "ticket")
	}
	if o.reports && said["user_response"] == nil {
		r := object{"workspace": o.ws, "phase": o.now.Answer["phase"]}
		for key, name := range map[string]string{"previous_tokens": "tokens_used", "previous_duration_ms": "duration_ms", "previous_model": "model",
			"previous_setup_only": "setup_only", "previous_exit_code": "exit_code", "previous_output": "output", "ticket": "ticket"} {
			if v, ok := said[key]; ok {
				r[name] = v
			}
		}
		o.ok("pipeline_report_result", r)
		said = object{}
	}
	o.took(o.next(said))
}

// took takes an answer as the outstanding action.
func (o *orchestrator) took(r reply) {
	o.T.Helper()
	if r.Refused {
		o.T.Fatalf("after %v: %s", o.trail, r.Raw)
	}
	o.now = r
	if o.trail = append(o.trail, o.at()); len(o.trail) > 150 {
		o.T.Fatalf("no end: %v", o.trail)
	}
}

// play goes on until an action is outstanding; "": to the end.
func (o *orchestrator) play(until string) {
	o.T.Helper()
	for o.now.Str("type") != "done" {
		if o.at() == until {
			return
		}
		o.step()
	}
	if until != "" && until != "done" {
		o.T.Fatalf("the pipeline never came to %q: %v", until, o.trail)
	}
}

// state is state.json.
type state struct {
	Revision  int
	Status    string
	Phase     string
	Ticket    *struct{ ID, Type string }
	Passed    []string
	Accepted  map[string]string
	Pushed    bool
	Effort    string
	Branch    string
	Reviewing string
	Pull      string `json:"pull_request"`
	Counters  map[string]int
	Tasks     []struct{ ID, Status, Commit string }
	Log       []struct {
		Phase, Task, Model, Verdict string
		Tokens                      int
		Revision                    int
	} `json:"phase_log"`
	Decisions []struct{ Name, Choice, Text, By string }
}

func (o *orchestrator) state() (s state) {
	o.T.Helper()
	if err := json.Unmarshal([]byte(o.Read(o.file("state.json"))), &s); err != nil {
		o.T.Fatal(err)
	}
	return s
}

// An entry is a line of the journal.
type entry struct {
	Seq    int
	Event  string
	Phase  string
	Ticket string
	By     string
	Detail map[string]string
}

func (o *orchestrator) journal() (all []entry) {
	o.T.Helper()
	for l := range strings.Lines(o.Read(o.file("journal.jsonl"))) {
		var e entry
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			o.T.Fatalf("journal: %v in %s", err, l)
		}
		all = append(all, e)
	}
	return all
}

// snapshot returns the state of the pipeline, in everything that a report or answer may change.
func (o *orchestrator) snapshot() string {
	o.T.Helper()
	s := o.state()
	var names []string
	for name := range s.Accepted {
		names = append(names, name)
	}
	slices.Sort(names)
	_, pushed := o.Exec("git", "ls-remote", o.origin)
	return fmt.Sprintf("%s in %s, effort %s, passed %v, accepted %v, tasks %v, decided %v, pull request %q, pushed %v\nHEAD %s, branches %s\n%s",
		s.Status, s.Phase, s.Effort, s.Passed, names, s.Tasks, s.Decisions, s.Pull, s.Pushed,
		o.Git("rev-parse", "HEAD"), o.Git("branch", "--format=%(refname)"), pushed)
}
