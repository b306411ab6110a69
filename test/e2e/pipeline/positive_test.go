package pipeline

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/test/tier"
)

var all = flag.Bool("all", false, "play every habit at every effort with all flags")

// manners are the habits that honest orchestrators have.
var manners = []struct {
	name string
	habits
}{
	{"reports as it asks", habits{}},
	{"reports by itself", habits{reports: true}},
	{"forgets the ticket", habits{forgets: true}},
	{"reports by itself and forgets the ticket", habits{reports: true, forgets: true}},
	{"asks twice", habits{before: func(o *orchestrator) {
		for range 2 {
			again := o.next(object{})
			if again.Str("ticket") != o.now.Str("ticket") || again.Str("type") != o.now.Str("type") || again.Str("prompt") != o.now.Str("prompt") {
				o.T.Errorf("asked again at %s, another action: %s", o.at(), again.Raw)
			}
		}
	}}},
	{"starts again between the actions", habits{
		before: func(o *orchestrator) {
			o.Stop()
			o.Serve()
			again := o.next(object{})
			if again.Str("ticket") != o.now.Str("ticket") {
				o.T.Errorf("after a restart at %s, another action: %s", o.at(), again.Raw)
			}
		},
		after: func(o *orchestrator, said object) object { // when the work is done, before it is reported
			o.Stop()
			o.Serve()
			return said
		},
	}},
	{"writes Japanese", habits{texts: &japanese, after: func(_ *orchestrator, said object) object {
		if said["user_response"] == "approve" {
			said["user_response"] = "承認します。よくできています。"
		}
		return said
	}}},
	{"is slow", habits{before: func(o *orchestrator) {
		if o.now.Str("type") == "checkpoint" {
			return
		}
		for range 2 { // not done yet
			again := o.next(object{"previous_action_complete": false, "ticket": o.now.Answer["ticket"]})
			if again.Str("ticket") != o.now.Str("ticket") || again.Str("warning") == "" {
				o.T.Errorf("not done at %s, another action: %s", o.at(), again.Raw)
			}
		}
	}, after: func(_ *orchestrator, said object) object {
		if said["previous_duration_ms"] != nil {
			said["previous_duration_ms"] = 7_200_000
		}
		return said
	}}},
}

// TestHonest has honest orchestrators run pipelines of each effort, with and without
// --auto and --nopr: all reach the end. With -all each habit is tried with each of the
// twelve; otherwise with each effort, and each combination with two habits.
func TestHonest(t *testing.T) {
	n := 0
	for _, effort := range []string{"S", "M", "L"} {
		for i, flags := range []string{"--nopr", "--auto --nopr", "", "--auto"} {
			for h, m := range manners {
				if !*all && (h+n)%4 != i || !tier.Whole() && h%3 != n {
					continue
				}
				t.Run(strings.ReplaceAll(fmt.Sprintf("%s %s %s", effort, flags, m.name), " ", "_"), func(t *testing.T) {
					t.Parallel()
					arguments := flags + " " + request
					if !strings.Contains(flags, "--nopr") {
						arguments = flags + " https://github.com/owner/repo/issues/42"
					}
					o := &orchestrator{fixture: newFixture(t, repository), habits: m.habits}
					o.answers = map[string]string{"post-to-source": "post"}
					o.begin(arguments, effort)
					o.play("")
					o.ended(flags)
				})
			}
		}
		n++
	}
}

// ended asserts the final state of an honest pipeline.
func (o *orchestrator) ended(flags string) {
	o.T.Helper()
	auto, pull := strings.Contains(flags, "--auto"), !strings.Contains(flags, "--nopr")
	o.wayIs(auto, pull)
	phases := map[string]int{"S": 7, "M": 10, "L": 11}[o.effort]
	skips := map[string]int{"S": 5, "M": 2, "L": 0}[o.effort]
	if want := fmt.Sprintf("Pipeline completed: %d phases, %d skipped", phases, skips); o.now.Str("summary") != want {
		o.T.Errorf("summary %q, want %q", o.now.Str("summary"), want)
	}
	if want := o.file("summary.md"); o.now.Str("summary_path") != want || o.now.Answer["ticket"] != nil || o.now.Str("warning") != "" {
		o.T.Errorf("at the end: %s", o.now.Raw)
	}
	o.whole()
	s := o.state()
	if s.Status != "completed" || s.Phase != "completed" || s.Ticket != nil || s.Effort != o.effort {
		o.T.Errorf("state: %+v", s)
	}
	if len(s.Log) != len(o.reported()) {
		o.T.Errorf("%d runs in the phase log, %d agents: %+v, %v", len(s.Log), len(o.reported()), s.Log, o.reported())
	}
	tokens := 0
	for _, l := range s.Log {
		tokens += l.Tokens
	}
	if spawned := o.spawned(); tokens != 1200*spawned {
		o.T.Errorf("%d tokens in the phase log, %d actions of agents", tokens, spawned)
	}
	o.decided(s, auto, pull)
	o.pulled(s, pull)
	o.told()
}

// wayIs compares the actions with the table of phases.
func (o *orchestrator) wayIs(auto, pull bool) {
	o.T.Helper()
	var want []string
	add := func(when bool, actions ...string) {
		if when {
			want = append(want, actions...)
		}
	}
	s, l := o.effort == "S", o.effort == "L"
	add(true, "setup", "analysis.md")
	add(!s, "investigation.md")
	add(true, "design.md")
	add(!s, "review-design.md")
	add(!auto, "checkpoint-a")
	add(s, "phase-5", "impl-1.md", "review-1.md")
	add(!s, "tasks.md")
	add(l, "review-tasks.md")
	add(l && !auto, "checkpoint-b")
	add(!s, "phase-5 [1 2]", "impl-3.md", "phase-6 [1 2 3]")
	add(true, "comprehensive-review.md", "final-verification.md")
	add(true, "summary.md")
	add(pull, "pr-creation")
	add(pull && !auto, "post-to-source", "post-to-source")
	add(true, "done")
	if !slices.Equal(o.trail, want) {
		o.T.Errorf("the way:\n%q\nwant:\n%q", o.trail, want)
	}
}

// whole asserts that the work is in git, and nothing else is.
func (o *orchestrator) whole() {
	o.T.Helper()
	if out := o.Git("status", "--porcelain", "--untracked-files=all"); out != "" {
		o.T.Errorf("the tree is not clean:\n%s", out)
	}
	if b := o.Git("branch", "--show-current"); b != o.state().Branch || b == "main" {
		o.T.Errorf("on %s, the pipeline's branch is %s", b, o.state().Branch)
	}
	if main := o.Git("log", "--format=%s", "main"); main != "Begin" {
		o.T.Errorf("main has moved:\n%s", main)
	}
	show, texts := []string{"show"}, ""
	for file := range changed {
		text := o.Read(file)
		if !strings.HasPrefix(text, changed[file]) {
			o.T.Errorf("%s holds %q", file, text)
		}
		show, texts = append(show, "HEAD:"+file), texts+text
	}
	if got := o.Git(show...) + "\n"; got != texts {
		o.T.Errorf("%q are committed otherwise than they are there:\n%s", show[1:], got)
	}
	names := []string{"state.json", "journal.jsonl", "request.md", "summary.md"}
	if o.effort != "XS" {
		names = append(names, "analysis.md", "design.md", "tasks.md", "improvement.md")
	}
	sizes := o.Git("-c", "core.quotePath=false", "ls-tree", "-r", "--format=%(objectsize) %(path)", "HEAD", o.ws+"/") + "\n"
	for _, name := range names {
		size, _, committed := strings.Cut(sizes, " "+o.file(name)+"\n")
		if !committed || strings.HasSuffix("\n"+size, "\n0") {
			o.T.Errorf("%s is not committed", name)
		}
	}
	others := strings.Fields(o.Git("diff", "--name-only", "main", "HEAD"))
	others = slices.DeleteFunc(others, func(f string) bool {
		return changed[f] != "" || slices.Contains(o.more, f) || strings.HasPrefix(f, o.ws+"/") || f == ".specs/index.json"
	})
	if len(others) > 0 {
		o.T.Errorf("committed besides: %v", others)
	}
}

// reported are the files that agents were asked for, in order.
func (o *orchestrator) reported() (names []string) {
	for _, at := range o.trail {
		switch {
		case strings.HasSuffix(at, ".md"):
			names = append(names, at)
		case strings.HasSuffix(at, "]"):
			names = append(names, strings.Fields(at)[1:]...)
		}
	}
	return names
}

// spawned is how many actions asked for agents.
func (o *orchestrator) spawned() (n int) {
	for _, at := range o.trail {
		if strings.HasSuffix(at, ".md") || strings.HasSuffix(at, "]") {
			n++
		}
	}
	return n
}

// decided compares the decisions with who made them.
func (o *orchestrator) decided(s state, auto, pull bool) {
	o.T.Helper()
	var got, want []string
	for _, d := range s.Decisions {
		got = append(got, d.Name+" "+d.Choice+" "+d.By)
	}
	by := "relayed"
	if auto {
		by = "auto"
	}
	want = append(want, "checkpoint-a approve "+by)
	if o.effort == "L" {
		want = append(want, "checkpoint-b approve "+by)
	}
	if pull && !auto {
		want = append(want, "post-to-source post relayed")
	}
	if !slices.Equal(got, want) {
		o.T.Errorf("decisions %q, want %q", got, want)
	}
}

// pulled asserts what GitHub was asked, and what it has.
func (o *orchestrator) pulled(s state, pull bool) {
	o.T.Helper()
	asked := o.asked()
	remote := o.Git("ls-remote", "origin", "refs/heads/"+s.Branch)
	if !pull {
		if len(asked) > 0 || remote != "" || s.Pull != "" {
			o.T.Errorf("--nopr, and gh was asked %q, pushed %q", asked, remote)
		}
		return
	}
	if len(asked) == 0 || !slices.Equal(asked[0][:3], []string{"pr", "create", "--title"}) || s.Pull != "https://github.com/owner/repo/pull/7" {
		o.T.Fatalf("gh was asked %q; pull request %q", asked, s.Pull)
	}
	if title := asked[0][3]; title != "feat: Greet people by name" {
		o.T.Errorf("the title: %s", title)
	}
	_, summary, _ := strings.Cut(o.Read(o.file("summary.md")), "\n") // without its heading
	if body := strings.Join(asked[0], " "); !strings.Contains(body, "\nCloses #42") || !strings.Contains(body, strings.TrimSpace(summary)) {
		o.T.Errorf("the body: %s", body)
	}
	if head := o.Git("rev-parse", "HEAD"); !strings.HasPrefix(remote, head) {
		o.T.Errorf("pushed is %q, HEAD is %s", remote, head)
	}
	posted := slices.ContainsFunc(asked, func(argv []string) bool { return argv[0] == "issue" && argv[1] == "comment" })
	if want := slices.Contains(o.trail, "post-to-source"); posted != want {
		o.T.Errorf("posted: %v, want %v: %q", posted, want, asked)
	}
}

// told asserts that the journal tells all: each action that was handed out, once,
// and how it ended; and that the history has the pipeline.
func (o *orchestrator) told() {
	o.T.Helper()
	open := ""
	for i, e := range o.journal() {
		if e.Seq != i+1 {
			o.T.Errorf("line %d of the journal has the number %d", i+1, e.Seq)
		}
		switch e.Event {
		case "handed_out":
			if open != "" {
				o.T.Errorf("%s was handed out while %s was outstanding", e.Ticket, open)
			}
			open = e.Ticket
		case "reported", "decided":
			if e.By != "auto" && e.Ticket != open {
				o.T.Errorf("%s of ticket %q, outstanding is %q", e.Event, e.Ticket, open)
			}
			open = ""
		case "report_refused", "not_understood":
			o.T.Errorf("an honest report was refused: %+v", e)
		}
	}
	var index struct {
		Entries []struct{ Workspace, Status string }
	}
	if err := json.Unmarshal([]byte(o.Read(".specs/index.json")), &index); err != nil {
		o.T.Fatal(err)
	}
	if len(index.Entries) != 1 || index.Entries[0].Workspace != o.ws || index.Entries[0].Status != "completed" {
		o.T.Errorf("index.json: %+v (%s)", index, filepath.Base(o.ws))
	}
}
