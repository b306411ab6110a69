package cli

import (
	"github.com/spf13/cobra"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/search/filehistory"
	"codeintel/internal/text"
)

func (a *app) why() *cobra.Command {
	var q filehistory.Query
	cmd := &cobra.Command{
		Use:     "why FILE[:LINE]",
		Short:   "Show which commits made a file or a line what it is",
		Long:    "Show the commit that last changed a line, with its subject, date, author and other\nfiles, and the other commits that changed the function around it; for a file without a\nline, the commits that changed it, and the files that usually change with it. The line\nnumber refers to the file as it is now, committed or not. Nothing is fetched.",
		Example: "  code-intel why internal/server.go:42\n  code-intel why internal/server.go -n 20\n  code-intel why --json lib/a.py:7 | jq -r .last.subject",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, line, err := fileAndLine(args[0])
			if err != nil {
				return err
			}
			if q.FilePath = file; line > 0 {
				q.Line = line
			}
			return ask(a, cmd, nil, &search.Where{}, func(c *code) (*filehistory.Answer, error) {
				q.FilePath = a.pathInside(c.project.Root, q.FilePath)
				return filehistory.New(c.project, c.search, c.history).Explain(cmd.Context(), q)
			})
		},
		ValidArgsFunction: filesAfter(0),
	}
	countFlag(cmd, &q.Line, "line", "", "the line, if FILE does not include one")
	countFlag(cmd, &q.Limit, "limit", "n", "number of commits, 1 to 20")
	return a.withJSON(cmd)
}

// fileAndLine takes "file:line" apart, and takes the first line of "file:line-line". A file
// may have a colon in its name.
func fileAndLine(s string) (file string, line int, err error) {
	file, line, _, ok := text.ParseLocation(s)
	switch {
	case !ok:
		return s, 0, nil
	case line < 1:
		return "", 0, problem.New(problem.InvalidArgument, "search.line_lines_counted_from", msg.Param("line"), line).
			Or("search.for_example", msg.CallOf(op.FileHistory, "file_path", file+":1"))
	}
	return file, line, nil
}
