// Package mutation removes the rules of the program, one at a time, and checks which
// attacks then get through: exactly those that the rule should catch.
//
// A rule is removed by a compiler overlay: the sources stay unchanged. Results are kept
// in a file, with the state of the program that they are for, so that a run continues
// where the last one stopped.
package mutation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	mutate = flag.Bool("mutate", false, "take out each rule in turn, and see which attacks get through; hours; goes on where an earlier run of the same program stopped")
	within = flag.Duration("within", 0, "begin no rule of -mutate after this time; 0: any")
	only   = flag.String("rules", "", "the rules of -mutate, as a regular expression; \"\": all")
	order  = flag.Uint64("order", 1, "of the rules of -mutate; runs of different orders may share the work")
)

// A Suite is the attacks of a package of tests, by the rules that catch them. The
// package has a test TestAttacks with a subtest for each.
type Suite struct {
	Root    string              // of the module, from the package
	Table   string              // the mutations; see [Suite.mutations]
	Results string              // what runs have found
	Attacks map[string][]string // techniques by the rule that they break
	Sources []string            // folders, from the root, that the outcome depends on
	Env     []string            // of the compiler, whose cache is at home
	Args    []string            // of the tests, besides
}

// A mutation takes one rule out of the program: in some files, a text that occurs
// there once becomes another.
type mutation struct {
	rule  string
	edits []struct{ file, old, new string }
}

const becomes = "=====>\n"

// mutations reads the table: a section is named by the rule and a file, parted by
// " @ ", and holds the text, a line "=====>", and what it becomes.
func (s Suite) mutations(t *testing.T) (all []mutation) {
	t.Helper()
	archive, err := txtar.ParseFile(s.Table)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		rule, file, ok := strings.Cut(f.Name, " @ ")
		old, new, parted := strings.Cut(string(f.Data), "\n"+becomes)
		if !ok || !parted {
			t.Fatalf("%s: section %q is none", s.Table, f.Name)
		}
		i := slices.IndexFunc(all, func(m mutation) bool { return m.rule == rule })
		if i < 0 {
			i, all = len(all), append(all, mutation{rule: rule})
		}
		all[i].edits = append(all[i].edits, struct{ file, old, new string }{file, old, strings.TrimSuffix(new, "\n")})
	}
	return all
}

// Covers checks the table against the program and the attacks: each rule can be removed
// and has an attack.
func (s Suite) Covers(t *testing.T) {
	t.Helper()
	seen := make(map[string]bool)
	for _, m := range s.mutations(t) {
		if _, err := s.apply(m); err != nil {
			t.Error(err)
		}
		if len(s.Attacks[m.rule]) == 0 {
			t.Errorf("nobody breaks the rule %q", m.rule)
		}
		seen[m.rule] = true
	}
	for _, rule := range slices.Sorted(maps.Keys(s.Attacks)) {
		if !seen[rule] {
			t.Errorf("the rule %q cannot be taken out: it is not in %s", rule, s.Table)
		}
	}
}

// apply returns the files without the rule, by path from the root of the module.
func (s Suite) apply(m mutation) (map[string]string, error) {
	files := make(map[string]string)
	for _, e := range m.edits {
		text, ok := files[e.file]
		if !ok {
			data, err := os.ReadFile(filepath.Join(s.Root, e.file))
			if err != nil {
				return nil, err
			}
			text = string(data)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("rule %q: its text is %d times in %s; it must be there once:\n%s", m.rule, n, e.file, e.old)
		}
		files[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return files, nil
}

type found struct {
	Program string   `json:"program"` // hash of what the run depends on, the mutation too
	Through []string `json:"through"` // techniques that got through without the rule
}

func (s Suite) known(t *testing.T) map[string]found {
	t.Helper()
	known := make(map[string]found)
	if data, err := os.ReadFile(s.Results); err == nil {
		if err := json.Unmarshal(data, &known); err != nil {
			t.Fatalf("%s: %v", s.Results, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return known
}

// Run removes each rule and plays all attacks, if the flag -mutate is given. Exactly
// those of the rule must get through: an attack that another rule catches as well proves
// nothing, and one that another rule catches has the wrong name. Rules that were never
// removed come first, then those of earlier programs.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	if !*mutate {
		t.Skip("hours; make mutate")
	}
	known, until := s.known(t), time.Now().Add(*within)
	chosen := regexp.MustCompile(*only)
	all, programs := s.mutations(t), make(map[string]string)
	all = slices.DeleteFunc(all, func(m mutation) bool { return !chosen.MatchString(m.rule) })
	whole := s.fingerprint(t)
	for _, m := range all {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", whole, m.edits))
		programs[m.rule] = hex.EncodeToString(sum[:8])
	}
	age := func(m mutation) int {
		switch f, there := known[m.rule]; {
		case !there:
			return 0
		case f.Program != programs[m.rule]:
			return 1
		}
		return 2
	}
	rand.New(rand.NewPCG(*order, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b mutation) int { return age(a) - age(b) })
	for _, m := range all {
		t.Run(m.rule, func(t *testing.T) {
			known := s.known(t) // another run may have been here
			f, there := known[m.rule]
			program := programs[m.rule]
			if !there || f.Program != program {
				if *within > 0 && time.Now().After(until) {
					t.Skip("the time is over; the next run goes on here")
				}
				f = found{Program: program, Through: s.through(t, m)}
				known = s.known(t)
				known[m.rule] = f
				data, err := json.MarshalIndent(known, "", " ")
				if err == nil {
					err = os.WriteFile(s.Results, append(data, '\n'), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if want := s.techniques(m.rule); !slices.Equal(f.Through, want) {
				t.Errorf("without the rule %q\n got through %q\nwant through %q", m.rule, f.Through, want)
			}
		})
	}
}

// Summary says in a sentence how many rules were taken out in all runs, for a page.
func (s Suite) Summary(t *testing.T) string {
	t.Helper()
	known := s.known(t)
	removed, exact := 0, 0
	for rule := range s.Attacks {
		f, there := known[rule]
		if there {
			removed++
		}
		if there && slices.Equal(f.Through, s.techniques(rule)) {
			exact++
		}
	}
	return fmt.Sprintf("Of %d rules, %d have been removed so far; without %d of these, exactly their own attacks succeeded.\n",
		len(s.Attacks), removed, exact)
}

// techniques returns the attacks that break the rule, sorted.
func (s Suite) techniques(rule string) []string { return slices.Sorted(slices.Values(s.Attacks[rule])) }

// through builds the program without the rule, plays all attacks against it, and
// returns those whose tests fail.
func (s Suite) through(t *testing.T, m mutation) []string {
	t.Helper()
	files, err := s.apply(m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := make(map[string]string)
	for file, text := range files {
		original, err := filepath.Abs(filepath.Join(s.Root, file))
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(replace[original], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-overlay", filepath.Join(dir, "overlay.json"), "-o",
		filepath.Join(dir, "mutant"), ".")
	build.Env = s.Env
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program without the rule does not compile: %v\n%s", err, out)
	}
	run := exec.Command(filepath.Join(dir, "mutant"), "-test.run", "^TestAttacks$", "-test.v", "-test.timeout", "20m")
	run.Args = append(run.Args, s.Args...)
	out, err := run.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) { // ended by a signal, it has not played them all
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("--- ")) {
		t.Fatalf("no attack was played:\n%s", out)
	}
	failed := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: TestAttacks/"); ok {
			name, _, _ = strings.Cut(name, " (")
			failed[name] = true
		}
	}
	through := []string{}
	for _, techniques := range s.Attacks {
		for _, technique := range techniques {
			if failed[strings.ReplaceAll(technique, " ", "_")] {
				through = append(through, technique)
			}
		}
	}
	slices.Sort(through)
	return through
}

// fingerprint identifies the program and the attacks: Go sources, texts and tables of
// the folders, without the table of mutations. Tests outside test/e2e do not count.
func (s Suite) fingerprint(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	for _, dir := range s.Sources {
		err := filepath.WalkDir(filepath.Join(s.Root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(s.Root, path)
			if err != nil {
				return err
			}
			switch filepath.Ext(path) {
			case ".go", ".yaml", ".md", ".txtar":
				if strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(filepath.ToSlash(name), "test/e2e/") ||
					filepath.Base(path) == filepath.Base(s.Table) {
					return nil
				}
				data, err := os.ReadFile(path)
				fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(name), len(data))
				h.Write(data)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
