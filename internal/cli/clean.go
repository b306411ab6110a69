package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/problem"
	"codeintel/internal/session/savedsessions"
)

func (a *app) clean() *cobra.Command {
	var (
		days             int
		branches, dryRun bool
		yes              bool
	)
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove leftovers: old sessions, old refs, temporary files",
		Long: strings.TrimSpace(`
List what is left over, ask, and remove it: archived sessions, what git keeps under
refs/code-intel (done, trash, backup) and vectors of models that are no longer used, all
of it older than --days; temporary files of processes that were killed; and, with
--branches, task branches without a session, whose tips are kept in trash refs.

Nothing is removed that a resumable session needs. Commits that exist nowhere else are
named: "git branch NAME COMMIT" brings one back until git collects its garbage.`),
		Example: "  code-intel clean --dry-run\n  code-intel clean --days 7 --branches\n  code-intel clean --yes --json",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 {
				return problem.New(problem.InvalidArgument, "cli.days_out_of_range", days).Or("cli.give_number_from")
			}
			p, err := a.project()
			if err != nil {
				return err
			}
			plan, err := savedsessions.Leftovers(cmd.Context(), p,
				savedsessions.Options{Now: time.Now(), Age: time.Duration(days) * 24 * time.Hour, Branches: branches})
			if err != nil && problem.Of(err) == nil {
				return environment{err} // git, and what is on disk
			}
			if err != nil {
				return err
			}
			c := &cleanupReport{Plan: plan}
			if dryRun || len(plan.Items) == 0 {
				return a.print(c)
			}
			if !yes {
				show := func() error { return a.print(c) }
				if err := a.confirm(show, "Take this away?", "cli.nothing_taken_away", "cli.add_yes_take_away_dry"); err != nil {
					return err
				}
			}
			failed := plan.Carry(cmd.Context())
			c.Done = failed == nil
			if failed != nil {
				failed = environment{failed}
			}
			if !yes { // the list has been shown
				fmt.Fprintf(a.out, "taken away: %t\n", c.Done)
				return failed
			}
			return errors.Join(a.print(c), failed)
		},
	}
	f := cmd.Flags()
	f.IntVar(&days, "days", 30, "keep what is younger than this many `days`")
	f.BoolVar(&branches, "branches", false, "also remove task branches without a session; their tips are kept in trash refs")
	f.BoolVar(&dryRun, "dry-run", false, "list what would be removed, and remove nothing")
	f.BoolVar(&yes, "yes", false, "do not ask")
	return a.withJSON(cmd)
}

// cleanupReport lists the leftovers that would be removed, or have been.
type cleanupReport struct {
	*savedsessions.Plan
	Done bool `json:"done"` // it was taken away
}

// Text is a table of what goes and what stays although it is old.
func (c *cleanupReport) Text() string {
	var b strings.Builder
	var bytes int64
	only := 0
	w := columns(&b)
	row := func(i savedsessions.Item, what string) {
		since := ""
		if !i.Since.IsZero() {
			since = i.Since.Local().Format(time.DateOnly)
		}
		id := i.Commit[:min(len(i.Commit), 12)]
		if i.Commit == "" {
			id = fmt.Sprintf("%d bytes", i.Bytes)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", i.Kind, i.Name, since, id, what)
	}
	for _, i := range c.Items {
		what := i.Note
		if i.Only > 0 {
			only++
			what = strings.TrimSpace(fmt.Sprintf("UNMERGED: %d commits that are nowhere else  %s", i.Only, i.Note))
		}
		bytes += i.Bytes
		row(i, what)
	}
	for _, i := range c.Kept {
		row(i, "stays: "+i.Note)
	}
	_ = w.Flush() // a strings.Builder takes everything
	switch {
	case len(c.Items) == 0:
		fmt.Fprintln(&b, "nothing is left over")
	case c.Done:
		fmt.Fprintf(&b, "taken away: %d, %d bytes\n", len(c.Items), bytes)
	default:
		fmt.Fprintf(&b, "left over: %d, %d bytes; %d of them hold unmerged commits\n", len(c.Items), bytes, only)
	}
	return b.String()
}
