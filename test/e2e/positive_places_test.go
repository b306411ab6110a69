package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/test/e2e/harness"
)

// Agents whose projects are in unusual places.
var placeAgents = []honestAgent{
	{
		name: "no git",
		lay: func(t testing.TB, files map[string]string) *fixture {
			st := bareFixture(t, files)
			st.Serve()
			return st
		},
		check: func(a *agent) {
			texts, _ := a.work.final()
			for path, text := range texts {
				if got := a.Read(path); got != text {
					a.T.Errorf("%s is %q", path, got)
				}
			}
			if _, err := os.Stat(a.Path(".git")); err == nil {
				a.T.Error("there is a repository now")
			}
			if got := a.checkpoints(); len(got) != 1 || !got[0].Archived {
				a.T.Errorf("checkpoints: %+v", got)
			}
		},
	},
	{
		name: "before the first commit", work: beginning,
		lay: func(t testing.TB, _ map[string]string) *fixture {
			st := bareFixture(t, nil)
			st.Git("init", "-q", "-b", "main")
			st.Serve()
			return st
		},
		play: func(a *agent) {
			r := a.counted("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{}})
			a.refuses(r, "unborn_head", `git commit --allow-empty -m "Begin"`)
			a.Git("commit", "-q", "--allow-empty", "-m", "Begin")
			a.base = a.Git("rev-parse", "HEAD")
			a.start()
			a.play("END")
		},
	},
	{
		name: "linked worktree",
		lay: func(t testing.TB, files map[string]string) *fixture {
			first := newFixture(t, files)
			first.Stop()
			st := &fixture{Project: harness.At(t, first.Root+"-linked"), base: first.base, trunk: "feature"}
			first.Git("worktree", "add", "-q", "-b", "feature", st.Root)
			st.Serve()
			return st
		},
		check: func(a *agent) {
			a.isMerged()
			if tip := a.Git("rev-parse", "main"); tip != a.base {
				a.T.Errorf("main has moved to %s", tip)
			}
		},
	},
	{
		name: "submodule",
		work: func() work {
			w := discount()
			w.tasks = append(w.tasks, task{
				id: "library", description: "The newest library",
				edits: []edit{{path: "libs/tax", by: func(a *agent, path string) { a.Git("-C", path, "checkout", "-q", "newest") }}},
				items: []item{{text: "libs/tax is the newest", evidence: "libs/tax"}},
			})
			return w
		},
		lay: withLibrary,
		check: func(a *agent) {
			a.isMerged()
			if got := a.Git("ls-tree", "main", "libs/tax"); !strings.Contains(got, a.Git("-C", "libs/tax", "rev-parse", "newest")) {
				a.T.Errorf("main holds %s", got)
			}
		},
	},
	{
		name: "change outside of source_dirs",
		work: func() work {
			w := discount()
			w.look, w.explored = w.look[:6], w.explored[:2] // the test is shown by no tool
			w.tasks = append(w.tasks, written("notes", "CHANGES.md", "# Changes\n\nA discount.\n", "A discount"))
			return w
		},
		lay: func(t testing.TB, files map[string]string) *fixture {
			return newFixture(t, with2(files, map[string]string{".code-intel/config.json": "{\"source_dirs\": [\"shop\"]}\n"}))
		},
	},
	{
		name: "server below a symbolic link",
		lay: func(t testing.TB, files map[string]string) *fixture {
			st := newFixture(t, files)
			st.Stop()
			link := filepath.Join(filepath.Dir(st.Root), "link")
			if err := os.Symlink(st.Root, link); err != nil {
				t.Fatal(err)
			}
			st.Root = link
			st.Serve()
			return st
		},
	},
}

// withLibrary lays out a project with a submodule.
func withLibrary(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	library := bareFixture(t, map[string]string{"tax.py": "RATE = 10\n"})
	library.Git("init", "-q", "-b", "main")
	library.Git("add", "-A")
	library.Git("commit", "-q", "-m", "One")
	library.Git("branch", "oldest")
	library.Git("commit", "-q", "--allow-empty", "-m", "Two")
	library.Git("branch", "newest")
	st := bareFixture(t, files)
	st.Git("init", "-q", "-b", "main")
	st.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-b", "oldest", library.Root, "libs/tax")
	st.Git("-C", "libs/tax", "branch", "-q", "newest", "origin/newest")
	st.Git("add", "-A")
	st.Git("commit", "-q", "-m", "Begin")
	st.base = st.Git("rev-parse", "HEAD")
	st.Serve()
	return st
}
