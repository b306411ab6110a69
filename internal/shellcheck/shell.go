// Package shellcheck predicts what a command line would do, without running it: whether it only reads, which
// files it would show or write, and whether it changes the history of the repository. It is pure.
//
// It knows the commands in its tables and no others: a program that is not in them is listed
// in [Effect.Programs]. What only running the command could tell (a name in a variable, text
// that is evaluated) is [Effect.Unclear].
package shellcheck

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// An Effect is what a command line would do. Paths are as written: relative to
// the folder that the command line starts in, or absolute.
type Effect struct {
	Reads    []Read   // files of which it shows lines, if it succeeds and prints something
	Writes   []Write  // files that it makes, changes or removes
	History  []string // git commands that change history, refs or the checked-out branch
	People   []string // commands of code-intel that are for people to type
	Programs []string // commands of which it is not known that they only read
	Tests    []string // commands that run tests or checks of the project, and write what these write
	Unclear  []string // what cannot be told before it runs
	Named    []string // what steers git, clients or sessions, maybe, and is named to a program that is not known
}

// NotReading lists what keeps the command line from being one that only reads.
func (e Effect) NotReading() (why []string) {
	for _, w := range e.Writes {
		verb := "writes "
		if w.Remove {
			verb = "removes "
		}
		why = append(why, verb+w.Path)
	}
	for _, list := range [][]string{e.History, e.People, e.Programs, e.Tests, e.Unclear} {
		why = append(why, list...)
	}
	return why
}

// countNoted counts what a command line does besides reading.
func (e *Effect) countNoted() int {
	return len(e.Writes) + len(e.History) + len(e.People) + len(e.Programs) + len(e.Tests) + len(e.Unclear)
}

// A Read is a file that is shown. Lines are 1-based and inclusive.
type Read struct {
	Path  string
	Start int  // negative: that many from the end
	End   int  // 0: to the end
	Some  bool // some of the lines; it cannot be told which
}

// A Write is a file that is made, changed or removed.
type Write struct {
	Path   string
	Remove bool
	Glob   bool // Path is a pattern for files
	Tree   bool // what is below may be written too

	// Also is where Path leads if a cd before it does not come about.
	Also []string
}

// longest is the longest command line that is looked at, in bytes.
const longest = 1 << 16

// deepest is how often a command line may hold another as text (sh -c '…').
const deepest = 6

// Inspect reports what a command line of bash would do. Commands that begin like
// one of reading ("go vet") count as reading. The error says that it is no
// command line, or none that can be followed.
func Inspect(command string, reading []string) (Effect, error) {
	w := &walk{reading: reading, line: command}
	if err := w.text(command, 0); err != nil {
		return Effect{}, err
	}
	if w.opaque {
		w.effect.Reads = nil
	}
	return w.effect, nil
}

var errTooLong = errors.New("the command line is too long or too deep to be followed")

// walk follows a command line in the order in which it would run.
type walk struct {
	effect  Effect
	reading []string
	dir     string // where it is now, relative to the start; "" is the start
	lost    bool   // it is not known where
	opaque  bool   // names may not mean what they say
	ended   bool   // what follows may not be run
	depth   int
	line    string          // all of it
	been    []string        // folders that it was in before
	vars    map[string]bool // variables that it sets, and whether no value of theirs can be an option
	numbers map[string]bool // those that are always numbers
	piped   bool            // what the command is given on standard input are names
}

// text follows a command line that is given as text.
func (w *walk) text(command string, depth int) error {
	if depth > deepest || len(command) > longest {
		return errTooLong
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return fmt.Errorf("the command line cannot be parsed: %w", err)
	}
	before := w.depth
	w.depth = depth
	defer func() { w.depth = before }()
	w.variables(file.Stmts)
	w.list(file.Stmts, depth == 0)
	return nil
}

// list follows statements one after the other. Only of the last is it known that
// it succeeded.
func (w *walk) list(stmts []*syntax.Stmt, shown bool) {
	for i, s := range stmts {
		w.stmt(s, shown, i == len(stmts)-1)
	}
}

// stmt follows one statement. shown: what it prints is seen; sure: it is known to
// have succeeded, if the command line has.
func (w *walk) stmt(s *syntax.Stmt, shown, sure bool) {
	if s == nil {
		return
	}
	shown = w.redirects(s) && shown && !s.Background && !s.Negated
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		reads := w.call(c)
		if shown && !w.ended {
			w.effect.Reads = append(w.effect.Reads, reads...)
		}
	case *syntax.BinaryCmd:
		w.binary(c, shown, sure)
	case *syntax.Block:
		w.list(c.Stmts, shown && sure)
	case *syntax.Subshell:
		w.inSubshell(func() { w.list(c.Stmts, shown && sure) })
	case *syntax.TimeClause:
		w.stmt(c.Stmt, shown, sure)
	case *syntax.FuncDecl:
		w.opaque = true
		w.inSubshell(func() { w.stmt(c.Body, false, false) })
	default:
		w.inner(c)
	}
}

// binary follows two statements joined by && or || or a pipe.
func (w *walk) binary(c *syntax.BinaryCmd, shown, sure bool) {
	switch c.Op {
	case syntax.AndStmt:
		w.stmt(c.X, shown, sure)
		w.stmt(c.Y, shown && sure, sure)
	case syntax.OrStmt:
		w.stmt(c.X, shown, false)
		w.stmt(c.Y, false, false)
	default: // a pipe
		w.inSubshell(func() {
			reads := w.pipe(c)
			if shown && !w.ended {
				w.effect.Reads = append(w.effect.Reads, reads...)
			}
		})
	}
}

// pipe follows a pipeline and returns what comes out at its end.
func (w *walk) pipe(c *syntax.BinaryCmd) (reads []Read) {
	switch x := c.X.Cmd.(type) {
	case *syntax.BinaryCmd:
		if x.Op != syntax.Pipe && x.Op != syntax.PipeAll {
			w.stmt(c.X, false, false)
		} else if w.redirects(c.X) {
			reads = w.pipe(x)
		}
	case *syntax.CallExpr:
		reads = w.call(x)
		if !w.redirects(c.X) || c.X.Negated {
			reads = nil
		}
	default:
		w.stmt(c.X, false, false)
	}
	call, ok := c.Y.Cmd.(*syntax.CallExpr)
	if !ok {
		w.stmt(c.Y, false, false)
		return nil
	}
	before := w.piped
	w.piped = w.names([]*syntax.Stmt{c.X})
	own := w.call(call)
	w.piped = before
	if !w.redirects(c.Y) {
		return nil
	}
	if len(own) > 0 { // it shows files of its own, and not what comes in
		return own
	}
	words, plain := w.words(call.Args)
	if !plain {
		return nil
	}
	return pipedThrough(words, reads)
}

// inSubshell follows what happens in a shell of its own: it leaves the folder as it is.
func (w *walk) inSubshell(f func()) {
	dir, lost := w.dir, w.lost
	f()
	w.dir, w.lost = dir, lost
}

// inner follows all that is inside of a command that is not followed in
// order: loops, conditions, tests, words.
func (w *walk) inner(n syntax.Node) {
	here := w.dir
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			w.stmt(n, false, false)
			return false
		case *syntax.Assign:
			w.assign(n)
		case *syntax.WordIter:
			w.sets(n.Name.Value)
		case *syntax.SglQuoted:
			if evaluated.MatchString(n.Value) {
				w.noteUnclear("holds text that the shell may evaluate")
			}
		case *syntax.ParamExp:
			w.param(n)
		case *syntax.Redirect:
			return false // its statement has been asked
		}
		return true
	})
	w.lost = w.lost || w.dir != here // a loop may go there, or not, or often
}

// redirects notes the files that a statement is redirected into. It reports
// whether what the statement prints is still seen.
func (w *walk) redirects(s *syntax.Stmt) (shown bool) {
	shown = true
	for _, r := range s.Redirs {
		w.substitutions(r)
		stdout := r.N == nil || r.N.Value == "1"
		switch r.Op {
		case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
			continue
		case syntax.DplOut:
			if to, ok := literal(r.Word); ok && strings.Trim(to.text, "0123456789-") == "" {
				shown = shown && !stdout
				continue
			}
		}
		shown = shown && !stdout
		to, ok := literal(r.Word)
		if ok && streams[to.text] {
			continue
		}
		w.write(to, ok, false, "is redirected into a file")
	}
	return shown
}

// streams are what a program may write to without changing a file.
var streams = text.WordSet(`/dev/null /dev/stdout /dev/stderr /dev/tty`)

// write notes a file that is written, or that it cannot be told which.
func (w *walk) write(to word, plain, remove bool, what string) {
	if !plain || w.lost && !strings.HasPrefix(to.text, "/") {
		w.noteUnclear("%s whose name is only known when it runs", what)
		return
	}
	if throughProcess.MatchString(to.text) {
		w.noteUnclear("%s by way of a process", what)
		return
	}
	n := Write{Path: w.relativeTo(to.text), Remove: remove, Glob: to.glob, Tree: to.tree}
	if !strings.HasPrefix(to.text, "/") {
		for _, dir := range w.been {
			n.Also = append(n.Also, join(dir, to.text))
		}
	}
	w.effect.Writes = append(w.effect.Writes, n)
}

// throughProcess finds paths that lead to wherever a process is.
var throughProcess = lazyregexp.MustCompile(`^/+proc/+[^/]+/+(?:cwd|root|fd|task)\b`)

func (w *walk) noteUnclear(format string, args ...any) {
	w.effect.Unclear = append(w.effect.Unclear, fmt.Sprintf(format, args...))
}

// relativeTo returns a path relative to where the command line began. It is not cleaned:
// ".." after a link leaves the link's target.
func (w *walk) relativeTo(file string) string {
	return join(w.dir, file)
}

func join(dir, file string) string {
	if dir == "" || strings.HasPrefix(file, "/") {
		return file
	}
	return strings.TrimSuffix(dir, "/") + "/" + file
}

// substitutions follows the command lines inside of a word, an assignment or a
// redirection.
func (w *walk) substitutions(in syntax.Node) {
	syntax.Walk(in, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.inSubshell(func() { w.list(n.Stmts, false) })
			return false
		case *syntax.ProcSubst:
			w.inSubshell(func() { w.list(n.Stmts, false) })
			return false
		case *syntax.ParamExp:
			w.param(n)
		case *syntax.ExtGlob:
			w.noteUnclear("has a pattern that some shells take for a command")
		}
		return true
	})
}

// param follows what a variable's expansion does besides.
func (w *walk) param(p *syntax.ParamExp) {
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				w.substitutions(x)
			}
		}
	}
	if p.Exp == nil {
		return
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		w.sets(p.Param.Value)
	case syntax.OtherParamOps:
		w.noteUnclear("expands a variable as a prompt, which may run something")
	}
}
