package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/pipeline/github"
	"codeintel/internal/problem"
)

// A branch is named so that it can be made here and pushed.
func TestBranchNamesThatAreTaken(t *testing.T) {
	for _, tt := range []struct {
		name string
		git  []string
		want string
	}{
		{"nothing", []string{"branch", "other"}, "feature/greet-people"},
		{"the name", []string{"branch", "feature/greet-people"}, "feature/greet-people-2"},
		{"a longer name", []string{"branch", "feature/greet-people/x"}, "feature/greet-people-2"},
		{"the name at the remote", []string{"update-ref", "refs/remotes/origin/feature/greet-people", "HEAD"}, "feature/greet-people-2"},
		{"the type", []string{"branch", "feature"}, "feature-greet-people"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStand(t)
			st.git(tt.git...)
			st.begin("--nopr greet people", "S")
			if got := st.state().Branch; got != tt.want {
				t.Errorf("branch %s, want %s", got, tt.want)
			}
			st.git("switch", "-q", "-c", st.state().Branch)
		})
	}
}

// Where nothing of an issue was fetched, the answer says so.
func TestNothingFetched(t *testing.T) {
	st := newStand(t)
	init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: issueURL}))
	r := ContextRequest{Workspace: init["workspace"].(string), SourceURL: issueURL}
	said := func() string {
		asks := st.reply(st.s.InitWithContext(t.Context(), r))["needs_user_confirmation"].(map[string]any)
		return asks["message"].(string)
	}
	for _, external := range []string{"", "{}", `{"github_title": " ", "github_body": "", "github_labels": ["bug"]}`} {
		r.ExternalContext = json.RawMessage(external)
		if got := said(); !strings.Contains(got, "external_context contains nothing of the issue") {
			t.Errorf("%q: %s", external, got)
		}
	}
	r.ExternalContext = json.RawMessage(`{"github_title": "Greet"}`)
	if got := said(); strings.Contains(got, "external_context contains nothing of the issue") {
		t.Errorf("fetched: %s", got)
	}
}

// Flags that come with a workspace change nothing, and the answer says so.
func TestResumeWithFlags(t *testing.T) {
	st := newStand(t)
	st.begin("--nopr greet people", "S")
	if got := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: st.ws})); got["warning"] != nil {
		t.Errorf("%v", got)
	}
	if got := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "--auto " + st.ws})); got["resume_mode"] != "auto" || !strings.Contains(fmt.Sprint(got["warning"]), "ignored") {
		t.Errorf("%v", got)
	}
}

// What was typed as --effort holds where nobody is asked.
func TestEffortOfAuto(t *testing.T) {
	st := newStand(t)
	for flags, wrong := range map[string]bool{"--auto --effort=L": true, "--effort=L": false, "--auto": false, "--auto --effort=s": false} {
		init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: flags + " greet people"}))
		given, err := json.Marshal(init["flags"])
		if err != nil {
			t.Fatal(err)
		}
		got := st.reply(st.s.InitWithContext(t.Context(), ContextRequest{Workspace: init["workspace"].(string), Flags: given, TaskText: "greet people", UserConfirmation: json.RawMessage(`{"effort": "S"}`)}))
		if (got["errors"] != nil) != wrong {
			t.Errorf("%s, confirmed as S: %v", flags, got)
		}
	}
}

// TestEffortThatTheRequestNeeds: where nobody is asked, less effort than the request needs has to be typed; the
// calls after the first one cannot make the request smaller.
func TestEffortThatTheRequestNeeds(t *testing.T) {
	const large = "Redesign the architecture, migrate the database and rewrite the API across all services"
	for flags, efforts := range map[string]map[string]bool{
		"--auto":             {"XS": true, "S": true, "M": true, "L": false, "": false},
		"--auto --effort=XS": {"XS": false},
		"":                   {"XS": false, "S": false},
	} {
		for effort, wrong := range efforts {
			st := newStand(t)
			init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: flags + " " + large}))
			given, err := json.Marshal(init["flags"])
			if err != nil {
				t.Fatal(err)
			}
			call := ContextRequest{Workspace: init["workspace"].(string), Flags: given, TaskText: large}
			st.reply(st.s.InitWithContext(t.Context(), call))
			call.TaskText, call.UserConfirmation = "Fix a typo", json.RawMessage(`{"effort": "`+effort+`"}`)
			got := st.reply(st.s.InitWithContext(t.Context(), call))
			if (got["errors"] != nil) != wrong {
				t.Errorf("%s, confirmed as %s: %v", flags, effort, got)
			}
		}
	}
}

// What git cannot read keeps a report from being taken, and the answer names it.
func TestTreeThatGitCannotRead(t *testing.T) {
	r := newRobot(t, "--auto --nopr greet people by name", "S")
	a := r.walk(at("spawn_agent phase-5"))
	req := r.do(a)
	if err := os.Remove(filepath.Join(r.root, "main.go")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", filepath.Join(r.root, "main.go")).CombinedOutput(); err != nil {
		t.Skipf("no pipes here: %v %s", err, out)
	}
	req.Workspace = r.ws
	_, err := r.s.NextAction(t.Context(), req)
	if p := problem.Of(err); p == nil || p.Code != BadTree || !strings.Contains(p.Message.String(), "main.go") {
		t.Fatalf("%v", err)
	}
	r.git("checkout", "-q", "-f", "--", "main.go")
	if a = r.next(req); line(a) != "spawn_agent phase-6 impl-reviewer review-1.md" {
		t.Errorf("%s", line(a))
	}
	// A link is judged as git has it, wherever it leads: the person is asked about it.
	if err := errors.Join(os.Remove(filepath.Join(r.root, "greet.go")), os.Symlink("/dev/zero", filepath.Join(r.root, "greet.go"))); err != nil {
		t.Fatal(err)
	}
	if a = r.next(r.do(a)); line(a) != "checkpoint changed-after-review" || !strings.Contains(a["warning"].(string), "greet.go changed while") {
		t.Errorf("%s: %v", line(a), a["warning"])
	}
}

// A hook that formats what is committed leaves nothing behind.
func TestCommitHookThatFormats(t *testing.T) {
	r := newRobot(t, "--auto --nopr greet people by name", "S")
	r.answers["changed-after-review"] = "mine" // the file that is staged below
	r.write(".git/hooks/pre-commit", "#!/bin/sh\ngrep -q formatted greet.go && exit 0\necho '// formatted' >> greet.go\necho made > made.txt\ngit add greet.go made.txt\n")
	if err := os.Chmod(filepath.Join(r.root, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("mine.txt", "staged\n")
	r.git("add", "mine.txt")
	a := r.walk(at("spawn_agent phase-6"))
	if !strings.Contains(a["warning"].(string), "contains made.txt, which a commit hook has added") || fmt.Sprint(r.state().Tasks[0].Claimed) != "[greet.go made.txt]" {
		t.Errorf("%v: %v", a["warning"], r.state().Tasks[0].Claimed)
	}
	r.walkOn(a, nil)
	if got := r.git("status", "--porcelain"); got != "A  mine.txt" {
		t.Errorf("left behind:\n%s", got)
	}
	if got := r.git("show", "HEAD:greet.go"); !strings.Contains(got, "formatted") || r.git("show", "HEAD:made.txt") != "made" {
		t.Errorf("committed: %s", got)
	}
}

// A pull request that only the orchestrator tells of is one of this repository.
func TestPullRequestElsewhere(t *testing.T) {
	st := newStand(t)
	repo, err := st.s.repository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tr := github.Branch{Repo: repo}
	for _, tt := range []struct {
		remote, pull string
		want         bool
	}{
		{"git@github.com:owner/repo.git", "https://github.com/owner/repo/pull/7", false},
		{"https://github.com/Owner/Repo", "https://github.com/owner/repo/pull/7", false},
		{"https://user:word@github.com/owner/repo.git", "https://github.com/owner/repo/pull/7", false},
		{"ssh://git@ghe.example.com:22/owner/repo.git", "https://ghe.example.com/owner/repo/pull/7", false},
		{"git@github.com:owner/repo.git", "https://github.com/other/repo/pull/7", true},
		{"git@github.com:owner/repo.git", "https://evil.example.com/owner/repo/pull/7", true},
		{"/srv/git/repo.git", "https://github.com/other/repo/pull/7", false},
	} {
		st.git("config", "remote.origin.url", tt.remote)
		if got := tr.IsElsewhere(t.Context(), tt.pull); got != tt.want {
			t.Errorf("%s at %s: %v", tt.pull, tt.remote, got)
		}
	}
	st.git("config", "remote.upstream.url", "https://github.com/other/repo")
	st.git("config", "remote.origin.url", "git@github.com:owner/repo.git")
	if tr.IsElsewhere(t.Context(), "https://github.com/other/repo/pull/7") {
		t.Error("a pull request upstream is elsewhere")
	}
	st.git("config", "--remove-section", "remote.upstream")
	st.git("config", "--remove-section", "remote.origin")
	if tr.IsElsewhere(t.Context(), "https://github.com/other/repo/pull/7") {
		t.Error("without remotes, all is elsewhere")
	}
}

// What was committed after the user confirmed is nobody's, unless a remote has it.
func TestWhereTheWorkBegins(t *testing.T) {
	for _, published := range []bool{false, true} {
		r := newRobot(t, "--auto --nopr greet people by name", "S")
		was := r.git("rev-parse", "HEAD")
		a := r.walk(at("exec setup"))
		req := r.do(a)
		r.write("besides.go", "package main\n")
		r.git("add", "besides.go")
		r.git("commit", "-q", "-m", "Besides")
		if published { // as whoever writes here can say
			r.git("update-ref", "refs/remotes/origin/main", "HEAD")
		}
		r.next(req)
		if got := r.state().BaseCommit; got != was {
			t.Errorf("published %v: the work begins at %s, confirmed at %s", published, got, was)
		}
	}
}
