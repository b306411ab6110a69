package proof

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
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// mutate runs the cheats once for each rule, with the rule taken out of the
// program; minutes. It goes on where an earlier run of the same program stopped.
var mutate = flag.Bool("mutate", false, "take out each rule in turn, and see which cheats get through")

// A mutation takes one rule out of the program: in some files, a text that occurs
// there once becomes another. testdata/mutations.txtar holds them: a section is
// named by the rule and a file, parted by " @ ", and holds the text, a line
// "=====>", and what it becomes.
type mutation struct {
	rule  string
	edits []struct{ file, old, new string }
}

const becomes = "=====>\n"

func mutations(t *testing.T) (all []mutation) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/mutations.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		rule, file, ok := strings.Cut(f.Name, " @ ")
		old, new, parted := strings.Cut(string(f.Data), "\n"+becomes)
		if !ok || !parted {
			t.Fatalf("testdata/mutations.txtar: section %q is none", f.Name)
		}
		i := slices.IndexFunc(all, func(m mutation) bool { return m.rule == rule })
		if i < 0 {
			i, all = len(all), append(all, mutation{rule: rule})
		}
		all[i].edits = append(all[i].edits, struct{ file, old, new string }{file, old, strings.TrimSuffix(new, "\n")})
	}
	return all
}

// TestRulesHaveCheats holds the table of mutations against the program and the
// cheats: each rule is there to be taken out, and is one that somebody breaks.
func TestRulesHaveCheats(t *testing.T) {
	broken := make(map[string]int)
	for _, c := range cheats {
		broken[c.rule]++
	}
	seen := make(map[string]bool)
	for _, m := range mutations(t) {
		if _, err := m.apply(); err != nil {
			t.Error(err)
		}
		if broken[m.rule] == 0 {
			t.Errorf("nobody breaks the rule %q", m.rule)
		}
		seen[m.rule] = true
	}
	for _, rule := range slices.Sorted(maps.Keys(broken)) {
		if !seen[rule] {
			t.Errorf("the rule %q cannot be taken out: it is not in testdata/mutations.txtar", rule)
		}
	}
}

// apply returns the files without the rule, by path from the root of the module.
func (m mutation) apply() (map[string]string, error) {
	files := make(map[string]string)
	for _, e := range m.edits {
		text, ok := files[e.file]
		if !ok {
			data, err := os.ReadFile(filepath.Join("..", e.file))
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

// results is what runs have found: by rule, the cheats that got through, and the
// state of the program that this was found for.
const results = "testdata/mutations.json"

type found struct {
	Program string   `json:"program"` // hash of what the run depends on
	Through []string `json:"through"` // techniques that got through without the rule
}

// TestMutations takes out each rule and plays all cheats. Exactly those of the
// rule must get through: a cheat that another rule catches, too, proves nothing
// of its own, and one that falls to a rule that is not its own is misnamed.
func TestMutations(t *testing.T) {
	if !*mutate {
		t.Skip("minutes; make mutate")
	}
	known := make(map[string]found)
	if data, err := os.ReadFile(results); err == nil {
		if err := json.Unmarshal(data, &known); err != nil {
			t.Fatalf("%s: %v", results, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	program := fingerprint(t)
	for _, m := range mutations(t) {
		t.Run(m.rule, func(t *testing.T) {
			f, there := known[m.rule]
			if !there || f.Program != program {
				f = found{Program: program, Through: m.through(t)}
				known[m.rule] = f
				data, err := json.MarshalIndent(known, "", " ")
				if err == nil {
					err = os.WriteFile(results, append(data, '\n'), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if want := techniques(m.rule); !slices.Equal(f.Through, want) {
				t.Errorf("without the rule %q\n got through %q\nwant through %q", m.rule, f.Through, want)
			}
		})
	}
}

// techniques returns the cheats that break the rule, sorted.
func techniques(rule string) (names []string) {
	for _, c := range cheats {
		if c.rule == rule {
			names = append(names, c.technique)
		}
	}
	slices.Sort(names)
	return names
}

// through builds the program without the rule, plays all cheats against it, and
// returns those whose tests fail.
func (m mutation) through(t *testing.T) []string {
	t.Helper()
	files, err := m.apply()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := make(map[string]string)
	for file, text := range files {
		original, err := filepath.Abs(filepath.Join("..", file))
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
	build := exec.Command("go", "test", "-c", "-overlay", filepath.Join(dir, "overlay.json"), "-o", filepath.Join(dir, "mutant"), ".")
	build.Env = environment // the compiler's cache is at home
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the program without the rule does not compile: %v\n%s", err, out)
	}
	run := exec.Command(filepath.Join(dir, "mutant"), "-test.run", "^TestCheats$", "-test.v", "-test.timeout", "20m")
	out, err := run.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("--- ")) {
		t.Fatalf("no cheat was played:\n%s", out)
	}
	through := []string{}
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: TestCheats/"); ok {
			name, _, _ = strings.Cut(name, " (")
			for _, c := range cheats {
				if strings.ReplaceAll(c.technique, " ", "_") == name {
					through = append(through, c.technique)
				}
			}
		}
	}
	slices.Sort(through)
	return through
}

// fingerprint identifies the program and the cheats: all Go sources, texts and
// tables of the module.
func fingerprint(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	for _, dir := range []string{"../internal", "../proof"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path == filepath.Join("..", "proof", results) {
				return err
			}
			switch filepath.Ext(path) {
			case ".go", ".yaml", ".md", ".txtar":
				if strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "../proof") {
					return nil
				}
				data, err := os.ReadFile(path)
				fmt.Fprintf(h, "%s %d\n", path, len(data))
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
