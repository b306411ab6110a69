package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lay writes files into a folder: "path=text", separated by "|".
func lay(t *testing.T, files string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "odd [name]*")
	for f := range strings.SplitSeq(files, "|") {
		name, text, _ := strings.Cut(f, "=")
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func lines(commands []Command) string {
	var all []string
	for _, c := range commands {
		line := strings.Join(c.Argv, " ")
		if c.Before != nil {
			line = strings.Join(c.Before, " ") + " && " + line
		}
		all = append(all, line)
	}
	return strings.Join(all, "; ")
}

func TestBuildsAndTests(t *testing.T) {
	for _, tt := range []struct{ files, builds, tests string }{
		{"go.mod=module m", "go build ./...", "go test ./..."},
		{"go.work=go 1.24\nuse .\nuse (\n\t./a // the first\n\t\"./b c\"\n\t./d/e\n\t../away\n)|go.mod=module m", "go build ./... ./a/... ./d/e/...", "go test ./... ./a/... ./d/e/..."},
		{"go.work=go 1.24", "go build ./...", "go test ./..."},
		{"Cargo.toml=", "cargo build", "cargo test"},
		{"Cargo.toml=[package]\n[workspace]\nmembers = [\"a\"]", "cargo build", "cargo test --workspace"},
		{"pyproject.toml=[build-system]\npytest", "python3 -m build", "pytest"},
		{"pyproject.toml=[build-system]\npytest|uv.lock=", "uv build", "uv run pytest"},
		{"pyproject.toml=[tool.poetry]\n[build-system]\npytest|poetry.lock=", "poetry build", "poetry run pytest"},
		{"pyproject.toml=pytest", "", "pytest"},
		{`package.json={"scripts":{"build":"b","test":"t"}}`, "npm run build", "npm test"},
		{`package.json={"scripts":{"build":"b","test":"t"}}|pnpm-lock.yaml=`, "pnpm run build", "pnpm test"},
		{`package.json={"scripts":{"build":"b","test":"t"}}|yarn.lock=`, "yarn run build", "yarn test"},
		{`package.json={"scripts":{"build":"b","test":"t"}}|bun.lockb=`, "bun run build", "bun run test"},
		{`package.json={"scripts":{"test":"echo \"no test specified\" && exit 1"}}`, "", ""},
		{`package.json={"scripts":{"test":7}}`, "", ""},
		{`package.json={"workspaces":["packages/*"]}`, "", "npm test --workspaces --if-present"},
		{`package.json={"workspaces":["packages/*"],"scripts":{"test":"t"}}`, "", "npm test"},
		{`package.json={}|pnpm-workspace.yaml=packages: [a]`, "", "pnpm --recursive test"},
		{`package.json={"workspaces":["packages/*"]}|yarn.lock=`, "", ""},
		{`composer.json={"scripts":{"build":["a","b"]}}`, "composer run-script build", ""},
		{"build.gradle=|gradlew=", "./gradlew assemble", "./gradlew test"},
		{"pom.xml=", "mvn -q package -DskipTests", "mvn -q test"},
		{"Rakefile=", "", "rake test"},
		{"App.slnx=", "dotnet build", "dotnet test"},
		{"CMakeLists.txt=", "cmake -S . -B build && cmake --build build", "ctest --test-dir build --output-on-failure"},
		{"Makefile=all: a b\nbuild/x: y\ncheck install: all\n", "make all", "make check"},
		{"Makefile=build := x\ntest ::= y\n\ttest:\n", "", ""},
		{"GNUmakefile=test build:: x\n", "make build", "make test"},
		{"justfile=build := \"a:b\"\nset test := true\n", "", ""},
		{"justfile=build target=\"debug\": fetch\n@test *args:\n", "just build", "just test"},
		{".justfile=check:\n  x", "", "just check"},
		{"Taskfile.yml=tasks:\n  build: go build\n  test:\n    cmds: [x]\n", "task build", "task test"},
		{"Taskfile.yml=tasks: [", "", ""},
		{"Makefile/x=not a file", "", ""},
	} {
		root := lay(t, tt.files)
		if got := lines(Builds(root, ".")); got != tt.builds {
			t.Errorf("%q: builds by %q, want %q", tt.files, got, tt.builds)
		}
		if got := lines(Tests(root, ".")); got != tt.tests {
			t.Errorf("%q: tests by %q, want %q", tt.files, got, tt.tests)
		}
	}
}

// What fixes the versions of a workspace lies above its members.
func TestLockedAbove(t *testing.T) {
	root := lay(t, `uv.lock=|pnpm-lock.yaml=|a/b/pytest.ini=|a/b/package.json={"scripts":{"build":"x"}}`)
	if got := lines(Tests(root, "a/b")) + "; " + lines(Builds(root, "a/b")); got != "uv run pytest; pnpm run build" {
		t.Error(got)
	}
	if got := lines(Tests(filepath.Join(root, "a"), "b")); got != "pytest" {
		t.Errorf("outside of the project: %s", got)
	}
}

func TestManifest(t *testing.T) {
	for name, want := range map[string]Tool{
		"go.mod": Go, "requirements-dev.txt": Python, "Api.csproj": DotNet, "Taskfile.dist.yaml": Task, "main.go": "", "makefile": Make, "README.md": "",
	} {
		if got := Manifest(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		files string
		tool  Tool
		want  bool
	}{
		{"go.mod=module m", Go, false},
		{"go.work=use ./a", Go, true},
		{"Cargo.toml=[package]", Cargo, false},
		{"Cargo.toml=[workspace]", Cargo, true},
		{`package.json={"name":"workspaces"}`, Node, false},
		{`package.json={"workspaces":["a"]}`, Node, true},
		{`package.json={}|pnpm-workspace.yaml=`, Node, true},
		{"pom.xml=<module>a</module>", Maven, true},
		{"pom.xml=<project/>", Maven, false},
		{"build.gradle=", Gradle, false},
		{"settings.gradle.kts=", Gradle, true},
		{"App.csproj=", DotNet, false},
		{"App.sln=", DotNet, true},
		{"Makefile=", Make, true},
	} {
		if got := slices.Contains(Covers(lay(t, tt.files), "."), tt.tool); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.files, got, tt.want)
		}
	}
}

// Each file that suggests a command is there: whoever reads the proposal looks it up.
func TestBecause(t *testing.T) {
	root := lay(t, "go.mod=|Cargo.toml=|conftest.py=|composer.json=phpunit/phpunit|build.gradle=|pom.xml=|Gemfile=rspec|a/b.csproj=|CMakeLists.txt=|makefile=test:\n|Justfile=test:\n|taskfile.yml=tasks: {test: x}")
	got := Tests(root, ".")
	if len(got) != 12 {
		t.Error(fmt.Sprint(got))
	}
	for _, c := range got {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(c.Because))); err != nil {
			t.Error(c, err)
		}
	}
}
