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

// noEffect says why a statement does nothing, or "".
func (s *Analysis) noEffect(node int32) reason.Reason {
	kind := s.KindOf(node)
	text := strings.TrimRight(strings.TrimSpace(s.Tree.Text(node)), "; \t")
	last := s.isLast(node)
	switch {
	case kind == "pass_statement", kind == "empty_statement", text == "...":
		return reason.NoEffect
	case kind == "import_statement", kind == "import_from_statement", kind == "import_declaration",
		kind == "use_declaration", kind == "import_header", kind == "import":
		if s.unusedImport(node) {
			return reason.NoEffect
		}
		return ""
	case kind == "unary_operator" && s.Spec.Comparing.Calls && strings.HasPrefix(text, "@"):
		return s.attribute(node)
	case kind == "using_directive", kind == "alias_call":
		return s.unusedAlias(node)
	case givesItself(text), callsNothing.MatchString(text), onlyValue.MatchString(text) && s.arguments(node):
		return reason.NoEffect
	case overNothing.MatchString(text), overRefused.MatchString(text[:min(len(text), 200)]):
		return reason.Unreachable
	case s.isNeutral(text), nothingDone.MatchString(text) && s.arguments(node), emptyAsm.MatchString(text), emptyLoop.MatchString(text), s.callsNoOp(node), s.dropsValue(node):
		return reason.NoEffect
	case s.validatesTautology(text), s.isUnthrown(text), s.onlyComputes(node) && !s.isValue(node), s.validatesWithoutEffect(node):
		return reason.NoEffect
	}
	if left, right, ok := s.Assignment(node); ok {
		return s.assignmentWithoutEffect(node, left, right, last)
	}
	if left, right, ok := s.compound(node); ok && !s.hasEffect(right) && s.isNeverRead(node, left, right) {
		return reason.NoEffect
	}
	if strings.HasPrefix(text, "(void)") && !s.hasEffect(node) {
		return reason.NoEffect
	}
	if strings.HasPrefix(kind, "assert") {
		for c := range s.Children(node) {
			if s.constantTruth(c) == expression.Yes {
				return reason.NoEffect
			}
			break
		}
	}
	inner := node
	if kind == "expression_statement" {
		if inner = s.OnlyChild(node); inner < 0 {
			return ""
		}
	} else if !s.Spec.Comparing.LastIsValue || last {
		return s.containsOnlyNoOps(node)
	}
	return s.valueWithoutEffect(node, inner, text)
}

// givesItself reports whether a statement gives a variable its own value.
func givesItself(text string) bool {
	for _, op := range []string{"??=", "||=", "&&=", "|=", "&="} {
		if l, r, ok := strings.Cut(text, op); ok && len(text) < 200 {
			return source.PlainText(l) == source.PlainText(r)
		}
	}
	return false
}

// onlyValue matches a call that only computes and whose result is not used.
var onlyValue = lazyregexp.MustCompile(`^(?:Math\.(?:max|min|abs|floor|ceil|round|sqrt|pow|trunc|sign)|math\.(?:floor|ceil|fabs|trunc|pow)|math\.(?:Max|Min|Abs|Floor|Ceil|Round|Pow)|std::(?:max|min|abs|clamp)|sorted|reversed)\s*\(`)

// arguments reports whether a statement is one call, and nothing that it is given does
// anything.
func (s *Analysis) arguments(call int32) bool {
	if inner := s.OnlyChild(call); strings.Contains(s.Tree.Kind(call), "statement") && inner >= 0 {
		call = inner
	}
	if k := s.Tree.Kind(call); !strings.Contains(k, "call") && !strings.Contains(k, "invocation") {
		return false
	}
	for i := call + 1; i < s.Tree.Nodes[call].Next; i++ {
		k := s.Tree.Kind(i)
		if s.Tree.Named(i) && (strings.Contains(k, "call_expression") || k == "call" || strings.Contains(k, "invocation") || strings.Contains(k, "assign")) {
			return false
		}
	}
	return !s.Spec.Comparing.LastIsValue || !s.isLast(call)
}

// callsNothing matches a function without a body that is called where it is written.
var callsNothing = lazyregexp.MustCompile(`^(?:(?:defer|go|await|void)\s+)?(?:func\s*\(\)\s*\{\s*\}|\((?:async\s+)?(?:function\s*)?\(\)\s*(?:=>\s*)?\{\s*\}\))\s*\(\)$|^defer\s*\{\s*\}$|^extension\s+[\w.]+\s*\{\s*\}$`)

// isLast reports whether nothing but comments follows a statement in its block.
func (s *Analysis) isLast(node int32) bool {
	if s.Tree.Kind(s.Tree.Parent(node)) == "ensure" || s.valueIsIgnored(s.Tree.Parent(node)) {
		return false
	}
	for c := range s.Children(s.Tree.Parent(node)) {
		if k := s.Tree.Kind(c); c > node && !strings.Contains(k, "comment") && k != "rescue" && k != "ensure" && k != "else" {
			return false
		}
	}
	return true
}

// isValue reports whether an expression is the value of the block that it ends: in Rust, one without
// a semicolon.
func (s *Analysis) isValue(node int32) bool {
	return (s.Spec.Comparing.LastIsValue || s.Lang == syntax.Rust && s.Tree.Kind(node) != "expression_statement") && s.isLast(node)
}

// valueIsIgnored reports whether a block belongs to a function of Kotlin whose value is of no
// interest to the function it is passed to.
func (s *Analysis) valueIsIgnored(block int32) bool {
	if s.Lang != syntax.Kotlin {
		return false
	}
	for range 2 {
		if s.Tree.Kind(block) == "lambda_literal" {
			before := strings.TrimRight(string(s.Src[:s.Tree.Nodes[block].Start]), " ")
			return ignoresResult.MatchString(before[max(len(before)-20, 0):])
		}
		if block = s.Tree.Parent(block); block < 0 {
			return false
		}
	}
	return false
}

var ignoresResult = lazyregexp.MustCompile(`\.\s*(?:also|apply|forEach|onEach|forEachIndexed)$`)

// assignmentWithoutEffect is idle for an assignment; last tells that it ends its block.
func (s *Analysis) assignmentWithoutEffect(node, left, right int32, last bool) reason.Reason {
	switch l := s.Tree.Text(left); {
	case source.PlainText(l) == source.PlainText(s.Tree.Text(s.innermostOperand(right))):
		if s.declares(node, left, right) { // a copy of its own
			return ""
		}
		return reason.NoEffect
	case last && s.Spec.Comparing.LastIsValue && s.Lang != syntax.Kotlin && s.Lang != syntax.Swift:
		return ""
	case s.isUnreadField(l) && !s.hasEffect(right), s.assignsToCopy(node, left) && !s.hasEffect(right):
		return reason.NoEffect
	case l == "_" && (!s.hasEffect(right) || s.onlyComputes(right) || s.onlyKept(right) || s.Lang == syntax.Rust && expression.ReleasedAtOnce(s.Tree.Text(right)) || fruitlessAttempt.MatchString(s.Tree.Text(right))):
		return reason.NoEffect
	case !s.hasEffect(right) && !strings.Contains(s.KindOf(node), "field") && (s.IsDeadStore(node, left) || s.isNeverRead(node, left, right)):
		return reason.NoEffect
	case !s.hasEffect(right) && s.onlyInDecided(node, l), l != "_" && s.isCopy(right) && s.onlyChanged(node, l):
		return reason.NoEffect
	case (l == "_" || s.IsDeadStore(node, left) || s.isNeverRead(node, left, right)) && (s.isUnthrown(s.Tree.Text(right)) || s.isLazyStep(right) || s.computesOnly(right) || onlyAsked.MatchString(source.PlainText(s.Tree.Text(right)))):
		return reason.NoEffect
	}
	return ""
}

// isUnthrown reports whether a statement creates an error and does not throw it. A function that is only named like an
// error, as LogError, does something.
func (s *Analysis) isUnthrown(text string) bool {
	if s.Lang == syntax.Go {
		return goError.MatchString(text)
	}
	return unthrown.MatchString(text) && !handlesError.MatchString(text)
}

var (
	goError      = lazyregexp.MustCompile(`^(?:fmt\.Errorf|errors\.New)\s*\(.*\)$`)
	handlesError = lazyregexp.MustCompile(`^(?:\w+[.\\])*(?:Add|Append|Assert|Capture|Check|Clear|Display|Emit|Expect|Get|Handle|Has|Ignore|Is|Log|` +
		`Notify|On|Print|Push|Raise|Record|Register|Render|Report|Reset|Return|Send|Set|Should|Show|Throw|Throws|Trace|Track)[A-Z]`)
)

var unthrown = lazyregexp.MustCompile(`^(?:(?:new\s+)?(?:\w+[.\\])*[A-Z]\w*(?:Error|Exception)|std::(?:\w+_error|out_of_range|invalid_argument|bad_\w+))\s*\([^;\n]*\)$`)

// onlyAsked finds a call without arguments that gives a value to whoever names it.
var onlyAsked = lazyregexp.MustCompile(`^[\w.$]+(?:\.|->|::)(?:trim|strip|[tT]rim_?(?:end|start|End|Start)|[tT]o_?[sS]tr(?:ing)?|[lL]en(?:gth)?|size|[cC]ount|is_?[eE]mpty)\(\)$`)

// declares reports whether an assignment declares what it assigns.
func (s *Analysis) declares(node, left, right int32) bool {
	return strings.Contains(s.Tree.Kind(node), "declaration") ||
		strings.Contains(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start]), ":=")
}

// valueWithoutEffect is idle for a statement that is nothing but a value.
func (s *Analysis) valueWithoutEffect(node, inner int32, text string) reason.Reason {
	k := s.Tree.Kind(inner)
	switch {
	case source.IsLiteral(k) || k == "concatenated_string":
		if strings.HasPrefix(strings.Trim(text, `'"`), "use ") { // a directive
			return ""
		}
		return reason.Comment // documentation
	case s.decidedBefore(inner):
		return reason.Unreachable
	case s.hasEffect(node):
		return s.containsOnlyNoOps(inner)
	case s.Anonymous(inner):
		return reason.NoEffect
	case s.Spec.Comparing.LastIsValue:
		if strings.Contains(k, "integer") || strings.Contains(k, "literal") || k == "nil" || k == "true" || k == "false" ||
			s.Lang == syntax.Ruby && k == "binary" || s.Lang == syntax.Kotlin && k == "binary_expression" && s.Tree.Kind(s.LastChild(inner)) != "lambda_literal" || s.Spec.Comparing.Calls && (k == "atom" || k == "boolean" || k == "binary_operator" || k == "identifier") {
			return reason.NoEffect
		}
		return ""
	case s.Spec.Comparing.Macros && strings.ToUpper(text) == text:
		return "" // a macro
	case s.Lang == syntax.Rust && strings.Contains(k, "if") || strings.Contains(k, "match") || strings.Contains(k, "loop"):
		return s.containsOnlyNoOps(node)
	case slices.Contains(plainValues, k), slices.ContainsFunc(values, func(part string) bool { return strings.Contains(k, part) }):
		return reason.NoEffect
	}
	return ""
}

// decidedBefore reports whether the left side of "and" or "or" is written out so that the
// right side is never looked at.
func (s *Analysis) decidedBefore(node int32) bool {
	left, right := s.Tree.Field(node, "left"), s.Tree.Field(node, "right")
	if left < 0 || right < left {
		return false
	}
	switch strings.TrimSpace(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start])) {
	case "and", "&&":
		return s.constantTruth(left) == expression.No
	case "or", "||":
		return s.constantTruth(left) == expression.Yes
	}
	return false
}

// hasEffect reports whether an expression may do something besides having a value.
func (s *Analysis) hasEffect(node int32) bool {
	for i := node; node >= 0 && i < s.Tree.Nodes[node].Next; i++ {
		if !s.Tree.Named(i) && i != node {
			continue
		}
		kind := s.Tree.Kind(i)
		if s.Anonymous(i) && !s.OnlyCallee(i) || kind == "property_delegate" && strings.HasPrefix(s.Tree.Text(i), "by lazy") || namesOnly.MatchString(s.Tree.Text(i)) {
			// that it is there calls nothing
			i = s.Tree.Nodes[i].Next - 1
			continue
		}
		if kind == "expression_statement" || i == node && (strings.Contains(kind, "declaration") || kind == "public_field_definition") {
			continue
		}
		if s.HasJump(i) || kind == "infix_expression" && !onlyJoins[s.Tree.Text(s.NthChild(i, 1))] || kind == "unary_expression" && strings.HasPrefix(s.Tree.Text(i), "delete") ||
			slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }) {
			return true
		}
	}
	text := s.Tree.Text(node)
	if s.Spec.Comparing.Shifts && (strings.Contains(text, "<<") || strings.Contains(text, ">>")) {
		return true
	}
	return strings.Contains(text, "<-") || strings.Contains(text, "++") || strings.Contains(text, "--")
}

// onlyJoins are the functions of Kotlin between two values that only give one.
var onlyJoins = source.WordSet("to until downTo step shl shr ushr and or xor")

// IsDeadStore reports whether what is assigned is a local that nothing else names.
func (s *Analysis) IsDeadStore(node, left int32) bool {
	name := s.Tree.Text(left)
	if !source.PlainWord.MatchString(name) {
		return false
	}
	f := s.FunctionAround(node)
	if f < 0 {
		return false
	}
	n, local := s.written(f, name)
	return local && source.CountWord(s.Tree.Text(f), name) == n
}

// containsOnlyNoOps says whether a statement only contains others that do nothing.
func (s *Analysis) containsOnlyNoOps(node int32) reason.Reason {
	switch s.KindOf(node) {
	case "if_statement", "if_expression", "with_statement", "if", "try_statement", "if_call", "unless_call",
		"do_statement", "lock_statement", "checked_statement", "unsafe_statement", "synchronized_statement":
	default:
		return ""
	}
	if s.Spec.Comparing.LastIsValue && s.isLast(node) && s.chooses(node) {
		return "" // it is a value
	}
	if s.KindOf(node) == "with_statement" && !SuppressingContext.MatchString(s.Tree.Text(node)) {
		return "" // to enter it does something
	}
	held := false
	for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
		if !s.IsBlock(s.Tree.Parent(i)) || s.IsBlock(i) || !s.Tree.Named(i) || strings.Contains(s.Tree.Kind(i), "comment") {
			continue
		}
		if s.Tree.Parent(i) <= node {
			continue
		}
		held = true
		if s.noEffect(i) == "" {
			return ""
		}
	}
	if cond := s.Condition(node); cond >= 0 && s.hasEffect(cond) && !s.onlyAsksOf(cond) {
		return ""
	}
	if held || !s.hasEffect(node) || s.onlyAsksOf(node) {
		return reason.NoEffect
	}
	return ""
}

// SuppressingContext finds a context of Python that does nothing by itself.
var SuppressingContext = lazyregexp.MustCompile(`^with\s+(?:contextlib\.)?(?:suppress|nullcontext)\(`)

// chooses reports whether a conditional has an alternative.
func (s *Analysis) chooses(node int32) (chooses bool) {
	if cond := s.Condition(node); cond >= 0 {
		s.Branches(node, cond, func(_ int32, alternative bool) { chooses = chooses || alternative })
	}
	return chooses
}

// unusedImport reports whether none of the names that an import brings is named
// elsewhere in the file.
func (s *Analysis) unusedImport(node int32) bool {
	if !s.Spec.Comparing.UnusedImports {
		return false
	}
	text := s.Tree.Text(node)
	if strings.Contains(text, "*") || strings.HasPrefix(text, "pub ") || strings.Contains(text, "__future__") ||
		bytes.Contains(s.Src, []byte("__all__")) {
		return false
	}
	bound := 0
	for i := node; i < s.Tree.Nodes[node].Next; i++ {
		if k := s.Tree.Kind(i); !strings.Contains(k, "identifier") || s.Tree.Nodes[i].Next != i+1 {
			continue
		}
		bound++
		if name := s.Tree.Text(i); s.Lang == syntax.Rust && name != strings.ToLower(name) && i+1 >= s.Tree.Nodes[node].Next {
			return false // a trait has methods, which do not name it
		}
		if source.CountWord(string(s.Src), s.Tree.Text(i)) > source.CountWord(text, s.Tree.Text(i)) {
			return false
		}
	}
	return bound > 0
}
