package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"codeintel/test/golden"
)

// TestReference holds docs/reference/command-line.md to the commands there are.
func TestReference(t *testing.T) {
	golden.Hold(t, "../../docs/reference/command-line.md", reference((&app{}).command(commands)))
}

// reference describes the whole command line in Markdown.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Command line\n\nGenerated from the program by `go test ./internal/cli -run TestReference -update`.\n\n")
	b.WriteString("Exit statuses and environment variables are in [settings](settings.md#exit-statuses).\n\n")
	b.WriteString("| command | |\n|---|---|\n")
	all := visible(root)
	for _, c := range all {
		name := c.CommandPath()
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", name, strings.ReplaceAll(name, " ", "-"), c.Short)
	}
	b.WriteString("\n## Flags of every command\n\n")
	writeFlags(&b, root.PersistentFlags().FlagUsages())
	for _, c := range all {
		writeCommand(&b, c)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// visible returns the commands below one, in order, each before its own.
func visible(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(append(all, sub), visible(sub)...)
		}
	}
	return all
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n", c.CommandPath(), c.Short)
	if c.Long != "" {
		fmt.Fprintf(b, "%s\n\n", c.Long)
	}
	if c.Runnable() && !c.HasAvailableSubCommands() {
		fmt.Fprintf(b, "```text\n%s\n```\n\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(b, "```sh\n%s\n```\n\n", unindented(c.Example))
	}
	writeFlags(b, c.LocalNonPersistentFlags().FlagUsages())
}

func unindented(text string) string {
	return strings.TrimSpace(strings.ReplaceAll("\n"+text, "\n  ", "\n"))
}

// writeFlags writes the flags, or nothing if there are none.
func writeFlags(b *strings.Builder, usages string) {
	if usages != "" {
		fmt.Fprintf(b, "```text\n%s```\n\n", usages)
	}
}
