package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
	"codeintel/test/tier"
)

// A honestAgent does a work in its own way and reaches the end.
type honestAgent struct {
	name    string
	work    func() work                                  // nil: discount
	lay     func(testing.TB, map[string]string) *fixture // how the project is laid out; nil: newFixture
	prepare func(*agent)                                 // before the session
	habits                                               // of the agent
	play    func(*agent)                                 // nil: from the start to the end
	outcome string                                       // "": completed
	check   func(*agent)                                 // what is there in the end; nil: the work is merged
}

// agents is every honest agent.
var agents = slices.Concat(habitAgents, languageAgents, fileAgents, flagAgents, eventAgents, placeAgents, troubleAgents, promiseAgents, unusualAgents)

// TestHonest plays each of them and compares the cost with testdata/honest.txt, which
// shows when a rule makes honest work more expensive.
func TestHonest(t *testing.T) {
	var lock sync.Mutex
	rows := make(map[string]cost)
	t.Run("agents", func(t *testing.T) {
		for _, h := range tier.Sample(agents, 15) {
			t.Run(strings.ReplaceAll(h.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				c := h.run(t)
				lock.Lock()
				defer lock.Unlock()
				rows[h.name] = c
			})
		}
	})
	if t.Failed() || len(rows) < len(agents) {
		return // a part was asked for
	}
	golden.Hold(t, "testdata/honest.txt", table(rows))
}

// TestCostPage compares docs/design/enforcement-tests.md with the last line of testdata/honest.txt.
func TestCostPage(t *testing.T) {
	all, err := os.ReadFile("testdata/honest.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(all)), "\n")
	f := strings.Fields(lines[len(lines)-1]) // needs, ideal, turns, refused, extra, "all", agents
	page.Hold(t, "../..", "cost", fmt.Sprintf(`| for the same %s tasks | turns |
|---|---:|
| the honest agents | %s, of which %s are refused |
| agents that follow all rules without a mistake | %s |
| agents without rules | %s |
`, f[6], f[2], f[3], f[1], f[0]), golden.Update())
}

func (h honestAgent) run(t *testing.T) cost {
	do, lay := h.work, h.lay
	if do == nil {
		do = discount
	}
	if lay == nil {
		lay = newFixture
	}
	w := do()
	a := newAgent(lay(t, w.files), w)
	a.habits = h.habits
	if h.prepare != nil {
		h.prepare(a)
	}
	if h.play != nil {
		h.play(a)
	} else {
		a.start()
		a.play("END")
	}
	t.Logf("%v", a.trail)
	if a.at() != "END" {
		t.Fatalf("the session stands at %q: %v", a.at(), a.trail)
	}
	want := h.outcome
	if want == "" {
		want = "completed"
	}
	if got := a.answer.Str("outcome"); got != want {
		t.Errorf("outcome %q, want %q: %s", got, want, a.answer.Text)
	}
	if h.check != nil {
		h.check(a)
	} else {
		a.isMerged()
	}
	return cost{needs: len(w.look) + w.edits(), turns: a.calls + a.edits, refused: a.refusals, ideal: w.ideal()}
}

// A cost is how many turns a work took: a turn is a call of a tool or an edit of
// a file.
type cost struct {
	needs   int // looks and edits: what it takes without any rules
	turns   int
	refused int // turns that were refused
	ideal   int // turns of one who keeps all rules and makes no mistake
}

// table shows what each agent's work cost.
func table(rows map[string]cost) string {
	var b strings.Builder
	fmt.Fprint(&b, "Turns of honest agents: calls of tools and edits of files. needs: looks and edits of the work,\n",
		"without any rules. ideal: by the rules, without a mistake. refused: turns answered with a no.\n",
		"extra: turns - ideal, what mistakes, mishaps and habits cost. Written by go test ./test/e2e -run TestHonest -update.\n\n")
	row := func(name string, c cost) {
		fmt.Fprintf(&b, "%5d %5d %5d %7d %5d  %s\n", c.needs, c.ideal, c.turns, c.refused, c.turns-c.ideal, name)
	}
	fmt.Fprintln(&b, "needs ideal turns refused extra  agent")
	var all cost
	for _, h := range agents {
		c := rows[h.name]
		row(h.name, c)
		all = cost{all.needs + c.needs, all.turns + c.turns, all.refused + c.refused, all.ideal + c.ideal}
	}
	row(fmt.Sprintf("all %d", len(agents)), all)
	return b.String()
}

// edits counts the files that the work changes, adds, moves or takes away.
func (w work) edits() (n int) {
	for _, t := range w.tasks {
		n += len(t.edits)
	}
	return n
}

// ideal is how many turns the work takes if all rules are followed and nothing goes
// wrong: the start, the documents, the looks, a submission for each phase and each task, permission
// for the files of a task in one call, the edits, and one page of review.
func (w work) ideal() int {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains(w.flags, f) })
	}
	n := 1
	if has("-v", "--only-verify") {
		return n + 1
	}
	if !has("--no-doc") {
		n += 1 + len(w.documents)
	}
	n++ // QUERY_FRAME
	short := has("--fast", "--quick", "-f", "-q")
	if !short {
		n += len(w.look) + 4 // EXPLORATION and three gates
	}
	if has("--gate=full") {
		n += 3 + 2 + len(w.look) // SEMANTIC, VERIFICATION, IMPACT_ANALYSIS; two searches, and looks for the verification
	}
	if has("-e", "--only-explore") || w.intent == "INVESTIGATE" || w.intent == "QUESTION" {
		return n
	}
	n += 2 + 2*len(w.tasks) + w.edits() // plan, leave, edits and reports, complete
	if short {
		n++ // a look at all files, to be allowed to write
	}
	if !has("--no-verify") {
		n++
	}
	if !has("--quick", "-q") {
		n += 3 // review_changes, PRE_COMMIT, MERGE
	}
	if !short && !has("--no-quality") {
		n++
	}
	return n
}

// final is what the work makes of each file; "" without an entry in kept: gone.
func (w work) final() (texts map[string]string, gone []string) {
	texts = make(map[string]string)
	for _, t := range w.tasks {
		for _, e := range t.edits {
			if e.from != "" {
				gone = append(gone, e.from)
			}
			if e.gone {
				gone = append(gone, e.path)
			} else if e.by == nil {
				texts[e.path] = e.text
			}
		}
	}
	for _, path := range gone {
		delete(texts, path)
	}
	return texts, gone
}

// isMerged checks repository and files when the work is done: one merge commit on the
// base with exactly the work in it, and nothing left over.
func (a *agent) isMerged() {
	a.T.Helper()
	a.isMergedBeside("")
}

// isMergedBeside is isMerged where git status says something.
func (a *agent) isMergedBeside(status string) {
	a.T.Helper()
	if got := a.Git("status", "--porcelain", "--", ".", ":(exclude).code-intel"); got != status { // an agreement may lie there
		a.T.Errorf("git status is\n%s\nwant\n%s", got, status)
	}
	if on := a.Git("symbolic-ref", "--short", "HEAD"); on != a.trunk {
		a.T.Errorf("HEAD is on %s", on)
	}
	a.mergeIsClean()
	a.holdsWork()
}

// mergeIsClean compares the history of the base with what a merge leaves.
func (a *agent) mergeIsClean() {
	a.T.Helper()
	if left := a.Git("for-each-ref", "--format=%(refname)", "refs/heads/llm_task_*"); left != "" {
		a.T.Errorf("left over: %s", left)
	}
	if done := a.Git("for-each-ref", "refs/code-intel/done"); strings.Count(done, "\n") != 0 || done == "" {
		a.T.Errorf("kept under refs/code-intel/done: %q, want one", done)
	}
	parents := strings.Fields(a.Git("rev-list", "--parents", "-n1", a.trunk, "--"))
	if len(parents) != 3 {
		a.T.Fatalf("main is at %v, want a merge", parents)
	}
	if first := parents[1]; first != a.base {
		a.T.Errorf("the merge stands on %s, want %s", first, a.base)
	}
	report, _ := a.answer.Answer["report"].(object)
	if report["merged"] != parents[0] {
		a.T.Errorf("the report says that %v is the merge, and it is %s", report["merged"], parents[0])
	}
	if got := a.checkpoints(); len(got) == 0 || !got[len(got)-1].Archived || got[len(got)-1].Outcome != a.answer.Str("outcome") {
		a.T.Errorf("checkpoints: %+v", got)
	}
}

// holdsWork checks that the base branch contains exactly the files of the work.
func (a *agent) holdsWork() {
	a.T.Helper()
	texts, gone := a.work.final()
	var changed []string
	for path, text := range texts {
		if code, got := a.Exec("git", "cat-file", "blob", a.trunk+":"+path); code != 0 || got != text {
			a.T.Errorf("main:%s is %q, want %q", path, got, text)
		}
		changed = append(changed, path)
	}
	for _, path := range gone {
		if code, _ := a.Exec("git", "cat-file", "-e", a.trunk+":"+path); code == 0 {
			a.T.Errorf("main:%s is still there", path)
		}
		changed = append(changed, path)
	}
	for _, t := range a.work.tasks {
		for _, e := range t.edits {
			if e.by != nil {
				changed = append(changed, e.path)
			}
		}
	}
	slices.Sort(changed)
	got := strings.Split(strings.TrimSuffix(a.Git("diff", "-z", "--no-renames", "--name-only", a.base, a.trunk, "--"), "\x00"), "\x00")
	slices.Sort(got)
	got = slices.DeleteFunc(got, func(f string) bool { return strings.HasPrefix(f, ".code-intel/agreements/") }) // what was learned
	if changed = slices.Compact(changed); !slices.Equal(got, changed) {
		a.T.Errorf("the merge changes %q, want %q", got, changed)
	}
}

// refuses takes a reply that must be a refusal with the code and the next step.
func (a *agent) refuses(r reply, code, way string) {
	a.T.Helper()
	if r.Code() != code || !strings.Contains(strings.Join(r.List("legal_next"), "\n"), way) {
		a.T.Errorf("at %q: want the refusal %q with %q, got: %s", a.at(), code, way, r.Text)
	}
}

// seen reports whether the agent has been in a phase, and how often.
func (a *agent) seen(phase string) (n int) {
	for _, p := range a.trail {
		if p == phase {
			n++
		}
	}
	return n
}
