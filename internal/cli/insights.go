package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/memory/outcomelog"
)

func (a *app) insights() *cobra.Command {
	limit := 100
	cmd := &cobra.Command{
		Use:   "insights",
		Short: "Show what failed sessions have in common",
		Long: strings.TrimSpace(`
Show how often sessions failed: overall, and by risk, intent, missing slot, overridden
gate and planned tool, each compared with the overall rate; and in which phases failures
were noticed. No rate is given for fewer than five sessions.`),
		Example: "  code-intel insights\n  code-intel insights --limit 20 --json",
		Args:    checkArguments,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.project()
			if err != nil {
				return err
			}
			in, err := outcomelog.Open(p).Insights(limit)
			if err != nil {
				return err
			}
			return a.print(in)
		},
	}
	countFlag(cmd, &limit, "limit", "", "how many recent sessions to look at")
	return a.withJSON(cmd)
}
