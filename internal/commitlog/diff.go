package commitlog

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/files/charset"
	"codeintel/internal/git"
)

// A Diff is what differs from a commit to the working tree, as the project sees it.
type Diff struct {
	Base    string // the commit; "" if the revision names none
	Absence Absence
	Files   []Difference

	repo  *git.Repo
	under string
}

// A Difference is a file of a Diff. A renamed file has the name that it had, too.
type Difference struct {
	Path, Old string
	Gone, New bool
	Plain     bool // it has text on each side on which it is
}

// Diff returns what differs from a revision to the working tree: tracked files, staged or
// not, and untracked ones that are not ignored. A revision that ends in "..." stands for
// where the branch of what is checked out left it. Folders of the excluded names are left
// out.
func (r *Reader) Diff(ctx context.Context, revision string, exclude ...string) (*Diff, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, fork := strings.CutSuffix(revision, "...")
	base, absence, err := r.resolve(ctx, name)
	if absence == NoCommit && name != "HEAD" { // else nothing is committed
		return &Diff{}, nil
	}
	if err != nil || absence != Present {
		return &Diff{Absence: absence}, err
	}
	if fork {
		if base, err = r.repo.Fork(ctx, base, "HEAD"); err != nil || base == "" {
			return &Diff{}, err
		}
	}
	var changes []git.Change
	err = r.repo.Aside(func(aside *git.Repo) error {
		tree, err := aside.Snapshot(ctx, exclude...)
		if err != nil {
			return err
		}
		changes, err = aside.Diff(ctx, base, tree)
		return err
	})
	if err != nil {
		return nil, err
	}
	d := &Diff{Base: base, repo: r.repo, under: r.under}
	for _, c := range changes {
		d.add(c, exclude)
	}
	return d, nil
}

// add adds a change that is one of the project.
func (d *Diff) add(c git.Change, exclude []string) {
	out := func(path string) bool {
		return slices.ContainsFunc(strings.Split(path, "/"), func(f string) bool { return slices.Contains(exclude, f) })
	}
	path, in := strings.CutPrefix(c.Path, d.under)
	old, was := strings.CutPrefix(c.OldPath, d.under)
	was = was && c.OldPath != "" && !out(c.OldPath)
	in = in && !out(c.Path)
	f := Difference{Path: path, Gone: c.Status == git.Deleted, New: c.Status == git.Added,
		Plain: !c.Binary && !c.Link() && !c.Submodule()}
	switch {
	case in && was:
		f.Old = old
	case in:
		f.New = f.New || c.OldPath != ""
	case was:
		f.Path, f.Gone = old, true
	default:
		return
	}
	d.Files = append(d.Files, f)
}

// Before returns the text of a file of the project as the commit has it, in UTF-8; nil if
// it has none, or one that is too large.
func (d *Diff) Before(ctx context.Context, file string) ([]byte, error) {
	before, err := d.repo.Content(ctx, d.Base, d.under+file, maxText)
	if err != nil || before == nil {
		return nil, err
	}
	before, _ = charset.Decode(before)
	return before, nil
}
