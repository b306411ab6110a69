//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// A crashScenario is a session that must end the same way however often its server
// dies.
type crashScenario struct {
	name    string
	work    func() work
	setup   func(*fixture)           // before the server starts; may be nil
	habits  func() habits            // of the agent; fresh for each
	expects func(*agent, reply) bool // a refusal that belongs to it; may be nil
	user    map[string]string        // what the user had in the working tree, uncommitted
	staged  map[string]string        // and in the index
	windows []life                   // the deaths that were once survived badly, or nearly
}

func usual() habits { return habits{} }

func at(points ...string) (lives []life) {
	for _, p := range points {
		lives = append(lives, life{point: p})
	}
	return lives
}

var crashScenarios = []crashScenario{
	{name: "usual", work: discount, habits: usual, windows: at("key: not renamed", "write: not renamed", "archive: before", "write: not renamed#20", "memory: not renamed#56")},
	{name: "full", work: flagged("--gate=full"), habits: usual},
	{name: "dirty", work: discount, habits: usual, setup: disorder, user: disordered, staged: disorderedIndex, windows: at("git add: running")},
	{name: "discard", work: strayed, habits: discarding, setup: disorder, user: disordered, staged: disorderedIndex, windows: at("discard: not removed")},
	{name: "moved", work: discount, habits: moving, windows: at("git update-ref: after")},
	{name: "hooks", work: discount, habits: usual, setup: hooked, windows: at("git commit: running")},
	{name: "takeback", work: strayed, habits: secondThoughts, windows: at("git commit: after#3")},
	conflicting(),
}

func init() {
	if runtime.GOOS == "linux" { // elsewhere a lock stays, and its file is named
		crashScenarios = append(crashScenarios, crashScenario{name: "locked", work: discount, habits: usual, setup: leavingLocks})
	}
}

// disorder is the user's uncommitted work: a staged edit, an unstaged one, one that
// continues after it was staged, and a new file.
func disorder(st *fixture) {
	for path, text := range disorderedIndex {
		st.Write(path, text)
		st.Git("add", path)
	}
	for path, text := range disordered {
		st.Write(path, text)
	}
}

var (
	disorderedIndex = map[string]string{
		"README.md":    "# Shop\n\nA small shop, with tea.\n",
		"docs/list.md": "# To do\n",
	}
	disordered = map[string]string{
		"README.md":     "# Shop\n\nA small shop, with tea.\n",
		"docs/list.md":  "# To do\n\n- coffee\n",
		"docs/money.md": "# Money\n\nAll amounts are integers in cents.\nRounding is always down.\n\nReally.\n",
		"notes 日本.txt":  "mine\n",
	}
)

// strayed is the discount with two changes that nobody asked for.
func strayed() work {
	w := discount()
	w.look = append(w.look, call{"get_symbols", object{"path": "shop/stock.py"}})
	w.explored = append(w.explored, "shop/stock.py")
	w.tasks[0].edits = append(w.tasks[0].edits,
		edit{path: "shop/extra.py", text: "print(\"extra\")\n"},
		edit{path: "shop/stock.py", text: shop["shop/stock.py"] + "\n\nprint(\"none\")\n"})
	return w
}

// strays are the files that a review discards.
var strays = []string{"shop/extra.py", "shop/stock.py"}

func discarding() habits {
	return habits{submits: func(a *agent, honest object) object {
		if a.at() == "PRE_COMMIT" {
			honest["reviewed_files"] = without(honest["reviewed_files"].([]string), strays)
		}
		return honest
	}}
}

// without decides against some of the files.
func without(files, some []string) (decided []any) {
	for _, f := range files {
		if slices.Contains(some, f) {
			decided = append(decided, object{"path": f, "decision": "discard", "reason": "nobody has asked for it"})
		} else {
			decided = append(decided, f)
		}
	}
	return decided
}

// secondThoughts keeps the strays at first, and reverts them after a quality review.
func secondThoughts() habits {
	again := false
	return habits{
		before: func(a *agent) {
			if !again && a.at() == "READY plan" && slices.Contains(a.trail, "QUALITY_REVIEW") {
				again = true
				a.work.tasks = append(a.work.tasks, task{
					id: "words", description: "Say what discount does",
					edits: []edit{{path: "shop/cart.py", text: strings.Replace(discountedCart, "Take percent off the total.", "Take percent off the total, before tax.", 1)}},
					items: []item{{text: "shop/cart.py: the words of discount", evidence: "shop/cart.py:21", reason: "the documentation is all that this item asks for"}},
				})
			}
		},
		submits: func(a *agent, honest object) object {
			switch {
			case a.at() == "QUALITY_REVIEW" && !again:
				return with(honest, object{"quality_score": 60, "issues": []string{"shop/extra.py is of no use"}})
			case a.at() == "PRE_COMMIT" && again:
				honest["reviewed_files"] = without(honest["reviewed_files"].([]string), strays)
			}
			return honest
		},
	}
}

// moving has somebody else commit to the base before the merge. If the server
// died between the merge and the switch to it, the switch had written one file.
func moving() habits {
	const file, text = "shop/till.py", "OPEN = True\n"
	moved := false
	return habits{before: func(a *agent) {
		if a.at() != "MERGE" {
			return
		}
		if !moved {
			moved = true
			a.baseMoves(file, text)
		}
		if code, _ := a.Exec("git", "rev-parse", "--quiet", "--verify", "main^2"); code == 0 {
			a.Write(file, text)
		}
	}}
}

// baseMoves has somebody else commit a file to main.
func (a *agent) baseMoves(path, text string) {
	a.T.Helper()
	dir := a.Beside("other")
	a.Git("worktree", "add", "-q", dir, "main")
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path)), []byte(text), 0o644); err != nil {
		a.T.Fatal(err)
	}
	a.Git("-C", dir, "add", "-A")
	a.Git("-C", dir, "commit", "-q", "-m", "Another hand")
	a.Git("worktree", "remove", dir)
}

// conflicting has somebody else change the same lines. The agent combines both as a
// task.
func conflicting() crashScenario {
	return crashScenario{
		name: "conflict", work: discount,
		habits: func() habits {
			moved, solved := false, false
			return habits{
				before: func(a *agent) {
					switch {
					case a.at() == "MERGE" && !moved:
						moved = true
						a.baseMoves("shop/cart.py", strings.Replace(shop["shop/cart.py"], "gross(amount, tax)", "gross(max(amount, 0), tax)", 1))
					case a.at() == "READY implement" && moved && !solved:
						solved = true
						both := strings.Replace(discountedCart, "gross(amount - amount * self.percent // 100, tax)", "gross(max(amount - amount * self.percent // 100, 0), tax)", 1)
						a.work.tasks = append(a.work.tasks, task{
							id: "merge_conflict", edits: []edit{{path: "shop/cart.py", text: both}},
							items: []item{{text: "shop/cart.py: no conflict markers, both changes kept", evidence: "shop/cart.py:18"}},
						})
					}
				},
				submits: func(a *agent, honest object) object {
					if a.at() == "MERGE" && slices.Contains(a.used, conflictSeen) {
						return object{"back_to": "READY", "reason": "main has changed the same lines"}
					}
					return honest
				},
			}
		},
		windows: at("git merge: after"),
		expects: func(a *agent, r reply) bool {
			// The second, if the server died when main had come into the branch.
			if r.Code() != "merge_conflict" && r.Code() != "unreviewed_commits" {
				return false
			}
			a.used = append(a.used, conflictSeen)
			return true
		},
	}
}

// conflictSeen is noted among the tools that an agent has used in MERGE: it goes
// away with the phase, and with the server.
const conflictSeen = "(merge_conflict)"

// hooked gives the repository hooks that note when they ran.
func hooked(st *fixture) {
	for _, name := range []string{"pre-commit", "post-commit", "post-checkout"} {
		st.Write(".git/hooks/"+name, fmt.Sprintf("#!/bin/sh\necho %s >>\"$(git rev-parse --git-common-dir)/ran\"\n", name))
		if err := os.Chmod(st.Path(".git/hooks/"+name), 0o755); err != nil {
			st.T.Fatal(err)
		}
	}
}

// leavingLocks gives the repository a hook that, once, kills git and the server
// while git holds the lock of the index.
func leavingLocks(st *fixture) {
	st.Write(".git/hooks/pre-commit", `#!/bin/sh
test -e "$0.done" && exit 0
touch "$0.done"
server=$(awk '{print $4}' /proc/$PPID/stat)
kill -9 $PPID $server
exit 1
`)
	if err := os.Chmod(st.Path(".git/hooks/pre-commit"), 0o755); err != nil {
		st.T.Fatal(err)
	}
}

// An end is what remains of a session, without what differs each time.
type end struct {
	Tree      string            // of main
	Log       []string          // subjects of main, with the number of parents
	Refs      []string          // names
	Files     map[string]string // content of all in the working tree
	Index     string
	Status    string
	Committed int // runs of post-commit
	Tasks     []string
}

var sessionID = regexp.MustCompile(`\d{8}-\d{9}-[a-z2-7]{5}`)

func (u *survivor) endOf() (e end) {
	u.T.Helper()
	e.Tree = u.Git("rev-parse", "main^{tree}")
	for line := range strings.Lines(u.Git("log", "--topo-order", "--format=%P\t%s", "main")) {
		parents, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		e.Log = append(e.Log, fmt.Sprint(len(strings.Fields(parents)), " ", sessionID.ReplaceAllString(subject, "ID")))
	}
	for line := range strings.Lines(u.Git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/code-intel/done")) {
		e.Refs = append(e.Refs, sessionID.ReplaceAllString(strings.TrimSpace(line), "ID"))
	}
	e.Files = make(map[string]string)
	err := filepath.WalkDir(u.Root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(u.Root, path)
		if rel == ".git" || rel == ".code-intel" {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			e.Files[filepath.ToSlash(rel)] = u.Read(rel)
		}
		return err
	})
	if err != nil {
		u.T.Fatal(err)
	}
	e.Index, e.Status = u.Git("ls-files", "-s"), u.Git("status", "--porcelain", "--untracked-files=all")
	e.Committed = strings.Count(u.Read(".git/ran"), "post-commit\n")
	for _, c := range u.checkpoints() {
		for _, task := range c.Tasks {
			e.Tasks = append(e.Tasks, task.ID+" "+task.Status)
		}
	}
	return e
}

// judge compares the end of the session with what is promised and with the run
// without a death.
func (u *survivor) judge(clean *survivor) {
	u.T.Helper()
	u.end = u.endOf()
	all := u.checkpoints()
	if len(all) != 1 || !all[0].Archived || all[0].Outcome != "completed" {
		u.T.Errorf("the sessions are %+v, want one, archived and completed", all)
		return
	}
	if on := u.Git("symbolic-ref", "--short", "HEAD"); on != "main" {
		u.T.Errorf("HEAD is on %s", on)
	}
	done := strings.Fields(u.Git("for-each-ref", "--format=%(objectname)", "refs/code-intel/done"))
	if len(done) != 1 || u.Git("rev-parse", "main^2") != done[0] || len(all[0].Commits) == 0 {
		u.T.Errorf("the done refs are %q, and main merges %s", done, u.Git("rev-parse", "main^2"))
	}
	for path, text := range u.scenario.user {
		if got := u.Read(path); got != text {
			u.T.Errorf("the user's %s is now %q, was %q", path, got, text)
		}
	}
	for path, text := range u.scenario.staged {
		if got := u.Git("cat-file", "blob", ":"+path) + "\n"; got != text {
			u.T.Errorf("the user had staged %q as %s, and now %q", text, path, got)
		}
	}
	u.run(u.T, "session", "verify")
	if left := u.leftovers(); len(left) > 0 {
		u.T.Errorf("left over: %q", left)
	}
	u.once(all[0].ID)
	if clean == nil {
		return
	}
	want := clean.end
	if slices.ContainsFunc(u.lives, func(l life) bool { return l.git }) {
		want.Committed, u.end.Committed = 0, 0 // git may have been killed between the commit and the hook
	}
	if diff := cmp.Diff(want, u.end); diff != "" {
		u.T.Errorf("without a death it ended otherwise (-without +with):\n%s", diff)
	}
}

// once checks that what the server learns at the end is recorded once.
func (u *survivor) once(id string) {
	agreements, _ := filepath.Glob(u.Path(".code-intel/agreements/*.md"))
	if len(agreements) > 1 {
		u.T.Errorf("one session made the agreements %q", agreements)
	}
	logs, _ := filepath.Glob(u.Path(".code-intel/logs/*outcome*.jsonl"))
	records := 0
	for _, log := range logs {
		data, _ := os.ReadFile(log)
		for line := range strings.Lines(string(data)) {
			var r map[string]any
			if json.Unmarshal([]byte(line), &r) != nil {
				u.T.Errorf("%s: %q is no record", log, line)
			}
			if slices.Contains(slices.Collect(maps.Values(r)), any(id)) {
				records++
			}
		}
	}
	if len(logs) > 0 && records != 1 {
		u.T.Errorf("the outcome of one session is recorded %d times", records)
	}
}
