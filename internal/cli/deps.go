package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/search/dependencies"
)

func (a *app) deps() *cobra.Command {
	var q dependencies.Query
	cmd := &cobra.Command{
		Use:   "deps PATH",
		Short: "Show what a file or folder imports and what imports it",
		Long: strings.TrimSpace(`
Show what a file or a folder imports, as files of the project and as packages from
outside, and which files import it. Imports are resolved as each language does: by modules
and packages, by tsconfig.json and package.json, by what is declared. Imports of files
that are missing are reported. For a folder, imports between its own files are left out.`),
		Example: "  code-intel deps src/app.ts\n  code-intel deps internal/server\n  code-intel deps lib/a.py --direction importers\n  code-intel deps --json src/app.ts | jq -r '.imports[].files[]?'",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := a.locate(args[0])
			if err != nil {
				if at, err = a.locate(""); err == nil { // the answer says where to look for it
					at.path = a.pathInside(at.root, args[0])
				}
			}
			if err != nil {
				return err
			}
			q.Path = cmp.Or(at.path, ".")
			return a.withCode(cmd, at.root, func(c *code) error {
				got, err := dependencies.New(c.project, c.index, c.search).List(cmd.Context(), q)
				if err != nil {
					return err
				}
				return a.printAnswer(got)
			})
		},
		ValidArgsFunction: filesAfter(0),
	}
	cmd.Flags().StringVar((*string)(&q.Direction), "direction", "", "`which` to show: imports, importers, or both (default)")
	addPageFlags(cmd, &q.Page)
	return a.withJSON(cmd)
}
