package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
)

// grepOptions holds the options of one run of grep.
type grepOptions struct {
	q             search.TextQuery
	patterns      []string // of -e
	fixed         bool
	insensitive   bool
	smart         bool
	before, after int
	include       []string
	exclude       []string
	excludeDir    []string
	names, counts bool // only names of files, or how often they match
	vim           bool
	quiet         bool // only the status says whether there is a match
	line          bool // a match takes a whole line

	seen  map[string]bool
	found int // lines
	files int
}

func (a *app) grep() *cobra.Command {
	g := &grepOptions{seen: map[string]bool{}}
	extended := false
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH…]",
		Short: "Find text in the files of the project",
		Long: strings.TrimSpace(`
Find lines that match a regular expression (RE2) or, with -F, contain literal text, in the
whole project or in the files and folders named. Ignored, binary and secret files are left
out.

In a pipe every match is a line FILE:LINE:TEXT, and there is no limit; notes about the
search go to standard error. On a terminal the first 50 matches are shown, grouped by file;
--limit changes that number.

Options of grep that ask for what happens here anyway are accepted: -r and -R (folders are
searched), -n (lines are numbered), -H, -I, -s and --color.`),
		Example: "  code-intel grep 'func \\w+Reader' -g '*.go' -C 3\n  code-intel grep -F 'a[i]' internal cmd\n  code-intel grep -i -e todo -e fixme -l\n  vim -q <(code-intel grep --vimgrep NewReader)",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(g.patterns) > 0 {
				return nil
			}
			return checkArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g.q.Pattern = g.patterns
			if len(g.patterns) == 0 {
				g.q.Pattern, args = args[:1], args[1:]
			}
			return a.runGrep(cmd, g, args)
		},
		ValidArgsFunction: filesAfter(1),
	}
	f := cmd.Flags()
	f.StringArrayVarP(&g.patterns, "pattern", "e", nil, "a `pattern`; may be given up to five times, then all arguments are paths")
	f.BoolVarP(&g.fixed, "fixed-strings", "F", false, "treat the patterns as literal text")
	f.BoolVarP(&extended, "regex", "E", false, "treat the patterns as regular expressions (the default)")
	f.BoolVarP(&g.insensitive, "ignore-case", "i", false, "ignore case")
	f.BoolVarP(&g.smart, "smart-case", "S", false, "ignore case unless the pattern has an upper-case letter")
	f.BoolVarP(&g.q.WholeWord, "word", "w", false, "match whole words only")
	f.BoolVarP(&g.q.Invert, "invert-match", "v", false, "find the lines that no pattern matches")
	f.BoolVarP(&g.names, "files-with-matches", "l", false, "print only the names of files that have a match")
	f.BoolVarP(&g.counts, "count", "c", false, "print how many lines of each file match")
	f.BoolVar(&g.vim, "vimgrep", false, "print FILE:LINE:COLUMN:TEXT")
	f.IntVarP(&g.q.Context, "context", "C", 0, "lines to show before and after each match")
	f.IntVarP(&g.before, "before-context", "B", 0, "lines to show before each match")
	f.IntVarP(&g.after, "after-context", "A", 0, "lines to show after each match")
	f.StringVarP(&g.q.FileType, "type", "t", "", "only files in this language or with this extension")
	cmd.MarkFlagsMutuallyExclusive("ignore-case", "smart-case")
	cmd.MarkFlagsMutuallyExclusive("fixed-strings", "regex")
	cmd.MarkFlagsMutuallyExclusive("files-with-matches", "count", "vimgrep")
	addFilterFlags(cmd, &g.q.Where)
	addPageFlagsWithShort(cmd, &g.q.Page, "")
	g.addKnownOptions(cmd)
	return a.withJSON(cmd)
}

// addKnownOptions adds the options that people know from grep and ripgrep: those that change nothing
// here, those that have another name here, and those that are not supported.
func (g *grepOptions) addKnownOptions(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing: the status is 0 if there is a match and 1 if not")
	f.BoolVarP(&g.line, "line-regexp", "x", false, "match whole lines only")
	f.StringArrayVar(&g.include, "include", nil, "only files that match this `glob`, like -g")
	f.StringArrayVar(&g.exclude, "exclude", nil, "no files that match this `glob`, like -g '!…'")
	f.StringArrayVar(&g.excludeDir, "exclude-dir", nil, "no folders of this `name`")
	for name, short := range map[string]string{
		"recursive": "r", "dereference-recursive": "R", "line-number": "n", "with-filename": "H", "binary-without-match": "I",
		"no-messages": "s", "no-heading": "", "heading": "",
	} {
		f.BoolP(name, short, false, "does nothing: see above")
		_ = f.MarkHidden(name) // it is there
	}
	f.String("color", "auto", "does nothing: output is coloured on a terminal")
	f.Lookup("color").NoOptDefVal = "auto"
	_ = f.MarkHidden("color")
	for name, short := range map[string]string{
		"only-matching": "o", "files-without-match": "L", "perl-regexp": "P", "max-count": "m", "null": "Z",
		"hidden": "", "no-ignore": "",
	} {
		f.VarPF(unsupportedOption(name), name, short, "not supported").NoOptDefVal = "true"
		_ = f.MarkHidden(name)
	}
	other := map[string]string{
		"word-regexp": "word", "extended-regexp": "regex", "regexp": "pattern", "iglob": "glob", "colour": "color",
		"silent": "quiet",
	}
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(cmp.Or(other[name], name))
	})
}

// unsupportedOption is the value of an option of grep that is not supported.
type unsupportedOption string

func (l unsupportedOption) String() string { return "" }
func (l unsupportedOption) Type() string   { return "bool" }

// Set refuses the option, and says what to write.
func (l unsupportedOption) Set(string) error {
	p := problem.New(problem.InvalidArgument, "cli.grep_option_missing", "--"+string(l))
	switch l {
	case "max-count":
		return p.Or("cli.grep_use_limit")
	case "perl-regexp":
		return p.Or("cli.grep_use_re2")
	case "only-matching":
		return p.Or("cli.grep_use_vimgrep")
	}
	return p.Or("cli.grep_use_grep")
}

// runGrep asks and prints. Paths may be several, all of one project.
func (a *app) runGrep(cmd *cobra.Command, g *grepOptions, args []string) error {
	at, inside, err := a.locateAll(args)
	if err != nil {
		return err
	}
	if len(args) > 0 && g.q.Path != "" {
		return problem.New(problem.InvalidArgument, "cli.exclude_each_other", "path and PATH").Or("cli.leave_all_but_one_out")
	}
	g.q.Regex = !g.fixed
	if g.line {
		g.wholeLines()
	}
	g.narrow()
	switch {
	case g.insensitive:
		g.q.Case = search.Insensitive
	case g.smart:
		g.q.Case = search.Smart
	}
	before, after := max(g.before, g.q.Context), max(g.after, g.q.Context)
	if g.q.Context = max(before, after); min(g.before, g.after) < 0 {
		g.q.Context = min(g.before, g.after)
	}
	g.before, g.after = before, after
	limited := cmd.Flags().Changed("limit") || cmd.Flags().Changed("cursor")
	every := g.names || g.counts || g.vim || g.quiet || !limited && !isTerminal(a.out)
	if every && limited && len(inside) > 1 {
		inside = inside[:1]
	}
	return a.withCode(cmd, at, func(c *code) error {
		g.q.Globs = globsFrom(c.project.Root, g.q.Globs)
		if g.q.Path != "" {
			inside = []string{a.pathInside(c.project.Root, g.q.Path)}
		}
		if !every && len(inside) == 1 {
			return a.grepPage(cmd, c, g, inside[0])
		}
		return a.grepAll(cmd.Context(), c, g, inside)
	})
}

// wholeLines makes the patterns match whole lines only.
func (g *grepOptions) wholeLines() {
	for i, p := range g.q.Pattern {
		if g.fixed {
			p = regexp.QuoteMeta(p)
		}
		g.q.Pattern[i] = "^(?:" + p + ")$"
	}
	g.q.Regex, g.fixed = true, false
}

// narrow turns the globs of --include and the like into those of -g.
func (g *grepOptions) narrow() {
	g.q.Globs = append(g.q.Globs, g.include...)
	for _, glob := range g.exclude {
		g.q.Globs = append(g.q.Globs, "!"+glob)
	}
	for _, dir := range g.excludeDir {
		g.q.Globs = append(g.q.Globs, "!**/"+strings.Trim(dir, "/")+"/**")
	}
}

// locateAll returns the root of the project that all paths belong to, and the paths relative
// to it.
func (a *app) locateAll(names []string) (root string, inside []string, err error) {
	at, err := a.locate("")
	if err != nil {
		return "", nil, err
	}
	root, inside = at.root, []string{""}
	for i, name := range names {
		l, err := a.locate(name)
		if err != nil {
			return "", nil, err
		}
		switch {
		case i == 0:
			root, inside = l.root, []string{l.path}
		case l.root != root:
			return "", nil, elsewhere(name, root)
		default:
			inside = append(inside, l.path)
		}
	}
	return root, inside, nil
}

// grepPage prints the first matches, or those after a cursor, grouped by file.
func (a *app) grepPage(cmd *cobra.Command, c *code, g *grepOptions, inside string) error {
	q := g.q
	q.Path = inside
	got, err := c.search.Text(cmd.Context(), q)
	if err != nil {
		return g.refused(err)
	}
	for i := range got.Matches {
		g.cut(&got.Matches[i])
	}
	a.highlight = g.expression(bool(a.paint))
	return a.printAnswer(got)
}

// grepAll prints all matches in the form asked for. Files that two paths name are shown
// once.
func (a *app) grepAll(ctx context.Context, c *code, g *grepOptions, inside []string) error {
	out := bufio.NewWriter(a.out)
	shown := shownAs(c.project.Root)
	var whole *search.TextAnswer
	for _, at := range inside {
		q := g.q
		q.Path = at
		got, err := c.search.EachText(ctx, q, func(matches []search.TextMatch) error {
			file := matches[0].File
			if g.seen[file] {
				return nil
			}
			g.seen[file] = true
			g.files, g.found = g.files+1, g.found+len(matches)
			if a.json || g.quiet {
				return nil
			}
			a.bar.end()
			return g.write(out, shown(file), matches)
		})
		if err != nil {
			return g.refused(err)
		}
		if whole != nil {
			got.Lack(whole.Completeness)
		}
		whole = got
	}
	if a.json {
		return a.grepJSON(ctx, c, g, inside)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	a.bar.end()
	if g.quiet {
		switch {
		case g.found == 0 && !whole.Complete:
			return exitStatus(exitEnvironment)
		case g.found == 0:
			return errNo
		}
		return nil
	}
	if g.found == 0 || isTerminal(a.err) {
		fmt.Fprintf(a.err, "%s in %s\n", text.Counted(g.found, "match", "es"), text.Counted(g.files, "file", "s"))
	}
	words := a.words(a.name)
	for _, n := range words.Texts(append(whole.Notes, whole.LeftOut...)) {
		a.note("note: %s\n", n)
	}
	for _, gap := range whole.Missing {
		a.note("incomplete: %s\n", words.Text(gap.Reason))
	}
	switch {
	case g.found == 0 && !whole.Complete:
		return exitStatus(exitEnvironment) // there may be some
	case g.found == 0:
		return errNo
	}
	return nil
}

// grepJSON prints all matches as one answer.
func (a *app) grepJSON(ctx context.Context, c *code, g *grepOptions, inside []string) error {
	var all *search.TextAnswer
	seen := map[string]bool{}
	for _, at := range inside {
		q := g.q
		q.Path = at
		var matches []search.TextMatch
		got, err := c.search.EachText(ctx, q, func(m []search.TextMatch) error {
			if !seen[m[0].File] {
				seen[m[0].File] = true
				for i := range m {
					g.cut(&m[i])
				}
				matches = append(matches, m...)
			}
			return nil
		})
		if err != nil {
			return g.refused(err)
		}
		if got.Matches = matches; all == nil {
			all = got
			continue
		}
		all.Lack(got.Completeness)
		all.Matches = append(all.Matches, matches...)
		all.Searched += got.Searched
		for i := range all.Patterns {
			all.Patterns[i].Lines += got.Patterns[i].Lines
			all.Patterns[i].Files += got.Patterns[i].Files
		}
	}
	if all.Matches == nil {
		all.Matches = []search.TextMatch{}
	}
	all.Files, all.Total, all.Shown = len(seen), len(all.Matches), len(all.Matches)
	return a.printAnswer(all)
}

// cut leaves as many lines around a match as were asked for on each side.
func (g *grepOptions) cut(m *search.TextMatch) {
	m.Before = m.Before[max(0, len(m.Before)-g.before):]
	m.After = m.After[:min(len(m.After), g.after)]
}

// write prints the matches of one file as grep does.
func (g *grepOptions) write(out *bufio.Writer, file string, matches []search.TextMatch) error {
	switch {
	case g.names:
		_, err := fmt.Fprintln(out, file)
		return err
	case g.counts:
		_, err := fmt.Fprintf(out, "%s:%d\n", file, len(matches))
		return err
	}
	last, around := 0, g.before+g.after > 0 // last is the last line printed
	if around && g.files > 1 {
		fmt.Fprintln(out, "--")
	}
	for i := range matches {
		m := &matches[i]
		g.cut(m)
		if first := m.Line - len(m.Before); around && last > 0 && first > last+1 {
			fmt.Fprintln(out, "--")
		}
		for j, t := range m.Before {
			if n := m.Line - len(m.Before) + j; n > last {
				fmt.Fprintf(out, "%s-%d-%s\n", file, n, quote.Text(t))
			}
		}
		if g.vim {
			fmt.Fprintf(out, "%s:%d:%d:%s\n", file, m.Line, m.Column, quote.Text(m.Content))
		} else {
			fmt.Fprintf(out, "%s:%d:%s\n", file, m.Line, quote.Text(m.Content))
		}
		last = m.Line
		for j, t := range m.After {
			n := m.Line + 1 + j
			if i+1 < len(matches) && n >= matches[i+1].Line {
				break
			}
			if fmt.Fprintf(out, "%s-%d-%s\n", file, n, quote.Text(t)); n > last {
				last = n
			}
		}
	}
	_, err := out.WriteString("") // the first error that there was
	return err
}

// expression is what is highlighted, nil if nothing is.
func (g *grepOptions) expression(paint bool) *regexp.Regexp {
	if !paint || g.q.Invert {
		return nil
	}
	parts := slices.Clone([]string(g.q.Pattern))
	for i, p := range parts {
		if g.fixed {
			p = regexp.QuoteMeta(p)
		}
		if g.insensitive || g.smart && strings.ToLower(parts[i]) == parts[i] {
			p = "(?i:" + p + ")"
		}
		parts[i] = "(?:" + p + ")"
	}
	re, err := regexp.Compile(strings.Join(parts, "|"))
	if err != nil {
		return nil
	}
	return re
}

// refused says of an expression that is none how a text is found.
func (g *grepOptions) refused(err error) error {
	if p := problem.Of(err); p != nil && p.Code == problem.InvalidArgument && !g.fixed &&
		p.Message.Is("search.no_valid_regular_expression_re") {
		other := *p
		other.Next = nil
		return other.Or("cli.fixed_strings_finds_text")
	}
	return err
}

// matched is a line of an answer that holds a match: its place, and its text.
var matched = lazyregexp.MustCompile(`(?m)^(  \d+:\d+:(?: \[[\d ]+\])? )(.*)$`)

// marked highlights what an expression matches in the lines of a search's text.
func (p paint) marked(s string, re *regexp.Regexp) string {
	if !p || re == nil {
		return s
	}
	return matched.ReplaceAllStringFunc(s, func(line string) string {
		parts := matched.FindStringSubmatch(line)
		return p.in(parts[1], color.FgCyan) + re.ReplaceAllStringFunc(parts[2], func(m string) string {
			if m == "" {
				return m
			}
			return p.in(m, color.FgRed, color.Bold)
		})
	})
}
