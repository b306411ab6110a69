package codediff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
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
		case strings.Contains(kind, "comment"), kind == "uninterpreted" /* Ruby's __END__ */, kind == "marginalia", /* of SQL */
			kind == "preproc_region", kind == "preproc_endregion":
			put(i, Comment)
			continue
		case s.notCompiled(i):
			put(i, LeftOut)
		case s.onlyDeclared(i):
			put(i, NoEffect)
			continue
		case s.deadCase(i), s.neverForced(i):
			put(i, Unreachable)
			continue
		case s.lang == syntax.SQL && s.idleSQL(i):
			put(i, NoEffect)
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
		s.locksNobody(i, put)
		s.onlyForm(i, put)
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
	found = s.inVain(append(found, s.marks...))
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
	parent := s.tree.Kind(s.tree.Parent(node))
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
func (s *side) isStatement(node int32) bool { return s.isBlock(s.tree.Parent(node)) }

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
	if truth := s.truth(cond); truth != expression.Unknown {
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
func (s *side) decided(node, cond int32, truth expression.Truth, put func(int32, Why)) {
	kind := s.kind(node)
	loop := s.isLoop(node)
	if inverted(kind) {
		truth = expression.Yes + expression.No - truth
	}
	if loop && truth == expression.Yes || strings.HasPrefix(kind, "preproc") && truth == expression.Yes {
		return // a loop without end is one
	}
	others := false
	end := s.tree.Nodes[cond].End
	s.branches(node, cond, func(c int32, alternative bool) {
		others = others || alternative
		if alternative == (truth == expression.Yes) {
			s.marks = append(s.marks, mark{start: int(end), end: int(s.tree.Nodes[c].End), why: Unreachable})
			put(c, Unreachable)
		} else {
			s.marks = append(s.marks, mark{start: int(end), end: int(s.tree.Nodes[c].Start), why: NoEffect})
			s.unwrap(c)
		}
		end = s.tree.Nodes[c].End
	})
	switch first := s.tree.Nodes[node].Start; {
	case truth == expression.No && !others:
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
		return s.tree.Text(node) != "return" || s.isLast(node) // what follows on the next line is its value
	case "return_statement", "throw_statement", "raise_statement", "break_statement", "continue_statement", "goto_statement",
		"return_expression", "throw_expression", "break_expression", "continue_expression", "return", "break", "next", "jump_expression", "yield_break", "exit_statement":
		return !strings.Contains(s.tree.Text(node), "yield return")
	case "expression_statement", "call", "command", "call_expression":
		if inner := s.onlyChild(node); kind == "expression_statement" && inner >= 0 &&
			strings.HasSuffix(s.tree.Kind(inner), "_expression") && s.ends(inner) {
			return true
		}
		return exits.MatchString(s.tree.Text(node))
	case "block", "statement_block", "compound_statement", "statement_list", "statements", "then", "else_clause", "else",
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
	if truth != expression.Unknown && inverted(kind) {
		truth = expression.Yes + expression.No - truth
	}
	if s.isLoop(node) {
		return truth == expression.Yes && !s.leaves(node)
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
	return then && (other || truth == expression.Yes)
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

// neverCompiled finds a condition of Rust that holds nowhere.
var neverCompiled = lazyregexp.MustCompile(`^#!?\[cfg\((?:any\(\)|not\(all\(\)\)|false)\)\]$`)

// notCompiled reports whether an attribute in front of a node keeps compilers from it.
func (s *side) notCompiled(node int32) bool {
	if s.lang != syntax.Rust || s.tree.Kind(node) == "attribute_item" {
		return false
	}
	never := false
	for c := range s.children(s.tree.Parent(node)) {
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
	for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
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
		size := expression.TokenLength(b[at:])
		if found := string(b[at : at+size]); found == word || found == "$"+word { // in a template
			n++
		}
		at += size
	}
	return n
}
