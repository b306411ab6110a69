package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/search/deadcode"
)

func (a *app) dead() *cobra.Command {
	var q deadcode.Query
	cmd := &cobra.Command{
		Use:   "dead [DIR]",
		Short: "List functions, types and variables that nothing uses",
		Long: strings.TrimSpace(`
List functions, methods, types and variables that nothing uses, or that only unused code
uses. They are certain if the language lets nobody outside the project use them, and
likely otherwise. Any other occurrence of the name outside a comment counts as a use, also
in strings, templates and settings; in Go, types tell which one is meant. Not listed are
what modules export, entry points, tests, methods that implement or override something,
and anything with a decorator, an annotation or an attribute.`),
		Example: "  code-intel dead\n  code-intel dead internal --lang go\n  code-intel dead --json | jq -r '.symbols[] | select(.confidence == \"certain\") | .file + \":\" + (.line | tostring)'",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(a, cmd, args, &q.Where, func(c *code) (*deadcode.Answer, error) {
				return deadcode.New(c.project, c.index, c.search).Find(cmd.Context(), q)
			})
		},
		ValidArgsFunction: filesAfter(0),
	}
	cmd.Flags().StringVar(&q.Language, "lang", "", "only code in this `language`")
	addFilterFlags(cmd, &q.Where)
	addPageFlags(cmd, &q.Page)
	return a.withJSON(cmd)
}
