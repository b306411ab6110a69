package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// Statements that do nothing.

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
			if s.truth(c) == expression.Yes {
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

// isLast reports whether nothing but comments follows a statement in its block.
func (s *side) isLast(node int32) bool {
	if s.tree.Kind(s.tree.Parent(node)) == "ensure" || s.unheard(s.tree.Parent(node)) {
		return false
	}
	for c := range s.children(s.tree.Parent(node)) {
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
		if block = s.tree.Parent(block); block < 0 {
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
	case s.forgottenField(l) && !s.does(right), s.ofCopy(node, left) && !s.does(right):
		return NoEffect
	case l == "_" && (!s.does(right) || s.onlyComputes(right) || s.onlyKept(right) || s.lang == syntax.Rust && expression.LetsGoAtOnce(s.tree.Text(right)) || triesInVain.MatchString(s.tree.Text(right))):
		return NoEffect
	case !s.does(right) && !strings.Contains(s.kind(node), "field") && (s.deadStore(node, left) || s.neverRead(node, left, right)):
		return NoEffect
	case !s.does(right) && s.onlyInDecided(node, l), l != "_" && s.isCopy(right) && s.onlyChanged(node, l):
		return NoEffect
	case (l == "_" || s.deadStore(node, left) || s.neverRead(node, left, right)) && (unthrown.MatchString(s.tree.Text(right)) || s.lazyStep(right) || s.computesOnly(right) || onlyAsked.MatchString(plainText(s.tree.Text(right)))):
		return NoEffect
	}
	return ""
}

// unthrown finds an error that is made, and that nobody throws.
var unthrown = lazyregexp.MustCompile(`^(?:(?:new\s+)?(?:\w+[.\\])*[A-Z]\w*(?:Error|Exception)|std::(?:\w+_error|out_of_range|invalid_argument|bad_\w+)|fmt\.Errorf|errors\.New)\s*\([^;\n]*\)$`)

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
		return s.hollow(inner)
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
		return s.truth(left) == expression.No
	case "or", "||":
		return s.truth(left) == expression.Yes
	}
	return false
}

// plainText is a text without white space.
func plainText(text string) string { return strings.Join(strings.Fields(text), "") }

// does reports whether an expression may do something besides having a value.
func (s *side) does(node int32) bool {
	for i := node; node >= 0 && i < s.tree.Nodes[node].Next; i++ {
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
		if !s.isBlock(s.tree.Parent(i)) || s.isBlock(i) || !s.tree.Named(i) || strings.Contains(s.tree.Kind(i), "comment") {
			continue
		}
		if s.tree.Parent(i) <= node {
			continue
		}
		held = true
		if s.idle(i) == "" {
			return ""
		}
	}
	if cond := s.condition(node); cond >= 0 && s.does(cond) && !s.onlyAsksOf(cond) {
		return ""
	}
	if held || !s.does(node) || s.onlyAsksOf(node) {
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
