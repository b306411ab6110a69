package noeffect

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
)

// Changes to a copy that is never read, and lazy steps that never run.

// isLazyStep reports whether a call only adds a step to a lazy chain: it does nothing until
// the result is read.
func (s *Analysis) isLazyStep(call int32) bool {
	how := s.Spec.Comparing.Lazy
	if !slices.Contains(strings.Fields(how.Steps), s.CalledName(call)) || how.From == "" && len(s.CallArguments(call)) == 0 {
		return false
	}
	for on := s.Receiver(call); on >= 0; on = s.Receiver(on) {
		for s.Tree.Kind(on) == "parenthesized_expression" {
			on = s.OnlyChild(on)
		}
		switch {
		case how.From == "", s.Tree.Kind(on) == "range_expression":
			return true
		case !slices.Contains(source.CallKinds, s.Tree.Kind(on)):
			return false
		case slices.Contains(strings.Fields(how.From), s.CalledName(on)):
			return true
		}
	}
	return false
}

// copying are the methods that give a copy of a list, changing those that change one in place and
// do nothing else.
var (
	copying = source.WordSet(`clone dup to_vec to_owned toMutableList toMutableSet toMutableMap toList toArray copy slice concat
		to_a to_h toSorted toReversed ToList ToArray copyOf`)
	changing = source.WordSet(`sort sort! sort_by! sort_by sort_unstable sort_by_key reverse reverse! push
		push_back append extend remove removeAll removeIf retain retainAll clear add addAll
		insert pop shift unshift splice fill map! select! reject! uniq! compact! delete
		delete_if keep_if replaceAll update sortBy sortWith putAll put Add AddRange RemoveAll
		Sort Reverse Clear dedup truncate drain freeze`)
	fresh = lazyregexp.MustCompile(`^(?:new\s+(?:ArrayList|LinkedList|HashMap|HashSet|TreeMap|TreeSet|List|Dictionary|Map|Set)\b.*|` +
		`(?:list|dict|set|sorted)\(.*\)|[\w.]+\[:\]|\[\s*\.\.\..*\]|\{\s*\.\.\..*\}|Array\.from\(.*\)|` +
		`structuredClone\(.*\)|copy\.(?:copy|deepcopy)\(.*\)|(?:slices|maps)\.Clone\(.*\)` +
		`|append\(\[\]\w+(?:\{\}|\(nil\)),.*\)|make\((?:\[\]|map\[).*\))$`)
)

// ofAlgorithm finds what changes a container of C++ in place, byValue a local that is given another's value.
var (
	ofAlgorithm = lazyregexp.MustCompile(`^std::(?:ranges::)?(?:stable_)?(?:sort|reverse|unique|shuffle|fill)\((\w+)\.begin\(\), (\w+)\.end\(\)[^{}]*\)$`)
	// ofGo finds what changes a slice or a map of Go in place and gives nothing, by its first argument.
	ofGo = lazyregexp.MustCompile(`^(?:copy|clear|sort\.(?:Strings|Ints|Float64s|Slice|SliceStable)` +
		`|(?:slices|maps)\.(?:Sort|SortFunc|SortStableFunc|Reverse|Copy))\((\w+)[,)]`)
	byValue = lazyregexp.MustCompile(`^(?:std::(?:vector|deque|list|map|set|string|array)\b[^&*=]*|auto)\s\w+\s*=$`)
)

// isCopy reports whether an expression makes a list of its own.
func (s *Analysis) isCopy(node int32) bool {
	for s.Tree.Kind(node) == "parenthesized_expression" {
		node = s.OnlyChild(node)
	}
	if node < 0 {
		return false
	}
	if p := s.Tree.Parent(s.Tree.Parent(node)); s.Lang == syntax.CPP && p >= 0 && source.PlainWord.MatchString(s.Tree.Text(node)) &&
		!expression.IsView(string(s.Src), s.Tree.Text(node)) &&
		byValue.MatchString(strings.TrimSpace(string(s.Src[s.Tree.Nodes[p].Start:s.Tree.Nodes[node].Start]))) {
		return true
	}
	return slices.Contains(source.CallKinds, s.Tree.Kind(node)) && copying[s.CalledName(node)] && s.Receiver(node) >= 0 ||
		fresh.MatchString(s.Tree.Text(node))
}

// changesCopy reports whether a call changes a list in place that no other code has: a copy that is
// made there, or a local that gets one and is only changed afterwards.
func (s *Analysis) changesCopy(call int32) bool {
	for _, of := range []*lazyregexp.Regexp{ofAlgorithm, ofGo} {
		if m := of.FindStringSubmatch(s.Tree.Text(call)); m != nil && s.algorithmOn(call, m[1]) {
			return s.onlyChanged(call, m[1])
		}
	}
	on := s.Receiver(call)
	if on < 0 || !changing[s.CalledName(call)] || slices.ContainsFunc(s.CallArguments(call), func(a int32) bool {
		return s.hasEffect(a) && !s.Anonymous(a) && !strings.HasSuffix(s.Tree.Kind(a), "block")
	}) {
		return false
	}
	return s.isCopy(on) || s.onlyChanged(call, s.Tree.Text(on))
}

// onlyChanged reports whether a name is that of a local of the function around a node that holds a
// copy, which only such calls name.
func (s *Analysis) onlyChanged(node int32, name string) bool {
	f := s.FunctionAround(node)
	if f < 0 || !source.PlainWord.MatchString(name) {
		return false
	}
	left, made := source.CountWord(s.Tree.Text(f), name), false
	for i := f + 1; i < s.Tree.Nodes[f].Next; i++ {
		if !s.Tree.Named(i) || !s.IsStatement(i) {
			continue
		}
		if l, right, ok := s.Assignment(i); ok {
			if s.Tree.Text(l) == name && s.isCopy(right) {
				made = true
				left--
			}
			continue
		}
		call := i
		for range 2 {
			if inner := s.OnlyChild(call); inner >= 0 && strings.HasSuffix(s.Tree.Kind(call), "statement") {
				call = inner
			}
		}
		if slices.Contains(source.CallKinds, s.Tree.Kind(call)) && (changing[s.CalledName(call)] && s.Receiver(call) >= 0 &&
			s.Tree.Text(s.Receiver(call)) == name || s.algorithmOn(call, name)) && !(s.Spec.Comparing.LastIsValue && s.isLast(i)) {
			left -= source.CountWord(s.Tree.Text(call), name)
		}
	}
	return made && left == 0
}

// algorithmOn reports whether a call has an algorithm of C++ or Go change all of what has a name.
func (s *Analysis) algorithmOn(call int32, name string) bool {
	m := ofAlgorithm.FindStringSubmatch(s.Tree.Text(call))
	if s.Lang == syntax.Go {
		m = ofGo.FindStringSubmatch(s.Tree.Text(call))
		return m != nil && m[1] == name
	}
	return m != nil && s.Lang == syntax.CPP && m[1] == name && m[2] == name
}
