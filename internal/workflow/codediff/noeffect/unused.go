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

// Declarations that nothing uses, and checks that decide nothing.

var (
	inertMark = lazyregexp.MustCompile(`^(?:@(?:file:)?|\[|#!?\[)(?:\w+[.:]+)*(?:Suppress\w*|Deprecated|Obsolete|deprecated|allow|warn|expect)\b`)
	effective = lazyregexp.MustCompile(`HIDDEN|ERROR|\btrue\b|\],?\s*\[`) // what they do in the compiler after all
)

// isInertAnnotation reports whether a node only tells a compiler, or a reader, what to say.
func (s *Analysis) isInertAnnotation(node int32) bool {
	switch s.Tree.Kind(node) {
	case "preproc_pragma":
		return s.Lang == syntax.CSharp
	case "annotation", "marker_annotation", "attribute_list", "attribute_item":
		text := s.Tree.Text(node)
		return s.Lang != syntax.PHP && inertMark.MatchString(text) && !effective.MatchString(text) && !strings.Contains(text, "),")
	case "method_declaration": // of C#: a part without an implementation
		return s.Lang == syntax.CSharp && s.Tree.Body(node) < 0 && s.HasModifier(node, "partial")
	}
	return false
}

// found finds names by which something is found that no code calls.
var found = lazyregexp.MustCompile(`^(?:__|main$|Main$|(?:read|write)Object|readResolve$|writeReplace$|serialVersionUID$)`)

// isPrivate reports whether a node declares what only its own file can use, and what nothing
// finds by an annotation.
func (s *Analysis) isPrivate(node int32) bool {
	kind := s.Tree.Kind(node)
	if s.Spec.Comparing.Calls {
		return s.Tree.Function(node) && strings.HasPrefix(s.Callee(node), "defp")
	}
	switch kind {
	case "function_definition", "alias_declaration", "type_definition", "preproc_def", "preproc_function_def":
		return s.ownC(node)
	case "function_declaration", "method_declaration", "method_definition", "type_alias":
	case "class_declaration":
		if s.Lang == syntax.Swift || s.hasEffect(node) && s.Tree.Field(node, "body") < 0 {
			return false
		}
	case "property_declaration", "field_declaration", "public_field_definition":
		if s.Lang == syntax.Java && !s.HasModifier(node, "final") || s.hasEffect(node) || s.Annotated(s.ClassAround(node)) {
			return false
		}
	default:
		return false
	}
	return s.HasModifier(node, "private") && !s.HasModifier(node, "operator") && !s.Annotated(node) &&
		!found.MatchString(s.DeclaredName(node)) &&
		!bytes.Contains(s.Src, []byte("partial class")) && !bytes.Contains(s.Src, []byte("UnityEngine"))
}

// ownC reports whether a node declares, in a source file of C or C++, what no other file can
// use and what nothing behind it is configured by.
func (s *Analysis) ownC(node int32) bool {
	if s.Lang != syntax.C && s.Lang != syntax.CPP || s.Header || bytes.Contains(s.Src, []byte("##")) {
		return false
	}
	n := s.Tree.Nodes[node]
	switch s.Tree.Kind(node) {
	case "preproc_def", "preproc_function_def":
		return !bytes.Contains(s.Src[n.End:], []byte("#include"))
	case "alias_declaration", "type_definition":
		return s.ClassAround(node) < 0 && !bytes.Contains(s.Src[n.Start:n.End], []byte("{"))
	}
	name := s.Tree.FunctionName(node)
	if !s.Tree.Function(node) || strings.Contains(name, "::") || strings.ToUpper(name) == name { // declared elsewhere, or a macro
		return false
	}
	head := s.Src[n.Start:s.Tree.Nodes[s.Tree.Body(node)].Start]
	if bytes.Contains(head, []byte("__attribute__")) || bytes.Contains(head, []byte("[[")) || s.ClassAround(node) >= 0 {
		return false
	}
	for p := n.Parent; p >= 0; p = s.Tree.Parent(p) {
		if s.Tree.Kind(p) == "field_declaration_list" {
			return false
		}
		if s.Tree.Kind(p) == "namespace_definition" && s.Tree.Field(p, "name") < 0 {
			return true
		}
	}
	for c := range s.Children(node) {
		if s.Tree.Kind(c) == "storage_class_specifier" && s.Tree.Text(c) == "static" {
			return true
		}
	}
	return false
}

// isUnused reports whether nothing else in the file names what a node declares.
func (s *Analysis) isUnused(node int32) bool {
	name := s.DeclaredName(node)
	if name == "" {
		return false
	}
	if s.Words == nil {
		s.Words = make(map[string]int)
		for text := s.WithoutComments(); len(text) > 0; {
			n := expression.TokenLength(text)
			word := string(text[:n])
			s.Words[word]++
			if in, ok := strings.CutPrefix(word, "$"); ok { // in a template
				s.Words[in]++
			}
			text = text[n:]
		}
	}
	return s.Words[name] == s.CountName(node, name)+s.givenOnly(node, name) || s.uncalledOverload(node, name) ||
		s.Tree.Kind(node) == "public_field_definition" && !s.readsOwn(name)
}

// uncalledOverload reports whether a node is one of several functions of a name, and no call of that name in the
// file has as many arguments as it has parameters.
func (s *Analysis) uncalledOverload(node int32, name string) bool {
	list := s.ParameterList(node)
	if s.Lang != syntax.CSharp && s.Lang != syntax.Java || s.Tree.Kind(node) != "method_declaration" || s.HasUniqueName(node) || list < 0 ||
		optionalParameter.MatchString(s.Tree.Text(list)) {
		return false
	}
	left, takes := s.Words[name], len(s.Parameters(node))
	for i := range s.Tree.Nodes {
		call := int32(i)
		switch {
		case s.Tree.Function(call) && s.Tree.FunctionName(call) == name:
			left--
		case slices.Contains(source.CallKinds, s.Tree.Kind(call)) && s.CalledName(call) == name:
			if left--; len(s.CallArguments(call)) == takes && s.FunctionAround(call) != node {
				return false
			}
		}
	}
	return left == 0 // no other mention, as that of a delegate
}

// optionalParameter finds a parameter that need not be given, or that takes several.
var optionalParameter = lazyregexp.MustCompile(`=|\bparams\b|\.\.\.|\bthis\b`)

// readsOwn reports whether anything in a file of TypeScript may read a private field of an object.
func (s *Analysis) readsOwn(name string) bool {
	text := string(s.WithoutComments())
	if strings.Contains(text, "= this;") || strings.Contains(text, `["`+name) || strings.Contains(text, "['"+name) {
		return true
	}
	for _, m := range ofObject.FindAllStringSubmatch(text, -1) {
		if m[2] == name && (m[1] != "options" && m[1] != "opts" && m[1] != "config" && m[1] != "props" && m[3] == "") {
			return true
		}
	}
	return false
}

// ofObject finds a field of an object, and whether it is given a value.
var ofObject = lazyregexp.MustCompile(`([\w$\])]+)\??\.([\w$]+)(\s*=(?:[^=>]|$))?`)

// givenOnly counts how often the name of a field is on the left of an assignment, in
// languages that say so where a field is read.
func (s *Analysis) givenOnly(field int32, name string) (n int) {
	if k := s.Tree.Kind(field); k != "property_declaration" && k != "field_declaration" && k != "public_field_definition" {
		return 0
	}
	for i := range s.Tree.Nodes {
		node := int32(i)
		if !s.Tree.Named(node) || !s.IsStatement(node) || node == field {
			continue
		}
		if left, right, ok := s.Assignment(node); ok && ownField(s.Tree.Text(left)) == name && s.Tree.Kind(node) != "property_declaration" && !s.hasEffect(right) {
			n++
		}
	}
	return n
}

// ownField returns the name of a field of the object itself.
func ownField(text string) string {
	return strings.TrimPrefix(strings.TrimPrefix(text, "this."), "self.")
}

// isUnreadField reports whether a text names a private field that is given values, and that
// nothing reads.
func (s *Analysis) isUnreadField(text string) bool {
	if s.unreadFields == nil {
		s.unreadFields = make(map[string]bool)
		for i := range s.Tree.Nodes {
			node := int32(i)
			if k := s.Tree.Kind(node); k != "property_declaration" && k != "field_declaration" && k != "public_field_definition" {
				continue
			}
			if s.isPrivate(node) && s.isUnused(node) {
				s.unreadFields[s.DeclaredName(node)] = true
			}
		}
	}
	return s.unreadFields[ownField(text)]
}

// isNested reports whether a node is a function that only the function around it can call.
func (s *Analysis) isNested(node int32) bool {
	switch s.Tree.Kind(node) {
	case "function_declaration", "local_function_statement", "function_item", "function_definition":
	case "class_declaration":
		return s.FunctionAround(node) >= 0 && !s.Annotated(node)
	default:
		return false
	}
	return s.Spec.Comparing.Nested && s.Tree.Function(node) && s.Tree.Kind(s.Tree.Parent(node)) != "decorated_definition" && s.FunctionAround(node) >= 0 && !s.Annotated(node)
}

// isUnusedInside reports whether the function around another never names it.
func (s *Analysis) isUnusedInside(node int32) bool {
	name := s.NameOf(node)
	return name != "" && s.CountName(s.FunctionAround(node), name) == s.CountName(node, name)
}

// unusedAlias returns NoEffect for an alias that is not used, or "".
func (s *Analysis) unusedAlias(node int32) reason.Reason {
	name := s.Tree.Field(node, "name") // using A = B;
	if s.Spec.Comparing.Calls {
		name = s.Argument(node)
	}
	if name < 0 {
		return ""
	}
	text := s.Tree.Text(name)
	if last := text[strings.LastIndexByte(text, '.')+1:]; expression.IsWord(last) && source.PlainWord.MatchString(last) &&
		s.NthChild(name, 0) < 0 && s.CountName(0, last) == 1 {
		return reason.NoEffect
	}
	return ""
}

// overNothing matches a call that runs a function for no element.
var overNothing = lazyregexp.MustCompile(`^(?:repeat\s*\(\s*0\s*\)|0\.times\b|\[\]\.(?:each|forEach|map)\b|(?:emptyList|listOf)\s*(?:<[\w<>?]+>)?\(\)\.\w+|Enum\.\w+\(\[\]\s*,|Array\(0\)\.)`)

// validates matches a call that fails unless its first argument is true.
var validates = lazyregexp.MustCompile(`^(?:(?:Debug|Trace|Contract|System\.Diagnostics\.Debug)\.\w+|require|check|precondition|(?:debug_|static_)?assert!?|console\.assert|Preconditions\.check\w+)\s*\(`)

// validatesTautology reports whether a statement validates what is always true.
func (s *Analysis) validatesTautology(text string) bool {
	at := validates.FindStringIndex(text)
	if at == nil {
		return false
	}
	depth := 0
	for i, r := range text[at[1]:] {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth < 0 || depth == 0 && r == ',' {
			return expression.Evaluate(text[at[1]:at[1]+i]) == expression.Yes
		}
	}
	return false
}

// namesOnly finds what looks like a call and is looked up by the compiler.
var namesOnly = lazyregexp.MustCompile(`^(?:nameof|typeof|sizeof)\s*\([\w.<>:]*\)$`)

// computing finds calls that do nothing but hand their function what they are asked of.
var computing = lazyregexp.MustCompile(`[\w)\]]\??\.\s*(?:also|let|run|apply|takeIf|takeUnless|map|filter|reduce|fold|flatMap|some|every|sortedBy|Select|Where)\s*(?:[{(]|$)|^run\s*\{`)

// computingRuby are methods of Ruby that do nothing but hand a block what they are called on.
var computingRuby = source.WordSet(`each each_with_index map select reject tap then collect flat_map filter_map times upto downto sum
	sort_by group_by partition each_pair each_slice reduce inject find detect`)

// onlyComputes reports whether a call gives a function that does nothing to one that only
// hands it values.
func (s *Analysis) onlyComputes(node int32) bool {
	call := node
	if inner := s.OnlyChild(node); s.Tree.Kind(node) == "expression_statement" && inner >= 0 {
		call = inner
	}
	switch k := s.Tree.Kind(call); {
	case s.Lang == syntax.Ruby && k == "call":
		given := s.CallArguments(call)
		return computingRuby[s.CalledName(call)] && len(given) == 1 && s.LambdaResult(given[0]) >= 0 && !s.hasEffect(s.Receiver(call)) &&
			!s.hasEffect(s.LambdaResult(given[0]))
	case !strings.Contains(k, "call_expression") && !strings.Contains(k, "invocation"),
		!computing.MatchString(s.Tree.Text(call)):
		return false
	}
	functions := 0
	for i := call + 1; i < s.Tree.Nodes[call].Next; i++ {
		kind := s.Tree.Kind(i)
		switch {
		case s.Anonymous(i):
			functions++
		case !s.Tree.Named(i), kind == "annotated_lambda", kind == "call_suffix", strings.HasPrefix(kind, "lambda_"), strings.Contains(kind, "parameter"):
		case slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }):
			return false
		}
	}
	return functions == 1
}

// complains finds a statement that only complains.
var complains = lazyregexp.MustCompile(`^(?:(?:try\s+)?(?:self\.|this\.)?validate\w*\s*\(|raise|throw|panic|requireNotNull|require|checkNotNull|check|error|[aA]ssert\w*!?|Preconditions\.\w+|Objects\.requireNonNull|Argument\w*Exception\.Throw\w+)\b`)

// fruitlessAttempt matches a call that only complains, uselessCheck one of Rust of which nobody
// hears.
var (
	fruitlessAttempt = lazyregexp.MustCompile(`^(?:try\?\s*)?(?:(?:self|this|\w+)(?:\.|::))?(?:validate|verify)\w*\s*\(`)
	uselessCheck     = lazyregexp.MustCompile(`^(?:\w+(?:\.|::))*(?:validate|verify|check)\w*\(.*\)\.(?:ok|unwrap_or_default)\(\);?$`)
)

// validatesWithoutEffect reports whether a statement only validates, and its failure is ignored.
func (s *Analysis) validatesWithoutEffect(node int32) bool {
	switch kind := s.KindOf(node); kind {
	case "call_expression":
		lambda := node
		for lambda >= 0 && s.Tree.Kind(lambda) != "lambda_literal" {
			lambda = s.LastChild(lambda)
		}
		return strings.HasPrefix(s.Tree.Text(node), "runCatching") && lambda >= 0 && s.onlyComplains(lambda)
	case "rescue_modifier": // of Ruby
		return complains.MatchString(strings.TrimLeft(s.Tree.Text(node), "( "))
	case "expression_statement":
		return s.Lang == syntax.Rust && uselessCheck.MatchString(source.PlainText(s.Tree.Text(node)))
	case "try_statement", "try_expression", "begin", "try_call", "do_statement":
		body, caught := s.attempt(node)
		return caught && body >= 0 && s.onlyComplains(body)
	}
	return false
}

// attempt returns what is tried, and whether everything that goes wrong there is caught and
// forgotten.
func (s *Analysis) attempt(try int32) (body int32, caught bool) {
	body = s.Tree.Field(try, "body")
	parts := try
	if s.Spec.Comparing.Calls {
		parts = s.LastChild(try)
		body = parts
	}
	handlers := 0
	for c := range s.Children(parts) {
		if body < 0 {
			body = c
		}
		k := s.Tree.Kind(c)
		if !strings.Contains(k, "except") && !strings.Contains(k, "catch") && !strings.Contains(k, "rescue") {
			continue
		}
		handlers++
		if !s.CatchesAll(c) && !s.catchesRaised(c, body) || !s.doesNothing(c) && !(s.onlyLogs(c) && !s.hasCalls(body)) {
			return body, false
		}
	}
	return body, handlers > 0
}

// handled finds the class that a handler is for.
var handled = lazyregexp.MustCompile(`^(?:except|catch|rescue)[\s(]+(?:final |const |\\)*(?:[\w.:]+[.:\\])?(\w+)`)

// catchesRaised reports whether a handler is for the very thing that is raised, or for any
// error of Ruby.
func (s *Analysis) catchesRaised(handler, body int32) bool {
	m := handled.FindStringSubmatch(s.Tree.Text(handler))
	return m != nil && (m[1] == "StandardError" || source.CountWord(s.Tree.Text(body), m[1]) > 0)
}

// doesNothing reports whether a handler does nothing.
func (s *Analysis) doesNothing(handler int32) bool {
	for i := handler + 1; i < s.Tree.Nodes[handler].Next; i++ {
		kind := s.Tree.Kind(i)
		if s.Tree.Named(i) && slices.ContainsFunc([]string{"call", "throw", "raise", "assign", "return",
			"invocation"}, func(part string) bool { return strings.Contains(kind, part) }) {
			return false
		}
	}
	return true
}

// onlyLogs reports whether the statements of a handler do nothing but log.
func (s *Analysis) onlyLogs(handler int32) bool {
	for i := handler + 1; i < s.Tree.Nodes[handler].Next; i++ {
		if s.Tree.Named(i) && s.IsStatement(i) && !s.IsBlock(i) && s.FunctionAround(i) == s.FunctionAround(handler) {
			if !Printing.MatchString(s.Tree.Text(i)) {
				return false
			}
			i = s.Tree.Nodes[i].Next - 1
		}
	}
	return true
}

// Printing matches statements that only print or log.
var Printing = lazyregexp.MustCompile(`(?is)^(?:print|println!?|eprintln!?|puts|echo|printf|error_log` +
	`|(?:self\.|this\.|\$this->)?_?log(?:ger|ging)?(?:\.|->|::)\w+|console\.\w+` +
	`|fmt\.Print\w*|slog\.\w+|log\.Print\w*|warnings\.warn` +
	`|System\.(?:out|err)\.print\w*|Console\.Write\w*|t\.Log\w*)\b`)

// hasCalls reports whether a statement of a block, apart from those that throw, does more than ask: what it
// calls may throw, too.
func (s *Analysis) hasCalls(block int32) bool {
	for i := block + 1; i < s.Tree.Nodes[block].Next; i++ {
		if s.Tree.Named(i) && s.IsStatement(i) && raisesItself.MatchString(s.Tree.Text(i)) {
			i = s.Tree.Nodes[i].Next - 1
		} else if s.Tree.Named(i) && s.IsStatement(i) && !s.IsBlock(i) && s.Condition(i) < 0 {
			return true
		}
	}
	return false
}

var raisesItself = lazyregexp.MustCompile(`^(?:raise|throw)\b`)

// onlyComplains reports whether the statements of a block do nothing but complain.
func (s *Analysis) onlyComplains(block int32) bool {
	n := 0
	if !s.IsBlock(block) && complains.MatchString(strings.TrimSpace(s.Tree.Text(block))) {
		return true
	}
	for c := range s.Children(block) {
		kind := s.Tree.Kind(c)
		if strings.Contains(kind, "comment") || strings.Contains(kind, "rescue") ||
			strings.Contains(kind, "catch") || strings.Contains(kind, "after_block") {
			continue
		}
		n++
		if complains.MatchString(strings.TrimSpace(s.Tree.Text(c))) {
			continue
		}
		cond := s.Condition(c)
		if cond < 0 || s.hasEffect(cond) && !s.onlyAsks(cond) || s.IsLoop(c) {
			return false
		}
		then := true
		s.Branches(c, cond, func(b int32, _ bool) { then = then && s.onlyComplains(b) })
		if !then {
			return false
		}
	}
	return n > 0
}

// isUnusedLazy reports whether a node is a lazy value of Scala within a function that never asks for it.
func (s *Analysis) isUnusedLazy(node int32) bool {
	if s.Lang != syntax.Scala || s.Tree.Kind(node) != "val_definition" || !s.HasModifier(node, "lazy") {
		return false
	}
	f, name := s.FunctionAround(node), s.Tree.Field(node, "pattern")
	return f >= 0 && name >= 0 && s.CountName(f, s.Tree.Text(name)) == 1
}
