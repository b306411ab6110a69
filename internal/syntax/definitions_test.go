//go:build definitions

package syntax

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/treesitter"
)

var (
	definitionsIn = flag.String("definitions", "", "compare definitions with ctags in these checkouts, with commas between")
	listMisses    = flag.Int("misses", 0, "misses to list a language")
	onlyLanguage  = flag.String("only", "", "only these languages, with commas between")
	reportTo      = flag.String("report", "", "write the figures to this file, as JSON")
)

// A tag is one line of what ctags says.
type tag struct {
	Name, Path, Language, Kind string
	Line                       int
}

// A definitionScore counts what ctags lists in the files of one language in one
// checkout, and what we do.
type definitionScore struct {
	Folder    string   `json:"folder"`
	Language  Language `json:"language"`
	Files     int      `json:"files"`
	Tags      int      `json:"tags"`      // declarations by ctags
	Missed    int      `json:"missed"`    // of them, those that we have not where ctags has them
	Odd       int      `json:"odd"`       // functions that we have as something else
	MadeUp    int      `json:"made_up"`   // names that ctags made up, and what it took for a declaration
	Text      int      `json:"in_text"`   // declarations in a string or a comment
	Symbols   int      `json:"symbols"`   // ours
	Misplaced int      `json:"misplaced"` // of them, those whose name is not there
	Partial   int      `json:"partial"`   // files of which we say that something is missing
}

// TestDefinitions compares what is declared with what Universal Ctags lists.
func TestDefinitions(t *testing.T) {
	if *definitionsIn == "" {
		t.Skip("no folders")
	}
	var all []*definitionScore
	for _, dir := range strings.Split(*definitionsIn, ",") {
		all = append(all, compareDefinitions(t, dir)...)
	}
	if *reportTo != "" {
		out, err := json.Marshal(all)
		if err == nil {
			err = os.WriteFile(*reportTo, out, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range all {
		t.Logf("%-11s %-22s files %5d tags %6d missed %5d (%.1f in 1000) odd %4d symbols %6d misplaced %d partial %d; made up %d, in text %d",
			s.Language, filepath.Base(s.Folder), s.Files, s.Tags, s.Missed, 1000*float64(s.Missed)/float64(max(1, s.Tags)), s.Odd, s.Symbols, s.Misplaced, s.Partial, s.MadeUp, s.Text)
	}
}

func compareDefinitions(t *testing.T, dir string) []*definitionScore {
	out, err := exec.Command("git", "-C", dir, "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	byLanguage := map[Language][]string{}
	for _, f := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		p := filepath.Join(dir, f)
		if st, err := os.Lstat(p); err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 || strings.Contains(f, ".min.") {
			continue
		}
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		lang := Detect(p, src)
		if ctagsNames[lang] != "" && (*onlyLanguage == "" || slices.Contains(strings.Split(*onlyLanguage, ","), string(lang))) {
			byLanguage[lang] = append(byLanguage[lang], p)
		}
	}
	var scores []*definitionScore
	for _, lang := range slices.Sorted(maps.Keys(byLanguage)) {
		s := &definitionScore{Folder: dir, Language: lang}
		tags := ctagsOf(t, ctagsNames[lang], byLanguage[lang])
		macros := macrosOf(tags)
		for _, p := range byLanguage[lang] {
			s.compare(t, p, tags[p], macros)
		}
		scores = append(scores, s)
	}
	return scores
}

// compare checks one file against its tags.
func (s *definitionScore) compare(t *testing.T, path string, tags []tag, macros map[string]bool) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := tryParse(s.Language, src)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	s.Files++
	s.Symbols += len(f.Symbols)
	if f.Partial != "" {
		s.Partial++
	}
	starts := engine.LineStarts(nil, src)
	lines := bytes.Split(src, []byte("\n"))
	for _, y := range f.Symbols {
		if registered().languages[f.Language].Rules != nil && !stands(y, src, starts) {
			if s.Misplaced++; s.Misplaced <= *listMisses {
				t.Logf("%s:%d:%d: misplaced %q", path, y.NameLine, y.NameColumn, y.Name)
			}
		}
	}
	inText := textOf(s.Language, src)
	for _, g := range tags {
		line := string(lines[min(len(lines), g.Line)-1])
		if s.Language == Haskell {
			line += indentedBelow(lines, g.Line)
		}
		name := lastName(g.Name)
		at := wordIn(line, name)
		switch {
		case at < 0 || !declares(g, line, macros):
			s.MadeUp++
			continue
		case inText(int(starts[g.Line-1]) + at):
			s.Text++
			continue
		}
		s.Tags++
		found, odd := false, g.Kind == "function" || g.Kind == "method"
		for _, y := range f.Symbols {
			if lastName(y.Name) != name && (s.Language != Rust || y.Kind != Impl) { // impl T for [u8], which is u8 to ctags
				continue
			}
			clauses := s.Language == Elixir || s.Language == Haskell || s.Language == "erlang" || s.Language == "ocaml" // one symbol for all of them
			if y.StartLine <= g.Line && g.Line <= y.NameLine || y.NameLine <= g.Line && g.Line <= y.NameLine+1 || clauses && y.Kind.IsFunction() {
				found = true
				odd = odd && !y.Kind.IsFunction() && y.Kind != Type
			}
		}
		switch what := ""; {
		case !found:
			s.Missed++
			what = "missed"
			fallthrough
		case odd:
			if found {
				s.Odd++
				what = "odd"
			}
			if s.Missed+s.Odd <= *listMisses {
				t.Logf("%s:%d: %s %s %s: %.120s", path, g.Line, what, g.Kind, g.Name, strings.TrimSpace(string(lines[min(len(lines), g.Line)-1])))
			}
		}
	}
}

var ctagsNames = map[Language]string{
	Bash: "Sh", C: "C", CPP: "C++", CSharp: "C#", Elixir: "Elixir", Go: "Go", Haskell: "Haskell", Java: "Java", JavaScript: "JavaScript",
	Kotlin: "Kotlin", Lua: "Lua", PHP: "PHP", Python: "Python", Ruby: "Ruby", Rust: "Rust", TypeScript: "TypeScript", TSX: "TypeScript",
	"clojure": "Clojure", "d": "D", "elm": "Elm", "erlang": "Erlang", "fortran": "Fortran", "julia": "Julia", "lisp": "EmacsLisp",
	"objective-c": "ObjectiveC", "ocaml": "OCaml", "perl": "Perl", "powershell": "PowerShell", "protobuf": "Protobuf", "r": "R",
	"tcl": "Tcl", "verilog": "SystemVerilog", "vhdl": "VHDL", "vim": "Vim", "ada": "Ada", "pascal": "Pascal",
}

// ctagsKinds are the declarations that somebody would look for by name. Imports under
// another name, which ctags calls namespaces in Python and typedefs in C#, are none.
var ctagsKinds = strings.Fields(`function method class struct interface trait enum object singletonMethod macro typedef union namespace module
	generator getter setter func type implementation enumerator record constructor callback protocol
	subroutine procedure package program task entity architecture component`)

// lastName returns a name without what it is looked up in, and without signs that only
// one of the two writes: a setter of Ruby is name= to ctags, an operator of C++ has a
// space, a destructor its sign, a method of C# the interface that it is of.
func lastName(name string) string {
	name = strings.Trim(name, "`\"")        // R
	name, _, _ = strings.Cut(name+"{", "{") // Julia: Array{T}
	if first, rest, ok := strings.Cut(name, ":"); ok && first != "" && (rest == "" || strings.HasSuffix(rest, ":")) {
		return first // a method of Objective-C: setObject:forKey:
	}
	if rest, ok := strings.CutPrefix(name, "operator"); ok && rest != "" && !isWordByte(rest[0]) && rest[0] != '.' {
		return "operator" + strings.ReplaceAll(strings.TrimSuffix(rest, "()"), " ", "") + map[bool]string{true: "()"}[strings.HasSuffix(rest, "()")]
	}
	if quoted, ok := strings.CutPrefix(name, `["`); ok {
		return strings.TrimSuffix(quoted, `"]`) // a key of a table of Lua
	}
	if len(name) > 1 && isWordByte(name[0]) {
		name = strings.TrimSuffix(name, "=")
	}
	name = strings.TrimPrefix(name, "~")
	if i := strings.LastIndexAny(name[:max(0, len(name)-1)], `.:\`); i >= 0 && isWordByte(name[i+1]) {
		name = name[i+1:]
	}
	return name
}

func isWordByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

// wordIn returns where a word begins in a line, or -1: ctags gives names to what has
// none, a lambda or a companion object.
func wordIn(line, word string) int {
	if rest, ok := strings.CutPrefix(word, "operator"); ok && rest != "" {
		word = "operator"
	}
	for at := 0; word != "" && at <= len(line); {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return -1
		}
		i += at
		end := i + len(word)
		if (i == 0 || !isWordByte(line[i-1]) || !isWordByte(word[0])) && (end == len(line) || !isWordByte(line[end]) || !isWordByte(word[len(word)-1])) {
			return i
		}
		at = i + 1
	}
	return -1
}

var (
	ofType      = regexp.MustCompile(`\b(class|struct|interface|enum|record)\s+$`)
	luaFunction = regexp.MustCompile(`\bfunction\s+[\w.:]+|[\w"'\]]\s*=\s*function\s*\(`)
)

// declares says whether the line of a tag can declare it. ctags takes much for a
// declaration that is none, and its parsers by regular expressions do so on sight.
func declares(g tag, line string, macros map[string]bool) bool {
	if g.Kind == "package" && slices.Contains([]string{"Go", "Java", "Kotlin"}, g.Language) {
		return false // where a file belongs; there is no symbol of it
	}
	switch g.Language {
	case "C", "C++":
		// TEST(name) { … }: the name of a macro is not declared here, whoever defines it
		heads := g.Name == strings.ToUpper(g.Name) && strings.HasPrefix(strings.TrimSpace(line), g.Name+"(")
		return g.Kind == "macro" || !macros[g.Name] && !heads
	case "C#":
		if strings.Contains(g.Name, ".") && strings.HasSuffix(strings.TrimSpace(line), ";") && !strings.Contains(line, "=>") {
			return false // a call: output.Write();
		}
		// where T : class; where T : struct, IComparable; using File = System.IO.File
		return (g.Kind != "struct" && g.Kind != "class" && g.Kind != "interface" || ofType.MatchString(line[:max(0, wordIn(line, lastName(g.Name)))])) && g.Kind != "typedef"
	case "JavaScript":
		if g.Name == "exports" && namedExport.MatchString(line) || !scriptDeclares(lastName(g.Name), line) {
			return false
		}
		// to ctags an object literal is a class, and so is what has a prototype
		name := regexp.QuoteMeta(g.Name)
		return g.Kind != "class" || regexp.MustCompile(`\b(class|function)\s+`+name+`\b|\b`+name+`\s*[=:]\s*(class|function)\b`).MatchString(line)
	case "Kotlin":
		// { (id: String) -> … }: a parameter of a lambda
		return g.Kind != "method" || strings.Contains(line, "fun ")
	case "Lua":
		return luaFunction.MatchString(line) && !strings.ContainsAny(lastName(g.Name), "[]{") // f = function_arg(1, f); t[name] = function() end
	case "Elixir":
		return g.Name != "unquote" // def unquote(name)(…): a name that is made when it is compiled
	case "Haskell":
		// a word that begins a declaration, or the first part of a module's name; a type that a field
		// has, and an expression that makes declarations when it is compiled: deriveJSON options ''Name
		if g.Kind == "function" && !haskellEquation.MatchString(inBraces.ReplaceAllString(line, "")) || strings.ContainsAny(g.Name, "{}") {
			return false
		}
		return (g.Kind != "function" || !unicode.IsUpper(rune(g.Name[0]))) && !slices.Contains(haskellWords, g.Name) && (g.Kind != "module" || !strings.Contains(line, g.Name+"."))
	case "Ruby":
		return !strings.Contains(line, "def "+g.Name+".") // def self.name: the name is another tag's
	case "Python":
		return g.Kind != "namespace" // import typing as t
	case "Sh":
		return !strings.HasSuffix(g.Name, "=") // list=()
	case "TypeScript":
		return g.Name != "extends"
	case "VHDL":
		return g.Kind != "record" || strings.Contains(strings.ToLower(line), "record") // what is in a record is one to ctags
	case "OCaml":
		return ocamlDeclares(g, line)
	case "ObjectiveC":
		// typedef void (^Done)(NSError *error): error is the name to ctags; what it calls a class may be a method
		method := strings.ContainsAny(strings.TrimSpace(line)[:1], "+-")
		return (method || g.Kind != "method" && g.Kind != "class") && !strings.Contains(line, "(^") && g.Name != strings.ToUpper(g.Name)
	case "D":
		return g.Kind != "module" || strings.Contains(line, "module ")
	case "Julia":
		return !strings.Contains(line, g.Name+".:") // function Base.:(==)(a, b)
	case "Erlang":
		return g.Kind != "function" || erlangClause.MatchString(line) // a line of a text
	case "SystemVerilog":
		return !strings.Contains(line, g.Name+"::") && g.Name[0] != '`'
	case "Ada":
		return g.Kind != "component" || strings.Contains(line, ":")
	}
	return true
}

var erlangClause = regexp.MustCompile(`^[a-z]\w*\s*\(.*(->|$)`)

// ocamlDeclares says whether a line of OCaml can declare what ctags says: not what a
// signature demands (with type t = int and type u = int), nor a word of the language.
func ocamlDeclares(g tag, line string) bool {
	switch text := strings.TrimSpace(line); {
	case !isWordByte(g.Name[0]), g.Name == "_", g.Name == "nonrec", g.Name == "open", g.Name == "private":
		return false
	case strings.HasPrefix(text, "and type"), strings.HasPrefix(text, "and module"):
		return false
	case g.Kind == "type": // type 'a Path.name += A: Path is the name to ctags
		return !strings.Contains(line, "with ") && !strings.Contains(line, g.Name+".") && text[0] != '%'
	case g.Kind == "module":
		return strings.HasPrefix(text, "module ") || strings.HasPrefix(text, "and ")
	}
	return true
}

var haskellWords = []string{"class", "instance", "deriving", "infix", "infixl", "infixr", "pattern", "family", "foreign"}

var (
	haskellEquation = regexp.MustCompile(`[=|]|::|\bwhere\b`)
	inBraces        = regexp.MustCompile(`\{[^{}]*\}`)
)

// namedExport finds what is exported under a name of its own, which is the one that it is
// known by: module.exports = class Application.
var namedExport = regexp.MustCompile(`\bexports\s*=\s*(async\s+)?(class|function\s*\*?)\s*[\w$]+`)

// scriptDeclares says whether a line of JavaScript can declare a name: it does not where
// all that it does is to use it. To ctags a name behind a prototype is a method even if
// it is called or deleted there, and what a function is put on is one itself:
// A.prototype.run.call(this); delete A.prototype.run; a[name] = function () {}.
func scriptDeclares(name, line string) bool {
	for from := 0; ; {
		i := wordIn(line[from:], name)
		if i < 0 {
			return false
		}
		before := strings.TrimRight(line[:from+i], " \t")
		from += i + len(name)
		after := strings.TrimLeft(line[from:], " \t")
		switch member := strings.HasSuffix(before, "."); {
		case after == "":
			return true
		case after[0] == '.', after[0] == '[', member && strings.IndexByte("(;),", after[0]) >= 0:
		default:
			return true
		}
	}
}

// indentedBelow returns the lines from one on that are indented.
func indentedBelow(lines [][]byte, from int) (all string) {
	for _, line := range lines[min(len(lines), from):] {
		if len(line) > 0 && line[0] != ' ' && line[0] != '\t' && line[0] != '#' {
			break
		}
		all += "\n" + string(line)
	}
	return all
}

// macrosOf returns the macros that tags define.
func macrosOf(tags map[string][]tag) map[string]bool {
	macros := map[string]bool{}
	for _, of := range tags {
		for _, g := range of {
			if g.Kind == "macro" {
				macros[g.Name] = true
			}
		}
	}
	return macros
}

// textOf returns what says whether a byte lies in a string or a comment. Only where the
// grammar reads the whole file without an error is it believed.
func textOf(lang Language, src []byte) func(at int) bool {
	no := func(int) bool { return false }
	if strings := quoted[lang]; strings != nil {
		found := strings.FindAllIndex(src, -1)
		return func(at int) bool {
			return slices.ContainsFunc(found, func(m []int) bool { return m[0] < at && at < m[1] })
		}
	}
	g, ok := treesitter.Lookup(string(lang))
	if !ok {
		return no
	}
	keep := g.NewKeep()
	for i := range keep {
		keep[i] = treesitter.KeepNode
	}
	tree, err := g.Parse(src, treesitter.Limit{Keep: keep})
	if err != nil || tree.HasError || tree.Truncated {
		return no
	}
	defer tree.Release()
	text := make([]bool, len(src))
	for _, n := range tree.Nodes {
		switch kind := g.KindName(n.Kind); {
		case strings.Contains(kind, "comment"), strings.Contains(kind, "heredoc_body"), strings.Contains(kind, "heredoc_content"),
			kind == "string_content", kind == "quoted_content", kind == "raw_string", kind == "template_string", kind == "string_fragment", kind == "uninterpreted":
			for i := n.Start; i < n.End; i++ {
				text[i] = true
			}
		case kind == "interpolation", kind == "template_substitution":
			for i := n.Start; i < n.End; i++ {
				text[i] = false
			}
		}
	}
	return func(at int) bool { return at < len(text) && text[at] }
}

// quoted finds the strings of languages without a grammar that ctags reads as code. What
// else has quotes in it goes first.
var quoted = map[Language]*regexp.Regexp{
	"ocaml":      regexp.MustCompile(`'(?:\\.[^']*|[^'\\\n])'|"(?s:\\.|[^"\\])*"|\{[a-z_]*\|(?s:.*?)\|[a-z_]*\}`),
	"powershell": regexp.MustCompile(`@'[ \t]*\r?\n(?s:.*?)\n'@|@"[ \t]*\r?\n(?s:.*?)\n"@`),
}

// ctagsOf runs ctags over files of one language.
func ctagsOf(t *testing.T, language string, files []string) map[string][]tag {
	cmd := exec.Command("ctags", "--output-format=json", "--fields=+KlnrE", "--language-force="+language, "-o", "-", "-L", "-")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, errs.String())
	}
	tags := map[string][]tag{}
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var g tag
		if err := json.Unmarshal(sc.Bytes(), &g); err == nil && g.Language == language && slices.Contains(ctagsKinds, g.Kind) {
			tags[g.Path] = append(tags[g.Path], g)
		}
	}
	return tags
}
