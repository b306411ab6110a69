package workflow

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/taskbranch"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/codediff/additions/unread"
	"codeintel/internal/workflow/codediff/testrun"
)

// MostCompared is how large a file may be, in bytes, whose content is compared with that of
// the base.
const MostCompared = 2 << 20

// TextNow returns a file of a project as it is, nil if it cannot be read.
func TextNow(root, file string) []byte {
	now, err := repofile.In(root, file).Read(MostCompared)
	if err != nil {
		return nil
	}
	return now
}

// DescribeBase adds to b what a part of the files was in a tree, by what changed since then.
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

// TestsBefore returns the present names of the tests that changed, by those that they had, and new files that
// interfere with other tests; with none of them the tests are unchanged.
func TestsBefore(changes []git.Change, ofTests func(file string) bool,
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

// mostHolding is in how many files names are looked for; a name that more of them hold is used.
const mostHolding = 500

// Rest is what a project holds besides a change: the files that git knows, or would.
func Rest(ctx context.Context, r *git.Repo, root string) unread.Project {
	list := func(args ...string) ([]string, error) {
		out, err := r.Run(ctx, args...)
		return slices.DeleteFunc(strings.Split(out, "\x00"), func(name string) bool { return name == "" }), err
	}
	return unread.Project{
		Holding: func(words []string) (map[string][]byte, bool) {
			args := []string{"grep", "-l", "-z", "-I", "-F", "--untracked", "--no-recurse-submodules", "--threads=1"}
			for _, w := range words {
				args = append(args, "-e", w)
			}
			names, err := list(args...)
			var failed *git.Error
			if errors.As(err, &failed) && failed.Exit == 1 {
				return nil, true // there are none
			}
			if err != nil || len(names) > mostHolding {
				return nil, false
			}
			texts := make(map[string][]byte, len(names))
			for _, name := range names {
				texts[name] = TextNow(root, name)
			}
			return texts, true
		},
		Beside: func(folder string) []string {
			names, _ := list("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder)
			return slices.DeleteFunc(names, func(name string) bool { return path.Dir(name) != folder })
		},
	}
}
