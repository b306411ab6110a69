package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/search/explore"
)

func (a *app) explore() *cobra.Command {
	var q explore.Query
	cmd := &cobra.Command{
		Use:   "explore QUESTION|SYMBOL|FILE[:LINE] [DIR]",
		Short: "Show the code a question is about, with callers, callees, tests and history",
		Long: strings.TrimSpace(`
Show what you need to know about a question, a symbol or a line, in one short answer:
the places that matter with their code, who calls them and what they call, their tests,
and further places that fit. Ask in words that the code would use: "delete old log entries
of an agent" finds what "why does the list never grow" does not. For a file: what it declares
and imports, what imports it, and the files that usually change with it.`),
		Example: "  code-intel explore \"where are requests retried\"\n  code-intel explore Server.Handle\n  code-intel explore internal/server.go:42\n  code-intel explore internal/server.go\n  code-intel explore --json Client.do | jq -r '.places[].called_by[]?.file'",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(a, cmd, args[1:], &q.Where, func(c *code) (*explore.Answer, error) {
				q.Query = a.target(c.project.Root, args[0])
				return explore.New(c.project, c.index, c.search, c.history).Explore(cmd.Context(), q)
			})
		},
		ValidArgsFunction: a.completeName,
	}
	countFlag(cmd, &q.MaxTokens, "max-tokens", "", "length of the answer in tokens of about four characters (default 2500)")
	addFilterFlags(cmd, &q.Where)
	return a.withJSON(cmd)
}
