package ranking

import (
	"cmp"
	"path"
	"strings"

	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// A Shape is what the paths of a repository say about its marks: a mark that most files
// have, or that files have which are shipped, speaks against none of them.
type Shape struct {
	ordinary Marks
	shipped  map[string]bool // folders and files that are named like tests, and are part of the product
}

// Mark returns what the path of a file of the repository says against it as an answer
// to q.
func (s *Shape) Mark(q *question.Question, p string) Marks {
	m := mark(q, p) &^ s.ordinary
	if m&(1<<test) != 0 && len(s.shipped) > 0 && s.isProduct(p) {
		m &^= 1 << test
	}
	return m
}

// isProduct reports whether all that makes a file look like a test belongs to the product.
func (s *Shape) isProduct(p string) bool {
	if isTestFile(path.Base(p)) && !s.shipped[p] {
		return false
	}
	return eachTestFolder(p, func(folder string) bool { return s.shipped[folder] })
}

// eachTestFolder calls f with every folder of p that is named like one of tests, until
// f is false, and returns whether it never was.
func eachTestFolder(p string, f func(folder string) bool) bool {
	for i := range p {
		if p[i] == '/' && isTestFolder(path.Base(p[:i])) && !f(p[:i]) {
			return false
		}
	}
	return true
}

// What the shape of a repository is recognised by.
const (
	fewSiblings = 3 // plain source files that a package has
	testPrefix  = "test_"
)

// packageFolders are names of folders for tests that products have parts by, too.
var packageFolders = text.WordSet("test tests testing")

// ShapeOf returns the shape of a repository of the given files. It takes least time where
// the files of a folder follow one another.
func ShapeOf(paths func(yield func(string) bool)) *Shape {
	c := shapeCounts{
		plain: map[string]int{}, named: map[string]int{}, in: map[string]int{}, tests: map[string]int{},
		missed: map[string]bool{}, folders: map[string]map[string]bool{},
	}
	folder := folderCountsOf("")
	for p := range paths {
		at, base := path.Split(p)
		if at != folder.path {
			c.addFolder(&folder)
			folder = folderCountsOf(at)
		}
		c.add(&folder, p, base)
	}
	c.addFolder(&folder)
	c.findTested(paths)
	s := &Shape{ordinary: c.ordinaryMarks(), shipped: map[string]bool{}}
	for folder := range c.in {
		if c.shipsFolder(folder) {
			s.shipped[folder] = true
		}
	}
	for _, p := range c.prefixed {
		if c.shipsFile(p) {
			s.shipped[p] = true
		}
	}
	return s
}

type shapeCounts struct {
	having     [marks]int
	all, apart int // source files, and those of them that are not tests

	plain    map[string]int             // source files without a mark directly in a folder
	named    map[string]int             // files directly in a folder that are named like tests
	in       map[string]int             // files at any depth below a folder named like one of tests
	tests    map[string]int             // those of them that are named like tests
	missed   map[string]bool            // what the files in prefixed seem to test, as far as there is no file of that name
	folders  map[string]map[string]bool // folders named like those of tests, by where they lie
	prefixed []string                   // files named test_x outside of such folders
	placed   int                        // tests within such folders
}

// folderCounts are the counts of files that follow one another in a folder.
type folderCounts struct {
	path              string // "" or ending in a slash
	marks             folderMarks
	testFolders       []string // that it is in, itself included
	plain, named      int      // as in shapeCounts
	inTests, theTests int      // for the fields in and tests of shapeCounts
}

func folderCountsOf(folder string) folderCounts {
	f := folderCounts{path: folder, marks: inFolderMarks(folder)}
	eachTestFolder(folder, func(of string) bool { f.testFolders = append(f.testFolders, of); return true })
	return f
}

// add counts a file.
func (c *shapeCounts) add(f *folderCounts, p, base string) {
	own := f.marks.file(base)
	if own&(1<<document|1<<data) != 0 {
		return
	}
	c.all++
	for i := range c.having {
		if i == test || own&(1<<test) == 0 {
			c.having[i] += int(own >> i & 1)
		}
	}
	if own&(1<<test) == 0 {
		if c.apart++; own == 0 {
			f.plain++
		}
		return
	}
	f.inTests++
	isTest := isTestFile(base)
	if isTest {
		f.theTests++
		f.named++
	}
	switch {
	case len(f.testFolders) > 0 && isTest:
		c.placed++
	case strings.HasPrefix(base, testPrefix):
		c.prefixed = append(c.prefixed, p)
		c.missed[tested(base)] = true
	}
}

// addFolder adds the counts of a folder.
func (c *shapeCounts) addFolder(f *folderCounts) {
	dir := cmp.Or(strings.TrimSuffix(f.path, "/"), ".")
	c.plain[dir] += f.plain
	if f.inTests == 0 {
		return
	}
	c.named[dir] += f.named
	for _, folder := range f.testFolders {
		c.in[folder] += f.inTests
		c.tests[folder] += f.theTests
		above := path.Dir(folder)
		if c.folders[above] == nil {
			c.folders[above] = map[string]bool{}
		}
		c.folders[above][folder] = true
	}
}

// tested returns what a file named test_x seems to test: x.
func tested(base string) string { return strings.TrimPrefix(stemOf(base), testPrefix) }

func stemOf(base string) string { return strings.TrimSuffix(base, path.Ext(base)) }

// findTested takes out of missed what is the name of a source file.
func (c *shapeCounts) findTested(paths func(yield func(string) bool)) {
	if len(c.missed) == 0 {
		return
	}
	for p := range paths {
		if base := path.Base(p); c.missed[stemOf(base)] && (folderMarks{}).file(base)&(1<<document|1<<data) == 0 {
			delete(c.missed, stemOf(base))
		}
	}
}

// ordinaryMarks returns the marks that most source files have: where the product itself
// is under samples, that speaks against none of them. Tests are no part of it, unless
// there is next to nothing else: many a project has more tests than code.
func (c *shapeCounts) ordinaryMarks() (m Marks) {
	for i, n := range c.having {
		if i == test && n*10 > c.all*9 || i != test && n*2 > c.apart {
			m |= 1 << i
		}
	}
	return m
}

// shipsFolder reports whether a folder named like one of tests is a part of the
// product: it lies among source files, few of its files are tests, and the tests have a
// larger place further up.
func (c *shapeCounts) shipsFolder(folder string) bool {
	dir := path.Dir(folder)
	if !packageFolders[path.Base(folder)] || c.plain[dir] < fewSiblings || c.tests[folder]*2 > c.in[folder] {
		return false
	}
	for dir != "." {
		dir = path.Dir(dir)
		for other := range c.folders[dir] {
			if c.in[other] > c.in[folder] && c.tests[other] > 0 {
				return true
			}
		}
	}
	return false
}

// shipsFile reports whether a file named test_x outside of tests is a part of the
// product: it lies among more source files, there is no x, and the tests have a place.
func (c *shapeCounts) shipsFile(p string) bool {
	base, dir := path.Base(p), path.Dir(p)
	return dir != "." && c.plain[dir] >= fewSiblings && c.named[dir] < c.plain[dir] && c.missed[tested(base)] && c.placed > c.named[dir]
}
