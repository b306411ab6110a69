package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What is computed, stored or chosen, and comes to nothing.

var (
	neutralSum   = lazyregexp.MustCompile(`^[\w.\[\]$@>-]+\s*[-+]=\s*(?:0(?:\.0*)?[a-zA-Z]*(?:\s*\*\s*[\w.@]+)?|[\w.@]+\s*\*\s*0)$`)
	neutralTimes = lazyregexp.MustCompile(`^[\w.\[\]$@>-]+\s*[*/]=\s*1(?:\.0*)?[a-zA-Z]*$`)
	neutralBits  = lazyregexp.MustCompile(`^[\w.\[\]$@>-]+\s*(?:[|^]|<<|>>)=\s*0$`)
)

// neutral reports whether a statement adds nothing, or multiplies by one. Where an operator
// also makes a number of a text, or puts a value into a list, it does something.
func (s *side) neutral(text string) bool {
	if neutralTimes.MatchString(text) {
		return true
	}
	how := s.spec.Comparing
	if _, by, ok := strings.Cut(text, "="); ok && !how.Appends && neutralSum.MatchString(text[:len(text)-len(by)]+"0") {
		if a, b, minus := strings.Cut(plainText(by), "-"); minus && a == b && plainWord.MatchString(a) {
			return true
		}
	}
	return !how.Appends && neutralSum.MatchString(text) || !how.Appends && !how.Coerces && neutralBits.MatchString(text)
}

// alike returns the one branch that a conditional takes whatever its condition is, because
// all of them read the same, or -1.
func (s *side) alike(node int32) int32 {
	var branches []int32
	total := false
	switch kind := s.kind(node); kind {
	case "switch_expression", "match_expression", "when_expression":
		branches, total = s.arms(node)
		if v := s.nthChild(node, 0); v >= 0 && s.calls(v) && !s.onlyAsksOf(v) {
			return -1
		}
	default:
		cond := s.condition(node)
		if cond < 0 || s.isLoop(node) || s.calls(cond) && !s.onlyAsksOf(cond) && !strings.Contains(kind, "ternary") && !strings.Contains(kind, "conditional_expression") || strings.HasPrefix(kind, "preproc") || strings.Contains(kind,
			"guard") {
			return -1
		}
		s.branches(node, cond, func(c int32, alternative bool) {
			total = total || alternative
			if k := s.tree.Kind(c); strings.Contains(k, "else") {
				if inner := s.onlyChild(c); inner >= 0 {
					c = inner
				}
			}
			branches = append(branches, c)
		})
	}
	if !total || len(branches) < 2 {
		return -1
	}
	first := plainText(s.tree.Text(branches[0]))
	if first == "" || first == "{}" || slices.ContainsFunc(branches, func(b int32) bool {
		return plainText(s.tree.Text(b)) != first
	}) {
		return -1
	}
	return branches[0]
}

// calls reports whether an expression may do something, or bind a name.
func (s *side) calls(node int32) bool {
	return s.does(node) || strings.Contains(s.tree.Kind(node), "let_") || strings.Contains(s.tree.Text(node), " let ")
}

// arms returns the values of the arms of a choice, and whether one of them is for the rest.
func (s *side) arms(node int32) (values []int32, total bool) {
	var both [2]bool // of true and false, each has an arm
	for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
		switch s.tree.Kind(i) {
		case "switch_expression_arm", "match_arm", "when_entry", "switch_rule":
			v := s.tree.Field(i, "value")
			if v < 0 {
				v = s.lastChild(i)
			}
			head := string(s.src[s.tree.Nodes[i].Start:s.tree.Nodes[v].Start])
			if strings.ContainsAny(head, "(@") { // it may bind a name
				return nil, false
			}
			both[0] = both[0] || strings.HasPrefix(head, "true")
			both[1] = both[1] || strings.HasPrefix(head, "false")
			total = total || forTheRest.MatchString(head) || both[0] && both[1]
			values = append(values, v)
			i = s.tree.Nodes[i].Next - 1
		}
	}
	return values, total
}

var forTheRest = lazyregexp.MustCompile(`^\s*(?:_|else|default)\s*(?:=>|->)`)

// sameWhatever marks all but one of the branches of a conditional that are alike.
func (s *side) sameWhatever(node int32, put func(int32, Why)) {
	branch := s.alike(node)
	if branch < 0 {
		return
	}
	n, b := s.tree.Nodes[node], s.tree.Nodes[branch]
	s.marks = append(s.marks, mark{start: int(n.Start), end: int(b.Start), why: NoEffect},
		mark{start: int(b.End), end: int(n.End), why: NoEffect})
	s.unwrap(branch)
	if left, right, ok := s.assignment(s.tree.Parent(node)); ok && right == node &&
		plainText(s.tree.Text(left)) == plainText(s.tree.Text(branch)) {
		put(s.tree.Parent(node), NoEffect)
	}
}

// callsIdle reports whether a statement only calls a function that is written where it is
// called, and that does nothing.
func (s *side) callsIdle(node int32) bool {
	for range 4 {
		kind := s.tree.Kind(node)
		if !strings.Contains(kind, "call") && !strings.Contains(kind, "invocation") {
			if node = s.onlyChild(node); node < 0 {
				return false
			}
			continue
		}
		callee := s.nthChild(node, 0)
		for callee >= 0 && s.tree.Kind(callee) == "parenthesized_expression" {
			callee = s.onlyChild(callee)
		}
		if callee < 0 || !s.anonymous(callee) || s.tree.Body(callee) < 0 {
			return false
		}
		for c := range s.children(node) {
			if c > callee && s.calls(c) {
				return false
			}
		}
		return s.bodyIdle(s.tree.Body(callee))
	}
	return false
}

// bodyIdle reports whether nothing in the body of a function does anything.
func (s *side) bodyIdle(body int32) bool {
	if !s.isBlock(body) {
		return !s.does(body) || s.computesOnly(body)
	}
	for c := range s.children(body) {
		if s.isBlock(c) { // of Go, whose statements are in a list
			return s.bodyIdle(c)
		}
		if kind := s.tree.Kind(c); strings.Contains(kind, "comment") || kind == "return_statement" &&
			!s.calls(s.nthChildOr(c)) {
			continue
		}
		if s.idle(c) == "" {
			return false
		}
	}
	return true
}

// nthChildOr returns the first child of a node, or the node if it has none.
func (s *side) nthChildOr(node int32) int32 {
	if c := s.nthChild(node, 0); c >= 0 {
		return c
	}
	return node
}

// letsGo finds values that are stored to let go of what was there.
var letsGo = lazyregexp.MustCompile(`^(?:nullptr|nil|None|null|NULL|undefined|0|\{\})$`)

// neverRead reports whether a statement stores a value in a local, and nothing that runs
// later can read it.
func (s *side) neverRead(node, left, right int32) bool {
	name := s.tree.Text(left)
	f := s.functionAround(node)
	if f < 0 || !plainWord.MatchString(name) || letsGo.MatchString(s.tree.Text(right)) ||
		s.spec.Comparing.LastIsValue && s.isLast(node) {
		return false
	}
	scope := f
	local := s.spec.Comparing.Undeclared
	if l, r, ok := s.assignment(node); ok && s.declares(node, l, r) {
		scope, local = s.tree.Parent(node), true
	} else if !local {
		_, local = s.written(f, name)
	}
	whole := s.tree.Text(f)
	if !local || len(whole) > 1<<16 || sharedName(whole, name) {
		return false
	}
	if s.readBefore(node, scope, f, name) {
		return false
	}
	rest := s.withoutComments()[s.tree.Nodes[node].End:s.tree.Nodes[scope].End]
	return !readLater(string(rest), name)
}

// readBefore reports whether what stands before an assignment in a function may read the name after it: in a
// loop within the scope, or in a function that holds the name.
func (s *side) readBefore(node, scope, function int32, name string) bool {
	for p := s.tree.Parent(node); p > scope; p = s.tree.Parent(p) {
		if s.isLoop(p) || strings.Contains(s.tree.Kind(p), "do_") {
			return true
		}
	}
	for i := function + 1; i < s.tree.Nodes[function].Next; i++ {
		if k := s.tree.Kind(i); strings.HasPrefix(k, "goto") || (s.anonymous(i) || s.tree.Function(i)) &&
			holdsWord(s.tree.Text(i), name) {
			return true
		}
	}
	return false
}

// sharing finds what leads to a local without its name, or to all of them.
var (
	sharing = lazyregexp.MustCompile(`&(?:mut\s+)?\$?\w+|\b(?:ref|out|global|nonlocal|static)\b[^;\n]*` +
		`|&\s*\w+\s*[={(]\s*\w+`)
	allLocals = lazyregexp.MustCompile(`\b(?:locals|vars|eval|exec|compact|extract|binding|arguments)\b`)
	// readByNobody finds statements that name a local, and do nothing with it.
	readByNobody = lazyregexp.MustCompile(`(?m)(?:^|[;{])\s*(?:(?:let\s+)?_\s*=\s*|\(void\)\s*|void\s+|del\s+)\$?\w+\s*(?:;|$)`)
)

// sharedName reports whether a local may be reached by something other than its name.
func sharedName(function, name string) bool {
	return allLocals.MatchString(function) || slices.ContainsFunc(sharing.FindAllString(function, -1),
		func(found string) bool { return holdsWord(found, name) })
}

// readLater reports whether a text reads a local.
func readLater(text, name string) bool {
	return holdsWord(readByNobody.ReplaceAllStringFunc(text, func(found string) string {
		if holdsWord(found, name) {
			return " "
		}
		return found
	}), name)
}

// holdsWord reports whether a text holds a word, in a string, too.
func holdsWord(text, word string) bool {
	isPart := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	word = strings.TrimLeft(word, "$")
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i + len(word)
		if (at == len(text) || !isPart(text[at])) && (at == len(word) || !isPart(text[at-len(word)-1])) {
			return true
		}
	}
	return false // of "$" nothing is left: it ends a line in a pattern
}

// compound returns the sides of a statement that changes a variable by a value.
func (s *side) compound(node int32) (left, right int32, ok bool) {
	for range 3 {
		left, right = s.tree.Field(node, "left"), s.tree.Field(node, "right")
		if left >= 0 && right > left {
			between := strings.TrimSpace(string(s.src[s.tree.Nodes[left].End:s.tree.Nodes[right].Start]))
			return left, right, changesBy.MatchString(between)
		}
		if node = s.onlyChild(node); node < 0 {
			break
		}
	}
	return 0, 0, false
}

var changesBy = lazyregexp.MustCompile(`^(?:[-+*/%&|^]|\*\*|//|<<|>>)=$`)

// literalCase finds a value that is written out.
var literalCase = lazyregexp.MustCompile(`^(?:-?\d+(?:\.\d+)?|"[^"\\]*"|'[^'\\]*'|[tT]rue|[fF]alse)$`)

// deadCase reports whether the value that a choice is about is written out, and is not the
// one that a case of it is for.
func (s *side) deadCase(node int32) bool {
	if !slices.Contains([]string{"case_statement", "switch_case", "switch_section", "expression_case", "case_clause",
		"match_arm"}, s.tree.Kind(node)) {
		return false
	}
	whole := s.tree.Parent(node)
	value := int32(-1)
	for range 2 {
		for _, field := range []string{"value", "condition", "subject"} {
			if v := s.tree.Field(whole, field); v >= 0 {
				value = v
			}
		}
		if value >= 0 || whole < 0 {
			break
		}
		whole = s.tree.Parent(whole)
	}
	wanted := s.tree.Field(node, "value")
	if k := s.tree.Kind(node); wanted < 0 || k == "match_arm" {
		wanted = s.nthChild(node, 0)
	}
	if value < 0 || wanted < 0 {
		return false
	}
	is, of := strings.Trim(s.tree.Text(value), "( )"), strings.Trim(s.tree.Text(wanted), "( )")
	return literalCase.MatchString(is) && literalCase.MatchString(of) && expression.Evaluate(is+" == "+of) == expression.No &&
		!s.fallsInto(node)
}

// fallsInto reports whether the case before another goes on into it.
func (s *side) fallsInto(node int32) bool {
	switch s.lang {
	case syntax.Go, syntax.Python, syntax.Rust:
		return false
	}
	before := int32(-1)
	for c := range s.children(s.tree.Parent(node)) {
		if c == node {
			break
		}
		if strings.Contains(s.tree.Kind(c), "case") || strings.Contains(s.tree.Kind(c), "section") ||
			strings.Contains(s.tree.Kind(c), "default") {
			before = c
		}
	}
	if before < 0 {
		return false
	}
	last := s.lastChild(before)
	return last < 0 || !s.ends(last)
}

// onlyDeclared reports whether a node declares to a compiler what nothing in the file names.
func (s *side) onlyDeclared(node int32) bool {
	parent := s.tree.Parent(node)
	switch kind := s.tree.Kind(node); kind {
	case "type_alias_declaration", "interface_declaration", "ambient_declaration":
		if !s.spec.Comparing.Coerces || s.tree.Kind(parent) != "program" || !isModule.Match(s.src) {
			return false
		}
		name := ambientName.FindStringSubmatch(s.tree.Text(node))
		return name != nil && s.named(0, name[1]) == s.named(node, name[1])
	case "enum_specifier", "struct_specifier", "union_specifier":
		if s.lang != syntax.C || s.header || s.tree.Kind(parent) != "translation_unit" {
			return false
		}
		for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
			if k := s.tree.Kind(i); (k == "identifier" || k == "type_identifier") && s.named(0,
				s.tree.Text(i)) > s.named(node, s.tree.Text(i)) {
				return false
			}
		}
		return true
	case "method_definition", "field_definition":
		name := s.tree.Field(node, "name")
		if name < 0 {
			name = s.tree.Field(node, "property")
		}
		return name >= 0 && strings.HasPrefix(s.tree.Text(name), "#") && bytes.Count(s.withoutComments(),
			[]byte(s.tree.Text(name))) == 1
	case "var_declaration":
		return s.tree.Kind(parent) == "source_file" && checksType.MatchString(s.tree.Text(node))
	case "class_static_block":
		body := s.tree.Field(node, "body")
		return body >= 0 && s.nthChild(body, 0) < 0
	}
	return false
}

var (
	isModule    = lazyregexp.MustCompile(`(?m)^(?:import|export)\b`)
	ambientName = lazyregexp.MustCompile(`^(?:declare\s+(?:async\s+)?(?:function|const|let|var|class|enum)` +
		`|type|interface)\s+([\pL_$][\pL\pN_$]*)`)
	checksType  = lazyregexp.MustCompile(`^var\s+_\s+(?s:.*)=\s*(?:\(\*[\w.]+(?:\[[^\]]*\])?\)\(nil\)|&?[\w.]+\{\})$`)
	nothingDone = lazyregexp.MustCompile(`^(?:(?:null|undefined)\?\.|Object\.(?:assign\(\{\}|freeze\(\{|keys\(` +
		`|values\(|entries\())`)
	emptyLoop = lazyregexp.MustCompile(`^for\s*\(\s*(?:int|long|let|var|size_t|auto)\s[^()]*;[^()]*;[^()]*\)\s*(?:\{\s*\})?$`)
	emptyAsm  = lazyregexp.MustCompile(`^(?:__)?asm(?:__)?\s*(?:volatile|__volatile__)?\s*\(\s*""`)
)
