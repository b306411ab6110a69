package setup

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Proposal is a command that seems to test the project.
type Proposal struct {
	Command []string `json:"command"`
	Because string   `json:"because"` // the file that suggests it
}

// findings are what a look at the project tells.
type findings struct {
	claude     string // the CLAUDE.md there is, or ""
	rules      string // where the project's rules stand, or will
	otherRules string // a file of rules that is no CLAUDE.md, or ""
	sources    []string
	proposals  []Proposal
	notes      []string
	chosen     bool // languages were asked for
}

// claudeFiles are where Claude's own rules stand.
var claudeFiles = []string{"CLAUDE.md", ".claude/CLAUDE.md"}

// ruleFiles are where rules stand besides CLAUDE.md, the first that is there counts.
var ruleFiles = []string{".cursor/rules.md", "CONTRIBUTING.md", "AGENTS.md"}

// Folders that make source_dirs worth writing, and those that belong to them
// where they are: what is not in source_dirs is not indexed.
var (
	sourceFolders = []string{"src", "lib"}
	besides       = []string{"app", "apps", "bin", "cmd", "config", "docs", "doc", "e2e", "examples", "include", "internal", "packages", "pkg",
		"public", "resources", "routes", "scripts", "spec", "templates", "test", "tests", "tools", "web"}
)

func look(root string) findings {
	l := looker{root}
	var in findings
	for _, name := range claudeFiles {
		if found := l.find(name); found != "" && in.claude == "" {
			in.claude = found
		}
	}
	for _, name := range ruleFiles {
		if l.isFile(name) && in.otherRules == "" {
			in.otherRules = name
		}
	}
	switch {
	case in.claude != "":
		in.rules = in.claude
	case in.otherRules != "":
		in.rules = in.otherRules
	default:
		in.rules = ".claude/CLAUDE.md"
	}
	if slices.ContainsFunc(sourceFolders, l.isDir) {
		for _, name := range slices.Concat(sourceFolders, besides) {
			if l.isDir(name) {
				in.sources = append(in.sources, name)
			}
		}
		in.notes = append(in.notes, "source_dirs in config.json is "+strings.Join(in.sources, ", ")+
			": files elsewhere are not indexed. An empty list stands for the whole project.")
	}
	in.proposals = l.proposals()
	return in
}

// A looker answers questions about the root of a project.
type looker struct{ root string }

func (l looker) isFile(name string) bool {
	info, err := os.Stat(filepath.Join(l.root, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

func (l looker) isDir(name string) bool {
	info, err := os.Lstat(filepath.Join(l.root, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// find returns name as it is really written, whatever the case, or "".
func (l looker) find(name string) string {
	dir, base := filepath.Split(filepath.FromSlash(name))
	entries, err := os.ReadDir(filepath.Join(l.root, dir))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), base) && !e.IsDir() {
			return filepath.ToSlash(dir) + e.Name()
		}
	}
	return ""
}

// first returns the first of names that is there; names may be patterns.
func (l looker) first(names ...string) string {
	for _, name := range names {
		matches, err := filepath.Glob(filepath.Join(escapeGlob(l.root), filepath.FromSlash(name)))
		if err == nil && len(matches) > 0 {
			rel, err := filepath.Rel(l.root, matches[0])
			if err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

// escapeGlob makes a path a pattern that matches just it.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no escape there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// maxLook is how much of a file is looked at.
const maxLook = 256 << 10

func (l looker) text(name string) string {
	f, err := os.Open(filepath.Join(l.root, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxLook)) // half a file is still a hint
	return string(data)
}

// proposals returns the commands that the files in the root suggest, the most
// telling first.
func (l looker) proposals() (all []Proposal) {
	for _, suggest := range []func(looker) (because string, command []string){
		goTest, cargoTest, pythonTest, nodeTest, phpTest, gradleTest, mavenTest, rubyTest, dotnetTest, cmakeTest, makeTest,
	} {
		if because, command := suggest(l); because != "" {
			all = append(all, Proposal{Command: command, Because: because})
		}
	}
	return all
}

func goTest(l looker) (string, []string) {
	return l.first("go.mod", "go.work"), []string{"go", "test", "./..."}
}

func cargoTest(l looker) (string, []string) { return l.first("Cargo.toml"), []string{"cargo", "test"} }

func pythonTest(l looker) (string, []string) {
	var in []string // what makes the project's own packages be seen
	switch {
	case l.isFile("uv.lock"):
		in = []string{"uv", "run"}
	case l.isFile("poetry.lock"):
		in = []string{"poetry", "run"}
	case l.isFile("Pipfile.lock"):
		in = []string{"pipenv", "run"}
	}
	command := append(slices.Clone(in), "pytest")
	if because := l.first("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"); because != "" {
		return because, command
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt", "requirements.txt"} {
		if strings.Contains(l.text(name), "pytest") {
			return name, command
		}
	}
	because := l.first("tests/test_*.py", "test/test_*.py", "test_*.py", "tests/*_test.py")
	if text := l.text(because); !usesUnittest.MatchString(text) || strings.Contains(text, "pytest") {
		return because, command
	}
	python := "python3"
	if len(in) > 0 {
		python = "python" // of the environment
	}
	command = append(in, python, "-m", "unittest", "discover")
	if dir, _, ok := strings.Cut(because, "/"); ok {
		command = append(command, "-s", dir)
	}
	if strings.HasSuffix(because, "_test.py") {
		command = append(command, "-p", "*_test.py")
	}
	return because, command
}

// usesUnittest matches a test of Python's own library.
var usesUnittest = regexp.MustCompile(`(?m)^\s*(import|from)\s+unittest\b`)

func nodeTest(l looker) (string, []string) {
	var pkg struct {
		Scripts        map[string]string `json:"scripts"`
		PackageManager string            `json:"packageManager"` // "pnpm@9.1.0"
	}
	if json.Unmarshal([]byte(l.text("package.json")), &pkg) != nil {
		return "", nil
	}
	// "npm init" writes a script that only fails.
	if script := pkg.Scripts["test"]; script == "" || strings.Contains(script, "no test specified") {
		return "", nil
	}
	manager, _, _ := strings.Cut(pkg.PackageManager, "@")
	switch {
	case manager == "npm":
	case manager == "pnpm", manager == "" && l.isFile("pnpm-lock.yaml"):
		return "package.json", []string{"pnpm", "test"}
	case manager == "yarn", manager == "" && l.isFile("yarn.lock"):
		return "package.json", []string{"yarn", "test"}
	case manager == "bun", l.isFile("bun.lock"), l.isFile("bun.lockb"):
		return "package.json", []string{"bun", "run", "test"}
	}
	return "package.json", []string{"npm", "test"}
}

func phpTest(l looker) (string, []string) {
	because := l.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
	if because == "" && strings.Contains(l.text("composer.json"), "phpunit/phpunit") {
		because = "composer.json"
	}
	return because, []string{"vendor/bin/phpunit"}
}

func gradleTest(l looker) (string, []string) {
	because := l.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
	if l.isFile("gradlew") {
		return because, []string{"./gradlew", "test"}
	}
	return because, []string{"gradle", "test"}
}

func mavenTest(l looker) (string, []string) {
	if l.isFile("mvnw") {
		return l.first("pom.xml"), []string{"./mvnw", "-q", "test"}
	}
	return l.first("pom.xml"), []string{"mvn", "-q", "test"}
}

func rubyTest(l looker) (string, []string) {
	var in []string
	if l.isFile("Gemfile") {
		in = []string{"bundle", "exec"}
	}
	if because := l.first(".rspec", "spec/spec_helper.rb"); because != "" {
		return because, append(in, "rspec")
	}
	switch {
	case l.isFile("bin/rails"):
		return "bin/rails", []string{"bin/rails", "test"}
	case strings.Contains(l.text("Gemfile"), "rspec"):
		return "Gemfile", append(in, "rspec")
	}
	return l.first("Rakefile"), append(in, "rake", "test")
}

func dotnetTest(l looker) (string, []string) {
	return l.first("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*/*.csproj"), []string{"dotnet", "test"}
}

func cmakeTest(l looker) (string, []string) {
	return l.first("CMakeLists.txt"), []string{"ctest", "--test-dir", "build", "--output-on-failure"}
}

// testTarget matches a target named test or check in a Makefile.
var testTarget = regexp.MustCompile(`(?m)^(test|check)[ \t]*:(?:[^=]|$)`)

func makeTest(l looker) (string, []string) {
	name := l.first("GNUmakefile", "Makefile", "makefile")
	targets := testTarget.FindAllStringSubmatch(l.text(name), -1)
	if name == "" || len(targets) == 0 {
		return "", nil
	}
	if slices.ContainsFunc(targets, func(t []string) bool { return t[1] == "test" }) {
		return name, []string{"make", "test"}
	}
	return name, []string{"make", "check"}
}
