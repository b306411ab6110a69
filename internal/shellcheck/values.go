package shellcheck

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// The value of a variable or a substitution is not known, but often that it is no
// option: it names files or commits, or comes from the user's environment.

// optional finds text that is an option, or becomes one when it is taken apart.
var optional = lazyregexp.MustCompile(`(?:^|\s)-`)

// variables notes of each variable that a command line sets whether its value can be
// an option, and which of them steer other commands.
func (w *walk) variables(stmts []*syntax.Stmt) {
	if w.vars == nil {
		w.vars, w.numbers = make(map[string]bool), make(map[string]bool)
	}
	// A value can hold another variable: what is found unsafe may make more so.
	for before := -1; before != len(w.vars)+w.unsafe(); {
		before = len(w.vars) + w.unsafe()
		for _, s := range stmts {
			w.valuesIn(s, false)
		}
	}
}

func (w *walk) unsafe() (n int) {
	for _, safe := range w.vars {
		if !safe {
			n++
		}
	}
	return n
}

// holds notes a value of a variable: whether it can be no option, and the words that
// it comes from, if they are known.
func (w *walk) holds(name string, safe bool, from ...*syntax.Word) {
	was, set := w.vars[name]
	w.vars[name] = safe && (was || !set)
	number := len(from) > 0
	for _, word := range from {
		number = number && len(word.Parts) == 1 && w.number(word.Parts[0])
	}
	w.numbers[name] = number && (w.numbers[name] || !set)
}

// valuesIn looks for what sets variables. named: what comes in on standard input
// are names.
func (w *walk) valuesIn(n syntax.Node, named bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			w.valuesOf(n, named)
			return false
		case *syntax.Assign:
			w.assigned(n)
		case *syntax.WordIter:
			safe := len(n.Items) > 0
			for _, i := range n.Items {
				safe = safe && w.value(i)
			}
			w.holds(n.Name.Value, safe, n.Items...)
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Word != nil && (n.Exp.Op == syntax.AssignUnset ||
				n.Exp.Op == syntax.AssignUnsetOrNull) {
				w.holds(n.Param.Value, w.value(n.Exp.Word))
			}
		case *syntax.CallExpr:
			w.filled(n, named)
		}
		return true
	})
}

// valuesOf does so for a statement, whose input may be redirected or piped in.
func (w *walk) valuesOf(s *syntax.Stmt, named bool) {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrIn:
			named = w.namesFrom(r.Word)
		case syntax.WordHdoc, syntax.Hdoc, syntax.DashHdoc:
			named = false
		}
		w.valuesIn(r, named)
	}
	if pipe, ok := s.Cmd.(*syntax.BinaryCmd); ok && (pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		w.valuesIn(pipe.X, named)
		w.valuesIn(pipe.Y, w.names([]*syntax.Stmt{pipe.X}))
	} else if s.Cmd != nil {
		w.valuesIn(s.Cmd, named)
	}
}

// namesFrom reports whether a file that is read holds names, as those of a user do; of
// <(…) it is asked what is run there.
func (w *walk) namesFrom(file *syntax.Word) bool {
	if len(file.Parts) != 1 {
		return true
	}
	p, ok := file.Parts[0].(*syntax.ProcSubst)
	return !ok || w.names(p.Stmts)
}

// assigned notes the value of a variable that is assigned.
func (w *walk) assigned(a *syntax.Assign) {
	if a.Name == nil || a.Value == nil && a.Array == nil {
		return
	}
	safe := a.Value == nil || w.value(a.Value)
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			safe = safe && e.Value != nil && w.value(e.Value)
		}
	}
	if a.Value != nil && !a.Append {
		w.holds(a.Name.Value, safe, a.Value)
	} else {
		w.holds(a.Name.Value, safe)
	}
}

// filled notes the variables that a command fills from its input.
func (w *walk) filled(c *syntax.CallExpr, named bool) {
	for i, a := range c.Args {
		name, ok := literal(a)
		if i == 0 && !lookup(name.text).fills {
			return
		}
		if ok && i > 0 && !strings.HasPrefix(name.text, "-") {
			w.holds(name.text, named)
		}
	}
}

// counted returns a word whose parts that are not known are numbers, with others in
// their place; empty if they are not.
func (w *walk) counted(a *syntax.Word) string {
	if len(a.Parts) != 1 {
		return ""
	}
	q, ok := a.Parts[0].(*syntax.DblQuoted)
	if !ok {
		return ""
	}
	var b strings.Builder
	for _, part := range q.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(unescapeQuoted(lit.Value))
		} else if w.number(part) {
			b.WriteByte('1')
		} else {
			return ""
		}
	}
	return b.String()
}

// number reports whether a part of a word is a number.
func (w *walk) number(part syntax.WordPart) bool {
	switch p := part.(type) {
	case *syntax.ArithmExp:
		return true
	case *syntax.Lit:
		return p.Value != "" && strings.Trim(p.Value, "0123456789") == ""
	case *syntax.ParamExp:
		return p.Length || w.numbers[p.Param.Value] && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Excl
	case *syntax.CmdSubst:
		if len(p.Stmts) != 1 {
			return false
		}
		call, ok := p.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return false
		}
		name, _ := literal(call.Args[0])
		return name.text == "seq" || name.text == "wc" && len(p.Stmts[0].Redirs) > 0 && p.Stmts[0].Redirs[0].Op == syntax.RdrIn
	}
	return false
}

// value reports whether a word, taken apart or not, can be no option.
func (w *walk) value(word *syntax.Word) bool { return word != nil && w.partsSafe(word.Parts, false) }

// noOption reports whether a word of a command can be no option.
func (w *walk) noOption(word *syntax.Word) bool {
	if len(word.Parts) == 0 {
		return false
	}
	if q, ok := word.Parts[0].(*syntax.DblQuoted); ok && !q.Dollar && len(q.Parts) > 0 {
		if lit, ok := q.Parts[0].(*syntax.Lit); ok && lit.Value != "" && lit.Value[0] != '-' { // nothing in quotes is taken apart
			return w.partsSafe(word.Parts[1:], true)
		}
		if len(word.Parts) == 1 {
			return w.partsSafe(q.Parts, false)
		}
	}
	return w.partsSafe(word.Parts, false)
}

// partsSafe reports whether no option can come of parts of a word. inside: something
// precedes them.
func (w *walk) partsSafe(parts []syntax.WordPart, inside bool) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if text := p.Value; bracesHide(text, false) ||
				optional.MatchString(text) && !(inside && !optional.MatchString("x"+text)) {
				return false
			}
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) ||
				optional.MatchString(p.Value) && !(inside && !optional.MatchString("x"+p.Value)) {
				return false
			}
		case *syntax.DblQuoted:
			if !w.partsSafe(p.Parts, inside) {
				return false
			}
		case *syntax.ParamExp:
			if !w.paramSafe(p) {
				return false
			}
		case *syntax.CmdSubst:
			if !w.names(p.Stmts) {
				return false
			}
		case *syntax.ArithmExp, *syntax.ProcSubst:
		default:
			return false
		}
		inside = true
	}
	return true
}

// paramSafe reports whether a variable's value can be no option.
func (w *walk) paramSafe(p *syntax.ParamExp) bool {
	name := p.Param.Value
	switch {
	case p.Length || strings.Contains("?#$!", name):
		return true
	case p.Excl || p.Slice != nil || p.Repl != nil || p.Names != 0 || name == "" ||
		strings.Contains("@*_-0123456789", name[:1]) && len(name) == 1 || name[0] >= '0' && name[0] <= '9':
		return false
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		case syntax.RemSmallPrefix, syntax.RemLargePrefix:
			if pattern, ok := literal(p.Exp.Word); !ok || !strings.HasSuffix(pattern.text, "/") {
				return false
			}
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if p.Exp.Word != nil && !w.value(p.Exp.Word) {
				return false
			}
		default:
			return false
		}
	}
	safe, set := w.vars[name]
	return safe || !set && places[name]
}

// places are variables of the environment that name folders or users.
var places = text.WordSet(`HOME PWD OLDPWD USER LOGNAME SHELL TMPDIR GOPATH GOROOT VIRTUAL_ENV CLAUDE_PROJECT_DIR`)

// listing are the commands that print names with one of their options; with none
// listed, whatever their arguments. Others of the table always do; see
// [command.printsName].
var listing = map[string][]string{
	"rg": {"-l", "--files", "--files-with-matches"}, "grep": {"-l", "--files-with-matches"},
	"git ls-files": nil, "git merge-base": nil, "git rev-list": nil, "git describe": nil, "git rev-parse": nil,
	"git diff": {"--name-only"}, "git show": {"--name-only"}, "git grep": {"-l", "--files-with-matches", "--name-only"},
	"git branch": {"--show-current"}, "go env": nil, "go list": nil,
}

// names reports whether what a list prints are names of files or commits, numbers, or
// other words that can be no options.
func (w *walk) names(stmts []*syntax.Stmt) bool {
	if len(stmts) != 1 {
		return false
	}
	switch c := stmts[0].Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe {
			return w.names([]*syntax.Stmt{c.X}) && w.names([]*syntax.Stmt{c.Y})
		}
		call, ok := c.Y.Cmd.(*syntax.CallExpr)
		return ok && w.names([]*syntax.Stmt{c.X}) && w.namesThrough(call)
	case *syntax.CallExpr:
		args, _ := w.words(c.Args)
		if len(args) == 0 {
			return len(c.Assigns) > 0
		}
		return printsNames(args, len(stmts[0].Redirs) > 0)
	}
	return false
}

// namesThrough reports whether names that are piped into a command come out as such.
func (w *walk) namesThrough(c *syntax.CallExpr) bool {
	args, plain := w.words(c.Args)
	if !plain || len(args) == 0 || !lookup(args[0].text).selects {
		return false
	}
	return !slices.ContainsFunc(args[1:], func(a word) bool {
		return a.text == "-o" || !strings.HasPrefix(a.text, "-") && strings.ContainsAny(a.text, `-\`) && args[0].text != "grep"
	})
}

// printsNames reports whether a command prints names.
func printsNames(args []word, redirected bool) bool {
	name := args[0].text
	for _, a := range args[1:] {
		if a.text == "" && !a.file {
			return false
		}
	}
	switch {
	case name == "cat":
		return len(args) > 1 && !redirected
	case lookup(name).printsName:
		return true
	case name == "echo" || name == "printf":
		return !slices.ContainsFunc(args[1:], func(a word) bool {
			return optional.MatchString(a.text) || strings.Contains(a.text, `\0`) || strings.Contains(a.text, `\x`)
		})
	}
	if len(args) > 1 && (name == "git" || name == "go") {
		name += " " + args[1].text
	}
	options, ok := listing[name]
	switch {
	case !ok:
		return false
	case options == nil:
		return name != "git rev-parse" || !slices.ContainsFunc(args, func(a word) bool { return strings.Contains(a.text, "=") })
	}
	joined := name != "git diff" && name != "git show" // one letter may stand among others: -rl
	return slices.ContainsFunc(args, func(a word) bool {
		short := len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-'
		return slices.Contains(options, a.text) || joined && short && strings.Contains(a.text, "l")
	})
}

// mayBeOption reports whether a word that is not known may be an option.
func mayBeOption(args []word) bool {
	for _, a := range args {
		if a.text == "--" {
			return false
		}
		if a.text == "" && !a.file {
			return true
		}
	}
	return false
}
