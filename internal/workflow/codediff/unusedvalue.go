package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// What is computed or set up, and dropped.

// pure are functions and methods of standard libraries that only give a value, whoever has
// them. Words that may do something elsewhere (trim, map, replace, stream), ask something in a
// test (contains, startsWith), or are called to load something (size) are none of them.
var pure = wordSet(`slice substring substr trimStart trimEnd toLowerCase toUpperCase padStart padEnd charAt indexOf lastIndexOf
	toFixed localeCompare array_filter array_map array_merge array_sum array_keys array_values array_column array_unique
	array_slice in_array strtolower strtoupper ltrim rtrim str_replace ucfirst ucwords implode explode number_format sprintf
	str_contains lstrip rstrip capitalize casefold ToLower ToUpper TrimSpace TrimPrefix TrimSuffix HasPrefix HasSuffix
	Sprintf Sprint Substring lowercase uppercase downcase upcase to_lowercase to_uppercase to_owned sorted sortedDescending
	reversed distinct toSorted toReversed`)

// pureRuby are those of Ruby that stand beside one with a "!".
var pureRuby = wordSet("sort reverse uniq compact flatten strip itself")

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// callKinds are the kinds of nodes that call something.
var callKinds = []string{"call_expression", "call", "method_invocation", "invocation_expression",
	"function_call_expression",
	"member_call_expression", "scoped_call_expression"}

// calledName returns the last part of the name of what a call calls.
func (s *side) calledName(call int32) string {
	callee := int32(-1)
	for _, field := range []string{"name", "method", "function"} {
		if c := s.tree.Field(call, field); c >= 0 {
			callee = c
			break
		}
	}
	if callee < 0 {
		callee = s.nthChild(call, 0)
	}
	if callee < 0 {
		return ""
	}
	text := s.tree.Text(callee)
	if i := strings.LastIndex(text, "::<"); i >= 0 && strings.HasSuffix(text, ">") { // types of Rust
		text = text[:i]
	}
	return strings.TrimSpace(text[strings.LastIndexAny(text, ".>:\\")+1:])
}

// computesOnly reports whether an expression calls something, and nothing that does more than
// give a value.
func (s *side) computesOnly(node int32) bool {
	called := false
	for i := node; i < s.tree.Nodes[node].Next; i++ {
		kind := s.tree.Kind(i)
		switch {
		case !s.tree.Named(i):
		case s.anonymous(i):
			if body := s.tree.Body(i); body < 0 || !s.bodyIdle(body) {
				return false
			}
			i = s.tree.Nodes[i].Next - 1
		case slices.Contains(callKinds, kind):
			name := s.calledName(i)
			if !pure[name] && !s.onText(i, name) && !(s.lang == syntax.PHP && kind == "function_call_expression" && purePHP[name]) && !s.onlyText(i, name) && !s.idleFunctions()[name] && !(s.lang == syntax.Ruby && pureRuby[name]) {
				return false
			}
			called = true
		case kind == "argument_list" || kind == "arguments" || kind == "call_suffix" || strings.HasPrefix(kind, "type_"):
		case slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }):
			return false
		}
	}
	return called
}

// replaces are methods that give a text with parts of another in their place: if that and what it looks for are
// written out, it is called on a text.
var (
	replaces = wordSet("replace replaceAll replace_all Replace ReplaceAll replacingOccurrences gsub sub tr")
	notTexts = lazyregexp.MustCompile(`(?i)\b(?:os|fs|shutil|path|router|history|location|navigation|navigate|url)$|[bB]uilder|\bsb$`)
	// goPure finds what only gives values in Go's library.
	goPure = lazyregexp.MustCompile(`^(?:strings|strconv|path|filepath|math|unicode|utf8)\.(?:[A-Z]\w*)$`)
)

// onlyText reports whether a call only gives a text, by what it is called on and with.
func (s *side) onlyText(call int32, name string) bool {
	if s.lang == syntax.Go {
		callee := s.nthChild(call, 0)
		return callee >= 0 && goPure.MatchString(s.tree.Text(callee)) && !strings.HasSuffix(name, "Walk") && name != "WalkDir"
	}
	on, args := s.receiver(call), s.given(call)
	if on < 0 || !replaces[name] || len(args) != 2 || slices.ContainsFunc(args, func(a int32) bool { return !isLiteral(s.tree.Kind(a)) }) {
		return false
	}
	text := s.tree.Text(on)
	root, _, _ := strings.Cut(text, ".")
	return !notTexts.MatchString(text) && !(plainWord.MatchString(root) &&
		(strings.Contains(string(s.src), "StringBuilder "+root) || strings.Contains(string(s.src), root+" = new StringBuilder")))
}

// idleFunctions are the functions of the file that only give a value, by name.
func (s *side) idleFunctions() map[string]bool {
	if s.idles != nil {
		return s.idles
	}
	s.idles = make(map[string]bool) // so that none is looked for while they are
	found := make(map[string]bool)
	for i := range s.tree.Nodes {
		node := int32(i)
		if left, right, ok := s.sidesOf(node); ok && s.anonymous(right) && s.tree.Body(right) >= 0 {
			if name := s.tree.Text(left); plainWord.MatchString(name) {
				found[name] = s.bodyIdle(s.tree.Body(right)) && !s.steps(right)
			}
		}
	}
	s.idles = found
	return found
}

// sidesOf returns the sides of a declaration that names a value.
func (s *side) sidesOf(node int32) (left, right int32, ok bool) {
	if !s.tree.Named(node) || !strings.HasSuffix(s.tree.Kind(node), "declarator") {
		return -1, -1, false
	}
	left, right = s.sides(node)
	return left, right, left >= 0 && right > left
}

// dropped reports whether a statement computes a value that nobody takes, sets up what is never
// started, or has a time of its own do nothing.
func (s *side) dropped(node int32) bool {
	call := node
	for range 3 {
		inner := s.onlyChild(call)
		if k := s.tree.Kind(call); inner < 0 || k != "expression_statement" &&
			!strings.HasPrefix(k, "unary") && !strings.HasPrefix(k, "parenthesized") {
			break
		}
		call = inner
	}
	if s.isValue(node) {
		return false
	}
	switch kind := s.tree.Kind(call); {
	case kind == "object_creation_expression":
		return neverStarted.MatchString(s.tree.Text(call))
	case !slices.Contains(callKinds, kind):
		return false
	case atOtherTimes[s.calledName(call)]:
		given := s.given(call)
		if len(given) == 0 {
			return false
		}
		first := given[0]
		return s.anonymous(first) && s.tree.Body(first) >= 0 && s.bodyIdle(s.tree.Body(first))
	}
	callee := s.nthChild(call, 0)
	for callee >= 0 && s.tree.Kind(callee) == "parenthesized_expression" {
		callee = s.onlyChild(callee)
	}
	return callee >= 0 && s.steps(callee) || s.onlyKept(call) || s.computesOnly(call) || s.lazyStep(call) || s.changesCopy(call) || s.filtersInVain(call)
}

// onlyKept reports whether a call puts a value that it computes, or a function, into what nobody
// takes, or forgets it: Box::new(|| …), std::mem::forget(a * 9), Thread.new { a * 9 }.
func (s *side) onlyKept(call int32) bool {
	given := s.given(call)
	if len(given) != 1 || s.does(given[0]) {
		return false
	}
	head := plainText(string(s.src[s.tree.Nodes[call].Start:s.tree.Nodes[given[0]].Start]))
	return s.lang == syntax.Rust && (keeps.MatchString(head) || forgetsValue.MatchString(head) &&
		strings.Contains(s.tree.Kind(given[0]), "binary")) || s.lang == syntax.Ruby && head == "Thread.new"
}

var (
	keeps        = lazyregexp.MustCompile(`^(?:(?:\w+::)*(?:Box|Rc|Arc|Cell|RefCell)::new|Some|Ok|Err(?:::<[^()]*(?:\(\))?[^()]*>)?)\($`)
	forgetsValue = lazyregexp.MustCompile(`^(?:\w+::)*(?:drop|forget|black_box)\($`)
)

// atOtherTimes are the functions that call another at some other time.
var atOtherTimes = wordSet("setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame nextTick Run StartNew submit execute spawn invokeLater")

// neverStarted finds a thread or task that is made and nobody can start.
var neverStarted = lazyregexp.MustCompile(`^new\s+(?:Thread|Task)\s*\(`)

// steps reports whether a function without a name only runs when somebody asks for its values.
func (s *side) steps(function int32) bool {
	switch kind := s.tree.Kind(function); {
	case kind == "generator_function":
		return true
	case s.lang != syntax.PHP || !s.anonymous(function):
		return false
	}
	for i := function; i < s.tree.Nodes[function].Next; i++ {
		if s.tree.Kind(i) == "yield_expression" {
			return true
		}
	}
	return false
}

// onlyAsks reports whether a condition does nothing, as far as calls without arguments only
// give values.
func (s *side) onlyAsks(cond int32) bool {
	for i := cond; i < s.tree.Nodes[cond].Next; i++ {
		if kind := s.tree.Kind(i); slices.Contains(callKinds, kind) {
			if last := s.lastChild(i); last >= 0 && strings.Contains(s.tree.Kind(last), "argument") && s.nthChild(last, 0) >= 0 {
				return false
			}
		} else if s.tree.Named(i) && slices.ContainsFunc([]string{"assign", "update", "yield", "await", "new_", "creation"},
			func(part string) bool { return strings.Contains(kind, part) }) {
			return false
		}
	}
	return true
}
