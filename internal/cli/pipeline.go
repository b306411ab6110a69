package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/text"
)

func (a *app) pipeline() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "pipeline",
		Short: "Show pipelines, abandon one, or rebuild their index",
		Long: strings.TrimSpace(`
Agents run pipelines (/forge) over MCP; this command is for people. Name a pipeline by
its folder in .specs, or by any unambiguous beginning or end of it.`),
	}, a.pipelineShow(), a.pipelineReindex(), a.pipelineAbandon())
}

// pipelines is what leads pipelines, for commands that look at one or end it.
func (a *app) pipelines() (*service.Service, error) {
	p, err := a.project()
	if err != nil {
		return nil, err
	}
	return service.New(p, service.Options{Log: a.log, Now: time.Now})
}

func (a *app) pipelineShow() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "show [NAME]",
		Short:   "List pipelines, or show one with its journal",
		Example: "  code-intel pipeline show\n  code-intel pipeline show fix-auth-timeout --json",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.pipelines()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				list, err := s.List()
				if err != nil {
					return err
				}
				return a.print(&pipelineList{list})
			}
			path, err := s.Find(args[0])
			if err != nil {
				return err
			}
			info, journal, err := s.Show(cmd.Context(), path)
			if err != nil {
				return err
			}
			return a.print(&pipelineDetails{info, journal})
		},
	})
}

func (a *app) pipelineReindex() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:   "reindex",
		Short: "Rebuild .specs/index.json from finished pipelines",
		Long: strings.TrimSpace(`
Rebuild .specs/index.json, from which later pipelines learn, from the workspaces in
.specs. Entries of pipelines whose workspace is gone are kept.`),
		Args: checkArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.pipelines()
			if err != nil {
				return err
			}
			done, err := s.Reindex(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(&reindexReport{done})
		},
	})
}

func (a *app) pipelineAbandon() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "abandon NAME",
		Short: "Abandon a pipeline for good; branch and files are kept",
		Long: strings.TrimSpace(`
Abandon a pipeline for good, even while an agent is running it: the agent is told at its
next call. Nothing in git changes, and the workspace stays as it is.`),
		Example: "  code-intel pipeline abandon fix-auth-timeout --reason \"not needed any more\"",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.pipelines()
			if err != nil {
				return err
			}
			path, err := s.Find(args[0])
			if err != nil {
				return err
			}
			info, err := s.Abandon(cmd.Context(), path, reason, service.CommandLine)
			if err != nil {
				return err
			}
			return a.print(&abandonedPipeline{info})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "abandoned on the command line", "the reason, for the record")
	return a.withJSON(cmd)
}

// pipelineList is every pipeline in a line.
type pipelineList struct {
	Pipelines []*service.ResumeInfo `json:"pipelines"`
}

// Text is a table.
func (l *pipelineList) Text() string {
	if len(l.Pipelines) == 0 {
		return "no pipelines"
	}
	var b strings.Builder
	w := columns(&b)
	for _, p := range l.Pipelines {
		where := p.Label.String()
		if p.Paused != "" {
			where += " (" + p.Paused + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Workspace, p.Status, p.Effort, where, p.Title)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

// pipelineDetails is one pipeline whole.
type pipelineDetails struct {
	Pipeline *service.ResumeInfo `json:"pipeline"`
	Journal  []engine.Entry      `json:"journal"`
}

func (d *pipelineDetails) Text() string {
	var b strings.Builder
	b.WriteString(d.Pipeline.Text())
	b.WriteString("\njournal:\n")
	for _, e := range d.Journal {
		fmt.Fprintf(&b, "  %s  %s  %s", e.Time, e.Event, e.Phase)
		if e.Ticket != "" {
			b.WriteString("  " + e.Ticket)
		}
		if e.By != "" {
			b.WriteString("  by " + e.By)
		}
		for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
			if v := text.OneLine(e.Detail[name]); v != "" {
				fmt.Fprintf(&b, "  %s=%s", name, v)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// reindexReport is what became of the index.
type reindexReport struct{ *service.Reindexed }

func (r *reindexReport) Text() string {
	text := fmt.Sprintf("%d pipelines", r.Entries)
	if len(r.Kept) > 0 {
		text += "\nkept, though the workspace is gone: " + strings.Join(r.Kept, ", ")
	}
	if r.Damaged != "" {
		text += "\nthe old file could not be read whole; a copy lies in " + r.Damaged
	}
	return text
}

// abandonedPipeline is a pipeline that was given up by hand.
type abandonedPipeline struct{ *service.ResumeInfo }

func (p *abandonedPipeline) Text() string {
	return fmt.Sprintf("%s is abandoned, in %s (%s). The work is on %s.", p.Workspace, p.Phase, p.Label, p.Branch)
}
