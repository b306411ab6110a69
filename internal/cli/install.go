package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/problem"
	"codeintel/internal/project/setup"
)

// installOptions holds the options of install and uninstall.
type installOptions struct {
	scope, plugin, program, lang string
	statusline, dryRun, yes      bool
}

func (a *app) install() *cobra.Command {
	var o installOptions
	cmd := a.installer(&cobra.Command{
		Use:   "install CLIENT…",
		Short: "Set up coding agents: server, hooks and skills",
		Long: strings.TrimSpace(`
Register the MCP server, the hooks and the skills (/code, /forge, /outcome) with coding
agents: ` + registry.All.Names() + `.

It shows what it would write, and asks. Existing settings stay as they are, byte for
byte; running it again changes nothing; a CLAUDE.md or AGENTS.md is written only if the
project has no rules. "code-intel uninstall" removes everything again, and "code-intel
doctor" checks that it works.`),
		Example: "  code-intel install claude\n  code-intel install codex --scope user --dry-run\n  code-intel install claude --plugin ~/code-intel-plugin",
	}, &o, install.Install)
	cmd.Flags().BoolVar(&o.statusline, "statusline", false, statusLineClients()+
		" only: show the session in its status line, unless you have one")
	cmd.Flags().StringVar(&o.lang, "lang", "", "`language` of the skills, en or ja (default: the project's)")
	cmd.Flags().StringVar(&o.program, "program", "", "`path` of the program that clients start (default: this one)")
	return cmd
}

func (a *app) uninstall() *cobra.Command {
	var o installOptions
	return a.installer(&cobra.Command{
		Use:   "uninstall CLIENT…",
		Short: "Remove what install wrote",
		Long: strings.TrimSpace(`
Remove what "code-intel install" wrote. Afterwards the files are as if it had never been
there, apart from your own changes. Anything of ours that you changed stays, and is named.`),
		Example: "  code-intel uninstall claude\n  code-intel uninstall codex --scope user --yes",
	}, &o, install.Uninstall)
}

// clientIDsThat returns the IDs of the clients that can do something.
func clientIDsThat(can func(*install.Client) bool) string {
	var all clients.Registry
	for _, c := range registry.All {
		if can(c.Setup) {
			all = append(all, c)
		}
	}
	return all.Names()
}

func statusLineClients() string {
	return clientIDsThat(func(c *install.Client) bool { return c.StatusLine })
}

// installer completes one of the two commands.
func (a *app) installer(cmd *cobra.Command, o *installOptions,
	plan func(install.Place) (*install.Plan, error)) *cobra.Command {
	cmd.Args = checkArguments
	cmd.ValidArgs = strings.Split(registry.All.Names(), ", ")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		named, err := namedClients(args)
		if err != nil {
			return err
		}
		if o.statusline && !slices.ContainsFunc(named, func(c *clients.Client) bool { return c.Setup.StatusLine }) {
			return problem.New(problem.InvalidArgument, "cli.only_status_line", statusLineClients()).Or("cli.leave_statusline_out")
		}
		var all installReport
		for _, client := range named {
			one, err := a.planned(client, o, plan)
			if err != nil {
				return err
			}
			if cmd.Name() == "install" {
				one.Next = one.place.Next()
			}
			if err := a.carryOut(one, o); err != nil {
				return err
			}
			all = append(all, *one)
		}
		return a.print(all)
	}
	cmd.Flags().StringVar(&o.scope, "scope", string(install.Project), "`where`: project, or user (all your projects)")
	pluginClients := clientIDsThat(func(c *install.Client) bool { return c.Plugin != nil })
	plugin, dryRun := pluginClients+" only: write a plugin to this `folder` instead of settings", "only show what would be written"
	if cmd.Name() == "uninstall" {
		plugin, dryRun = pluginClients+" only: the plugin `folder` that install wrote", "only show what would be removed"
	}
	cmd.Flags().StringVar(&o.plugin, "plugin", "", plugin)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, dryRun)
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	return a.withJSON(cmd)
}

// namedClients returns the clients that the arguments name.
func namedClients(args []string) (named clients.Registry, err error) {
	for _, name := range args {
		client := registry.All.Find(clients.ID(name))
		if client == nil {
			return nil, problem.New(problem.InvalidArgument, "cli.no_client", name).
				Or("problem.name_one", registry.All.Names())
		}
		named = append(named, client)
	}
	return named, nil
}

func (a *app) planned(client *clients.Client, o *installOptions,
	plan func(install.Place) (*install.Plan, error)) (*clientDone, error) {
	p, err := a.installPlace(client, *o)
	if err != nil {
		return nil, err
	}
	ready, err := plan(p)
	if err != nil {
		return nil, err
	}
	if o.program != "" {
		if _, err := os.Stat(p.Program); err != nil {
			ready.Notes = append(ready.Notes, install.Note{Path: p.Program, Text: msg.New("install.no_program_yet")})
		}
	}
	return &clientDone{Client: client.ID(), Scope: p.Scope, Plan: ready, Diff: ready.Diff(), place: p}, nil
}

// carryOut does what is planned, if that is anything, once the user agrees.
func (a *app) carryOut(one *clientDone, o *installOptions) error {
	if o.dryRun || one.Empty() {
		return nil
	}
	if !o.yes {
		if err := a.agree(one); err != nil {
			return err
		}
	}
	if err := one.Apply(); err != nil {
		return err
	}
	one.Done = true
	return nil
}

// installPlace says where a client is to be set up.
func (a *app) installPlace(client *clients.Client, o installOptions) (install.Place, error) {
	p := install.Place{Client: client.Setup, Scope: install.Scope(o.scope), Lang: o.lang,
		Status: o.statusline && client.Setup.StatusLine}
	if name := client.Variables.Settings; name != "" {
		p.Settings = os.Getenv(name)
	}
	open, err := a.project()
	if err != nil {
		return p, err
	}
	p.Root = open.Root
	if p.Lang == "" {
		p.Lang = open.Config.Lang
	}
	if p.Lang != "en" && p.Lang != "ja" {
		return p, problem.New(problem.InvalidArgument, "cli.no_skills", p.Lang).Or("cli.choose_from_en_ja")
	}
	if o.plugin != "" {
		if p.Plugin, err = filepath.Abs(o.plugin); err != nil {
			return p, environment{err}
		}
	}
	if p.Program, err = program(o.program); err != nil {
		return p, environment{err}
	}
	own, shared, err := setup.Rules(p.Root, p.Lang)
	if err != nil {
		return p, err
	}
	if p.Rules = shared; client.Setup.OwnRules {
		p.Rules = own
	}
	return p, fillUserFolders(&p)
}

// fillUserFolders fills in where the user's programs keep things.
func fillUserFolders(p *install.Place) (err error) {
	if p.Home, err = os.UserHomeDir(); err != nil {
		return environment{err}
	}
	if p.Config, err = os.UserConfigDir(); err != nil {
		return environment{err}
	}
	if p.XDG = os.Getenv("XDG_CONFIG_HOME"); !filepath.IsAbs(p.XDG) {
		p.XDG = filepath.Join(p.Home, ".config")
	}
	if p.State, err = atomicfile.UserDir(); err != nil {
		return environment{err}
	}
	return nil
}

// program returns the path by which clients start this program: that on PATH, which
// stays when the program is replaced by a newer one.
func program(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("code-intel")
	if err != nil || !searchpath.Runs(found) {
		return self, nil
	}
	return filepath.Abs(found)
}

// agree shows what would be written, and asks.
func (a *app) agree(one *clientDone) error {
	show := func() error {
		one.shown = true
		_, err := fmt.Fprint(a.out, a.paint.diff(one.Diff), one.notes())
		return err
	}
	return a.confirm(show, "Write this?", "cli.nothing_written", "cli.add_yes_write_dry_run")
}

// diff colours a unified diff.
func (p paint) diff(text string) string {
	if !p {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "+"):
			line = p.in(line, color.FgGreen)
		case strings.HasPrefix(line, "-"):
			line = p.in(line, color.FgRed)
		}
		b.WriteString(line)
	}
	return b.String()
}

// installReport is the report of install and uninstall.
type installReport []clientDone

type clientDone struct {
	Client clients.ID    `json:"client"`
	Scope  install.Scope `json:"scope"`
	*install.Plan
	Diff string   `json:"diff,omitempty"`
	Done bool     `json:"done"`
	Next []string `json:"next,omitempty"`

	place install.Place
	shown bool // the diff, on a terminal
}

// Text shows the diff where it was not shown yet, and says what was done.
func (l installReport) Text() string {
	var b strings.Builder
	for i, c := range l {
		if i > 0 {
			b.WriteString("\n")
		}
		if c.Empty() {
			fmt.Fprintf(&b, "%s (%s): nothing to do\n%s", c.Client, c.Scope, c.notes())
			continue
		}
		if !c.shown {
			b.WriteString(c.Diff)
		}
		would := ""
		if !c.Done {
			would = "would "
		}
		fmt.Fprintf(&b, "%s (%s):\n", c.Client, c.Scope)
		for _, change := range c.Changes {
			fmt.Fprintf(&b, "  %s%-6s %s\n", would, change.Action, change.Path)
		}
		if !c.shown {
			b.WriteString(c.notes())
		}
		for _, n := range c.Next {
			fmt.Fprintf(&b, "next: %s\n", n)
		}
	}
	return b.String()
}

func (c clientDone) notes() string {
	var b strings.Builder
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "note: %s: %s\n", n.Path, n.Text)
	}
	return b.String()
}
