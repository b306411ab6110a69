package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/test/e2e/harness"
	"codeintel/test/tier"
)

// A place is a repository of an unusual kind, in which an honest pipeline reaches its end.
type place struct {
	effort  string                      // "": S
	flags   string                      // "": --auto
	typed   string                      // "": the usual request
	slug    string                      // "": the usual one
	texts   *texts                      // nil: English
	at      func(t *testing.T) *fixture // nil: the usual project
	lay     func(o *orchestrator)       // before the pipeline begins; may be nil
	works   func(o *orchestrator, file string) bool
	before  map[string]func(o *orchestrator)
	answers map[string]string // to what a person is asked besides
	left    string            // what git status says at the end
	noPull  bool              // none can be opened there
	ends    func(o *orchestrator)
}

// cloned is a fixture in a clone of the usual project's remote.
func cloned(options ...string) func(t *testing.T) *fixture {
	return func(t *testing.T) *fixture {
		first := newFixture(t, repository)
		first.Write("docs/page.md", "# Page\n")
		first.Git("add", "-A")
		first.Git("commit", "-q", "-m", "Document it")
		first.Git("push", "-q", "origin", "main")
		first.Stop()
		dir := filepath.Join(first.Beside("clones"), "clone")
		first.Git(append(append([]string{"clone", "-q"}, options...), "file://"+first.origin, dir)...)
		st := &fixture{harness.At(t, dir), first.origin}
		st.Serve()
		return st
	}
}

// withoutCommit is a fixture in which nothing was committed yet.
func withoutCommit(t *testing.T) *fixture {
	p := harness.Lay(t, repository)
	st := &fixture{p, p.Beside("origin.git")}
	st.Git("init", "-q", "-b", "main")
	st.Git("init", "-q", "--bare", "-b", "main", st.origin)
	st.Git("remote", "add", "origin", st.origin)
	st.Serve()
	return st
}

// alsoDoes does the work of the only task, and something else with it.
func alsoDoes(does func(o *orchestrator) (files []string)) func(o *orchestrator, name string) bool {
	return func(o *orchestrator, name string) bool {
		if name != "impl-1.md" {
			return false
		}
		for f, now := range changed {
			o.Write(f, now)
		}
		o.more = does(o)
		o.written[name]++
		o.Write(o.file(name), report(english.impl, append(o.files(name), o.more...)))
		return true
	}
}

// thousands writes so many files, and one that is no text.
func thousands(o *orchestrator) (files []string) {
	for i := range tier.Number(300, 3000) {
		f := fmt.Sprintf("data/%02d/greeting%d.py", i%40, i)
		o.Write(f, fmt.Sprintf("greeting = %d\n", i))
		files = append(files, f)
	}
	o.Write("logo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")
	return append(files, "logo.png")
}

func moves(from, to string) func(o *orchestrator) []string {
	return func(o *orchestrator) []string {
		o.Git("mv", from, to)
		return strings.Fields(o.Git("diff", "--cached", "--no-renames", "--name-only", "HEAD"))
	}
}

// remote names a repository of GitHub that lies in a folder.
func (o *orchestrator) remote(name, repository, dir string) {
	url := "https://github.com/" + repository + ".git"
	o.Git("config", "remote."+name+".url", url)
	o.Git("config", "remote."+name+".fetch", "+refs/heads/*:refs/remotes/"+name+"/*")
	o.Git("config", "url."+dir+".insteadOf", url)
}

// fork is a copy of what the work is pushed to.
func (o *orchestrator) fork() string {
	dir := o.Beside("fork.git")
	o.Git("clone", "-q", "--bare", o.origin, dir)
	return dir
}

// opensFrom wants the pull request to be opened from the branch of an owner ("me:"), and the branch to be pushed
// to the remote in that folder; "": to the usual one.
func opensFrom(owner, dir string) func(o *orchestrator) {
	return func(o *orchestrator) {
		branch := o.state().Branch
		if argv := o.asked()[0]; argv[slices.Index(argv, "--head")+1] != owner+branch {
			o.T.Errorf("opened by %q", argv)
		}
		at := o.origin
		if dir != "" {
			at = o.Beside(dir)
		}
		if o.Git("-C", at, "rev-parse", branch) != o.Git("rev-parse", "HEAD") {
			o.T.Errorf("%s is not what was pushed", branch)
		}
	}
}

var places = map[string]place{
	"a detached HEAD":               {lay: func(o *orchestrator) { o.Git("checkout", "-q", "--detach") }},
	"a repository without a commit": {at: withoutCommit, flags: "--auto --nopr", left: "?? README.md"},
	"a repository without a remote": {lay: func(o *orchestrator) { o.Git("remote", "remove", "origin") }, noPull: true, answers: map[string]string{"push-failed": "skip", "command-failed": "skip"}},
	"a fork": {lay: func(o *orchestrator) {
		o.remote("origin", "me/repo", o.origin)
		o.remote("upstream", "owner/repo", o.fork())
	}, ends: opensFrom("me:", "")},
	"a fork to which git is told to push": {lay: func(o *orchestrator) {
		o.remote("mine", "me/repo", o.fork())
		o.remote("origin", "owner/repo", o.origin)
		o.Git("config", "remote.pushDefault", "mine")
	}, ends: opensFrom("me:", "fork.git")},
	"a remote that does not know gh": {lay: func(o *orchestrator) {
		o.remote("origin", "owner/repo", o.origin)
		o.Write(".git/gh-first", "case \"$2\" in view) exit 1;; esac\n")
	}, before: when("pr-creation", func(o *orchestrator) {
		o.Git("-C", o.origin, "update-ref", "refs/pull/7/head", o.Git("rev-parse", "HEAD"))
	}), ends: opensFrom("", "")},
	"a shallow clone": {at: cloned("--depth", "1")},
	"a partial clone": {at: cloned("--filter=blob:none")},
	"a sparse clone": {at: func(t *testing.T) *fixture {
		st := cloned("--sparse")(t)
		st.Git("sparse-checkout", "set", "other")
		return st
	}},
	"a clone of one branch":                 {at: cloned("--single-branch", "-b", "main")},
	"a change of 3,000 files and a picture": {effort: "XS", works: alsoDoes(thousands)},
	"a name that changes its case":          {works: alsoDoes(moves("README.md", "Readme.md"))},
	"a folder that is renamed": {lay: func(o *orchestrator) {
		o.Write("words/en.txt", "hello\n")
		o.Write("words/ja.txt", "こんにちは\n")
		o.Git("add", "-A")
		o.Git("commit", "-q", "--amend", "--no-edit")
		o.Git("push", "-qf", "origin", "main")
	}, works: alsoDoes(moves("words", "texts"))},
	"a default branch with a slash": {lay: func(o *orchestrator) {
		o.Git("branch", "-q", "-m", "release/2.x")
		o.Git("push", "-q", "origin", "release/2.x")
		o.Git("-C", o.origin, "symbolic-ref", "HEAD", "refs/heads/release/2.x")
		o.Git("push", "-q", "origin", ":main")
		o.Git("remote", "set-head", "origin", "release/2.x")
	}},
	"commits that must be signed, without a key": {lay: func(o *orchestrator) { o.Git("config", "commit.gpgSign", "true") },
		before:  map[string]func(o *orchestrator){"commit-failed": func(o *orchestrator) { o.Git("config", "commit.gpgSign", "false") }},
		answers: map[string]string{"commit-failed": "retry", "git-settings-changed": "approve"}},
	"attributes that want lines as on Windows": {lay: func(o *orchestrator) {
		o.Write(".gitattributes", "*.py text eol=crlf\n")
		o.Git("add", "-A")
		o.Git("commit", "-q", "--amend", "--no-edit")
		o.Git("push", "-qf", "origin", "main")
	}},
	"tests that leave files behind": {lay: trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"-c\", \"mkdir -p __pycache__; date +%N > __pycache__/x.pyc; date +%N > .coverage; echo 1 passed in 0.1s\"]\n---\nThe tests pass.\n"),
		answers: map[string]string{"changed-after-review": "mine"}, left: "?? .coverage\n?? __pycache__/x.pyc"},
	"files from the future": {works: func(o *orchestrator, name string) bool {
		if name == "impl-1.md" {
			for f, now := range changed {
				o.Write(f, now)
				then := time.Now().Add(48 * time.Hour)
				if err := os.Chtimes(o.Path(f), then, then); err != nil {
					o.T.Fatal(err)
				}
			}
			o.Write(o.file(name), o.text(name))
		}
		return name == "impl-1.md"
	}, lay: trusts(checks)},
	"a workspace with a Japanese name":         {slug: "名前で挨拶する", flags: "--auto"},
	"a request and a pull request in Japanese": {typed: "名前で挨拶し、別れの言葉も言うこと。", texts: &japanese, flags: "--auto"},
	"a folder with spaces and quotes": {at: func(t *testing.T) *fixture {
		first := newFixture(t, repository)
		first.Stop()
		dir := filepath.Join(first.Beside("my work"), "it's \"mine\" 日本")
		first.Git("clone", "-q", first.origin, dir)
		st := &fixture{harness.At(t, dir), first.origin}
		st.Serve()
		return st
	}},
	"agents that name files by absolute paths": {works: func(o *orchestrator, name string) bool {
		if name != "impl-1.md" && name != "review-1.md" {
			return false
		}
		for f, now := range changed {
			if name == "impl-1.md" {
				o.Write(f, now)
			}
		}
		text := o.text(name)
		for f := range changed {
			text = strings.ReplaceAll(text, "`"+f, "`"+o.Path(f))
		}
		o.Write(o.file(name), text)
		return true
	}},
	"an agent that undoes what its report does not list": {works: func(o *orchestrator, name string) bool {
		if name != "impl-1.md" {
			return false
		}
		if o.written[name]++; o.written[name] > 1 {
			o.Git("checkout", "-q", "--", "README.md")
			return true
		}
		for f, now := range changed {
			o.Write(f, now)
		}
		o.Write("README.md", "# Greeter, installed\n")
		o.Write(o.file(name), report(english.impl, o.files(name)))
		return true
	}},
	"a project whose commits name a ticket": {lay: func(o *orchestrator) {
		o.Write(".git/hooks/commit-msg", "#!/bin/sh\ngrep -q 'ABC-[0-9]' $1 || grep -q '^chore: record' $1\n")
		if err := os.Chmod(o.Path(".git/hooks/commit-msg"), 0o755); err != nil {
			o.T.Fatal(err)
		}
		o.trustsPrograms()
	}, before: when("commit-failed", func(o *orchestrator) {
		o.Git("add", "greet.py", "farewell.py", "main.py")
		o.Git("commit", "-q", "-m", "ABC-12: greet people by name")
	}), answers: map[string]string{"commit-failed": "retry"}},
	"a request for a workflow that a server runs": {typed: request + ", and run it in CI", works: alsoDoes(func(o *orchestrator) []string {
		o.Write(".github/workflows/ci.yml", "on: push\njobs:\n  run:\n    runs-on: ubuntu-latest\n    steps:\n    - run: python3 main.py\n")
		return []string{".github/workflows/ci.yml"}
	})},
}

// TestHonestPlaces: in each of them an honest pipeline reaches its end, with its pull request.
func TestHonestPlaces(t *testing.T) {
	for name, c := range tier.Cases(places, 4) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if c.at == nil {
				c.at = func(t *testing.T) *fixture { return newFixture(t, repository) }
			}
			if c.effort == "" {
				c.effort = "S"
			}
			if c.flags == "" {
				c.flags = "--auto"
			}
			if c.typed == "" {
				c.typed = request
			}
			o := &orchestrator{fixture: c.at(t), answers: c.answers, slug: c.slug, habits: habits{works: c.works, texts: c.texts}}
			if c.lay != nil {
				c.lay(o)
			}
			told := ""
			o.before = func(o *orchestrator) {
				told += o.now.Str("warning") + "\n"
				if o.now.Str("type") == "checkpoint" {
					told += o.now.Str("name") + ": " + o.now.Str("present_to_user") + "\n"
				}
				if f := c.before[o.at()]; f != nil {
					f(o)
				}
			}
			o.begin(c.flags+" "+c.typed, c.effort)
			o.play("")
			s := o.state()
			t.Logf("%s %v pull %q branch %s\n%s", s.Status, o.trail, s.Pull, s.Branch, strings.TrimSpace(told))
			if s.Status != "completed" || (s.Pull == "") != c.noPull && !strings.Contains(c.flags, "--nopr") {
				t.Errorf("%s, pull request %q: %v\n%s\n%s", s.Status, s.Pull, o.trail, o.now.Raw, told)
			}
			if c.ends != nil {
				c.ends(o)
			}
			if out := strings.TrimSpace(o.Git("status", "--porcelain", "--untracked-files=all")); out != c.left {
				t.Errorf("git status: %q", out)
			}
			for f := range changed {
				if got := o.Git("show", "HEAD:./"+f); !strings.Contains(got, strings.TrimSuffix(changed[f], "\n")) {
					t.Errorf("%s is committed as %q", f, got)
				}
			}
		})
	}
}

// TestFolderOfARepository: a project that is a folder of a repository is refused before anything is
// confirmed, with the project to serve; a server that is started in such a folder serves the repository.
func TestFolderOfARepository(t *testing.T) {
	t.Parallel()
	files := map[string]string{"README.md": "# All of it\n", "services/greeter/greet.py": "x = 1\n"}
	for _, own := range []bool{true, false} {
		if own {
			files["services/greeter/"+configuration] = "{}\n"
		} else {
			delete(files, "services/greeter/"+configuration)
		}
		top := newFixture(t, files)
		top.Stop()
		o := &orchestrator{fixture: &fixture{harness.At(t, top.Path("services/greeter")), top.origin}}
		o.Serve()
		init := o.ok("pipeline_init", object{"arguments": request, "current_branch": "main"})
		r := o.Call(nil, "pipeline_init_with_context", object{"workspace": init.Answer["workspace"], "flags": init.Answer["flags"], "task_text": init.Answer["core_text"]})
		if r.Refused != own || own && !strings.Contains(strings.Join(r.List("legal_next"), "\n"), top.Root) {
			t.Errorf("with settings of its own %v: %s", own, r.Raw)
		}
	}
}
