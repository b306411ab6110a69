package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What stands there and is used by nobody, or decides nothing.

var (
	inertMark = lazyregexp.MustCompile(`^(?:@(?:file:)?|\[|#!?\[)(?:\w+[.:]+)*(?:Suppress\w*|Deprecated|Obsolete|deprecated|allow|warn|expect)\b`)
	effective = lazyregexp.MustCompile(`HIDDEN|ERROR|\btrue\b|\],?\s*\[`) // what they do in the compiler after all
)

// forCompilers reports whether a node only tells a compiler, or a reader, what to say.
func (s *side) forCompilers(node int32) bool {
	switch s.tree.Kind(node) {
	case "preproc_pragma":
		return s.lang == syntax.CSharp
	case "annotation", "marker_annotation", "attribute_list", "attribute_item":
		text := s.tree.Text(node)
		return s.lang != syntax.PHP && inertMark.MatchString(text) && !effective.MatchString(text) && !strings.Contains(text, "),")
	case "method_declaration": // of C#: a part that nobody writes
		return s.lang == syntax.CSharp && s.tree.Body(node) < 0 && s.hasModifier(node, "partial")
	}
	return false
}

func (s *side) hasModifier(node int32, word string) bool {
	for c := range s.children(node) {
		if k := s.tree.Kind(c); strings.Contains(k, "modifier") && slices.Contains(strings.Fields(s.tree.Text(c)), word) {
			return true
		}
	}
	return false
}

// found finds names by which something is found that no code calls.
var found = lazyregexp.MustCompile(`^(?:__|main$|Main$|(?:read|write)Object|readResolve$|writeReplace$|serialVersionUID$)`)

// private reports whether a node declares what only its own file can use, and what nothing
// finds by an annotation.
func (s *side) private(node int32) bool {
	kind := s.tree.Kind(node)
	if s.spec.Comparing.Calls {
		return s.tree.Function(node) && strings.HasPrefix(s.callee(node), "defp")
	}
	switch kind {
	case "function_definition", "alias_declaration", "type_definition", "preproc_def", "preproc_function_def":
		return s.ownC(node)
	case "function_declaration", "method_declaration", "method_definition", "type_alias":
	case "class_declaration":
		if s.lang == syntax.Swift || s.does(node) && s.tree.Field(node, "body") < 0 {
			return false
		}
	case "property_declaration", "field_declaration", "public_field_definition":
		if s.lang == syntax.Java && !s.hasModifier(node, "final") || s.does(node) || s.annotated(s.classAround(node)) {
			return false
		}
	default:
		return false
	}
	return s.hasModifier(node, "private") && !s.hasModifier(node, "operator") && !s.annotated(node) &&
		!found.MatchString(s.declared(node)) &&
		!bytes.Contains(s.src, []byte("partial class")) && !bytes.Contains(s.src, []byte("UnityEngine"))
}

// ownC reports whether a node declares, in a source file of C or C++, what no other file can
// use and what nothing behind it is configured by.
func (s *side) ownC(node int32) bool {
	if s.lang != syntax.C && s.lang != syntax.CPP || s.header || bytes.Contains(s.src, []byte("##")) {
		return false
	}
	n := s.tree.Nodes[node]
	switch s.tree.Kind(node) {
	case "preproc_def", "preproc_function_def":
		return !bytes.Contains(s.src[n.End:], []byte("#include"))
	case "alias_declaration", "type_definition":
		return s.classAround(node) < 0 && !bytes.Contains(s.src[n.Start:n.End], []byte("{"))
	}
	name := s.tree.FunctionName(node)
	if !s.tree.Function(node) || strings.Contains(name, "::") || strings.ToUpper(name) == name { // declared elsewhere, or a macro
		return false
	}
	head := s.src[n.Start:s.tree.Nodes[s.tree.Body(node)].Start]
	if bytes.Contains(head, []byte("__attribute__")) || bytes.Contains(head, []byte("[[")) || s.classAround(node) >= 0 {
		return false
	}
	for p := n.Parent; p >= 0; p = s.tree.Parent(p) {
		if s.tree.Kind(p) == "field_declaration_list" {
			return false
		}
		if s.tree.Kind(p) == "namespace_definition" && s.tree.Field(p, "name") < 0 {
			return true
		}
	}
	for c := range s.children(node) {
		if s.tree.Kind(c) == "storage_class_specifier" && s.tree.Text(c) == "static" {
			return true
		}
	}
	return false
}

// annotated reports whether a declaration carries annotations.
func (s *side) annotated(node int32) bool {
	if node < 0 {
		return false
	}
	body := s.tree.Field(node, "body")
	for i := node + 1; i < s.tree.Nodes[node].Next && i != body; i++ {
		switch k := s.tree.Kind(i); {
		case strings.Contains(k, "annotation") && k != "type_annotation" || k == "attribute_list" || k == "decorator":
			return true
		case strings.Contains(k, "body") || k == "block" || k == "declaration_list":
			return false
		}
	}
	return false
}

// classAround returns the class around a node, or -1.
func (s *side) classAround(node int32) int32 {
	for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
		if k := s.tree.Kind(p); strings.Contains(k, "class_") && !strings.Contains(k, "body") {
			return p
		}
	}
	return -1
}

// declared returns the name that a declaration declares, or "" if there are several.
func (s *side) declared(node int32) string {
	if name := s.nameOf(node); name != "" {
		return name
	}
	if n := s.tree.Field(node, "type"); n >= 0 && s.tree.Kind(node) == "type_alias" {
		return s.tree.Text(n)
	}
	if n := s.tree.Field(node, "declarator"); n >= 0 && s.tree.Kind(node) == "type_definition" {
		return s.tree.Text(n)
	}
	name := ""
	for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
		if k := s.tree.Kind(i); k != "variable_declarator" && k != "variable_declaration" {
			continue
		}
		n := s.tree.Field(i, "name")
		if n < 0 && s.lang == syntax.Kotlin {
			n = s.nthChild(i, 0)
		}
		if n < 0 {
			continue
		}
		if name != "" {
			return ""
		}
		name = s.tree.Text(n)
	}
	return name
}

// unnamed reports whether nothing else in the file names what a node declares.
func (s *side) unnamed(node int32) bool {
	name := s.declared(node)
	if name == "" {
		return false
	}
	if s.words == nil {
		s.words = make(map[string]int)
		for text := s.withoutComments(); len(text) > 0; {
			n := expression.TokenLength(text)
			word := string(text[:n])
			s.words[word]++
			if in, ok := strings.CutPrefix(word, "$"); ok { // in a template
				s.words[in]++
			}
			text = text[n:]
		}
	}
	return s.words[name] == s.named(node, name)+s.givenOnly(node, name) || s.uncalledOverload(node, name) ||
		s.tree.Kind(node) == "public_field_definition" && !s.readsOwn(name)
}

// uncalledOverload reports whether a node is one of several functions of a name, and no call of the file hands
// as much to that name as it takes.
func (s *side) uncalledOverload(node int32, name string) bool {
	list := s.parameterList(node)
	if s.lang != syntax.CSharp && s.lang != syntax.Java || s.tree.Kind(node) != "method_declaration" || s.single(node) || list < 0 ||
		optionalParameter.MatchString(s.tree.Text(list)) {
		return false
	}
	left, takes := s.words[name], len(s.parameters(node))
	for i := range s.tree.Nodes {
		call := int32(i)
		switch {
		case s.tree.Function(call) && s.tree.FunctionName(call) == name:
			left--
		case slices.Contains(callKinds, s.tree.Kind(call)) && s.calledName(call) == name:
			if left--; len(s.given(call)) == takes && s.functionAround(call) != node {
				return false
			}
		}
	}
	return left == 0 // no other mention, as that of a delegate
}

// optionalParameter finds a parameter that need not be given, or that takes several.
var optionalParameter = lazyregexp.MustCompile(`=|\bparams\b|\.\.\.|\bthis\b`)

// readsOwn reports whether anything in a file of TypeScript may read a private field of an object.
func (s *side) readsOwn(name string) bool {
	text := string(s.withoutComments())
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

// givenOnly counts how often the name of a field stands on the left of an assignment, in
// languages that say so where a field is read.
func (s *side) givenOnly(field int32, name string) (n int) {
	if k := s.tree.Kind(field); k != "property_declaration" && k != "field_declaration" && k != "public_field_definition" {
		return 0
	}
	for i := range s.tree.Nodes {
		node := int32(i)
		if !s.tree.Named(node) || !s.isStatement(node) || node == field {
			continue
		}
		if left, right, ok := s.assignment(node); ok && ownField(s.tree.Text(left)) == name && s.tree.Kind(node) != "property_declaration" && !s.does(right) {
			n++
		}
	}
	return n
}

// ownField returns the name of a field of the object itself.
func ownField(text string) string {
	return strings.TrimPrefix(strings.TrimPrefix(text, "this."), "self.")
}

// forgottenField reports whether a text names a private field that is given values, and that
// nothing reads.
func (s *side) forgottenField(text string) bool {
	if s.fields == nil {
		s.fields = make(map[string]bool)
		for i := range s.tree.Nodes {
			node := int32(i)
			if k := s.tree.Kind(node); k != "property_declaration" && k != "field_declaration" && k != "public_field_definition" {
				continue
			}
			if s.private(node) && s.unnamed(node) {
				s.fields[s.declared(node)] = true
			}
		}
	}
	return s.fields[ownField(text)]
}

// inner reports whether a node is a function that only the function around it can call.
func (s *side) inner(node int32) bool {
	switch s.tree.Kind(node) {
	case "function_declaration", "local_function_statement", "function_item", "function_definition":
	case "class_declaration":
		return s.functionAround(node) >= 0 && !s.annotated(node)
	default:
		return false
	}
	return s.spec.Comparing.Nested && s.tree.Function(node) && s.tree.Kind(s.tree.Parent(node)) != "decorated_definition" && s.functionAround(node) >= 0 && !s.annotated(node)
}

// unnamedAround reports whether the function around another never names it.
func (s *side) unnamedAround(node int32) bool {
	name := s.nameOf(node)
	return name != "" && s.named(s.functionAround(node), name) == s.named(node, name)
}

// named counts how often a name stands in the text of a node, comments left out.
func (s *side) named(node int32, name string) int {
	n := s.tree.Nodes[node]
	return count(string(s.withoutComments()[n.Start:n.End]), name)
}

func (s *side) withoutComments() []byte {
	if s.said == nil {
		s.said = s.blanked(func([]byte) bool { return true })
	}
	return s.said
}

// blanked returns the text with spaces in place of some of its comments.
func (s *side) blanked(some func(comment []byte) bool) []byte {
	text := bytes.Clone(s.src)
	for i := range s.tree.Nodes {
		if c := s.tree.Nodes[i]; strings.Contains(s.tree.Kind(int32(i)), "comment") && some(text[c.Start:c.End]) {
			copy(text[c.Start:c.End], bytes.Repeat([]byte(" "), int(c.End-c.Start)))
		}
	}
	return text
}

// alias says that another name for something is used by nobody, or "".
func (s *side) alias(node int32) Why {
	name := s.tree.Field(node, "name") // using A = B;
	if s.spec.Comparing.Calls {
		name = s.argument(node)
	}
	if name < 0 {
		return ""
	}
	text := s.tree.Text(name)
	if last := text[strings.LastIndexByte(text, '.')+1:]; expression.IsWord(last) && plainWord.MatchString(last) &&
		s.nthChild(name, 0) < 0 && s.named(0, last) == 1 {
		return NoEffect
	}
	return ""
}

// property returns the sides of a property of Kotlin that is given a value.
func (s *side) property(node int32) (left, right int32, ok bool) {
	left, right = -1, -1
	for c := range s.children(node) {
		switch k := s.tree.Kind(c); {
		case k == "variable_declaration":
			left = s.nthChild(c, 0)
		case left >= 0 && k != "getter" && k != "setter":
			right = c
		}
	}
	return left, right, left >= 0 && right >= 0
}

// overNothing finds a call that hands a function to nothing.
var overNothing = lazyregexp.MustCompile(`^(?:repeat\s*\(\s*0\s*\)|0\.times\b|\[\]\.(?:each|forEach|map)\b|(?:emptyList|listOf)\s*(?:<[\w<>?]+>)?\(\)\.\w+|Enum\.\w+\(\[\]\s*,|Array\(0\)\.)`)

// validates finds a call that complains unless its first argument holds.
var validates = lazyregexp.MustCompile(`^(?:(?:Debug|Trace|Contract|System\.Diagnostics\.Debug)\.\w+|require|check|precondition|(?:debug_|static_)?assert!?|console\.assert|Preconditions\.check\w+)\s*\(`)

// alwaysHolds reports whether a statement validates what always holds.
func (s *side) alwaysHolds(text string) bool {
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
var computingRuby = wordSet(`each each_with_index map select reject tap then collect flat_map filter_map times upto downto sum
	sort_by group_by partition each_pair each_slice reduce inject find detect`)

// onlyComputes reports whether a call gives a function that does nothing to one that only
// hands it values.
func (s *side) onlyComputes(node int32) bool {
	call := node
	if inner := s.onlyChild(node); s.tree.Kind(node) == "expression_statement" && inner >= 0 {
		call = inner
	}
	switch k := s.tree.Kind(call); {
	case s.lang == syntax.Ruby && k == "call":
		given := s.given(call)
		return computingRuby[s.calledName(call)] && len(given) == 1 && s.value(given[0]) >= 0 && !s.does(s.receiver(call)) &&
			!s.does(s.value(given[0]))
	case !strings.Contains(k, "call_expression") && !strings.Contains(k, "invocation"),
		!computing.MatchString(s.tree.Text(call)):
		return false
	}
	functions := 0
	for i := call + 1; i < s.tree.Nodes[call].Next; i++ {
		kind := s.tree.Kind(i)
		switch {
		case s.anonymous(i):
			functions++
		case !s.tree.Named(i), kind == "annotated_lambda", kind == "call_suffix", strings.HasPrefix(kind, "lambda_"), strings.Contains(kind, "parameter"):
		case slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }):
			return false
		}
	}
	return functions == 1
}

// complains finds a statement that only complains.
var complains = lazyregexp.MustCompile(`^(?:(?:try\s+)?(?:self\.|this\.)?validate\w*\s*\(|raise|throw|panic|requireNotNull|require|checkNotNull|check|error|[aA]ssert\w*!?|Preconditions\.\w+|Objects\.requireNonNull|Argument\w*Exception\.Throw\w+)\b`)

// triesInVain finds a call that only complains, checkedInVain one of Rust of which nobody
// hears.
var (
	triesInVain   = lazyregexp.MustCompile(`^(?:try\?\s*)?(?:(?:self|this|\w+)(?:\.|::))?(?:validate|verify)\w*\s*\(`)
	checkedInVain = lazyregexp.MustCompile(`^(?:\w+(?:\.|::))*(?:validate|verify|check)\w*\(.*\)\.(?:ok|unwrap_or_default)\(\);?$`)
)

// complainsInVain reports whether a statement only complains, and nobody hears of it.
func (s *side) complainsInVain(node int32) bool {
	switch kind := s.kind(node); kind {
	case "call_expression":
		lambda := node
		for lambda >= 0 && s.tree.Kind(lambda) != "lambda_literal" {
			lambda = s.lastChild(lambda)
		}
		return strings.HasPrefix(s.tree.Text(node), "runCatching") && lambda >= 0 && s.onlyComplains(lambda)
	case "rescue_modifier": // of Ruby
		return complains.MatchString(strings.TrimLeft(s.tree.Text(node), "( "))
	case "expression_statement":
		return s.lang == syntax.Rust && checkedInVain.MatchString(plainText(s.tree.Text(node)))
	case "try_statement", "try_expression", "begin", "try_call", "do_statement":
		body, caught := s.attempt(node)
		return caught && body >= 0 && s.onlyComplains(body)
	}
	return false
}

func (s *side) lastChild(node int32) int32 {
	last := int32(-1)
	for c := range s.children(node) {
		last = c
	}
	return last
}

// attempt returns what is tried, and whether everything that goes wrong there is caught and
// forgotten.
func (s *side) attempt(try int32) (body int32, caught bool) {
	body = s.tree.Field(try, "body")
	parts := try
	if s.spec.Comparing.Calls {
		parts = s.lastChild(try)
		body = parts
	}
	handlers := 0
	for c := range s.children(parts) {
		if body < 0 {
			body = c
		}
		k := s.tree.Kind(c)
		if !strings.Contains(k, "except") && !strings.Contains(k, "catch") && !strings.Contains(k, "rescue") {
			continue
		}
		handlers++
		if !s.catchesAll(c) && !s.catchesRaised(c, body) || !s.quiet(c) {
			return body, false
		}
	}
	return body, handlers > 0
}

// catchesAll reports whether a handler is for whatever goes wrong.
func (s *side) catchesAll(handler int32) bool {
	text := s.tree.Text(handler)
	head, rest, _ := strings.Cut(text, "\n")
	if s.spec.Comparing.Calls {
		return !strings.Contains(rest, " in ") || strings.Contains(rest, "AssertionError")
	}
	return catchesAll.MatchString(head)
}

// handled finds the class that a handler is for.
var handled = lazyregexp.MustCompile(`^(?:except|catch|rescue)[\s(]+(?:final |const |\\)*(?:[\w.:]+[.:\\])?(\w+)`)

// catchesRaised reports whether a handler is for the very thing that is raised, or for any
// error of Ruby.
func (s *side) catchesRaised(handler, body int32) bool {
	m := handled.FindStringSubmatch(s.tree.Text(handler))
	return m != nil && (m[1] == "StandardError" || count(s.tree.Text(body), m[1]) > 0)
}

// quiet reports whether a handler does nothing.
func (s *side) quiet(handler int32) bool {
	for i := handler + 1; i < s.tree.Nodes[handler].Next; i++ {
		kind := s.tree.Kind(i)
		if s.tree.Named(i) && slices.ContainsFunc([]string{"call", "throw", "raise", "assign", "return",
			"invocation"}, func(part string) bool { return strings.Contains(kind, part) }) {
			return false
		}
	}
	return true
}

// onlyComplains reports whether the statements of a block do nothing but complain.
func (s *side) onlyComplains(block int32) bool {
	n := 0
	if !s.isBlock(block) && complains.MatchString(strings.TrimSpace(s.tree.Text(block))) {
		return true
	}
	for c := range s.children(block) {
		kind := s.tree.Kind(c)
		if strings.Contains(kind, "comment") || strings.Contains(kind, "rescue") ||
			strings.Contains(kind, "catch") || strings.Contains(kind, "after_block") {
			continue
		}
		n++
		if complains.MatchString(strings.TrimSpace(s.tree.Text(c))) {
			continue
		}
		cond := s.condition(c)
		if cond < 0 || s.does(cond) && !s.onlyAsks(cond) || s.isLoop(c) {
			return false
		}
		then := true
		s.branches(c, cond, func(b int32, _ bool) { then = then && s.onlyComplains(b) })
		if !then {
			return false
		}
	}
	return n > 0
}

// neverForced reports whether a node is a lazy value of Scala within a function that never asks for it.
func (s *side) neverForced(node int32) bool {
	if s.lang != syntax.Scala || s.tree.Kind(node) != "val_definition" || !s.hasModifier(node, "lazy") {
		return false
	}
	f, name := s.functionAround(node), s.tree.Field(node, "pattern")
	return f >= 0 && name >= 0 && s.named(f, s.tree.Text(name)) == 1
}
