package ranking

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/text"
	"codeintel/internal/text/question"
	"codeintel/internal/text/terms"
)

// Marks are what speaks against a file, one bit each.
type Marks uint16

// The marks by number.
const (
	test = iota
	example
	document
	data
	generated
	vendored
	minified
	marks
)

// Marks that a file has by what is in it; the others [mark] reads from its path.
const (
	Generated Marks = 1 << generated
	Vendored  Marks = 1 << vendored
	Minified  Marks = 1 << minified
)

var markNames = [marks]string{
	test: "test file", example: "example", document: "document", data: "data",
	generated: "generated", vendored: "vendored", minified: "minified",
}

// Folders whose files are rarely what a question is about.
var exampleFolders = text.WordSet("example examples _example _examples docs_src doc docs sample samples demo demos sandbox benchmark benchmarks bench playground tutorial tutorials website")

// kindMarks are the marks of files that are not code, by their extensions, and by their names without one.
var kindMarks = func() map[string]Marks {
	marks := make(map[string]Marks)
	for kind := range documentFiles {
		marks[kind] |= 1 << document
	}
	for kind := range dataFiles {
		marks[kind] |= 1 << data
	}
	return marks
}()

var (
	documentFiles = text.WordSet(".md .markdown .mdx .rst .txt .adoc .asciidoc .rdoc .pod .org .tex changelog changes history news readme license authors contributors copying notice")
	dataFiles     = text.WordSet(".json .jsonc .json5 .yml .yaml .toml .xml .plist .ini .cfg .conf .properties .lock .csv .tsv .svg .po .pot .pbxproj .xcscheme .csproj .vcxproj .fsproj .sln .snap .map .gitignore .gitattributes .dockerignore .npmignore .editorconfig")
)

// mark returns what the path of a file says against it as an answer to q.
func mark(q *question.Question, p string) (m Marks) {
	folder, base := path.Split(p)
	m = inFolderMarks(folder).file(base)
	if q.Tests {
		m &^= 1 << test
	}
	if q.Documents {
		m &^= 1 << document
	}
	if q.Data && !setsTool(q, p) {
		m &^= 1 << data
	}
	return m
}

// folderMarks is what the path of a folder says against the files in it.
type folderMarks struct {
	all   Marks
	ships bool // no file in it is a test
}

// inFolderMarks returns the marks of a folder whose path ends in a slash.
func inFolderMarks(folder string) (m folderMarks) {
	if m.ships = inMavenSource(folder); !m.ships && inTestFolder(folder) {
		m.all |= 1 << test
	}
	if inFolder(packagesLeftOut(folder), func(f string) bool { return exampleFolders[f] }) {
		m.all |= 1 << example
	}
	if inFolder(folder, func(f string) bool { return f == "dist" }) {
		m.all |= Generated // checked in beside its source
	}
	return m
}

// file returns the marks of a file in the folder.
func (m folderMarks) file(base string) Marks {
	all := m.all
	if !m.ships && isTestFile(base) {
		all |= 1 << test
	}
	kind := strings.ToLower(path.Ext(base))
	if kind == "" {
		kind = strings.ToLower(base)
	}
	return all | kindMarks[kind]
}

// ciFolders are hidden folders whose files say how the project itself is built.
var ciFolders = text.WordSet(".github .gitlab .circleci .buildkite")

// setsTool reports whether a file is in the hidden folder of an editor or another tool
// that the question does not name: its settings are not those of the project.
func setsTool(q *question.Question, p string) bool {
	return inFolder(p, func(f string) bool {
		name, hidden := strings.CutPrefix(f, ".")
		return hidden && name != "" && !ciFolders[f] &&
			!strings.Contains(strings.ToLower(q.Text), strings.ToLower(name))
	})
}

// inMavenSource reports whether a file is in a source root of Maven's layout: what is there is
// shipped, whatever it is called.
func inMavenSource(p string) bool { return strings.Contains("/"+p, mavenMain) }

const mavenMain = "/src/main/"

// packagesLeftOut returns a path without what is below a source root of Maven's
// layout: folders there are the parts of a package's name.
func packagesLeftOut(p string) string {
	if before, _, ok := strings.Cut("/"+p, mavenMain); ok {
		return strings.TrimPrefix(before+"/", "/")
	}
	return p
}

// StemShare returns the share of the terms of the name of the file at p, without
// its extension, that a question of the given terms has, from 0 to 1.
func StemShare(t *terms.Tokenizer, asked []string, p string) float64 {
	base := path.Base(p)
	has, all := 0, 0
	t.Code([]byte(strings.TrimSuffix(base, path.Ext(base))), func(term int32) {
		all++
		if slices.Contains(asked, t.Term(term)) {
			has++
		}
	})
	return float64(has) / float64(max(1, all))
}

// IsTest reports whether the file at p is a test or belongs to one.
func IsTest(p string) bool {
	return isTestFile(path.Base(p)) || inTestFolder(p)
}

// inTestFolder reports whether p is in a folder of tests.
func inTestFolder(p string) bool {
	return NamedAsTest(p) || maybeTest(p) && inFolder(p, isTestFolder)
}

// testEndings are how the names of files end that only tests have: of Perl, of Bash, of Erlang.
var testEndings = []string{".t", ".bats", "_SUITE.erl"}

// NamedAsTest reports whether a path is one that only tests have, in whatever language: by its
// ending, or because it is in the folder t at the root, as in Perl projects and git itself.
func NamedAsTest(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(p, "t/") ||
		slices.ContainsFunc(testEndings, func(end string) bool { return strings.HasSuffix(base, end) && base != end })
}

// isTestFile reports whether a file is named like a test: test_x.py, x_test.go,
// x.spec.ts, FooTest.java, conftest.py.
func isTestFile(base string) bool {
	if NamedAsTest(base) {
		return true
	}
	if !maybeTest(base) {
		return false
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || dot+1 == len(base) || strings.ContainsFunc(base[dot+1:], notWord) {
		return false
	}
	stem := base[:dot]
	if stem == "conftest" || strings.HasPrefix(stem, "test_") {
		return true
	}
	return endsIn(stem, "_.-", "test", "tests", "spec") ||
		endsIn(stem, lowerOrDigit, "Test", "Tests", "TestCase", "Spec", "Suite", "Cest", "Cept")
}

// endsIn reports whether s ends in one of words, after one of the characters of
// after.
func endsIn(s, after string, words ...string) bool {
	for _, w := range words {
		if rest, ok := strings.CutSuffix(s, w); ok && rest != "" && strings.IndexByte(after, rest[len(rest)-1]) >= 0 {
			return true
		}
	}
	return false
}

// isTestFolder reports whether a folder is named like one of tests.
func isTestFolder(f string) bool {
	switch f {
	case "test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "fixture", "fixtures", "e2e":
		return true
	}
	one := strings.TrimSuffix(f, "s")
	return strings.HasPrefix(f, "test-") || strings.HasSuffix(one, "-test") || TestProject(f)
}

// TestProject reports whether a folder is named like a project of tests: UnitTests,
// Shop.Tests, Shop.IntegrationTests.Web.
func TestProject(folder string) bool {
	for part := range strings.SplitSeq(folder, ".") {
		for _, end := range []string{"Test", "Spec"} {
			kind, ok := strings.CutSuffix(strings.TrimSuffix(part, "s"), end)
			if ok && (kind == "" || strings.IndexByte(lowerOrDigit, kind[len(kind)-1]) >= 0) {
				return true
			}
		}
	}
	return false
}

const lowerOrDigit = "abcdefghijklmnopqrstuvwxyz0123456789"

func notWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && notLower(r)
}

func notLower(r rune) bool { return r < 'a' || r > 'z' }

// maybeTest reports whether p has a part that all names of tests have one of. It
// spares most files the closer look.
func maybeTest(p string) bool {
	for _, part := range []string{"est", "pec", "uite", "ixture", "e2e", "Cept"} {
		if strings.Contains(p, part) {
			return true
		}
	}
	return false
}

// inFolder reports whether is holds for any folder that p is in.
func inFolder(p string, is func(folder string) bool) bool {
	for {
		folder, rest, ok := strings.Cut(p, "/")
		if !ok {
			return false
		}
		if is(folder) {
			return true
		}
		p = rest
	}
}
