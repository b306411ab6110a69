package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Agents with an unusual repository or an unusual user.
var troubleAgents = []honestAgent{
	{
		name: "sparse checkout",
		work: func() work {
			w := discount()
			w.files = with2(w.files, map[string]string{"other/huge.py": "HUGE = 1\n"})
			return w
		},
		prepare: func(a *agent) { a.Git("sparse-checkout", "set", "shop", "tests", "docs") },
		check: func(a *agent) {
			a.isMerged()
			if a.Read("other/huge.py") != "" || a.Git("show", "main:other/huge.py") != "HUGE = 1" {
				a.T.Error("what is left out of the tree came into it, or left the repository")
			}
		},
	},
	{
		name: "new file outside of the sparse checkout",
		work: func() work {
			w := discount()
			w.files = with2(w.files, map[string]string{"other/huge.py": "HUGE = 1\n"})
			w.tasks = append(w.tasks, written("news", "news/2026.md", "# News\n\nA discount.\n", "A discount"))
			w.look = append(w.look, call{"get_symbols", object{"path": "README.md"}})
			return w
		},
		prepare: func(a *agent) { a.Git("sparse-checkout", "set", "shop", "tests", "docs") },
	},
	{
		name: "file that the user told git not to look at",
		work: func() work {
			w := discount()
			w.tasks[0].edits[0].text += "# mine\n"
			return w
		},
		prepare: func(a *agent) {
			a.Git("update-index", "--assume-unchanged", "shop/cart.py", "README.md")
			a.Git("update-index", "--skip-worktree", "shop/price.py")
			a.Write("shop/cart.py", shop["shop/cart.py"]+"# mine\n")
			a.Write("README.md", "# Shop\n\nMine.\n")
			a.Write("shop/price.py", shop["shop/price.py"]+"# mine\n")
		},
		check: func(a *agent) {
			a.isMerged()
			if a.Read("README.md") != "# Shop\n\nMine.\n" || a.Read("shop/price.py") != shop["shop/price.py"]+"# mine\n" {
				a.T.Error("what the user keeps for himself is lost")
			}
		},
	},
	{
		name: "files in large storage", // as git-lfs keeps them
		lay: func(t testing.TB, files map[string]string) *fixture {
			st := bareFixture(t, with2(files, map[string]string{".gitattributes": "*.py filter=rot\n"}))
			st.Git("init", "-q", "-b", "main")
			for _, way := range []string{"clean", "smudge"} {
				st.Git("config", "filter.rot."+way, "tr a-zA-Z n-za-mN-ZA-M")
			}
			st.Git("config", "filter.rot.required", "true")
			st.base = st.Commit()
			st.Serve()
			return st
		},
		check: func(a *agent) {
			a.mergeIsClean()
			if a.Read("shop/cart.py") != discountedCart || !strings.Contains(a.Git("cat-file", "blob", "main:shop/cart.py"), "qvfpbhag") || a.Git("status", "--porcelain") != "" {
				a.T.Errorf("main holds %s", a.Git("cat-file", "blob", "main:shop/cart.py"))
			}
		},
	},
	{
		name: "detached HEAD",
		play: func(a *agent) {
			a.Git("checkout", "-q", "--detach")
			r := a.counted("start_session", object{"intent": a.work.intent, "query": a.work.query, "flags": []string{}})
			a.refuses(r, "detached_head", "git switch")
			a.Git("switch", "-q", "main")
			a.start()
			a.play("END")
		},
	},
	{
		name: "branch and tag named like a folder",
		lay: func(t testing.TB, files map[string]string) *fixture {
			st := gitFixture(t, files)
			st.trunk = "shop/cart.py"
			st.Git("switch", "-q", "-c", st.trunk)
			st.Git("tag", "main")
			st.Git("tag", "tests")
			st.Git("branch", "-D", "main")
			st.Serve()
			return st
		},
	},
	{
		name: "settings of a strange user",
		prepare: func(a *agent) {
			for key, value := range map[string]string{
				"status.showUntrackedFiles": "no", "diff.noprefix": "true", "diff.renames": "false", "diff.external": "false",
				"merge.ff": "only", "commit.verbose": "true", "commit.cleanup": "scissors", "core.commentChar": "T", "commit.status": "true",
				"core.quotePath": "true", "color.ui": "always", "log.showSignature": "true", "core.pager": "false", "core.editor": "false",
				"core.autocrlf": "input", "core.ignoreCase": "true", "core.fileMode": "false", "fetch.prune": "true", "advice.statusHints": "false",
			} {
				a.Git("config", key, value)
			}
		},
	},
	{
		name: "commit hook that formats and goes on",
		prepare: func(a *agent) {
			a.hook("pre-commit", "grep -q formatted shop/cart.py || { echo '# formatted' >>shop/cart.py; git add shop/cart.py; }")
		},
		habits: habits{before: func(a *agent) {
			if a.at() == "PRE_COMMIT" && a.seen("PRE_COMMIT") == 1 && !strings.HasSuffix(a.work.tasks[0].edits[0].text, "# formatted\n") {
				a.work.tasks[0].edits[0].text += "# formatted\n"
			}
		}},
		check: func(a *agent) {
			a.isMerged()
			if n := len(a.checkpoints()[0].Commits); n != 1 {
				a.T.Errorf("%d commits", n)
			}
		},
	},
	{
		name: "commit hook that formats what is staged alone",
		prepare: func(a *agent) {
			a.hook("pre-commit", `git show :shop/cart.py | grep -q formatted && exit 0
blob=$({ git show :shop/cart.py; echo '# formatted'; } | git hash-object -w --stdin)
git update-index --cacheinfo 100644,$blob,shop/cart.py`)
		},
		habits: habits{before: func(a *agent) {
			if a.at() == "PRE_COMMIT" && strings.Contains(a.answer.Str("reason"), "git checkout -- FILE") {
				a.Git("checkout", "--", "shop/cart.py")
				a.work.tasks[0].edits[0].text += "# formatted\n"
			}
		}},
	},
	{
		name: "commit hook that makes a file",
		work: func() work {
			w := discount()
			w.tasks = append(w.tasks, task{id: "version", description: "The version that the hook writes"})
			return w
		},
		prepare: func(a *agent) {
			a.work.tasks = a.work.tasks[:2]
			a.hook("pre-commit", "echo 2 >shop/VERSION; git add shop/VERSION")
		},
		habits: habits{before: func(a *agent) {
			if a.at() == "PRE_COMMIT" && strings.Contains(a.answer.Str("reason"), "shop/VERSION") && len(a.work.tasks) == 2 {
				r := a.submit(a.deed())
				a.refuses(r, "unapproved_changes", `"back_to": "READY"`)
				a.took(a.submit(object{"back_to": "READY", "reason": "the hook writes a version, which belongs to the change"}))
				a.work.tasks = append(a.work.tasks, task{
					id: "version", description: "The version that the hook writes", edits: []edit{{path: "shop/VERSION", text: "2\n"}},
					items: []item{{text: "shop/VERSION", reason: "the hook of the repository writes it"}},
				})
				a.play("PRE_COMMIT")
			}
		}},
	},
	{
		name: "generated files",
		work: func() work {
			w := discount()
			w.tasks[0].edits = append(w.tasks[0].edits, edit{path: "shop/generated.py", text: "# generated\nDISCOUNT = True\n"})
			return w
		},
		habits: habits{before: once(implement, func(a *agent) {
			a.work.tasks[0].edits = a.work.tasks[0].edits[:1]
			a.carryOut(a.work.tasks[0].edits)
			a.Write("shop/generated.py", "# generated\nDISCOUNT = True\n")
			r := a.submit(with(report(a.work.tasks[0]), object{"summary": "Done.", "tools_used": []string{}}))
			a.refuses(r, "unapproved_changes", "check_write_target(files=")
			a.allowed("shop/generated.py")
			a.work.tasks[0].edits = append(a.work.tasks[0].edits, edit{path: "shop/generated.py", text: "# generated\nDISCOUNT = True\n"})
		})},
	},
	{
		name: "verifier that writes files", prepare: func(a *agent) {
			a.verifierOf("[sh, -c, \"echo '<xml/>' >coverage.xml; grep -q discount shop/cart.py\"]")
		},
		habits: habits{before: once("PRE_COMMIT", func(a *agent) {
			a.refuses(a.submit(a.deed()), "unapproved_changes", "undo the change")
			a.Remove("coverage.xml")
		})},
	},
	{
		name:    "edits after the verification",
		prepare: func(a *agent) { a.verifier(true) },
		habits: habits{before: once("PRE_COMMIT", func(a *agent) {
			text := discountedCart + "# better\n"
			a.Write("shop/cart.py", text)
			a.refuses(a.submit(a.deed()), "verification_stale", `"back_to": "READY"`)
			a.took(a.submit(object{"back_to": "READY", "reason": "a remark was missing in the cart"}))
			a.Write("shop/cart.py", discountedCart)
			a.work.tasks = append(a.work.tasks, written("remark", "shop/cart.py", text, "# better"))
		})},
	},
	{
		name: "user takes a file away meanwhile",
		habits: habits{before: once(implement, func(a *agent) {
			a.Remove("shop/stock.py")
			a.carryOut(a.next().edits)
			r := a.submit(with(report(a.next()), object{"summary": "Done.", "tools_used": []string{}}))
			a.refuses(r, "unapproved_changes", "undo the change")
			a.Git("restore", "shop/stock.py")
		})},
	},
	{
		name: "user rewrites the branch",
		habits: habits{before: once("MERGE", func(a *agent) {
			tip := a.Git("rev-parse", "HEAD")
			a.Git("commit", "-q", "--amend", "-m", "Better words")
			r := a.submit(a.deed())
			a.refuses(r, "unreviewed_commits", "git reset --keep "+tip)
			a.Git("reset", "-q", "--keep", tip)
		})},
	},
	{
		name: "user ignores a file of his own meanwhile",
		habits: habits{before: once(implement, func(a *agent) {
			a.Write("my notes.txt", "notes\n")
			exclude := a.Read(".git/info/exclude")
			a.Write(".git/info/exclude", exclude+"my notes.txt\n")
			a.carryOut(a.next().edits)
			r := a.submit(with(report(a.next()), object{"summary": "Done.", "tools_used": []string{}}))
			a.refuses(r, "git_settings_changed", "ask them to undo it")
			a.Write(".git/info/exclude", exclude)
			a.Remove("my notes.txt") // the user has put them elsewhere
		})},
	},
	{
		name:   "installing brings hooks",
		habits: habits{before: once(implement, func(a *agent) { a.hook("pre-commit", "exit 0") })},
		check: func(a *agent) {
			a.isMerged()
			if !strings.Contains(a.answer.Text, "commit hooks") {
				a.T.Errorf("the report does not speak of the hooks: %s", a.answer.Text)
			}
		},
	},
	{
		name: "names that are no text",
		work: func() work {
			w := discount()
			const name, shown = "shop/caf\xe9.txt", "shop/caf\ufffd.txt"
			w.files = with2(w.files, map[string]string{name: "old\n"})
			w.look = append(w.look, call{"search_text", object{"pattern": "old"}})
			w.tasks = append(w.tasks, task{
				id: "coffee", description: "Coffee",
				edits: []edit{{path: shown, by: func(a *agent, _ string) { a.Write(name, "new\n") }}},
				items: []item{{text: "the coffee is new in shop", evidence: shown + ":1"}},
			})
			return w
		},
		prepare: func(a *agent) { a.Write("shop/caf\xe9 2.txt", "the user's\n") },
		check: func(a *agent) {
			a.mergeIsClean()
			if got := a.Git("status", "--porcelain"); got != `?? "shop/caf\351 2.txt"` || a.Git("show", "main:shop/caf\xe9.txt") != "new" {
				a.T.Errorf("git status is %s; main holds %q", got, a.Git("show", "main:shop/caf\xe9.txt"))
			}
		},
	},
	{
		name: "shallow clone with line ends of Windows",
		lay: func(t testing.TB, files map[string]string) *fixture {
			first := gitFixture(t, files)
			st := &fixture{Project: first.Project, trunk: "main"}
			first.Git("clone", "-q", "--depth=1", "-c", "core.autocrlf=true", "file://"+first.Root, first.Root+"-clone")
			st.Root = first.Root + "-clone"
			st.base = st.Git("rev-parse", "HEAD")
			st.Serve()
			return st
		},
		check: func(a *agent) { a.isMerged() },
	},
	{
		name: "a thousand files",
		work: func() work {
			w := discount()
			w.look = append(w.look, call{"get_symbols", object{"path": "README.md"}})
			w.tasks = append(w.tasks, task{id: "data", description: "Prices of all things", items: []item{{text: "data: a price of each", evidence: "data/0001.txt:1"}}})
			for n := range 1000 {
				w.tasks[2].edits = append(w.tasks[2].edits, edit{path: fmt.Sprintf("data/%04d.txt", n), text: fmt.Sprintf("price %d\n", n)})
			}
			return w
		},
		habits: habits{submits: func(a *agent, p object) object {
			if a.at() == "PRE_COMMIT" {
				var all []string
				for _, t := range a.work.tasks {
					for _, e := range t.edits {
						all = append(all, e.path)
					}
				}
				p["reviewed_files"] = all
			}
			return p
		}},
	},
}

// hook puts a hook into the repository.
func (a *agent) hook(name, script string) {
	a.T.Helper()
	a.Write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(a.Path(".git/hooks/"+name), 0o755); err != nil {
		a.T.Fatal(err)
	}
}
