package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What is done to a copy that nobody looks at, and what is set up and never comes to pass.

// lazyStep reports whether a call only adds a step to a lazy chain: it does nothing until
// somebody asks for the result.
func (s *side) lazyStep(call int32) bool {
	how := s.spec.Comparing.Lazy
	if !slices.Contains(strings.Fields(how.Steps), s.calledName(call)) || how.From == "" && len(s.given(call)) == 0 {
		return false
	}
	for on := s.receiver(call); on >= 0; on = s.receiver(on) {
		for s.tree.Kind(on) == "parenthesized_expression" {
			on = s.onlyChild(on)
		}
		switch {
		case how.From == "", s.tree.Kind(on) == "range_expression":
			return true
		case !slices.Contains(callKinds, s.tree.Kind(on)):
			return false
		case slices.Contains(strings.Fields(how.From), s.calledName(on)):
			return true
		}
	}
	return false
}

// copying are the methods that give a copy of a list, changing those that change one in place and
// do nothing else.
var (
	copying = wordSet(`clone dup to_vec to_owned toMutableList toMutableSet toMutableMap toList toArray copy slice concat
		to_a to_h toSorted toReversed ToList ToArray copyOf`)
	changing = wordSet(`sort sort! sort_by! sort_by sort_unstable sort_by_key reverse reverse! push push_back append extend
		remove removeAll removeIf retain retainAll clear add addAll insert pop shift unshift splice fill map! select! reject!
		uniq! compact! delete delete_if keep_if replaceAll update sortBy sortWith putAll put Add AddRange RemoveAll Sort Reverse
		Clear dedup truncate drain`)
	fresh = lazyregexp.MustCompile(`^(?:new\s+(?:ArrayList|LinkedList|HashMap|HashSet|TreeMap|TreeSet|List|Dictionary|Map|Set)\b.*|` +
		`(?:list|dict|set|sorted)\(.*\)|[\w.]+\[:\]|\[\s*\.\.\..*\]|\{\s*\.\.\..*\}|Array\.from\(.*\)|` +
		`structuredClone\(.*\)|copy\.(?:copy|deepcopy)\(.*\)|slices\.Clone\(.*\))$`)
)

// ofAlgorithm finds what changes a container of C++ in place, byValue a local that is given another's value.
var (
	ofAlgorithm = lazyregexp.MustCompile(`^std::(?:ranges::)?(?:stable_)?(?:sort|reverse|unique|shuffle|fill)\((\w+)\.begin\(\), (\w+)\.end\(\)[^{}]*\)$`)
	byValue     = lazyregexp.MustCompile(`^(?:std::(?:vector|deque|list|map|set|string|array)\b[^&*=]*|auto)\s\w+\s*=$`)
)

// isCopy reports whether an expression makes a list of its own.
func (s *side) isCopy(node int32) bool {
	for s.tree.Kind(node) == "parenthesized_expression" {
		node = s.onlyChild(node)
	}
	if node < 0 {
		return false
	}
	if p := s.tree.Parent(s.tree.Parent(node)); s.lang == syntax.CPP && p >= 0 && plainWord.MatchString(s.tree.Text(node)) &&
		!expression.IsView(string(s.src), s.tree.Text(node)) &&
		byValue.MatchString(strings.TrimSpace(string(s.src[s.tree.Nodes[p].Start:s.tree.Nodes[node].Start]))) {
		return true
	}
	return slices.Contains(callKinds, s.tree.Kind(node)) && copying[s.calledName(node)] && s.receiver(node) >= 0 ||
		fresh.MatchString(s.tree.Text(node))
}

// changesCopy reports whether a call changes a list in place that nobody else has: a copy that is
// made where it stands, or a local that is given one, and that is only changed ever after.
func (s *side) changesCopy(call int32) bool {
	if m := ofAlgorithm.FindStringSubmatch(s.tree.Text(call)); m != nil && s.algorithmOn(call, m[1]) {
		return s.onlyChanged(call, m[1])
	}
	on := s.receiver(call)
	if on < 0 || !changing[s.calledName(call)] || slices.ContainsFunc(s.given(call), func(a int32) bool {
		return s.does(a) && !s.anonymous(a) && !strings.HasSuffix(s.tree.Kind(a), "block")
	}) {
		return false
	}
	return s.isCopy(on) || s.onlyChanged(call, s.tree.Text(on))
}

// onlyChanged reports whether a name is that of a local of the function around a node that holds a
// copy, which only such calls name.
func (s *side) onlyChanged(node int32, name string) bool {
	f := s.functionAround(node)
	if f < 0 || !plainWord.MatchString(name) {
		return false
	}
	left, made := count(s.tree.Text(f), name), false
	for i := f + 1; i < s.tree.Nodes[f].Next; i++ {
		if !s.tree.Named(i) || !s.isStatement(i) {
			continue
		}
		if l, right, ok := s.assignment(i); ok {
			if s.tree.Text(l) == name && s.isCopy(right) {
				made = true
				left--
			}
			continue
		}
		call := i
		for range 2 {
			if inner := s.onlyChild(call); inner >= 0 && strings.HasSuffix(s.tree.Kind(call), "statement") {
				call = inner
			}
		}
		if slices.Contains(callKinds, s.tree.Kind(call)) && (changing[s.calledName(call)] && s.receiver(call) >= 0 &&
			s.tree.Text(s.receiver(call)) == name || s.algorithmOn(call, name)) && !(s.spec.Comparing.LastIsValue && s.isLast(i)) {
			left -= count(s.tree.Text(call), name)
		}
	}
	return made && left == 0
}

// algorithmOn reports whether a call has an algorithm of C++ change all of what has a name.
func (s *side) algorithmOn(call int32, name string) bool {
	m := ofAlgorithm.FindStringSubmatch(s.tree.Text(call))
	return m != nil && s.lang == syntax.CPP && m[1] == name && m[2] == name
}
