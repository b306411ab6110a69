package project

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

const written = `# Layer 1: what always holds
project_rules:
  source: 'CLAUDE.md'   # the file people edit

  # written by the server
  summary: |
    DO:
    - Service 層でビジネスロジック
    DON'T:
    - Controller に複雑なロジック

  content_hash: "abc123..."

# Layer 2
doc_research:
    enabled: false
    docs_path: ["docs/", 'more docs/']
    default_prompts:
    - default.md   # keep
    doc_reserch: x

document_search:
  include_patterns: "**/*.md"

last_synced: "2025-01-18T10:00:00"
`

func TestParseContext(t *testing.T) {
	c, err := parseContext([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	want := Context{
		ProjectRules: ProjectRules{
			Source:      "CLAUDE.md",
			Summary:     "DO:\n- Service 層でビジネスロジック\nDON'T:\n- Controller に複雑なロジック\n",
			ContentHash: "abc123...",
		},
		DocResearch:    DocResearch{Enabled: false, DocsPath: []string{"docs/", "more docs/"}, DefaultPrompts: []string{"default.md"}},
		DocumentSearch: DocumentSearch{IncludePatterns: []string{"**/*.md"}, ExcludePatterns: []string{"node_modules/**"}},
		LastSynced:     time.Date(2025, 1, 18, 10, 0, 0, 0, time.Local),
		Unknown:        []msg.Message{msg.New("project.line", 20, "doc_research.doc_reserch")},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	for _, empty := range []string{"", "# nothing\n", "project_rules:\n", "~"} {
		if c, err := parseContext([]byte(empty)); err != nil || !cmp.Equal(c, defaultContext()) {
			t.Errorf("%q: %+v, %v", empty, c, err)
		}
	}
}

func TestBadContext(t *testing.T) {
	for text, want := range map[string]string{
		"doc_research:\n  enabled: maybe\n": "line 2: doc_research.enabled must be true or false",
		"project_rules: CLAUDE.md\n":        "line 1: project_rules must have keys",
		"project_rules:\n  summary: [a]\n":  "line 2: project_rules.summary must be text",
		"doc_research:\n  docs_path: {}\n":  "docs_path must be a list",
		"last_synced: yesterday\n":          "last_synced must be a time",
		"- a\n":                             "keys and values",
		"a: b: c\n":                         "not YAML",
	} {
		_, err := parseContext([]byte(text))
		if p := problem.Of(err); p == nil || !strings.Contains(p.Message.String(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestEditContext(t *testing.T) {
	summary, hash, one := "DO:\n- a: b # no comment\n\n  - deeper\n", "sha256:77", "one line"
	when := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	u := ContextUpdate{Summary: &summary, ContentHash: &hash, LastSynced: &when}
	edited, err := EditContext([]byte(written), u)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"    DO:\n    - Service 層でビジネスロジック\n    DON'T:\n    - Controller に複雑なロジック\n",
		"    DO:\n    - a: b # no comment\n\n      - deeper\n",
		`content_hash: "abc123..."`, `content_hash: "sha256:77"`,
		`"2025-01-18T10:00:00"`, `"2026-11-20T09:00:00Z"`,
	).Replace(written)
	if diff := cmp.Diff(want, string(edited)); diff != "" {
		t.Errorf("only the values should differ:\n%s", diff)
	}

	for name, tt := range map[string]struct{ text, want string }{
		"empty file":    {"", "project_rules:\n  summary: \"one line\"\n"},
		"no line feed":  {"a: 1", "a: 1\nproject_rules:\n  summary: \"one line\"\n"},
		"empty section": {"project_rules: # mine\na: 1\n", "project_rules: # mine\n  summary: \"one line\"\na: 1\n"},
		"other key":     {"project_rules:\n    source: x # s\n\n# c\na: 1\n", "project_rules:\n    source: x # s\n    summary: \"one line\"\n\n# c\na: 1\n"},
		"comment stays": {"project_rules:\n  summary: old # why\n", "project_rules:\n  summary: \"one line\" # why\n"},
		"folded":        {"project_rules:\n  summary: >\n    a\n\n    b\n  source: x\n", "project_rules:\n  summary: \"one line\"\n  source: x\n"},
		"line ends":     {"project_rules:\r\n  summary: old\r\n", "project_rules:\r\n  summary: \"one line\"\r\n"},
		"flow style":    {"# c\nproject_rules: {summary: old, source: x}\n", "# c\nproject_rules: {summary: \"one line\", source: x}\n"},
		"anchor":        {"base: &b {source: x}\nproject_rules: *b\n", "base: &b {source: x}\nproject_rules: {source: x, summary: \"one line\"}\n"},
	} {
		got, err := EditContext([]byte(tt.text), ContextUpdate{Summary: &one})
		if err != nil || string(got) != tt.want {
			t.Errorf("%s:\n%s%v, want\n%s", name, got, err, tt.want)
		}
	}
}

func TestUpdateContext(t *testing.T) {
	root := realTemp(t)
	p := &Project{Root: root}
	source := "AGENTS.md"
	if err := p.UpdateContext(ContextUpdate{Source: &source}); err != nil {
		t.Fatal(err)
	}
	if c, err := p.LoadContext(); err != nil || c.ProjectRules.Source != source {
		t.Errorf("%+v, %v", c, err)
	}
	if entries, err := os.ReadDir(p.Path()); err != nil || len(leftovers(entries)) > 0 {
		t.Errorf("left behind: %v, %v", leftovers(entries), err)
	}

	broken := "project_rules: [\n"
	write(t, root, ".code-intel/context.yml", broken)
	if err := p.UpdateContext(ContextUpdate{Source: &source}); problem.Of(err) == nil {
		t.Errorf("a broken file: %v", err)
	}
	if data, _ := os.ReadFile(p.Path("context.yml")); string(data) != broken {
		t.Errorf("a broken file was changed: %s", data)
	}
}

// Two who write at once both get what they asked for.
func TestUpdateContextTogether(t *testing.T) {
	p := &Project{Root: realTemp(t)}
	source, hash := "A.md", "77"
	done := make(chan error)
	go func() { done <- p.UpdateContext(ContextUpdate{Source: &source}) }()
	go func() { done <- p.UpdateContext(ContextUpdate{ContentHash: &hash}) }()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	c, err := p.LoadContext()
	if err != nil || c.ProjectRules.Source != source || c.ProjectRules.ContentHash != hash {
		t.Errorf("%+v, %v", c.ProjectRules, err)
	}
}

// leftovers are the temporary files in a folder.
func leftovers(entries []os.DirEntry) (names []string) {
	for _, e := range entries {
		if strings.Contains(e.Name(), "tmp") || strings.HasPrefix(e.Name(), ".code-intel-") {
			names = append(names, e.Name())
		}
	}
	return names
}

func FuzzEditContext(f *testing.F) {
	for _, seed := range []string{
		written, "", "a: &x [*x]\n", "? a\n: b\n", "project_rules: |\n  x\n", "project_rules:\n- a\n",
		"--- \nproject_rules: {}\n...\n", "project_rules:\n  summary: \"a\n   b\"\n", "\tproject_rules: 1", "%YAML 1.2\n---\na: 1\n",
	} {
		f.Add([]byte(seed), "text\nmore")
	}
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		edited, err := EditContext(data, ContextUpdate{Summary: &value})
		if err != nil {
			return
		}
		var before, after map[string]any
		if yaml.Unmarshal(data, &before) != nil {
			t.Fatalf("a broken file was edited: %q", data)
		}
		if err := yaml.Unmarshal(edited, &after); err != nil {
			t.Fatalf("%q became %q: %v", data, edited, err)
		}
		if rules, ok := after["project_rules"].(map[string]any); !ok || rules["summary"] != value {
			t.Fatalf("%q became %q: the summary is not %q", data, edited, value)
		}
	})
}
