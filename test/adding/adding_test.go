// Package adding tests docs/design/adding.md: it adds what the page says, as files laid
// over the sources, and touches no other file.
package adding

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/test/tier"
)

const root = "../.."

// An edit is a line that a file is given.
type edit struct{ file, before, line string }

func TestClient(t *testing.T) {
	tier.Full(t) // it recompiles the program and some tests
	adds{
		section: "A client", name: "sample", archive: "testdata/client.txtar",
		edits: []edit{
			{"internal/clients/registry/registry.go", "\t\"codeintel/internal/clients/vscode\"\n", "\t\"codeintel/internal/clients/sample\"\n"},
			{"internal/clients/registry/registry.go", "\tvscode.Client,\n", "\tsample.Client,\n"},
		},
		sources: "internal/clients",
		test:    []string{"internal/clients/sample", "internal/clients/registry"}, run: ".",
	}.walk(t)
}

func TestLanguage(t *testing.T) {
	tier.Full(t) // it recompiles the program and some tests
	adds{
		section: "A language", name: "sample", archive: "testdata/language.txtar",
		edits:   []edit{{"internal/syntax/registry.go", "\tlanguages.Scala,\n", "\tlanguages.Sample,\n"}},
		sources: "internal/syntax",
		test:    []string{"internal/syntax"}, run: "TestGolden|TestRules|TestOneOwner", samples: true,
		golden: "internal/syntax/testdata/sample/shop.sample.golden",
	}.walk(t)
}

func TestTool(t *testing.T) {
	tier.Full(t) // it recompiles the program and some tests
	adds{
		section: "A tool", name: "count_words", archive: "testdata/tool.txtar",
		edits: []edit{{
			"internal/mcp/tools.go", "\trow(Search, \"search_files\"",
			"\trow(Search, \"count_words\", \"Count words\", reads, `{\"text\": \"one two\"}`, (*handlers).countWords),\n",
		}},
		sources: "internal/mcp",
		test:    []string{"internal/mcp"}, run: "TestCountWords$",
	}.walk(t)
}

// adds is a walk through a section of the page.
type adds struct {
	section string
	name    string   // in place of NAME
	archive string   // the files that are new, and
	edits   []edit   // the lines that files are given
	sources string   // the folder that the test depends on
	test    []string // packages that are tested then
	run     string   // the tests of those packages
	golden  string   // what becomes of testdata/language.golden, which no archive can hold
	samples bool     // they run where there is no test data but what is added
}

func (a adds) walk(t *testing.T) {
	added, err := txtar.ParseFile(a.archive)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, f := range added.Files {
		files[f.Name] = string(f.Data)
	}
	if a.golden != "" {
		text, err := os.ReadFile("testdata/language.golden")
		if err != nil {
			t.Fatal(err)
		}
		files[a.golden] = string(text)
	}
	for _, e := range a.edits {
		if files[e.file] == "" {
			text, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				t.Fatal(err)
			}
			files[e.file] = string(text)
		}
		if strings.Count(files[e.file], e.before) != 1 {
			t.Fatalf("%s: where is %q?", e.file, e.before)
		}
		files[e.file] = strings.Replace(files[e.file], e.before, e.line+e.before, 1)
	}
	var touched []string
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		touched = append(touched, name)
		lain, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[lain] = file
		if _, sample, ok := strings.Cut(name, "/testdata/"); ok && a.samples {
			file = filepath.Join(dir, "testdata", filepath.FromSlash(sample))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(touched)
	if diff := cmp.Diff(a.promised(t), touched); diff != "" {
		t.Errorf("the page promises, and adding needs (-want +got):\n%s", diff)
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	a.depend(t)
	for _, pkg := range a.test {
		program := filepath.Join(dir, filepath.Base(pkg)+".test")
		build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", file, "-o", program, "./"+pkg)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, out)
		}
		test := exec.Command(program, "-test.run", a.run)
		if test.Dir = filepath.Join(root, pkg); !exists(test.Dir) || a.samples { // it is in the overlay alone
			test.Dir = dir
		}
		if out, err := test.CombinedOutput(); err != nil || strings.Contains(string(out), "no tests to run") {
			t.Errorf("%s: %v\n%s", pkg, err, out)
		}
	}
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

var listed = regexp.MustCompile("(?m)^\\d+\\. `([^`]+)`")

// promised returns the files that the numbered list of the section names.
func (a adds) promised(t *testing.T) (files []string) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "design", "adding.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "\n## "+a.section+"\n")
	if text, _, _ = strings.Cut(text, "\n## "); !found {
		t.Fatalf("adding.md has no section %q", a.section)
	}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		files = append(files, strings.ReplaceAll(m[1], "NAME", a.name))
	}
	slices.Sort(files)
	return files
}

// depend reads the sources: go test then runs the test again once they have changed.
func (a adds) depend(t *testing.T) {
	err := filepath.WalkDir(filepath.Join(root, a.sources), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
