package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/project/setup"
	"codeintel/internal/text"
)

func (a *app) init() *cobra.Command {
	var o setup.Options
	cmd := &cobra.Command{
		Use:     "init [DIR]",
		Short:   "Create the project configuration",
		Long:    "Create .code-intel in a project: settings, prompts for sessions, and verifiers with a\nproposed test command. Files that exist are kept.",
		Example: "  code-intel init\n  code-intel init --lang ja,en --dry-run ~/src/project",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := project.Find(a.dir(args...)); err != nil {
				return environment{err}
			}
			r, err := setup.Init(cmd.Context(), a.dir(args...), o)
			if p := problem.Of(err); p != nil && p.Code == project.InvalidConfig {
				return environment{err}
			}
			if err != nil {
				return err
			}
			return a.print(initReport(r))
		},
	}
	cmd.Flags().StringSliceVar(&o.Langs, "lang", nil,
		"`languages` of the prompts, en or ja; the first becomes the project's (default en)")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "only show what would be written")
	return a.withJSON(cmd)
}

// initReport is the report of init.
type initReport setup.Report

// Text says what was done with each file, and what is proposed.
func (l initReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", l.Root)
	kept := 0
	for _, f := range l.Files {
		if f.Action == setup.Kept {
			kept++
			continue
		}
		action := string(f.Action)
		if l.DryRun {
			action = "would be " + action
		}
		fmt.Fprintf(&b, "  %-8s %s%s\n", action, f.Path, note(f.Note))
	}
	if kept > 0 {
		fmt.Fprintf(&b, "  %s kept unchanged\n", text.Counted(kept, "file", "s"))
	}
	for i, v := range l.Verifiers {
		if i == 0 {
			fmt.Fprintln(&b, "Commands that seem to verify a change:")
		}
		fmt.Fprintf(&b, "  %s (because of %s)\n", strings.Join(v.Command, " "), v.Because)
	}
	if len(l.Verifiers) > 0 {
		fmt.Fprintln(&b, "The first is proposed in .code-intel/verifiers/backend.md. Nothing is run yet:\nread that file, then let the server run it with: code-intel trust")
	}
	return b.String()
}

func note(m msg.Message) string {
	if m.IsZero() {
		return ""
	}
	return " (" + m.String() + ")"
}
