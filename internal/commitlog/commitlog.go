// Package commitlog reads the git log of a repository: which commits changed a file, and which files change
// together.
//
// It reads the objects of the local repository through package git, runs none of the
// repository's programs, and never fetches. It looks at the newest [Window] commits of what
// is checked out, without merges. What a commit changed never changes, so it is cached by
// the commit's id, in a file in the folder of the index. The same commit checked out gives
// the same [Log], whatever is cached.
package commitlog

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
)

// Bounds of what is read and kept.
const (
	// Window is how many commits are looked at.
	Window = 5000
	// Step is how many commits a server reads while somebody waits for an answer.
	Step = 1000

	part      = 250  // commits between two looks at whether to go on
	maxFiles  = 100  // files of a commit that are kept; of one with more, renames alone
	maxMoved  = 5000 // renames of a commit that are kept
	maxLength = 4096 // bytes of a path

	unlisted = 1_000_000 // stands for the files of a commit that has more than git can list
)

// A Commit is what a commit changed.
type Commit struct {
	ID    string
	Time  int64 // when it was committed, in seconds since 1970
	Total int   // how many files it changed
	// Files are those files, with their names in the project as of the commit. A
	// commit with more than a hundred has its renames alone.
	Files []File
	cut   bool
}

// A File is one that a commit changed.
type File struct {
	Path string
	Old  string // of a renamed file
	Gone bool   // deleted
}

// Absence is why there is no history, by the key of a message.
type Absence string

// The reasons for having none.
const (
	Present      Absence = ""
	NoRepository Absence = "filehistory.no_repository"
	NoGit        Absence = "filehistory.no_git"
	NoCommit     Absence = "filehistory.no_commit"
)

// Message says why there is none.
func (a Absence) Message() msg.Message { return msg.New(string(a)) }

// A Log is what is known of the history of one commit. Callers must not change it.
type Log struct {
	Head    string
	Absence Absence
	Commits []*Commit // newest first; those that are not read yet are left out
	// Unread is how many of the newest commits are not read yet.
	Unread int
	// Shallow says that the clone is shallow and ends within the window, so that older
	// commits are not here.
	Shallow bool
	// More says that there are older commits than those of the window.
	More bool

	repo  *git.Repo
	under string           // the project's folder in the repository, with a slash at its end, or ""
	names map[string]int32 // file as of Head -> where it is in touched
	paths []string         // the other way round
	touch [][]int32        // the commits that changed a file, by their place in Commits
	files [][]int32        // the files that a commit changed, by their names as of Head
}

// A Reader reads the history of one project. It is safe for concurrent use.
type Reader struct {
	root string
	kept string // the file
	step int

	mu     sync.Mutex
	repo   *git.Repo
	under  string
	loaded bool
	known  map[string]*Commit // paths in them are those of the repository
	log    *Log
}

// New returns a Reader for the project at root. It keeps what it has read in a folder,
// and reads at most step commits for one [Reader.Log].
func New(root, folder string, step int) *Reader {
	return &Reader{root: root, kept: filepath.Join(folder, keptName), step: step}
}

// Log returns the history of what is checked out. It reads at most as many commits as
// the Reader was told; [Log.Unread] says what is left for a later call.
func (r *Reader) Log(ctx context.Context) (*Log, error) { return r.at(ctx, "HEAD", r.step) }

// Fill reads what [Reader.Log] would leave unread. It reads in steps, so that a concurrent
// call of Log waits for one step at most.
func (r *Reader) Fill(ctx context.Context) error {
	for {
		l, err := r.at(ctx, "HEAD", part)
		if err != nil || l.Unread == 0 {
			return err
		}
	}
}

// Forget drops what is cached in memory.
func (r *Reader) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loaded, r.known, r.log = false, nil, nil
}

// At is [Reader.Log] for another revision. It reads the whole window.
func (r *Reader) At(ctx context.Context, revision string) (*Log, error) {
	return r.at(ctx, revision, Window)
}

func (r *Reader) at(ctx context.Context, revision string, step int) (*Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	head, absence, err := r.resolve(ctx, revision)
	if err != nil || absence != Present {
		return &Log{Absence: absence}, err
	}
	if r.log != nil && r.log.Head == head && r.log.Unread == 0 && !r.log.Shallow {
		return r.log, nil
	}
	ends, err := r.repo.Shallow()
	if err != nil {
		return nil, err
	}
	stamps, err := r.repo.Newest(ctx, head, Window+1)
	if err != nil {
		return nil, err
	}
	l := &Log{Head: head, repo: r.repo, under: r.under, More: len(stamps) > Window}
	stamps = stamps[:min(Window, len(stamps))]
	// What a commit at the end of a shallow clone changed is not known.
	stamps = slices.DeleteFunc(stamps, func(s git.Stamp) bool {
		l.Shallow = l.Shallow || ends[s.ID]
		return ends[s.ID]
	})
	r.load()
	var missing []string
	for _, s := range stamps {
		if r.known[s.ID] == nil {
			missing = append(missing, s.ID)
		}
	}
	if len(missing) > 0 {
		if err := r.read(ctx, missing[:min(step, len(missing))]); err != nil {
			return nil, err
		}
		r.save(stamps)
	}
	for _, s := range stamps {
		if c := r.known[s.ID]; c != nil {
			l.Commits = append(l.Commits, c.inside(s, r.under))
		}
	}
	l.Unread = len(stamps) - len(l.Commits)
	l.connect()
	r.log = l
	return l, nil
}

// resolve finds the repository and the commit that a revision names.
func (r *Reader) resolve(ctx context.Context, revision string) (string, Absence, error) {
	if r.repo == nil {
		repo, err := git.Open(ctx, r.root)
		switch none := (*git.NotRepository)(nil); {
		case errors.As(err, &none):
			return "", NoRepository, nil
		case errors.Is(err, git.ErrNoGit):
			return "", NoGit, nil
		case err != nil:
			return "", Present, err
		}
		root, err := filepath.EvalSymlinks(r.root)
		if err != nil {
			return "", Present, err
		}
		rel, err := filepath.Rel(repo.Dir, root)
		if err != nil || rel != "." && !filepath.IsLocal(rel) {
			return "", NoRepository, nil
		}
		r.repo, r.under = repo, ""
		if rel != "." {
			r.under = filepath.ToSlash(rel) + "/"
		}
	}
	head, err := r.repo.Resolve(ctx, revision)
	if err != nil {
		r.repo = nil // it may have gone; the next call looks again
		if _, err := git.Open(ctx, r.root); errors.As(err, new(*git.NotRepository)) {
			return "", NoRepository, nil
		}
		return "", Present, err
	}
	if head == "" {
		return "", NoCommit, nil
	}
	return head, Present, nil
}

// read reads what commits changed.
func (r *Reader) read(ctx context.Context, ids []string) error {
	return r.repo.EachChange(ctx, ids, func(id string, files []git.Touched, listed bool) error {
		c := &Commit{ID: id, Total: len(files), cut: len(files) > maxFiles}
		if !listed {
			c.Total, c.cut = unlisted, true
		}
		for _, f := range files {
			if len(f.Path) > maxLength || len(f.OldPath) > maxLength {
				c.cut = true
				continue
			}
			if c.cut && (f.Status != git.Renamed || len(c.Files) == maxMoved) {
				continue
			}
			c.Files = append(c.Files, File{Path: f.Path, Old: f.OldPath, Gone: f.Status == git.Deleted})
		}
		r.known[id] = c
		return nil
	})
}

// inside returns a commit as the project in a folder of the repository sees it.
func (c *Commit) inside(s git.Stamp, under string) *Commit {
	own := &Commit{ID: c.ID, Time: s.Time, Total: c.Total, Files: c.Files, cut: c.cut}
	if under == "" {
		return own
	}
	own.Files = nil
	for _, f := range c.Files {
		path, in := strings.CutPrefix(f.Path, under)
		old, was := strings.CutPrefix(f.Old, under)
		switch {
		case in && was:
			own.Files = append(own.Files, File{Path: path, Old: old})
		case in:
			own.Files = append(own.Files, File{Path: path, Gone: f.Gone})
		case was:
			own.Files = append(own.Files, File{Path: old, Gone: true})
		}
	}
	return own
}
