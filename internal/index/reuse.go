package index

import (
	"context"
	"database/sql"
	"path/filepath"

	"codeintel/internal/git"
	"codeintel/internal/index/sqlite"
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
	root := git.MainWorktree(x.p.Root)
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
