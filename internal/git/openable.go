package git

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
)

// Git opens files such as .gitignore by name. It would wait for ever if one were a pipe, and
// read a huge one into memory. So git is not run where it could open such a file.

// A reach is how much of a repository a command may open.
type reach int

const (
	settingsOnly reach = iota // the configuration, the index, and what is beside them
	references                // what refs stand for, too
	objects                   // all of the git directory
	everything                // the working tree, too
)

// narrow are the commands that open less than everything.
var narrow = map[string]reach{
	"config": settingsOnly, "symbolic-ref": references, // which reads the branch that HEAD names
	"rev-parse": objects, "rev-list": objects, "cat-file": objects, "for-each-ref": objects, "update-ref": objects,
	"merge-base": objects,
	"ls-tree":    objects, "commit-tree": objects, "write-tree": objects, "mktree": objects, "worktree": objects,
}

// reach returns how much the command may open.
func (c Command) reach() reach {
	verb := verb(c.Args)
	switch at, ok := narrow[verb]; {
	case ok:
		return at
	case c.Bare:
		return objects
	case verb == "ls-files" && !slices.ContainsFunc(c.Args, func(a string) bool { return a == "--others" || a == "--ignored" }):
		return settingsOnly
	}
	return everything
}

// Limits of what git reads as a whole, in bytes.
const (
	maxText  = repofile.Records // settings, rules and references
	maxIndex = 512 << 20        // the index, packed references
)

// maxNodes is how many names are checked. Git may open the rest unchecked.
const maxNodes = 2_000_000

// looked holds what this process has checked and found harmless. Files that are put there
// later are found by [Repo.watch].
var looked sync.Map

// checkSafeToOpen returns a Refusal if git would wait for something that it may open, or
// read too much of it.
func (r *Repo) checkSafeToOpen(c Command) error {
	if r.GitDir == "" {
		return around(r.Dir)
	}
	want := c.reach()
	for _, dir := range r.gitDirs() {
		if err := checkGitDir(dir, r.Dir); err != nil {
			return err
		}
	}
	if want == references {
		for _, dir := range r.gitDirs() {
			look := func() error {
				n := newNodes(r.Dir)
				n.refs = true
				return n.folder(filepath.Join(dir, "refs"), everyName)
			}
			if err := checkOnce("refs "+dir, look); err != nil {
				return err
			}
		}
	}
	var walks sync.WaitGroup
	var inGit, inTree error
	if want >= objects {
		walks.Go(func() {
			for _, dir := range r.gitDirs() {
				look := func() error { return newNodes(r.Dir).folder(dir, everyName) }
				inGit = cmp.Or(inGit, checkOnce("git "+dir, look))
			}
		})
	}
	if want == everything {
		walks.Go(func() {
			inTree = checkOnce("tree "+r.Dir, func() error { return newNodes(r.Dir).folder(r.Dir, rules) })
		})
	}
	walks.Wait()
	return cmp.Or(inGit, inTree)
}

func (r *Repo) gitDirs() []string { return slices.Compact([]string{r.GitDir, r.CommonDir}) }

// checkOnce calls look unless it has found nothing before.
func checkOnce(key string, look func() error) error {
	if _, ok := looked.Load(key); ok {
		return nil
	}
	err := look()
	if err == nil {
		looked.Store(key, true)
	}
	return err
}

// patience is how long a command runs before its files are checked again, and between two checks.
// It is longer where a check takes longer, so that at most half of the time goes into them.
const patience = 3 * time.Second

// watch ends a slow command, with the Refusal as the cause, if the repository has come to hold
// something that git would wait for. A command that is only slow is left alone.
func (r *Repo) watch(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	timer = time.AfterFunc(r.stalled(0), func() {
		for _, dir := range r.gitDirs() {
			looked.Delete("git " + dir)
			looked.Delete("refs " + dir)
		}
		looked.Delete("tree " + r.Dir)
		began := time.Now()
		if err := r.checkSafeToOpen(Command{Args: []string{"status"}}); err != nil {
			cancel(err)
			return
		}
		timer.Reset(r.stalled(time.Since(began)))
	})
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// stalled returns how long to wait for the next check, after one that took so long.
func (r *Repo) stalled(took time.Duration) time.Duration {
	return max(cmp.Or(r.patience, patience), took)
}

// around looks at what git opens to find the repository of a folder.
func around(dir string) error {
	for ; ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		if err := repofile.At(dotGit).CheckTarget(repofile.Settings); err != nil {
			return err
		}
		gitDir := ledTo(dotGit)
		if err := checkGitDir(gitDir, dir); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil || filepath.Dir(dir) == dir {
			return nil
		}
		for _, name := range []string{"HEAD", "commondir", "config"} { // by which git recognises a bare repository
			if err := repofile.At(filepath.Join(dir, name)).CheckTarget(maxText); err != nil {
				return err
			}
		}
	}
}

// ledTo returns the git directory that a .git is or leads to.
func ledTo(dotGit string) string {
	text, err := repofile.At(dotGit).Read(repofile.Settings)
	if err != nil {
		return dotGit
	}
	to, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	return absolute(filepath.Dir(dotGit), strings.TrimSpace(to))
}

// dirsAround returns the git directories in which git looks for the repository of a folder.
func dirsAround(dir string) (all []string) {
	for ; ; dir = filepath.Dir(dir) {
		all = append(all, dir, ledTo(filepath.Join(dir, ".git"))) // it may be bare
		if text, err := repofile.At(filepath.Join(all[len(all)-1], "commondir")).Read(repofile.Settings); err == nil {
			all = append(all, absolute(all[len(all)-1], strings.TrimSpace(string(text))))
		}
		_, noGit := os.Stat(filepath.Join(dir, ".git"))
		if _, notBare := os.Stat(filepath.Join(dir, "HEAD")); noGit == nil || notBare == nil || filepath.Dir(dir) == dir {
			return all
		}
	}
}

// large matches the files of a git directory that may be large.
var large = lazyregexp.MustCompile(`^(index|packed-refs|sharedindex\..*)$`)

// text matches those that git reads into memory as a whole.
var text = lazyregexp.MustCompile(`^(.*HEAD|config.*|commondir|gitdir|shallow|exclude|attributes|grafts|sparse-checkout|alternates|.*_MSG|.*_MODE)$`)

// checkGitDir looks at what nearly every command opens.
func checkGitDir(dir, top string) error {
	for _, sub := range []string{"", "info", "objects", "objects/info", "objects/pack"} {
		at := filepath.Join(dir, filepath.FromSlash(sub))
		entries, _ := repofile.At(at).List() // what cannot be read is for git to complain about
		for _, e := range entries {
			limit := int64(0)
			switch {
			case large.MatchString(e.Name()):
				limit = maxIndex
			case text.MatchString(e.Name()):
				limit = maxText
			case e.Type().IsRegular() || e.IsDir():
				continue
			}
			if err := repofile.At(filepath.Join(at, e.Name())).CheckTarget(limit); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"config", "config.worktree"} {
		if err := checkConfig(filepath.Join(dir, name), top); err != nil {
			return err
		}
	}
	return checkAlternates(filepath.Join(dir, "objects"), 0)
}

// quotes returns the name of a file whose lines git may quote although it is none of the repository: one of
// the git directory that is a link out of it, or one that the configuration names. It returns "" if there is none.
func (r *Repo) quotes() string {
	for _, dir := range r.gitDirs() {
		for _, sub := range []string{"", "info", "objects/info", "refs/heads"} {
			at := filepath.Join(dir, filepath.FromSlash(sub))
			entries, _ := repofile.At(at).List()
			for _, e := range entries {
				if e.Type()&fs.ModeSymlink == 0 {
					continue
				}
				to, err := filepath.EvalSymlinks(filepath.Join(at, e.Name()))
				if info, statErr := os.Stat(to); err != nil || statErr != nil || info.IsDir() {
					continue
				}
				if rel, err := filepath.Rel(dir, to); err != nil || !filepath.IsLocal(rel) {
					return ".git/" + path.Join(sub, e.Name())
				}
			}
		}
	}
	return r.namesOutside()
}

// checkAlternates looks at where objects are beside the folder.
func checkAlternates(objects string, depth int) error {
	data, err := repofile.At(filepath.Join(objects, "info", "alternates")).Read(maxText)
	if err != nil || depth > 5 { // git follows no further
		return nil
	}
	for line := range strings.Lines(string(data)) {
		other := strings.TrimSpace(line)
		if other == "" || strings.HasPrefix(other, "#") {
			continue
		}
		if !filepath.IsAbs(other) {
			other = filepath.Join(objects, other)
		}
		if err := repofile.At(filepath.Join(other, "info", "alternates")).CheckTarget(maxText); err != nil {
			return err
		}
		if err := checkAlternates(other, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// nodes is a walk through folders for what is neither a file nor a folder.
type nodes struct {
	top  string // of the working tree
	met  int
	into map[string]bool // targets of links to folders
	refs bool            // in references, which git reads whole
}

func newNodes(top string) *nodes { return &nodes{top: top, into: make(map[string]bool)} }

// check looks at one file, which is shown as it is in the working tree.
func (n *nodes) check(name string) error {
	at := repofile.At(name)
	if rel, err := filepath.Rel(n.top, name); err == nil && filepath.IsLocal(rel) {
		at = repofile.In(n.top, rel)
	}
	return at.CheckTarget(maxText)
}

// everyName checks every name, in a walk through a git directory.
func everyName(string) bool { return true }

// rules are the names of the working tree that git opens, whatever they are.
func rules(name string) bool {
	return name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules" || name == ".mailmap" || name == ".git"
}

func (n *nodes) folder(dir string, opens func(name string) bool) error {
	entries, _ := repofile.At(dir).List()
	for _, e := range entries {
		if n.met++; n.met > maxNodes {
			return nil
		}
		if !e.IsDir() && (!opens(e.Name()) || e.Type().IsRegular() && !rules(e.Name()) && !n.refs) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		switch {
		case e.Name() == ".git" && e.IsDir():
			for _, name := range []string{"HEAD", "commondir", "config"} { // of a repository in this one, which it may be
				if err := n.check(filepath.Join(dir, ".git", name)); err != nil {
					return err
				}
			}
		case e.IsDir():
			in := *n
			in.refs = in.refs || e.Name() == "refs" || e.Name() == "worktrees"
			if err := in.folder(name, opens); err != nil {
				return err
			}
			n.met = in.met
		case e.Type()&fs.ModeSymlink != 0 && rules(e.Name()): // git follows none of these
		default:
			if err := n.check(name); err != nil {
				return err
			}
			if e.Type()&fs.ModeSymlink != 0 {
				if err := n.linked(name, opens); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// linked walks through a folder that a link leads to.
func (n *nodes) linked(name string, opens func(string) bool) error {
	to, err := filepath.EvalSymlinks(name)
	if err != nil || n.into[to] {
		return nil
	}
	if info, err := os.Stat(to); err != nil || !info.IsDir() {
		return nil
	}
	n.into[to] = true
	return n.folder(to, opens)
}
