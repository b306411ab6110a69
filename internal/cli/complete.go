package cli

import (
	"context"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codeintel/internal/clients/install"
	"codeintel/internal/clients/registry"
	"codeintel/internal/embedding/hub"
	"codeintel/internal/mcp"
	"codeintel/internal/search"
	"codeintel/internal/search/filekind"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/syntax"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
)

// closedSets returns the flags that take one of a set of values, by name. Where a
// command means another set by the same name, the key is the command and the flag.
func closedSets() map[string]func() []string {
	people := setOf("en", "ja")
	languages := func() []string { return stringsOf(syntax.Languages()) }
	return map[string]func() []string{
		"log-level":    setOf("debug", "info", "warn", "error"),
		"collection":   setOf(search.Forest, search.Map, search.Both),
		"match":        setOf(search.AutoMatch, search.GlobMatch, search.FuzzyMatch),
		"kind":         func() []string { return stringsOf(filekind.Kinds()) },
		"scope":        setOf(install.Project, install.User),
		"toolsets":     setOf(mcp.Search, mcp.Code, mcp.Forge),
		"lang":         languages,
		"type":         languages,
		"init lang":    people,
		"install lang": people,
	}
}

func setOf[S ~string](values ...S) func() []string {
	return func() []string { return stringsOf(values) }
}

func stringsOf[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// completeFlags has shells offer the values of every flag that takes one of a set.
func completeFlags(root *cobra.Command) {
	sets := closedSets()
	var below func(*cobra.Command)
	below = func(cmd *cobra.Command) {
		offer := func(f *pflag.Flag) {
			values := sets[cmd.Name()+" "+f.Name]
			if values == nil {
				values = sets[f.Name]
			}
			if values != nil {
				offered := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
					return values(), cobra.ShellCompDirectiveNoFileComp
				}
				_ = cmd.RegisterFlagCompletionFunc(f.Name, offered) // it is there
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(offer)
		if cmd == root {
			cmd.PersistentFlags().VisitAll(offer)
		}
		for _, sub := range cmd.Commands() {
			below(sub)
		}
	}
	below(root)
}

// filesAfter completes nothing for the first n arguments, and files for those after them.
func filesAfter(n int) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) < n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// completeName offers symbols for the first argument, and files for the next.
func (a *app) completeName(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	names, _ := a.completeTarget(cmd, args, typed)
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeArguments has shells offer the names that the arguments of a command take.
func (a *app) completeArguments(root *cobra.Command) {
	sets := map[string]func(context.Context) ([]string, error){
		"session show": a.sessionIDs, "session verify": a.sessionIDs, "session resume": a.sessionIDs,
		"session abandon": a.sessionIDs,
		"session changes": a.sessionIDs,
		"pipeline show":   a.pipelineNames, "pipeline abandon": a.pipelineNames,
		"approve": func(ctx context.Context) ([]string, error) {
			ids, err := a.sessionIDs(ctx)
			if err != nil {
				return nil, err
			}
			names, err := a.pipelineNames(ctx)
			return append(ids, names...), err
		},
		"trust":      a.trustNames,
		"model pull": func(context.Context) ([]string, error) { return modelNames() },
		"hook":       func(context.Context) ([]string, error) { return strings.Split(registry.All.Names(), ", "), nil },
	}
	folders := map[string]bool{"index": true, "init": true}
	var below func(*cobra.Command)
	below = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if list := sets[name]; list != nil {
			cmd.ValidArgsFunction = a.completeFrom(list)
		}
		if folders[name] {
			cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
		}
		for _, sub := range cmd.Commands() {
			below(sub)
		}
	}
	below(root)
}

// completeFrom completes an argument with the names of a list, but those that were given.
func (a *app) completeFrom(list func(context.Context) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, typed string) (names []string, _ cobra.ShellCompDirective) {
		a.log = slog.New(slog.DiscardHandler) // the command has not begun
		if _, _, many := operandsInUseLine(cmd); len(given) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := list(cmd.Context()) // there is nowhere to say what is wrong
		for _, name := range all {
			if strings.HasPrefix(name, typed) && !slices.Contains(given, name) && safeForShell(name) {
				names = append(names, name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// safeForShell reports whether a name may be on the line of a shell as it is: some put it there
// so, and would run what is in it, and all show it on the terminal.
func safeForShell(name string) bool {
	word := name[:min(1, len(name))] + strings.ReplaceAll(name[min(1, len(name)):], "#", "") // a.ts#Router
	return quote.Shell(word) == word && quote.Text(name) == name
}

func (a *app) sessionIDs(context.Context) (ids []string, err error) {
	p, err := a.project()
	if err != nil {
		return nil, err
	}
	all, err := savedsessions.List(p)
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	return ids, err
}

func (a *app) pipelineNames(context.Context) (names []string, err error) {
	s, err := a.pipelines()
	if err != nil {
		return nil, err
	}
	all, err := s.List()
	for _, p := range all {
		names = append(names, path.Base(p.Workspace))
	}
	return names, err
}

// trustNames are the verifiers and language servers that there are to trust.
func (a *app) trustNames(ctx context.Context) (names []string, err error) {
	p, err := a.project()
	if err != nil {
		return nil, err
	}
	store, err := trust.Open()
	if err != nil {
		return nil, err
	}
	all, _, err := trustable(ctx, p, store)
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names, err
}

func modelNames() (names []string, err error) {
	dir, err := modelsDir()
	if err != nil {
		return nil, err
	}
	all, err := hub.List(dir, hub.Sizes)
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names, err
}
