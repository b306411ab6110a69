package shellcheck

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func inspect(t *testing.T, command string) Effect {
	t.Helper()
	e, err := Inspect(command, []string{"go vet"})
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return e
}

func TestReadOnly(t *testing.T) {
	for _, command := range []string{
		"cat a.go", "ls -la", "rg -n 'func main' src", "grep -rn foo . | head -20", "git status --short && git diff HEAD~1",
		"git log --oneline -5", "git branch -a", "git branch --show-current", "git stash list", "find . -name '*.go' -not -path './vendor/*'", "cat a > /dev/null 2>&1",
		"sed -n '1,20p' a.go", "sed 's/a/b/g' a.go", "awk 'NR>=3 && NR<=9' f", "awk '$3 > 5' f", "wc -l < a.go", "for f in *.go; do head -3 \"$f\"; done",
		"go vet ./...", "cd sub && cat x", "env LC_ALL=C sort f", "xargs grep -l foo < list", "find . -name x -exec grep -n y {} +",
		"bash -lc 'cat a.go | sed -n 1,5p'", "command -v go", "timeout 5 rg foo", "test -f a && echo yes || echo no", "code-intel status",
		"git -C sub log -1", "printf '%s\\n' \"$HOME\"", "diff <(sort a) <(sort b)", "[[ -d x ]] && ls x", "git config --get user.name", "PAGER=cat git log",
	} {
		if why := inspect(t, command).NotReading(); len(why) > 0 {
			t.Errorf("%s: %s", command, strings.Join(why, "; "))
		}
	}
}

func TestNotReadOnly(t *testing.T) {
	for command, want := range map[string]string{
		"echo x > a.go":                       "writes a.go",
		"cat <<E >> a.go\nx\nE":               "writes a.go",
		"cat a | tee b":                       "writes b",
		"echo x >| b":                         "writes b",
		"cd sub; echo x &> b":                 "writes sub/b",
		"sed -i s/a/b/ f.go":                  "writes f.go",
		"sed -i.bak -e s/a/b/ f.go":           "writes f.go",
		"sed -n 'w out' f":                    "sed with a script",
		"sed 's/x/date/e' f":                  "sed with a script",
		"awk '{print > \"out\"}' f":           "awk with a program",
		"awk 'BEGIN{system(\"x\")}'":          "awk with a program",
		"sort -o out in":                      "writes out",
		"sort -oout in":                       "writes out",
		"git diff --output=x":                 "writes x",
		"git -c core.pager=x log":             "settings of its own",
		"GIT_EXTERNAL_DIFF=x git diff":        "sets GIT_EXTERNAL_DIFF",
		"env PATH=. ls":                       "sets PATH",
		"git grep -O x":                       "may write or run something",
		"git commit -m x":                     "git commit",
		"git checkout main":                   "git checkout",
		"git checkout -- a.go":                "writes a.go",
		"git branch -D x":                     "git branch",
		"git stash":                           "git stash",
		"git co x":                            "git co",
		"python3 x.py":                        "runs python3 x.py",
		"./cat x":                             "runs ./cat x",
		"rm -rf a b":                          "removes b",
		"mv a b":                              "removes a",
		"cp a b/":                             "writes b/a",
		"find . -delete":                      "removes .",
		"find . -exec rm {} ;":                "removes .",
		"find \"$D\" -exec rm {} ;":           "only known when it runs",
		"xargs rm < list":                     "only known when it runs",
		"$CMD x":                              "name of a command",
		"eval \"$x\"":                         "evaluates text",
		"eval 'rm x'":                         "removes x",
		"sh -c 'rm x'":                        "removes x",
		"bash -c \"$x\"":                      "only known when it runs",
		"f() { rm x; }; f":                    "removes x",
		"if true; then rm x; fi":              "removes x",
		"echo $(rm x)":                        "removes x",
		"cat <(rm x)":                         "removes x",
		"cat <<E\n$(rm x)\nE":                 "removes x",
		"rm x &":                              "removes x",
		"rg --pre ./x y":                      "runs rg",
		"rg $OPTS y":                          "runs rg",
		"sudo rm x":                           "removes x",
		"/bin/rm x":                           "removes x",
		"nice -n 5 rm x":                      "removes x",
		"timeout -k 1 5 rm x":                 "removes x",
		"echo x > \"$OUT\"":                   "only known when it runs",
		"dd if=a of=b":                        "writes b",
		"curl -o x https://example.com":       "writes x",
		"code-intel init":                     "runs code-intel init",
		"code-intel trust x":                  "code-intel trust",
		"code-intel dashboard --port 1":       "code-intel dashboard",
		"bash -c 'code-intel approve 1'":      "code-intel approve",
		"code-intel pipeline abandon x":       "code-intel pipeline abandon",
		"source x.sh":                         "runs source x.sh",
		"\\rm x":                              "removes x",
		"'r'm x":                              "removes x",
		"git clean -fdx":                      "state of sessions",
		"for i in 1 2; do echo x > out; done": "writes out",
		"((x=$(rm y)))":                       "removes y",
		"coproc rm x":                         "removes x",
		"time rm x":                           "removes x",
		"! rm x":                              "removes x",
		"case x in x) rm y;; esac":            "removes y",
		"export A=$(rm x)":                    "removes x",
		"cat a |& tee b":                      "writes b",
		"(cat a > b) | head":                  "writes b",
		"{ echo x; } > b":                     "writes b",
		"cd \"$D\" && touch x":                "only known when it runs",
		"while read f; do rm \"$f\"; done":    "only known when it runs",
	} {
		if got := strings.Join(inspect(t, command).NotReading(), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestReads(t *testing.T) {
	for command, want := range map[string][]Read{
		"cat a.go b.go":                  {{Path: "a.go", Start: 1}, {Path: "b.go", Start: 1}},
		"cd sub && cat ./a.go":           {{Path: "sub/./a.go", Start: 1}},
		"sed -n '10,20p' 'my file.go'":   {{Path: "my file.go", Start: 10, End: 20}},
		"sed -n '10,20p;30p' a":          {{Path: "a", Start: 10, End: 20}, {Path: "a", Start: 30, End: 30}},
		"sed -n '5,$p' a":                {{Path: "a", Start: 5}},
		"nl -ba a | sed -n '10,20p'":     {{Path: "a", Start: 10, End: 20}},
		"cat a | head -n 5":              {{Path: "a", Start: 1, End: 5}},
		"cat a | tail -5":                {{Path: "a", Start: -5}},
		"sed -n '10,90p' a | head -20":   {{Path: "a", Start: 10, End: 29}},
		"head -50 a | tail -n 5":         {{Path: "a", Some: true}},
		"head a":                         {{Path: "a", Start: 1, End: 10}},
		"tail -n +7 a":                   {{Path: "a", Start: 7}},
		"awk 'NR>=3 && NR<=9 {print}' a": {{Path: "a", Start: 3, End: 9}},
		"grep -n foo a b":                {{Path: "a", Some: true}, {Path: "b", Some: true}},
		"rg -A 3 -e foo a":               {{Path: "a", Some: true}},
		"cat a | grep foo":               {{Path: "a", Some: true}},
		"cat a 2>/dev/null":              {{Path: "a", Start: 1}},
		"cat a; cat b":                   {{Path: "a", Start: 1}, {Path: "b", Start: 1}},
		"cat a && cat b":                 {{Path: "a", Start: 1}, {Path: "b", Start: 1}},
		"cat a > /dev/null":              nil,
		"cat a | wc -l":                  nil,
		"cat a | sort | head":            nil,
		"grep -q foo a":                  nil,
		"grep -c foo a":                  nil,
		"grep -l foo a":                  nil,
		"false && cat a || true":         nil,
		"false && cat a; true":           nil,
		"true || cat a":                  nil,
		"exit; cat a":                    nil,
		"if false; then cat a; fi":       nil,
		"cat() { :; }; cat a":            nil,
		"cat $F":                         nil,
		"cat *.go":                       nil,
		"echo $(cat a)":                  nil,
		"cat a &":                        nil,
		"ls a":                           nil,
		"cd \"$D\"; cat a":               nil,
		"bash -lc 'cat a'":               nil,
		"cat a | tee b":                  nil,
		"(cd sub && cat a)":              {{Path: "sub/a", Start: 1}},
		"(cd sub; ls) && cat a":          {{Path: "a", Start: 1}},
	} {
		if diff := cmp.Diff(want, inspect(t, command).Reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
}

func TestUnparsable(t *testing.T) {
	for _, command := range []string{"cat 'a", "if true", "echo $(", strings.Repeat("x", longest+1)} {
		if e, err := Inspect(command, nil); err == nil {
			t.Errorf("%.20s: %+v", command, e)
		}
	}
}

func FuzzInspect(f *testing.F) {
	for _, seed := range []string{"cat a | head -5 > b", "bash -c 'eval \"rm $x\"'", "sed -n '1,2p;$p' a", "git checkout -- 'a b'", "xargs -I{} sh -c 'cat {}'",
		"find . -exec", "timeout", "env -u", "nice -n", "head -", "awk", "cd", "f(){ f; }", "sed -e", "mv -t", "git -C", "tail -n +"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		e, err := Inspect(command, []string{"go vet", ""})
		if err != nil {
			return
		}
		for _, r := range e.Reads {
			if r.Path == "" && !strings.Contains(command, "''") && !strings.Contains(command, `""`) || r.End < 0 || r.End != 0 && r.Start > r.End {
				t.Errorf("%q reads %+v", command, r)
			}
		}
	})
}

// What is listed as reading passes as far as it is not known; what it is known to write, to
// change in git or to decide is told all the same.
func TestListed(t *testing.T) {
	list := []string{"our lint", "rm", "git", "code-intel", "sh", "bash"}
	for command, want := range map[string]string{
		"our lint ./...": "", "cd a && our lint $x": "", "sh check.sh": "", "our tests": "our tests",
		"rm a.txt": "a.txt", "git commit -am x": "git commit", "git push --force": "git push", "sh -c 'echo > a'": "writes a",
		"code-intel trust --all --yes": "code-intel trust", "bash -c 'code-intel approve x'": "code-intel approve",
		"sh run.sh code-intel trust x": "code-intel trust", "our lint > out": "writes out", "our lint; make": "make",
	} {
		e, err := Inspect(command, list)
		why := strings.Join(e.NotReading(), "; ")
		if err != nil || !strings.Contains(why, want) || want == "" && why != "" {
			t.Errorf("%s: %q, %v, want %q", command, why, err, want)
		}
	}
}

func TestWords(t *testing.T) {
	for command, want := range map[string][]string{
		`git switch -c feature/x`:                     {"git", "switch", "-c", "feature/x"},
		"gh pr create --body 'two\nlines' -t \"a b\"": {"gh", "pr", "create", "--body", "two\nlines", "-t", "a b"},
		`echo $HOME`: nil, `a | b`: nil, `a && b`: nil, `a >x`: nil, `X=1 a`: nil, `a &`: nil, `! a`: nil, `a *.go`: nil, `a; b`: nil, ``: nil, `if`: nil, "a $(b)": nil, "a `b`": nil,
	} {
		got, ok := Words(command)
		if ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", command, got, ok)
		}
	}
}
