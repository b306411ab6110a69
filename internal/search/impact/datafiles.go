package impact

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
)

// Limits of the tests that read a file.
const (
	maxRead    = 40 // files that change, of which they are looked for
	maxReaders = 8  // a name that more tests hold tells nothing
	linesRead  = 200
)

// readers finds the tests that read files which change: data of tests, which no code refers
// to but in quotes.
func (r *run) readers() error {
	of := map[string][]string{} // patterns -> tests
	n := 0
	for _, f := range r.changing() {
		if !search.TestFile(f) || runs(f) && calledTest(f) {
			continue
		}
		if n++; n > maxRead {
			r.src.Lacks(gaps.Followed, f)
			continue
		}
		for i, p := range readAs(f) {
			if _, known := of[p]; !known {
				list, cut, err := r.quoting(p)
				if err != nil {
					return fmt.Errorf("tests that read %s: %w", f, err)
				}
				if cut && i == 0 { // folders are named everywhere
					r.src.Lacks(gaps.Followed, f)
				}
				of[p] = list
			}
			if tests := nearest(of[p], f); len(tests) > 0 {
				for _, t := range tests {
					if !r.own[t] {
						r.found.add(t, should, ofTest+"reads "+path.Base(f), place{}, "")
					}
				}
				break
			}
		}
	}
	return nil
}

// dataFolders are folders in which tests keep what they read.
var dataFolders = strings.Fields("testdata test-data test_data fixtures data golden __snapshots__")

// runs reports whether a file is a test that can be run, and no data of tests.
func runs(file string) bool {
	return search.TestFile(file) && syntax.Of(syntax.Detect(file, nil)).Servers != nil &&
		!slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(d string) bool {
			return slices.Contains(dataFolders, d)
		})
}

// readAs returns expressions for how tests write a file of theirs, the most telling first:
// its name, that without its ending, and the folders that it lies in.
func readAs(file string) (list []string) {
	const quote = "[\"'`/]"
	add := func(name string) {
		if len(name) >= 3 {
			list = append(list, quote+regexp.QuoteMeta(name)+"[\"'`/.*]")
		}
	}
	base := path.Base(file)
	add(base)
	add(strings.TrimSuffix(base, path.Ext(base)))
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		add(path.Base(dir))
	}
	return list
}

// quoting returns the tests that hold an expression. Cut says that not all were looked at.
func (r *run) quoting(pattern string) (tests []string, cut bool, err error) {
	matches, cut, err := r.linesWith(pattern)
	if err != nil {
		return nil, false, err
	}
	for i := range matches {
		if f := matches[i].File; runs(f) && !slices.Contains(tests, f) {
			tests = append(tests, f)
		}
	}
	return tests, cut, nil
}

// linesWith returns the first lines that contain an expression, and whether there are more.
func (r *run) linesWith(pattern string) (matches []search.TextMatch, cut bool, err error) {
	a, err := r.a.e.Text(r.ctx, search.TextQuery{
		Pattern: []string{pattern}, Regex: true, Case: search.Sensitive,
		Page: search.Page{Limit: linesRead, MaxTokens: 12500},
	})
	if problem.Of(err) != nil {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return a.Matches, a.Shown < a.Total, nil
}

// nearest returns those of some tests that lie nearest to a file, if they are few.
func nearest(tests []string, file string) (near []string) {
	most := 0
	for _, t := range tests {
		n := sharedFolders(path.Dir(t), file)
		if n > most || near == nil {
			near, most = nil, n
		}
		if n == most {
			near = append(near, t)
		}
	}
	if len(near) > maxReaders {
		return nil
	}
	return near
}

// sharedFolders is how many folders two paths begin with alike.
func sharedFolders(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
