package toolchain

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

func goTest(f folder) (string, []string) {
	return f.first("go.mod", "go.work"), append([]string{"go", "test"}, goPackages(f)...)
}

// cargoTest names the whole workspace: without it, a package in its root is tested alone. What
// default-members leave out may be for other machines.
func cargoTest(f folder) (string, []string) {
	argv := []string{"cargo", "test"}
	if t := f.text("Cargo.toml"); strings.Contains(t, "[workspace]") && !strings.Contains(t, "default-members") {
		argv = append(argv, "--workspace")
	}
	return f.first("Cargo.toml"), argv
}

func pythonTest(f folder) (string, []string) {
	var in []string // what makes the project's own packages be seen
	switch {
	case f.isLocked("uv.lock"):
		in = []string{"uv", "run"}
	case f.isLocked("poetry.lock"):
		in = []string{"poetry", "run"}
	case f.isLocked("Pipfile.lock"):
		in = []string{"pipenv", "run"}
	}
	command := append(slices.Clone(in), "pytest")
	if because := f.first("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"); because != "" {
		return because, command
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt", "requirements.txt"} {
		if strings.Contains(f.text(name), "pytest") {
			return name, command
		}
	}
	because := f.first("tests/test_*.py", "test/test_*.py", "test_*.py", "tests/*_test.py")
	if text := f.text(because); !usesUnittest.MatchString(text) || strings.Contains(text, "pytest") {
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
var usesUnittest = lazyregexp.MustCompile(`(?m)^\s*(import|from)\s+unittest\b`)

func nodeTest(f folder) (string, []string) {
	// "npm init" writes a script that only fails.
	if strings.Contains(f.scripts().Scripts["test"], "no test specified") {
		return "", nil
	}
	because, argv := nodeScript(f, "test")
	if because == "" && nodeCovers(f) { // the packages have their own
		switch f.manager() {
		case "npm":
			return "package.json", []string{"npm", "test", "--workspaces", "--if-present"}
		case "pnpm":
			return "package.json", []string{"pnpm", "--recursive", "test"}
		}
	}
	return because, argv
}

func phpTest(f folder) (string, []string) {
	because := f.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
	if because == "" && strings.Contains(f.text("composer.json"), "phpunit/phpunit") {
		because = "composer.json"
	}
	return because, []string{"vendor/bin/phpunit"}
}

func gradleTest(f folder) (string, []string) {
	because := f.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
	if f.isFile("gradlew") {
		return because, []string{"./gradlew", "test"}
	}
	return because, []string{"gradle", "test"}
}

func mavenTest(f folder) (string, []string) {
	if f.isFile("mvnw") {
		return f.first("pom.xml"), []string{"./mvnw", "-q", "test"}
	}
	return f.first("pom.xml"), []string{"mvn", "-q", "test"}
}

func rubyTest(f folder) (string, []string) {
	var in []string
	if f.isFile("Gemfile") {
		in = []string{"bundle", "exec"}
	}
	if because := f.first(".rspec", "spec/spec_helper.rb"); because != "" {
		return because, append(in, "rspec")
	}
	switch {
	case f.isFile("bin/rails"):
		return "bin/rails", []string{"bin/rails", "test"}
	case strings.Contains(f.text("Gemfile"), "rspec"):
		return "Gemfile", append(in, "rspec")
	}
	return f.first("Rakefile"), append(in, "rake", "test")
}

func dotnetTest(f folder) (string, []string) {
	return f.first("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*/*.csproj"), []string{"dotnet", "test"}
}

func cmakeTest(f folder) (string, []string) {
	return f.first("CMakeLists.txt"), []string{"ctest", "--test-dir", "build", "--output-on-failure"}
}

func makeTest(f folder) (string, []string) {
	name, targets := f.targets()
	for _, target := range []string{"test", "check"} {
		if slices.Contains(targets, target) {
			return name, []string{"make", target}
		}
	}
	return "", nil
}

func justTest(f folder) (string, []string) { return justRecipe(f, "test", "check") }

func taskTest(f folder) (string, []string) { return taskOf(f, "test", "check") }
