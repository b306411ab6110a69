package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What has only the form of doing something: a loop that goes round once, a handler that throws again what
// it was thrown, a name for a value that nobody reads, a condition that holds for what cannot be less.

// onlyForm marks what stands around what is done as if it did not stand there.
func (s *side) onlyForm(node int32, put func(int32, Why)) {
	body, around := int32(-1), false
	switch kind := s.kind(node); {
	case kind == "try_statement", kind == "try_expression", kind == "begin":
		body, around = s.rethrown(node)
		around = around && s.moreThanBefore("try")
	case s.isLoop(node) || kind == "enhanced_for_statement" || kind == "do_statement" && s.lang != syntax.Swift:
		body = s.tree.Field(node, "body")
		if around = body >= 0 && s.goesOnce(string(s.src[s.tree.Nodes[node].Start:s.tree.Nodes[body].Start]), body); !around &&
			s.breaksAtOnce(node, body) {
			put(node, Unreachable)
		}
	case kind == "attribute_item":
		s.compiledAnyway(node, put)
	case s.isStatement(node):
		s.namesInVain(node)
	}
	if around && s.isBlock(body) {
		n, b := s.tree.Nodes[node], s.tree.Nodes[body]
		s.marks = append(s.marks, mark{start: int(n.Start), end: int(b.Start), why: NoEffect},
			mark{start: int(b.End), end: int(n.End), why: NoEffect})
		s.unwrap(body)
	}
}

// rethrown returns what is tried, and whether all that is done about what goes wrong is to throw it again.
func (s *side) rethrown(try int32) (body int32, all bool) {
	body = s.tree.Field(try, "body")
	for c := range s.children(try) {
		k := s.tree.Kind(c)
		switch {
		case strings.Contains(k, "comment"), c == body:
		case !strings.Contains(k, "catch") && !strings.Contains(k, "except"):
			return body, false
		case throwsAgain.MatchString(s.tree.Text(c)):
			m := throwsAgain.FindStringSubmatch(s.tree.Text(c))
			if all = m[2] == "" || m[1] == m[2]; !all {
				return body, false
			}
		case neverTaken.MatchString(s.tree.Text(c)):
			all = true
		default:
			return body, false
		}
	}
	return body, all
}

var (
	throwsAgain = lazyregexp.MustCompile(`^(?:catch|except)\b\s*(?:\((?:[^()]*[\s&*|])?\$?(\w+)(?:\s*:\s*\w+)?\)|\([^()]*\)|[\w.]+\s+as\s+\w+|[\w.]*)\s*[{:]\s*` +
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

// goesOnce reports whether a loop goes round once, and nothing in it asks how often it has.
func (s *side) goesOnce(head string, body int32) bool {
	m := once.FindStringSubmatch(head)
	text := s.tree.Text(body)
	if m == nil || m[1] != m[2] || leavesLoop.MatchString(text) {
		return false
	}
	if strings.HasPrefix(head, "do") { // while (false)
		cond := s.tree.Field(s.tree.Parent(body), "condition")
		return cond >= 0 && s.truth(cond) == expression.No && s.functionAround(body) >= 0
	}
	name := m[1] + m[3]
	return (name == "_" || !holdsWord(text, name)) && s.moreThanBefore(untilEnd.FindString(head))
}

// moreThanBefore reports whether a text has a piece more often than it had. Where it has not, what stood
// there did something, and is changed.
func (s *side) moreThanBefore(piece string) bool {
	return bytes.Count(s.src, []byte(piece)) > bytes.Count(s.base, []byte(piece))
}

// breaksAtOnce reports whether all that the body of a loop ever does is to leave it. A loop that waits for a
// value, or that finds the first one for what stands behind it, does so too.
func (s *side) breaksAtOnce(loop, body int32) bool {
	first := s.nthChild(body, 0)
	for first >= 0 && (strings.Contains(s.tree.Kind(first), "comment") || s.isBlock(first)) {
		if s.isBlock(first) {
			first = s.nthChild(first, 0)
		} else {
			first = s.after(first)
		}
	}
	if first < 0 || !s.isBlock(body) || strings.TrimRight(s.tree.Text(first), "; ") != "break" {
		return false
	}
	head := string(s.src[s.tree.Nodes[loop].Start:s.tree.Nodes[body].Start])
	if f := s.functionAround(loop); expression.Waits(head) || f >= 0 && slices.ContainsFunc(expression.GivenNames(head), func(name string) bool {
		return holdsWord(string(s.src[s.tree.Nodes[loop].End:s.tree.Nodes[f].End]), name)
	}) {
		return false
	}
	for c := range s.children(loop) {
		if c != body && s.does(c) && !s.onlyAsksOf(c) && !strings.HasPrefix(s.tree.Text(c), "else") {
			return false
		}
	}
	return true
}

// namesInVain marks the name of a local that is given what something done gives back, if nobody reads it.
func (s *side) namesInVain(node int32) {
	left, right, ok := s.assignment(node)
	if call := s.onlyChild(right); ok && s.tree.Kind(right) == "expression_list" && call >= 0 {
		right = call
	}
	if !ok || s.spec.Comparing.Drops || s.spec.Comparing.LastIsValue || !s.does(right) || s.functionAround(node) < 0 ||
		!slices.ContainsFunc(callKinds, func(k string) bool { return k == s.tree.Kind(right) }) || strings.HasPrefix(s.tree.Text(node), "using") {
		return
	}
	if name := s.tree.Text(left); name != "_" && s.neverRead(node, left, right) {
		s.marks = append(s.marks, mark{start: int(s.tree.Nodes[node].Start), end: int(s.tree.Nodes[right].Start), why: NoEffect})
	}
}

// compiledAnyway marks a condition of Rust that always holds, and one that never does before what was not there.
func (s *side) compiledAnyway(attribute int32, put func(int32, Why)) {
	switch text := plainText(s.tree.Text(attribute)); {
	case alwaysCompiled.MatchString(text):
		put(attribute, NoEffect)
	case neverCompiled.MatchString(text):
		next := s.after(attribute)
		if next >= 0 && !strings.Contains(plainText(string(s.base)), plainText(s.tree.Text(next))) {
			put(attribute, LeftOut)
		}
	}
}

var alwaysCompiled = lazyregexp.MustCompile(`^#!?\[cfg\((?:all\(\)|not\(any\(\)\)|true)\)\]$`)

// asks finds the names of methods that only tell something of a value, askedOf functions that do.
var (
	asks = lazyregexp.MustCompile(`^(?:(?:is|has|contains|starts|ends|equals|Is|Has|Contains|Starts|Ends|Equals)(?:_|[A-Z]|$)\w*` +
		`|get[A-Z]\w*|starts?_?with|ends_?with|includes\??|(?:empty|blank|nil|any|present)\?|len|length|size|count|Count|empty)$`)
	askedOf = wordSet("len strlen empty isset")
)

// onlyAsksOf reports whether all that an expression does is to ask something of values.
func (s *side) onlyAsksOf(node int32) bool {
	for i := node; i < s.tree.Nodes[node].Next; i++ {
		kind := s.tree.Kind(i)
		switch {
		case !s.tree.Named(i), strings.Contains(kind, "argument"), kind == "call_suffix", strings.HasPrefix(kind, "type_"):
		case slices.Contains(callKinds, kind):
			if name := s.calledName(i); !askedOf[name] && (!asks.MatchString(name) || s.receiver(i) < 0) {
				return false
			}
		case s.jumps(i), strings.HasPrefix(kind, "let_"), slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }):
			return false
		}
	}
	text := s.tree.Text(node)
	return !strings.Contains(text, "++") && !strings.Contains(text, "--") && !strings.Contains(text, "<-")
}

// filtering are methods that give what of some values a function says yes to.
var filtering = wordSet("filter Where select reject findAll FindAll partition takeIf takeUnless filterNot")

// filtersInVain reports whether a call only asks which of some values are meant.
func (s *side) filtersInVain(call int32) bool {
	given := s.given(call)
	return filtering[s.calledName(call)] && s.receiver(call) >= 0 && len(given) == 1 && s.anonymous(given[0]) &&
		s.value(given[0]) >= 0 && s.onlyAsksOf(s.value(given[0])) && plainReceiver.MatchString(s.tree.Text(s.receiver(call)))
}

var plainReceiver = lazyregexp.MustCompile(`^(?:[\w.$@]+|Optional\.of(?:Nullable)?\([\w.]+\))$`)

// ofText are methods of texts whose names others have too; textNamed finds what is said to be a text.
var (
	ofText    = wordSet("trim strip Trim trimmed trim_start trim_end strip_prefix strip_suffix toString concat")
	textNamed = lazyregexp.MustCompile(`\b[sS]tring\??\s+\$?(\w+)|\b(\w+)\??\s*:\s*&?(?:'\w+\s+)?(?:mut\s+)?(?:[sS]tring|str)\b`)
)

// onText reports whether a call is one of a method of texts, on what the function around says is one.
func (s *side) onText(call int32, name string) bool {
	on, f := s.receiver(call), s.functionAround(call)
	return on >= 0 && f >= 0 && ofText[name] && slices.ContainsFunc(textNamed.FindAllStringSubmatch(s.tree.Text(f), -1),
		func(m []string) bool { return m[1]+m[2] == strings.TrimLeft(s.tree.Text(on), "$") })
}

// purePHP are functions of PHP, which nobody else can give their names, that only give a value.
var purePHP = wordSet("trim rtrim ltrim htmlspecialchars htmlentities strip_tags nl2br intval floatval strval strlen strrev count abs " +
	"round floor ceil max min json_encode md5 sha1 preg_quote array_reverse array_filter is_null is_string is_array is_numeric")
