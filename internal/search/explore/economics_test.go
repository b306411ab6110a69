//go:build tune

package explore

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/audit/shown"
	"codeintel/internal/commitlog"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
)

var (
	measured = flag.String("repositories", "", "clones whose commits are the tasks, separated by commas; they are not touched")
	perClone = flag.Int("each", 30, "tasks of each repository")
	newest   = flag.Int("newest", 600, "commits of each repository that they are taken from")
	rowsTo   = flag.String("rows", "", "file for what was found, one JSON object a task")
	askedIn  = flag.String("data", "", "JSON file of questions with their targets, as make tune takes it")
	corpora  = flag.String("corpora", "", "folder with the sources that the questions are about; they are indexed where they lie")
	askedOf  = flag.String("sets", "doc,swe", "sets of questions that are asked")
)

// A task is a commit that is to be made again, or a question: what is asked, and the lines
// that are to be seen.
type task struct {
	id, subject string
	gold        map[string][]search.Span // file -> lines as they are before the commit
}

// tasks returns commits of a clone, oldest first, spread evenly over the newest: those of
// at least three words that changed one to five files of source code that are no tests.
func tasks(t *testing.T, clone string, most int) []task {
	t.Helper()
	log, err := exec.Command("git", "-C", clone, "log", "--no-merges", "--max-count="+strconv.Itoa(*newest), "--no-renames", "--no-ext-diff", "-U0", "--format=%x01%H%x00%s%x00").Output()
	if err != nil {
		t.Logf("%s: no tasks, because git log fails: %v", clone, err)
		return nil
	}
	var list []task
	for _, entry := range strings.Split(string(log), "\x01")[1:] {
		part := strings.SplitN(entry, "\x00", 3)
		if len(part) < 3 {
			continue // a line of a patch holds the separator
		}
		c := task{id: part[0], subject: part[1], gold: map[string][]search.Span{}}
		file, files := "", 0
		for l := range strings.Lines(part[2]) {
			if f, ok := strings.CutPrefix(strings.TrimSpace(l), "--- "); ok {
				files++
				if file = strings.TrimPrefix(f, "a/"); f == "/dev/null" || !source(file) {
					file = ""
				}
			} else if m := hunk.FindStringSubmatch(l); m != nil && file != "" {
				at, _ := strconv.Atoi(m[1])
				n := 1
				if m[2] != "" {
					n, _ = strconv.Atoi(m[2])
				}
				c.gold[file] = append(c.gold[file], search.Span{Start: max(at, 1), End: max(at+n-1, at, 1)})
			}
		}
		if len(strings.Fields(c.subject)) >= 3 && len(c.gold) >= 1 && len(c.gold) <= 5 && files <= 20 && !dull.MatchString(c.subject) {
			list = append(list, c)
		}
	}
	var some []task
	n := min(most, len(list))
	for i := range n {
		some = append(some, list[i*len(list)/n])
	}
	slices.Reverse(some)
	return some
}

var (
	hunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? `)
	// dull are subjects that say nothing of code.
	dull = regexp.MustCompile(`(?i)\b(release|bump|version|typo|changelog|dependabot|lint|format|revert|merge|upgrade|prepare)\b`)
)

func source(file string) bool {
	l := syntax.Detect(file, nil)
	return l != syntax.Unknown && len(syntax.Of(l).Servers) > 0 && !search.TestFile(file)
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = dir, io.Discard
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// A cost is what it took one arm to see changed lines.
type cost struct {
	First      int     // characters of the first answer
	File, Line bool    // a changed file is named in it, a changed line shown
	Seen       bool    // a changed line was seen in the end
	Part       float64 // of the changes, how much the first answer shows
	Calls      int
	Characters int
}

const mostCalls = 20 // then an arm gives up

// TestEconomics counts the calls and characters that it takes to see lines that a commit
// changed, asking with its subject: by explore and reading what it names, by search and
// reading what it names, and by ripgrep.
func TestEconomics(t *testing.T) {
	if *measured == "" && *askedIn == "" {
		t.Skip("no -repositories and no -data")
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
	arms := []string{"explore", "search", "ripgrep"}
	all := map[string][]cost{}
	group := func(name string, ask func(tell func(task, map[string]cost))) {
		own := map[string][]cost{}
		ask(func(c task, costs map[string]cost) {
			for _, arm := range arms {
				own[arm], all[arm] = append(own[arm], costs[arm]), append(all[arm], costs[arm])
			}
			if rows != nil {
				if err := rows.Encode(map[string]any{"clone": name, "commit": c.id, "subject": c.subject, "gold": c.gold, "costs": costs}); err != nil {
					t.Fatal(err)
				}
			}
		})
		for _, arm := range arms {
			t.Logf("%-16s %s", name, line(arm, own[arm]))
		}
	}
	for clone := range strings.SplitSeq(*measured, ",") {
		if clone != "" {
			group(nameOf(clone), func(tell func(task, map[string]cost)) { economics(t, clone, tell) })
		}
	}
	for _, set := range questionSets(t) {
		group(set.name, func(tell func(task, map[string]cost)) { set.ask(t, tell) })
	}
	for _, arm := range arms {
		t.Logf("%-16s %s", "all", line(arm, all[arm]))
	}
}

// A questionSet is questions of one kind: by the folder of the sources that they are about.
type questionSet struct {
	name string
	of   map[string][]task
}

// questionSets reads the questions of -data: one set for each kind of them that has lines.
func questionSets(t *testing.T) (sets []questionSet) {
	t.Helper()
	if *askedIn == "" {
		return nil
	}
	raw, err := os.ReadFile(*askedIn)
	if err != nil {
		t.Fatal(err)
	}
	type target struct {
		Path       string
		Start, End int
	}
	var data struct {
		Queries []struct {
			ID, Set, Type, Corpus, Query string
			Targets                      []target
			Chunks                       []target `json:"chunk_targets"` // where they are not the targets
		}
	}
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	for _, q := range data.Queries {
		c := task{id: q.ID, subject: q.Query, gold: map[string][]search.Span{}}
		for _, at := range append(q.Targets, q.Chunks...) {
			if at.Start > 0 {
				c.gold[at.Path] = append(c.gold[at.Path], search.Span{Start: at.Start, End: at.End})
			}
		}
		if !slices.Contains(strings.Split(*askedOf, ","), q.Set) || len(c.gold) == 0 {
			continue
		}
		name := q.Set + "/" + q.Type
		i := slices.IndexFunc(sets, func(s questionSet) bool { return s.name == name })
		if i < 0 {
			i, sets = len(sets), append(sets, questionSet{name, map[string][]task{}})
		}
		sets[i].of[q.Corpus] = append(sets[i].of[q.Corpus], c)
	}
	return sets
}

func (s *questionSet) ask(t *testing.T, tell func(task, map[string]cost)) {
	t.Helper()
	for _, corpus := range slices.Sorted(maps.Keys(s.of)) {
		price(t, filepath.Join(*corpora, corpus), s.of[corpus], tell)
	}
}

// nameOf is the folder of a clone, or what holds it where that is a folder of any clone.
func nameOf(clone string) string {
	if name := filepath.Base(clone); name != "repo" {
		return name
	}
	return filepath.Base(filepath.Dir(clone))
}

func line(arm string, list []cost) string {
	n := float64(max(1, len(list)))
	share := func(of func(c cost) bool) float64 {
		sum := 0.
		for _, c := range list {
			if of(c) {
				sum++
			}
		}
		return sum / n
	}
	mean := func(of func(c cost) int) float64 {
		sum := 0
		for _, c := range list {
			sum += of(c)
		}
		return float64(sum) / n
	}
	var characters []int
	for _, c := range list {
		characters = append(characters, c.Characters)
	}
	slices.Sort(characters)
	median := 0
	if len(characters) > 0 {
		median = characters[len(characters)/2]
	}
	part := 0.
	for _, c := range list {
		part += c.Part / n
	}
	return fmt.Sprintf("%-8s %3d tasks; first answer: file %.2f, line %.2f, part %.3f, %6.0f characters; in the end: seen %.2f, %.1f calls, %6.0f characters (median %d)",
		arm, len(list), share(func(c cost) bool { return c.File }), share(func(c cost) bool { return c.Line }), part, mean(func(c cost) int { return c.First }),
		share(func(c cost) bool { return c.Seen }), mean(func(c cost) int { return c.Calls }), mean(func(c cost) int { return c.Characters }), median)
}

func economics(t *testing.T, clone string, tell func(task, map[string]cost)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), nameOf(clone))
	gitIn(t, ".", "clone", "-q", "--no-checkout", clone, dir)
	for _, c := range tasks(t, clone, *perClone) {
		if exec.Command("git", "-C", dir, "checkout", "-q", "-f", c.id+"^").Run() != nil {
			continue // the clone lacks something of it
		}
		price(t, dir, []task{c}, tell)
	}
}

// price has each arm ask for tasks about the sources in a folder.
func price(t *testing.T, dir string, list []task, tell func(task, map[string]cost)) {
	t.Helper()
	p, err := project.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	e := search.New(p, x)
	for _, c := range list {
		tell(c, map[string]cost{
			"explore": byExplore(t, New(p, x, e, commitlog.New(dir, x.Dir(), 2000)), dir, c),
			"search":  bySearch(t, e, dir, c),
			"ripgrep": byRipgrep(t, p, c),
		})
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// A reader reads and counts, until changed lines are seen.
type reader struct {
	t    *testing.T
	dir  string
	task task
	cost
	read map[string]bool
}

func readerOf(t *testing.T, dir string, c task) *reader {
	return &reader{t: t, dir: dir, task: c, read: map[string]bool{}}
}

// said counts an answer.
func (r *reader) said(text string) {
	if r.Calls++; r.Calls == 1 {
		r.First = len(text)
		for f := range r.task.gold {
			r.File = r.File || strings.Contains(text, f)
		}
	}
	r.Characters += len(text)
}

// show notes that lines were shown.
func (r *reader) show(file string, start, end int) {
	for _, g := range r.task.gold[file] {
		if start <= g.End && g.Start <= end {
			r.Seen = true
		}
	}
}

// done reports whether there is nothing more to do.
func (r *reader) done() bool { return r.Seen || r.Calls >= mostCalls }

const page = 60 // lines that are read at once

// open reads lines of a file, at most a page of them, unless they were read before.
func (r *reader) open(file string, start, end int) {
	end = min(end, start+page-1)
	key := fmt.Sprint(file, start/20)
	if r.read[key] || r.done() {
		return
	}
	r.read[key] = true
	text, err := os.ReadFile(filepath.Join(r.dir, file))
	if err != nil {
		return
	}
	var b strings.Builder
	n := 0
	for l := range strings.Lines(string(text)) {
		if n++; n >= start && n <= end {
			b.WriteString(l[:min(len(l), 300)])
		}
	}
	r.said(b.String())
	r.show(file, start, min(end, n))
}

// part is how much of the changes the lines shown hold.
func (r *reader) part(lines []shown.Lines) float64 {
	had, all := 0, 0
	for file, spans := range r.task.gold {
		for _, g := range spans {
			all++
			if slices.ContainsFunc(lines, func(l shown.Lines) bool { return l.File == file && l.Start <= g.End && g.Start <= l.End }) {
				had++
			}
		}
	}
	return float64(had) / float64(max(1, all))
}

func byExplore(t *testing.T, e *Explorer, dir string, c task) cost {
	a, err := e.Explore(t.Context(), Query{Query: c.subject})
	if err != nil {
		t.Fatalf("%s: %v", c.subject, err)
	}
	r := readerOf(t, dir, c)
	r.said(a.Text())
	for _, l := range a.Observed().Lines {
		r.show(l.File, l.Start, l.End)
	}
	r.Line, r.Part = r.Seen, r.part(a.Observed().Lines)
	for i := range a.Places {
		p := &a.Places[i]
		for n, c := range p.Code { // what is left out behind it
			end := p.EndLine
			if n+1 < len(p.Code) {
				end = p.Code[n+1].Line - 1
			}
			if c.last < end {
				r.open(p.File, c.last+1, end)
			}
		}
	}
	for _, s := range a.Further {
		r.open(s.File, s.StartLine, s.EndLine)
	}
	return r.cost
}

func bySearch(t *testing.T, e *search.Engine, dir string, c task) cost {
	a, err := e.Semantic(t.Context(), search.SemanticQuery{Query: c.subject})
	if err != nil {
		t.Fatalf("%s: %v", c.subject, err)
	}
	r := readerOf(t, dir, c)
	r.said(a.Text())
	for _, l := range a.Observed().Lines {
		r.show(l.File, l.Start, l.End)
	}
	r.Line, r.Part = r.Seen, r.part(a.Observed().Lines)
	for i := range a.ForestHits {
		h := &a.ForestHits[i]
		r.open(h.File, h.StartLine, h.EndLine)
	}
	return r.cost
}

// keywords are the words of a question that a skilled reader looks for: identifiers first,
// then long words.
func keywords(subject string) []string {
	var list []string
	words := regexp.MustCompile(`[A-Za-z_][\w]{2,}`).FindAllString(subject, -1)
	add := func(keep func(string) bool) {
		for _, w := range words {
			low := strings.ToLower(w)
			if keep(w) && !slices.Contains(common, low) && !slices.Contains(list, low) {
				list = append(list, low)
			}
		}
	}
	add(func(w string) bool {
		return strings.Contains(w, "_") || regexp.MustCompile(`[a-z][A-Z]`).MatchString(w)
	})
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	add(func(string) bool { return true })
	return list[:min(len(list), 4)]
}

var common = strings.Fields("the and for with from when not that this fix add use make allow support into remove handle update should all are was has have does been its new only also via per code bug issue improve refactor chore feat docs test tests avoid change move some more don can set get")

// declaration are the lines that an outline by a regular expression shows.
var declaration = regexp.MustCompile(`^\s*(?:export |public |private |protected |static |async |abstract |final |pub |default |internal |override )*(?:func|function|def|class|struct|interface|trait|impl|enum|fn|type|module|namespace)\b|^[A-Za-z_][\w\s*<>,]*\([^;]*\)\s*\{?\s*$`)

// byRipgrep looks for the keywords in the names of files and their lines (rg -il), takes the
// files with most of them, and of each an outline with the lines that hold a keyword
// (rg -n); then it reads a page around the densest of those lines, and the next.
func byRipgrep(t *testing.T, p *project.Project, c task) cost {
	r := readerOf(t, p.Root, c)
	words := keywords(c.subject)
	type hit struct {
		file  string
		words int
		lines int
		text  []string
	}
	var hits []*hit
	of := map[string]*hit{}
	list, err := files.List(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		f := list[i].Path
		text, err := os.ReadFile(p.Abs(f))
		if err != nil || len(text) > 1<<20 || strings.ContainsRune(string(text), 0) {
			continue
		}
		low := strings.ToLower(string(text))
		h := &hit{file: f}
		for _, w := range words {
			if strings.Contains(low, w) {
				h.words++
				h.lines += strings.Count(low, w)
			}
		}
		if h.words > 0 {
			h.text = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			hits, of[f] = append(hits, h), h
		}
	}
	for _, w := range words { // rg -il WORD | head -30
		var b strings.Builder
		n := 0
		for _, h := range hits {
			if n < 30 && slices.ContainsFunc(h.text, func(l string) bool { return strings.Contains(strings.ToLower(l), w) }) {
				b.WriteString(h.file + "\n")
				n++
			}
		}
		r.said(b.String())
	}
	slices.SortStableFunc(hits, func(a, b *hit) int {
		rank := func(h *hit) int {
			n := h.words * 1000
			if !source(h.file) {
				n -= 1500
			}
			if base := path.Base(h.file); strings.Contains(base, ".") && strings.Contains(c.subject, base) {
				n += 5000 // a file that the question names
			}
			return n + min(h.lines, 500)
		}
		return rank(b) - rank(a)
	})
	for i, h := range hits {
		if i == 8 || r.done() {
			break
		}
		var outline strings.Builder
		dense := make([]int, len(h.text))
		shown := 0
		for n, l := range h.text {
			low, here := strings.ToLower(l), 0
			for _, w := range words {
				if strings.Contains(low, w) {
					here++
				}
			}
			for k := max(0, n-page/2); here > 0 && k < min(len(dense), n+page/2); k++ {
				dense[k] += here
			}
			if shown < 60 && (here > 0 || declaration.MatchString(l)) {
				fmt.Fprintf(&outline, "%d:%s\n", n+1, l[:min(len(l), 160)])
				shown++
				if here > 0 {
					r.show(h.file, n+1, n+1)
				}
			}
		}
		r.said(outline.String())
		for range 2 {
			best := 0
			for n := range dense {
				if dense[n] > dense[best] {
					best = n
				}
			}
			if dense[best] == 0 {
				break
			}
			r.open(h.file, max(1, best+1-page/2), best+page/2)
			for k := max(0, best-page/2); k < min(len(dense), best+page/2); k++ {
				dense[k] = 0
			}
		}
	}
	return r.cost
}
