package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/trust"
	"codeintel/internal/workflow"
	"codeintel/test/golden"
)

// A desk is a project without git, the server that leads a session of it, and the
// hook of a client, which is another process.
type desk struct {
	t            *testing.T
	root         string
	server, hook *Service
}

func newDesk(t *testing.T, files map[string]string) *desk {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	d := &desk{t: t, root: t.TempDir()}
	for name, text := range files {
		d.write(name, text)
	}
	d.server, d.hook = d.process(time.Now), d.process(time.Now)
	d.root = d.server.project.Root
	return d
}

// process returns what another process would hold of the project.
func (d *desk) process(now func() time.Time) *Service {
	d.t.Helper()
	p, err := project.OpenRoot(d.root)
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := New(p, Code{}, slog.New(slog.DiscardHandler), now)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { s.Close() })
	return s
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// trustCommands has the user trust what the settings list as commands that only read.
func (d *desk) trustCommands() {
	d.t.Helper()
	for _, g := range trustedtexts.Of(d.t.Context(), d.hook.project) {
		if g.File == trustedtexts.Settings {
			if err := trust.NewTexts(d.root).Vouch(g.File, g.Content); err != nil {
				d.t.Fatal(err)
			}
		}
	}
}

func (d *desk) start(flags ...string) *answer.Answer {
	d.t.Helper()
	if len(flags) > 0 {
		err := d.hook.keepLine(clients.Event{Client: "claude", Name: clients.Prompt, Text: "/code " + strings.Join(flags, " ") + " Change a.txt."})
		if err != nil {
			d.t.Fatal(err)
		}
	}
	a, err := d.server.Start(d.t.Context(), StartRequest{Intent: "MODIFY", Query: "Change a.txt.", Flags: flags})
	if err != nil || a.SessionID == "" {
		d.t.Fatal(err, a)
	}
	return a
}

func (d *desk) submit(data string) (*answer.Answer, error) {
	return d.server.Submit(d.t.Context(), SubmitRequest{Data: payload.Parse([]byte(data))})
}

func (d *desk) must(data string) *answer.Answer {
	d.t.Helper()
	a, err := d.submit(data)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

const aFrame = `{"action_type": "modify", "target_symbols": [], "scope": "a.txt", "constraints": [], "tools_used": [], "summary": "Change it."}`

// toWriting leads a session to where files are written.
func (d *desk) toWriting() {
	d.t.Helper()
	d.start("--quick", "--no-doc")
	d.must(aFrame)
	a := d.must(`{"tasks": [{"id": "t1", "description": "Change a.txt", "checklist": [{"item": "a.txt says two"}]}], "tools_used": [], "summary": "One task."}`)
	if a.ReadyStep != "implement" {
		d.t.Fatalf("the session is in %s %s", a.Phase, a.ReadyStep)
	}
}

func (d *desk) hear(e clients.Event) *workflow.HookResult {
	d.t.Helper()
	e.Dir = d.root
	h, err := d.hook.HandleEvent(d.t.Context(), e)
	if err != nil {
		d.t.Fatal(err)
	}
	return h
}

func reads(file string, start, end int) clients.Event {
	return clients.Event{Client: "claude", Name: clients.After, Tool: "Read", Kind: clients.Read, Files: []clients.File{{Path: file, Start: start, End: end}}}
}

func writes(file string) clients.Event {
	return clients.Event{Client: "claude", Name: clients.Before, Tool: "Edit", Kind: clients.Write, Files: []clients.File{{Path: file}}}
}

func (d *desk) allowed(file string) (bool, string) {
	d.t.Helper()
	a, err := d.server.CheckWriteTarget(d.t.Context(), WriteRequest{FilePath: file})
	if err != nil {
		d.t.Fatal(err)
	}
	return a.Allowed, a.Text()
}

// shows is a call of one of the server's tools that shows a line of a file.
func (d *desk) shows(s *Service, file string) {
	d.t.Helper()
	c := Call{Tool: "get_symbols", Outcome: audit.OK, Observed: shown.Facts{Lines: []shown.Lines{{File: file, Start: 1, End: 1}}}}
	if err := s.Record(d.t.Context(), c); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) entries() []audit.Entry {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.root, ".code-intel", "sessions", "*.ledger.jsonl"))
	if err == nil && len(files) == 0 {
		return nil // nothing was noted yet
	}
	if err != nil || len(files) != 1 {
		d.t.Fatal("one ledger expected, not", files, err)
	}
	l, err := audit.Open(files[0])
	if err != nil {
		d.t.Fatal(err)
	}
	entries, err := l.Since(0)
	if err != nil {
		d.t.Fatal(err)
	}
	return entries
}

// TestRecordedEvents plays what hooks of real clients have sent to a session, in
// a phase that only reads and in the one that writes.
func TestRecordedEvents(t *testing.T) {
	payloads, err := filepath.Glob("../clients/testdata/*/*.json")
	if err != nil || len(payloads) == 0 {
		t.Fatal("no recorded payloads", err)
	}
	var b strings.Builder
	for _, writing := range []bool{false, true} {
		d := newDesk(t, map[string]string{"locked.txt": "locked file\n", "open.txt": "open file\n", "nb.ipynb": "{}\n", "a.txt": "one\n"})
		if writing {
			d.toWriting()
			d.shows(d.server, "open.txt")
		} else {
			d.start()
		}
		for _, f := range payloads {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			data = bytes.ReplaceAll(data, []byte("$RUN/project"), []byte(d.root))
			as, _, _ := strings.Cut(filepath.Base(filepath.Dir(f)), "-")
			e, err := registry.All.Parse(clients.ID(as), "", data)
			if err != nil {
				t.Fatal(err)
			}
			known := len(d.entries())
			h, err := d.hook.HandleEvent(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s in %s\n", strings.TrimPrefix(filepath.ToSlash(f), "../clients/testdata/"), h.Phase)
			for _, entry := range d.entries()[known:] {
				fmt.Fprintf(&b, "\t%s\n", shownText(t, entry))
			}
			if h.Denied {
				fmt.Fprintf(&b, "\tdenied: %s\n\tnext: %s\n", strings.ReplaceAll(h.Reason.String(), h.ID, "SESSION"), strings.Join(msg.Texts(h.Next), " Or: "))
			}
		}
	}
	golden.Hold(t, "testdata/events.golden", b.String())
}

// wasSent is an entry without what changes from run to run.
func shownText(t *testing.T, e audit.Entry) string {
	t.Helper()
	id := e.Session
	e.Seq, e.Time, e.Session, e.MAC = 0, time.Time{}, "", ""
	if e.Detail["call"] != "" {
		e.Detail["call"] = e.Detail["call"][:7]
	}
	if e.Detail["claims"] != "" {
		e.Detail["claims"] = "CLAIMS"
	}
	e.Detail["reason"] = strings.ReplaceAll(e.Detail["reason"], id, "SESSION")
	if e.Detail["reason"] == "" {
		delete(e.Detail, "reason")
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`"seq":0,"time":"0001-01-01T00:00:00Z","session":"",`, "", `,"mac":""`, "").Replace(string(data))
}

func TestHookAndToolDecideAlike(t *testing.T) {
	for _, writing := range []bool{false, true} {
		d := newDesk(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c/d.txt": "one\n", "empty": ""})
		if writing {
			d.toWriting()
		} else {
			d.start()
		}
		d.hear(reads("b.txt", 1, 1))
		for _, file := range []string{"a.txt", "b.txt", "new.txt", "c/new.txt", "empty", ".code-intel/config.json", "../x"} {
			h := d.hear(writes(file))
			if !h.Live {
				t.Fatal("the session is not live")
			}
			ok, said := d.allowed(file)
			if h.Denied == ok || h.Denied && file != "../x" && !strings.Contains(said, h.Reason.String()) {
				t.Errorf("writing %v, %s: the hook %+v, the tool %s", writing, file, h, said)
			}
		}
		if h := d.hear(clients.Event{Name: clients.Before, Kind: clients.Write, Tool: "Edit", Files: []clients.File{{Path: "b.txt"}, {Path: ".git/config"}}}); !h.Denied {
			t.Errorf("writing %v: one of two files is protected, and both are let through", writing)
		}
	}
}

func TestShellEvents(t *testing.T) {
	run := func(name clients.Name, command, output string) clients.Event {
		return clients.Event{Client: "codex", Name: name, Tool: "Bash", Kind: clients.Shell, Command: command, Output: output}
	}
	d := newDesk(t, map[string]string{"a.txt": "1\n2\n3\n4\n5\n", "b.txt": "1\n2\n"})
	d.toWriting()
	if h := d.hear(run(clients.Before, "sed -i s/1/2/ a.txt", "")); h.Denied {
		t.Errorf("a file that nobody looked at is left to the audit: %+v", h)
	}
	if entries := d.entries(); len(entries[len(entries)-1].Files) != 0 {
		t.Errorf("it is approved: %v", entries[len(entries)-1].Files)
	}
	d.hear(run(clients.After, "sed -n '2,9p' a.txt && cat missing b.txt > /dev/null", "2\n3\n4\n5\n"))
	d.hear(run(clients.After, "tail -2 b.txt", ""))
	entries := d.entries()
	if got := audit.Explored(entries); !cmp.Equal(got, map[string][]audit.Range{"a.txt": {{Start: 2, End: 5}}}) {
		t.Errorf("explored: %v", got)
	}
	d.hear(run(clients.Before, "sed -i s/1/2/ a.txt > out", ""))
	if entries := d.entries(); !slices.Equal(entries[len(entries)-1].Files, []string{"a.txt", "out"}) {
		t.Errorf("approved: %v", entries[len(entries)-1].Files)
	}
	for _, command := range []string{"git commit -am x", "rm -rf /opt/x", "echo > .code-intel/sessions/x", "eval \"$x\"", "cat 'a"} {
		if h := d.hear(run(clients.Before, command, "")); !h.Denied || len(h.Next) == 0 {
			t.Errorf("%s: %+v", command, h)
		}
	}
	d = newDesk(t, map[string]string{".code-intel/config.json": `{"read_only_commands": ["our lint", "rm", "git", "code-intel", "sh"]}`})
	d.start()
	for _, trusted := range []bool{false, true} {
		if trusted {
			d.trustCommands()
		}
		for command, denied := range map[string]bool{"our lint ./...": !trusted, "go build ./...": true, "ls > out": true, "ls": false,
			"rm a.txt": true, "git commit -am x": true, "code-intel trust --all --yes": true, "sh -c 'code-intel approve x'": true} {
			h := d.hear(run(clients.Before, command, ""))
			if h.Denied != denied {
				t.Errorf("%s, trusted %t: %+v", command, trusted, h)
			}
			if command == "our lint ./..." && denied && !strings.Contains(fmt.Sprint(h.Next), "code-intel trust .code-intel/config.json") {
				t.Errorf("%s: %v", command, h.Next)
			}
		}
	}
}

func TestChangedByAnotherHand(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	d.toWriting()
	d.hear(reads("a.txt", 1, 1))
	d.shows(d.server, "b.txt")
	for _, file := range []string{"a.txt", "b.txt"} {
		d.write(file, "another hand\n")
		if ok, said := d.allowed(file); ok || !strings.Contains(said, `get_symbols(file_path="`+file+`")`) {
			t.Errorf("%s has changed since: %s", file, said)
		}
		if _, err := d.server.AddExploredFiles(t.Context(), FilesRequest{Files: []string{file}}); err != nil {
			t.Fatal(err)
		}
		if ok, said := d.allowed(file); ok {
			t.Errorf("naming %s is no look at it: %s", file, said)
		}
	}
	d.shows(d.server, "a.txt")
	if ok, said := d.allowed("a.txt"); !ok {
		t.Errorf("after another look: %s", said)
	}
	d.write("a.txt", "two\n") // the task's own change
	if ok, said := d.allowed("a.txt"); !ok {
		t.Errorf("after a change of the task's own: %s", said)
	}
	if ok, said := d.allowed("new.txt"); !ok {
		t.Fatal(said)
	}
	d.write("new.txt", "new\n")
	if ok, said := d.allowed("new.txt"); !ok {
		t.Errorf("a file that the task made: %s", said)
	}
}

// What a hook let through needs no check_write_target.
func TestHookApproves(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.toWriting()
	d.hear(reads("a.txt", 1, 1))
	if h := d.hear(writes("a.txt")); h.Denied {
		t.Fatal(h.Reason)
	}
	d.write("a.txt", "two\n")
	report := `{"task_id": "t1", "checklist": [{"item": "a.txt says two", "status": "done", "evidence": "a.txt:1"}], "tools_used": ["Read"], "summary": "Done."}`
	d.must(report)
}

// A patch that Codex takes from a shell is decided on like any other write.
func TestPatchByShell(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n", "b/c.txt": "one\n"})
	d.toWriting()
	d.hear(reads("a.txt", 1, 1))
	for file, want := range map[string]bool{"a.txt": true, "b/c.txt": false, ".code-intel/config.json": false} {
		data := `{"turn_id":"t","hook_event_name":"PreToolUse","tool_name":"Bash","cwd":` + strconv.Quote(d.root) +
			`,"tool_input":{"command":"apply_patch <<'P'\n*** Begin Patch\n*** Update File: ` + file + `\n@@\n-one\n+two\n*** End Patch\nP"}}`
		e, err := registry.All.Parse("codex", "", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if h := d.hear(e); h.Denied == want {
			t.Errorf("%s: denied %v: %s", file, h.Denied, h.Reason)
		}
	}
}

func TestCompactionIsSeen(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start("--no-doc")
	d.must(aFrame)
	d.hear(clients.Event{Client: "claude", Name: clients.Compact, Source: "auto"})
	d.hear(clients.Event{Client: "claude", Name: clients.SessionStart, Source: "compact"})
	if _, err := d.submit(`{}`); err == nil {
		t.Fatal("an empty payload ends EXPLORATION")
	}
	echo := 0
	a, err := d.server.Submit(t.Context(), SubmitRequest{Data: payload.Parse([]byte(`{"explored_files": [], "findings": ["x"], "tools_used": [], "summary": "Looked."}`)), CompactionCount: &echo})
	if p := problem.Of(err); p == nil || p.Code != refusal.PayloadMismatch {
		t.Fatal(a, err)
	}
	for _, tool := range []string{"search_text", "search_files"} {
		if err := d.server.Record(t.Context(), Call{Tool: tool, Outcome: audit.OK}); err != nil {
			t.Fatal(err)
		}
	}
	a, err = d.server.Submit(t.Context(), SubmitRequest{Data: payload.Parse([]byte(`{"explored_files": [], "findings": ["x"], "tools_used": [], "summary": "Looked."}`)), CompactionCount: &echo})
	if err != nil || a.PhaseSummaries["step_04_QUERY_FRAME"] == "" || a.CompactionCount != 0 {
		t.Fatalf("the answer after a compaction: %v, %v", a, err)
	}
	a = d.must(`{"needs_more_information": true, "reason": "to see what comes next"}`)
	if a.PhaseSummaries != nil {
		t.Errorf("the next answer carries them again: %v", a.PhaseSummaries)
	}
}

func TestRequiredEnforcement(t *testing.T) {
	plan := func(level string) *desk {
		d := newDesk(t, map[string]string{"a.txt": "one\n", ".code-intel/config.json": `{"required_enforcement": "` + level + `"}`})
		if a := d.start("--quick", "--no-doc"); a.EnforcementLevel != "L1" {
			t.Errorf("at the start: %s", a.EnforcementLevel)
		}
		return d
	}
	refused := func(d *desk, level string) {
		t.Helper()
		_, err := d.submit(aFrame)
		if p := problem.Of(err); p == nil || p.Code != enforcementTooLow || !strings.Contains(p.Message.String(), "at "+level) {
			t.Fatalf("at %s: %v", level, err)
		}
	}
	d := plan("L1")
	d.must(aFrame)
	d = plan("L2")
	refused(d, "L1")
	d.hear(clients.Event{Client: "claude", Name: clients.Before, Tool: "mcp__code-intel__submit_phase", Server: "code-intel", Kind: clients.MCP})
	if a := d.must(aFrame); a.EnforcementLevel != "L2" || a.ReadyStep != "plan" {
		t.Errorf("%s in %s", a.EnforcementLevel, a.Phase)
	}
	d = plan("L3")
	d.hear(reads("a.txt", 1, 1))
	refused(d, "L2")
	d.hear(writes("a.txt"))
	if a := d.must(aFrame); a.EnforcementLevel != "L3" {
		t.Errorf("after a denial: %s", a.EnforcementLevel)
	}
}

func TestEnforcementLevels(t *testing.T) {
	call := audit.Entry{Kind: audit.Tool, Name: "search_text", Outcome: audit.OK}
	event := func(name string, o audit.Outcome, id string) audit.Entry {
		return audit.Entry{Kind: audit.Event, Name: name, Outcome: o, Detail: map[string]string{"kind": "write", "call": id}}
	}
	denied := event(before, audit.Blocked, "1")
	for name, tt := range map[string]struct {
		entries []audit.Entry
		level   string
		warned  bool
	}{
		"nothing":                {nil, "L1", false},
		"calls only":             {[]audit.Entry{call, call}, "L1", false},
		"a hook":                 {[]audit.Entry{event(before, audit.OK, "1"), call}, "L2", false},
		"a denial":               {[]audit.Entry{denied, event(before, audit.OK, "2"), event(after, audit.OK, "2")}, "L3", false},
		"a denial and no id":     {[]audit.Entry{event(before, audit.Blocked, ""), event(after, audit.OK, "")}, "L3", false},
		"a denial that is void":  {[]audit.Entry{denied, event(after, audit.OK, "1")}, "L2", true},
		"hooks that fell silent": {append([]audit.Entry{denied}, slices.Repeat([]audit.Entry{call}, hookproof.Silence)...), "L1", true},
		"nearly silent":          {append([]audit.Entry{denied}, slices.Repeat([]audit.Entry{call}, hookproof.Silence-1)...), "L3", false},
	} {
		if level, warning := hookproof.Level(tt.entries); level != tt.level || warning.IsZero() == tt.warned {
			t.Errorf("%s: %s, %q", name, level, warning)
		}
	}
}

func TestNoSessionNothingKept(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	for _, e := range []clients.Event{reads("a.txt", 1, 1), writes("a.txt"), {Name: clients.Prompt, Text: "hello"}, {Name: clients.Stop}} {
		if h := d.hear(e); !reflect.DeepEqual(*h, workflow.HookResult{}) {
			t.Errorf("%s: %+v", e.Name, h)
		}
	}
	if _, err := os.Stat(filepath.Join(d.root, ".code-intel")); err == nil {
		t.Error("a folder was made")
	}
	d.start()
	if _, err := d.server.Status(t.Context(), StatusRequest{DiscardActive: true}); err != nil {
		t.Fatal(err)
	}
	if h := d.hear(writes("a.txt")); !reflect.DeepEqual(*h, workflow.HookResult{}) {
		t.Errorf("after the end: %+v", h)
	}
	if files, _ := filepath.Glob(filepath.Join(d.root, ".code-intel", "sessions", "*.jsonl")); len(files) != 0 {
		t.Errorf("a ledger was begun anew: %v", files)
	}
}

// A hook that runs twice for one call is heard once.
func TestHeardOnce(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start()
	e := writes("a.txt")
	e.Call = "c1"
	for range 2 {
		if h := d.hear(e); !h.Denied {
			t.Error("it is let through")
		}
	}
	if n := len(d.entries()); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestEventsInMidCall has a hook write while the server is between its decision
// and its checkpoint.
func TestEventsInMidCall(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	var heard bool
	d.server = d.process(func() time.Time {
		if st := d.hook.current(); st != nil && st.Phase == phases.QueryFrame && !heard {
			heard = true
			d.hear(reads("a.txt", 1, 1))
		}
		return time.Now()
	})
	d.start("--quick", "--no-doc")
	if a := d.must(aFrame); a.ReadyStep != "plan" || !heard {
		t.Fatalf("%+v, heard %v", a, heard)
	}
	if got := audit.Explored(d.entries()); len(got["a.txt"]) != 1 {
		t.Errorf("explored: %v", got)
	}
	if err := d.server.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err := d.process(time.Now).Status(t.Context(), StatusRequest{}); err != nil || a.ReadyStep != "plan" {
		t.Errorf("restored: %v, %v", a, err)
	}
}

// TestTwoProcesses has the hook, as a real process, and the server append at once.
func TestTwoProcesses(t *testing.T) {
	const each = 40
	if root := os.Getenv("HEAR_IN"); root != "" {
		d := &desk{t: t, root: root}
		d.hook = d.process(time.Now)
		for i := range each {
			e := writes("a.txt")
			e.Call = strconv.Itoa(i)
			if h := d.hear(e); !h.Denied || !h.Live {
				t.Errorf("%+v", h)
			}
		}
		return
	}
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$")
	cmd.Env = append(os.Environ(), "HEAR_IN="+d.root)
	done := make(chan error, 1)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		done <- err
	}()
	for range each {
		d.shows(d.server, "a.txt")
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	count := make(map[audit.Kind]int)
	for _, e := range d.entries() { // reading them verifies the chain
		count[e.Kind]++
	}
	if count[audit.Tool] != each || count[audit.Event] != each {
		t.Errorf("%v entries", count)
	}
}

// TestGuardWithoutServer denies what the phase denies although nobody leads the session,
// and says how to go on; once the session is abandoned, everything passes.
func TestGuardWithoutServer(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	id := d.start("--quick", "--no-doc").SessionID
	if err := d.server.Close(); err != nil {
		t.Fatal(err)
	}
	for _, e := range []clients.Event{writes("a.txt"), {Name: clients.Before, Kind: clients.Shell, Tool: "Bash", Command: "echo two > a.txt"}} {
		h := d.hear(e)
		if h.Live || !h.Denied {
			t.Fatalf("%s %s: denied %t, live %t", e.Kind, e.Command, h.Denied, h.Live)
		}
		if ways := fmt.Sprint(h.Next); !strings.Contains(ways, "code-intel session abandon "+id) || !strings.Contains(ways, "get_session_status") {
			t.Errorf("no way on: %s", ways)
		}
	}
	if h := d.hear(clients.Event{Name: clients.Before, Kind: clients.Shell, Tool: "Bash", Command: "cat a.txt"}); h.Denied {
		t.Errorf("reading is denied: %v", h.Reason)
	}
	d.server = d.process(time.Now) // resumed
	if _, err := d.server.Status(t.Context(), StatusRequest{}); err != nil {
		t.Fatal(err)
	}
	if h := d.hear(writes("a.txt")); !h.Denied || !h.Live {
		t.Errorf("after it was resumed: denied %t, live %t", h.Denied, h.Live)
	}
	if err := d.server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.process(time.Now).Abandon(t.Context(), id, "no longer wanted"); err != nil {
		t.Fatal(err)
	}
	if h := d.hear(writes("a.txt")); h.Denied {
		t.Errorf("after the end: %v", h.Reason)
	}
}

// TestForeignTools denies tools of other servers that do not say that they read, and what
// mayUse input that no hook hears of, unless files may be written or the user listed them.
func TestForeignTools(t *testing.T) {
	tool := func(name string, input string) clients.Event {
		e, err := registry.All.Parse("claude", "PreToolUse", []byte(`{"hook_event_name": "PreToolUse", "tool_name": "`+name+`", "tool_input": `+input+`}`))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	rename, shell := tool("mcp__serena__rename_symbol", `{"name": "x"}`), tool("mcp__serena__execute_shell_command", `{"command": "git commit -m x"}`)
	list := tool("mcp__serena__find_symbol", `{"name": "x"}`)
	stdin, err := registry.All.Parse("codex", "PreToolUse", []byte(`{"hook_event_name": "PreToolUse", "turn_id": "1", "tool_name": "write_stdin", "tool_input": {"session_id": 1, "chars": "!touch F\n"}}`))
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	d.start("--quick", "--no-doc")
	for _, e := range []clients.Event{rename, shell, stdin} {
		if h := d.hear(e); !h.Denied || !strings.Contains(fmt.Sprint(h.Next), "submit_phase") {
			t.Errorf("%s: denied %t, %v", e.Tool, h.Denied, h.Next)
		}
	}
	if h := d.hear(list); h.Denied {
		t.Errorf("%s: %v", list.Tool, h.Reason)
	}
	d.hook.project.Config.ReadOnlyCommands = []string{"mcp__serena"}
	if h := d.hear(rename); !h.Denied || !strings.Contains(fmt.Sprint(h.Next), "code-intel trust .code-intel/config.json") {
		t.Errorf("listed by nobody knows whom: denied %t, %v", h.Denied, h.Next)
	}
	d.trustCommands()
	if h := d.hear(rename); h.Denied {
		t.Errorf("listed by the user: %v", h.Reason)
	}
	d.hook.project.Config.ReadOnlyCommands = nil
	d.must(aFrame)
	d.must(`{"tasks": [{"id": "t1", "description": "Change a.txt", "checklist": [{"item": "a.txt says two"}]}], "tools_used": [], "summary": "One task."}`)
	if h := d.hear(rename); h.Denied {
		t.Errorf("in READY: %v", h.Reason)
	}
	if h := d.hear(shell); !h.Denied {
		t.Error("in READY, a command of another server commits")
	}
}

// TestWhoseChanges holds the report while nobody has said whose a change is, in each phase
// from the plan on, and takes the word of a person: theirs stays and is not the session's.
func TestWhoseChanges(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	d.start("--quick", "--no-doc")
	d.must(aFrame)
	d.write("b.txt", "by the user\n")
	const plan = `{"tasks": [{"id": "t1", "description": "Change a.txt", "checklist": [{"item": "a.txt says two"}]}], "tools_used": [], "summary": "One task."}`
	refused := func(data string) {
		t.Helper()
		_, err := d.submit(data)
		p := problem.Of(err)
		if p == nil || p.Code != changes.UnapprovedChanges || !strings.Contains(fmt.Sprint(p.Next), "code-intel session changes "+d.server.live.st.ID) {
			t.Fatalf("%v, with %v", err, p)
		}
	}
	say := func(option string) {
		t.Helper()
		q, changed, err := d.hook.Unclaimed(t.Context(), d.server.live.st.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"b.txt"}, changed.Files); diff != "" {
			t.Fatal(diff)
		}
		if err := changed.Decide(t.Context(), q, workflow.Choice{Option: option, Channel: "terminal"}); err != nil {
			t.Fatal(err)
		}
	}
	refused(plan)
	say(changes.Mine)
	d.must(plan)
	d.shows(d.server, "a.txt")
	if h := d.hear(writes("a.txt")); h.Denied {
		t.Fatal(h.Reason)
	}
	d.write("a.txt", "two\n")
	const report = `{"task_id": "t1", "checklist": [{"item": "a.txt says two", "status": "done", "evidence": "a.txt:1"}], "tools_used": [], "summary": "Done."}`
	d.write("b.txt", "by the user, again\n")
	refused(report)
	say(changes.Mine)
	d.must(report)
	turn, err := d.server.beginTurn()
	if err != nil {
		t.Fatal(err)
	}
	own, err := turn.Own(t.Context())
	if err != nil || len(own) != 1 || own[0].Path != "a.txt" {
		t.Errorf("the session's changes: %v, %v", own, err)
	}
	if diff := cmp.Diff([]string{"a.txt"}, turn.State.Tasks[0].Files); diff != "" {
		t.Errorf("what the task changed, which the verifiers and the report get: %s", diff)
	}
	d.write("b.txt", "by somebody\n")
	say(changes.OfSession)
	if own, err := turn.Own(t.Context()); err != nil || len(own) != 2 {
		t.Errorf("the session's changes: %v, %v", own, err)
	}
	if _, _, err := d.hook.Unclaimed(t.Context(), turn.State.ID); problem.Of(err) == nil {
		t.Errorf("something is still open: %v", err)
	}
}

// TestHints plays an agent that is getting nowhere with its own tools: what would help is
// said once, with the event of the call that shows it.
func TestHints(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": strings.Repeat("line\n", 100)})
	d.toWriting()
	said := func(e clients.Event) string { return d.hear(e).Context.String() }
	var call int
	tests := func(failed bool) clients.Event {
		call++
		return clients.Event{Client: "claude", Name: clients.After, Tool: "Bash", Kind: clients.Shell, Call: strconv.Itoa(call),
			Command: "make test", Output: "ok 1\ncart_test.go:9: error: 2 items\n", Failed: failed, Unproven: true}
	}
	for i, want := range []string{"", "", `explore(query="cart_test.go:9: error: 2 items")`, ""} {
		if got := said(tests(true)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("failure %d: %q", i+1, got)
		}
	}
	last := tests(true)
	last.Agent = "another"
	if got := said(last); got != "" {
		t.Errorf("the first failure of another agent: %q", got)
	}
	for i, want := range []string{"", "", "", `get_symbols(file_path="a.txt")`, ""} {
		e := reads("a.txt", 1+i*7%40, 5+i*7%40)
		e.Unproven = i > 0 // as long as nothing shows that it was read
		if got := said(e); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("read %d: %q", i+1, got)
		}
	}
	entries := d.entries()
	if text := fmt.Sprint(entries); strings.Contains(text, "make test") || strings.Contains(text, "cart_test.go") {
		t.Error("the ledger keeps commands, or what they print")
	}
}
