// Package cli is the command line: it reads the arguments, builds the services that a
// command needs, runs it, and reports the result as text and exit status.
//
// Standard output holds what was asked for and nothing else, as text or, with --json, as
// JSON. Everything said about it goes to standard error. This package imports almost all
// others, and leaves every decision to them.
package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/plainjson"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
	"codeintel/internal/text/redact"
)

// Exit statuses. They are part of the command line: scripts test for them.
const (
	exitDone        = 0
	exitNo          = 1 // the answer is no: nothing found, a check failed
	exitUsage       = 2 // the command line is wrong
	exitEnvironment = 3 // something outside the program is missing or in the way
	exitInternal    = 4 // a defect of the program
)

// errNo is the answer no, which has been printed already.
var errNo = errors.New("no")

// prevented is the code of an answer that something outside of the program prevents, where no
// other code says what.
const prevented problem.Code = "prevented"

// environment marks an error that the user's environment causes: a missing folder, settings
// that cannot be read, an address in use.
type environment struct{ error }

func (e environment) Unwrap() error { return e.error }

// app is one run of the program: what it may touch of the world, and what the
// flags of every command say.
type app struct {
	in       io.Reader
	out, err io.Writer
	paint    paint // for out

	root     string
	json     bool
	logLevel string
	logFile  string

	log     *slog.Logger
	logTo   io.Closer // nil: standard error
	running bool      // the command line was right, and the command began
	name    string    // of that command

	lang   msg.Language // of the project, once one is open
	opened string       // its root
	bar    *progressBar // of work that an answer waits for

	highlight *regexp.Regexp // what is highlighted in the lines of an answer; nil: nothing
}

// Main runs the command line and returns the exit status.
func Main(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	a := &app{in: in, out: out, err: err, paint: paint(isTerminal(out) && os.Getenv("NO_COLOR") == "" &&
		os.Getenv("TERM") != "dumb")}
	all := commands
	if len(args) > 0 && args[0] == "hook" { // a client starts one at each step of its model, and waits
		all = []func(*app) *cobra.Command{(*app).hook}
	}
	root := a.command(all)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(err)
	usual := root.HelpFunc()
	var misnamed error // a command whose help was asked for
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if names := cmd.Flags().Args(); cmd.HasSubCommands() && len(names) > 0 {
			misnamed = a.noSuchCommand(cmd, names)
			return
		}
		usual(cmd, args)
	})
	ran, failure := root.ExecuteContextC(ctx)
	failure = cmp.Or(failure, misnamed)
	if a.logTo != nil {
		failure = errors.Join(failure, a.logTo.Close())
	}
	if failure == nil {
		return exitDone
	}
	if own := exitStatus(0); errors.As(failure, &own) {
		return int(own)
	}
	status := a.status(failure)
	if !errors.Is(failure, errNo) {
		a.complain(ran, failure)
	}
	return status
}

// status reports what kind of failure it was.
func (a *app) status(err error) int {
	var surroundings environment
	var execErr *exec.Error
	var number syscall.Errno
	p := problem.Of(err)
	switch {
	case errors.Is(err, errNo):
		return exitNo
	case !a.running:
		return exitUsage
	case errors.As(err, &surroundings):
		return exitEnvironment
	case p != nil:
		return statusOf(p.Code)
	case errors.Is(err, context.Canceled), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist),
		errors.As(err, &execErr), errors.As(err, &number), adviceFor(err) != "":
		return exitEnvironment
	}
	return exitInternal
}

// statusOf sorts refusals: those of an argument, and those that answer no.
func statusOf(c problem.Code) int {
	switch c {
	case problem.InvalidArgument, problem.OutsideRoot, "invalid_pattern", "invalid_cursor":
		return exitUsage
	case index.Replaced:
		return exitEnvironment
	case problem.Internal:
		return exitInternal
	}
	return exitNo
}

// complain says what went wrong on standard error, in the form asked for.
func (a *app) complain(cmd *cobra.Command, err error) {
	status := a.status(err)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	r := struct {
		Error   problem.Code `json:"error"`
		Message string       `json:"message"`
		Next    []string     `json:"legal_next,omitempty"`
	}{problem.Internal, err.Error(), nil}
	if p := problem.Of(err); p != nil {
		words := a.words(cmd.Name())
		r.Error, r.Message, r.Next = p.Code, words.Text(p.Message), words.Texts(p.Next)
	} else if way := adviceFor(err); way != "" {
		if p := systemerror.Of(err); p != nil {
			r.Error = p.Code
		}
		r.Next = []string{way}
	}
	switch {
	case r.Error != problem.Internal:
	case status == exitUsage:
		r.Error = problem.InvalidArgument
	case status == exitEnvironment:
		r.Error = prevented
	}
	if a.json {
		_ = encoder(a.err).Encode(r) // nowhere left to say that it cannot be said
		return
	}
	a.note("%s: %s\n", cmd.CommandPath(), r.Message)
	for _, next := range r.Next {
		a.note("  %s\n", next)
	}
	if !a.running {
		a.note("Try %q.\n", cmd.CommandPath()+" --help")
	}
}

// note tells the user something besides the answer.
func (a *app) note(format string, args ...any) {
	fmt.Fprint(a.err, quote.Text(fmt.Sprintf(format, args...)))
}

// command builds the tree of commands.
func (a *app) command(commands []func(*app) *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "code-intel",
		Short: "Understand a code base before changing it",
		Long: strings.TrimSpace(`
code-intel knows a repository and answers questions about it: to coding agents
over the Model Context Protocol, and to people on the command line.`),
		Example:       "  code-intel init\n  code-intel install claude\n  code-intel index\n  code-intel search \"where is the config file parsed\"\n  code-intel mcp",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionOf().Version,

		SuggestionsMinimumDistance: 2,
		Args:                       a.noSuchCommand,
		PersistentPreRunE:          a.begin,
		RunE:                       a.incomplete("a command is missing"),
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.root, "root", "", "a `folder` in the project (default: the current folder)")
	flags.StringVar(&a.logLevel, "log-level", "warn", "log level: debug, info, warn, error")
	flags.StringVar(&a.logFile, "log-file", "", "log to this `file` instead of standard error")
	root.SetFlagErrorFunc(noSuchFlag)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	for _, build := range commands {
		root.AddCommand(build(a))
	}
	completeFlags(root)
	a.completeArguments(root)
	root.SetVersionTemplate(versionOf().Text() + "\n")
	root.SetHelpCommand(a.help(root))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = a.noSuchCommand, a.incomplete("a shell is missing: bash, fish, powershell or zsh")
		}
	}
	return root
}

// commands is every command, in the order of the help text.
var commands = []func(*app) *cobra.Command{
	(*app).mcp, (*app).init, (*app).index, (*app).explore, (*app).search, (*app).def, (*app).refs,
	(*app).outline, (*app).grep, (*app).files, (*app).impact, (*app).why, (*app).deps, (*app).dead, (*app).model,
	(*app).state, (*app).session,
	(*app).pipeline, (*app).dashboard, (*app).install, (*app).uninstall, (*app).approve, (*app).hook,
	(*app).statusline, (*app).clean, (*app).trust, (*app).insights, (*app).doctor, (*app).version,
}

// noSuchCommand returns the error for an unknown command. It suggests the nearest one.
func (a *app) noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	p := problem.New(problem.InvalidArgument, "cli.no_command", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return p.Or("cli.did_you_mean", strings.Join(near, " or "))
	}
	return p.Or("cli.help_says_more", cmd.CommandPath())
}

// noSuchFlag adds to the error for an unknown flag which one is spelled nearly so, if one is.
func noSuchFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	name := unknown.GetSpecifiedName()
	if len(name) > text.MaxCompared {
		return err
	}
	pattern := text.NewPattern(name)
	pattern.Swaps = true
	near, least := "", min(3, len(name)/2+1) // edits
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := pattern.Distance(f.Name, len(f.Name), least); !f.Hidden && d < least {
			near, least = f.Name, d
		}
	})
	if near == "" {
		return err
	}
	return problem.New(problem.InvalidArgument, "cli.no_flag", "--"+name).Or("cli.did_you_mean", "--"+near)
}

// group makes a command of several below it, of which one must be named.
func (a *app) group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	var names []string
	for _, b := range below {
		names = append(names, b.Name())
	}
	last := len(names) - 1
	cmd.Args = a.noSuchCommand
	cmd.RunE = a.incomplete("a command is missing: " + strings.Join(names[:last], ", ") + " or " + names[last])
	cmd.AddCommand(below...)
	return cmd
}

// incomplete is what a command does whose line lacks a word.
func (a *app) incomplete(why string) func(*cobra.Command, []string) error {
	return func(*cobra.Command, []string) error {
		a.running = false
		return errors.New(why)
	}
}

// begin runs before every command, once its arguments are known to be right.
func (a *app) begin(cmd *cobra.Command, _ []string) error {
	if err := checkFlagGroups(cmd); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return problem.New(problem.InvalidArgument, "cli.log_level", a.logLevel).Or("cli.use_debug_info_warn_error")
	}
	a.running, a.name = true, cmd.Name()
	to := a.err
	if a.logFile != "" {
		f, err := os.OpenFile(a.logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("log: %w", err)
		}
		to, a.logTo = f, f
	}
	a.log = slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level}))
	return nil
}

// withJSON gives a command the flag --json.
func (a *app) withJSON(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}

// dir is the folder to work in: an argument, else --root, else the current one.
func (a *app) dir(args ...string) string {
	for _, d := range append(args, a.root, ".") {
		if d != "" {
			return d
		}
	}
	return "."
}

// An answer is the result of a command.
type answer interface{ Text() string }

// print writes an answer in the form asked for.
func (a *app) print(v answer) error {
	if a.bar != nil {
		a.bar.end()
	}
	v = msg.Bind(v, a.words(a.name))
	_, search := v.(found)
	if a.json {
		enc := encoder(a.out)
		enc.SetIndent("", "  ")
		if search {
			return a.withRoot(enc, v)
		}
		return enc.Encode(v)
	}
	if search && a.opened != "" {
		v = quote.Paths(v, shownAs(a.opened))
	} else {
		v = quote.Paths(v, quote.Path)
	}
	s := a.paint.marked(quote.Text(strings.TrimRight(v.Text(), "\n"))+"\n", a.highlight)
	_, err := io.WriteString(a.out, a.paint.text(s))
	return err
}

// encoder writes values as JSON, without keys and with nothing that a terminal acts on.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(redact.Writer{To: quote.JSON{To: w}})
	enc.SetEscapeHTML(false)
	return enc
}

// withRoot writes an answer with the root that its paths are relative to.
func (a *app) withRoot(enc *json.Encoder, v any) error {
	plain, err := plainjson.Encode(v)
	if err != nil {
		return err
	}
	root, err := json.Marshal(a.opened)
	if err != nil {
		return err
	}
	rest := bytes.TrimPrefix(plain, []byte("{"))
	return enc.Encode(json.RawMessage(fmt.Sprintf(`{"root":%s,%s`, root, rest)))
}
