package noeffect

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
)

// Mistakes: code that no one writes on purpose, because it looks as if it did something. Most linters have a
// rule for each.

// isMistake reports whether a node only looks as if it did something: an error that is made and not thrown, a value
// that nothing reads, a check that is always the same, a lock that excludes nobody, a collection that is only filled.
func (s *Analysis) isMistake(node int32) bool {
	return s.returnsInFinally(node) || s.comparesItself(node) || s.isNeverTrue(node) || s.isOnlyFilled(node) ||
		s.IsStatement(node) && (s.excludesNobody(node) || s.dropsResult(node) || s.isUnreadAnswer(node))
}

// returnsInFinally reports whether a node is a block that runs at the end in any case, and returns there:
// whatever was returned or thrown before is lost.
func (s *Analysis) returnsInFinally(node int32) bool {
	if k := s.Tree.Kind(node); k != "finally_clause" && k != "ensure" {
		return false
	}
	f := s.FunctionAround(node)
	for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
		if k := s.Tree.Kind(i); s.Tree.Named(i) && (k == "return_statement" || k == "return") && s.FunctionAround(i) == f {
			return true
		}
	}
	return false
}

// equality are the functions that compare what they are called on, or given.
var equality = source.WordSet("equals Equals equalsIgnoreCase eql? equal? eq isEqual deepEqual compareTo")

// comparesItself reports whether an expression compares a value with itself. A value that differs from itself is no
// number, so "!=" does not count, and names alone do not either.
func (s *Analysis) comparesItself(node int32) bool {
	if slices.Contains(source.CallKinds, s.Tree.Kind(node)) {
		on, args := s.Receiver(node), s.CallArguments(node)
		if !equality[s.CalledName(node)] {
			return false
		}
		return len(args) == 2 && s.asksTheSame(args[0], args[1]) || len(args) == 1 && on >= 0 && s.asksTheSame(on, args[0])
	}
	left, right := s.Tree.Field(node, "left"), s.Tree.Field(node, "right")
	if !strings.HasPrefix(s.Tree.Kind(node), "binary") || left < 0 || right < left || !s.asksTheSame(left, right) {
		return false
	}
	switch strings.TrimSpace(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start])) {
	case "==", "===":
		return strings.Contains(s.Tree.Text(left), "(")
	case "&&", "||", "and", "or":
		return true
	}
	return false
}

// asksTheSame reports whether two expressions read the same, and only ask for values.
func (s *Analysis) asksTheSame(a, b int32) bool {
	return source.PlainText(s.Tree.Text(a)) == strings.TrimPrefix(source.PlainText(s.Tree.Text(b)), "&") &&
		!source.IsLiteral(s.Tree.Kind(a)) && s.onlyGets(a)
}

// gets matches the names of what only gives a value.
var gets = lazyregexp.MustCompile(`^(?:(?:get|is|has|to|as)(?:_\w+|[A-Z]\w*)|to_[a-z]+|value_of|is_\w+\??|key\??|name|value|len|length|size|count` +
	`|clone|trim|strip|hashCode|ordinal|(?:Get|Is|Has|To|As)[A-Z]\w*|String|Len|Some|Ok)$`)

// onlyGets reports whether an expression does nothing but ask for values, by the names of what it calls.
func (s *Analysis) onlyGets(node int32) bool {
	for i := node; i < s.Tree.Nodes[node].Next; i++ {
		kind := s.Tree.Kind(i)
		switch {
		case !s.Tree.Named(i):
		case slices.Contains(source.CallKinds, kind):
			if name := s.CalledName(i); !gets.MatchString(name) || strings.Contains(name, "_or_") || strings.Contains(name, "Or") {
				return false
			}
		case s.Anonymous(i):
			return false
		case strings.Contains(kind, "call_suffix"), strings.HasPrefix(kind, "type_"), strings.Contains(kind, "argument"):
		case slices.ContainsFunc(deeds, func(part string) bool { return strings.Contains(kind, part) }):
			return false
		}
	}
	return true
}

// isNeverTrue reports whether a node is a conditional whose condition compares, and is never true.
func (s *Analysis) isNeverTrue(node int32) bool {
	cond := s.Condition(node)
	return cond >= 0 && !s.IsLoop(node) && !strings.HasPrefix(s.Tree.Kind(node), "preproc") &&
		strings.ContainsAny(strings.Trim(s.Tree.Text(cond), "()"), "<>=&") && s.constantTruth(cond) == expression.No
}

// isOnlyFilled reports whether a node declares a private field whose every other mention puts something into it.
func (s *Analysis) isOnlyFilled(node int32) bool {
	switch s.Tree.Kind(node) {
	case "field_declaration", "property_declaration", "public_field_definition":
	default:
		return false
	}
	name := s.DeclaredName(node)
	if name == "" || !s.HasModifier(node, "private") || s.Annotated(node) || s.Annotated(s.ClassAround(node)) {
		return false
	}
	text := s.WithoutComments()
	filled, all := 0, source.CountWord(string(text), name)-s.CountName(node, name)
	if all == 0 {
		return false // it is unused, and marked
	}
	for i := range s.Tree.Nodes {
		call := int32(i)
		if s.Tree.Kind(call) != "expression_statement" {
			continue
		}
		if call = s.OnlyChild(call); call >= 0 && slices.Contains(source.CallKinds, s.Tree.Kind(call)) && fills[s.CalledName(call)] &&
			s.Receiver(call) >= 0 && strings.TrimPrefix(ownField(s.Tree.Text(s.Receiver(call))), "$this->") == name {
			filled += s.CountName(s.Receiver(call), name)
			for _, a := range s.CallArguments(call) {
				if s.CountName(a, name) > 0 {
					return false
				}
			}
		}
	}
	return filled == all
}

var fills = source.WordSet("put add push append insert addAll putAll set Add push_back emplace_back putIfAbsent")

// excludesNobody reports whether a statement takes a lock that nobody else can hold, or gives it back at once.
func (s *Analysis) excludesNobody(node int32) bool {
	text := s.Tree.Text(node)
	if ownLock.MatchString(text) || freshLock.MatchString(text) || s.releasedAtOnce(node) >= 0 {
		return true
	}
	m, f := locksName.FindStringSubmatch(text), s.FunctionAround(node)
	if m == nil || f < 0 || source.CountWord(s.Tree.Text(f), m[1]) != 2 {
		return false
	}
	for p := s.Tree.Parent(node); p > f; p = s.Tree.Parent(p) {
		if s.Anonymous(p) || strings.Contains(s.Tree.Kind(p), "lambda") {
			return false // which may run in several threads
		}
	}
	for i := f + 1; i < node; i++ {
		if !s.Tree.Named(i) || !s.IsStatement(i) || s.FunctionAround(i) != f {
			continue
		}
		if left, right, ok := s.Assignment(i); ok && s.Tree.Text(left) == m[1] {
			return makesLock.MatchString(s.Tree.Text(right))
		}
	}
	return false
}

var (
	// freshLock matches what takes a lock where it is made, locksName what takes one that has a name.
	freshLock = lazyregexp.MustCompile(`^(?:Thread::)?(?:Monitor|Mutex)\.new\.(?:synchronize|lock)\b`)
	locksName = lazyregexp.MustCompile(`^(?:synchronized\s*\(|lock\s*\(|with\s+)(\w+)\s*\)?\s*[{:]`)
	makesLock = lazyregexp.MustCompile(`^(?:new\s+[\w.]+\s*\(\)|(?:threading|multiprocessing|asyncio)\.R?Lock\(\))$`)
)

// dropsResult reports whether a statement makes an error, or a value, and drops it.
func (s *Analysis) dropsResult(node int32) bool {
	text := strings.TrimRight(strings.TrimSpace(s.Tree.Text(node)), "; \t")
	if s.isValue(node) || s.FunctionAround(node) < 0 {
		return false
	}
	for inner := node; inner >= 0; inner = s.OnlyChild(inner) {
		if call := inner; slices.Contains(source.CallKinds, s.Tree.Kind(call)) {
			return s.isUnthrown(text) || s.computesOnly(call) || s.isLazyStep(call) || s.changesCopy(call)
		}
		if s.Tree.Kind(inner) != "expression_statement" {
			break
		}
	}
	return s.isUnthrown(text)
}

// isUnreadAnswer reports whether a statement gives a local the answer to a question, and nothing reads it.
func (s *Analysis) isUnreadAnswer(node int32) bool {
	left, right, ok := s.Assignment(node)
	return ok && s.FunctionAround(node) >= 0 && !meantUnread.MatchString(s.Tree.Text(left)) && s.hasEffect(right) &&
		(s.onlyGets(right) || s.onlyKept(right)) && (s.IsDeadStore(node, left) || s.isNeverRead(node, left, right))
}

// meantUnread matches the names of locals that nobody is to read: they keep something until the end of a block, or
// say themselves that they are unused.
var meantUnread = lazyregexp.MustCompile(`^_|(?i)(?:unused|ignored?|guard|lock|span|scope|timer)$`)
