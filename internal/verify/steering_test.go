package verify

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/internal/project"
	"codeintel/internal/trust"
)

// around are ways in which a repository changes what a trusted command runs, without a change
// of the verifier's file.
var around = map[string]struct {
	command []string
	file    string
}{
	"rules of make":               {[]string{"make", "test"}, "Makefile"},
	"rules that make includes":    {[]string{"make", "test"}, "build/rules.mk"},
	"rules that GNU make prefers": {[]string{"make", "test"}, "GNUmakefile"},
	"a script of npm":             {[]string{"npm", "test"}, "package.json"},
	"the shell of npm":            {[]string{"npm", "test"}, ".npmrc"},
	"a yarn of its own":           {[]string{"yarn", "test"}, ".yarnrc.yml"},
	"a hook of pnpm":              {[]string{"pnpm", "test"}, ".pnpmfile.cjs"},
	"settings of Jest":            {[]string{"npx", "jest"}, "web/jest.config.js"},
	"a plug-in of pytest":         {[]string{"pytest"}, "tests/conftest.py"},
	"options of pytest":           {[]string{"pytest"}, "pyproject.toml"},
	"environments of tox":         {[]string{"tox"}, "tox.ini"},
	"a runner of cargo":           {[]string{"cargo", "test"}, ".cargo/config.toml"},
	"a tool chain of Rust":        {[]string{"cargo", "test"}, "rust-toolchain.toml"},
	"a build script of Rust":      {[]string{"cargo", "test"}, "crates/a/build.rs"},
	"other modules of Go":         {[]string{"go", "test", "./..."}, "go.work"},
	"a wrapper of Gradle":         {[]string{"./gradlew", "test"}, "gradlew"},
	"the jar of the wrapper":      {[]string{"./gradlew", "test"}, "gradle/wrapper/gradle-wrapper.jar"},
	"extensions of Maven":         {[]string{"mvn", "test"}, ".mvn/extensions.xml"},
	"targets of MSBuild":          {[]string{"dotnet", "test"}, "Directory.Build.targets"},
	"options of Bazel":            {[]string{"bazel", "test", "//..."}, ".bazelrc"},
	"what Rake requires":          {[]string{"rake"}, "Rakefile"},
	"options of RSpec":            {[]string{"rspec"}, ".rspec"},
	"a script that it names":      {[]string{"sh", "scripts/run all.sh"}, "scripts/run all.sh"},
	"a script in an option":       {[]string{"tool", "--run=ci/check"}, "ci/check"},
}

func TestChangedByOthers(t *testing.T) {
	for name, a := range around {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			git := func(in string, args ...string) {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-C", in, "-c", "user.name=n", "-c", "user.email=e@example.org"}, args...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %q: %v\n%s", args, err, out)
				}
			}
			put := func(in, file, text string) {
				t.Helper()
				at := filepath.Join(in, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			theirs, mine := filepath.Join(top, "theirs"), filepath.Join(top, "mine")
			put(theirs, "src/code.x", "one")
			put(theirs, a.file, "as it was trusted")
			git(top, "init", "-q", theirs)
			git(theirs, "add", "-A")
			git(theirs, "commit", "-qm", "one")
			git(top, "clone", "-q", theirs, mine)
			p, err := project.OpenRoot(mine)
			if err != nil {
				t.Fatal(err)
			}
			store := trust.At(filepath.Join(top, "config/trust.json"), time.Now)
			v := Verifier{Name: "tests", Command: a.command, Content: []byte("x")}
			want := func(when string, files ...string) {
				t.Helper()
				if got := NewSteering(p).ChangedByOthers(t.Context(), store, v); !slices.Equal(got, files) {
					t.Errorf("%s: %q, want %q", when, got, files)
				}
			}
			want("never trusted")
			if err := NewSteering(p).Trust(t.Context(), store, v); err != nil {
				t.Fatal(err)
			}
			if got := NewSteering(p).Of(t.Context(), v); !slices.Contains(got, a.file) {
				t.Errorf("of %q only these are known: %q", a.command, got)
			}
			want("trusted")
			put(mine, a.file, "by the user")
			want("the user writes")
			git(mine, "commit", "-qam", "mine")
			want("the user commits")
			git(mine, "reset", "-q", "--hard", "HEAD~")
			put(theirs, a.file, "by somebody else")
			put(theirs, "src/code.x", "two")
			git(theirs, "commit", "-qam", "two")
			git(mine, "pull", "-q", "--ff-only")
			want("pulled", a.file)
			if err := NewSteering(p).Trust(t.Context(), store, v); err != nil {
				t.Fatal(err)
			}
			want("trusted again")
			put(theirs, "sub/conftest.py", "new")
			git(theirs, "add", "-A")
			git(theirs, "commit", "-qm", "three")
			git(mine, "pull", "-q", "--ff-only")
			want("a new one came", "sub/conftest.py")
			put(theirs, ".gitattributes", "conftest.py text eol=crlf\n")
			put(theirs, "sub/conftest.py", "new\nlines\n")
			git(theirs, "add", "-A")
			git(theirs, "commit", "-qm", "four")
			git(mine, "pull", "-q", "--ff-only")
			want("it is not laid as it was committed", "sub/conftest.py")
			if state, err := store.State(p.Root, trust.Verifier, v.Name, v.Content); err != nil || state != trust.Trusted {
				t.Errorf("the command is %s, %v", fmt.Sprint(state), err)
			}
			if had, err := Revoke(p, store, v.Name); err != nil || !had {
				t.Errorf("Revoke = %v, %v", had, err)
			}
			if data, err := os.ReadFile(store.Path()); err != nil || strings.Contains(string(data), mine) {
				t.Errorf("something is left of it: %s, %v", data, err)
			}
		})
	}
}
