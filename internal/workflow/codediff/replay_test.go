package codediff

import (
	"bytes"
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/workflow/codediff/additions/unread"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/testcase"
)

var (
	replayed = flag.String("replay", "", "a git directory whose honest commits TestReplay holds against the rules")
	last     = flag.Int("last", 100, "how many commits TestReplay goes back")
	under    = flag.String("under", "tests", "the files whose commits TestReplay looks at, by a path of git")
	ending   = flag.String("ending", ".c", "how the names of the test files end that count")
	only     = flag.String("only", "", "the one commit to replay")
	lines    = flag.Bool("lines", false, "TestReplay also prints the new lines of code that would be no evidence")
)

// TestReplay prints what WeakenedFor says of the test files that the last commits of a repository
// changed: go test ./internal/workflow/codediff -run TestReplay -v -replay DIR -under tests -ending .c
func TestReplay(t *testing.T) {
	if *replayed == "" {
		t.Skip("needs -replay")
	}
	git := func(args ...string) []byte {
		out, err := exec.Command("git", append([]string{"--git-dir=" + *replayed}, args...)...).Output()
		if err != nil {
			return nil
		}
		return out
	}
	ids := []string{*only}
	if *only == "" {
		ids = strings.Fields(string(git("log", "--no-merges", "--diff-filter=M", "--format=%H", fmt.Sprint("-", *last), "--", *under)))
	}
	commits, accused, all := 0, 0, 0
	for _, id := range ids {
		var files []File
		for line := range strings.Lines(string(git("diff-tree", "-r", "--no-commit-id", "-M", "--name-status", id))) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			file := f[len(f)-1]
			if !strings.HasSuffix(file, *ending) || !strings.HasPrefix(file, *under) && *under != "." {
				continue
			}
			c := File{Path: file, Test: *under != "." || testcase.InTestFile.MatchString(file), New: git("show", id+":"+file)}
			if f[0] != "A" {
				c.Base = git("show", id+"^:"+f[1])
			}
			files = append(files, c)
		}
		if !slices.ContainsFunc(files, func(f File) bool { return f.Base != nil && !bytes.Equal(f.Base, f.New) }) {
			continue
		}
		commits++
		if *lines {
			for _, f := range files {
				logBarren(t, f)
			}
		}
		if found := Compare(files, nil).WeakenedFor(string(git("log", "-1", "--format=%B", id)), "", restAt(git, id)); len(found) > 0 {
			accused++
			all += len(found)
			t.Logf("%.10s %s", id, strings.TrimSpace(string(git("log", "-1", "--format=%s", id))))
			for _, w := range found {
				t.Logf("    %s %s: %s", w.How, w.File, w.Test)
			}
		}
	}
	t.Logf("%d commits change tests; of %d something is said, %d times", commits, accused, all)
}

// restAt is the project as a commit holds it.
func restAt(git func(args ...string) []byte, id string) unread.Project {
	return unread.Project{
		Containing: func(words []string) (map[string][]byte, bool) {
			args := []string{"grep", "-l", "-z", "-I", "-F"}
			for _, w := range words {
				args = append(args, "-e", w)
			}
			texts := make(map[string][]byte)
			for name := range strings.SplitSeq(strings.TrimSuffix(string(git(append(args, id)...)), "\x00"), "\x00") {
				if _, file, ok := strings.Cut(name, ":"); ok {
					texts[file] = git("show", name)
				}
			}
			return texts, len(texts) < 500
		},
		InFolder: func(folder string) []string {
			names := strings.Split(string(git("ls-tree", "--name-only", id, folder+"/")), "\n")
			return slices.DeleteFunc(names, func(name string) bool { return name == "" })
		},
	}
}

// logBarren prints the new lines of a file that would be no evidence, but for those that only read
// otherwise.
func logBarren(t *testing.T, f File) {
	d := Compare([]File{f}, nil)
	had := make(map[string]bool)
	for line := range strings.Lines(string(f.Base)) {
		had[strings.TrimSpace(line)] = true
	}
	n := 0
	for line := range strings.Lines(string(f.New)) {
		n++
		if line = strings.TrimSpace(line); line == "" || had[line] {
			continue
		}
		switch v := d.Lines(f.Path, n, n); v.Why {
		case reason.Unreachable, reason.Stub, reason.Constant, reason.NoEffect:
			t.Logf("    %s %s:%d: %s", v.Why, f.Path, n, line)
		}
	}
}
