package search

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/symbolname"
)

// exists refuses a path that does not exist in the project. A folder without files is fine:
// searching it finds nothing.
func (e *Engine) exists(a *area, list []files.Entry) error {
	if a.path == "" {
		return nil
	}
	for _, f := range list {
		if f.Path == a.path || strings.HasPrefix(f.Path, a.path+"/") {
			return nil
		}
	}
	if info, err := os.Stat(e.p.Abs(a.path)); err == nil && info.IsDir() {
		return nil
	}
	if p := e.explainUnlisted(a.path); p != nil {
		return p
	}
	return NoPath(a.path, list)
}

// explainUnlisted says why what is on disk is no file of the project, or nil if nothing is there, or a folder.
func (e *Engine) explainUnlisted(rel string) *problem.Problem {
	switch info, err := os.Stat(e.p.Abs(rel)); {
	case err != nil || info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return problem.New(problem.InvalidArgument, "files.no_regular_file", rel).Or("files.name_regular_file")
	}
	return e.notSearched(rel)
}

// notSearched says of a file on disk why it is no part of the project.
func (e *Engine) notSearched(file string) *problem.Problem {
	left, _, err := e.leftOutFiles(context.Background())
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

// pathExists is exists for a question that does not need the list of files otherwise.
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

// NoPath says that a path is no file of the project, and which ones are near.
func NoPath(rel string, list []files.Entry) error {
	p := problem.New(problem.NotFound, "search.no_file_directory_project", rel)
	for _, n := range symbolname.NearPaths(rel, list, 3) {
		p = p.Perhaps(msg.New("search.did_you_mean", n))
	}
	look := p.Or("search.call_looks_for_it", msg.CallOf(op.SearchFiles, "pattern", path.Base(rel)))
	if path.Ext(rel) == "" && !strings.Contains(rel, "/") {
		return look.Or("search.perhaps_symbol", msg.CallOf(op.FindDefinitions, "symbol", rel))
	}
	return look
}
