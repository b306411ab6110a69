package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		patterns string
		path     string // ends in "/" if a directory
		want     Verdict
	}{
		{"*.log", "a.log", Excluded},
		{"*.log", "x/y/a.log", Excluded},
		{"*.log\n!keep.log", "x/keep.log", Included},
		{"!keep.log\n*.log", "x/keep.log", Excluded},
		{"/a.log", "a.log", Excluded},
		{"/a.log", "x/a.log", None},
		{"build/", "build/", Excluded},
		{"build/", "build", None},
		{"build/", "x/build/", Excluded},
		{"x/build", "x/build", Excluded},
		{"x/build", "y/x/build", None},
		{"**/foo", "foo", Excluded},
		{"**/foo", "a/b/foo", Excluded},
		{"a/**/b", "a/b", Excluded},
		{"a/**/b", "a/x/y/b", Excluded},
		{"a/**", "a/", None},
		{"a/**", "a/x/y", Excluded},
		{"a/*", "a/x/y", None},
		{"a/*/b", "a/x/b", Excluded},
		{`\#x`, "#x", Excluded},
		{"#x", "#x", None},
		{`\!x`, "!x", Excluded},
		{"x  ", "x", Excluded},
		{`x\ `, "x ", Excluded},
		{"x\t", "x", None},
		{"x\r\n", "x", Excluded},
		{"\ufeffx", "x", Excluded},
		{"[a-c]x", "bx", Excluded},
		{"[!a-c]x", "bx", None},
		{"[]]x", "]x", Excluded},
		{"[[:digit:]]x", "7x", Excluded},
		{"[[:nonsense:]]x", "7x", None},
		{"[a", "[a", None},
		{`a\`, `a\`, None},
		{"?", "é", None}, // two bytes
		{"??", "é", Excluded},
		{"日本*", "日本語.txt", Excluded},
		{"a?b/", "a/b/", None},
		{"/", "a/", None},
		{"", "a", None},
		{"foo**/bar", "fooa/b/bar", Excluded}, // git's own surprise
	} {
		path, isDir := strings.CutSuffix(tt.path, "/")
		kind := File
		if isDir {
			kind = Dir
		}
		if got := Parse("", []byte(tt.patterns)).Match(path, kind); got != tt.want {
			t.Errorf("%q on %q: %v, want %v", tt.patterns, tt.path, got, tt.want)
		}
	}
}

func TestBase(t *testing.T) {
	chain := (*Chain)(nil).With(Parse("", []byte("*.o\n/top\n"))).With(Parse("lib", []byte("!keep.o\n/only\n")))
	for path, want := range map[string]Verdict{
		"a.o": Excluded, "lib/a.o": Excluded, "lib/keep.o": Included, "keep.o": Excluded,
		"top": Excluded, "lib/top": None, "lib/only": Excluded, "only": None, "library/only": None,
		"lib/x/only": None,
	} {
		if got := chain.Match(path, File); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if got := chain.MatchTree("top/lib/keep.o", File); got != Excluded {
		t.Errorf("below an excluded directory: %v", got)
	}
	if got := (*Chain)(nil).MatchTree("a/b", File); got != None {
		t.Errorf("empty chain: %v", got)
	}
}

// The stars of a hostile pattern must not multiply.
func TestNoExplosion(t *testing.T) {
	pattern := strings.Repeat("*a", 60) + "b"
	deep := strings.Repeat("**/a*", 30) + "/b"
	p := Parse("", []byte(pattern+"\n"+deep))
	if got := p.Match(strings.Repeat("a", 4000)+"/"+strings.Repeat("a", 4000), File); got != None {
		t.Error(got)
	}
}

// tree is a working tree with names that patterns may stumble over.
var tree = []string{
	"a", "b", "ab", "aab", "a.b", ".a", "a b", "a ", "#a", "!a", `a\b`, "[a]", "a*b", "-", "]", "é", "日a", "A", "z9",
	"d/a", "d/b", "d/ab", "d/d/a", "d/d/b", "d/d/ab", "d/d/d/ab", "d/e/a", "d/e/f/b", "d/.a", "d/!a",
	"e/a", "e/d/a", "e/d/b/a", "de/a", "de/d/ab", "d.e/a.b", "d e/a b",
}

// TestAgainstGit compares with git check-ignore on random patterns made of
// everything that has a meaning in them.
func TestAgainstGit(t *testing.T) {
	root := t.TempDir()
	run(t, root, "", "init", "-q")
	paths := makeTree(t, root)
	r := rand.New(rand.NewPCG(20, 38))
	matched := 0
	for round := range 300 {
		sources := map[string]string{"": randomPatterns(r), "d": "", "e/d": "", "d/d": ""}
		for dir := range sources {
			if dir != "" && r.IntN(2) == 0 {
				sources[dir] = randomPatterns(r)
			}
		}
		for dir, text := range sources {
			write(t, filepath.Join(root, dir, ".gitignore"), text)
		}
		want := checkIgnore(t, root, paths)
		got := make(map[string]bool)
		for _, path := range paths {
			path, isDir := strings.CutSuffix(path, "/")
			kind := File
			if isDir {
				kind = Dir
			}
			if ignored(sources, path, kind) {
				got[path] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d: git (-) and this package (+) differ:\n%s\npatterns: %q", round, diff, sources)
		}
		matched += len(want)
	}
	if matched < 1000 {
		t.Errorf("only %d matches: the patterns try too little", matched)
	}
}

// ignored asks as a walk does: from the top, and never below what is excluded.
func ignored(sources map[string]string, path string, kind Kind) bool {
	chain := (*Chain)(nil).With(Parse("", []byte(sources[""])))
	for i := 0; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		if chain.Match(path[:i], Dir) == Excluded {
			return true
		}
		chain = chain.With(Parse(path[:i], []byte(sources[path[:i]])))
	}
	return chain.Match(path, kind) == Excluded
}

// randomPatterns returns a few lines; most of them names of the tree
// with wildcards put in, so that they often match.
func randomPatterns(r *rand.Rand) string {
	pieces := []string{
		"", "", "*", "*", "**", "?", "a", "b", "ab", "d", "e", "f", ".", "/", "/", "/", "*", "*", "**", "**/", "/**", "/**/", "***", "?", `\`, `\*`, `\a`, `\/`,
		"[a-c]", "[!a]", "[^d]", "[]", "[a", "]", "[]a]", "[a-]", "[!]-z]", `[\]]`, `[a\-d]`, "[[:alpha:]]", "[[:alp", "[[:x:]]", "[[a]", "[/]", "[--/]", "[.-0]",
		"[[:space:]b]", "[z-a]", "[[:punct:][:digit:]]", " ", `\ `, "#", "!", "é", "\xc3", "日", "-", "A",
	}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		if r.IntN(6) == 0 {
			b.WriteString("!")
		}
		if r.IntN(4) > 0 {
			name := tree[r.IntN(len(tree))]
			at := r.IntN(len(name))
			end := min(len(name), at+r.IntN(3))
			b.WriteString(name[:at] + pieces[r.IntN(len(pieces))] + name[end:])
		} else {
			for range 1 + r.IntN(5) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
		}
		if r.IntN(5) == 0 {
			b.WriteString("/")
		}
		b.WriteString([]string{"\n", "\n", "\n", " \n", "\r\n", ""}[r.IntN(6)])
	}
	return b.String()
}

func makeTree(t *testing.T, root string) (paths []string) {
	t.Helper()
	seen := make(map[string]bool)
	for _, name := range tree {
		write(t, filepath.Join(root, filepath.FromSlash(name)), "x")
		for i := range name {
			if name[i] == '/' && !seen[name[:i]] {
				seen[name[:i]] = true
				paths = append(paths, name[:i+1])
			}
		}
		paths = append(paths, name)
	}
	return paths
}

func checkIgnore(t *testing.T, root string, paths []string) map[string]bool {
	t.Helper()
	var in strings.Builder
	for _, path := range paths {
		in.WriteString(strings.TrimSuffix(path, "/") + "\x00")
	}
	out := run(t, root, in.String(), "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
	found := make(map[string]bool)
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(fields) != 4*len(paths) {
		t.Fatalf("git answered %d fields for %d paths", len(fields), len(paths))
	}
	for i := 0; i < len(fields); i += 4 {
		if pattern := fields[i+2]; pattern != "" && !strings.HasPrefix(pattern, "!") {
			found[fields[i+3]] = true
		}
	}
	return found
}

func run(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: nothing is ignored
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"*.o\n", "[a-", "[[:alpha:", `\`, "!\\#[]\n**/**//", "a/**/b", "\x00", "*a*b*c/"} {
		f.Add([]byte(seed), "a/b.o")
	}
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		p := Parse("", text)
		first := p.Match(path, File)
		if again := p.Match(path, File); again != first {
			t.Error("two answers")
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "*.x%d\nname%d\n/dir%d/sub*\n", i, i, i)
	}
	p := Parse("", []byte(text.String()))
	for b.Loop() {
		p.Match("src/internal/some/package/file_name.go", File)
	}
}
