package noeffect

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
)

// Values that are computed, or set up, and dropped.

// pure are functions and methods of standard libraries that only give a value, whoever has
// them. Words that may do something elsewhere (trim, map, replace, stream), ask something in a
// test (contains, startsWith), or are called to load something (size) are none of them.
var pure = source.WordSet(`slice substring substr trimStart trimEnd toLowerCase toUpperCase padStart
		padEnd charAt indexOf lastIndexOf toFixed localeCompare array_filter array_map
		array_merge array_sum array_keys array_values array_column array_unique array_slice
		in_array strtolower strtoupper ltrim rtrim str_replace ucfirst ucwords implode explode
		number_format sprintf str_contains lstrip rstrip capitalize casefold ToLower ToUpper
		TrimSpace TrimPrefix TrimSuffix HasPrefix HasSuffix Sprintf Sprint Substring lowercase
		uppercase downcase upcase to_lowercase to_uppercase to_owned sorted sortedDescending
		reversed distinct toSorted toReversed trim_start_matches trim_end_matches strip_prefix
		strip_suffix`)

// pureRuby are those of Ruby that also exist with a "!".
var pureRuby = source.WordSet("sort reverse uniq compact flatten strip itself")

// computesOnly reports whether an expression calls something, and nothing that does more than
// give a value.
func (s *Analysis) computesOnly(node int32) bool {
	called := false
	for i := node; i < s.Tree.Nodes[node].Next; i++ {
		kind := s.Tree.Kind(i)
		switch {
		case !s.Tree.Named(i):
		case s.Anonymous(i):
			if body := s.Tree.Body(i); body < 0 || !s.isNoOpBody(body) {
				return false
			}
			i = s.Tree.Nodes[i].Next - 1
		case slices.Contains(source.CallKinds, kind):
			name := s.CalledName(i)
			if !pure[name] && !s.onText(i, name) && !(s.Lang == syntax.PHP && kind == "function_call_expression" && purePHP[name]) && !s.onlyText(i, name) && !s.pureFunctions()[name] && !(s.Lang == syntax.Ruby && pureRuby[name]) {
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
	replaces = source.WordSet("replace replaceAll replace_all Replace ReplaceAll replacingOccurrences gsub sub tr")
	notTexts = lazyregexp.MustCompile(`(?i)\b(?:os|fs|shutil|path|router|history|location|navigation|navigate|url)$|[bB]uilder|\bsb$`)
	// goPure finds what only gives values in Go's library.
	goPure = lazyregexp.MustCompile(`^(?:strings|strconv|path|filepath|math|unicode|utf8)\.(?:[A-Z]\w*)$`)
)

// onlyText reports whether a call only gives a text, by what it is called on and with.
func (s *Analysis) onlyText(call int32, name string) bool {
	if s.Lang == syntax.Go {
		callee := s.NthChild(call, 0)
		return callee >= 0 && goPure.MatchString(s.Tree.Text(callee)) && !strings.HasSuffix(name, "Walk") && name != "WalkDir"
	}
	on, args := s.Receiver(call), s.CallArguments(call)
	if on >= 0 && len(args) == 1 && source.IsLiteral(s.Tree.Kind(args[0])) && s.CalledName(on) == "matcher" &&
		(name == "replaceFirst" || name == "replaceAll") {
		return true
	}
	if name == "matcher" && s.Lang == syntax.Java && len(args) == 1 {
		return true
	}
	if on < 0 || !replaces[name] || len(args) != 2 ||
		slices.ContainsFunc(args, func(a int32) bool { return !source.IsLiteral(s.Tree.Kind(a)) }) {
		return false
	}
	text := s.Tree.Text(on)
	root, _, _ := strings.Cut(text, ".")
	return !notTexts.MatchString(text) && !(source.PlainWord.MatchString(root) &&
		(strings.Contains(string(s.Src), "StringBuilder "+root) || strings.Contains(string(s.Src), root+" = new StringBuilder")))
}

// pureFunctions are the functions of the file that only give a value, by name.
func (s *Analysis) pureFunctions() map[string]bool {
	if s.pureNames != nil {
		return s.pureNames
	}
	s.pureNames = make(map[string]bool) // so that none is looked for while they are
	found := make(map[string]bool)
	for i := range s.Tree.Nodes {
		node := int32(i)
		if left, right, ok := s.SidesOf(node); ok && s.Anonymous(right) && s.Tree.Body(right) >= 0 {
			if name := s.Tree.Text(left); source.PlainWord.MatchString(name) {
				found[name] = s.isNoOpBody(s.Tree.Body(right)) && !s.steps(right)
			}
		}
	}
	s.pureNames = found
	return found
}

// dropsValue reports whether a statement computes a value that is not used, sets up what is never
// started, or has a time of its own do nothing.
func (s *Analysis) dropsValue(node int32) bool {
	call := node
	for range 3 {
		inner := s.OnlyChild(call)
		if k := s.Tree.Kind(call); inner < 0 || k != "expression_statement" &&
			!strings.HasPrefix(k, "unary") && !strings.HasPrefix(k, "parenthesized") {
			break
		}
		call = inner
	}
	if s.isValue(node) {
		return false
	}
	switch kind := s.Tree.Kind(call); {
	case kind == "object_creation_expression":
		return neverStarted.MatchString(s.Tree.Text(call))
	case !slices.Contains(source.CallKinds, kind):
		return false
	case atOtherTimes[s.CalledName(call)]:
		given := s.CallArguments(call)
		if len(given) == 0 {
			return false
		}
		first := given[0]
		return s.Anonymous(first) && s.Tree.Body(first) >= 0 && s.isNoOpBody(s.Tree.Body(first))
	}
	callee := s.NthChild(call, 0)
	for callee >= 0 && s.Tree.Kind(callee) == "parenthesized_expression" {
		callee = s.OnlyChild(callee)
	}
	return callee >= 0 && s.steps(callee) || s.onlyKept(call) || s.computesOnly(call) || s.isLazyStep(call) ||
		s.changesCopy(call) || s.discardsFiltered(call) || s.neverStarts(call)
}

// neverStarts reports whether a call only makes a generator, a context or a coroutine by a function of the file:
// what that does only runs when somebody iterates over it, enters it or waits for it.
func (s *Analysis) neverStarts(call int32) bool {
	on := s.Receiver(call)
	return (on < 0 || ownObject.MatchString(s.Tree.Text(on))) && s.startedLater()[s.CalledName(call)]
}

// ownObject matches the names of the object that a method belongs to, and of its class.
var ownObject = lazyregexp.MustCompile(`^(?:\$?this|self|Self|cls|static)$`)

// startedLater are the functions of the file, by name, that run none of their body when they are called.
func (s *Analysis) startedLater() map[string]bool {
	if s.laterNames == nil {
		s.laterNames = make(map[string]bool)
		for i := range s.Tree.Nodes {
			if f := int32(i); s.Tree.Function(f) && !s.Anonymous(f) && s.Tree.Body(f) >= 0 &&
				s.HasUniqueName(f) && s.isDeferred(f) {
				s.laterNames[s.Tree.FunctionName(f)] = true
			}
		}
	}
	return s.laterNames
}

// isDeferred reports whether a function is a generator, or a coroutine of Python or Rust. What decorators but those
// for contexts make of a function is not known, nor what most attributes do: #[tokio::main] runs it.
func (s *Analysis) isDeferred(function int32) bool {
	marks := s.Src[s.Attributes(function):s.Tree.Nodes[function].Start]
	if s.Lang == syntax.Rust && bytes.Contains(plainAttribute.ReplaceAll(marks, nil), []byte("#[")) {
		return false
	}
	if p := s.Tree.Parent(function); s.Tree.Kind(p) == "decorated_definition" &&
		!ofContext.MatchString(s.Tree.Text(p)) {
		return false
	}
	if s.Spec.Comparing.Coroutines && async.MatchString(s.Tree.Text(function)) {
		return true
	}
	for i := function + 1; s.Spec.Comparing.Yields && i < s.Tree.Nodes[function].Next; i++ {
		if s.Tree.Named(i) && strings.HasPrefix(s.Tree.Kind(i), "yield") && s.FunctionAround(i) == function {
			return true
		}
	}
	return false
}

var (
	ofContext = lazyregexp.MustCompile(`^@(?:contextlib\.)?(?:async)?contextmanager\s+(?:async\s+)?def\b`)
	// plainAttribute matches the attributes of Rust that leave a function as it is.
	plainAttribute = lazyregexp.MustCompile(`#\[(?:inline|must_use|allow|expect|warn|deny|cfg|doc|deprecated|cold)\b[^\]]*\]`)
	async          = lazyregexp.MustCompile(`^(?:async\s+def|(?:pub(?:\([^)]*\))?\s+)?async\s+(?:unsafe\s+)?fn)\b`)
)

// onlyKept reports whether a call puts a value that it computes, or a function, into what nobody
// takes, or forgets it: Box::new(|| …), std::mem::forget(a * 9), Thread.new { a * 9 }.
func (s *Analysis) onlyKept(call int32) bool {
	given := s.CallArguments(call)
	if len(given) != 1 || s.hasEffect(given[0]) {
		return false
	}
	head := source.PlainText(string(s.Src[s.Tree.Nodes[call].Start:s.Tree.Nodes[given[0]].Start]))
	return s.Lang == syntax.Rust && (keeps.MatchString(head) || forgetsValue.MatchString(head) &&
		strings.Contains(s.Tree.Kind(given[0]), "binary")) || s.Lang == syntax.Ruby && head == "Thread.new"
}

var (
	keeps        = lazyregexp.MustCompile(`^(?:(?:\w+::)*(?:Box|Rc|Arc|Cell|RefCell)::new|Some|Ok|Err(?:::<[^()]*(?:\(\))?[^()]*>)?)\($`)
	forgetsValue = lazyregexp.MustCompile(`^(?:\w+::)*(?:drop|forget|black_box)\($`)
)

// atOtherTimes are the functions that call another at some other time.
var atOtherTimes = source.WordSet("setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame nextTick Run StartNew submit execute spawn invokeLater")

// neverStarted matches a thread or task that is created and cannot be started.
var neverStarted = lazyregexp.MustCompile(`^new\s+(?:Thread|Task)\s*\(`)

// steps reports whether a function without a name only runs when its values are iterated over.
func (s *Analysis) steps(function int32) bool {
	switch kind := s.Tree.Kind(function); {
	case kind == "generator_function":
		return true
	case s.Lang != syntax.PHP || !s.Anonymous(function):
		return false
	}
	for i := function; i < s.Tree.Nodes[function].Next; i++ {
		if s.Tree.Kind(i) == "yield_expression" {
			return true
		}
	}
	return false
}

// onlyAsks reports whether a condition does nothing, as far as calls without arguments only
// give values.
func (s *Analysis) onlyAsks(cond int32) bool {
	for i := cond; i < s.Tree.Nodes[cond].Next; i++ {
		if kind := s.Tree.Kind(i); slices.Contains(source.CallKinds, kind) {
			if last := s.LastChild(i); last >= 0 && strings.Contains(s.Tree.Kind(last), "argument") && s.NthChild(last, 0) >= 0 {
				return false
			}
		} else if s.Tree.Named(i) && slices.ContainsFunc([]string{"assign", "update", "yield", "await", "new_", "creation"},
			func(part string) bool { return strings.Contains(kind, part) }) {
			return false
		}
	}
	return true
}
