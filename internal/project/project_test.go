package project

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/problem"
)

func TestFind(t *testing.T) {
	top := realTemp(t)
	for _, dir := range []string{
		"set/.code-intel", "set/deep", "set/repo/.git", "git/part/.code-intel", "git/part/x", "set/repo/deep", "git/.git", "git/a/b", "plain/x",
		"main/.code-intel", "main/.git/worktrees/w",
	} {
		mkdir(t, top, dir)
	}
	write(t, top, "main/trees/w/.git", "gitdir: "+filepath.Join(top, "main/.git/worktrees/w")+"\n")
	write(t, top, "main/trees/w/sub/x.go", "")
	write(t, top, "set/module/.git", "gitdir: ../.git/modules/module\n")
	for dir, want := range map[string]string{
		"set":              "set",
		"set/deep":         "set",
		"set/repo/deep":    "set/repo",   // a repository is a project of its own
		"set/module":       "set/module", // and so is a submodule
		"git/part/x":       "git/part",   // set up below the repository
		"git/a/b":          "git",
		"plain/x":          "plain/x",
		"main/trees/w/sub": "main/trees/w", // a linked worktree is its own project
	} {
		got, err := Find(filepath.Join(top, dir))
		if err != nil || got != filepath.Join(top, want) {
			t.Errorf("Find(%s) = %s, %v; want %s", dir, got, err, want)
		}
	}
	if _, err := Find(filepath.Join(top, "nowhere")); problem.Of(err) == nil || problem.Of(err).Code != problem.NotFound {
		t.Errorf("no folder: %v", err)
	}
	if _, err := Find(filepath.Join(top, "main/trees/w/sub/x.go")); problem.Of(err) == nil {
		t.Errorf("a file: %v", err)
	}
}

// A .code-intel in the home folder captures nothing below it.
func TestFindBelowHome(t *testing.T) {
	top := realTemp(t)
	for _, dir := range []string{"home/.code-intel", "home/plain/x", "home/set/.code-intel", "home/set/x", "home/repo/.git", "home/repo/x"} {
		mkdir(t, top, dir)
	}
	for dir, want := range map[string]string{
		"home": "home", "home/plain/x": "home/plain/x", "home/set/x": "home/set", "home/repo/x": "home/repo",
	} {
		if got := find(filepath.Join(top, dir), filepath.Join(top, "home")); got != filepath.Join(top, want) {
			t.Errorf("from %s: %s; want %s", dir, got, want)
		}
	}
	mkdir(t, top, "home/.git")
	if got := find(filepath.Join(top, "home/plain/x"), filepath.Join(top, "home")); got != filepath.Join(top, "home") {
		t.Errorf("the home folder is a repository, and %s is found", got)
	}
}

// What another user laid in a folder above makes no project of the folders below.
func TestFindOfStrangers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files to others")
	}
	top := realTemp(t)
	for _, marker := range []string{".git", ".code-intel"} {
		mkdir(t, top, marker+"-in/"+marker)
		mkdir(t, top, marker+"-in/mine/x")
		at := filepath.Join(top, marker+"-in")
		if err := os.Chown(filepath.Join(at, marker), 4321, 4321); err != nil {
			t.Fatal(err)
		}
		mine := filepath.Join(at, "mine/x")
		if got := find(mine, "/nowhere"); got != mine {
			t.Errorf("%s of another user: %s", marker, got)
		}
		if around, err := Around(mine); err != nil || len(around) != 1 {
			t.Errorf("%s of another user: around are %q, %v", marker, around, err)
		}
		if got := find(at, "/nowhere"); got != at {
			t.Errorf("asked for itself: %s", got)
		}
		for _, path := range []string{at, filepath.Dir(mine), mine} {
			if err := os.Chown(path, 4321, 4321); err != nil {
				t.Fatal(err)
			}
		}
		if got := find(mine, "/nowhere"); got != at {
			t.Errorf("all of it is another user's: %s", got)
		}
	}
}

// Git's own linked worktree, not only one we imagine.
func TestFindInWorktree(t *testing.T) {
	top := realTemp(t)
	mkdir(t, top, "main/.code-intel")
	git(t, filepath.Join(top, "main"), "init", "-q")
	git(t, filepath.Join(top, "main"), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	git(t, filepath.Join(top, "main"), "worktree", "add", "-q", "inside")
	got, err := Find(filepath.Join(top, "main/inside"))
	if want := filepath.Join(top, "main/inside"); err != nil || got != want {
		t.Errorf("Find = %s, %v; want %s", got, err, want)
	}
}

func TestResolve(t *testing.T) {
	top := realTemp(t)
	write(t, top, "outside/secret", "s")
	write(t, top, "repo/src/a b.go", "x")
	write(t, top, "repo/日本/語.go", "x")
	root := filepath.Join(top, "repo")
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("src", "inner")
	link("../outside", "outer")
	link(filepath.Join(top, "outside/unborn"), "dangling")
	link("src/unborn", "cradle")
	link("loop", "loop")
	link(root, "self")
	p, err := OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"src/a b.go":                      "src/a b.go",
		"./src//a b.go":                   "src/a b.go",
		"src/../src/a b.go":               "src/a b.go",
		"日本/語.go":                         "日本/語.go",
		"new/dir/file.go":                 "new/dir/file.go",
		"src/a b.go/below":                "src/a b.go/below", // a file, not a folder: still within
		"inner/a b.go":                    "src/a b.go",
		"inner/../src/a b.go":             "src/a b.go",
		"cradle":                          "src/unborn",
		"self/self/src":                   "src",
		".":                               ".",
		"..foo/...":                       "..foo/...",
		filepath.Join(root, "src/a b.go"): "src/a b.go",
		root:                              ".",
		"../repo/src":                     "src",
	} {
		if got, err := p.Resolve(path); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
	for path, want := range map[string]problem.Code{
		"../outside/secret":       problem.OutsideRoot,
		"..":                      problem.OutsideRoot,
		"/etc/passwd":             problem.OutsideRoot,
		"outer/secret":            problem.OutsideRoot,
		"outer":                   problem.OutsideRoot,
		"dangling":                problem.OutsideRoot,
		"inner/../../outside":     problem.OutsideRoot,
		"new/../../outside":       problem.OutsideRoot,
		root + "-other/x":         problem.OutsideRoot,
		"":                        problem.InvalidArgument,
		"a\x00b":                  problem.InvalidArgument,
		"loop/x":                  problem.InvalidArgument,
		strings.Repeat("x", 5000): problem.InvalidArgument,
	} {
		if got, err := p.Resolve(path); problem.Of(err) == nil || problem.Of(err).Code != want {
			t.Errorf("Resolve(%.40q) = %q, %v; want %s", path, got, err, want)
		}
	}
}

// The folders around the root are not looked at again: Resolve takes as much work in a deep
// one as in another.
func TestResolveFromRoot(t *testing.T) {
	top := realTemp(t)
	work := func(root string) float64 {
		write(t, root, "a/b", "")
		p, err := OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(100, func() {
			if rel, err := p.Resolve("a/b"); err != nil || rel != "a/b" {
				t.Fatalf("%q, %v", rel, err)
			}
		})
	}
	if flat, deep := work(top), work(filepath.Join(top, strings.Repeat("d/", 20))); deep > flat+5 {
		t.Errorf("%.0f allocations, in a deep folder %.0f", flat, deep)
	}
}

// A root that is reached by a link is one root.
func TestOpenThroughLink(t *testing.T) {
	top := realTemp(t)
	write(t, top, "real/.code-intel/config.json", `{"chunk_max_tokens": 100}`)
	if err := os.Symlink("real", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	p, err := Open(filepath.Join(top, "link"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Root != filepath.Join(top, "real") || p.Config.ChunkMaxTokens != 100 || !p.IsSetUp() {
		t.Errorf("%+v", p)
	}
	if rel, err := p.Resolve(filepath.Join(top, "link", "x")); err != nil || rel != "x" {
		t.Errorf("Resolve through the link: %q, %v", rel, err)
	}
}

func TestIsEmpty(t *testing.T) {
	root := t.TempDir()
	p := &Project{Root: root}
	for _, dir := range []string{".git", Dir} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if !p.IsEmpty() {
		t.Error("a project with .git and .code-intel alone is not empty")
	}
	if err := os.WriteFile(filepath.Join(root, "a.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if p.IsEmpty() || (&Project{Root: filepath.Join(root, "missing")}).IsEmpty() {
		t.Error("a project with a file, or without a folder, is empty")
	}
}

func TestConfig(t *testing.T) {
	c, err := ParseConfig([]byte("\ufeff" + `{
		"version": "1.0", "embedding_model": "multilingual-e5-small", "vector_store": "chroma:https://chroma.example.org?database=shop", "source_dirs": ["src/", "./lib"],
		"exclude_patterns": ["**/gen/**"], "chunk_strategy": "lines", "sync_ttl_hours": 0.5, "sync_on_start": false, "lang": "ja"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.EmbeddingModel, want.SourceDirs, want.ExcludePatterns = "multilingual-e5-small", []string{"src", "lib"}, []string{"**/gen/**"}
	want.VectorStore = "chroma:https://chroma.example.org?database=shop"
	want.ChunkStrategy, want.SyncTTLHours, want.SyncOnStart, want.Lang = ChunkLines, 0.5, false, "ja"
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if c, err := ParseConfig([]byte("{}")); err != nil || !cmp.Equal(c, Defaults()) {
		t.Errorf("{}: %+v, %v", c, err)
	}
}

func TestBadConfig(t *testing.T) {
	for text, want := range map[string][]string{
		`{"chunk_stategy": "ast"}`:                                      {`line 1: there is no field "chunk_stategy"`, "chunk_strategy"},
		"{\n\"lang\": \"en\",\n\"chunk_max_tokens\": \"512\"\n}":        {`line 3: chunk_max_tokens must be a whole number from 64 to 8192, not "512"`},
		`{"chunk_max_tokens": 512.5}`:                                   {"chunk_max_tokens must be"},
		`{"ranking": "best"}`:                                           {`ranking must be "learned" or "plain", not "best"`},
		`{"chunk_max_tokens": 1}`:                                       {"chunk_max_tokens must be"},
		`{"chunk_strategy": "tree"}`:                                    {`chunk_strategy must be "ast" or "lines"`},
		`{"vector_store": "chroma"}`:                                    {"vector_store must be"},
		`{"vector_store": "chroma:ftp://x"}`:                            {"vector_store must be"},
		`{"vector_store": "chroma:http://me:secret@x"}`:                 {"vector_store must be", "without user and password"},
		`{"vector_store": "qdrant:http://x"}`:                           {"vector_store must be"},
		`{"sync_on_start": "true"}`:                                     {"sync_on_start must be true or false"},
		`{"sync_on_start": null}`:                                       {"sync_on_start must be true or false, not null"},
		`{"source_dirs": "src"}`:                                        {"source_dirs must be a list"},
		`{"source_dirs": ["../x"]}`:                                     {"source_dirs must be"},
		`{"source_dirs": ["/x"]}`:                                       {"source_dirs must be"},
		`{"exclude_patterns": [""]}`:                                    {"exclude_patterns must be"},
		`{"lang": "en", "lang": "ja"}`:                                  {"lang appears a second time"},
		"{\n\"lang\": \"en\"\n\"version\": \"1.0\"}":                    {"line 3: this is not JSON"},
		`{"source_dirs": [` + strings.Repeat(`"a",`, 300_000) + `"a"]}`: {"source_dirs has more than 1000 entries"},
		`[]`:    {"one JSON object"},
		``:      {"one JSON object"},
		`{`:     {"not JSON"},
		`{} {}`: {"after the closing }"},
		`{"version": "2.0", "nonsense": 1, "max_file_bytes": -1}`: {"version must be", "nonsense", "max_file_bytes must be"},
	} {
		_, err := ParseConfig([]byte(text))
		p := problem.Of(err)
		if p == nil || p.Code != InvalidConfig {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(p.Message.String(), part) {
				t.Errorf("%s:\n%s\nlacks %q", text, p.Message, part)
			}
		}
	}
}

// A file that came with a repository cannot take more of its user's memory than they allow.
func TestConfigWithin(t *testing.T) {
	for _, c := range []struct {
		config int64
		user   string
		want   int64
	}{{64 << 20, "", 4 << 20}, {1 << 20, "", 1 << 20}, {64 << 20, "16777216", 16 << 20}, {64 << 20, "many", 4 << 20}, {64 << 20, "1", 4 << 20}} {
		t.Setenv(maxFileBytesVar, c.user)
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, Dir), 0o755); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{"max_file_bytes": %d}`, c.config)
		if err := os.WriteFile(filepath.Join(root, Dir, "config.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err := OpenRoot(root); err != nil || p.Config.MaxFileBytes != c.want {
			t.Errorf("%s, %q: %v, %d", text, c.user, err, p.Config.MaxFileBytes)
		}
	}
	for n, taken := range map[int]bool{1000: true, 1001: false} {
		text := `{"exclude_patterns": ["a"` + strings.Repeat(`, "a"`, n-1) + `]}`
		if _, err := ParseConfig([]byte(text)); (err == nil) != taken {
			t.Errorf("%d entries of a field: %v", n, err)
		}
	}
}

// Every field of Config can be set, and every row of the table is a field.
func TestConfigFields(t *testing.T) {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	data, err := EncodeConfig(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(data), "\n  \""+name+"\": ") {
			t.Errorf("%s is not written:\n%s", name, data)
		}
	}
	if n := strings.Count(string(data), "\": "); n != len(names) {
		t.Errorf("%d fields are written, the table has %d", n, len(names))
	}
	if c, err := ParseConfig(data); err != nil || !cmp.Equal(c, Defaults()) {
		t.Errorf("what is written cannot be read: %+v, %v", c, err)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{"{}", `{"version":"1.0"}`, `{"source_dirs":[null]}`, "{\"a\":\n", "\x00", `{"lang":"ja"}x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig(data)
		if err != nil && problem.Of(err) == nil {
			t.Fatalf("not a problem: %v", err)
		}
		again, encodeErr := EncodeConfig(c)
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		if _, err := ParseConfig(again); err != nil {
			t.Fatalf("accepted, then not: %v", err)
		}
	})
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, elem ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(elem...), 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s (%s)", args, err, out, runtime.GOOS)
	}
}
