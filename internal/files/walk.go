package files

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/files/ignore"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
)

const (
	maxEntries    = 1_000_000 // files in a listing
	maxSkips      = 200       // skips named of each reason
	maxIgnoreFile = 1 << 20   // bytes of an ignore file; more is not a list for people
)

// ownIgnore is the name of the ignore file that only we read.
const ownIgnore = ".code-intelignore"

// A sweep is one walk over a project.
type sweep struct {
	p       *project.Project
	prefix  string           // path of the root in its git work tree: "" or ending in "/"
	inGit   bool             // the root is in a git work tree
	outer   *ignore.Chain    // git's patterns from outside of the root
	exclude *ignore.Patterns // exclude_patterns
	// tracks is [trackedFiles.has]: what git tracks is in although a pattern ignores it.
	tracks  func(path string, kind ignore.Kind) bool
	readDir func(abs string, with *scratch) ([]child, error)
	follow  func(abs string)   // called before a folder is read; may be nil
	keep    map[string]*folder // what was found in each folder, by path; nil if not wanted

	starts   []string // folders the walk begins at, relative to the root
	group    errgroup.Group
	mu       sync.Mutex
	out      Listing
	found    [][]Entry // sorted, none with a path between two of another
	entries  int       // how many more entries a listing holds
	outerSum uint64    // of git's ignore files outside of the root
	short    error     // what the system had no more of; see [Exhausted]
}

// A child is one name in a folder.
type child struct {
	name    string
	kind    fs.FileMode // type bits
	size    int64       // of a regular file
	modTime int64
	err     error // why size and time are missing
}

// A scratch is memory to read a folder with, one after the other.
type scratch struct {
	children []child
	raw      [16 << 10]byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// byPath orders the children of a folder as the paths of the files in it and below are.
func byPath(a, b child) int {
	n := min(len(a.name), len(b.name))
	return cmp.Or(strings.Compare(a.name[:n], b.name[:n]), int(a.byteAt(n))-int(b.byteAt(n)))
}

// byteAt returns the byte at n of the path of a child, or of those below it.
func (c *child) byteAt(n int) byte {
	switch {
	case n < len(c.name):
		return c.name[n]
	case c.kind.IsDir():
		return '/'
	}
	return 0
}

// A place is a folder and the rules that hold in it.
type place struct {
	rel         string        // "" is the root
	git, own    *ignore.Chain // own knows paths below the root, git those below its work tree
	trackedOnly bool          // the folder is ignored: only tracked files in it are in
}

// run walks the project.
func (s *sweep) run(ctx context.Context) (*Listing, error) {
	s.out.Skipped = make(map[Reason]int)
	s.entries = maxEntries
	s.starts = s.sources()
	s.group.SetLimit(2 * runtime.GOMAXPROCS(0)) // half of them wait for the system
	for _, start := range s.starts {
		s.walk(ctx, s.placeOf(start))
	}
	s.group.Wait()
	if err := cmp.Or(ctx.Err(), s.short); err != nil {
		return nil, err // half a listing would look as if files had gone
	}
	slices.SortFunc(s.found, func(a, b []Entry) int { return strings.Compare(a[0].Path, b[0].Path) })
	s.out.Entries = slices.Concat(s.found...)
	s.found = nil
	slices.Sort(s.out.Partly)
	slices.SortFunc(s.out.Skips, func(a, b Skip) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(string(a.Reason), string(b.Reason)))
	})
	return &s.out, nil
}

// placeOf returns the place of a folder that a walk starts at, with the rules of
// the folders above it up to the root. Whoever names a folder wants it, so that it
// is not asked whether the folder itself is ignored.
func (s *sweep) placeOf(start string) place {
	at := place{git: s.outer}
	if start == "." {
		return at
	}
	for _, name := range strings.Split(start, "/") {
		if s.follow != nil {
			s.follow(s.p.Abs(at.rel))
		}
		s.addRules(&at, true, true, s.skip)
		at.rel = path.Join(at.rel, name)
	}
	return at
}

// walk lists the folder at and all below it: in another goroutine if one is
// free, else here. The goroutines end before run does.
func (s *sweep) walk(ctx context.Context, at place) {
	there := func() error { s.folder(ctx, at); return nil }
	if !s.group.TryGo(there) {
		s.folder(ctx, at)
	}
}

func (s *sweep) folder(ctx context.Context, at place) {
	if ctx.Err() != nil {
		return
	}
	if s.follow != nil {
		s.follow(s.p.Abs(at.rel))
	}
	f, folders := s.listFolder(at)
	s.add(f)
	if s.keep != nil {
		s.mu.Lock()
		s.keep[at.rel] = f
		s.mu.Unlock()
	}
	for _, sub := range folders {
		s.walk(ctx, sub)
	}
}

// A folder is what a sweep found directly in one.
type folder struct {
	at      place
	rules   uint64   // a sum over its ignore files
	unread  bool     // the system would not let us look, or not at all of it
	entries []Entry  // sorted
	folders []string // to be walked, by their paths
	cuts    []int    // before which entries those stand
	skipped map[Reason]int
}

// isIncomplete reports whether something in the folder was left out.
func (f *folder) isIncomplete() bool {
	return len(f.skipped) > 0 || slices.ContainsFunc(f.entries, func(e Entry) bool { return e.Class == TooLarge })
}

// listFolder lists one folder, and the folders in it that are to be walked.
func (s *sweep) listFolder(at place) (f *folder, folders []place) {
	f = &folder{at: at}
	skip := func(rel string, r Reason, detail string) {
		if f.skipped == nil {
			f.skipped = make(map[Reason]int)
		}
		f.skipped[r]++
		s.skip(rel, r, detail)
	}
	with := scratches.Get().(*scratch)
	defer scratches.Put(with)
	children, err := s.readDir(s.p.Abs(at.rel), with)
	if err != nil {
		s.noteExhausted(err)
		f.unread = true
		skip(at.rel, Unreadable, errnoText(err))
	}
	if s.inGit && at.rel != "" && s.isRepository(at.rel, children) && !slices.Contains(s.starts, at.rel) {
		skip(at.rel, Nested, "name it in source_dirs to have it in")
		return f, nil
	}
	f.rules = s.addRules(&at, has(children, ".gitignore"), has(children, ownIgnore), skip)

	slices.SortFunc(children, byPath)
	vendored := vendoredFolder(at.rel)
	f.entries = make([]Entry, 0, len(children))
	for _, c := range children {
		rel := c.name
		if at.rel != "" {
			rel = at.rel + "/" + c.name
		}
		if reserved[c.name] || rel == ".specs" {
			continue
		}
		kind := ignore.File
		if c.kind.IsDir() {
			kind = ignore.Dir
		}
		reason, only := s.verdict(at, rel, kind)
		switch {
		case reason != "":
			skip(rel, reason, "")
		case c.kind.IsDir():
			folders = append(folders, place{rel: rel, git: at.git, own: at.own, trackedOnly: only})
			f.folders = append(f.folders, rel)
			f.cuts = append(f.cuts, len(f.entries))
		case c.kind&fs.ModeSymlink != 0:
			target, _ := os.Readlink(s.p.Abs(rel))
			skip(rel, Symlink, target)
		case !c.kind.IsRegular():
			skip(rel, Special, "")
		case c.err != nil:
			s.noteExhausted(c.err)
			skip(rel, Unreadable, errnoText(c.err))
		default:
			class := classifyAlone(rel, nil, c.size, s.p.Config.MaxFileBytes)
			if vendored && (class == Source || class == Generated) {
				class = Vendored
			}
			f.entries = append(f.entries, Entry{Path: rel, Size: c.size, ModTime: c.modTime, Class: class})
		}
	}
	return f, folders
}

// verdict returns why the path is left out, or "". Only says that it is a folder
// that is ignored, but has tracked files in it.
func (s *sweep) verdict(at place, rel string, kind ignore.Kind) (r Reason, only bool) {
	if s.exclude.Match(rel, kind) == ignore.Excluded {
		return Excluded, false
	}
	switch at.own.Match(rel, kind) {
	case ignore.Excluded:
		return Excluded, false
	case ignore.Included:
		return "", false
	}
	if !at.trackedOnly && at.git.Match(s.prefix+rel, kind) != ignore.Excluded {
		return "", false
	}
	if !s.tracks(s.prefix+rel, kind) {
		return Ignored, false
	}
	return "", kind == ignore.Dir
}

// addRules adds the ignore files of the folder at to its rules, and returns a
// sum over what they say.
func (s *sweep) addRules(at *place, git, own bool, skip func(string, Reason, string)) (sum uint64) {
	if git {
		if text, ok := s.readRules(path.Join(at.rel, ".gitignore"), skip); ok {
			at.git = at.git.With(ignore.Parse(strings.TrimSuffix(s.prefix+at.rel, "/"), text))
			sum = sumOf(".gitignore", text)
		}
	}
	if own {
		if text, ok := s.readRules(path.Join(at.rel, ownIgnore), skip); ok {
			at.own = at.own.With(ignore.Parse(at.rel, text))
			sum += sumOf(ownIgnore, text)
		}
	}
	return sum
}

// readRules reads an ignore file. Git does not follow a link in its place either.
func (s *sweep) readRules(rel string, skip func(string, Reason, string)) ([]byte, bool) {
	info, err := os.Lstat(s.p.Abs(rel))
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	text, err := readRulesFile(repofile.In(s.p.Root, rel))
	if err != nil {
		s.noteExhausted(err)
		skip(rel, Unreadable, errnoText(err))
		return nil, false
	}
	return text, true
}

func readRulesFile(at repofile.Place) ([]byte, error) {
	f, _, err := at.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxIgnoreFile))
}

func sumOf(name string, text []byte) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	h.Write([]byte{0})
	h.Write(text)
	return h.Sum64()
}

// isRepository reports whether the folder rel is the top of a git work tree.
func (s *sweep) isRepository(rel string, children []child) bool {
	i := slices.IndexFunc(children, func(c child) bool { return c.name == ".git" })
	if i < 0 {
		return false
	}
	if children[i].kind.IsDir() {
		if s.follow != nil { // it is one as soon as it has a HEAD
			s.follow(s.p.Abs(rel + "/.git"))
		}
		_, err := os.Stat(s.p.Abs(rel + "/.git/HEAD"))
		return err == nil
	}
	return children[i].kind.IsRegular()
}

func (s *sweep) add(f *folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.isIncomplete() {
		s.out.Partly = append(s.out.Partly, f.at.rel)
	}
	found := f.entries
	if len(found) > s.entries {
		s.out.Skipped[TooMany] += len(found) - s.entries
		found = found[:s.entries]
	}
	s.entries -= len(found)
	start := 0
	for _, cut := range append(f.cuts, len(found)) {
		if cut = min(cut, len(found)); cut > start {
			s.found = append(s.found, found[start:cut])
			start = cut
		}
	}
}

func (s *sweep) skip(rel string, r Reason, detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out.Skipped[r]++; s.out.Skipped[r] <= maxSkips {
		s.out.Skips = append(s.out.Skips, Skip{Path: cmp.Or(rel, "."), Reason: r, Detail: detail})
	}
}

// reserved are names that are never part of a project, wherever they stand.
var reserved = map[string]bool{".git": true, project.Dir: true, ".hg": true, ".svn": true, ".jj": true}

func has(children []child, name string) bool {
	return slices.ContainsFunc(children, func(c child) bool { return c.name == name })
}

// errnoText is an error without the absolute path in it.
func errnoText(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Exhausted reports whether an error says that the system has no more open files or memory
// to give, rather than anything about the file.
func Exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// noteExhausted remembers an error for which [Exhausted] holds.
func (s *sweep) noteExhausted(err error) {
	if Exhausted(err) {
		s.mu.Lock()
		s.short = err
		s.mu.Unlock()
	}
}

// sources returns the folders a sweep starts at: none twice, none below another.
func (s *sweep) sources() []string {
	if len(s.p.Config.SourceDirs) == 0 {
		return []string{"."}
	}
	var dirs []string
	for _, d := range s.p.Config.SourceDirs {
		rel, err := s.p.Resolve(d)
		if err != nil {
			s.skip(d, Missing, "leads out of the repository")
			continue
		}
		info, err := os.Stat(s.p.Abs(rel))
		if err != nil || !info.IsDir() || slices.ContainsFunc(strings.Split(rel, "/"),
			func(name string) bool { return reserved[name] }) {
			s.skip(d, Missing, "no folder")
			continue
		}
		dirs = append(dirs, rel)
	}
	slices.Sort(dirs)
	var tops []string
	for _, d := range dirs {
		if !slices.ContainsFunc(tops, func(top string) bool { return top == "." || d == top || strings.HasPrefix(d, top+"/") }) {
			tops = append(tops, d)
		}
	}
	return tops
}
