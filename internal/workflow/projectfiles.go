package workflow

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/workflow/codediff/additions/unread"
)

// maxContaining is in how many files names are looked for; names that more files contain count as used.
const maxContaining = 500

// ProjectFiles returns access to the files of a project that git tracks, or would track.
func ProjectFiles(ctx context.Context, r *git.Repo, root string) unread.Project {
	list := func(args ...string) ([]string, error) {
		out, err := r.Run(ctx, args...)
		return slices.DeleteFunc(strings.Split(out, "\x00"), func(name string) bool { return name == "" }), err
	}
	return unread.Project{
		Containing: func(words []string) (map[string][]byte, bool) {
			args := []string{"grep", "-l", "-z", "-I", "-F", "--untracked", "--no-recurse-submodules", "--threads=1"}
			for _, w := range words {
				args = append(args, "-e", w)
			}
			names, err := list(args...)
			var failed *git.Error
			if errors.As(err, &failed) && failed.Exit == 1 {
				return nil, true // there are none
			}
			if err != nil || len(names) > maxContaining {
				return nil, false
			}
			texts := make(map[string][]byte, len(names))
			for _, name := range names {
				texts[name] = TextNow(root, name)
			}
			return texts, true
		},
		InFolder: func(folder string) []string {
			names, _ := list("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder)
			return slices.DeleteFunc(names, func(name string) bool { return path.Dir(name) != folder })
		},
	}
}
