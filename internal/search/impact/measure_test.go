//go:build tune

package impact

import (
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/commitlog"
	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
)

var (
	measured = flag.String("repositories", "", "clones whose commits are measured, separated by commas; they are not touched")
	perClone = flag.Int("each", 12, "commits of each repository")
	rowsTo   = flag.String("rows", "", "file for what was found, one JSON object a commit")
)

// A hidden commit is one that an analysis does not know.
type hidden struct {
	id   string
	main string   // the source file of which most lines changed
	gold []string // its other files, of those that were there before
}

// hiddenCommits returns commits of a clone, newest first, spread evenly over the
// newest two thousand: those that changed two to ten files that were there before, at
// least one of them source code that is no test.
func hiddenCommits(t *testing.T, clone string, most int) []hidden {
	t.Helper()
	out := gitIn(t, clone, "log", "--no-merges", "--max-count=2000", "--no-renames", "--numstat", "--summary", "--format=%x01%H")
	var list []hidden
	for _, entry := range strings.Split(out, "\x01")[1:] {
		lines := strings.Split(entry, "\n")
		h := hidden{id: lines[0]}
		changed, best := map[string]int{}, -1
		for _, l := range lines[1:] {
			if f := strings.SplitN(l, "\t", 3); len(f) == 3 {
				added, _ := strconv.Atoi(f[0])
				gone, _ := strconv.Atoi(f[1])
				changed[f[2]] = added + gone
			} else if f := strings.Fields(l); len(f) == 4 && (f[0] == "create" || f[0] == "delete") {
				delete(changed, f[3])
			}
		}
		var files []string
		for f := range changed {
			files = append(files, f)
		}
		sort.Strings(files)
		for _, f := range files {
			if code(f) && changed[f] > best {
				h.main, best = f, changed[f]
			}
		}
		for _, f := range files {
			if f != h.main {
				h.gold = append(h.gold, f)
			}
		}
		if h.main != "" && len(h.gold) >= 1 && len(h.gold) <= 9 {
			list = append(list, h)
		}
	}
	var some []hidden
	for i := range min(most, len(list)) {
		some = append(some, list[i*len(list)/min(most, len(list))])
	}
	return some
}

// code reports whether a file is source code and no test.
func code(file string) bool {
	l := syntax.Detect(file, nil)
	return l != syntax.Unknown && len(syntax.Of(l).Servers) > 0 && !search.TestFile(file)
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// TestMeasure asks of real commits, which the analysis does not know, what a change of
// their main file touches, and says how often one of the commit's other files is among
// the first five, and how many of the five are. Of the commit as a diff it says how many
// of the tests that it changed are to be run, and how often there is a finding.
func TestMeasure(t *testing.T) {
	if *measured == "" {
		t.Skip("no -repositories")
	}
	var rows *json.Encoder
	if *rowsTo != "" {
		f, err := os.Create(*rowsTo)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows = json.NewEncoder(f)
	}
	var all tallies
	for clone := range strings.SplitSeq(*measured, ",") {
		sums := measure(t, clone, rows)
		for i := range sums.files {
			all.files[i].add(sums.files[i])
		}
		all.tests.add(sums.tests)
		all.alarms += sums.alarms
		t.Logf("%-16s %s", filepath.Base(clone), sums)
	}
	t.Logf("%-16s %s", "all", all)
}

// tallies are what was found of some commits: the first files by references, by history
// and as shown; the tests that are to be run; and the diffs of which there is a finding.
type tallies struct {
	files  [3]tally
	tests  tally
	alarms int
}

// A tally counts what the first five files of some analyses hold.
type tally struct{ commits, hits, right, shown int }

func (a *tally) add(b tally) {
	a.commits, a.hits, a.right, a.shown = a.commits+b.commits, a.hits+b.hits, a.right+b.right, a.shown+b.shown
}

func (a *tally) count(list, gold []string) {
	right := 0
	for _, f := range first(list, 5) {
		if slices.Contains(gold, f) {
			right++
		}
	}
	a.commits, a.right, a.shown = a.commits+1, a.right+right, a.shown+len(first(list, 5))
	if right > 0 {
		a.hits++
	}
}

func (t tallies) String() string {
	f := func(n, of int) string { return strconv.FormatFloat(float64(n)/float64(max(of, 1)), 'f', 2, 64) }
	var b strings.Builder
	for i, what := range []string{"by references", "by history", "together"} {
		a := t.files[i]
		b.WriteString(what + ": hit " + f(a.hits, a.commits) + ", precision " + f(a.right, a.shown) + "; ")
	}
	b.WriteString(strconv.Itoa(t.files[0].commits) + " commits, " + strconv.Itoa(t.alarms) + " with a finding; tests to run: ")
	return b.String() + f(t.tests.right, t.tests.commits) + " of " + strconv.Itoa(t.tests.commits) + ", " +
		f(t.tests.shown, t.tests.hits) + " named a commit"
}

// apply brings what a commit changed into a clone that has its parent checked out: its
// tests, or what is no test.
func apply(t *testing.T, dir, id string, tests bool) {
	t.Helper()
	for line := range strings.Lines(gitIn(t, dir, "diff", "--no-renames", "--name-status", id+"^", id)) {
		status, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case search.TestFile(file) != tests:
		case status == "D":
			os.Remove(filepath.Join(dir, file))
		default:
			gitIn(t, dir, "checkout", "-q", id, "--", file)
		}
	}
}

// ofDiff analyses a commit as the difference of the working tree from its parent: first
// without its tests, for those that are to be run, then with them, for findings.
func (t *tallies) ofDiff(tt *testing.T, a *Analyzer, dir string, h hidden) (named []string, found []Finding) {
	tt.Helper()
	for _, tests := range []bool{false, true} {
		apply(tt, dir, h.id, tests)
		if _, err := a.x.Sync(tt.Context(), index.SyncOptions{}); err != nil {
			tt.Fatal(err)
		}
		answer, err := a.Analyze(tt.Context(), Query{Diff: "HEAD", Page: search.Page{Limit: 500}})
		if err != nil {
			tt.Logf("%s as a diff: %v", h.id, err)
			return named, nil
		}
		if !tests {
			named = answer.Tests
			changed := 0
			for _, f := range h.gold {
				if !search.TestFile(f) || strings.Contains(f, "/fixtures/") || syntax.Of(syntax.Detect(f, nil)).Servers == nil {
					continue // what tests read is not run
				}
				changed++
				if slices.Contains(named, f) {
					t.tests.right++
				}
			}
			if changed > 0 {
				t.tests.commits += changed
				t.tests.hits++
				t.tests.shown += len(named)
			}
			continue
		}
		found = slices.DeleteFunc(answer.Findings, func(f Finding) bool { return !f.Proven() })
		if len(found) > 0 {
			t.alarms++
			tt.Logf("%s: %+v", h.id, found)
		}
	}
	return named, found
}

func measure(t *testing.T, clone string, rows *json.Encoder) (sums tallies) {
	dir := filepath.Join(t.TempDir(), filepath.Base(clone))
	gitIn(t, filepath.Dir(clone), "clone", "-q", "--shared", clone, dir)
	p, err := project.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	x, err := index.Open(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	e := search.New(p, x)
	defer e.Close()
	for _, h := range hiddenCommits(t, clone, *perClone) {
		gitIn(t, dir, "checkout", "-q", "-f", "--detach", h.id+"^")
		if _, err := x.Sync(t.Context(), index.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		past := commitlog.New(dir, x.Dir(), commitlog.Window)
		a, err := New(p, x, e, past).Analyze(t.Context(), Query{Targets: search.OneOrMore{h.main}, Details: true, Page: search.Page{Limit: 500}})
		if err != nil {
			t.Logf("%s %s: %v", h.id, h.main, err)
			continue
		}
		b, err := New(p, x, e, nil).Analyze(t.Context(), Query{Targets: search.OneOrMore{h.main}, Details: true, Page: search.Page{Limit: 500}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := past.Log(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		there := func(f string) bool { _, err := os.Stat(filepath.Join(dir, f)); return err == nil }
		companions := l.Together([]string{h.main}, there)
		var byHistory []string
		for _, c := range companions {
			byHistory = append(byHistory, c.File)
		}
		facts := b.Observed()
		sums.files[0].count(append(slices.Clone(facts.MustVerify), facts.Should...), h.gold)
		sums.files[1].count(byHistory, h.gold)
		likely := a.Likely
		if len(likely) == 0 {
			facts := a.Observed()
			likely = append(slices.Clone(facts.MustVerify), facts.Should...)
		}
		sums.files[2].count(likely, h.gold)
		tests, found := sums.ofDiff(t, New(p, x, e, past), dir, h)
		if rows != nil {
			type companion struct {
				File    string
				Commits [][3]int // of each commit of both: how many are newer, its files, days before the newest
				All     int      // commits of the file
			}
			mine, own := map[*commitlog.Commit][3]int{}, [][3]int{}
			for i, m := range l.Commits {
				mine[m] = [3]int{i, m.Total, int((l.Commits[0].Time - m.Time) / 86400)}
			}
			for _, m := range l.Changes(h.main) {
				own = append(own, mine[m])
			}
			var list []companion
			for _, c := range first(companions, 60) {
				row := companion{File: c.File}
				for _, m := range l.Changes(c.File) {
					row.All++
					if at := mine[m]; slices.Contains(own, at) {
						row.Commits = append(row.Commits, at)
					}
				}
				list = append(list, row)
			}
			if err := rows.Encode(map[string]any{"repo": filepath.Base(clone), "id": h.id, "main": h.main, "gold": h.gold, "own": own,
				"must": b.MustVerify, "should": b.ShouldVerify, "together": list,
				"likely": likely, "tests": tests, "findings": found}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return sums
}
