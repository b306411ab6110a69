package cli

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/index"
	"codeintel/internal/search/impact"
)

func (a *app) impact() *cobra.Command {
	var q impact.Query
	var diff, sarif, annotations bool
	cmd := &cobra.Command{
		Use:   "impact TARGET…",
		Short: "Show what a change would touch",
		Long:  "Show which files refer to the targets and must be verified when they change, and\nwhich tests, documents, configuration and markup should be, each with the reasons\nand the first lines; --details lists all. Files that usually change in the same commits\nare among them; the most likely ones come first. A target is a file, a folder or a\nsymbol: internal/server.go, Server.Handle, src/app.ts#Router, lib/a.py:42.\n\nWith --diff COMMIT, the targets are the differences between that commit and the working\ntree; with --diff alone, what is not committed; with --diff main..., what has changed\nsince this branch left main. The answer then begins with what the diff has left undone:\ncalls that do not fit a changed signature, uses of what it removes, files that usually\nchange with those it changes; and with the tests to run. It ends with exit code 1 if\nsomething is proven to be wrong.",
		Example: "  code-intel impact internal/server.go\n  code-intel impact Server.Handle --depth 3\n" +
			"  code-intel impact --diff\n  code-intel impact --diff main... --sarif > impact.sarif\n" +
			"  code-intel impact --json web/style.css | jq -r '.should_verify[].file'",
		Args: func(cmd *cobra.Command, args []string) error {
			if diff && len(args) < 2 {
				return nil
			}
			return checkArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !a.json && !q.Details && q.Limit == 0 {
				q.MaxTokens = 0 // as short as it is by itself
			}
			if diff {
				return a.impactOfDiff(cmd, args, q, sarif, annotations)
			}
			return ask(a, cmd, nil, &q.Where, func(c *code) (*impact.Answer, error) {
				for _, t := range args {
					q.Targets = append(q.Targets, a.target(c.project.Root, t))
				}
				return impact.New(c.project, c.index, c.search, c.history).Analyze(cmd.Context(), q)
			})
		},
		ValidArgsFunction: a.completeTarget,
	}
	countFlag(cmd, &q.Depth, "depth", "", "how many levels of callers to follow, 1 to 5")
	cmd.Flags().BoolVar(&diff, "diff", false,
		"use what differs between a commit and the working tree as targets: impact --diff [COMMIT]")
	cmd.Flags().BoolVar(&sarif, "sarif", false, "with --diff: print the findings as SARIF 2.1.0")
	cmd.Flags().BoolVar(&annotations, "annotations", false, "with --diff: print the findings as GitHub annotations")
	cmd.Flags().BoolVar(&q.Details, "details", false, "list all lines and symbols of each file, not only the first")
	addFilterFlags(cmd, &q.Where)
	addPageFlags(cmd, &q.Page)
	a.withJSON(cmd)
	cmd.MarkFlagsMutuallyExclusive("sarif", "annotations", "json")
	return cmd
}

// impactOfDiff answers for what differs from a commit. Something that is proven to be
// wrong is a no.
func (a *app) impactOfDiff(cmd *cobra.Command, args []string, q impact.Query, sarif, annotations bool) error {
	q.Diff = "HEAD"
	if len(args) > 0 {
		q.Diff = args[0]
	}
	at, err := a.locate("")
	if err != nil {
		return err
	}
	return a.withCode(cmd, at.root, func(c *code) error {
		q.Globs, q.Path = globsFrom(at.root, q.Globs), at.path
		got, err := impact.New(c.project, c.index, c.search, c.history).Analyze(cmd.Context(), q)
		if err != nil {
			return err
		}
		switch {
		case sarif:
			err = a.sarif(got)
		case annotations:
			err = a.annotations(got)
		default:
			err = a.print(got)
		}
		if err == nil && slices.ContainsFunc(got.Findings, func(f impact.Finding) bool { return f.Proven() }) {
			return errNo
		}
		return err
	})
}

// target writes a target with its path from the root. A symbol, and what else is no
// path, stays as it is.
func (a *app) target(root, name string) string {
	end := strings.IndexAny(name, "#:")
	if end < 0 {
		end = len(name)
	}
	if _, there := resolveExisting(root, name[:end]); end == 0 || !there {
		return name
	}
	return a.pathInside(root, name[:end]) + name[end:]
}

// completions bounds the symbols that a shell is offered.
const completions = 50

// completeTarget offers symbols that begin with what was typed, as the index has
// them; files are the shell's own business. Whatever is wrong offers nothing.
func (a *app) completeTarget(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if typed == "" || strings.Contains(typed, "/") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	a.log = slog.New(slog.DiscardHandler) // the command has not begun
	var names []string
	err := a.withCode(cmd, a.dir(), func(c *code) error {
		found, err := c.index.Symbols(cmd.Context(), index.SymbolQuery{Name: typed, Match: index.Prefix,
			Limit: completions})
		for _, s := range found {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveDefault
}
