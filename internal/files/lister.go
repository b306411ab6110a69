package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/files/ignore"
	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
)

// A Lister lists the files of one project, again and again. It remembers what it
// asked git for as long as the git index and the ignore files stay the same. It is
// safe for concurrent use.
type Lister struct {
	p *project.Project

	mu    sync.Mutex
	known gitFacts
}

// NewLister returns a Lister for p. It does nothing yet.
func NewLister(p *project.Project) *Lister { return &Lister{p: p} }

// gitFacts are what git had to be asked, and when the answers hold.
type gitFacts struct {
	config       string // stamp of git's configuration files
	excludesFile string // core.excludesFile
	index        string // stamp of the git index
	tracked      *trackedFiles
}

// List sweeps the project.
func (l *Lister) List(ctx context.Context) (*Listing, error) {
	s, _, err := l.run(ctx, func(*sweep) {})
	if err != nil {
		return nil, err
	}
	return &s.out, nil
}

// run sweeps the project. Prepare is called with the sweep before it begins.
func (l *Lister) run(ctx context.Context, prepare func(*sweep)) (*sweep, gitFacts, error) {
	w := findWorkTree(l.p.Root)
	known := l.facts(ctx, w)
	s := l.sweep(ctx, w, known)
	prepare(s)
	if _, err := s.run(ctx); err != nil {
		return nil, known, err
	}
	if w != nil {
		l.storeFacts(known)
		if _, _, failure := known.tracked.answer(); failure != "" {
			s.out.Notes = append(s.out.Notes, "git could not be asked which ignored files it tracks: "+failure)
		}
	}
	return s, known, nil
}

// facts returns what git says of a work tree, which may be nil.
func (l *Lister) facts(ctx context.Context, w *workTree) (known gitFacts) {
	if w == nil {
		return known
	}
	l.mu.Lock()
	known = l.known
	l.mu.Unlock()
	if stamp := w.configStamp(); known.config != stamp {
		known.excludesFile = w.excludesFile(ctx)
		known.config = stamp
	}
	if stamp := stampOf(w.index()); known.index != stamp {
		known.tracked = &trackedFiles{w: w}
		known.index = stamp
	}
	return known
}

func (l *Lister) storeFacts(known gitFacts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = known
}

// sweep prepares a walk with what git said.
func (l *Lister) sweep(ctx context.Context, w *workTree, known gitFacts) *sweep {
	s := &sweep{
		p:       l.p,
		exclude: ignore.Parse("", []byte(strings.Join(excludeLines(l.p.Config.ExcludePatterns), "\n"))),
		readDir: readFolder,
		tracks:  func(string, ignore.Kind) bool { return false },
	}
	if w != nil {
		s.inGit = true
		s.prefix = w.prefix
		s.tracks = func(path string, kind ignore.Kind) bool { return known.tracked.has(ctx, path, kind) }
		s.outerRules(w, known.excludesFile)
	}
	return s
}

// excludeLines returns exclude_patterns as lines of a .gitignore. To "x/**", which
// matches all that is in x, it adds "x/", which spares the walk through it; not
// where something in x may be included again.
func excludeLines(patterns []string) (lines []string) {
	negated := slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(p, "!") })
	for _, p := range patterns {
		lines = append(lines, p)
		if folder, ok := strings.CutSuffix(p, "/**"); ok && folder != "" && !negated {
			if !strings.Contains(folder, "/") {
				folder = "/" + folder
			}
			lines = append(lines, folder+"/")
		}
	}
	return lines
}

// outerRules reads the patterns that are outside of the root, in the order in
// which git ranks them: the user's, the repository's, those of the folders above.
func (s *sweep) outerRules(w *workTree, excludesFile string) {
	add := func(file, base string) {
		text, err := readRulesFile(repofile.At(file))
		if err != nil || len(text) == 0 {
			return // none, or not ours to read: git does without, too
		}
		s.outer = s.outer.With(ignore.Parse(base, text))
		s.outerSum += sumOf(file, text)
	}
	if excludesFile != "" {
		add(excludesFile, "")
	}
	add(filepath.Join(w.commonDir, "info", "exclude"), "")
	lasting := s.outer
	base := ""
	for name := range strings.SplitSeq(strings.TrimSuffix(s.prefix, "/"), "/") {
		if s.prefix == "" {
			break
		}
		add(filepath.Join(w.top, filepath.FromSlash(base), ".gitignore"), base)
		base = path.Join(base, name)
	}
	if s.prefix != "" && s.outer.MatchTree(base, ignore.Dir) == ignore.Excluded {
		// The repository around ignores the whole project: it is none of its
		// business what belongs in here.
		s.outer = lasting
	}
}

// A workTree is the git work tree that a project is in.
type workTree struct {
	top       string // absolute
	prefix    string // path of the project in it: "" or ending in "/"
	gitDir    string
	commonDir string // gitDir of the main work tree
}

// findWorkTree returns the work tree that root is in, or nil. It reads what git
// writes, because to start git takes longer than the sweep.
func findWorkTree(root string) *workTree {
	for d := root; ; d = filepath.Dir(d) {
		if gitDir := gitDirOf(filepath.Join(d, ".git")); gitDir != "" {
			w := &workTree{top: d, gitDir: gitDir, commonDir: gitDir}
			if rel, err := filepath.Rel(d, root); err == nil && rel != "." {
				w.prefix = filepath.ToSlash(rel) + "/"
			}
			if common, err := readLine(filepath.Join(gitDir, "commondir")); err == nil {
				w.commonDir = resolveFrom(gitDir, common)
			}
			return w
		}
		if filepath.Dir(d) == d {
			return nil
		}
	}
}

// gitDirOf returns the git directory that a .git is or points to, or "".
func gitDirOf(dotGit string) string {
	info, err := os.Stat(dotGit)
	if err != nil {
		return ""
	}
	dir := dotGit
	if real, err := filepath.EvalSymlinks(dotGit); err == nil && info.IsDir() {
		dir = real // some tools keep it elsewhere, and link to it
	} else if !info.IsDir() {
		line, err := readLine(dotGit)
		target, ok := strings.CutPrefix(line, "gitdir:")
		if err != nil || !ok {
			return ""
		}
		dir = resolveFrom(filepath.Dir(dotGit), strings.TrimSpace(target))
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		return ""
	}
	return dir
}

func resolveFrom(dir, target string) string {
	if filepath.IsAbs(target) {
		return target
	}
	return filepath.Join(dir, target)
}

func readLine(file string) (string, error) {
	text, err := readRulesFile(repofile.At(file))
	return strings.TrimRight(string(text), "\r\n"), err
}

func (w *workTree) index() string { return filepath.Join(w.gitDir, "index") }

// stampOf changes when one of the files does.
func stampOf(files ...string) string {
	var b strings.Builder
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			fmt.Fprintf(&b, "%s:%d:%d|", f, info.ModTime().UnixNano(), info.Size())
		} else {
			b.WriteString("-|")
		}
	}
	return b.String()
}

// git runs git in the work tree, whose directories are known already.
func (w *workTree) git(ctx context.Context, args ...string) (string, error) {
	r := git.Repo{Dir: w.top, GitDir: w.gitDir, CommonDir: w.commonDir}
	return r.Run(ctx, args...)
}

// configStamp changes when git's configuration may have.
func (w *workTree) configStamp() string { return stampOf(w.configFiles()...) }

// configFiles are the files that git's configuration is in, but for those that they include.
func (w *workTree) configFiles() []string {
	files := []string{filepath.Join(w.commonDir, "config"), filepath.Join(w.gitDir, "config.worktree"), "/etc/gitconfig"}
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if file := os.Getenv(name); file != "" {
			files = append(files, file)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return append(files, filepath.Join(userConfig(), "git", "config"))
}

// userConfig is where git looks for the user's configuration.
func userConfig() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config")
}

// excludesFile returns the file of the user's own ignore patterns.
func (w *workTree) excludesFile(ctx context.Context) string {
	if !w.mayNameExcludes() { // to start git takes longer than the sweep of a small project
		return filepath.Join(userConfig(), "git", "ignore")
	}
	if out, err := w.git(ctx, "config", "--path", "--get", "core.excludesFile"); err == nil {
		if file := strings.TrimRight(out, "\r\n"); file != "" {
			return resolveFrom(w.top, file)
		}
	}
	return filepath.Join(userConfig(), "git", "ignore")
}

// mayNameExcludes reports whether git's configuration may set core.excludesFile. It does not
// parse it: no file of it has the name of the setting in it, and none includes another.
func (w *workTree) mayNameExcludes() bool {
	if !usualGit() {
		return true
	}
	return slices.ContainsFunc(w.configFiles(), func(file string) bool {
		text, err := readRulesFile(repofile.At(file))
		if err != nil {
			return !errors.Is(err, fs.ErrNotExist)
		}
		text = bytes.ToLower(text)
		return len(text) >= maxIgnoreFile || bytes.Contains(text, []byte("excludesfile")) || bytes.Contains(text, []byte("[include"))
	})
}

// usualGit reports whether git is the one of the system, whose own configuration is
// /etc/gitconfig. One that was built otherwise keeps it elsewhere.
func usualGit() bool {
	const usual = "/usr/bin/git"
	program, err := exec.LookPath("git")
	if err != nil || program != usual || runtime.GOOS != "linux" {
		return false
	}
	info, err := os.Lstat(usual)
	return err == nil && info.Mode().IsRegular()
}

// trackedFiles are the files of a project that git tracks. Git is asked only when a
// sweep comes upon something ignored, and then once.
type trackedFiles struct {
	w *workTree

	mu      sync.Mutex
	asked   bool
	names   []string // sorted, from the top of the work tree
	failure string   // why git could not be asked: the listing goes without, and says so
}

// has reports whether git tracks a file, or any file in a folder.
func (t *trackedFiles) has(ctx context.Context, path string, kind ignore.Kind) bool {
	names, _ := t.list(ctx)
	if kind != ignore.Dir {
		_, found := slices.BinarySearch(names, path)
		return found
	}
	i, _ := slices.BinarySearch(names, path+"/")
	return i < len(names) && strings.HasPrefix(names[i], path+"/")
}

// list asks git, unless that was done.
func (t *trackedFiles) list(ctx context.Context) (names []string, failure string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked {
		return t.names, t.failure
	}
	args := []string{"ls-files", "-z", "--cached"}
	if t.w.prefix != "" {
		args = append(args, "--", t.w.prefix)
	}
	out, err := t.w.git(ctx, args...)
	switch {
	case ctx.Err() != nil:
		return nil, "" // the next sweep asks
	case err != nil:
		t.failure = err.Error()
	default:
		t.names = strings.Split(out, "\x00")
		slices.Sort(t.names)
	}
	t.asked = true
	return t.names, t.failure
}

// answer returns what git said, if it was asked.
func (t *trackedFiles) answer() (asked bool, names []string, failure string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asked, t.names, t.failure
}

// equal reports whether other gives the same answer as t.
func (t *trackedFiles) equal(ctx context.Context, other *trackedFiles) bool {
	asked, names, failure := t.answer()
	if t == other || !asked {
		return true
	}
	now, trouble := other.list(ctx)
	return failure == trouble && slices.Equal(names, now)
}
