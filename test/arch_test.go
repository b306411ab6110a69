// Package test holds the rules that the whole repository keeps: which layer may
// import which, what every package promises, and what the documents say.
package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
)

// layers lists the blocks, the visible folders of internal/, from the bottom up.
// A block may import the blocks of earlier lines and those that stand before it on
// its own line, so the list has no cycles. If an import does not fit, the code is
// in the wrong package: move the code, not the line.
var layers = [][]string{
	{"platform", "problem", "text"},
	{"git", "toolchain", "approval", "trust", "project", "files"},
	{"syntax", "resolve", "provider", "index", "commitlog", "embedding", "memory", "audit", "search"},
	{"clients", "shellcheck", "verify", "taskbranch", "workflow"},
	{"session"},
	{"pipeline"},
	{"doctor", "mcp", "dashboard", "cli"},
}

const module = "codeintel/internal/"

// TestLayers fails on an import that leads upward, on a block that is not listed,
// and on an import between /code and /forge, which must not depend on each other.
func TestLayers(t *testing.T) {
	rank := make(map[string]int)
	for _, line := range layers {
		for _, block := range line {
			rank[block] = len(rank) + 1
		}
	}
	seen := make(map[string]bool)
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		from := block(packageOf(path))
		if from == "" {
			return
		}
		if seen[from] = true; rank[from] == 0 {
			t.Errorf("%s: internal/%s has no layer", path, from)
		}
		for _, name := range importsOf(t, file) {
			to, ours := strings.CutPrefix(name, module)
			to = block(to)
			switch {
			case !ours:
			case rank[to] > rank[from]:
				t.Errorf("%s: %s may not import %s, which lies above it", path, from, to)
			case from == "pipeline" && to == "session":
				t.Errorf("%s: /forge may not import /code", path)
			}
		}
	})
	for name := range rank {
		if !seen[name] {
			t.Errorf("there is no internal/%s", name)
		}
	}
}

// block returns the visible folder that contains a package.
func block(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// pure are the packages whose results depend only on their arguments; world is what
// they therefore must not import.
var (
	pure = []string{"approval", "audit/shown", "clients", "clients/jsonedit", "files/ignore", "index/chunk", "index/ranking",
		"pipeline/artifact", "pipeline/engine", "pipeline/prompt", "pipeline/request", "platform/lenientjson", "platform/msg", "platform/op",
		"problem", "search/relevancescale", "session/policy", "session/codecommand", "session/vaguetext", "shellcheck", "text", "text/markdown", "text/question", "text/requestslots", "text/synonyms", "text/terms", "workflow/phase"}
	world = []string{"database/sql", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http",
		"os", "os/exec", "path/filepath", "runtime", "syscall", "time"}
)

func TestPure(t *testing.T) {
	seen := make(map[string]bool)
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		pkg := packageOf(path)
		if !slices.Contains(pure, pkg) {
			return
		}
		seen[pkg] = true
		for _, name := range importsOf(t, file) {
			if slices.Contains(world, name) {
				t.Errorf("%s imports %s, but %s is pure", path, name, pkg)
			}
		}
	})
	for _, pkg := range pure {
		if !seen[pkg] {
			t.Errorf("there is no package internal/%s to be pure", pkg)
		}
	}
}

// TestWebServers fails on an HTTP server outside of platform/webserver, which limits what those
// who connect may cost.
func TestWebServers(t *testing.T) {
	serves := []string{"Server", "Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS"}
	seen := false
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, fset *token.FileSet) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := s.X.(*ast.Ident)
			switch {
			case !ok || from.Name != "http" || !slices.Contains(serves, s.Sel.Name):
			case packageOf(path) == "platform/webserver":
				seen = true
			default:
				t.Errorf("%s: use platform/webserver instead of http.%s", fset.Position(n.Pos()), s.Sel.Name)
			}
			return true
		})
	})
	if !seen {
		t.Error("platform/webserver serves nothing")
	}
}

// surfaces are the blocks that print for a reader, and the domains of the catalogue
// that they alone use.
var surfaces = []string{"cli", "mcp", "dashboard", "doctor"}

// ownFlag finds a flag of our command line.
var ownFlag = regexp.MustCompile(`code-intel\b.*--[a-z]`)

// TestOperationNames fails on a string below the surfaces that spells out the name of
// an operation or a flag of the command line. A message holds them as data, see
// docs/design/messages.md: each surface writes them its own way. Tags of structs are
// exempt, because they are the wire format itself; so are "query" and "explore", ordinary
// words.
func TestOperationNames(t *testing.T) {
	names := operationNames(t)
	word := regexp.MustCompile(`[a-z_]+`)
	check := func(where, text string) {
		for _, w := range word.FindAllString(text, -1) {
			if names[w] && !msg.Known(text) {
				t.Errorf("%s names the operation %s in %q: use package op", where, w, text)
			}
		}
		if ownFlag.MatchString(text) {
			t.Errorf("%s names a flag in %q: use package op", where, text)
		}
	}
	sentences, err := filepath.Glob(filepath.Join("..", "internal", "platform", "msg", "catalog", "*.txt"))
	if err != nil || len(sentences) < len(surfaces) {
		t.Fatal(sentences, err)
	}
	for _, path := range sentences {
		if slices.Contains(surfaces, strings.TrimSuffix(filepath.Base(path), ".txt")) {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			check(path, strings.TrimSpace(line))
		}
	}
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, fset *token.FileSet) {
		pkg := packageOf(path)
		if pkg == "" || pkg == "platform/op" || slices.Contains(surfaces, block(pkg)) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				field.Tag = nil
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			check(fset.Position(n.Pos()).String(), text)
			return true
		})
	})
}

// operationNames returns the names that package op declares.
func operationNames(t *testing.T) map[string]bool {
	names := make(map[string]bool)
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, _ *token.FileSet) {
		if packageOf(path) != "platform/op" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Name" {
				name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				names[name] = name != "query" && name != "explore"
			}
			return false
		})
	})
	if len(names) < 20 {
		t.Fatalf("package op declares only %v", names)
	}
	return names
}

// TestPackages wants a package comment everywhere, and standard output and the end
// of the program left to main.
func TestPackages(t *testing.T) {
	documented := make(map[string]bool) // directory -> has a package comment
	walk(t, parser.ParseComments, func(path string, file *ast.File, fset *token.FileSet) {
		dir := filepath.Dir(path)
		documented[dir] = documented[dir] || file.Doc != nil
		if file.Doc != nil && file.Comments[0] != file.Doc && !strings.HasPrefix(file.Comments[0].List[0].Text, "//go:build") {
			t.Errorf("%s: the package comment must be the first comment", path)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name := selector(n)
			if why := forbidden[name]; why != "" && !strings.HasPrefix(path, "cmd/") {
				t.Errorf("%s: %s: %s", fset.Position(n.Pos()), name, why)
			}
			return true
		})
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment; say what the package is for", dir)
		}
	}
}

// TestDocComments wants the comment of a function or a type to begin with its name, which it loses
// where only the declaration is renamed, and the comment of a constant or a variable to begin with no name that
// its file does not have.
func TestDocComments(t *testing.T) {
	walk(t, parser.ParseComments, func(path string, file *ast.File, fset *token.FileSet) {
		check := func(name *ast.Ident, comment *ast.CommentGroup) {
			if comment == nil || strings.HasPrefix(comment.List[0].Text, "//export ") {
				return
			}
			words := strings.Fields(comment.Text())
			for _, article := range []string{"A", "An", "The"} {
				if len(words) > 1 && words[0] == article && name.Name != article {
					words = words[1:]
				}
			}
			if len(words) > 0 && strings.TrimSuffix(strings.TrimRight(words[0], ",.:"), "'s") != name.Name {
				t.Errorf("%s: the comment of %s begins with %q", fset.Position(name.Pos()), name.Name, words[0])
			}
		}
		names := make(map[string]bool)
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST && d.Tok != token.VAR {
				return true
			}
			comments := []*ast.CommentGroup{d.Doc}
			for _, s := range d.Specs {
				comments = append(comments, s.(*ast.ValueSpec).Doc)
			}
			for _, c := range comments {
				if word, _, _ := strings.Cut(strings.TrimSpace(c.Text()), " "); mixedCase.MatchString(word) && !names[word] {
					t.Errorf("%s: the comment begins with %q, which the file does not have", fset.Position(c.Pos()), word)
				}
			}
			return true
		})
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				check(d.Name, d.Doc)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						check(s.Name, s.Doc)
						if len(d.Specs) == 1 {
							check(s.Name, d.Doc)
						}
					}
				}
			}
		}
	})
}

var mixedCase = regexp.MustCompile(`^[a-z]+[A-Z]\w*$`)

// forbidden is what no package may call, and why. Only main knows the real world.
var forbidden = map[string]string{
	"fmt.Print":   "standard output belongs to the protocol; take an io.Writer",
	"fmt.Println": "standard output belongs to the protocol; take an io.Writer",
	"fmt.Printf":  "standard output belongs to the protocol; take an io.Writer",
	"os.Stdout":   "standard output belongs to the protocol; take an io.Writer",
	"os.Exit":     "only main may end the program",
	"log.Fatal":   "only main may end the program",
	"log.Fatalf":  "only main may end the program",
}

// cgo are the packages that may contain C. Everything else builds and tests without a
// C compiler being run again.
var cgo = []string{"embedding/simd", "index/sqlite", "syntax/treesitter"}

func TestCgo(t *testing.T) {
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		if slices.Contains(importsOf(t, file), "C") && !slices.Contains(cgo, packageOf(path)) {
			t.Errorf("%s imports C; only %s may", path, strings.Join(cgo, ", "))
		}
	})
}

// TestRoot allows nothing in the root but go.mod, documents, the Makefile and folders.
func TestRoot(t *testing.T) {
	for path := range tracked(t) {
		if dir, name := filepath.Split(path); dir == "" && !slices.Contains([]string{"go.mod", "go.sum", "Makefile", "LICENSE", ".gitignore", "mkdocs.yml"}, name) && filepath.Ext(name) != ".md" {
			t.Errorf("%s lies in the root", path)
		}
	}
}

// TestSelfContained requires that no tracked file names a folder outside the project.
// The names are put together here so that this file passes, too.
func TestSelfContained(t *testing.T) {
	outside := regexp.MustCompile(`(^|[^\w.~])/` + `work/|\.\./` + `shared\b|/tmp/` + `notes\b`)
	for path, data := range tracked(t) {
		if at := outside.FindIndex(data); at != nil {
			line := 1 + strings.Count(string(data[:at[0]]), "\n")
			t.Errorf("%s:%d names %q, which lies outside the project", path, line, data[at[0]:at[1]])
		}
		if strings.Contains(string(data[:min(len(data), 512)]), "\x7fELF") {
			t.Errorf("%s is a program; programs are built, not kept", path)
		}
	}
}

// tracked returns the files that git knows, by path from the root.
func tracked(t *testing.T) map[string][]byte {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	all := make(map[string][]byte)
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if data, err := os.ReadFile(filepath.Join(root, path)); err == nil { // else deleted, or a link that leads nowhere here
			all[path] = data
		}
	}
	return all
}

// selector returns n as it is written, if n is of the form pkg.Name.
func selector(n ast.Node) string {
	if s, ok := n.(*ast.SelectorExpr); ok {
		if pkg, ok := s.X.(*ast.Ident); ok {
			return pkg.Name + "." + s.Sel.Name
		}
	}
	return ""
}

func importsOf(t *testing.T, file *ast.File) []string {
	t.Helper()
	var names []string
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// packageOf returns the package under internal/ that the file at path is in, or ""
// if it is in none.
func packageOf(path string) string {
	pkg, ok := strings.CutPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
	if !ok {
		return ""
	}
	return pkg
}

// root is the root of the repository, from this package.
const root = ".."

// walk parses every Go file that is neither a test nor test data. Paths are
// relative to the root.
func walk(t *testing.T, mode parser.Mode, visit func(path string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	fset := token.NewFileSet()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, filepath.Join(root, path), nil, mode)
		if err != nil {
			return err
		}
		visit(path, file, fset)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// opening are the calls that open, write, move, remove or list files by their names, and
// follow links that a repository may hold. Package repofile makes them for all others.
var opening = regexp.MustCompile(`^(os\.(Open|OpenFile|Create|CreateTemp|ReadFile|WriteFile|Rename|Remove|RemoveAll|Mkdir|MkdirAll|MkdirTemp|ReadDir|` +
	`Symlink|Link|Chmod|Chtimes|Truncate|DirFS|CopyFS)|filepath\.Glob|flock\.New)$`)

// openers are the packages and files that may make these calls, and why.
var openers = map[string]string{
	"platform/repofile":                 "it is the one package",
	"platform/memlimit":                 "reads /proc and /sys",
	"platform/atomicfile/atomicfile.go": "reads /proc; locks a file that it made by package repofile",
	"audit/key.go":                      "the user's keys, in the user's own folder",
	"audit/seal.go":                     "the memory of ledgers, in the user's own folder",
	"cli/ancestor_linux.go":             "reads /proc",
	"cli/approve.go":                    "opens the terminal",
	"cli/cli.go":                        "a log that the user names",
	"cli/dashboard.go":                  "the address of the dashboard, in the user's own folder",
	"cli/mcp.go":                        "a token that the user names",
	"clients/codex/codex.go":            "the user's settings of a client",
	"doctor":                            "tries whether the user's folders can be written, and makes a project of its own",
	"embedding":                         "models, in the user's own folder",
	"files/children_other.go":           "lists a folder that was looked at",
	"git/lock.go":                       "reads /proc; removes locks of git by the names that a listing gave",
	"git/locknote_unix.go":              "a note of this program in git's folder",
	"git/tree.go":                       "scratch indexes, in the folder for temporary files",
	"platform/tempdir":                  "temporary folders of this program's own",
	"project/access_unix.go":            "the user's own folder for temporary files",
	"resolve/golang/std.go":             "the library of Go",
	"search/quality":                    "measures search; no part of the program",
	"session/hookguard":                 "names that a shell's pattern matches; nothing is opened",
	"session/projectrules":              "names of documents below a folder that was resolved; follows no link",
	"toolchain/folder.go":               "names that a pattern matches; nothing is opened",
}

// TestRepositoryFiles fails where a package opens files past package repofile.
func TestRepositoryFiles(t *testing.T) {
	used := make(map[string]bool)
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, fset *token.FileSet) {
		pkg := packageOf(path)
		if pkg == "" {
			return
		}
		name := pkg + "/" + filepath.Base(path)
		ast.Inspect(file, func(n ast.Node) bool {
			call := selector(n)
			if !opening.MatchString(call) {
				return true
			}
			for _, allowed := range []string{name, pkg, block(pkg), "search/quality"} {
				if openers[allowed] != "" && strings.HasPrefix(name, allowed) && (allowed != "embedding" || pkg != "embedding/vectorstore") {
					used[allowed] = true
					return true
				}
			}
			t.Errorf("%s: %s: open files of a repository through package repofile", fset.Position(n.Pos()), call)
			return true
		})
	})
	for name := range openers {
		if !used[name] {
			t.Errorf("%s makes no such call: take it off the list", name)
		}
	}
}

// matching are the calls that compile a pattern or match one.
var matching = regexp.MustCompile(`^(regexp\.(Compile|MustCompile|CompilePOSIX|MustCompilePOSIX|Match|MatchString|MatchReader)|syntax\.Compile|` +
	`doublestar\.(Match|MatchUnvalidated|PathMatch|Glob|GlobWalk|FilepathGlob))$`)

// matchers are the packages and files that may make these calls, and whose patterns they are.
// Two of them take what a stranger wrote, and bound what it costs.
var matchers = map[string]string{
	"search/textmatch":                             "anybody's expressions, with a budget",
	"text/glob":                                    "anybody's globs, with a budget",
	"cli/grep.go":                                  "the user's own, of this command",
	"pipeline/repoprofile/manifests.go":            "our own",
	"platform/lazyregexp":                          "our own",
	"search/impact/arity.go":                       "a name, quoted",
	"search/overrides/overrides.go":                "a name, quoted",
	"search/binding/surroundings.go":               "a name, quoted, in a pattern of our own",
	"session/projectrules/rules.go":                "our own",
	"syntax/regexpoutline/outline.go":              "our own",
	"workflow/codediff/testcase/find.go":           "our own",
	"workflow/codediff/additions/unread/named.go":  "a name, quoted",
	"workflow/codediff/additions/unread/unread.go": "a name, quoted",
}

// TestPatterns fails where a package compiles a pattern that may be a stranger's without a
// bound on what it costs, and where one of package lazyregexp is made of what is only known
// while the program runs.
func TestPatterns(t *testing.T) {
	used := make(map[string]bool)
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, fset *token.FileSet) {
		pkg := packageOf(path)
		name := pkg + "/" + filepath.Base(path)
		if pkg == "" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if body, ok := n.(*ast.FuncDecl); ok && pkg != "platform/lazyregexp" && body.Type.Params.NumFields() > 0 {
				ast.Inspect(body, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok && selector(call.Fun) == "lazyregexp.MustCompile" {
						if _, plain := call.Args[0].(*ast.BasicLit); !plain && !slices.Contains([]string{"search/queryplan/aim.go", "workflow/typedline.go"}, name) {
							t.Errorf("%s: a pattern that is compiled lazily is a constant", fset.Position(n.Pos()))
						}
					}
					return true
				})
			}
			if !matching.MatchString(selector(n)) {
				return true
			}
			for _, allowed := range []string{name, pkg} {
				if matchers[allowed] != "" {
					used[allowed] = true
					return true
				}
			}
			t.Errorf("%s: %s: match what a stranger wrote by search/textmatch or text/glob", fset.Position(n.Pos()), selector(n))
			return true
		})
	})
	for name := range matchers {
		if !used[name] {
			t.Errorf("%s makes no such call: take it off the list", name)
		}
	}
}

// TestLazyPatterns fails where a package compiles a pattern when the program starts: each
// hook of a client starts it anew. Package lazyregexp compiles at the first use.
func TestLazyPatterns(t *testing.T) {
	walk(t, parser.SkipObjectResolution, func(path string, file *ast.File, fset *token.FileSet) {
		if packageOf(path) == "platform/lazyregexp" {
			return
		}
		for _, d := range file.Decls {
			if variables, ok := d.(*ast.GenDecl); ok && variables.Tok == token.VAR {
				ast.Inspect(variables, func(n ast.Node) bool {
					if _, later := n.(*ast.FuncLit); later {
						return false
					}
					if selector(n) == "regexp.MustCompile" {
						t.Errorf("%s: compile the pattern at its first use: lazyregexp.MustCompile", fset.Position(n.Pos()))
					}
					return true
				})
			}
		}
	})
}
