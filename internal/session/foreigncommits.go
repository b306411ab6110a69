package session

import (
	"context"

	"codeintel/internal/git"
)

// foreignNamed reports whether an answer has named all commits of others on the base. A
// merge that was sent ahead waits for that, and so does one that others got ahead of.
func (t *turn) foreignNamed(ctx context.Context, r *git.Repo) (bool, error) {
	some, fresh, err := t.NameBaseCommits(ctx, r)
	return !fresh && (!some || t.since == t.State.Since), err
}
