package codediff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// findMarks marks what does not count, and returns the literals that do, in order.
func (s *side) findMarks() (strs []mark) {
	var found []mark
	put := func(node int32, why Why) {
		n := s.tree.Nodes[node]
		found = append(found, mark{start: int(n.Start), end: int(n.End), why: why})
	}
	for i := int32(0); i < int32(len(s.tree.Nodes)); i++ {
		n := s.tree.Nodes[i]
		kind := s.tree.Kind(i)
		if !s.tree.Named(i) {
			continue
		}
		switch {
		case strings.Contains(kind, "comment"), kind == "uninterpreted", /* Ruby's __END__ */
			kind == "preproc_region", kind == "preproc_endregion":
			put(i, Comment)
			continue
		case s.notCompiled(i):
			put(i, LeftOut)
		case s.onlyDeclared(i):
			put(i, NoEffect)
			continue
		case s.deadCase(i):
			put(i, Unreachable)
			continue
		case kind == "decorator" && s.echoes()[strings.TrimPrefix(s.tree.Text(i), "@")], s.forCompilers(i), s.private(i) && s.unnamed(i), s.inner(i) && s.unnamedAround(i):
			put(i, NoEffect)
			continue
		case isLiteral(kind):
			strs = append(strs, mark{start: int(n.Start), end: int(n.End)})
			if s.holdsCode(i) {
				put(i, InString)
			}
			i = n.Next - 1
			continue
		case kind == "parenthesized_expression" && s.needless(i):
			found = append(found, mark{start: int(n.Start), end: int(n.Start) + 1, why: Format},
				mark{start: int(n.End) - 1, end: int(n.End), why: Format})
		}
		s.markSame(i)
		s.deadIn(i, put)
		s.underFalse(i, put)
		s.deadArm(i, put)
		s.sameWhatever(i, put)
		if s.isStatement(i) {
			if why := s.idle(i); why != "" {
				put(i, why)
			}
		}
	}
	if s.lang == syntax.PHP {
		if at := bytes.Index(s.src, []byte("__halt_compiler")); at >= 0 {
			found = append(found, mark{start: at, end: len(s.src), why: Unreachable})
		}
	}
	found = append(found, s.marks...)
	s.marks = nil
	slices.SortStableFunc(found, func(a, b mark) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	for _, m := range found { // of two that overlap, the outer
		if k := len(s.marks); k == 0 || m.start >= s.marks[k-1].end {
			s.marks = append(s.marks, m)
		}
	}
	return strs
}

// isLiteral reports whether a kind of node is a literal text.
func isLiteral(kind string) bool {
	return strings.Contains(kind, "string") && !strings.Contains(kind, "type") && !strings.Contains(kind, "content") &&
		!strings.Contains(kind, "fragment") && !strings.Contains(kind, "concatenated") ||
		kind == "heredoc" || kind == "heredoc_body" || kind == "rune_literal" || kind == "char_literal" ||
		kind == "character_literal" ||
		kind == "nowdoc" || kind == "sigil" || kind == "regex" || kind == "text_block"
}

// declares finds the head of a function in what is otherwise text.
var declares = lazyregexp.MustCompile(`(?m)^\s*(?:export |pub |public |private |protected |static |async )*(?:def|func|fn|fun|function|class|interface|module|sub) +\w+|^\s*(?:public|private|protected|static)[\w<>\[\] ]+ \w+\s*\(|\bfunction\s*\w*\([^)]*\)\s*\{|=>\s*\{|\bdef \w+.*:\s*return\b`)

// holdsCode reports whether a literal holds a function of the file's own language.
func (s *side) holdsCode(node int32) bool {
	n := s.tree.Nodes[node]
	text := s.src[n.Start:n.End]
	if len(text) < 12 || !declares.Match(text) {
		return false
	}
	if text[0] == '~' { // a sigil
		text = text[2:]
	}
	inner := bytes.Trim(text, "`'\"")
	if bytes.HasPrefix(text, []byte("<<")) { // between the lines that open and close it
		_, inner, _ = bytes.Cut(text, []byte("\n"))
		inner = inner[:max(bytes.LastIndexByte(inner, '\n'), 0)]
	}
	if around := s.spec.Comparing.Around; around != "" {
		inner = fmt.Appendf(nil, around, inner)
	}
	code := syntax.ReadCode(s.lang, bytes.ReplaceAll(inner, []byte(`\n`), []byte("\n")))
	if code == nil {
		return false
	}
	for i := range code.Nodes {
		if code.Function(int32(i)) {
			return true
		}
	}
	return false
}

// needless reports whether brackets around an expression change nothing.
func (s *side) needless(node int32) bool {
	inner := s.onlyChild(node)
	if inner < 0 {
		return false
	}
	switch kind := s.tree.Kind(inner); {
	case strings.Contains(kind, "identifier"), strings.Contains(kind, "literal"), strings.Contains(kind, "call"),
		kind == "integer", kind == "number",
		kind == "attribute", strings.HasSuffix(kind,
			"member_expression"), kind == "parenthesized_expression", kind == "name", kind == "variable_name":
		return true
	}
	parent := s.tree.Kind(s.tree.Nodes[node].Parent)
	for _, part := range []string{"return", "assign", "declarat", "statement", "argument", "keyword_argument",
		"throw", "condition"} {
		if strings.Contains(parent, part) {
			return true
		}
	}
	return false
}

// onlyChild returns the one named child of a node, or -1.
func (s *side) onlyChild(node int32) int32 {
	only := int32(-1)
	for c := range s.children(node) {
		if only >= 0 {
			return -1
		}
		only = c
	}
	return only
}

// children yields the named children of a node.
func (s *side) children(node int32) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		if node < 0 {
			return
		}
		for c := node + 1; c < s.tree.Nodes[node].Next; c = s.tree.Nodes[c].Next {
			if s.tree.Named(c) && !yield(c) {
				return
			}
		}
	}
}

// isBlock reports whether a node holds statements, one after the other.
func (s *side) isBlock(node int32) bool {
	if node < 0 {
		return false
	}
	kind := s.tree.Kind(node)
	switch kind {
	case "block", "statement_block", "statement_list", "compound_statement", "body_statement", "statements", "then", "else", "do", "ensure",
		"suite", "module", "program", "source_file", "function_body", "control_structure_body", "declaration_list",
		"begin", "constructor_body",
		"block_body", "expression_case", "default_case", "case_statement", "switch_section",
		"switch_block_statement_group", "switch_case", "when",
		"lambda_literal", "compilation_unit", "translation_unit", "script_file", "global_statement", "class_body":
		return true
	case "source", "do_block", "else_block", "rescue_block", "catch_block", "after_block", "body":
		return s.spec.Comparing.Calls
	}
	return false
}

// isStatement reports whether a node stands among others that are done one after the
// other.
func (s *side) isStatement(node int32) bool { return s.isBlock(s.tree.Nodes[node].Parent) }

// deadIn marks what never runs among the children of a node.
func (s *side) deadIn(node int32, put func(int32, Why)) {
	if s.isBlock(node) {
		over := false
		for c := range s.children(node) {
			kind := s.tree.Kind(c)
			switch {
			case strings.Contains(kind, "comment"):
			case strings.Contains(kind, "label"), kind == "directive", strings.Contains(kind, "case"), kind == "rescue",
				kind == "ensure", kind == "else", kind == "when",
				kind == "stab_clause", strings.HasSuffix(kind, "_block") && s.spec.Comparing.Calls:
				over = false
			case over && kind != "function_declaration" && kind != "local_function_statement" && kind != "class_declaration" && !strings.HasPrefix(kind,
				"preproc") && kind != "function_item":
				put(c, Unreachable)
			case over && !s.spec.Comparing.Hoisted:
				put(c, Unreachable)
			case s.ends(c) && (s.spec.Testing.Heads == nil || s.functionAround(c) >= 0): // a macro may head a block
				over = true
			}
		}
	}
	cond := s.condition(node)
	if cond < 0 {
		s.nothingToLoop(node, put)
		return
	}
	if truth := s.truth(cond); truth != unknown {
		s.decided(node, cond, truth, put)
	}
}

// underFalse marks what stands between "#if false" and its end, where the grammar takes both
// for statements of their own.
func (s *side) underFalse(block int32, put func(int32, Why)) {
	if s.lang != syntax.Swift || !s.isBlock(block) && s.tree.Kind(block) != "class_body" {
		return
	}
	dead := false
	for c := range s.children(block) {
		switch text := s.tree.Text(c); {
		case s.tree.Kind(c) == "directive":
			was := dead
			if dead = text == "#if false" || text == "#if 0"; dead || was {
				put(c, Unreachable)
			}
		case dead:
			put(c, Unreachable)
		}
	}
}

// decided marks the branch of a conditional that never runs, and the condition itself,
// on which nothing depends.
func (s *side) decided(node, cond int32, truth truth, put func(int32, Why)) {
	kind := s.kind(node)
	loop := s.isLoop(node)
	if inverted(kind) {
		truth = yes + no - truth
	}
	if loop && truth == yes || strings.HasPrefix(kind, "preproc") && truth == yes {
		return // a loop without end is one
	}
	others := false
	end := s.tree.Nodes[cond].End
	s.branches(node, cond, func(c int32, alternative bool) {
		others = others || alternative
		if alternative == (truth == yes) {
			s.marks = append(s.marks, mark{start: int(end), end: int(s.tree.Nodes[c].End), why: Unreachable})
			put(c, Unreachable)
		} else {
			s.marks = append(s.marks, mark{start: int(end), end: int(s.tree.Nodes[c].Start), why: NoEffect})
			s.unwrap(c)
		}
		end = s.tree.Nodes[c].End
	})
	switch first := s.tree.Nodes[node].Start; {
	case truth == no && !others:
		put(node, Unreachable)
	default:
		s.marks = append(s.marks, mark{start: int(first), end: int(s.tree.Nodes[cond].End), why: NoEffect})
	}
}

// inverted reports whether a kind of node does something unless its condition holds.
func inverted(kind string) bool {
	return strings.HasPrefix(kind, "unless") || strings.HasPrefix(kind, "until") || strings.HasPrefix(kind, "guard")
}

// unwrap marks the borders of a block that always runs.
func (s *side) unwrap(block int32) {
	n := s.tree.Nodes[block]
	s.bare[block] = true
	if s.src[n.Start] == '{' && s.src[n.End-1] == '}' {
		s.marks = append(s.marks, mark{start: int(n.Start), end: int(n.Start) + 1, why: NoEffect},
			mark{start: int(n.End) - 1, end: int(n.End), why: NoEffect})
	}
}

// conditional are parts of the kinds of nodes that do something only if a condition
// holds.
var conditional = []string{"if", "while", "unless", "until", "guard", "elif", "elsif", "conditional_expression", "ternary", "for_statement"}

// condition returns the condition of a node, or -1.
func (s *side) condition(node int32) int32 {
	kind := s.kind(node)
	if !slices.ContainsFunc(conditional, func(part string) bool { return strings.Contains(kind, part) }) ||
		strings.Contains(kind, "ifdef") {
		return -1
	}
	if c := s.tree.Field(node, "condition"); c >= 0 {
		return c
	}
	if s.spec.Comparing.Calls {
		return s.argument(node)
	}
	first := int32(-1)
	for c := range s.children(node) {
		first = c
		break
	}
	switch {
	case kind == "conditional_expression" && s.lang == syntax.Python: // a if b else c
		i := 0
		for c := range s.children(node) {
			if i++; i == 2 {
				return c
			}
		}
		return -1
	case first < 0, kind == "for_statement" && s.lang != syntax.Go, strings.Contains(kind, "literal"):
		return -1
	case kind == "for_statement" && !strings.Contains(s.tree.Kind(first), "clause") && !s.isBlock(first):
		return first
	case kind == "while_statement", kind == "if_expression", kind == "while_expression":
		return first
	}
	return -1
}

// branches calls f for the parts of a conditional, and says which are the alternative.
func (s *side) branches(node, cond int32, f func(c int32, alternative bool)) {
	kind := s.tree.Kind(node)
	if kind == "conditional_expression" && s.lang == syntax.Python {
		i := 0
		for c := range s.children(node) {
			if i++; i != 2 {
				f(c, i == 3)
			}
		}
		return
	}
	if s.spec.Comparing.Calls {
		s.callBranches(node, f)
		return
	}
	seen := 0
	for c := range s.children(node) {
		if c == cond || strings.Contains(s.tree.Kind(c), "comment") || s.lang == syntax.Swift && s.tree.Kind(c) == "else" {
			continue
		}
		seen++
		field, k := s.tree.FieldName(c), s.tree.Kind(c)
		alternative := field == "alternative" || strings.Contains(k, "else") || strings.Contains(k, "elif") ||
			s.lang == syntax.Kotlin && seen > 1
		if field == "initializer" || field == "init" {
			continue
		}
		f(c, alternative)
	}
}

// nothingToLoop marks the body of a loop over an empty list.
func (s *side) nothingToLoop(node int32, put func(int32, Why)) {
	over, body := s.loopOver(node)
	if over < 0 || body < 0 {
		return
	}
	if s.nothingIn(over) {
		put(node, Unreachable)
	}
}

// exits matches a call that does not come back.
var exits = lazyregexp.MustCompile(`^(?:await\s+)?(?:(?:panic|unreachable|todo|unimplemented)!\s*[({\[]|(?:panic|os\.Exit|os\._exit|sys\.exit|exit|quit|process\.exit|(?:std::)?process::exit|System\.exit|exitProcess|die|(?:std::)?(?:abort|terminate)|fatalError|preconditionFailure|log\.(?:Fatal|Panic)\w*|Environment\.Exit|raise|fail|throw|runtime\.Goexit)\b(?:\s*[({'"]|\s+(?:[^\s=.,:;?+*/<>&|-]|$)|$))`)

// ends reports whether nothing after a statement runs.
func (s *side) ends(node int32) bool {
	kind := s.kind(node)
	switch kind {
	case "control_transfer_statement":
		return s.tree.Text(node) != "return" // what follows on the next line is its value
	case "return_statement", "throw_statement", "raise_statement", "break_statement", "continue_statement", "goto_statement",
		"return_expression", "throw_expression", "break_expression", "continue_expression", "return", "break", "next", "jump_expression", "yield_break", "exit_statement":
		return !strings.Contains(s.tree.Text(node), "yield return")
	case "expression_statement", "call", "command", "call_expression":
		if inner := s.onlyChild(node); kind == "expression_statement" && inner >= 0 &&
			strings.HasSuffix(s.tree.Kind(inner), "_expression") && s.ends(inner) {
			return true
		}
		return exits.MatchString(s.tree.Text(node))
	case "block", "statement_block", "compound_statement", "statement_list", "then", "else_clause", "else",
		"function_body", "body_statement":
		for c := range s.children(node) {
			if s.ends(c) {
				return true
			}
		}
		return false
	}
	cond := s.condition(node)
	if cond < 0 {
		return s.isLoop(node) && s.tree.Kind(node) != "for_statement" && strings.HasPrefix(s.tree.Kind(node),
			"loop") && !s.leaves(node)
	}
	truth := s.truth(cond)
	if truth != unknown && inverted(kind) {
		truth = yes + no - truth
	}
	if s.isLoop(node) {
		return truth == yes && !s.leaves(node)
	}
	then, other := false, false
	s.branches(node, cond, func(c int32, alternative bool) {
		if strings.Contains(s.tree.Kind(c), "elif") || strings.Contains(s.tree.Kind(c), "elsif") {
			then = false
		} else if alternative {
			other = other || s.ends(c)
		} else {
			then = then || s.ends(c)
		}
	})
	return then && (other || truth == yes)
}

func (s *side) isLoop(node int32) bool {
	kind := s.tree.Kind(node)
	return strings.Contains(kind, "while") || strings.HasPrefix(kind, "for") || strings.HasPrefix(kind, "loop")
}

// leaves reports whether a loop holds anything that ends it.
func (s *side) leaves(node int32) bool {
	for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
		if k := s.tree.Kind(i); strings.HasPrefix(k, "break") || strings.HasPrefix(k, "goto") || k == "jump_expression" || s.jumps(i) {
			return true
		}
	}
	return false
}

// jumps reports whether a node is a "break" or "continue" of Kotlin, which are names to its
// grammar.
func (s *side) jumps(node int32) bool {
	if s.lang != syntax.Kotlin || s.tree.Kind(node) != "identifier" {
		return false
	}
	text := s.tree.Text(node)
	return text == "break" || text == "continue"
}

// deeds are parts of the kinds of nodes that do something.
var deeds = []string{"call", "invocation", "assign", "return", "yield", "throw", "raise", "await", "update", "macro", "new_",
	"object_creation", "delete", "send", "command", "break", "continue", "goto", "inc_", "dec_", "increment", "decrement",
	"postfix", "prefix_", "declaration", "definition", "function", "class", "lambda", "echo", "print", "include", "require",
	"try_expression", "heredoc_redirect"}

// values are parts of the kinds of nodes that only compute something, plainValues whole
// kinds of them.
var (
	values = []string{"identifier", "literal", "binary", "comparison", "operator", "attribute", "member", "field_expression",
		"subscript", "tuple", "list", "integer", "number", "unary"}
	plainValues = []string{"none", "true", "false", "null", "undefined", "this", "variable_name", "float", "ellipsis"}
)

// idle says why a statement does nothing, or "".
func (s *side) idle(node int32) Why {
	kind := s.kind(node)
	text := strings.TrimRight(strings.TrimSpace(s.tree.Text(node)), "; \t")
	last := s.isLast(node)
	switch {
	case kind == "pass_statement", kind == "empty_statement", text == "...":
		return NoEffect
	case kind == "import_statement", kind == "import_from_statement", kind == "import_declaration",
		kind == "use_declaration", kind == "import_header", kind == "import":
		if s.unusedImport(node) {
			return NoEffect
		}
		return ""
	case kind == "unary_operator" && s.spec.Comparing.Calls && strings.HasPrefix(text, "@"):
		return s.attribute(node)
	case kind == "using_directive", kind == "alias_call":
		return s.alias(node)
	case givesItself(text), callsNothing.MatchString(text), onlyValue.MatchString(text) && s.arguments(node):
		return NoEffect
	case overNothing.MatchString(text):
		return Unreachable
	case s.neutral(text), nothingDone.MatchString(text) && s.arguments(node), emptyAsm.MatchString(text), emptyLoop.MatchString(text), s.callsIdle(node), s.dropped(node):
		return NoEffect
	case s.alwaysHolds(text), unthrown.MatchString(text), s.onlyComputes(node) && !s.isValue(node), s.complainsInVain(node):
		return NoEffect
	}
	if left, right, ok := s.assignment(node); ok {
		return s.idleAssignment(node, left, right, last)
	}
	if left, right, ok := s.compound(node); ok && !s.does(right) && s.neverRead(node, left, right) {
		return NoEffect
	}
	if strings.HasPrefix(text, "(void)") && !s.does(node) {
		return NoEffect
	}
	if strings.HasPrefix(kind, "assert") {
		for c := range s.children(node) {
			if s.truth(c) == yes {
				return NoEffect
			}
			break
		}
	}
	inner := node
	if kind == "expression_statement" {
		if inner = s.onlyChild(node); inner < 0 {
			return ""
		}
	} else if !s.spec.Comparing.LastIsValue || last {
		return s.hollow(node)
	}
	return s.idleValue(node, inner, text)
}

// givesItself reports whether a statement gives a variable its own value.
func givesItself(text string) bool {
	for _, op := range []string{"??=", "||=", "&&=", "|=", "&="} {
		if l, r, ok := strings.Cut(text, op); ok && len(text) < 200 {
			return plainText(l) == plainText(r)
		}
	}
	return false
}

// onlyValue finds a call of what only computes, whose result nobody takes.
var onlyValue = lazyregexp.MustCompile(`^(?:Math\.(?:max|min|abs|floor|ceil|round|sqrt|pow|trunc|sign)|math\.(?:floor|ceil|fabs|trunc|pow)|math\.(?:Max|Min|Abs|Floor|Ceil|Round|Pow)|std::(?:max|min|abs|clamp)|sorted|reversed)\s*\(`)

// arguments reports whether a statement is one call, and nothing that it is given does
// anything.
func (s *side) arguments(call int32) bool {
	if inner := s.onlyChild(call); strings.Contains(s.tree.Kind(call), "statement") && inner >= 0 {
		call = inner
	}
	if k := s.tree.Kind(call); !strings.Contains(k, "call") && !strings.Contains(k, "invocation") {
		return false
	}
	for i := call + 1; i < s.tree.Nodes[call].Next; i++ {
		k := s.tree.Kind(i)
		if s.tree.Named(i) && (strings.Contains(k, "call_expression") || k == "call" || strings.Contains(k, "invocation") || strings.Contains(k, "assign")) {
			return false
		}
	}
	return !s.spec.Comparing.LastIsValue || !s.isLast(call)
}

// callsNothing finds a function without a body that is called where it stands.
var callsNothing = lazyregexp.MustCompile(`^(?:(?:defer|go|await|void)\s+)?(?:func\s*\(\)\s*\{\s*\}|\((?:async\s+)?(?:function\s*)?\(\)\s*(?:=>\s*)?\{\s*\}\))\s*\(\)$|^defer\s*\{\s*\}$|^extension\s+[\w.]+\s*\{\s*\}$`)

// neverCompiled finds a condition of Rust that holds nowhere.
var neverCompiled = lazyregexp.MustCompile(`^#!?\[cfg\((?:any\(\)|not\(all\(\)\)|false)\)\]$`)

// notCompiled reports whether an attribute in front of a node keeps compilers from it.
func (s *side) notCompiled(node int32) bool {
	if s.lang != syntax.Rust || s.tree.Kind(node) == "attribute_item" {
		return false
	}
	never := false
	for c := range s.children(s.tree.Nodes[node].Parent) {
		switch kind := s.tree.Kind(c); {
		case c == node:
			return never
		case kind == "attribute_item":
			never = never || neverCompiled.MatchString(plainText(s.tree.Text(c)))
		case !strings.Contains(kind, "comment"):
			never = false
		}
	}
	return false
}

// isLast reports whether nothing but comments follows a statement in its block.
func (s *side) isLast(node int32) bool {
	if s.tree.Kind(s.tree.Nodes[node].Parent) == "ensure" || s.unheard(s.tree.Nodes[node].Parent) {
		return false
	}
	for c := range s.children(s.tree.Nodes[node].Parent) {
		if k := s.tree.Kind(c); c > node && !strings.Contains(k, "comment") && k != "rescue" && k != "ensure" && k != "else" {
			return false
		}
	}
	return true
}

// isValue reports whether an expression is the value of the block that it ends: in Rust, one without
// a semicolon.
func (s *side) isValue(node int32) bool {
	return (s.spec.Comparing.LastIsValue || s.lang == syntax.Rust && s.tree.Kind(node) != "expression_statement") && s.isLast(node)
}

// unheard reports whether a block belongs to a function of Kotlin whose value is of no
// interest to what it is handed to.
func (s *side) unheard(block int32) bool {
	if s.lang != syntax.Kotlin {
		return false
	}
	for range 2 {
		if s.tree.Kind(block) == "lambda_literal" {
			before := strings.TrimRight(string(s.src[:s.tree.Nodes[block].Start]), " ")
			return handsOn.MatchString(before[max(len(before)-20, 0):])
		}
		if block = s.tree.Nodes[block].Parent; block < 0 {
			return false
		}
	}
	return false
}

var handsOn = lazyregexp.MustCompile(`\.\s*(?:also|apply|forEach|onEach|forEachIndexed)$`)

// idleAssignment is idle for an assignment; last tells that it ends its block.
func (s *side) idleAssignment(node, left, right int32, last bool) Why {
	switch l := s.tree.Text(left); {
	case plainText(l) == plainText(s.tree.Text(s.root(right))):
		if s.declares(node, left, right) { // a copy of its own
			return ""
		}
		return NoEffect
	case last && s.spec.Comparing.LastIsValue && s.lang != syntax.Kotlin && s.lang != syntax.Swift:
		return ""
	case s.forgottenField(l) && !s.does(right):
		return NoEffect
	case l == "_" && (!s.does(right) || s.onlyComputes(right) || triesInVain.MatchString(s.tree.Text(right))):
		return NoEffect
	case !s.does(right) && !strings.Contains(s.kind(node), "field") && (s.deadStore(node, left) || s.neverRead(node, left, right)):
		return NoEffect
	case !s.does(right) && s.onlyInDecided(node, l):
		return NoEffect
	case (l == "_" || s.deadStore(node, left)) && (unthrown.MatchString(s.tree.Text(right)) || s.computesOnly(right) || onlyAsked.MatchString(plainText(s.tree.Text(right)))):
		return NoEffect
	}
	return ""
}

// unthrown finds an error that is made, and that nobody throws.
var unthrown = lazyregexp.MustCompile(`^(?:(?:new\s+)?(?:\w+[.\\])*[A-Z]\w*(?:Error|Exception)|fmt\.Errorf|errors\.New)\s*\([^{};]*\)$`)

// onlyAsked finds a call without arguments that gives a value to whoever names it.
var onlyAsked = lazyregexp.MustCompile(`^[\w.$]+(?:\.|->|::)(?:trim|strip|[tT]rim_?(?:end|start|End|Start)|[tT]o_?[sS]tr(?:ing)?|[lL]en(?:gth)?|size|[cC]ount|is_?[eE]mpty)\(\)$`)

// declares reports whether an assignment declares what it assigns.
func (s *side) declares(node, left, right int32) bool {
	return strings.Contains(s.tree.Kind(node), "declaration") ||
		strings.Contains(string(s.src[s.tree.Nodes[left].End:s.tree.Nodes[right].Start]), ":=")
}

// idleValue is idle for a statement that is nothing but a value.
func (s *side) idleValue(node, inner int32, text string) Why {
	k := s.tree.Kind(inner)
	switch {
	case isLiteral(k) || k == "concatenated_string":
		if strings.HasPrefix(strings.Trim(text, `'"`), "use ") { // a directive
			return ""
		}
		return Comment // documentation
	case s.decidedBefore(inner):
		return Unreachable
	case s.does(node):
		return s.hollow(node)
	case s.anonymous(inner):
		return NoEffect
	case s.spec.Comparing.LastIsValue:
		if strings.Contains(k, "integer") || strings.Contains(k, "literal") || k == "nil" || k == "true" || k == "false" ||
			s.lang == syntax.Ruby && k == "binary" || s.lang == syntax.Kotlin && k == "binary_expression" && s.tree.Kind(s.lastChild(inner)) != "lambda_literal" || s.spec.Comparing.Calls && (k == "atom" || k == "boolean" || k == "binary_operator" || k == "identifier") {
			return NoEffect
		}
		return ""
	case s.spec.Comparing.Macros && strings.ToUpper(text) == text:
		return "" // a macro
	case s.lang == syntax.Rust && strings.Contains(k, "if") || strings.Contains(k, "match") || strings.Contains(k, "loop"):
		return s.hollow(node)
	case slices.Contains(plainValues, k), slices.ContainsFunc(values, func(part string) bool { return strings.Contains(k, part) }):
		return NoEffect
	}
	return ""
}

// decidedBefore reports whether the left side of "and" or "or" is written out so that the
// right side is never looked at.
func (s *side) decidedBefore(node int32) bool {
	left, right := s.tree.Field(node, "left"), s.tree.Field(node, "right")
	if left < 0 || right < left {
		return false
	}
	switch strings.TrimSpace(string(s.src[s.tree.Nodes[left].End:s.tree.Nodes[right].Start])) {
	case "and", "&&":
		return s.truth(left) == no
	case "or", "||":
		return s.truth(left) == yes
	}
	return false
}

// plainText is a text without white space.
func plainText(text string) string { return strings.Join(strings.Fields(text), "") }

// assignment returns the sides of a statement that assigns once.
func (s *side) assignment(node int32) (left, right int32, ok bool) {
	for range 4 {
		if s.lang == syntax.Kotlin && s.tree.Kind(node) == "property_declaration" {
			return s.property(node)
		}
		left, right = s.sides(node)
		kind := s.tree.Kind(node)
		if left >= 0 && right >= 0 && left < right {
			between := strings.TrimSpace(string(s.src[s.tree.Nodes[left].End:s.tree.Nodes[right].Start]))
			if (strings.HasSuffix(between, "=") && (between == "=" || between == ":=" ||
				strings.HasPrefix(between, ":"))) && (!strings.Contains(kind, "binary") || s.spec.Comparing.Calls) {
				return left, right, true
			}
			return 0, 0, false
		}
		next := s.onlyChild(node)
		if next < 0 && (strings.Contains(kind, "declaration") || kind == "property_declaration") { // a type before the name
			for c := range s.children(node) {
				if strings.Contains(s.tree.Kind(c), "declarator") {
					next = c
				}
			}
		}
		if next < 0 {
			return 0, 0, false
		}
		node = next
	}
	return 0, 0, false
}

// sideFields are the names that grammars give to the sides of an assignment.
var sideFields = [][2]string{{"left", "right"}, {"name", "value"}, {"pattern", "value"}, {"target", "result"}}

// sides returns the sides of an assignment, or -1.
func (s *side) sides(node int32) (left, right int32) {
	for _, f := range sideFields {
		left, right = s.tree.Field(node, f[0]), s.tree.Field(node, f[1])
		if left >= 0 && right >= 0 {
			return left, right
		}
	}
	if s.lang == syntax.CSharp && s.tree.Kind(node) == "variable_declarator" && s.nthChild(node, 1) >= 0 {
		return s.nthChild(node, 0), s.lastChild(node)
	}
	if s.tree.Kind(node) == "init_declarator" {
		return s.tree.Field(node, "declarator"), s.tree.Field(node, "value")
	}
	return left, right
}

// does reports whether an expression may do something besides having a value.
func (s *side) does(node int32) bool {
	for i := node; i < s.tree.Nodes[node].Next; i++ {
		if !s.tree.Named(i) && i != node {
			continue
		}
		kind := s.tree.Kind(i)
		if s.anonymous(i) && !s.onlyCallee(i) || kind == "property_delegate" && strings.HasPrefix(s.tree.Text(i), "by lazy") || namesOnly.MatchString(s.tree.Text(i)) {
			// that it is there calls nothing
			i = s.tree.Nodes[i].Next - 1
			continue
		}
		if kind == "expression_statement" || i == node && (strings.Contains(kind, "declaration") || kind == "public_field_definition") {
			continue
		}
		if s.jumps(i) || kind == "infix_expression" && !onlyJoins[s.tree.Text(s.nthChild(i, 1))] || kind == "unary_expression" && strings.HasPrefix(s.tree.Text(i), "delete") ||
			slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }) {
			return true
		}
	}
	text := s.tree.Text(node)
	if s.spec.Comparing.Shifts && (strings.Contains(text, "<<") || strings.Contains(text, ">>")) {
		return true
	}
	return strings.Contains(text, "<-") || strings.Contains(text, "++") || strings.Contains(text, "--")
}

// onlyJoins are the functions of Kotlin between two values that only give one.
var onlyJoins = wordSet("to until downTo step shl shr ushr and or xor")

// deadStore reports whether what is assigned is a local that nothing else names.
func (s *side) deadStore(node, left int32) bool {
	name := s.tree.Text(left)
	if !plainWord.MatchString(name) {
		return false
	}
	f := s.functionAround(node)
	if f < 0 {
		return false
	}
	n, local := s.written(f, name)
	return local && count(s.tree.Text(f), name) == n
}

// written counts how often a name stands in what only gives it a value, and says whether it
// is a local, not a field or a variable of the file.
func (s *side) written(function int32, name string) (n int, local bool) {
	local = s.spec.Comparing.Undeclared
	for i := function + 1; i < s.tree.Nodes[function].Next; i++ {
		if !s.tree.Named(i) || !s.isStatement(i) || s.isBlock(i) {
			continue
		}
		if left, right, ok := s.assignment(i); ok && s.tree.Text(left) == name {
			n += count(s.tree.Text(i), name)
			local = local || s.declares(i, left, right)
			i = s.tree.Nodes[i].Next - 1
		}
	}
	return n, local
}

// functionAround returns the innermost function around a node, or -1.
func (s *side) functionAround(node int32) int32 {
	for p := s.tree.Nodes[node].Parent; p >= 0; p = s.tree.Nodes[p].Parent {
		if s.tree.Function(p) {
			return p
		}
		if strings.Contains(s.tree.Kind(p), "class") {
			return -1
		}
	}
	return -1
}

// count returns how often a word stands in a text.
func count(text, word string) (n int) {
	b := []byte(text)
	for at := 0; at < len(b); {
		size := tokenLength(b[at:])
		if found := string(b[at : at+size]); found == word || found == "$"+word { // in a template
			n++
		}
		at += size
	}
	return n
}

// hollow says whether a statement only holds others that do nothing.
func (s *side) hollow(node int32) Why {
	switch s.kind(node) {
	case "if_statement", "if_expression", "with_statement", "if", "try_statement", "if_call", "unless_call",
		"do_statement", "lock_statement", "checked_statement", "unsafe_statement", "synchronized_statement":
	default:
		return ""
	}
	if s.spec.Comparing.LastIsValue && s.isLast(node) && s.chooses(node) {
		return "" // it is a value
	}
	if s.kind(node) == "with_statement" && !idleContext.MatchString(s.tree.Text(node)) {
		return "" // to enter it does something
	}
	held := false
	for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
		if !s.isBlock(s.tree.Nodes[i].Parent) || s.isBlock(i) || !s.tree.Named(i) || strings.Contains(s.tree.Kind(i), "comment") {
			continue
		}
		if s.tree.Nodes[i].Parent <= node {
			continue
		}
		held = true
		if s.idle(i) == "" {
			return ""
		}
	}
	if cond := s.condition(node); cond >= 0 && s.does(cond) {
		return ""
	}
	if held || !s.does(node) {
		return NoEffect
	}
	return ""
}

// idleContext finds a context of Python that does nothing by itself.
var idleContext = lazyregexp.MustCompile(`^with\s+(?:contextlib\.)?(?:suppress|nullcontext)\(`)

// chooses reports whether a conditional has an alternative.
func (s *side) chooses(node int32) (chooses bool) {
	if cond := s.condition(node); cond >= 0 {
		s.branches(node, cond, func(_ int32, alternative bool) { chooses = chooses || alternative })
	}
	return chooses
}

// unusedImport reports whether none of the names that an import brings is named
// elsewhere in the file.
func (s *side) unusedImport(node int32) bool {
	if !s.spec.Comparing.UnusedImports {
		return false
	}
	text := s.tree.Text(node)
	if strings.Contains(text, "*") || strings.HasPrefix(text, "pub ") || strings.Contains(text, "__future__") ||
		bytes.Contains(s.src, []byte("__all__")) {
		return false
	}
	bound := 0
	for i := node; i < s.tree.Nodes[node].Next; i++ {
		if k := s.tree.Kind(i); !strings.Contains(k, "identifier") || s.tree.Nodes[i].Next != i+1 {
			continue
		}
		bound++
		if name := s.tree.Text(i); s.lang == syntax.Rust && name != strings.ToLower(name) && i+1 >= s.tree.Nodes[node].Next {
			return false // a trait has methods, which do not name it
		}
		if count(string(s.src), s.tree.Text(i)) > count(text, s.tree.Text(i)) {
			return false
		}
	}
	return bound > 0
}
