package index

import (
	"path"
	"regexp"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/postings"
)

// The numbers of ranking, all of them. They come from a study over some seventy
// public repositories; change one only with a measurement over all kinds of
// queries, because what helps one kind hurts another.

// scoring are the constants of BM25F.
var scoring = func() *postings.Scoring {
	s := &postings.Scoring{K1: 1.2, Path: postings.Bag{B: 0.3, Weight: 3}}
	s.Fields = [postings.Fields]postings.Bag{
		postings.Body:   {B: 0.75, Weight: 1},
		postings.Symbol: {B: 0.5, Weight: 3},
		postings.Scope:  {B: 0.5, Weight: 1.5},
	}
	s.File.Body = postings.Bag{B: 0.75, Weight: 1}
	s.File.Symbol = postings.Bag{B: 0.5, Weight: 2}
	s.File.Path = postings.Bag{B: 0.3, Weight: 4}
	s.File.MaxSymbol = 3
	s.Alone = [postings.Fields]float64{postings.Symbol: 0.5, postings.Scope: 0.5, postings.Doc: 0.75}
	return s
}()

// A queryKind says what a query looks like.
type queryKind int

const (
	prose    queryKind = iota // words
	symbolic                  // a name, perhaps qualified
	cjk                       // words of Chinese, Japanese or Korean
	queryKinds
)

// signals are what is summed, each divided by the highest of its kind among the
// candidates, with its weight for each kind of query.
var signals = []struct {
	reason string // where it alone gives a good part of the score
	weight [queryKinds]float64
	value  func(c *postings.Candidate) float64
}{
	{"text", [queryKinds]float64{0.70, 0.80, 0.60}, func(c *postings.Candidate) float64 { return c.BM25F }},
	{"name", [queryKinds]float64{0.225, 0.30, 0.30}, func(c *postings.Candidate) float64 { return c.Alone[postings.Symbol] }},
	{"path", [queryKinds]float64{0.30, 0.10, 0.10}, func(c *postings.Candidate) float64 { return c.Path }},
	{"scope", [queryKinds]float64{0.20, 0.10, 0.10}, func(c *postings.Candidate) float64 { return c.Alone[postings.Scope] }},
	{"comment", [queryKinds]float64{0.05, 0, 0.10}, func(c *postings.Candidate) float64 { return c.Alone[postings.Doc] }},
	{"file", [queryKinds]float64{0.05, 0.30, 0.30}, func(c *postings.Candidate) float64 { return c.Whole }},
}

// boosts add a share of the best sum, times how well they apply, from 0 to about
// 1.
var boosts = struct {
	coherence  float64             // the best chunk of a file, for what the others of it have
	definition [queryKinds]float64 // it declares a name that the query names
	fileStem   [queryKinds]float64 // words of the query are words of the file's name or folder
	mention    float64             // the query names the file
	cover      float64             // how much of the query is in the chunk
}{
	coherence:  0.2,
	definition: [queryKinds]float64{0.1, 3.0, 0.1},
	fileStem:   [queryKinds]float64{0.05, 0, 0.05},
	mention:    0.3,
	cover:      0.05,
}

// Parts of the definition boost.
const (
	typeDefinition  = 1.5 // the declaration is of a type
	otherSpelling   = 0.8 // the case is another
	stemIsName      = 1.5 // the file is called like the symbol
	calledName      = 0.5 // the query has the name with "(" after it, in prose
	joinedName      = 0.9 // the words of the query, joined, are the name
	joinedWords     = 5   // of at most so many words
	mostDefinitions = 200 // of one name
)

// saturation is what each further chunk of a file is multiplied by, once more
// for each before it.
const saturation = 0.7

// Candidates that each signal may propose, and files that may propose their best
// chunk.
const (
	leastCandidates = 120
	candidateFiles  = 40
)

// penalties multiply the score of a chunk whose file they are about.
var penalties = []struct {
	reason  string
	factor  float64
	applies func(f *ranked) bool
}{
	{"test file", 0.3, func(f *ranked) bool { return !f.query.aboutTests && isTest(f.path) }},
	{"example", 0.3, func(f *ranked) bool { return isExample(f.path) }},
	{"compatibility", 0.5, func(f *ranked) bool { return isCompat(f.path) }},
	{"re-export", 0.7, func(f *ranked) bool { return isReexport(f.path) }},
	{"generated", 0.5, func(f *ranked) bool { return f.class == files.Generated }},
	{"vendored", 0.3, func(f *ranked) bool { return f.class == files.Vendored }},
	{"minified", 0.1, func(f *ranked) bool { return f.class == files.Minified }},
}

var (
	testFile   = regexp.MustCompile(`^(?:test_.*|.*[_.-](?:test|tests|spec)|.*[a-z0-9](?:Test|Tests|TestCase|Spec|Suite)|conftest)\.\w+$`)
	testFolder = regexp.MustCompile(`^(?:tests?|__tests__|specs?|testing|testdata|test-.*|.*-tests?|[a-z]+Tests?|fixtures?|e2e|.*\.Tests?)$`)
	aboutTests = regexp.MustCompile(`(?i)\b(?:tests?|spec|testing|fixtures?|mocks?)\b|テスト`)
)

// Folders whose files are rarely what a question is about.
var (
	exampleFolders = folders("example examples _example _examples docs_src doc docs sample samples demo demos sandbox benchmark benchmarks bench playground tutorial tutorials website")
	compatFolders  = folders("compat _compat legacy deprecated vendor third_party deps")
)

func folders(list string) map[string]bool {
	set := make(map[string]bool)
	for _, f := range strings.Fields(list) {
		set[f] = true
	}
	return set
}

// isTest reports whether the file at p is a test or belongs to one.
func isTest(p string) bool {
	return testFile.MatchString(path.Base(p)) || inFolder(p, testFolder.MatchString)
}

func isExample(p string) bool { return inFolder(p, func(f string) bool { return exampleFolders[f] }) }

func isCompat(p string) bool { return inFolder(p, func(f string) bool { return compatFolders[f] }) }

// isReexport reports whether a file says little but what others declare.
func isReexport(p string) bool {
	base := path.Base(p)
	return base == "__init__.py" || base == "package-info.java"
}

// inFolder reports whether is holds for any folder that p lies in.
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
