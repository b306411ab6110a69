package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Agents whose projects lie in unusual places.
var placeAgents = []honest{
	{
		name: "no git",
		lay: func(t testing.TB, files map[string]string) *stage {
			st := bareStage(t, files)
			st.serve()
			return st
		},
		check: func(a *agent) {
			texts, _ := a.work.final()
			for path, text := range texts {
				if got := a.read(path); got != text {
					a.t.Errorf("%s is %q", path, got)
				}
			}
			if _, err := os.Stat(a.path(".git")); err == nil {
				a.t.Error("there is a repository now")
			}
			if got := a.checkpoints(); len(got) != 1 || !got[0].Archived {
				a.t.Errorf("checkpoints: %+v", got)
			}
		},
	},
	{
		name: "before the first commit", work: beginning,
		lay: func(t testing.TB, _ map[string]string) *stage {
			st := bareStage(t, nil)
			st.git("init", "-q", "-b", "main")
			st.serve()
			return st
		},
		play: func(a *agent) {
			r := a.counted("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{}})
			a.refuses(r, "unborn_head", `git commit --allow-empty -m "Begin"`)
			a.git("commit", "-q", "--allow-empty", "-m", "Begin")
			a.base = a.git("rev-parse", "HEAD")
			a.start()
			a.play("END")
		},
	},
	{
		name: "linked worktree",
		lay: func(t testing.TB, files map[string]string) *stage {
			first := newStage(t, files)
			first.stop()
			st := &stage{t: t, root: first.root + "-linked", base: first.base, trunk: "feature"}
			first.git("worktree", "add", "-q", "-b", "feature", st.root)
			st.serve()
			return st
		},
		check: func(a *agent) {
			a.isMerged()
			if tip := a.git("rev-parse", "main"); tip != a.base {
				a.t.Errorf("main has moved to %s", tip)
			}
		},
	},
	{
		name: "submodule",
		work: func() work {
			w := discount()
			w.tasks = append(w.tasks, task{
				id: "library", description: "The newest library",
				edits: []edit{{path: "libs/tax", by: func(a *agent, path string) { a.git("-C", path, "checkout", "-q", "newest") }}},
				items: []item{{text: "libs/tax is the newest", evidence: "libs/tax"}},
			})
			return w
		},
		lay: func(t testing.TB, files map[string]string) *stage {
			library := bareStage(t, map[string]string{"tax.py": "RATE = 10\n"})
			library.git("init", "-q", "-b", "main")
			library.git("add", "-A")
			library.git("commit", "-q", "-m", "One")
			library.git("branch", "oldest")
			library.git("commit", "-q", "--allow-empty", "-m", "Two")
			library.git("branch", "newest")
			st := bareStage(t, files)
			st.git("init", "-q", "-b", "main")
			st.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-b", "oldest", library.root, "libs/tax")
			st.git("-C", "libs/tax", "branch", "-q", "newest", "origin/newest")
			st.git("add", "-A")
			st.git("commit", "-q", "-m", "Begin")
			st.base = st.git("rev-parse", "HEAD")
			st.serve()
			return st
		},
		check: func(a *agent) {
			a.isMerged()
			if got := a.git("ls-tree", "main", "libs/tax"); !strings.Contains(got, a.git("-C", "libs/tax", "rev-parse", "newest")) {
				a.t.Errorf("main holds %s", got)
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
		lay: func(t testing.TB, files map[string]string) *stage {
			return newStage(t, with2(files, map[string]string{".code-intel/config.json": "{\"source_dirs\": [\"shop\"]}\n"}))
		},
	},
	{
		name: "server below a symbolic link",
		lay: func(t testing.TB, files map[string]string) *stage {
			st := newStage(t, files)
			st.stop()
			link := filepath.Join(filepath.Dir(st.root), "link")
			if err := os.Symlink(st.root, link); err != nil {
				t.Fatal(err)
			}
			st.root = link
			st.serve()
			return st
		},
	},
}
