package setup

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// written are the files of a layout in a project that has nothing yet.
var written = []string{
	".claude/CLAUDE.md",
	".code-intel/.gitignore",
	".code-intel/config.json",
	".code-intel/context.yml",
	".code-intel/doc_research/default.md",
	".code-intel/interventions/check_assumptions.md",
	".code-intel/interventions/reproduce.md",
	".code-intel/interventions/take_another_way.md",
	".code-intel/interventions/trace_the_cause.md",
	".code-intel/phase_contract.yml",
	".code-intel/review_prompts/garbage_detection.md",
	".code-intel/review_prompts/quality_review.md",
	".code-intel/task_planning.md",
	".code-intel/user_escalation.md",
	".code-intel/verifiers/backend.md",
	".code-intel/verifiers/generic.md",
	".code-intel/verifiers/html_css.md",
}

func TestInit(t *testing.T) {
	for _, langs := range [][]string{nil, {"en"}, {"ja"}, {"en", "ja"}, {"ja,en"}} {
		root := t.TempDir()
		r := initialise(t, root, Options{Langs: langs})
		if diff := cmp.Diff(written, filesIn(t, root)); diff != "" {
			t.Errorf("%q:\n%s", langs, diff)
		}
		for _, dir := range []string{"agreements", "logs", "sessions"} {
			if info, err := os.Stat(filepath.Join(root, ".code-intel", dir)); err != nil || !info.IsDir() {
				t.Errorf("%s: %v", dir, err)
			}
		}
		for _, f := range r.Files {
			if f.Action != Created {
				t.Errorf("%s: %s", f.Path, f.Action)
			}
		}
		checkPrompts(t, root)

		before := snapshot(t, root)
		for _, f := range initialise(t, root, Options{Langs: langs}).Files {
			if f.Action != Kept || !f.Note.IsZero() {
				t.Errorf("%q, second run: %+v", langs, f)
			}
		}
		for _, f := range initialise(t, root, Options{}).Files {
			if f.Action != Kept {
				t.Errorf("%q, then without a language: %+v", langs, f)
			}
		}
		if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
			t.Errorf("%q: the second run changed something:\n%s", langs, diff)
		}
	}
}

// checkPrompts checks what was written against those who will read it.
func checkPrompts(t *testing.T, root string) {
	t.Helper()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.LoadContext()
	if err != nil || len(c.Unknown) > 0 || c.ProjectRules.Source != ".claude/CLAUDE.md" || !c.DocResearch.Enabled {
		t.Errorf("context.yml: %+v, %v", c, err)
	}
	var nothing any
	if err := yaml.Unmarshal(read(t, root, ".code-intel/phase_contract.yml"), &nothing); err != nil || nothing != nil {
		t.Errorf("phase_contract.yml says something: %v, %v", nothing, err)
	}
	for _, name := range written {
		text := string(read(t, root, name))
		if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") {
			t.Errorf("%s: a template is left in it", name)
		}
		if filepath.Ext(name) == ".md" && len(text) >= 6000 {
			t.Errorf("%s has %d bytes and would be cut in an answer", name, len(text))
		}
		if !strings.Contains(name, "/verifiers/") {
			continue
		}
		head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		var fields struct {
			Globs, Command []string
			Timeout        string
			Expect         struct{ Exit int }
		}
		d := yaml.NewDecoder(strings.NewReader(head))
		d.KnownFields(true)
		if err := d.Decode(&fields); err != nil || !ok || strings.Contains(body, "\n---\n") {
			t.Errorf("%s: front matter: %v", name, err)
		}
		if generic := strings.HasSuffix(name, "generic.md"); generic != (len(fields.Globs) == 0) {
			t.Errorf("%s: globs %q", name, fields.Globs)
		}
	}
}

func TestDryRun(t *testing.T) {
	root := t.TempDir()
	put(t, root, "go.mod", "module x\n")
	dry := initialise(t, root, Options{DryRun: true})
	if got := filesIn(t, root); !slices.Equal(got, []string{"go.mod"}) {
		t.Errorf("a dry run wrote %q", got)
	}
	wet := initialise(t, root, Options{})
	if dry.DryRun = false; !cmp.Equal(dry, wet) {
		t.Errorf("it did something else than it said:\n%s", cmp.Diff(dry, wet))
	}
}

func TestEditsStay(t *testing.T) {
	root := t.TempDir()
	initialise(t, root, Options{})
	edited := "# Mine\n"
	put(t, root, ".code-intel/task_planning.md", edited)
	put(t, root, ".code-intel/config.json", `{"chunk_max_tokens": 256}`)
	put(t, root, ".code-intel/interventions/own.md", edited)
	if err := os.Remove(filepath.Join(root, ".code-intel/user_escalation.md")); err != nil {
		t.Fatal(err)
	}
	put(t, root, "go.mod", "module x\n") // a proposal where there was none

	r := initialise(t, root, Options{Langs: []string{"ja"}})
	actions := make(map[string]Action)
	for _, f := range r.Files {
		actions[strings.TrimPrefix(f.Path, ".code-intel/")] = f.Action
	}
	want := map[string]Action{
		"task_planning.md": Kept, "config.json": Kept, "user_escalation.md": Created, "verifiers/backend.md": Updated,
		"verifiers/generic.md": Updated, "doc_research/default.md": Updated, "context.yml": Updated, ".gitignore": Kept, "logs/": Kept,
	}
	for name, action := range want {
		if actions[name] != action {
			t.Errorf("%s: %q, want %s", name, actions[name], action)
		}
	}
	if got := string(read(t, root, ".code-intel/task_planning.md")); got != edited {
		t.Errorf("an edited file: %q", got)
	}
	if got := string(read(t, root, ".code-intel/verifiers/backend.md")); !strings.Contains(got, `command: ["go", "test", "./..."]`) || !strings.Contains(got, "コードの検証") {
		t.Errorf("backend.md does not follow:\n%s", got)
	}
}

func TestGitignore(t *testing.T) {
	root := t.TempDir()
	put(t, root, ".code-intel/.gitignore", "index\n# mine\n/my-notes/")
	initialise(t, root, Options{})
	if got, want := string(read(t, root, ".code-intel/.gitignore")), "index\n# mine\n/my-notes/\n/locks/\n/logs/\n/sessions/\n*.lock\n*.tmp-*\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	root = t.TempDir()
	initialise(t, root, Options{})
	for _, name := range []string{"index/forest.db", "logs/decisions.jsonl", "sessions/1.json", "locks/context.lock", "agreements/a.md", ".context.yml.tmp-1"} {
		put(t, root, ".code-intel/"+name, "x")
	}
	git(t, root, "init", "-q")
	got := strings.Fields(git(t, root, "ls-files", "--others", "--exclude-standard"))
	want := append(slices.Clone(written), ".code-intel/agreements/a.md")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestClaude(t *testing.T) {
	for _, tt := range []struct {
		has     []string
		writes  bool
		source  string
		mention string
	}{
		{nil, true, ".claude/CLAUDE.md", ""},
		{[]string{"CLAUDE.md"}, false, "CLAUDE.md", ""},
		{[]string{"claude.md"}, false, "claude.md", ""},
		{[]string{".claude/CLAUDE.md"}, false, ".claude/CLAUDE.md", ""},
		{[]string{"AGENTS.md"}, true, "AGENTS.md", "@../AGENTS.md"},
		{[]string{"AGENTS.md", "CONTRIBUTING.md"}, true, "CONTRIBUTING.md", "@../CONTRIBUTING.md"},
		{[]string{"AGENTS.md", "CLAUDE.md"}, false, "CLAUDE.md", ""},
	} {
		root := t.TempDir()
		for _, name := range tt.has {
			put(t, root, name, "# Mine\n")
		}
		for range 2 { // the second run sees what the first has written
			initialise(t, root, Options{})
			text, err := os.ReadFile(filepath.Join(root, ".claude/CLAUDE.md"))
			ours := err == nil && string(text) != "# Mine\n"
			if ours != tt.writes || !strings.Contains(string(text), tt.mention) {
				t.Errorf("%q: %s", tt.has, text)
			}
			p := &project.Project{Root: root}
			if c, err := p.LoadContext(); err != nil || c.ProjectRules.Source != tt.source {
				t.Errorf("%q: source %q, %v", tt.has, c.ProjectRules.Source, err)
			}
		}
	}
}

// TestNothingIsNarrowed wants all of a project searched after init as before.
func TestNothingIsNarrowed(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"src", "lib", "tests", "notebooks"} {
		put(t, root, dir+"/a.py", "x")
	}
	initialise(t, root, Options{})
	c, err := project.ParseConfig(read(t, root, ".code-intel/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.Lang = project.Defaults().Lang
	if diff := cmp.Diff(project.Defaults(), c); diff != "" {
		t.Errorf("(-default +written):\n%s", diff)
	}
}

func TestProposals(t *testing.T) {
	for _, tt := range []struct{ files, want string }{
		{"go.mod=module", "go test ./..."},
		{"pytest.ini=", "pytest"},
		{"pyproject.toml=[tool.pytest.ini_options]", "pytest"},
		{"uv.lock= pyproject.toml=pytest", "uv run pytest"},
		{"tests/test_a.py=", "pytest"},
		{"tests/test_a.py=import\tunittest", "python3 -m unittest discover -s tests"},
		{"test_a.py=import\tunittest", "python3 -m unittest discover"},
		{"tests/a_test.py=from\tunittest\timport\tTestCase", "python3 -m unittest discover -s tests -p *_test.py"},
		{"tests/test_a.py=import\tunittest uv.lock=", "uv run python -m unittest discover -s tests"},
		{"tests/test_a.py=import\tunittest,pytest", "pytest"},
		{"tests/test_a.py=import\tunittest pyproject.toml=pytest Pipfile.lock=", "pipenv run pytest"},
		{`package.json={"scripts":{"test":"jest"}}`, "npm test"},
		{`package.json={"scripts":{"test":"jest"}} pnpm-lock.yaml=`, "pnpm test"},
		{`package.json={"scripts":{"test":"jest"}} yarn.lock=`, "yarn test"},
		{`package.json={"scripts":{"test":"jest"}} bun.lock=`, "bun run test"},
		{`package.json={"scripts":{"test":"jest"},"packageManager":"pnpm@9.1.0"}`, "pnpm test"},
		{`package.json={"scripts":{"test":"jest"},"packageManager":"npm@10"} yarn.lock=`, "npm test"},
		{`package.json={"scripts":{"test":"echo_no_test_specified"}}`, "npm test"},
		{`package.json={"scripts":{"build":"x"}}`, ""},
		{`package.json={`, ""},
		{"Cargo.toml=", "cargo test"},
		{"phpunit.xml.dist=", "vendor/bin/phpunit"},
		{`composer.json={"require-dev":{"phpunit/phpunit":"^11"}}`, "vendor/bin/phpunit"},
		{"build.gradle.kts= gradlew=", "./gradlew test"},
		{"build.gradle=", "gradle test"},
		{"pom.xml=", "mvn -q test"},
		{"pom.xml= mvnw=", "./mvnw -q test"},
		{"Makefile=test:", "make test"},
		{"Makefile=check:", "make check"},
		{"Makefile=test:=x", ""},
		{".rspec=", "rspec"},
		{".rspec= Gemfile=", "bundle exec rspec"},
		{"spec/spec_helper.rb= Gemfile=", "bundle exec rspec"},
		{"Gemfile=gem'rspec'", "bundle exec rspec"},
		{"bin/rails= Gemfile=", "bin/rails test"},
		{"Rakefile=", "rake test"},
		{"Rakefile= Gemfile=", "bundle exec rake test"},
		{"App.sln=", "dotnet test"},
		{"App/App.csproj=", "dotnet test"},
		{"CMakeLists.txt=", "ctest --test-dir build --output-on-failure"},
		{"go.mod=m Makefile=test:", "go test ./...|make test"},
		{"README.md=test", ""},
	} {
		root := filepath.Join(t.TempDir(), "odd [name]*")
		put(t, root, "x/y", "")
		for f := range strings.SplitSeq(tt.files, " ") {
			name, text, _ := strings.Cut(f, "=")
			put(t, root, name, text)
		}
		r := initialise(t, root, Options{})
		var got []string
		for _, p := range r.Verifiers {
			got = append(got, strings.Join(p.Command, " "))
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q, want %q", tt.files, got, tt.want)
		}
		var head struct{ Command []string }
		front, _, _ := strings.Cut(strings.TrimPrefix(string(read(t, root, ".code-intel/verifiers/backend.md")), "---\n"), "\n---\n")
		if err := yaml.Unmarshal([]byte(front), &head); err != nil || len(got) > 0 && strings.Join(head.Command, " ") != got[0] || len(got) == 0 && head.Command != nil {
			t.Errorf("%s: backend.md has %q, %v", tt.files, head.Command, err)
		}
	}
	// npm's placeholder has spaces, which the table above cannot write.
	root := t.TempDir()
	put(t, root, "package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`)
	if r := initialise(t, root, Options{}); len(r.Verifiers) > 0 {
		t.Errorf("%+v", r.Verifiers)
	}
}

// What is in the way is told before anything is written.
func TestRefusals(t *testing.T) {
	outside := t.TempDir()
	for name, prepare := range map[string]func(root string){
		"folder for a file": func(root string) { put(t, root, ".code-intel/context.yml/x", "") },
		"file for a folder": func(root string) { put(t, root, ".code-intel/logs", "") },
		"file .code-intel":  func(root string) { put(t, root, ".code-intel", "") },
		"link outside":      func(root string) { link(t, outside, filepath.Join(root, ".code-intel")) },
		"prompt outside": func(root string) {
			put(t, root, ".code-intel/x", "")
			link(t, outside, filepath.Join(root, ".code-intel/verifiers"))
		},
		"broken config.json": func(root string) { put(t, root, ".code-intel/config.json", "{") },
	} {
		root := t.TempDir()
		prepare(root)
		before := snapshot(t, root)
		if _, err := Init(context.Background(), root, Options{}); problem.Of(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, snapshot(t, root)); diff != "" || len(filesIn(t, outside)) > 0 {
			t.Errorf("%s: something was written:\n%s", name, diff)
		}
	}
	if _, err := Init(context.Background(), t.TempDir(), Options{Langs: []string{"fr"}}); problem.Of(err) == nil {
		t.Errorf("a language there is not: %v", err)
	}
}

// Each language has each template.
func TestTemplatesComplete(t *testing.T) {
	names := make(map[string][]string)
	for _, lang := range known {
		err := fs.WalkDir(embedded, "templates/"+lang, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names[lang] = append(names[lang], strings.TrimPrefix(file, "templates/"+lang+"/"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(names["en"], names["ja"]); diff != "" {
		t.Error(diff)
	}
}

func initialise(t *testing.T, root string, o Options) Report {
	t.Helper()
	r, err := Init(context.Background(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// snapshot is all that lies below root, by name.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, name := range filesIn(t, root) {
		all[name] = string(read(t, root, name))
	}
	return all
}

func filesIn(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, root, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}
