package search

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/text"
)

// exists refuses a path that is nothing in the project. A folder without files
// is fine: it answers that there is nothing.
func (e *Engine) exists(a *area, list []files.Entry) error {
	if a.path == "" {
		return nil
	}
	for _, f := range list {
		if f.Path == a.path || strings.HasPrefix(f.Path, a.path+"/") {
			return nil
		}
	}
	switch info, err := os.Stat(e.p.Abs(a.path)); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return e.notSearched(a.path)
	}
	return noPath(a.path, list)
}

// notSearched says of a file on disk why it is no part of the project.
func (e *Engine) notSearched(file string) error {
	left, _, err := e.left(context.Background())
	i := slices.IndexFunc(left, func(l files.Left) bool { return l.Path == file })
	switch {
	case err != nil || i < 0: // it is ignored, or one of very many
	case left[i].Reason == files.Outside:
		return problem.New(problem.NotFound, "search.on_disk_but_outside", file, strings.Join(e.p.Config.SourceDirs, ", ")).
			Or("search.read_your_own_file_tool").
			Or("search.add_to_source_dirs")
	case left[i].Reason == files.Excluded:
		return problem.New(problem.NotFound, "search.on_disk_but_excluded", file).
			Or("search.read_your_own_file_tool").
			Or("search.remove_from_exclude_patterns")
	}
	return problem.New(problem.NotFound, "search.on_disk_but_ignored", file).
		Or("search.read_your_own_file_tool").
		Or("search.remove_from_gitignore_code_intelignore")
}

// pathExists is exists for a question that needs the list of files for nothing
// else.
func (e *Engine) pathExists(ctx context.Context, a *area) error {
	if a.path == "" {
		return nil
	}
	list, err := e.list(ctx)
	if err != nil {
		return err
	}
	return e.exists(a, list)
}

// noPath says that a path is no file of the project, and which ones are near.
func noPath(rel string, list []files.Entry) error {
	p := problem.New(problem.NotFound, "search.no_file_directory_project", rel)
	for _, n := range nearPaths(rel, list, 3) {
		p.Or("search.did_you_mean", n)
	}
	return p.Or("search.call_looks_for_it", msg.CallOf(op.SearchFiles, "pattern", path.Base(rel)))
}

// NearPaths returns up to n files and directories of a list that look like a
// path.
func NearPaths(rel string, list []files.Entry, n int) []string { return nearPaths(rel, list, n) }

// nearPaths returns files and directories that look like a path: first those
// of the same base name, then those of a near path.
func nearPaths(rel string, list []files.Entry, n int) []string {
	base := path.Base(rel)
	var same []string
	names := map[string]bool{}
	for _, f := range list {
		for p := f.Path; p != "." && !names[p]; p = path.Dir(p) {
			names[p] = true
			if strings.EqualFold(path.Base(p), base) {
				same = append(same, p)
			}
		}
	}
	slices.SortFunc(same, func(a, b string) int {
		return cmp.Or(text.CommonTail(b, rel)-text.CommonTail(a, rel), len(a)-len(b), strings.Compare(a, b))
	})
	if len(same) >= n {
		return same[:n]
	}
	all := slices.Sorted(maps.Keys(names))
	for _, c := range symbolname.Near(rel, all, n) {
		if len(same) < n && !slices.Contains(same, c) {
			same = append(same, c)
		}
	}
	byBase := map[string]string{}
	var bases []string
	for _, p := range all {
		if b := path.Base(p); byBase[b] == "" {
			byBase[b] = p
			bases = append(bases, b)
		}
	}
	for _, b := range symbolname.Near(base, bases, n) {
		if c := byBase[b]; len(same) < n && !slices.Contains(same, c) {
			same = append(same, c)
		}
	}
	return same
}
