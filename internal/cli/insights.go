package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/memory/outcomes"
	"codeintel/internal/problem"
)

func (a *app) insights() *cobra.Command {
	limit := 100
	cmd := &cobra.Command{
		Use:   "insights",
		Short: "Show what sessions that failed have in common",
		Long: strings.TrimSpace(`
Show how often sessions failed: all of them, and those of each risk, intent,
missing slot, overridden gate and planned tool, each beside the rate of all; and in
which phases failures came to light. Of fewer than five sessions no rate is given.`),
		Example: "  code-intel insights\n  code-intel insights --limit 20 --json",
		Args:    asUsed,
		RunE: func(*cobra.Command, []string) error {
			if limit < 1 {
				return problem.Newf(problem.InvalidArgument, "--limit is %d.", limit).Or("Name a number of sessions, such as 100.")
			}
			p, err := a.project()
			if err != nil {
				return err
			}
			in, err := outcomes.Open(p).Insights(limit)
			if err != nil {
				return err
			}
			return a.print(in)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "how many sessions to look at, the last ones")
	return a.withJSON(cmd)
}
