package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codeintel/internal/clients/install"
	"codeintel/internal/mcp"
	"codeintel/internal/search"
	"codeintel/internal/syntax"
)

// closedSets returns the flags that take one of a set of values, by name. Where a
// command means another set by the same name, the key is the command and the flag.
func closedSets() map[string][]string {
	people := []string{"en", "ja"}
	languages := plain(syntax.Languages())
	return map[string][]string{
		"log-level":    {"debug", "info", "warn", "error"},
		"collection":   plain([]search.Collection{search.Forest, search.Map, search.Both}),
		"match":        plain([]search.FileMatch{search.AutoMatch, search.GlobMatch, search.FuzzyMatch}),
		"kind":         plain(search.Kinds()),
		"scope":        plain([]install.Scope{install.Project, install.User}),
		"toolsets":     plain([]mcp.Toolset{mcp.Search, mcp.Code, mcp.Forge}),
		"lang":         languages,
		"type":         languages,
		"init lang":    people,
		"install lang": people,
	}
}

func plain[S ~string](list []S) []string {
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
				_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // it is there
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
