package commitlog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// connect follows renames from the newest commit back, and notes which commits changed
// which files, by their names as of the newest.
func (l *Log) connect() {
	l.names = map[string]int32{}
	now := map[string]string{} // what a name of that time is called now
	current := func(name string) string {
		if n, moved := now[name]; moved {
			return n
		}
		return name
	}
	for i, c := range l.Commits {
		var files []int32
		add := func(name string) {
			n, known := l.names[name]
			if !known {
				n = int32(len(l.paths))
				l.names[name] = n
				l.paths = append(l.paths, name)
				l.touch = append(l.touch, nil)
			}
			if !slices.Contains(files, n) {
				files = append(files, n)
				l.touch[n] = append(l.touch[n], int32(i))
			}
		}
		for _, f := range c.Files {
			add(current(f.Path))
		}
		l.files = append(l.files, files)
		for _, f := range c.Files {
			if f.Old != "" && f.Old != f.Path {
				now[f.Old] = current(f.Path)
			}
		}
	}
}

// A Companion is a file that changed together with others.
type Companion struct {
	File     string
	Together int     // in how many commits
	Changes  int     // of so many that changed the others, all of them or not
	Score    float64 // how likely it changes with them again, from 0 to 1
}

// How commits are weighed. The figures are those that did best on half of the commits
// of docs/design/history.md.
const (
	maxTogether = 20   // files of a commit from which on it says nothing about any two
	halfLife    = 400. // commits after which one weighs half as much
	prior       = 1.5  // weight of commits that are taken for granted, so that one alone is not proof
)

// weigh returns how much a commit says about two files that it changed: more if it is newer,
// less if it changed many files.
func (l *Log) weigh(commit int32) float64 {
	c := l.Commits[commit]
	if c.cut || c.Total > maxTogether {
		return 0
	}
	return math.Exp2(-float64(commit)/halfLife) / math.Log2(1+float64(max(c.Total, 1)))
}

// Changes returns the commits that changed a file, newest first. The file is named as
// it is now; renames are followed.
func (l *Log) Changes(file string) []*Commit {
	n, known := l.names[file]
	if !known {
		return nil
	}
	var list []*Commit
	for _, i := range l.touch[n] {
		list = append(list, l.Commits[i])
	}
	return list
}

// Together returns the files that changed together with some files, the likeliest to do so
// again first. It leaves out those files themselves, and files for which exists is false.
func (l *Log) Together(files []string, exists func(string) bool) []Companion {
	own, commits := map[int32]bool{}, map[int32]bool{}
	for _, f := range files {
		if n, known := l.names[f]; known {
			own[n] = true
			for _, c := range l.touch[n] {
				if l.weigh(c) > 0 {
					commits[c] = true
				}
			}
		}
	}
	order := slices.Sorted(maps.Keys(commits)) // sums of floats depend on the order
	all, weight, count := 0., map[int32]float64{}, map[int32]int{}
	for _, c := range order {
		w := l.weigh(c)
		all += w
		for _, f := range l.files[c] {
			if !own[f] {
				weight[f] += w
				count[f]++
			}
		}
	}
	var list []Companion
	for f, w := range weight {
		if exists(l.paths[f]) {
			list = append(list, Companion{l.paths[f], count[f], len(order), w / (all + prior)})
		}
	}
	slices.SortFunc(list, func(a, b Companion) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), strings.Compare(a.File, b.File))
	})
	return list
}
