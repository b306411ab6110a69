package files

import (
	"context"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files/ignore"
)

// Reasons of [Lister.LeftOut] beside [Ignored] and [Excluded].
const (
	Outside  Reason = "outside"   // of source_dirs
	Oversize Reason = "too_large" // larger than max_file_bytes
)

// A Left is a file that a project does not search.
type Left struct {
	Path   string // relative to the root, with "/"
	Size   int64
	Reason Reason
}

// Bounds of LeftOut.
const (
	maxLeft    = 3000    // files of one reason
	maxVisited = 200_000 // names that are looked at
)

// LeftOut lists regular files in the project's folder that the configuration, ignore
// files or the size leave out: those in the upper folders first, a bounded number of
// each reason; whole is false if there are more. Other repositories, binary files and
// secrets are not among them. It reads again the folders that listed, the present
// listing, holds only in part.
func (l *Lister) LeftOut(ctx context.Context, listed *Listing) (left []Left, whole bool, err error) {
	w := findWorkTree(l.p.Root)
	s := l.sweep(ctx, w, l.facts(ctx, w))
	s.out.Skipped = make(map[Reason]int)
	f := leftFinder{s: s, whole: true, counts: make(map[Reason]int), partly: make(map[string]bool)}
	for _, rel := range listed.Partly {
		for ; !f.partly[rel]; rel = folderOf(rel) {
			f.partly[rel] = true
		}
	}
	f.starts = s.sources()
	f.queue = []leftPlace{{place: place{git: s.outer}, why: f.reasonOutside("")}}
	for len(f.queue) > 0 && ctx.Err() == nil {
		at := f.queue[0]
		f.queue = f.queue[1:]
		f.folder(at)
	}
	return f.left, f.whole, ctx.Err()
}

type leftPlace struct {
	place
	why Reason // why all in it is left out, or ""
}

type leftFinder struct {
	s       *sweep
	starts  []string
	partly  map[string]bool // folders that were listed but partly, and those above them
	queue   []leftPlace
	left    []Left
	counts  map[Reason]int
	visited int
	whole   bool
}

// reasonOutside says whether a folder is outside of what the sweep begins with.
func (f *leftFinder) reasonOutside(rel string) Reason {
	for _, start := range f.starts {
		if start == "." || rel == start || strings.HasPrefix(rel, start+"/") {
			return ""
		}
	}
	return Outside
}

// aboveStart reports whether one of the starts is in a folder.
func (f *leftFinder) aboveStart(rel string) bool {
	return slices.ContainsFunc(f.starts, func(start string) bool { return rel == "" || strings.HasPrefix(start, rel+"/") })
}

func (f *leftFinder) folder(at leftPlace) {
	s := f.s
	children, err := s.readDir(s.p.Abs(at.rel), new(scratch))
	if err != nil {
		f.whole = false
		return
	}
	if s.inGit && at.rel != "" && s.isRepository(at.rel, children) && !slices.Contains(f.starts, at.rel) {
		return
	}
	slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.name, b.name) })
	s.addRules(&at.place, has(children, ".gitignore"), has(children, ownIgnore), func(string, Reason, string) {})
	for _, c := range children {
		rel := path.Join(at.rel, c.name)
		if reserved[c.name] || rel == ".specs" || !c.kind.IsDir() && !c.kind.IsRegular() || c.err != nil {
			continue
		}
		if f.visited++; f.visited > maxVisited {
			f.whole = false
			return
		}
		f.child(at, c, rel)
	}
}

func (f *leftFinder) child(at leftPlace, c child, rel string) {
	why, only := at.why, at.trackedOnly
	kind := ignore.File
	if c.kind.IsDir() {
		kind = ignore.Dir
	}
	switch {
	case c.kind.IsDir() && slices.Contains(f.starts, rel):
		why, only = "", false // whoever names a folder wants it
	case why == "" || why == Outside:
		var own Reason
		if own, only = f.s.verdict(at.place, rel, kind); own != "" {
			why = own
		}
	}
	if c.kind.IsDir() {
		if why != "" && why != Outside && f.aboveStart(rel) {
			why = Outside
		}
		if why == "" && !f.partly[rel] {
			return
		}
		if f.counts[why] <= maxLeft {
			f.queue = append(f.queue, leftPlace{place{rel: rel, git: at.git, own: at.own, trackedOnly: only}, why})
		}
		return
	}
	switch class := classifyAlone(rel, nil, c.size, f.s.p.Config.MaxFileBytes); {
	case class == TooLarge && why == "":
		why = Oversize
	case why == "" || class == Binary || class == Secret:
		return
	}
	if f.counts[why]++; f.counts[why] > maxLeft {
		f.whole = false
		return
	}
	f.left = append(f.left, Left{rel, c.size, why})
}
