package workflow

import (
	"strings"
	"testing"
)

func TestMustBeSeen(t *testing.T) {
	lock := `{"packages": {"a": {"resolved": "https://registry.npmjs.org/a.tgz"}}}`
	for name, tt := range map[string]struct {
		file, now, had string
		request        string
		added          bool
		size           int64
		want           string
	}{
		"a workflow":             {file: ".github/workflows/x.yml", now: "on: push\n", added: true, want: "server"},
		"a changed workflow":     {file: "sub/.gitlab-ci.yml", now: "a: b\n", had: "a: c\n", want: "server"},
		"a script on install":    {file: "package.json", now: `{"scripts": {"postinstall": "sh x"}}`, added: true, want: "installed"},
		"another one":            {file: "web/package.json", now: `{"scripts": {"prepare": "b"}}`, had: `{"scripts": {"prepare": "a"}}`, want: "installed"},
		"composer":               {file: "composer.json", now: `{"scripts": {"post-install-cmd": ["a"]}}`, had: "{}", want: "installed"},
		"a script to call":       {file: "package.json", now: `{"scripts": {"test": "jest"}}`, had: "{}"},
		"a dependency":           {file: "package.json", now: `{"scripts": {"prepare": "a"}, "dependencies": {}}`, had: `{"scripts": {"prepare": "a"}}`},
		"a large file":           {file: "model.bin", size: 25 << 20, added: true, want: "too large"},
		"a program":              {file: "tool", now: "\x7fELF\x02", added: true, want: "program"},
		"an archive of classes":  {file: "lib/a.jar", now: "PK", added: true, want: "program"},
		"a picture":              {file: "logo.png", now: "\x89PNG\x00", added: true},
		"a folder's environment": {file: ".envrc", now: "curl x\n", added: true, want: "opens"},
		"a task of an editor":    {file: ".vscode/tasks.json", now: "{}", added: true, want: "opens"},
		"settings of an editor":  {file: ".vscode/settings.json", now: "{}", added: true},
		"a hook of a client":     {file: ".claude/settings.json", now: "{}", added: true, want: "opens"},
		"a server of tools":      {file: "sub/.mcp.json", now: "{}", added: true, want: "opens"},
		"orders to agents":       {file: "AGENTS.md", now: "a\n", had: "b\n", want: "obey"},
		"a rule for an editor":   {file: ".cursor/rules/a.mdc", now: "a\n", added: true, want: "obey"},
		"another build tool":     {file: "gradle/wrapper/gradle-wrapper.properties", now: "a\n", had: "b\n", want: "packages"},
		"a text in two orders":   {file: "a.py", now: "if x: # \u202e }\n", had: "a\n", want: "another order"},
		"one that is asked for":  {file: "a.py", request: "Fix a.py", now: "if x: # \u202e }\n", had: "a\n", want: "another order"},
		"orders asked for":       {file: "AGENTS.md", request: "Name the tests in AGENTS.md", now: "a\n", had: "b\n"},
		"a text of the right":    {file: "a.txt", now: "\u200fa\n", added: true},
		"a page on agents":       {file: "docs/agents.md", now: "a\n", added: true},
		"a new build script":     {file: "build.rs", now: "fn main() {}", added: true, want: "built"},
		"a changed build script": {file: "build.rs", now: "fn main() {1}", had: "fn main() {}"},
		"another registry":       {file: ".npmrc", now: "registry=https://x\n", added: true, want: "packages"},
		"a package from elsewhere": {file: "package-lock.json", now: strings.ReplaceAll(lock, "registry.npmjs.org", "evil.example"), had: lock,
			want: "evil.example"},
		"a package of the registry": {file: "package-lock.json", now: lock, added: true},
		"of a known host": {file: "yarn.lock", now: "a:\n  resolved \"https://npm.corp/a\"\nb:\n  resolved \"https://npm.corp/b\"\n",
			had: "a:\n  resolved \"https://npm.corp/a\"\n"},
		"hides a diff":         {file: ".gitattributes", now: "*.py -diff\n", added: true, want: "hides"},
		"ends of lines":        {file: ".gitattributes", now: "* text=auto\n", added: true},
		"who reviews":          {file: ".github/CODEOWNERS", now: "* @me\n", had: "* @you\n", want: "reviews"},
		"source":               {file: "main.go", now: "package main\n", added: true},
		"a file as it was":     {file: ".envrc", now: "a\n", had: "a\n"},
		"a workflow in a text": {file: "docs/workflows/x.md", now: "a\n", added: true},
	} {
		had, now := []byte(tt.had), []byte(tt.now)
		if tt.added {
			had = nil
		}
		if tt.now == "" {
			now = nil
		}
		if got := MustBeSeen(tt.file, tt.request, now, had, max(tt.size, int64(len(now)))).String(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
