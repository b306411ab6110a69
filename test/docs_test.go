package test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/project"
)

// docs is where the documents are.
const docs = root + "/docs"

// A row is one line of a table, with the place where it is.
type row struct {
	section string
	line    int
	cells   []string
}

var (
	code = regexp.MustCompile("`([^`]+)`")
	test = regexp.MustCompile(`^([a-z0-9-]+)\.((?:Test|Fuzz|Benchmark)\w*)$`)
	tool = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)
)

// TestSettings compares docs/reference/settings.md with what the program reads: every field of
// config.json with its default, every key of context.yml, every variable.
func TestSettings(t *testing.T) {
	said := make(map[string]string) // by name, what the second cell says
	for _, r := range read(t, "reference/settings.md") {
		for _, m := range code.FindAllStringSubmatch(r.cells[0], -1) {
			said[m[1]] = r.cells[1]
		}
	}
	text, err := project.EncodeConfig(project.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		var have, want any
		cell, ok := said[name]
		if !ok || json.Unmarshal([]byte(strings.Trim(cell, "`")), &have) != nil || json.Unmarshal(value, &want) != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s: settings.md says %q, the default is %s", name, cell, value)
		}
	}
	for _, name := range project.ContextKeys() {
		if _, ok := said[name]; !ok {
			t.Errorf("settings.md says nothing of %s in context.yml", name)
		}
	}
	ours := regexp.MustCompile(`"(CODE_INTEL_[A-Z_]*[A-Z])"|os\.Getenv\("([A-Z_]+)"\)|getenv\("([A-Z_]+)"\)`)
	err = filepath.WalkDir("../internal", func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			if err == nil && d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return err
		}
		src, err := os.ReadFile(file)
		for _, m := range ours.FindAllStringSubmatch(string(src), -1) {
			if _, ok := said[m[1]+m[2]+m[3]]; !ok {
				t.Errorf("%s reads %s, and settings.md does not say so", file, m[1]+m[2]+m[3])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// link is where a link of Markdown leads.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks follows every relative link of the pages for people.
func TestLinks(t *testing.T) {
	n := 0
	for page, text := range pages(t) {
		n++
		page = filepath.Join(root, page)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			to, part, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			file := page
			if to != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
			}
			there, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if part != "" && !slices.Contains(anchors(string(there)), part) {
				t.Errorf("%s links to %s: no heading is called so", page, m[1])
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d pages were found", n)
	}
}

// pages returns the documents for people, by path from the root.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	all := tracked(t)
	maps.DeleteFunc(all, func(page string, _ []byte) bool {
		dir := filepath.Dir(page)
		return filepath.Ext(page) != ".md" || dir != "." && dir != "docs" && !strings.HasPrefix(dir, "docs/")
	})
	return all
}

// TestPaths checks that every path in backticks exists. NAME and <name> stand for any.
func TestPaths(t *testing.T) {
	path := regexp.MustCompile("`((?:internal|cmd|test|docs|changelog)/[^` :#]*)`")
	any := regexp.MustCompile(`[A-Z]{3,}|<\w+>`)
	for page, text := range pages(t) {
		for _, m := range path.FindAllStringSubmatch(string(text), -1) {
			pattern := filepath.Join(root, filepath.FromSlash(any.ReplaceAllString(m[1], "*")))
			if found, err := filepath.Glob(pattern); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there (%v)", page, m[1], err)
			}
		}
	}
}

// anchors are the names by which headings can be linked to, as GitHub makes them.
func anchors(text string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

// seeds are the pages that say where each original requirement is implemented.
var seeds = []string{"seeds.md", "seeds-older.md"}

// TestSeeds checks that the places and tests that these pages name exist.
func TestSeeds(t *testing.T) {
	for _, page := range seeds {
		rows := read(t, "design/"+page)
		if len(rows) == 0 {
			t.Fatal(page, "has no table")
		}
		testSeeds(t, page, rows)
	}
}

func testSeeds(t *testing.T, page string, rows []row) {
	t.Helper()
	seen := make(map[string]int)
	for _, r := range rows {
		if len(r.cells) != 3 {
			t.Errorf("%s:%d has %d cells, not 3", page, r.line, len(r.cells))
			continue
		}
		what, where, proof := r.cells[0], r.cells[1], r.cells[2]
		key := r.section + "\x00" + what
		if first := seen[key]; first != 0 {
			t.Errorf("%s:%d says %q again, as line %d", page, r.line, what, first)
		}
		seen[key] = r.line
		if !strings.HasPrefix(where, "deliberate: ") && !code.MatchString(where) {
			t.Errorf("%s:%d names no place", page, r.line)
		}
		exist(t, page, r.line, where)
		if proof == "—" && strings.HasPrefix(where, "deliberate: ") {
			continue
		}
		if !code.MatchString(proof) {
			t.Errorf("%s:%d names no test", page, r.line)
		}
		exist(t, page, r.line, proof)
	}
}

// TestSecurity checks that every row of the table in SECURITY.md names a test, and that each
// that it names exists.
func TestSecurity(t *testing.T) {
	named := regexp.MustCompile("`(?:([a-z0-9]+)\\.)?(Test[A-Z]\\w*)`")
	rows := read(t, "../SECURITY.md")
	if len(rows) < 20 {
		t.Fatalf("SECURITY.md promises %d things?", len(rows))
	}
	for _, r := range rows {
		all := named.FindAllStringSubmatch(strings.Join(r.cells, " "), -1)
		if len(all) == 0 {
			t.Errorf("SECURITY.md:%d names no test", r.line)
		}
		for _, m := range all {
			if !declared(t, m[1], m[2]) {
				t.Errorf("SECURITY.md:%d: there is no %s", r.line, m[0])
			}
		}
	}
}

// TestSuperseded checks that no superseded name is still a tool.
func TestSuperseded(t *testing.T) {
	none := true
	var rows []row
	for _, page := range seeds {
		rows = append(rows, read(t, "design/"+page)...)
	}
	for _, r := range rows {
		if len(r.cells) != 3 || !strings.HasPrefix(r.cells[1], "→ ") {
			continue
		}
		for _, name := range tool.FindAllString(r.cells[0], -1) {
			none = false
			if _, err := os.Stat(filepath.Join("..", "internal", "mcp", "tools", name+".md")); err == nil {
				t.Errorf("%s:%d: %s has a successor, but is a tool", r.section, r.line, name)
			}
		}
	}
	if none {
		t.Error("the seeds name nothing that is superseded")
	}
	if _, err := os.Stat(filepath.Join("..", "internal", "mcp", "tools", "submit_phase.md")); err != nil {
		t.Errorf("tools are described elsewhere now: %v", err)
	}
}

// TestGlossary checks that the packages in docs/design/glossary.md exist.
func TestGlossary(t *testing.T) {
	for _, r := range read(t, "design/glossary.md") {
		if len(r.cells) != 3 {
			t.Errorf("glossary.md:%d has %d cells, not 3", r.line, len(r.cells))
			continue
		}
		exist(t, "glossary.md", r.line, r.cells[2])
	}
}

// exist reports every name in backticks that does not exist. A test is written
// package.TestName, an end-to-end test conversation/NAME or script/NAME; a path is relative to the root of the project or to internal.
func exist(t *testing.T, file string, line int, cell string) {
	t.Helper()
	for _, m := range code.FindAllStringSubmatch(cell, -1) {
		name := m[1]
		if m := test.FindStringSubmatch(name); m != nil {
			if !declared(t, m[1], m[2]) {
				t.Errorf("%s:%d: there is no test %s", file, line, name)
			}
			continue
		}
		_, inRoot := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
		_, inInternal := os.Stat(filepath.Join("..", "internal", filepath.FromSlash(name)))
		_, archive := os.Stat(filepath.Join("..", "cmd", "code-intel", "testdata", filepath.FromSlash(name)+".txtar"))
		if inRoot != nil && inInternal != nil && archive != nil {
			t.Errorf("%s:%d: there is no %s", file, line, name)
		}
	}
}

// declared reports whether a package of that name has such a test; any, if it is "".
func declared(t *testing.T, pkg, name string) bool {
	t.Helper()
	for path, text := range tests(t) {
		if (pkg == "" || filepath.Base(filepath.Dir(path)) == pkg) && strings.Contains(text, "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

// tests returns the test files of the repository.
var tests = func() func(t *testing.T) map[string]string {
	var all map[string]string
	return func(t *testing.T) map[string]string {
		if all == nil {
			all = make(map[string]string)
			for path, text := range tracked(t) {
				if strings.HasSuffix(path, "_test.go") {
					all[path] = string(text)
				}
			}
		}
		return all
	}
}()

// read returns the rows of every table of a file, without headings and rules.
func read(t *testing.T, file string) (rows []row) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docs, file))
	if err != nil {
		t.Fatal(err)
	}
	section, head, n := "", true, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			section = line
		case !strings.HasPrefix(line, "|"):
			head = true
		case head: // the first line of a table names its columns
			head = false
		case strings.HasPrefix(line, "|---"):
		default:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, row{section, n, cells})
		}
	}
	return rows
}
