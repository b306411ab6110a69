//go:build unix

package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/pipeline/engine"
	"codeintel/test/tier"
)

var killForgeFlag = flag.String("killforge", "", "play one `run:life,life…`, as -kill does a scenario")

// A leader is an orchestrator whose server dies. It restarts the server, asks for the
// next action, and continues.
type leader struct {
	*fixture
	run    run
	lives  []life // what the server will live; then it lives on
	bin    string // where gh is
	ws     string // none until the handshake is over
	server *process

	init    object         // the answer of pipeline_init
	action  object         // what is to be done; nil: it has to be asked for
	sent    object         // the report that was under way
	times   map[string]int // how often each file was written, and each checkpoint answered
	nth     map[string]int // the same, as it was when a ticket was worked on
	over    object         // the last answer
	actions []string       // each ticket once

	kills     int
	forgotten int  // tickets whose work was done twice, because the leader had forgotten
	anew      bool // the last server has died, and nothing was reported since
	doubles   int  // deaths before the last recovery had come to its end
	recovered int
	deaths    []string
	came      int
	spawned   int
	end       forgeEnd
	lasted    time.Duration
}

func newLeader(t testing.TB, r run, lives []life) *leader {
	t.Helper()
	st := gitFixture(t, desk)
	st.mayDie()
	remote := filepath.Join(filepath.Dir(st.Root), "remote.git")
	st.Git("init", "-q", "--bare", remote)
	st.Git("remote", "add", "origin", remote)
	o := &leader{fixture: st, run: r, lives: lives, bin: st.Beside("bin"), times: map[string]int{}, nth: map[string]int{}}
	if err := os.WriteFile(filepath.Join(o.bin, "gh"), []byte(ghStandIn), 0o755); err != nil {
		t.Fatal(err)
	}
	st.env = []string{"PATH=" + o.bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	if r.setup != nil {
		r.setup(st)
	}
	for path, text := range r.user {
		st.Write(path, text)
	}
	return o
}

// live runs the pipeline to its end.
func (o *leader) live() {
	o.T.Helper()
	defer func() {
		if o.server != nil {
			o.reap()
		}
	}()
	for range most {
		switch {
		case o.over != nil:
			return
		case o.server == nil && !o.begin():
			o.reap()
		case !survives(o.next):
			o.reap()
			o.action, o.anew = nil, true
		}
	}
	o.T.Fatalf("no end after %d tries:\n%s", most, strings.Join(o.actions, "\n"))
}

func (o *leader) begin() bool {
	l := life{}
	if o.spawned < len(o.lives) {
		l = o.lives[o.spawned]
	}
	o.spawned++
	var err error
	o.server, err = o.spawn(l, o.spawned)
	o.Client = o.server.client
	if err != nil && l == (life{}) {
		o.T.Fatalf("the server does not start: %v\n%s", err, o.server.stderr.String())
	}
	return err == nil
}

func (o *leader) reap() {
	o.server.end()
	came := o.server.came()
	o.came += len(came)
	if state := o.server.cmd.ProcessState; state != nil && !state.Exited() {
		at := came[len(came)-1]
		if o.spawned <= len(o.lives) && o.lives[o.spawned-1].after > 0 {
			at = "outside"
		}
		o.kills, o.deaths = o.kills+1, append(o.deaths, at)
		if o.anew {
			o.doubles++
		}
		if o.spawned <= len(o.lives) && o.lives[o.spawned-1].git {
			o.unlockRemote()
		}
	} else if o.over == nil && !o.T.Failed() {
		o.T.Errorf("the server ended by itself: %v\n%s", state, o.server.stderr.String())
	}
	o.server = nil
}

// unlockRemote removes the locks that the remote's git left when it was killed with
// ours. Here it is a child of a push; elsewhere it runs on a machine of its own, and
// ends in order when the connection does.
func (o *leader) unlockRemote() {
	o.T.Helper()
	err := filepath.WalkDir(filepath.Join(filepath.Dir(o.Root), "remote.git"), func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) { // it is already gone
			return nil
		}
		return err
	})
	if err != nil {
		o.T.Fatal(err)
	}
}

// must calls a tool that must not refuse.
func (o *leader) must(tool string, args object) object {
	o.T.Helper()
	r := o.Call(nil, tool, args)
	if r.Refused {
		o.T.Fatalf("%s was refused after the deaths %q: %s", tool, o.deaths, r.Text)
	}
	return r.Answer
}

// next is the next thing to do.
func (o *leader) next() {
	o.T.Helper()
	switch {
	case o.ws == "":
		o.handshake()
	case o.action == nil:
		args := object{"workspace": o.ws}
		if o.sent != nil && o.kills%2 == 0 && !o.forgets() { // as if nothing had been
			for k, v := range o.sent {
				args[k] = v
			}
		}
		o.took(o.must("pipeline_next_action", args))
		if o.anew {
			o.anew, o.recovered = false, o.recovered+1
		}
	default:
		o.report()
	}
}

// handshake begins the pipeline. What is sent twice, because the server died, is the
// same both times.
func (o *leader) handshake() {
	o.T.Helper()
	if o.init == nil {
		o.init = o.must("pipeline_init", object{"arguments": o.run.arguments})
	}
	call := object{"workspace": o.init["workspace"], "flags": o.init["flags"], "source_id": o.init["source_id"], "source_url": o.init["source_url"], "task_text": o.init["core_text"]}
	for k, v := range call {
		if v == nil {
			delete(call, k)
		}
	}
	if o.run.context != nil {
		call["external_context"] = o.run.context
	}
	if a := o.must("pipeline_init_with_context", call); a["needs_user_confirmation"] == nil {
		o.T.Fatalf("detect: %v", a)
	}
	call["user_confirmation"] = object{"effort": o.run.effort, "workspace_slug": "greet people"}
	ready := o.must("pipeline_init_with_context", call)
	ws, _ := ready["workspace"].(string)
	if ready["ready"] != true || ws == "" {
		o.T.Fatalf("confirm: %v", ready)
	}
	o.ws = ws
}

// took takes the answer that hands out an action.
func (o *leader) took(a object) {
	o.T.Helper()
	if a["type"] == "done" {
		o.over = a
		return
	}
	ticket := a["ticket"].(string)
	line := ticket + " " + actionLine(a)
	if n := len(o.actions); n == 0 || o.actions[n-1] != line {
		o.actions = append(o.actions, line)
	}
	o.action = a
}

// forgets reports whether this death makes the leader forget what it did.
func (o *leader) forgets() bool { return o.kills%3 == 2 }

// report does what was asked for, unless it is done, and reports it: every third time
// in a separate call.
func (o *leader) report() {
	o.T.Helper()
	ticket := o.action["ticket"].(string)
	switch {
	case o.sent == nil || o.sent["ticket"] != ticket:
		o.sent = o.do(o.action)
	case o.forgets():
		o.forgotten++
		o.sent = o.do(o.action)
	}
	args := object{"workspace": o.ws}
	asked := o.sent["user_response"] != nil
	if n, _ := strconv.Atoi(strings.TrimPrefix(ticket, "t")); n%3 == 0 && !asked {
		said := object{"workspace": o.ws, "phase": o.action["phase"], "ticket": ticket}
		for k, v := range map[string]string{"previous_tokens": "tokens_used", "previous_duration_ms": "duration_ms", "previous_model": "model",
			"previous_setup_only": "setup_only", "previous_exit_code": "exit_code", "previous_output": "output"} {
			if o.sent[k] != nil {
				said[v] = o.sent[k]
			}
		}
		if r := o.must("pipeline_report_result", said); r["state_updated"] != true && r["verdict_parsed"] == "" && o.kills == 0 {
			o.T.Errorf("%s was not taken: %v", ticket, r)
		}
	} else {
		for k, v := range o.sent {
			args[k] = v
		}
	}
	o.took(o.must("pipeline_next_action", args))
}

// time counts how often something was done, for each ticket once.
func (o *leader) time(ticket, what string) int {
	key := ticket + " " + what
	if o.nth[key] == 0 {
		o.times[what]++
		o.nth[key] = o.times[what]
	}
	return o.nth[key]
}

// do does an action, and returns how it is reported.
func (o *leader) do(a object) object {
	o.T.Helper()
	ticket := a["ticket"].(string)
	said := object{"ticket": ticket, "previous_action_complete": true}
	switch a["type"] {
	case "spawn_agent":
		said["previous_tokens"], said["previous_duration_ms"], said["previous_model"] = 1000, 2000, "sonnet"
		outputs := []string{a["output_file"].(string)}
		if list, ok := a["parallel_tasks"].([]any); ok && len(list) > 0 {
			outputs = nil
			for _, p := range list {
				outputs = append(outputs, p.(object)["output_file"].(string))
			}
		}
		for _, name := range outputs {
			o.Write(o.ws+"/"+name, o.run.text(o.fixture, name, o.time(ticket, name)))
		}
		if a["phase"] == "final-summary" {
			o.Write(o.ws+"/improvement.md", "# Improvement\n\n## Friction\n\n- Nothing says which greeting is meant.\n\n## Suggestion\n\n- Say it in README.md.\n")
		}
	case "write_file":
		o.Write(a["path"].(string), a["content"].(string))
	case "exec":
		var argv []string
		for _, v := range a["commands"].([]any) {
			argv = append(argv, v.(string))
		}
		if o.sent != nil && o.sent["ticket"] == ticket && argv[1] == "issue" {
			return o.sent // nobody can see whether a comment was made: this is remembered
		}
		if argv[0] == "gh" {
			argv[0] = filepath.Join(o.bin, "gh")
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = o.Root
		out, err := cmd.CombinedOutput()
		said["previous_output"], said["previous_exit_code"] = string(out), 0
		if err != nil {
			said["previous_exit_code"] = 1
		}
		if a["setup_only"] == true {
			said["previous_setup_only"] = true
		}
	case "checkpoint", "human_gate":
		name := a["name"].(string)
		if strings.HasSuffix(name, "-failed") {
			o.T.Fatalf("after the deaths %q a person is asked: %s", o.deaths, a["present_to_user"])
		}
		answer := a["options"].([]any)[0].(string)
		if f := o.run.answers[name]; f != nil {
			answer = f(o.time(ticket, name))
		}
		return object{"ticket": ticket, "user_response": answer}
	}
	return said
}

// actionLine is an action in a few words.
func actionLine(a object) string {
	s := a["type"].(string)
	for _, key := range []string{"phase", "name", "agent", "output_file"} {
		if v, _ := a[key].(string); v != "" {
			s += " " + v
		}
	}
	if ids, ok := a["parallel_task_ids"].([]any); ok && len(ids) > 0 {
		s += fmt.Sprint(" ", ids)
	}
	return s
}

// A forgeEnd is what remains of a pipeline, without what differs each time.
type forgeEnd struct {
	Actions   []string // each ticket once
	Summary   string
	Commits   string // of the branch, with their files
	Committed int    // runs of post-commit
	Branches  []string
	Remote    []string
	Calls     string // of gh, that change something
	Status    string
	Files     map[string]string // in git
	Decisions []engine.Decision
	Phases    []engine.PhaseRun
	Tasks     []string
	Journal   []string
	History   string
}

var (
	dayPrefix = regexp.MustCompile(`\b20\d{6}-`)
	fullHash  = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	stamp     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
)

// plainly removes from a text what differs each time.
func plainly(s string) string {
	return stamp.ReplaceAllString(fullHash.ReplaceAllString(dayPrefix.ReplaceAllString(s, "DAY-"), "COMMIT"), "TIME")
}

func (o *leader) endOf() (e forgeEnd) {
	o.T.Helper()
	e.Actions = o.actions
	e.Summary, _ = o.over["summary"].(string)
	e.Commits = plainly(o.Git("log", "--reverse", "--format=%n%s%n%b", "--name-status", "main..HEAD"))
	e.Committed = strings.Count(o.Read(".git/ran"), "post-commit\n")
	e.Branches = strings.Fields(o.Git("for-each-ref", "--format=%(refname)"))
	for _, line := range strings.Split(o.Git("ls-remote", "origin"), "\n") {
		id, ref, ok := strings.Cut(line, "\t")
		if ok && id == o.Git("rev-parse", "HEAD") {
			e.Remote = append(e.Remote, ref+" is HEAD")
		} else if ok {
			e.Remote = append(e.Remote, ref)
		}
	}
	calls, _ := os.ReadFile(filepath.Join(o.bin, "calls")) // none, if gh was not called
	e.Calls = plainly(string(calls))
	e.Status = o.Git("status", "--porcelain=v1", "--untracked-files=all")
	e.Files = make(map[string]string)
	for _, f := range strings.Split(o.Git("-c", "core.quotePath=off", "ls-files"), "\n") {
		if !strings.HasSuffix(f, "state.json") && !strings.HasSuffix(f, "journal.jsonl") && !strings.HasSuffix(f, "index.json") {
			e.Files[plainly(f)] = plainly(o.Read(f))
		}
	}
	st := o.state()
	for _, d := range st.Decisions {
		d.At = ""
		e.Decisions = append(e.Decisions, d)
	}
	e.Phases = st.PhaseRuns
	for _, k := range st.Tasks {
		made := ""
		if k.Commit != "" {
			made = o.Git("log", "-1", "--format=%s", k.Commit)
		}
		e.Tasks = append(e.Tasks, fmt.Sprint(k.ID, " ", k.Status, " retries ", k.Retries, " in ", made))
	}
	for i, j := range o.journal() {
		if j.Sequence != i+1 {
			o.T.Errorf("entry %d of the journal has the number %d", i+1, j.Sequence)
		}
		if j.Detail["seen"] != "" { // the server saw what a killed one was told
			j.By, j.Detail = "self_reported", map[string]string{"artifact": "", "findings": "0", "verdict": "", "warning": ""}
		}
		detail, err := json.Marshal(j.Detail)
		if err != nil {
			o.T.Fatal(err)
		}
		e.Journal = append(e.Journal, plainly(fmt.Sprint(j.Event, " ", j.Phase, " ", j.Ticket, " ", j.By, " ", string(detail))))
	}
	e.History = plainly(o.Read(".specs/index.json"))
	return e
}

func (o *leader) state() *engine.State {
	o.T.Helper()
	st := new(engine.State)
	if err := json.Unmarshal([]byte(o.Read(o.ws+"/state.json")), st); err != nil {
		o.T.Fatal(err)
	}
	return st
}

func (o *leader) journal() (entries []engine.Entry) {
	o.T.Helper()
	for line := range strings.Lines(o.Read(o.ws + "/journal.jsonl")) {
		var e engine.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			o.T.Fatalf("journal: %v in %q", err, line)
		}
		entries = append(entries, e)
	}
	return entries
}

// judge compares the end with what is promised and with the run without a death.
func (o *leader) judge(clean *leader) {
	o.T.Helper()
	o.end = o.endOf()
	st := o.state()
	if st.Status != engine.StatusCompleted || !strings.HasPrefix(o.end.Summary, "Pipeline completed") || o.over["warning"] != "" && o.kills == 0 {
		o.T.Errorf("the pipeline is %s: %v", st.Status, o.over)
	}
	if len(st.Decisions) != o.run.decisions {
		o.T.Errorf("%d decisions, want %d: %+v", len(st.Decisions), o.run.decisions, st.Decisions)
	}
	var made []string
	for call := range strings.SplitSeq(o.end.Calls, "--- call\n") {
		if lines := strings.Split(call, "\n"); len(lines) > 2 {
			made = append(made, lines[0]+" "+lines[1])
		}
	}
	if !slices.Equal(made, o.run.commands) {
		o.T.Errorf("gh was called for %q, want %q", made, o.run.commands)
	}
	for path, text := range o.run.user {
		if got := o.Read(path); got != text {
			o.T.Errorf("the user's %s is now %q, was %q", path, got, text)
		}
	}
	if lines := strings.Count(o.end.Status+"\n", "\n"); o.end.Status == "" && len(o.run.user) > 0 || o.end.Status != "" && lines != len(o.run.user) {
		o.T.Errorf("the tree is not as the user left it:\n%s", o.end.Status)
	}
	want := []string{"refs/heads/feature/greet-people is HEAD"}
	if o.run.context != nil {
		want = []string{"refs/heads/" + st.Branch + " is HEAD"}
	}
	if strings.Contains(o.run.arguments, "--nopr") {
		want = nil
	}
	if !slices.Equal(o.end.Remote, want) {
		o.T.Errorf("the remote has %q, want %q", o.end.Remote, want)
	}
	if left := o.leftovers(); len(left) > 0 {
		o.T.Errorf("left behind: %q", left)
	}
	if clean == nil {
		return
	}
	end := clean.end                                                      // which other runs are compared with, too
	if slices.ContainsFunc(o.lives, func(l life) bool { return l.git }) { // a git that dies behind the commit runs no hook
		end.Committed = min(end.Committed, max(o.end.Committed, end.Committed-o.kills))
	}
	if diff := cmp.Diff(end, o.end); diff != "" {
		o.T.Errorf("the end differs from that of a run without a death (-clean +this):\n%s", diff)
	}
}

// play plays the run with a server that dies as lives says, and judges its end.
func (r run) play(t *testing.T, lives []life, clean *leader) *leader {
	t.Helper()
	o := newLeader(t, r, lives)
	o.against(clean)
	return o
}

func (o *leader) against(clean *leader) {
	o.T.Helper()
	began := time.Now()
	defer func() {
		if o.T.Failed() && o.kills > 0 {
			o.T.Logf("again: go test ./test/e2e -run TestKillForge -killforge %s; died at %q", o.spec(), o.deaths)
		}
	}()
	o.live()
	o.judge(clean)
	o.lasted = time.Since(began)
}

func (o *leader) spec() string {
	var lives []string
	for _, l := range o.lives[:min(len(o.lives), o.spawned)] {
		lives = append(lives, l.String())
	}
	return o.run.name + ":" + strings.Join(lives, ",")
}

// TestKillForge kills the server of pipelines at seeded random points. Each run is
// first played without a death, and the other is compared with it.
func TestKillForge(t *testing.T) {
	if *killForgeFlag != "" {
		name, lives, err := parseLives(*killForgeFlag)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(runs, func(r run) bool { return r.name == name })
		if i < 0 {
			t.Fatalf("there is no run %q", name)
		}
		o := runs[i].play(t, lives, runs[i].play(t, nil, nil))
		t.Logf("died at %q", o.deaths)
		return
	}
	const seed, deaths = 1, 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, r := range tier.Sample(runs, 3) {
		t.Run(r.name, func(t *testing.T) {
			clean := r.play(t, nil, nil)
			lives := append(choose(rng, clean.came/3, deaths), r.windows...)
			for i := range lives {
				lives[i].git = false
			}
			o := r.play(t, lives, clean)
			t.Logf("%d points; died at %q, %d forgotten", clean.came, o.deaths, o.forgotten)
		})
	}
}

// leads begins a run and goes on until so many actions were handed out.
func (o *leader) leads(actions int) {
	o.T.Helper()
	if o.server == nil && !o.begin() {
		o.T.Fatal("the server does not start")
	}
	for o.over == nil && len(o.actions) < actions {
		o.next()
	}
}

// leaves ends the server as a client does that goes away.
func (o *leader) leaves() {
	o.server.end()
	o.server, o.action = nil, nil
}

func find(t *testing.T, name string) run {
	t.Helper()
	for _, r := range runs {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no run %q", name)
	return run{}
}

// TestForgeTwoClients has a second client open a workspace that a first one runs.
func TestForgeTwoClients(t *testing.T) {
	o := newLeader(t, find(t, "S"), nil)
	o.leads(3)
	second, err := o.spawn(life{}, 99)
	if err != nil {
		t.Fatal(err)
	}
	defer second.end()
	before := o.Read(o.ws + "/state.json")
	for tool, args := range map[string]object{
		"pipeline_next_action":   {"workspace": o.ws},
		"pipeline_report_result": {"workspace": o.ws, "phase": "phase-3"},
	} {
		r := o.Call(second.client, tool, args)
		if r.Code() != "workspace_busy" || !strings.Contains(r.Text, fmt.Sprintf("pid %d", o.server.cmd.Process.Pid)) || !strings.Contains(r.Text, "end that process") {
			t.Errorf("%s of a second client: %s", tool, r.Text)
		}
	}
	if r := o.Call(second.client, "state_resume_info", object{"workspace": o.ws}); r.Refused || r.Str("phase") != "phase-3" {
		t.Errorf("a second client asks where it stands: %s", r.Text)
	}
	if after := o.Read(o.ws + "/state.json"); after != before {
		t.Error("a refused client has changed the state")
	}
	o.server.kill(false)
	o.server.end()
	o.server, o.Client, o.action = second, second.client, nil
	o.live()
	o.judge(nil)
}

// TestForgeBroken damages a pipeline's files: the refusal says what is wrong and what
// to do, and afterwards the pipeline continues.
func TestForgeBroken(t *testing.T) {
	o := newLeader(t, find(t, "M"), nil)
	o.leads(7) // both a decision and a revision are behind it
	o.leaves()
	state, journal := o.ws+"/state.json", o.ws+"/journal.jsonl"
	whole := map[string]string{state: o.Read(state), journal: o.Read(journal)}
	lines := strings.SplitAfter(whole[journal], "\n")
	spoilt := map[string]string{
		"cut": whole[state][:len(whole[state])/2], "empty": "", "zeros": strings.Repeat("\x00", 4096),
		"another's":         strings.Replace(whole[state], o.ws, ".specs/other", 1),
		"a later program's": regexp.MustCompile(`"schema_version": \d+`).ReplaceAllString(whole[state], `"schema_version": 99`),
	}
	copies := filepath.Join(o.Beside("state"), "code-intel", "pipelines")
	kept, err := filepath.Glob(filepath.Join(copies, "*", filepath.Base(o.ws)+".json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("copies of the state: %q, %v", kept, err)
	}
	asks := func() reply {
		if !o.begin() {
			t.Fatal("the server does not start")
		}
		defer o.leaves()
		return o.Call(nil, "pipeline_next_action", object{"workspace": o.ws})
	}
	for name, text := range spoilt {
		o.Write(state, text)
		if r := asks(); r.Refused || !strings.Contains(r.Str("warning"), "restored") || o.Read(state) != whole[state] {
			t.Errorf("state.json is %s, and there is a copy: %s", name, r.Text)
		}
	}
	if err := os.WriteFile(kept[0], []byte(spoilt["cut"]), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := asks(); r.Refused || o.Read(state) != whole[state] {
		t.Errorf("the copy is cut: %s", r.Text)
	}
	for _, tt := range []struct{ name, file, text, code, says string }{
		{"state cut", state, spoilt["cut"], "state_damaged", "state.json cannot be read"},
		{"state empty", state, spoilt["empty"], "state_damaged", "Restore the file"},
		{"state of zeros", state, spoilt["zeros"], "state_damaged", "pipeline_init"},
		{"another state", state, spoilt["another's"], "state_damaged", "Rename the folder back"},
		{"a later program's state", state, spoilt["a later program's"], "state_damaged", "99"},
		{"journal cut", journal, strings.Join(lines[:len(lines)/2], ""), "journal_damaged", "Restore the file"},
		{"journal without a line", journal, strings.Join(slices.Delete(slices.Clone(lines), 3, 4), ""), "journal_damaged", "entry 5 comes after entry 3"},
		{"journal broken", journal, strings.Replace(whole[journal], lines[2], lines[2][:10]+"\n", 1), "journal_damaged", "line 3 is not an entry"},
		{"journal empty", journal, "\n", "journal_damaged", "move it away"},
		{"journal from elsewhere", journal, whole[journal] + lines[len(lines)-2], "journal_damaged", "is incomplete"},
	} {
		if err := os.RemoveAll(copies); err != nil {
			t.Fatal(err)
		}
		o.Write(tt.file, tt.text)
		if r := asks(); r.Code() != tt.code || !strings.Contains(r.Text, tt.says) {
			t.Errorf("%s: %s", tt.name, r.Text)
		}
		if o.Read(tt.file) != tt.text {
			t.Errorf("%s: what was refused was changed", tt.name)
		}
		o.Write(tt.file, whole[tt.file])
	}
	o.Write(journal, whole[journal]+lines[0][:20]) // begun by a process that was killed: nobody was told of it
	o.leads(8)
	o.leaves()
	if got := o.Read(journal); !strings.HasPrefix(got, whole[journal]) {
		t.Errorf("the journal was\n%s\nand is\n%s", whole[journal], got)
	}
	o.Remove(journal)
	if !o.begin() {
		t.Fatal("the server does not start")
	}
	if r := o.Call(nil, "pipeline_next_action", object{"workspace": o.ws}); r.Refused || !strings.Contains(r.Str("warning"), "a new one was begun") {
		t.Errorf("without a journal: %s", r.Text)
	}
	o.leaves()
	o.live()
	if st := o.state(); st.Status != engine.StatusCompleted || len(st.Decisions) != o.run.decisions+1 ||
		st.Decisions[0].Name != engine.UnknownStateCheckpoint { // its copy was removed: a person says that the state is right
		t.Errorf("the pipeline is %s, with the decisions %+v", st.Status, st.Decisions)
	}
}
