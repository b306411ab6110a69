package noeffect

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
)

// What has only the form of doing something: a loop that goes round once, a handler that throws again what
// it was thrown, a name for a value that is not read, a build condition that is always true.

// markRedundantForm marks a loop, try or condition around code that runs the same without it.
func (s *Analysis) markRedundantForm(node int32, put func(int32, reason.Reason)) {
	body, around := int32(-1), false
	switch kind := s.KindOf(node); {
	case kind == "try_statement", kind == "try_expression", kind == "begin":
		body, around = s.rethrown(node)
		around = around && s.moreThanBefore("try")
	case s.IsLoop(node) || kind == "enhanced_for_statement" || kind == "do_statement" && s.Lang != syntax.Swift:
		body = s.Tree.Field(node, "body")
		if around = body >= 0 && s.runsOnce(string(s.Src[s.Tree.Nodes[node].Start:s.Tree.Nodes[body].Start]), body); !around &&
			s.breaksAtOnce(node, body) {
			put(node, reason.Unreachable)
		}
	case kind == "attribute_item":
		s.markConstantCfg(node, put)
	case s.IsStatement(node):
		s.markUnreadName(node)
	}
	if around && s.IsBlock(body) {
		n, b := s.Tree.Nodes[node], s.Tree.Nodes[body]
		s.Marks = append(s.Marks, Mark{Start: int(n.Start), End: int(b.Start), Why: reason.NoEffect},
			Mark{Start: int(b.End), End: int(n.End), Why: reason.NoEffect})
		s.unwrap(body)
	}
}

// rethrown returns the body of a try statement, and whether its handlers only throw the error again.
func (s *Analysis) rethrown(try int32) (body int32, all bool) {
	body = s.Tree.Field(try, "body")
	for c := range s.Children(try) {
		k := s.Tree.Kind(c)
		switch {
		case strings.Contains(k, "comment"), c == body:
		case !strings.Contains(k, "catch") && !strings.Contains(k, "except"):
			return body, false
		case throwsAgain.MatchString(s.Tree.Text(c)):
			m := throwsAgain.FindStringSubmatch(s.Tree.Text(c))
			if all = m[3] == "" || m[1]+m[2] == m[3]; !all {
				return body, false
			}
		case neverTaken.MatchString(s.Tree.Text(c)):
			all = true
		default:
			return body, false
		}
	}
	return body, all
}

var (
	throwsAgain = lazyregexp.MustCompile(`^(?:catch|except)\b\s*(?:\((?:[^()]*[\s&*|])?\$?(\w+)(?:\s*:\s*\w+)?\)|[\w.]+\s+as\s+(\w+)|\([^()]*\)|[\w.]*)\s*[{:]\s*` +
		`(?:throw|raise)\b[ \t]*\$?(\w*)\s*;?\s*\}?$`)
	neverTaken = lazyregexp.MustCompile(`^catch\b[^{]*\bwhen\s*\(\s*false\s*\)`)
)

// once finds the head of a loop that goes round once: what counts, and where it stops.
var (
	once = lazyregexp.MustCompile(`^for\s*\(?\s*(?:(?:int|long|let|var|auto|size_t|unsigned)\s+)?\$?(\w+)\s*:?=\s*0\s*;\s*\$?(\w+)\s*(?:<\s*1|<=\s*0)\s*;` +
		`\s*(?:\+\+\s*)?\$?\w+(?:\s*\+\+)?\s*\)?\s*$|^for\s+(\w+)\s+in\s+(?:0\.\.1|0\.\.=0|range\(1\)\s*:)\s*$|^do\s*$`)
	untilEnd   = lazyregexp.MustCompile(`^.*?(?:<|range\(|\.\.)`) // what of it is there however often it goes round
	leavesLoop = lazyregexp.MustCompile(`\b(?:break|continue|next|redo|goto)\b`)
)

// runsOnce reports whether a loop goes round once, and nothing in it asks how often it has.
func (s *Analysis) runsOnce(head string, body int32) bool {
	m := once.FindStringSubmatch(head)
	text := s.Tree.Text(body)
	if m == nil || m[1] != m[2] || leavesLoop.MatchString(text) {
		return false
	}
	if strings.HasPrefix(head, "do") { // while (false)
		cond := s.Tree.Field(s.Tree.Parent(body), "condition")
		return cond >= 0 && s.constantTruth(cond) == expression.No && s.FunctionAround(body) >= 0
	}
	name := m[1] + m[3]
	return (name == "_" || !source.ContainsWord(text, name)) && s.moreThanBefore(untilEnd.FindString(head))
}

// moreThanBefore reports whether a text has a piece more often than it had. Where it has not, what stood
// there did something, and is changed.
func (s *Analysis) moreThanBefore(piece string) bool {
	return bytes.Count(s.Src, []byte(piece)) > bytes.Count(s.Base, []byte(piece))
}

// breaksAtOnce reports whether all that the body of a loop ever does is to leave it. A loop that waits for a
// value, or that finds the first one for the code after it, does so too.
func (s *Analysis) breaksAtOnce(loop, body int32) bool {
	first := s.NthChild(body, 0)
	for first >= 0 && (strings.Contains(s.Tree.Kind(first), "comment") || s.IsBlock(first)) {
		if s.IsBlock(first) {
			first = s.NthChild(first, 0)
		} else {
			first = s.NextStatement(first)
		}
	}
	if first < 0 || !s.IsBlock(body) || strings.TrimRight(s.Tree.Text(first), "; ") != "break" {
		return false
	}
	head := string(s.Src[s.Tree.Nodes[loop].Start:s.Tree.Nodes[body].Start])
	if f := s.FunctionAround(loop); mayBlock(head) ||
		f >= 0 && slices.ContainsFunc(loopVariables(head), func(name string) bool {
			return source.ContainsWord(string(s.Src[s.Tree.Nodes[loop].End:s.Tree.Nodes[f].End]), name)
		}) {
		return false
	}
	for c := range s.Children(loop) {
		if c != body && s.hasEffect(c) && !s.onlyAsksOf(c) && !strings.HasPrefix(s.Tree.Text(c), "else") {
			return false
		}
	}
	return true
}

// markUnreadName marks the name of a local that gets the result of a call and is not read.
func (s *Analysis) markUnreadName(node int32) {
	left, right, ok := s.Assignment(node)
	if call := s.OnlyChild(right); ok && s.Tree.Kind(right) == "expression_list" && call >= 0 {
		right = call
	}
	if !ok || s.Spec.Comparing.Drops || s.Spec.Comparing.LastIsValue || !s.hasEffect(right) || s.FunctionAround(node) < 0 ||
		!slices.ContainsFunc(source.CallKinds, func(k string) bool { return k == s.Tree.Kind(right) }) || strings.HasPrefix(s.Tree.Text(node), "using") {
		return
	}
	if name := s.Tree.Text(left); name != "_" && s.isNeverRead(node, left, right) {
		s.Marks = append(s.Marks, Mark{Start: int(s.Tree.Nodes[node].Start), End: int(s.Tree.Nodes[right].Start), Why: reason.NoEffect})
	}
}

// markConstantCfg marks a condition of Rust that is always true, and one that is never true before new code.
func (s *Analysis) markConstantCfg(attribute int32, put func(int32, reason.Reason)) {
	switch text := source.PlainText(s.Tree.Text(attribute)); {
	case alwaysCompiled.MatchString(text):
		put(attribute, reason.NoEffect)
	case neverCompiled.MatchString(text):
		next := s.NextStatement(attribute)
		if next >= 0 && !strings.Contains(source.PlainText(string(s.Base)), source.PlainText(s.Tree.Text(next))) {
			put(attribute, reason.LeftOut)
		}
	}
}

var alwaysCompiled = lazyregexp.MustCompile(`^#!?\[cfg\((?:all\(\)|not\(any\(\)\)|true)\)\]$`)

// asks finds the names of methods that only tell something of a value, askedOf functions that do.
var (
	asks = lazyregexp.MustCompile(`^(?:(?:is|has|contains|starts|ends|equals|Is|Has|Contains|Starts|Ends|Equals)(?:_|[A-Z]|$)\w*` +
		`|get[A-Z]\w*|starts?_?with|ends_?with|includes\??|(?:empty|blank|nil|any|present)\?|len|length|size|count|Count|empty)$`)
	askedOf = source.WordSet("len strlen empty isset")
)

// onlyAsksOf reports whether all that an expression does is to ask something of values.
func (s *Analysis) onlyAsksOf(node int32) bool {
	for i := node; i < s.Tree.Nodes[node].Next; i++ {
		kind := s.Tree.Kind(i)
		switch {
		case !s.Tree.Named(i), strings.Contains(kind, "argument"), kind == "call_suffix", strings.HasPrefix(kind, "type_"):
		case slices.Contains(source.CallKinds, kind):
			if name := s.CalledName(i); !askedOf[name] && (!asks.MatchString(name) || s.Receiver(i) < 0) {
				return false
			}
		case s.HasJump(i), strings.HasPrefix(kind, "let_"), slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }):
			return false
		}
	}
	text := s.Tree.Text(node)
	return !strings.Contains(text, "++") && !strings.Contains(text, "--") && !strings.Contains(text, "<-")
}

// filtering are methods that give what of some values a function says yes to.
var filtering = source.WordSet("filter Where select reject findAll FindAll partition takeIf takeUnless filterNot")

// discardsFiltered reports whether a call only asks which of some values are meant.
func (s *Analysis) discardsFiltered(call int32) bool {
	given := s.CallArguments(call)
	return filtering[s.CalledName(call)] && s.Receiver(call) >= 0 && len(given) == 1 && s.Anonymous(given[0]) &&
		s.LambdaResult(given[0]) >= 0 && s.onlyAsksOf(s.LambdaResult(given[0])) && plainReceiver.MatchString(s.Tree.Text(s.Receiver(call)))
}

var plainReceiver = lazyregexp.MustCompile(`^(?:[\w.$@]+|Optional\.of(?:Nullable)?\([\w.]+\))$`)

// ofText are methods of texts whose names others have too; textNamed matches what is declared to be a text.
var (
	ofText    = source.WordSet("trim strip Trim trimmed trim_start trim_end strip_prefix strip_suffix toString concat")
	textNamed = lazyregexp.MustCompile(`\b[sS]tring\??\s+\$?(\w+)|\b(\w+)\??\s*:\s*&?(?:'\w+\s+)?(?:mut\s+)?(?:[sS]tring|str)\b`)
)

// onText reports whether a call is one of a method of texts, on what the function around says is one.
func (s *Analysis) onText(call int32, name string) bool {
	on, f := s.Receiver(call), s.FunctionAround(call)
	return on >= 0 && f >= 0 && ofText[name] && slices.ContainsFunc(textNamed.FindAllStringSubmatch(s.Tree.Text(f), -1),
		func(m []string) bool { return m[1]+m[2] == strings.TrimLeft(s.Tree.Text(on), "$") })
}

// purePHP are functions of PHP, which nobody else can give their names, that only give a value.
var purePHP = source.WordSet("trim rtrim ltrim htmlspecialchars htmlentities strip_tags nl2br intval floatval strval strlen strrev count abs " +
	"round floor ceil max min json_encode md5 sha1 preg_quote array_reverse array_filter is_null is_string is_array is_numeric")
