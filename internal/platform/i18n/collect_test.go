package i18n

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/pipeline/engine"
)

// wing are the rooms whose every text has a Japanese entry or a reason to stay;
// of the refusers it is what they put into Problems. Texts of the rooms in byLine
// are said line by line: each line has an entry, or the whole has one.
var (
	wing = []string{"session", "session/slashcmd", "taskbranch", "session/evidence", "session/policy", "text/queryframe", "session/rules", "verify", "trust", "audit", "platform/lenientjson", "project", "approval", "mcp",
		"pipeline/engine", "pipeline/service", "pipeline/workspace", "pipeline/request", "pipeline/artifact"}
	refusers = []string{"search", "search/impact", "search/planner", "dashboard", "clients/prompts", "pipeline/prompt", "pipeline/history", "pipeline/profile"}
	byLine   = []string{"pipeline/engine", "pipeline/service"}
)

// TestEveryMessageIsTranslated holds the catalog against the sources: a text that
// has no entry fails, and an entry or a reason without a text does, too.
func TestEveryMessageIsTranslated(t *testing.T) {
	stays := english(t)
	ja := In("ja")
	literals, lines := make(map[string]bool), make(map[string]string)
	for _, label := range labels(t) {
		if literals[label] = true; ja.exact[label] == nil {
			t.Errorf("the phase %q has no entry in ja/pipeline.txt", label)
		}
	}
	for _, room := range slices.Concat(wing, refusers) {
		found := collect(t, filepath.Join("../..", room), slices.Contains(refusers, room))
		for format := range collect(t, filepath.Join("../..", room), false) {
			literals[format] = true
		}
		if slices.Contains(byLine, room) {
			maps.DeleteFunc(found, func(format, place string) bool {
				whole := !strings.Contains(format, "\n") || ja.exact[format] != nil || stays[format] != ""
				for line := range strings.SplitSeq(format, "\n") {
					literals[line] = true
					if !whole {
						lines[line] = place
					}
				}
				return !whole
			})
			maps.Copy(found, lines)
			clear(lines)
		}
		for _, format := range slices.Sorted(maps.Keys(found)) {
			entry, reason := ja.exact[format] != nil, stays[format] != ""
			switch {
			case !prose.MatchString(format):
			case !entry && !reason:
				t.Errorf("%s: %q has no entry in ja/%s.txt (nor a reason to stay in testdata/english.txt)", found[format], format, room)
			case entry && reason:
				t.Errorf("%q has both an entry and a reason to stay: %s", format, stays[format])
			}
		}
	}
	for format, e := range ja.exact {
		if !e.made && !literals[format] {
			t.Errorf("entry %q belongs to no text of the sources any more", format)
		}
		for _, part := range e.pattern.texts { // of several literals
			part = strings.Trim(part, " :.;,{}\n")
			if e.made && part != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(literals)), func(l string) bool { return strings.Contains(l, part) }) {
				t.Errorf("entry %q is made of texts that are not there: %q", format, part)
			}
		}
	}
	for format, reason := range stays {
		if !literals[format] {
			t.Errorf("%q stays as it is (%s), but no source says it", format, reason)
		}
	}
}

// english reads testdata/english.txt: texts that stay, below the reason why.
func english(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	stays, reason := make(map[string]string), ""
	for line := range strings.Lines(string(data)) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			reason = ""
		case reason == "":
			reason = strings.TrimPrefix(line, "# ")
		default:
			stays[unescape.Replace(line)] = reason
		}
	}
	return stays
}

// labels returns what the phases of a pipeline are called.
func labels(t *testing.T) (all []string) {
	t.Helper()
	table, err := engine.Phases()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range table.IDs() {
		all = append(all, engine.Label(table, id))
	}
	return all
}

// prose is what a literal must look like to be a text: words, or a label.
var prose = regexp.MustCompile(`\pL[\pL,;:)\]'"%]* +[\pL%({"'0-9-]|: %|%[a-z][.;,]? \pL|\pL:? $|\pL\.$`)

// collect returns the formats of the texts in the Go files of folder, with the
// places where they stand: literals, with %s for what is joined to them. With
// refusals it looks only at what is given to a Problem.
func collect(t *testing.T, folder string, refusals bool) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s (%v)", folder, err)
	}
	found := make(map[string]string)
	for _, f := range files {
		switch { // tools.go is the list of tools, which a client reads before it has a project
		case strings.HasSuffix(f, "_test.go"), f == "../../mcp/tools.go", f == "../../session/speak.go", f == "../../pipeline/service/speak.go":
			continue
		}
		if shipped, err := build.Default.MatchFile(folder, filepath.Base(f)); err != nil {
			t.Fatal(err)
		} else if !shipped { // only a build for tests has it
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		note := func(e ast.Expr, format string) { found[format] = fset.Position(e.Pos()).String() }
		if !refusals {
			texts(file, note)
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && refuses(c) {
				for _, arg := range c.Args {
					texts(arg, note)
				}
			}
			return true
		})
	}
	return found
}

// texts notes every text below n.
func texts(n ast.Node, note func(ast.Expr, string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // no texts: a path, a tag
			return false
		case *ast.CallExpr:
			return !silent(n)
		case *ast.BinaryExpr:
			format, ok := formatOf(n)
			if n.Op != token.ADD || !ok {
				return true
			}
			note(n, format)
			for _, part := range operands(n) {
				if _, literal := part.(*ast.BasicLit); !literal {
					texts(part, note)
				}
			}
			return false
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				note(n, s)
			}
		}
		return true
	})
}

// refuses says that the call makes a Problem, or adds to one.
func refuses(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, _ := sel.X.(*ast.Ident)
	return x != nil && x.Name == "problem" && strings.HasPrefix(sel.Sel.Name, "New") || sel.Sel.Name == "Or"
}

// silent says that the call writes to the log, compiles a pattern, or makes an error
// that wraps another one: such an error is for the log, or says where it happened to one that
// is spoken itself.
func silent(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	if l, ok := sel.X.(*ast.SelectorExpr); ok && strings.EqualFold(l.Sel.Name, "log") {
		return true
	}
	if sel.Sel.Name == "MustCompile" {
		return true
	}
	x, _ := sel.X.(*ast.Ident)
	lit, _ := c.Args[0].(*ast.BasicLit)
	return x != nil && lit != nil && x.Name == "fmt" && sel.Sel.Name == "Errorf" && strings.Contains(lit.Value, "%w")
}

func operands(e ast.Expr) []ast.Expr {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return slices.Concat(operands(b.X), operands(b.Y))
	}
	return []ast.Expr{e}
}

// formatOf returns a sum of strings as one format.
func formatOf(e ast.Expr) (format string, ok bool) {
	for _, part := range operands(e) {
		if l, isText := part.(*ast.BasicLit); isText && l.Kind == token.STRING {
			s, _ := strconv.Unquote(l.Value)
			format += s
			ok = true
		} else {
			format += "%s"
		}
	}
	return format, ok
}
