package workflow

import "testing"

func TestAskedFor(t *testing.T) {
	for _, c := range []struct {
		file, request string
		want          bool
	}{
		{".github/workflows/ci.yml", "Run the tests in CI", true},
		{".github/workflows/test.yml", "Add a GitHub Actions workflow that lints", true},
		{".github/workflows/test.yml", "GitHub Actionsでテストを動かす", true},
		{".devcontainer/devcontainer.json", "Add a dev container for Python", true},
		{".pre-commit-config.yaml", "Update ruff in pre-commit", true},
		{".husky/pre-commit", "Use husky to format what is committed", true},
		{".github/CODEOWNERS", "Make Ann the code owner of docs", true},
		{".github/CODEOWNERS", "Fix CODEOWNERS", true},
		{".gitmodules", "Add libfoo as a submodule", true},
		{"native/build.rs", "Let native/build.rs find OpenSSL", true},
		{"py/setup.py", "Move the version into setup.py", true},
		{"CLAUDE.md", "Say in CLAUDE.md how tests are run", true},
		{".claude/commands/fix.md", "Add commands for Claude", true},
		{".mcp.json", "Set up the MCP server of the project", true},
		{"gradle/wrapper/gradle-wrapper.properties", "Update Gradle to 9", true},
		{"gradle/wrapper/gradle-wrapper.properties", "Update Gradle.", true},

		{".claude/skills/x/SKILL.md", "Say in CLAUDE.md how tests are run", false},
		{".claude/settings.json", "Add an MCP tool that searches", false},
		{".mcp.json", "Add an MCP tool that searches", false},
		{"gradle/wrapper/gradle-wrapper.properties", "Fix the Gradle plugin", false},
		{".github/workflows/ci.yml", "SCIの索引を読む", false},
		{"CLAUDE.md", "Greet people by name", false},
		{".claude/settings.json", "Read the settings", false},
		{".github/workflows/ci.yml", "Greet people by name", false},
		{".github/workflows/ci.yml", "Say which decision was made", false},
		{".github/workflows/ci.yml", "Describe the workflow of the user", false},
		{".husky/pre-commit", "Add a hook that plugins can use", false},
		{"setup.py", "Make the setup faster", false},
		{"py/setup.py", "Read my-setup.pyc", false},
		{".npmrc", "Use another registry", false},
		{".gitmodules", "Add a module for names", false},
	} {
		if got := askedFor(c.file, c.request); got != c.want {
			t.Errorf("%s by %q: %v", c.file, c.request, got)
		}
	}
}
