package index

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"

	"codeintel/internal/index/sqlite"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
)

// A finder finds what is known of a text: the content in this index that has it, or a
// record of it from another index, or neither. It is safe for concurrent use.
type finder func(hash [32]byte, language string) (content int64, r *record, err error)

// newFinder returns a finder over db and, in a linked git worktree, over the
// index of the main one, which has read most of the same texts. It is to be
// closed.
func (x *Index) newFinder(ctx context.Context, db *sqlite.DB) (find finder, closeAll func()) {
	own := db.Reader()
	main := x.openMainIndex(ctx)
	find = func(hash [32]byte, language string) (int64, *record, error) {
		id, _, err := findContent(ctx, own, hash, language, x.recipe)
		if err != nil || id != 0 || main == nil {
			return id, nil, err
		}
		_, r, err := findContent(ctx, main, hash, language, x.recipe)
		if err != nil {
			r = nil // the other index may be in any state; this one can do without
		}
		return 0, r, nil
	}
	return find, func() {
		if main != nil {
			main.Close()
		}
	}
}

// openMainIndex opens the index of the main worktree, if the project is a linked one.
// It returns nil if there is none.
func (x *Index) openMainIndex(ctx context.Context) *sql.DB {
	root := mainWorktree(x.p.Root)
	if root == "" {
		return nil
	}
	dir, err := (&project.Project{Root: root}).IndexDir()
	if err != nil {
		return nil
	}
	db, err := sqlite.OpenReader(ctx, filepath.Join(dir, databaseName), schemaVersion)
	if err != nil {
		x.log.Debug("index: nothing to learn from the main worktree", "error", err)
		return nil
	}
	return db
}

// mainWorktree returns the root of the main worktree that the one at root is
// linked to, "" if it is linked to none. Both sides must name each other, so
// that a repository cannot point at somebody else's.
func mainWorktree(root string) string {
	dotGit := filepath.Join(root, ".git")
	gitDir, ok := strings.CutPrefix(firstLine(dotGit), "gitdir: ")
	if !ok {
		return ""
	}
	gitDir = absolute(root, gitDir)
	back, err := os.Stat(absolute(gitDir, firstLine(filepath.Join(gitDir, "gitdir"))))
	here, hereErr := os.Stat(dotGit)
	if err != nil || hereErr != nil || !os.SameFile(back, here) {
		return ""
	}
	common := firstLine(filepath.Join(gitDir, "commondir"))
	if common == "" {
		return ""
	}
	if common = absolute(gitDir, common); filepath.Base(common) != ".git" {
		return "" // a bare repository
	}
	return filepath.Dir(common)
}

// firstLine returns the first line of a small file, "" if there is none.
func firstLine(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return ""
	}
	b, err := repofile.At(path).Read(1 << 16)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "\r")
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
