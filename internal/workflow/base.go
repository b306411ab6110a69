package workflow

import (
	"cmp"
	"context"

	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/taskbranch"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/codediff/testrun"
)

// MostCompared is the size, in bytes, of the largest file whose content is compared with that of the base.
const MostCompared = 2 << 20

// TextNow returns the content of a file in the working tree, or nil if it cannot be read.
func TextNow(root, file string) []byte {
	now, err := repofile.In(root, file).Read(MostCompared)
	if err != nil {
		return nil
	}
	return now
}

// DescribeBase adds to b how some of the files, those for which of returns true, were in a tree, given the
// changes since then.
func DescribeBase(
	ctx context.Context, r *git.Repo, b *verify.Base, tree string, changes []git.Change, of func(file string) bool,
) (err error) {
	var was []string
	for _, c := range changes {
		if old := cmp.Or(c.OldPath, c.Path); c.Status != git.Added && of(old) {
			was = append(was, old)
		}
		if (c.Status == git.Added || c.OldPath != "" && c.OldPath != c.Path) && of(c.Path) {
			b.Added = append(b.Added, c.Path)
		}
	}
	if b.Was, err = r.Contents(ctx, tree, was, MostCompared); err != nil {
		return err
	}
	b.Files, b.Ignored, err = taskbranch.Listed(ctx, r)
	b.NoteSource(of)
	return err
}

// ChangedTests returns the test files that changed, and new files that interfere with other tests: their paths
// now, by their paths before. It is empty if the tests are unchanged.
func ChangedTests(changes []git.Change, ofTests func(file string) bool,
	textNow func(file string) []byte) map[string]string {
	now := make(map[string]string)
	for _, c := range changes {
		if old := cmp.Or(c.OldPath, c.Path); c.Status != git.Added && ofTests(old) {
			now[old] = c.Path
		} else if c.Status == git.Added && ofTests(c.Path) && testrun.Interferes(c.Path, textNow(c.Path)) {
			now[c.Path] = c.Path
		}
	}
	return now
}
