package msg

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/internal/platform/op"
)

// all is a message with an argument of every kind.
func all() Message {
	return New("problem.code_message_and_next", Literal("lit {1:a|b} %s"), New("problem.code_and_message", "a\"<b>", "2"),
		Join("list.or", 3, uint8(4), 1.5, true, []string{"x", "y"}, op.SyncIndex, Param("limit"), fmt.Errorf("no"),
			CallOf(op.SubmitPhase, "data", FieldsOf("back_to", "READY", "reason", Blank), "files", []string{"a", "b"}, "line", 7, "new", true)))
}

func TestText(t *testing.T) {
	const english = `lit {1:a|b} %s: a"<b>: 2 Next: 3 Or: 4 Or: 1.5 Or: true Or: x, y Or: sync_index Or: limit Or: no Or: ` +
		`submit_phase(data={"back_to": "READY", "reason": …}, files=["a", "b"], line=7, new=true)`
	if got := all().String(); got != english {
		t.Errorf("English:\n got %s\nwant %s", got, english)
	}
	japanese := strings.NewReplacer(" Next: ", " 次: ", " Or: ", " または: ").Replace(english)
	if got := (Printer{Lang: Japanese}).Text(all()); got != japanese {
		t.Errorf("Japanese:\n got %s\nwant %s", got, japanese)
	}
	shell := Printer{
		Call:  func(c Call) string { return "run " + string(c.Op) },
		Param: func(p Param) string { return "--" + string(p) },
	}
	if got := shell.Text(all()); !strings.Contains(got, "run sync_index Or: --limit") || !strings.HasSuffix(got, "run submit_phase") {
		t.Errorf("the printer's own words: %s", got)
	}
	if got := New("problem.unheard_of", 1, "a").String(); got != "problem.unheard_of 1 a" {
		t.Errorf("a key of another version: %s", got)
	}
}

// A name that holds a line break cannot look like a line of ours, in whatever form it is an
// argument; neither can a text of several lines.
func TestForged(t *testing.T) {
	const forged = "a.go\nnote: forged\r\n"
	for _, arg := range []any{forged, fmt.Errorf("%s", forged), Literal(forged), []string{"b", forged}, Listed("; ", []string{forged}), Block(forged), Err("problem.code_and_message", forged, 1)} {
		got := New("problem.code_and_message", arg, 2).String()
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "note:") {
				t.Errorf("%#v: %q", arg, got)
			}
		}
	}
}

func TestPlural(t *testing.T) {
	const format = `%d {1:match|matches} in %d {2:file|files} {"a": {3:x|y}`
	if got := fmt.Sprintf(plural(format, []any{int64(1), int64(2)}), 1, 2); got != `1 match in 2 files {"a": {3:x|y}` {
		t.Error(got)
	}
}

// TestRoundTrip wants a message to be the same behind JSON, and plain strings of
// older files to be literals.
func TestRoundTrip(t *testing.T) {
	for _, m := range []Message{all(), {}, Literal("x"), Join(" ", 2.0, -3), Do(op.SyncIndex), Do(op.SearchText, "pattern", "<a>"), Join("; ", "a", New("problem.code_and_message", 1, 2))} {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back Message
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !m.Equal(back) {
			t.Errorf("%s:\n got %#v\nwant %#v", data, back, m)
		}
	}
	var old struct{ Reason Message }
	if err := json.Unmarshal([]byte(`{"Reason": "it failed"}`), &old); err != nil || !old.Reason.Equal(Literal("it failed")) {
		t.Errorf("%#v, %v", old.Reason, err)
	}
}

func TestBind(t *testing.T) {
	type inner struct {
		Why  Message
		More []Message
	}
	type answer struct {
		Inner   *inner
		Any     any
		Map     map[string]Message
		Empty   Message `json:",omitzero"`
		Printer Printer `json:"-"`
		private Message
	}
	m := New("problem.code_and_message", "a", Join("list.or", "b", "c"))
	a := &answer{Inner: &inner{m, []Message{m}}, Any: inner{Why: m}, Map: map[string]Message{"k": m}, private: m}
	b := Bind(a, Printer{Lang: Japanese})
	data, err := json.Marshal(b)
	if want := `{"Inner":{"Why":"a: b または: c","More":["a: b または: c"]},"Any":{"Why":"a: b または: c","More":null},"Map":{"k":"a: b または: c"}}`; err != nil || string(data) != want {
		t.Errorf("%s, %v\nwant %s", data, err, want)
	}
	if b.Printer.Lang != Japanese || !b.private.Equal(m) || !b.Map["k"].Is("problem.code_and_message") {
		t.Errorf("%+v", b)
	}
	if !reflect.DeepEqual(a, &answer{Inner: &inner{m, []Message{m}}, Any: inner{Why: m}, Map: map[string]Message{"k": m}, private: m}) {
		t.Errorf("the answer itself was changed: %+v", a)
	}
}

var (
	verb    = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0-9.]*([a-z%])`)
	keyForm = regexp.MustCompile(`^[a-z][a-z0-9]*\.[a-z][a-z0-9_]*$`)
)

// gaps returns the arguments that a format uses, each once, with its verb.
func gaps(format string) []string {
	var used []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		n := next
		if m[1] != "" {
			fmt.Sscan(m[1], &n)
		}
		next = n + 1
		used = append(used, fmt.Sprint(n))
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// readAll returns the entries of each domain.
func readAll(t *testing.T) map[string][]*entry {
	files, err := catalog.ReadDir("catalog")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]*entry)
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		all[name] = readDomain(name)
	}
	return all
}

// TestCatalogue wants each file sorted and both languages to use the same arguments.
func TestCatalogue(t *testing.T) {
	for domain, entries := range readAll(t) {
		if !slices.IsSortedFunc(entries, func(a, b *entry) int { return strings.Compare(a.key, b.key) }) {
			t.Errorf("%s.txt is not sorted", domain)
		}
		for i, e := range entries {
			switch {
			case !keyForm.MatchString(e.key):
				t.Errorf("%q is no key", e.key)
			case !strings.HasPrefix(e.key, domain+"."):
				t.Errorf("%s is in the file of another domain, %s.txt", e.key, domain)
			case i > 0 && e.key == entries[i-1].key:
				t.Errorf("%s is there twice", e.key)
			case e.en == "":
				t.Errorf("%s has no English text", e.key)
			case e.ja != "" && !slices.Equal(gaps(e.en), gaps(e.ja)):
				t.Errorf("%s: English uses the arguments %v, Japanese %v", e.key, gaps(e.en), gaps(e.ja))
			}
		}
	}
}

func TestParse(t *testing.T) {
	const file = "a.lines\nen: one: %s\nen:\nen: three\nja:\nja: 二\n\na.spaces\nen: \" Or: \"\n\na.quoted\nen: \"a\" is not b\n"
	want := []*entry{{"a.lines", "one: %s\n\nthree", "\n二"}, {"a.spaces", " Or: ", ""}, {"a.quoted", `"a" is not b`, ""}}
	if got, err := parse(file); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"en: text without a key\n", "a.b\nfr: un\n", "a.b\nen: \"\\q\"\n"} {
		if got, err := parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// TestArguments wants every message whose key is in the sources to be made with as
// many arguments as its text uses: one more or fewer is shown to its reader.
func TestArguments(t *testing.T) {
	makers := map[string]int{"msg.New": 0, "problem.New": 1} // -> where the key stands
	calls := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.Contains(path, "testdata") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || call.Ellipsis.IsValid() {
				return true
			}
			at, ok := makers[types.ExprString(call.Fun)]
			if !ok || len(call.Args) <= at {
				return true
			}
			literal, ok := call.Args[at].(*ast.BasicLit)
			if !ok {
				return true
			}
			key, _ := strconv.Unquote(literal.Value)
			if e := find(key); e != nil {
				calls++
				if used := gaps(plural(e.en, nil)); len(used) != len(call.Args)-at-1 {
					t.Errorf("%s: %s is made with %d arguments, its text uses %v", set.Position(call.Pos()), key, len(call.Args)-at-1, used)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || calls < 1000 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestCatalogueIsUsed checks the catalogue against the sources: every key that they
// name is there, and every entry is named.
func TestCatalogueIsUsed(t *testing.T) {
	named := make(map[string]bool)
	literal := regexp.MustCompile("[\"`]([a-z][a-z0-9]*\\.[a-z][a-z0-9_]*)[\"`]")
	makes := regexp.MustCompile(`(?:msg\.New|\.Or|\.Say)\(\s*"([^"\s]+)"|problem\.New\([^"\n]*,\s*"([^"\s]+)"`)
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			if d != nil && d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return err
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		for _, m := range literal.FindAllStringSubmatch(string(data), -1) {
			named[m[1]] = true
		}
		for _, m := range makes.FindAllStringSubmatch(string(data), -1) {
			if k := m[1] + m[2]; keyForm.MatchString(k) && !Known(k) {
				t.Errorf("%s: the catalogue has no %s", path, k)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, entries := range readAll(t) {
		for _, e := range entries {
			if !named[e.key] {
				t.Errorf("no source names %s", e.key)
			}
		}
	}
}
