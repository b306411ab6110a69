package cli

import (
	"errors"
	"io/fs"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"codeintel/internal/platform/fdlimit"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
)

// operands are the words of a Use line behind the command's name: NAME must be
// there, [NAME] may, and NAME… takes all that are left.
var operands = lazyregexp.MustCompile(`\[[^\]]*\]|\S+`)

// operandsInUseLine counts what the Use line of a command names.
func operandsInUseLine(cmd *cobra.Command) (all, needed []string, many bool) {
	_, rest, _ := strings.Cut(cmd.Use, " ")
	all = operands.FindAllString(rest, -1)
	for _, o := range all {
		if !strings.HasPrefix(o, "[") {
			needed = append(needed, o)
		}
		many = many || strings.Contains(o, "…")
	}
	return all, needed, many
}

// checkArguments holds the arguments of a command to its Use line.
func checkArguments(cmd *cobra.Command, args []string) error {
	all, needed, many := operandsInUseLine(cmd)
	form := strings.TrimSpace(cmd.CommandPath() + " " + strings.Join(all, " "))
	switch {
	case len(args) < len(needed):
		return problem.New(problem.InvalidArgument, "cli.argument_missing", strings.TrimSuffix(needed[len(args)], "…"), form).
			Or("cli.help_says_more", cmd.CommandPath())
	case len(args) > len(all) && !many:
		return problem.New(problem.InvalidArgument, "cli.one_argument_too_many", args[len(all)], form).
			Or("cli.help_says_more", cmd.CommandPath())
	}
	return nil
}

// checkFlagGroups holds the flags of a command line to what they may be given with: some exclude
// each other, some are nothing without another.
func checkFlagGroups(cmd *cobra.Command) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	if _, set, ok := strings.Cut(err.Error(), "can be; ["); ok { // the wording of cobra
		flags := strings.Fields(strings.TrimSuffix(set, "] were all set"))
		return problem.New(problem.InvalidArgument, "cli.exclude_each_other", strings.Join(flags, " and --")).
			Or("cli.leave_all_but_one_out")
	}
	if group, missing, ok := strings.Cut(err.Error(), "] are set they must all be set; missing ["); ok {
		_, group, _ = strings.Cut(group, "[")
		absent := strings.Fields(strings.TrimSuffix(missing, "]"))
		given := slices.DeleteFunc(strings.Fields(group), func(f string) bool { return slices.Contains(absent, f) })
		return problem.New(problem.InvalidArgument, "cli.flag_needs_another",
			strings.Join(given, " and --"), strings.Join(absent, " and --")).
			Or("cli.add_flag_or_leave_out", strings.Join(absent, " and --"), strings.Join(given, " and --"))
	}
	return err
}

// A count is a flag for how many of something there may be: one at least.
type count int

func countFlag(cmd *cobra.Command, n *int, name, short, usage string) {
	cmd.Flags().VarP((*count)(n), name, short, usage)
}

// Set takes the value of the flag.
func (c *count) Set(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return errors.New("it must be a whole number, 1 or more")
	}
	*c = count(n)
	return nil
}

// String is the value, "0" where the flag was not used.
func (c *count) String() string { return strconv.Itoa(int(*c)) }

// Type is what the help calls the value.
func (c *count) Type() string { return "int" }

// help is cobra's command of that name, but for a word that is not a command.
func (a *app) help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: "  code-intel help search\n  code-intel help model pull",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				a.running = false
				return err
			}
			if len(rest) > 0 {
				a.running = false
				return a.noSuchCommand(cmd, rest)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// adviceFor says what a person can do about an error of the surroundings, "" if that is
// not known.
func adviceFor(err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "Install it, and see that it is on PATH; code-intel doctor says what is missing."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "Give yourself the right to do that there, or work in a copy of your own."
	case errors.Is(err, syscall.ENOTDIR):
		return "A file stands where a folder belongs: move it away."
	case errors.Is(err, syscall.EADDRINUSE):
		return "Choose another port, or end the program that listens there."
	case strings.Contains(err.Error(), "$HOME") && strings.Contains(err.Error(), "defined"):
		return "Set HOME: what is yours, and no project's, is kept below it."
	}
	switch p := systemerror.Of(err); {
	case p == nil && errors.As(err, new(*net.OpError)):
		return "Give an address of this machine, such as 127.0.0.1:0."
	case p == nil && errors.As(err, new(*fs.PathError)):
		return "Give the name of another file or folder."
	case p == nil:
		return ""
	case p.Code == systemerror.NoSpace:
		return "Free disk space, and try again."
	case p.Code == systemerror.FileLimit:
		return "Let files grow (ulimit -f), or keep the index where they may: XDG_CACHE_HOME."
	case p.Code == systemerror.NoTemporary:
		return "Set TMPDIR to a folder that is there."
	case p.Code == systemerror.NoDescriptors:
		return fdlimit.Advice
	case p.Code == systemerror.NoMemory:
		return "Let this program take more memory (ulimit -d, or the limit of the container), or name fewer folders in source_dirs of .code-intel/config.json."
	case p.Code == systemerror.Locked:
		return "End that program, or let it go on (lsof shows it), and try again."
	case p.Code == systemerror.ReadOnly:
		return "Work in a copy that can be written to."
	case len(p.Next) > 0:
		return p.Next[0].String()
	}
	return ""
}
