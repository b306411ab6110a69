package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/noeffect"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/tokens"
)

// Contradicts reports whether an item says that true or false is returned, and the lines return only the
// other one.
func (d *Diff) Contradicts(item, path string, start, end int) bool {
	m := returned.FindAllStringSubmatch(item, -1)
	c := d.files[path]
	if len(m) != 1 || c == nil || c.now == nil || c.now.Tree == nil {
		return false
	}
	wanted, other := strings.ToLower(m[0][1]), false
	for i, t := range c.now.Tokens {
		if t.Line < start || t.Line > end || t.Text != "return" {
			continue
		}
		switch value, next := strings.ToLower(tokens.TextAt(c.now.Tokens, i+1)), tokens.TextAt(c.now.Tokens, i+2); {
		case value != "true" && value != "false", value == wanted, next != ";" && next != "}" && i+2 < len(c.now.Tokens) && c.now.Tokens[i+2].Line == t.Line:
			return false
		}
		other = true
	}
	return other
}

// returned finds what an item says is returned.
var returned = lazyregexp.MustCompile(`(?i)\breturn(?:s|ing)?\s+` + "`?" + `(true|false)\b`)

// twoNames finds two names of functions of which an item speaks together, as they are written in code.
var twoNames = lazyregexp.MustCompile("(?:`([\\w.]+?)(?:\\(\\))?`|\\b([\\w.]+)\\(\\)|\\b([A-Z]{3,}|[a-z]+(?:[A-Z_][\\w]*))\\b)(?:,? and |, ?|/)" +
	"(?:`([\\w.]+?)(?:\\(\\))?`|\\b([\\w.]+)\\(\\)|\\b([A-Z]{3,}|[a-z]+(?:[A-Z_][\\w]*))\\b)")

// Untouched returns a function of a file that an item names together with another one, and in which, and
// in what it calls, nothing has changed, although something has in the other.
func (d *Diff) Untouched(item, path string) string {
	m := twoNames.FindStringSubmatch(item)
	c := d.files[path]
	if m == nil || c == nil || c.now == nil || c.now.Tree == nil {
		return ""
	}
	names := []string{m[1] + m[2] + m[3], m[4] + m[5] + m[6]}
	changed, there := make(map[string]bool), make(map[string]int32)
	for i := range c.now.Tree.Nodes {
		node := int32(i)
		if !c.now.Tree.Function(node) || c.now.Anonymous(node) || c.now.Tree.Body(node) < 0 {
			continue
		}
		name := c.now.Tree.FunctionName(node)
		there[name] = node
		for n := c.now.Tree.Nodes[node]; n.StartRow <= n.EndRow; n.StartRow++ {
			changed[name] = changed[name] || c.changed[int(n.StartRow)+1]
		}
	}
	found := func(name string) string {
		name = name[strings.LastIndexByte(name, '.')+1:]
		for n := range there {
			if n == name || strings.ToUpper(n) == name {
				return n
			}
		}
		return ""
	}
	a, b := found(names[0]), found(names[1])
	if a == "" || b == "" || a == b || changed[a] == changed[b] {
		return ""
	}
	if changed[b] {
		a, b = b, a
	}
	for name := range changed { // it may call what has changed
		if changed[name] && c.now.CountName(there[b], name) > 0 {
			return ""
		}
	}
	return b
}

// wantsErrors matches an item that asks for an error to be reported.
var wantsErrors = lazyregexp.MustCompile(`(?i)\b(?:report|throw|rais|propagat|surfac)\w*\b|\breturn\w*\s+(?:an?\s+|the\s+)?errors?\b`)

// dropsError matches code that drops an error: out.flush().ok(), let _ = f()?, .catch(() => {}).
var dropsError = lazyregexp.MustCompile(`^\s*pcall\(|\|\|\s*(?:true|:)\s*$|\)\.ok\(\);\s*$|^\s*let _ = .*\(|^\s*_(?:, _)* :?= .*\(|\.catch\(\s*(?:\(\w*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)|\brescue\s+(?:nil|false|\[\])\s*$|^\s*@\$?\w+.*\(|^\s*(?:_\s*=\s*)?try\?\s|\.getOrElse\(\(\)\)|^\s*(?:scala\.util\.)?Try\s*[({].*[)}]\s*$|\.recover\w*\s*\{\s*case _[^=]*=>\s*(?:\(\))?\s*\}`)

// silencedPHP matches a call of PHP whose error is silenced, blankedError an error of Go assigned to "_".
var (
	silencedPHP  = lazyregexp.MustCompile(`(?:=|return)\s*@[$\\\w]+\(`)
	blankedError = lazyregexp.MustCompile(`^\s*_ = \w*[eE]rr\s*$`)
)

// Swallows reports whether an item asks for an error to be reported, and the lines only have code that
// catches or drops one without reporting it.
func (d *Diff) Swallows(item, path string, start, end int) bool {
	c := d.files[path]
	if c == nil || c.now == nil || c.now.Tree == nil || !wantsErrors.MatchString(item) {
		return false
	}
	if c.now.throwsWithoutEffect(item, start, end, c.changed) || returnsError.MatchString(item) && c.now.neverFails(start) {
		return true
	}
	forgets, caught := false, []source.Span(nil)
	for n := start; n <= end; n++ {
		line := c.now.LineText(n)
		forgets = forgets || blankedError.Match(line) && !bytes.Contains(c.Base, line) || // which has no effect, so it is not changed
			c.changed[n] && (dropsError.Match(line) || c.lang == syntax.PHP && silencedPHP.Match(line))
	}
	for i := range c.now.Tree.Nodes {
		node := c.now.Tree.Nodes[i]
		k := c.now.Tree.Kind(int32(i))
		first, last := int(node.StartRow)+1, int(node.EndRow)+1
		if c.now.Tree.Named(int32(i)) && first <= end && last >= start && c.changed[first] && handlerKinds[k] && c.now.swallowsError(int32(i)) {
			forgets = true
			if p := c.now.Tree.Parent(int32(i)); p >= 0 && !c.now.Tree.Function(p) { // it catches what is thrown there
				caught = append(caught, source.Span{Start: int(c.now.Tree.Nodes[p].Start), End: int(node.Start)})
			}
		}
	}
	if !forgets {
		return false
	}
	for i, t := range c.now.Tokens {
		switch {
		case t.Line < start || t.Line > end:
		case !tokens.WithinAny(caught, t.Start) && (t.Text == "throw" || t.Text == "raise" || t.Text == "panic" || t.Text == "Err" ||
			source.ErrorValue.MatchString(t.Text) && c.lang == syntax.Go),
			tokens.TextAt(c.now.Tokens, i+1) == "(" && !slices.Contains([]string{"new", "raise", "throw"}, tokens.TextAt(c.now.Tokens, i-1)) && (testcase.Prints.MatchString(t.Text) || testcase.ReportsProblem.MatchString(t.Text)):
			return false
		}
	}
	return true
}

// wantsThrow matches an item that asks for an error to leave the function.
var wantsThrow = lazyregexp.MustCompile(`(?i)\b(?:throw|rais)\w*\b`)

// throwsWithoutEffect reports whether an item wants an error to be thrown, and the changed ones of some lines throw
// some, of which none leaves the function: it is caught there, or thrown after the caller has returned.
func (s *side) throwsWithoutEffect(item string, start, end int, changed map[int]bool) bool {
	if !wantsThrow.MatchString(item) {
		return false
	}
	var kept []handledSpan
	thrown := 0
	for i, t := range s.Tokens {
		if t.Line < start || t.Line > end || !changed[t.Line] || t.Text != "throw" && t.Text != "raise" {
			continue
		}
		if kept == nil {
			kept = s.handledSpans()
		}
		if thrown++; !slices.ContainsFunc(kept, func(m handledSpan) bool {
			return m.Start <= t.Start && t.Start < m.End && (m.by == "" || catchesThrown(m.by, s.Tokens[i+1:min(i+8, len(s.Tokens))]))
		}) {
			return false
		}
	}
	return thrown > 0
}

// catchesThrown reports whether the head of a handler catches what is thrown: one that names no class catches all.
func catchesThrown(head string, thrown []tokens.Token) bool {
	if !classNamed.MatchString(head) || source.ContainsWord(head, "Exception") || source.ContainsWord(head, "Throwable") || source.ContainsWord(head, "BaseException") {
		return true
	}
	return slices.ContainsFunc(thrown, func(t tokens.Token) bool {
		return expression.IsWord(t.Text) && t.Text[0] <= 'Z' && source.ContainsWord(head, t.Text)
	})
}

var classNamed = lazyregexp.MustCompile(`\b[A-Z]\w+`)

// A handledSpan is a stretch of text that an error thrown there does not leave.
type handledSpan struct {
	source.Span
	by string // the head of the handler that catches it, "" for one that catches all
}

// handledSpans returns the stretches of text that no error leaves, with the head of the handler that catches it,
// or those that run after the caller has returned.
func (s *side) handledSpans() (all []handledSpan) {
	for i := range s.Tree.Nodes {
		node, n := int32(i), s.Tree.Nodes[i]
		switch kind := s.Tree.Kind(node); {
		case !s.Tree.Named(node):
		case kind == "with_statement" && noeffect.SuppressingContext.MatchString(s.Tree.Text(node)):
			head, _, _ := strings.Cut(s.Tree.Text(node), "\n")
			all = append(all, handledSpan{source.Span{Start: int(n.Start), End: int(n.End)}, head})
		case kind == "finally_clause" && s.NeverContinues(s.LastChild(node)):
			all = append(all, handledSpan{source.Span{Start: int(s.Tree.Nodes[s.Tree.Parent(node)].Start), End: int(n.Start)}, ""})
		case handlerKinds[kind] && s.Lang != syntax.Ruby && !s.reportsError(node):
			head, _, _ := strings.Cut(s.Tree.Text(node), "{")
			head, _, _ = strings.Cut(head, "\n")
			all = append(all, handledSpan{source.Span{Start: int(s.Tree.Nodes[s.Tree.Parent(node)].Start), End: int(n.Start)}, head})
		case s.Anonymous(node) && (s.IsScript() && deferredCall.Match(s.Src[max(0, int(n.Start)-24):n.Start]) || s.Unawaited(node)):
			all = append(all, handledSpan{source.Span{Start: int(n.Start), End: int(n.End)}, ""})
		}
	}
	return all
}

// deferredCall matches what calls a function after the current one has returned.
var deferredCall = lazyregexp.MustCompile(`\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame|nextTick)\(\s*(?:async\s*)?$`)

// reportsError reports whether a handler throws again, calls something, returns something, or keeps what the
// function throws behind it: the last error of several tries.
func (s *side) reportsError(handler int32) bool {
	n := s.Tree.Nodes[handler]
	toks := s.TokensIn(int(n.Start), int(n.End))
	open := slices.IndexFunc(toks, func(t tokens.Token) bool { return t.Text == "{" || t.Text == ":" || t.IsBorder })
	for i := max(open, 0); i < len(toks); i++ {
		if text := toks[i].Text; text == "throw" || text == "raise" || tokens.TextAt(toks, i+1) == "(" && expression.IsWord(text) ||
			text == "return" && expression.IsWord(tokens.TextAt(toks, i+1)) && expression.Literal([]string{tokens.TextAt(toks, i+1)}) == expression.Unknown {
			return true
		}
		if toks[i].Text == "=" && expression.IsWord(tokens.TextAt(toks, i+1)) && s.throwsBehind(handler, tokens.TextAt(toks, i-1)) {
			return true
		}
	}
	return false
}

// throwsBehind reports whether the function around a node throws what has a name behind it.
func (s *side) throwsBehind(node int32, name string) bool {
	f := s.FunctionAround(node)
	if f < 0 {
		return false
	}
	toks := s.TokensIn(int(s.Tree.Nodes[node].End), int(s.Tree.Nodes[f].End))
	for i := range toks {
		if (toks[i].Text == "throw" || toks[i].Text == "raise") && tokens.TextAt(toks, i+1) == name {
			return true
		}
	}
	return false
}

// handlerKinds are the kinds of nodes that handle an error.
var handlerKinds = map[string]bool{"catch_clause": true, "except_clause": true, "rescue": true, "catch_block": true, "rescue_block": true}

// swallowsError reports whether a handler calls nothing, and returns at most a literal.
func (s *side) swallowsError(handler int32) bool {
	n := s.Tree.Nodes[handler]
	toks := s.TokensIn(int(n.Start), int(n.End))
	open := slices.IndexFunc(toks, func(t tokens.Token) bool { return t.Text == "{" || t.Text == ":" || t.IsBorder })
	for i := max(open, 0); i < len(toks); i++ {
		if tokens.TextAt(toks, i+1) == "(" && expression.IsWord(toks[i].Text) || toks[i].Text == "throw" || toks[i].Text == "raise" ||
			toks[i].Text == "." && tokens.TextAt(toks, i+2) == "=" {
			return false
		}
	}
	return true
}

// returnsError matches an item that asks for an error to be returned.
var returnsError = lazyregexp.MustCompile(`(?i)\breturn\w*\s+(?:an?\s+|the\s+)?(?:\w+\s+)?errors?\b`)

// neverFails reports whether the function of Go that a line is in may return an error, and returns none.
func (s *side) neverFails(line int) bool {
	if s.Lang != syntax.Go {
		return false
	}
	inner := int32(-1)
	for i := range s.Tree.Nodes {
		if n := s.Tree.Nodes[i]; s.Tree.Function(int32(i)) && int(n.StartRow)+1 <= line && line <= int(n.EndRow)+1 {
			inner = int32(i)
		}
	}
	if inner < 0 || s.Tree.Body(inner) < 0 {
		return false
	}
	if head, _, _ := strings.Cut(s.Tree.Text(inner), s.Tree.Text(s.Tree.Body(inner))); !strings.HasSuffix(strings.TrimSpace(head), ", error)") {
		return false
	}
	returns := 0
	for i := inner + 1; i < s.Tree.Nodes[inner].Next; i++ {
		switch text := source.PlainText(s.Tree.Text(i)); {
		case s.Tree.Kind(i) == "call_expression" && strings.HasPrefix(text, "panic("):
			return false
		case s.Tree.Kind(i) != "return_statement" || s.FunctionAround(i) != inner:
		case !strings.HasSuffix(text, ",nil"):
			return false
		default:
			returns++
		}
	}
	return returns > 0
}
