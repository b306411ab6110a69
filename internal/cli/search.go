package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/audit/shown"
	"codeintel/internal/problem"
	"codeintel/internal/search"
)

// A found answer knows whether it holds anything, and all that there is.
type found interface {
	answer
	Observed() shown.Facts
	Whole() bool
}

// ask puts a question to the project that the argument leads to, if there is one, and
// prints the answer. The question is narrowed to where it leads.
func ask[A found](a *app, cmd *cobra.Command, args []string, w *search.Where, question func(*code) (A, error)) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	at, err := a.locate(name)
	if err != nil {
		return err
	}
	if name != "" && w.Path != "" {
		return problem.New(problem.InvalidArgument, "cli.exclude_each_other", "path and DIR").Or("cli.leave_all_but_one_out")
	}
	return askAt(a, cmd, at, w, question)
}

// askAt puts a question to a part of a project.
func askAt[A found](a *app, cmd *cobra.Command, at location, w *search.Where, question func(*code) (A, error)) error {
	return a.withCode(cmd, at.root, func(c *code) error {
		w.Globs = globsFrom(at.root, w.Globs)
		if w.Path != "" {
			at.path = a.pathInside(at.root, w.Path)
		}
		w.Path = at.path
		got, err := question(c)
		if err != nil {
			return err
		}
		return a.printAnswer(got)
	})
}

// printAnswer prints an answer. Nothing found is a no.
func (a *app) printAnswer(got found) error {
	if err := a.print(got); err != nil {
		return err
	}
	switch {
	case !got.Observed().Empty:
		return nil
	case !got.Whole():
		return exitStatus(exitEnvironment) // there may be something
	}
	return errNo
}

// addFilterFlags and page are the flags that narrow a question and bound its answer.
func addFilterFlags(cmd *cobra.Command, w *search.Where) {
	cmd.Flags().StringVar(&w.Path, "path", "", "only in this `file` or folder, as seen from the current one")
	cmd.Flags().StringSliceVarP((*[]string)(&w.Globs), "glob", "g", nil,
		"only matching files, such as 'src/**/*.go'; '!…' excludes")
}

func addPageFlags(cmd *cobra.Command, p *search.Page) { addPageFlagsWithShort(cmd, p, "n") }

// addPageFlagsWithShort is page with another short form of --limit, "" for none.
func addPageFlagsWithShort(cmd *cobra.Command, p *search.Page, short string) {
	p.MaxTokens = 12500 // people can scroll
	countFlag(cmd, &p.Limit, "limit", short, "maximum number of results")
	cmd.Flags().StringVar(&p.Cursor, "cursor", "", "continue where the last answer ended")
}

func (a *app) search() *cobra.Command {
	q := search.SemanticQuery{MaxTokens: 12500}
	many := false
	cmd := &cobra.Command{
		Use:   "search QUERY [DIR]",
		Short: "Find code by meaning",
		Long: strings.TrimSpace(`
Find the code that a question in words or names is about.

With --batch, questions are read from standard input, one JSON object per line with the
fields id, query, dir (root of the project) and top. Each is answered by one line with
the fields id, results (file, start, end, symbol, score, reasons), ms, and error and
message if there is no answer.`),
		Example: "  code-intel search \"where is the config file parsed\"\n  code-intel search 設定ファイルを読む -k 5\n  code-intel search --json \"retry with backoff\" ~/src/project\n  code-intel search --batch <questions.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if many && len(args) < 2 {
				return nil
			}
			if many {
				return problem.New(problem.InvalidArgument, "cli.one_argument_too_many_batch", args[1], cmd.CommandPath()).
					Or("cli.help_says_more", cmd.CommandPath())
			}
			return checkArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if many {
				return a.batch(cmd.Context(), a.dir(args...))
			}
			q.Query = args[0]
			return ask(a, cmd, args[1:], &q.Where, func(c *code) (*search.SemanticAnswer, error) {
				return c.search.Semantic(cmd.Context(), q)
			})
		},
		ValidArgsFunction: filesAfter(1),
	}
	cmd.Flags().BoolVar(&many, "batch", false, "answer the questions on standard input")
	countFlag(cmd, &q.NResults, "top", "k", "number of hits (default 10)")
	cmd.Flags().StringVar((*string)(&q.Collection), "collection", "",
		"`which` to search: forest (all code), map (agreements of past sessions), or both (default)")
	cmd.Flags().StringVar(&q.Language, "lang", "", "only code in this `language`")
	cmd.Flags().StringVar(&q.Cursor, "cursor", "", "continue where the last answer ended")
	cmd.MarkFlagsMutuallyExclusive("batch", "collection")
	addFilterFlags(cmd, &q.Where)
	return a.withJSON(cmd)
}

func (a *app) def() *cobra.Command {
	var q search.DefinitionsQuery
	cmd := &cobra.Command{
		Use:     "def NAME [DIR]",
		Short:   "Show where a symbol is defined",
		Example: "  code-intel def NewReader\n  code-intel def Reader.Read --lang go --exact",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Symbol = args[0]
			return ask(a, cmd, args[1:], &q.Where, func(c *code) (*search.DefinitionsAnswer, error) {
				return c.search.Definitions(cmd.Context(), q)
			})
		},
		ValidArgsFunction: a.completeName,
	}
	cmd.Flags().StringVar(&q.Language, "lang", "", "only definitions in this `language`")
	cmd.Flags().StringVar(&q.Kind, "kind", "", "only this `kind`: function, method, class, type, …")
	cmd.Flags().BoolVar(&q.ExactMatch, "exact", false, "only names with exactly this spelling")
	addFilterFlags(cmd, &q.Where)
	addPageFlags(cmd, &q.Page)
	return a.withJSON(cmd)
}

func (a *app) refs() *cobra.Command {
	var q search.ReferencesQuery
	cmd := &cobra.Command{
		Use:     "refs NAME [DIR]",
		Short:   "List where a symbol is used",
		Example: "  code-intel refs NewReader\n  code-intel refs Reader.Read --path internal -n 100",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Symbol = args[0]
			return ask(a, cmd, args[1:], &q.Where, func(c *code) (*search.ReferencesAnswer, error) {
				if q.FilePath != "" {
					q.FilePath = a.pathInside(c.project.Root, q.FilePath)
				}
				return c.search.References(cmd.Context(), q)
			})
		},
		ValidArgsFunction: a.completeName,
	}
	cmd.Flags().StringVar(&q.Language, "lang", "", "only references in this `language`")
	cmd.Flags().StringVar(&q.FilePath, "file-path", "", "with --line: a `file` in which the symbol meant is defined or used")
	countFlag(cmd, &q.Line, "line", "", "the line in that file")
	cmd.MarkFlagsRequiredTogether("file-path", "line")
	cmd.Flags().BoolVar(&q.IncludeLocals, "locals", false, "include local variables of that name")
	cmd.Flags().BoolVar(&q.IncludeComments, "comments", false, "include mentions in comments and strings")
	addFilterFlags(cmd, &q.Where)
	addPageFlags(cmd, &q.Page)
	return a.withJSON(cmd)
}

func (a *app) outline() *cobra.Command {
	q := search.StructureQuery{Whole: true}
	cmd := &cobra.Command{
		Use:     "outline [PATH]",
		Short:   "Show what a file or folder declares",
		Example: "  code-intel outline internal/search/text.go\n  code-intel outline internal --depth 1",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := a.locate(strings.Join(args, ""))
			if err != nil && len(args) > 0 {
				if at, err = a.locate(""); err == nil { // the answer says where to look for it
					at.path = a.pathInside(at.root, args[0])
				}
			}
			if err != nil {
				return err
			}
			return askAt(a, cmd, at, &q.Where, func(c *code) (*search.StructureAnswer, error) {
				return c.search.Structure(cmd.Context(), q)
			})
		},
	}
	countFlag(cmd, &q.Depth, "depth", "", "levels of nesting, 1 to 10")
	cmd.Flags().StringVar(&q.Language, "lang", "", "only files in this `language`")
	addPageFlags(cmd, &q.Page)
	return a.withJSON(cmd)
}

func (a *app) files() *cobra.Command {
	var q search.FilesQuery
	cmd := &cobra.Command{
		Use:     "files PATTERN [DIR]",
		Short:   "Find files by a glob or by letters of their name",
		Long:    "Find files whose path matches a glob (**/*.go), or contains the letters of a word in\norder (srvhandler). If there are several words, all must match.",
		Example: "  code-intel files '**/*_test.go'\n  code-intel files srvhandler -t go",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Pattern = args[0]
			return ask(a, cmd, args[1:], &q.Where, func(c *code) (*search.FilesAnswer, error) {
				if strings.ContainsAny(q.Pattern, "*?[{") {
					q.Pattern = globsFrom(c.project.Root, []string{q.Pattern})[0]
				}
				return c.search.Files(cmd.Context(), q)
			})
		},
		ValidArgsFunction: filesAfter(1),
	}
	cmd.Flags().StringVar((*string)(&q.Match), "match", "", "`how` to read the pattern: glob, fuzzy, or auto (default)")
	cmd.Flags().StringVarP(&q.FileType, "type", "t", "", "only files in this language or with this extension")
	addFilterFlags(cmd, &q.Where)
	addPageFlags(cmd, &q.Page)
	return a.withJSON(cmd)
}
