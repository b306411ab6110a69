package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const pullURL = "https://github.com/owner/repo/pull/7"

// reviewed lays out what GitHub tells of the pull request: a comment at a line and a review.
// The stand-in of gh adds what is posted.
func (o *orchestrator) reviewed(branch string, change func(pull object)) {
	o.T.Helper()
	alice := object{"login": "alice", "__typename": "User"}
	comment := func(text string) object {
		return object{"author": alice, "body": text, "url": pullURL + "#r1", "createdAt": "2030-01-01T00:00:00Z"}
	}
	review := comment("Say farewell louder.")
	review["state"] = "CHANGES_REQUESTED"
	pull := object{"__typename": "PullRequest", "url": pullURL, "title": "feat: Greet people by name", "body": "Greets.", "state": "OPEN", "headRefName": branch, "baseRefName": "main",
		"labels": object{"nodes": []any{}},
		"reviewThreads": object{"totalCount": 1, "nodes": []any{object{"path": "greet.py", "line": 2,
			"comments": object{"totalCount": 1, "nodes": []any{comment("Greet with an exclamation mark.")}}}}},
		"reviews": object{"totalCount": 1, "nodes": []any{review}}, "comments": object{"totalCount": 0, "nodes": []any{}}}
	if change != nil {
		change(pull)
	}
	write := func(file string) {
		data, err := json.Marshal(object{"data": object{"repository": object{"defaultBranchRef": object{"name": "main"}, "pullRequest": pull}}})
		if err != nil {
			o.T.Fatal(err)
		}
		o.Write(".git/"+file, string(data))
	}
	write("gh-pull.json")
	if o.ws == "" {
		return
	}
	pull["comments"] = object{"totalCount": 1, "nodes": []any{object{"author": alice, "viewerDidAuthor": true,
		"body": "The review comments\n\n<!-- code-intel: " + o.ws + " -->", "url": pullURL, "createdAt": "2030-01-02T00:00:00Z"}}}
	write("gh-pull-answered.json")
}

// louder does the first comment and declines the second.
func louder(answer1, answer2 string) func(o *orchestrator, name string) bool {
	return func(o *orchestrator, name string) bool {
		switch {
		case strings.HasPrefix(name, "impl-"):
			o.Write("greet.py", fmt.Sprintf("def greet(name):\n    return 'hello ' + name + '!'\n\nvolume = %d\n", len(o.trail)))
			o.written[name]++
			o.Write(o.file(name), report(english.impl, []string{"greet.py"})+fmt.Sprintf("\n(%d)\n", o.written[name]))
			return true
		case name == "review-1.md" && o.effort == "XS", name == "final-verification.md":
			form := english.code
			if name == "final-verification.md" {
				form = english.final
			}
			o.written[name]++
			o.Write(o.file(name), fmt.Sprintf(form, proof([]string{"greet.py"})+answer1+answer2)+fmt.Sprintf("\n(%d)\n", o.written[name]))
			return true
		case strings.HasPrefix(name, "review-") && name != "review-design.md" && name != "review-tasks.md":
			o.written[name]++
			o.Write(o.file(name), fmt.Sprintf(english.code, proof([]string{"greet.py"}))+fmt.Sprintf("\n(%d, of %s)\n", o.written[name], strings.Repeat(name, o.written[name])))
			return true
		}
		return false
	}
}

const (
	done1     = "- C1: an exclamation mark is printed → `greet.py:2`\n"
	done2     = "- C2: it is louder → `greet.py:2`\n"
	declined2 = "- C2: declined: farewell is printed by another team's program\n"
)

// pulledOnce brings an issue to its pull request and has that reviewed.
func pulledOnce(t *testing.T, change func(pull object)) (o *orchestrator, branch string) {
	t.Helper()
	o = newOrchestrator(t, "https://github.com/owner/repo/issues/42", "XS")
	o.play("")
	branch = o.state().Branch
	o.Git("switch", "-q", "main")
	again := &orchestrator{fixture: o.fixture}
	again.reviewed(branch, change)
	return again, branch
}

// TestPullRequest takes a pull request that was reviewed up again: on its branch, with each
// comment as a criterion, and answers below it.
func TestPullRequest(t *testing.T) {
	for _, effort := range []string{"XS", "S"} {
		for local, lay := range map[string]func(o *orchestrator, branch string){
			"as it was": func(*orchestrator, string) {},
			"gone":      func(o *orchestrator, branch string) { o.Git("branch", "-q", "-D", branch) },
			"behind":    func(o *orchestrator, branch string) { o.Git("branch", "-q", "-f", branch, branch+"~1") },
			"here":      func(o *orchestrator, branch string) { o.Git("switch", "-q", branch) },
			"here, behind": func(o *orchestrator, branch string) {
				o.Git("branch", "-q", "-f", branch, branch+"~1")
				o.Git("switch", "-q", branch)
			},
		} {
			if effort == "S" && local != "gone" {
				continue
			}
			t.Run(effort+" "+local, func(t *testing.T) {
				t.Parallel()
				o, branch := pulledOnce(t, nil)
				lay(o, branch)
				o.takenUp(branch, effort)
			})
		}
	}
}

// TestPullRequestByNumber: GitHub counts issues and pull requests in one row, and so people
// name one like the other.
func TestPullRequestByNumber(t *testing.T) {
	for _, address := range []string{"owner/repo#7", "https://github.com/owner/repo/issues/7"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			o, branch := pulledOnce(t, nil)
			o.works = louder(done1, done2)
			o.begin(address, "XS")
			o.reviewed(branch, nil)
			o.play("")
			if s := o.state(); s.Status != "completed" || s.Branch != branch || s.Pull != pullURL {
				t.Errorf("%s, %+v", o.now.Raw, s)
			}
		})
	}
	t.Run("an issue as a pull request", func(t *testing.T) {
		t.Parallel()
		o := &orchestrator{fixture: newFixture(t, repository)}
		init := o.ok("pipeline_init", object{"arguments": "https://github.com/owner/repo/pull/42"})
		r := o.Call(nil, "pipeline_init_with_context", object{"workspace": init.Answer["workspace"]})
		if said := strings.Join(r.List("errors"), "\n"); !strings.Contains(said, "/forge https://github.com/owner/repo/issues/42") {
			t.Errorf("%s", r.Raw)
		}
	})
}

// TestFailedChecks: what failed on the last commit is a criterion like a comment.
func TestFailedChecks(t *testing.T) {
	t.Parallel()
	failing := func(pull object) {
		delete(pull, "reviewThreads")
		delete(pull, "reviews")
		pull["commits"] = object{"nodes": []any{object{"commit": object{"statusCheckRollup": object{"contexts": object{"totalCount": 2, "nodes": []any{
			object{"__typename": "CheckRun", "name": "lint", "conclusion": "FAILURE", "title": "greet.py:2: missing exclamation mark", "completedAt": "2030-01-01T00:00:00Z"},
			object{"__typename": "CheckRun", "name": "test", "conclusion": "SUCCESS", "completedAt": "2030-01-01T00:00:00Z"},
		}}}}}}}
	}
	o, branch := pulledOnce(t, failing)
	o.works = louder("", "")
	o.begin(pullURL, "XS")
	o.reviewed(branch, failing)
	o.play("review-1.md")
	if o.step(); o.at() != "review-1.md" || !strings.Contains(o.now.Raw, "Comment C1 of the check lint is not answered") {
		t.Fatalf("%s", o.now.Raw)
	}
	o.works = louder(done1, "")
	o.play("")
	if s := o.state(); s.Status != "completed" || !strings.Contains(o.Read(o.file("request.md")), "missing exclamation mark") {
		t.Errorf("%s, %+v", o.now.Raw, s)
	}
}

// TestPostedOnce: an orchestrator that dies when it has posted a comment, and asks again,
// posts no second one.
func TestPostedOnce(t *testing.T) {
	dies := habits{after: func(o *orchestrator, said object) object {
		if argv := o.now.List("commands"); len(argv) > 2 && argv[2] == "comment" {
			return object{}
		}
		return said
	}}
	posts := func(o *orchestrator) (n int) {
		for _, argv := range o.asked() {
			if argv[1] == "comment" {
				n++
			}
		}
		return n
	}
	t.Run("below an issue", func(t *testing.T) {
		t.Parallel()
		o := &orchestrator{fixture: newFixture(t, repository), habits: dies, answers: map[string]string{"post-to-source": "post"}}
		o.begin("https://github.com/owner/repo/issues/42", "XS")
		o.play("")
		if n := posts(o); n != 1 || o.state().Status != "completed" {
			t.Errorf("posted %d times: %v", n, o.trail)
		}
	})
	t.Run("below a pull request", func(t *testing.T) {
		t.Parallel()
		o, branch := pulledOnce(t, nil)
		before := posts(o)
		o.works, o.after = louder(done1, done2), dies.after
		o.begin(pullURL, "XS")
		o.reviewed(branch, nil)
		o.play("")
		if n := posts(o) - before; n != 1 || o.state().Status != "completed" {
			t.Errorf("posted %d times: %v", n, o.trail)
		}
	})
}

func (o *orchestrator) takenUp(branch, effort string) {
	t := o.T
	pushed, _, _ := strings.Cut(o.Git("ls-remote", "origin", "refs/heads/"+branch), "\t")
	o.works = louder(done1, declined2)
	o.begin(pullURL, effort)
	o.reviewed(branch, nil)
	if !slices.Contains(o.trail, "setup") && o.Git("branch", "--show-current") != branch {
		t.Fatalf("the branch is not switched to: %v", o.trail)
	}
	o.play("comments-declined")
	if said := o.now.Str("present_to_user"); !strings.Contains(said, "Say farewell louder") || !strings.Contains(said, "another team") || strings.Contains(said, "exclamation mark") {
		t.Errorf("a person is asked: %s", said)
	}
	o.play("pr-creation")
	argv := o.now.List("commands")
	if !slices.Equal(argv[:4], []string{"gh", "pr", "comment", pullURL}) || !strings.Contains(argv[5], "C1: an exclamation mark") ||
		!strings.Contains(argv[5], "C2: declined: farewell") || !strings.Contains(argv[5], "code-intel: "+o.ws) {
		t.Errorf("the answer: %q", argv)
	}
	o.play("")
	s := o.state()
	if s.Status != "completed" || s.Branch != branch || s.Pull != pullURL || o.now.Str("warning") != "" {
		t.Errorf("the end: %s, %+v", o.now.Raw, s)
	}
	if subject := o.Git("log", "-1", "--format=%s", "HEAD~1"); !strings.HasPrefix(subject, "feat: Answer the review of #7") && effort == "XS" {
		t.Errorf("the work is committed as %q", subject)
	}
	now, _, _ := strings.Cut(o.Git("ls-remote", "origin", "refs/heads/"+branch), "\t")
	if now != o.Git("rev-parse", "HEAD") || now == pushed {
		t.Errorf("pushed is %s, before %s, HEAD is %s", now, pushed, o.Git("rev-parse", "HEAD"))
	}
	o.Git("merge-base", "--is-ancestor", pushed, now) // no commit is lost
	for _, argv := range o.asked()[2:] {
		if argv[0] == "pr" && argv[1] == "create" {
			t.Errorf("gh was asked %q", argv)
		}
	}
	text := o.Read(o.file("request.md"))
	for _, want := range []string{"### C1: alice, `greet.py:2`", "> Greet with an exclamation mark.", "### C2: alice", "source_type: github_pull_request"} {
		if !strings.Contains(text, want) {
			t.Errorf("request.md lacks %q:\n%s", want, text)
		}
	}
}

// TestPullRequestAnswers: an approval that answers not every comment is not taken, and a
// person can have declined ones done.
func TestPullRequestAnswers(t *testing.T) {
	for name, lie := range map[string]struct{ first, second, way string }{
		"silent":            {done1, "", "Comment C2 of alice is not answered"},
		"elsewhere":         {done1, "- C2: it is louder → `README.md:1`\n", "names no place in what was changed"},
		"without a reason":  {done1, "- C2: declined: no\n", "declined without a reason"},
		"not yet":           {done1, "- C2: not done\n", "not met"},
		"another's comment": {"- C11: done → `greet.py:2`\n", done2, "Comment C1 of alice is not answered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := pulledOnce(t, nil)
			o.works = louder(lie.first, lie.second)
			o.begin(pullURL, "XS")
			o.play("review-1.md")
			if o.step(); o.at() != "review-1.md" || !strings.Contains(o.now.Raw, lie.way) && name != "not yet" {
				t.Errorf("%s", o.now.Raw)
			}
		})
	}
	for _, effort := range []string{"XS", "S"} {
		t.Run("a person wants it done, "+effort, func(t *testing.T) {
			t.Parallel()
			o, branch := pulledOnce(t, nil)
			o.works = louder(done1, declined2)
			o.begin("--auto --effort="+effort+" "+pullURL, effort)
			o.reviewed(branch, nil)
			o.answers = map[string]string{"comments-declined": "guide: it is ours since May"}
			o.play("comments-declined")
			o.works = louder(done1, done2)
			o.step()
			if at := o.at(); !strings.HasPrefix(at, "impl-") || !strings.Contains(o.now.Str("prompt"), "it is ours since May") {
				t.Fatalf("after guide: %s", o.now.Raw)
			}
			o.play("")
			if s := o.state(); s.Status != "completed" || slices.Index(o.trail, "comments-declined") != len(o.trail)-slices.Index(reversed(o.trail), "comments-declined")-1 {
				t.Errorf("%v, %+v", o.trail, s)
			}
		})
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// TestPullRequestRefused: what cannot be brought up to date says what to do instead.
func TestPullRequestRefused(t *testing.T) {
	t.Parallel()
	o, branch := pulledOnce(t, nil)
	for name, c := range map[string]struct {
		change func(pull object)
		says   string
	}{
		"merged":       {func(p object) { p["state"] = "MERGED" }, "closed or merged"},
		"a fork":       {func(p object) { p["isCrossRepository"] = true }, "gh pr checkout 7"},
		"main":         {func(p object) { p["headRefName"] = "main" }, "a main branch"},
		"all resolved": {func(p object) { delete(p, "reviewThreads"); delete(p, "reviews") }, "no review comment and no failed check left"},
	} {
		o.reviewed(branch, c.change)
		init := o.ok("pipeline_init", object{"arguments": pullURL, "current_branch": "main"})
		r := o.Call(nil, "pipeline_init_with_context", object{"workspace": init.Answer["workspace"], "flags": init.Answer["flags"],
			"source_url": init.Answer["source_url"], "external_context": object{"github_body": "> nothing to do"}})
		if said := strings.Join(r.List("errors"), "\n"); !strings.Contains(said, c.says) {
			t.Errorf("%s: %s", name, r.Raw)
		}
	}
	o.reviewed(branch, nil)
	o.Git("switch", "-q", branch)
	o.Write("greet.py", "mine\n")
	o.Git("commit", "-qam", "Mine")
	o.Git("switch", "-q", "main")
	o.confirm(pullURL, "XS")
	r := o.next(object{})
	if !r.Refused || r.Str("error") != "branch_diverged" || !strings.Contains(r.Raw, "git push origin "+branch) {
		t.Fatalf("commits that the pull request lacks: %s", r.Raw)
	}
	o.Git("push", "-q", "origin", branch)
	if r = o.next(object{}); r.Str("type") != "exec" || !slices.Equal(r.List("commands"), []string{"git", "switch", branch}) {
		t.Errorf("when they are pushed: %s", r.Raw)
	}
}

// TestPullRequestClosedMeanwhile: work on a pull request that is merged or closed before it is done
// reaches nobody by its branch, so nothing is pushed, and a person says what becomes of it.
func TestPullRequestClosedMeanwhile(t *testing.T) {
	for _, answer := range []string{"retry", "skip"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			o, branch := pulledOnce(t, nil)
			o.works = louder(done1, done2)
			o.begin(pullURL, "XS")
			o.play("summary.md")
			_, was := o.Exec("git", "ls-remote", o.origin, branch)
			o.reviewed(branch, func(pull object) { pull["state"] = "MERGED" })
			if o.step(); o.at() != "push-failed" || !strings.Contains(o.now.Str("present_to_user"), "closed or merged meanwhile") {
				t.Fatalf("after the summary: %s", o.now.Raw)
			}
			if _, is := o.Exec("git", "ls-remote", o.origin, branch); is != was {
				t.Errorf("pushed: %s", is)
			}
			if answer == "retry" {
				o.reviewed(branch, nil)
			}
			o.answers = map[string]string{"push-failed": answer}
			o.play("")
			s := o.state()
			if s.Status != "completed" || s.Pushed != (answer == "retry") || slices.Contains(o.trail, "pr-creation") != (answer == "retry") {
				t.Errorf("%+v: %v", s, o.trail)
			}
		})
	}
}

// TestReopened goes on where a pipeline has ended.
func TestReopened(t *testing.T) {
	t.Run("without a pull request", func(t *testing.T) {
		t.Parallel()
		o := newOrchestrator(t, "--nopr "+request, "XS")
		o.play("")
		before, branch := o.ws, o.state().Branch
		r := o.Call(nil, "pipeline_init", object{"arguments": before})
		if said := strings.Join(r.List("errors"), "\n"); !strings.Contains(said, "/forge "+before+" and what is to be done") {
			t.Fatalf("%s", r.Raw)
		}
		again := &orchestrator{fixture: o.fixture}
		again.works = louder("", "")
		again.begin("--nopr "+before+" Greet with an exclamation mark", "XS")
		if again.play("impl-1.md"); !slices.Contains(strings.Split(again.now.Str("prompt"), "\n"), "- "+before+"/summary.md (what the pipeline before this one did on the branch)") {
			t.Errorf("the prompt: %s", again.now.Str("prompt"))
		}
		again.play("")
		if s := again.state(); s.Status != "completed" || s.Branch != branch || again.ws == before {
			t.Errorf("%+v", s)
		}
		if text := again.Read(again.file("request.md")); !strings.Contains(text, "Greet with an exclamation mark") {
			t.Errorf("%s", text)
		}
	})
	t.Run("with a pull request", func(t *testing.T) {
		t.Parallel()
		o, branch := pulledOnce(t, nil)
		o.Git("switch", "-q", branch)
		before := strings.Fields(o.Git("ls-tree", "--name-only", branch, ".specs/"))[0]
		o.works = louder("", "")
		o.begin(before+" Greet with an exclamation mark", "XS")
		o.reviewed(branch, nil)
		o.play("")
		if s := o.state(); s.Status != "completed" || s.Branch != branch || s.Pull != pullURL || o.now.Str("warning") != "" {
			t.Errorf("%s, %+v", o.now.Raw, s)
		}
	})
	t.Run("not ended", func(t *testing.T) {
		t.Parallel()
		o := newOrchestrator(t, "--nopr "+request, "XS")
		r := o.Call(nil, "pipeline_init", object{"arguments": o.ws + " and more"})
		if said := strings.Join(r.List("errors"), "\n"); !strings.Contains(said, "has not ended") {
			t.Errorf("%s", r.Raw)
		}
		if r := o.ok("pipeline_init", object{"arguments": ".specs/20200101-none is not documented"}); r.Str("source_type") != "text" {
			t.Errorf("%s", r.Raw)
		}
	})
}
