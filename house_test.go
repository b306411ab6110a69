package codeintel_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plan says which rooms a room may import. A line may name only rooms of
// earlier lines, so the plan has no circles, and it reads from the ground up.
//
// DO NOT CHANGE A LINE TO MAKE A TEST PASS. Change docs/ARCHITECTURE.md first:
// if the new arrow is hard to explain there, the code is in the wrong room.
const plan = `
	problem    :
	lazy       :
	observed   :
	person     : problem
	decode     :
	phase      :
	terms      :
	ignore     :
	lexicon    : terms
	ranking    : lazy terms
	charset    :
	mapped     :
	safetensors: mapped
	latent     : mapped
	fault      :
	statefile  : fault
	git        : fault statefile
	sqlite     :
	treesitter :
	postings   : mapped
	trigram    : mapped
	watch      :
	kernels    :
	vectors    : kernels mapped statefile
	vectors/vectorstest : vectors
	tokenizer  : problem
	encoder    : kernels mapped problem safetensors
	toolchain  :
	project    : person problem statefile
	files      : charset git ignore problem project
	relevance  :
	agreements : problem project terms
	frame      : problem terms
	client     :
	shell      : lazy
	messages   :
	jsonedit   :
	learning   : frame lazy project statefile terms

	syntax     : lazy treesitter
	resolve    : syntax treesitter
	chunk      : syntax
	ctags      : syntax
	index      : chunk ctags files latent lexicon mapped postings problem project ranking sqlite syntax terms trigram watch
	search     : agreements files index observed problem project relevance resolve syntax terms trigram
	impact     : files index lazy observed problem project search syntax
	router     : frame lazy learning observed problem project search syntax terms

	trust      : problem statefile
	rules      : problem project
	verify     : problem project trust
	ledger     : fault observed problem statefile
	guard      :
	evidence   : git lazy problem project syntax
	branch     : fault git problem
	codeline   : lazy problem
	session    : agreements branch client codeline decode evidence fault files frame git guard lazy learning ledger messages observed person phase problem project relevance rules shell statefile trust verify
	records    : branch git ledger problem project session statefile vectors

	request    : lazy
	artifact   : lazy request
	profile    : files project syntax toolchain
	agents     : problem
	prompt     : problem
	history    : problem project statefile terms
	workspace  : fault problem statefile
	pipeline   : person phase
	forge      : agents artifact branch client fault git history messages person phase pipeline problem profile project prompt request shell statefile workspace

	models     : lazy problem
	embed      : encoder models problem safetensors tokenizer
	chroma     : problem vectors
	similarity : chroma embed index problem statefile vectors
	meaning    : embed index problem project similarity vectors

	setup      : problem project toolchain
	install    : agents jsonedit problem project statefile
	mcpserver  : agents decode files forge git impact index ledger meaning messages observed person problem project router search session
	quality    : index project search
	doctor     : git index install problem project statefile trust verify
	dashboard  : agreements codeline doctor forge history index learning ledger messages person phase pipeline problem project records session statefile verify workspace
	cli        : branch client dashboard doctor forge impact index install learning mcpserver meaning messages models observed person phase pipeline problem project records search session setup statefile trust verify
`

const module = "codeintel/internal/"

func TestPlan(t *testing.T) {
	allowed := readPlan(t)
	found := rooms(t)
	for _, room := range slices.Sorted(maps.Keys(found)) {
		may, ok := allowed[room]
		if !ok {
			t.Errorf("room %s is not on the plan", room)
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(found[room])) {
			if !slices.Contains(may, other) {
				t.Errorf("%s imports %s (in %s), which the plan does not allow", room, other, found[room][other])
			}
		}
		for _, other := range may {
			if found[room][other] == "" {
				t.Errorf("the plan lets %s import %s, but it does not: strike it", room, other)
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(allowed)) {
		if found[room] == nil {
			t.Errorf("the plan names a room %s, which there is not", room)
		}
	}
}

// pure are the rooms whose answers depend on nothing but what they are told;
// world is what they may therefore not import.
var (
	pure  = []string{"artifact", "chunk", "client", "codeline", "decode", "frame", "guard", "ignore", "jsonedit", "lexicon", "messages", "observed", "person", "phase", "pipeline", "problem", "prompt", "ranking", "relevance", "request", "shell", "terms"}
	world = []string{"database/sql", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http",
		"os", "os/exec", "path/filepath", "runtime", "syscall", "time"}
)

func TestPure(t *testing.T) {
	seen := make(map[string]bool)
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		room := roomOf(path)
		if !slices.Contains(pure, room) {
			return
		}
		seen[room] = true
		for _, name := range importsOf(t, file) {
			if slices.Contains(world, name) {
				t.Errorf("%s imports %s, but %s is pure", path, name, room)
			}
		}
	})
	for _, room := range pure {
		if !seen[room] {
			t.Errorf("there is no room %s to be pure", room)
		}
	}
}

// TestRooms holds every package to its introduction, and every room to the rule
// that standard output and the end of the program are not its own.
func TestRooms(t *testing.T) {
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
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			t.Errorf("%s: no package comment; say what the room is for", dir)
		}
	}
}

// forbidden is what no room may call, and why. Only main knows the real world.
var forbidden = map[string]string{
	"fmt.Print":   "standard output belongs to the protocol; take an io.Writer",
	"fmt.Println": "standard output belongs to the protocol; take an io.Writer",
	"fmt.Printf":  "standard output belongs to the protocol; take an io.Writer",
	"os.Stdout":   "standard output belongs to the protocol; take an io.Writer",
	"os.Exit":     "only main may end the program",
	"log.Fatal":   "only main may end the program",
	"log.Fatalf":  "only main may end the program",
}

// cgo are the rooms that may hold C. Everything else builds and tests without a
// C compiler being run again.
var cgo = []string{"kernels", "treesitter"}

func TestCgo(t *testing.T) {
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		if slices.Contains(importsOf(t, file), "C") && !slices.Contains(cgo, roomOf(path)) {
			t.Errorf("%s imports C; only %s may", path, strings.Join(cgo, ", "))
		}
	})
}

// TestSelfContained holds every tracked file to the rule that the project is
// whole: it names no folder outside itself. The names are put together here so
// that this file holds to it too.
func TestSelfContained(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	outside := regexp.MustCompile(`(^|[^\w.~])/` + `work/|\.\./` + `shared\b|/tmp/` + `notes\b`)
	for _, path := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // deleted, or a link that leads nowhere here
		}
		if at := outside.FindIndex(data); at != nil {
			line := 1 + strings.Count(string(data[:at[0]]), "\n")
			t.Errorf("%s:%d names %q, which lies outside the project", path, line, data[at[0]:at[1]])
		}
		if strings.Contains(string(data[:min(len(data), 512)]), "\x7fELF") {
			t.Errorf("%s is a program; programs are built, not kept", path)
		}
	}
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

func readPlan(t *testing.T) map[string][]string {
	t.Helper()
	rooms := make(map[string][]string)
	s := bufio.NewScanner(strings.NewReader(plan))
	for s.Scan() {
		room, imports, ok := strings.Cut(s.Text(), ":")
		if !ok {
			continue
		}
		for _, other := range strings.Fields(imports) {
			if _, earlier := rooms[other]; !earlier {
				t.Fatalf("plan: %s may not name %s, which is not on an earlier line", strings.TrimSpace(room), other)
			}
		}
		rooms[strings.TrimSpace(room)] = strings.Fields(imports)
	}
	return rooms
}

// rooms returns, for each room, the rooms it imports and a file that does.
func rooms(t *testing.T) map[string]map[string]string {
	t.Helper()
	found := make(map[string]map[string]string)
	walk(t, parser.ImportsOnly, func(path string, file *ast.File, _ *token.FileSet) {
		room := roomOf(path)
		if room == "" {
			return
		}
		if found[room] == nil {
			found[room] = make(map[string]string)
		}
		for _, name := range importsOf(t, file) {
			if other, ours := strings.CutPrefix(name, module); ours {
				found[room][other] = path
			}
		}
	})
	return found
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

// roomOf returns the room that the file at path is in, or "" if it is in none.
func roomOf(path string) string {
	room, ok := strings.CutPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
	if !ok {
		return ""
	}
	return room
}

// walk parses every Go file that is neither a test nor test data.
func walk(t *testing.T, mode parser.Mode, visit func(path string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	fset := token.NewFileSet()
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, mode)
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
