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

// No-ops: what is computed, stored or chosen without an effect.

var (
	neutralSum   = lazyregexp.MustCompile(`^[\w.\[\]$@>-]+\s*[-+]=\s*(?:0(?:\.0*)?[a-zA-Z]*(?:\s*\*\s*[\w.@]+)?|[\w.@]+\s*\*\s*0)$`)
	neutralTimes = lazyregexp.MustCompile(`^[\w.\[\]$@>-]+\s*[*/]=\s*1(?:\.0*)?[a-zA-Z]*$`)
	neutralBits  = lazyregexp.MustCompile(`^[\w.\[\]$@>-]+\s*(?:[|^]|<<|>>)=\s*0$`)
)

// isNeutral reports whether a statement adds nothing, or multiplies by one. Where an operator
// also makes a number of a text, or puts a value into a list, it does something.
func (s *Analysis) isNeutral(text string) bool {
	if neutralTimes.MatchString(text) {
		return true
	}
	how := s.Spec.Comparing
	if _, by, ok := strings.Cut(text, "="); ok && !how.Appends && neutralSum.MatchString(text[:len(text)-len(by)]+"0") {
		if a, b, minus := strings.Cut(source.PlainText(by), "-"); minus && a == b && source.PlainWord.MatchString(a) {
			return true
		}
	}
	return !how.Appends && neutralSum.MatchString(text) || !how.Appends && !how.Coerces && neutralBits.MatchString(text)
}

// sameBranches returns the one branch that a conditional takes whatever its condition is, because
// all of them read the same, or -1.
func (s *Analysis) sameBranches(node int32) int32 {
	var branches []int32
	total := false
	switch kind := s.KindOf(node); kind {
	case "switch_expression", "match_expression", "when_expression":
		branches, total = s.arms(node)
		if v := s.NthChild(node, 0); v >= 0 && s.calls(v) && !s.onlyAsksOf(v) {
			return -1
		}
	default:
		cond := s.Condition(node)
		if cond < 0 || s.IsLoop(node) || s.calls(cond) && !s.onlyAsksOf(cond) && !strings.Contains(kind, "ternary") && !strings.Contains(kind, "conditional_expression") || strings.HasPrefix(kind, "preproc") || strings.Contains(kind,
			"guard") {
			return -1
		}
		s.Branches(node, cond, func(c int32, alternative bool) {
			total = total || alternative
			if k := s.Tree.Kind(c); strings.Contains(k, "else") {
				if inner := s.OnlyChild(c); inner >= 0 {
					c = inner
				}
			}
			branches = append(branches, c)
		})
	}
	if !total || len(branches) < 2 {
		return -1
	}
	first := source.PlainText(s.Tree.Text(branches[0]))
	if first == "" || first == "{}" || slices.ContainsFunc(branches, func(b int32) bool {
		return source.PlainText(s.Tree.Text(b)) != first
	}) {
		return -1
	}
	return branches[0]
}

// calls reports whether an expression may do something, or bind a name.
func (s *Analysis) calls(node int32) bool {
	return s.hasEffect(node) || strings.Contains(s.Tree.Kind(node), "let_") || strings.Contains(s.Tree.Text(node), " let ")
}

// arms returns the values of the arms of a choice, and whether one of them is for the rest.
func (s *Analysis) arms(node int32) (values []int32, total bool) {
	var both [2]bool // of true and false, each has an arm
	for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
		switch s.Tree.Kind(i) {
		case "switch_expression_arm", "match_arm", "when_entry", "switch_rule":
			v := s.Tree.Field(i, "value")
			if v < 0 {
				v = s.LastChild(i)
			}
			head := string(s.Src[s.Tree.Nodes[i].Start:s.Tree.Nodes[v].Start])
			if strings.ContainsAny(head, "(@") { // it may bind a name
				return nil, false
			}
			both[0] = both[0] || strings.HasPrefix(head, "true")
			both[1] = both[1] || strings.HasPrefix(head, "false")
			total = total || forTheRest.MatchString(head) || both[0] && both[1]
			values = append(values, v)
			i = s.Tree.Nodes[i].Next - 1
		}
	}
	return values, total
}

var forTheRest = lazyregexp.MustCompile(`^\s*(?:_|else|default)\s*(?:=>|->)`)

// markSameBranches marks all but one of the branches of a conditional that are alike.
func (s *Analysis) markSameBranches(node int32, put func(int32, reason.Reason)) {
	branch := s.sameBranches(node)
	if branch < 0 {
		return
	}
	n, b := s.Tree.Nodes[node], s.Tree.Nodes[branch]
	s.Marks = append(s.Marks, Mark{Start: int(n.Start), End: int(b.Start), Why: reason.NoEffect},
		Mark{Start: int(b.End), End: int(n.End), Why: reason.NoEffect})
	s.unwrap(branch)
	if left, right, ok := s.Assignment(s.Tree.Parent(node)); ok && right == node &&
		source.PlainText(s.Tree.Text(left)) == source.PlainText(s.Tree.Text(branch)) {
		put(s.Tree.Parent(node), reason.NoEffect)
	}
}

// callsNoOp reports whether a statement only calls a function that is written where it is
// called, and that does nothing.
func (s *Analysis) callsNoOp(node int32) bool {
	for range 4 {
		kind := s.Tree.Kind(node)
		if !strings.Contains(kind, "call") && !strings.Contains(kind, "invocation") {
			if node = s.OnlyChild(node); node < 0 {
				return false
			}
			continue
		}
		callee := s.NthChild(node, 0)
		for callee >= 0 && s.Tree.Kind(callee) == "parenthesized_expression" {
			callee = s.OnlyChild(callee)
		}
		if callee < 0 || !s.Anonymous(callee) || s.Tree.Body(callee) < 0 {
			return false
		}
		for c := range s.Children(node) {
			if c > callee && s.calls(c) {
				return false
			}
		}
		return s.isNoOpBody(s.Tree.Body(callee))
	}
	return false
}

// isNoOpBody reports whether nothing in the body of a function does anything.
func (s *Analysis) isNoOpBody(body int32) bool {
	if !s.IsBlock(body) {
		return !s.hasEffect(body) || s.computesOnly(body)
	}
	for c := range s.Children(body) {
		if s.IsBlock(c) { // of Go, whose statements are in a list
			return s.isNoOpBody(c)
		}
		if kind := s.Tree.Kind(c); strings.Contains(kind, "comment") || kind == "return_statement" &&
			!s.calls(s.NthChildOr(c)) {
			continue
		}
		if s.noEffect(c) == "" {
			return false
		}
	}
	return true
}

// releasesValue finds values that are stored to let go of what was there.
var releasesValue = lazyregexp.MustCompile(`^(?:nullptr|nil|None|null|NULL|undefined|0|\{\})$`)

// isNeverRead reports whether a statement stores a value in a local, and nothing that runs
// later can read it.
func (s *Analysis) isNeverRead(node, left, right int32) bool {
	name := s.Tree.Text(left)
	f := s.FunctionAround(node)
	if f < 0 || !source.PlainWord.MatchString(name) || releasesValue.MatchString(s.Tree.Text(right)) ||
		s.Spec.Comparing.LastIsValue && s.isLast(node) {
		return false
	}
	scope := f
	local := s.Spec.Comparing.Undeclared
	if l, r, ok := s.Assignment(node); ok && s.declares(node, l, r) {
		scope, local = s.Tree.Parent(node), true
	} else if !local {
		_, local = s.written(f, name)
	}
	whole := s.Tree.Text(f)
	if !local || len(whole) > 1<<16 || sharedName(whole, name) {
		return false
	}
	if s.readBefore(node, scope, f, name) {
		return false
	}
	from, end := s.Tree.Nodes[node].End, s.Tree.Nodes[scope].End
	rest := string(s.WithoutComments()[from:end])
	for _, i := range s.onlyCompares() {
		if n := s.Tree.Nodes[i]; from <= n.Start && n.End <= end {
			rest = rest[:n.Start-from] + strings.Repeat(" ", int(n.End-n.Start)) + rest[n.End-from:]
		}
	}
	return !readLater(rest, name)
}

// onlyCompares returns the statements that compare or compute something for nobody.
func (s *Analysis) onlyCompares() []int32 {
	if s.comparisons != nil || s.Spec.Comparing.LastIsValue {
		return s.comparisons
	}
	s.comparisons = []int32{}
	for i := range int32(len(s.Tree.Nodes)) {
		if s.Tree.Kind(i) != "expression_statement" {
			continue
		}
		switch value := s.OnlyChild(i); s.Tree.Kind(value) {
		case "binary_expression", "binary_operator", "comparison_operator":
			if !s.hasEffect(value) {
				s.comparisons = append(s.comparisons, i)
			}
		}
	}
	return s.comparisons
}

// readBefore reports whether code before an assignment in a function may read the name after it: in a
// loop within the scope, or in a function that captures the name.
func (s *Analysis) readBefore(node, scope, function int32, name string) bool {
	for p := s.Tree.Parent(node); p > scope; p = s.Tree.Parent(p) {
		if s.IsLoop(p) || strings.Contains(s.Tree.Kind(p), "do_") {
			return true
		}
	}
	for i := function + 1; i < s.Tree.Nodes[function].Next; i++ {
		if k := s.Tree.Kind(i); strings.HasPrefix(k, "goto") || (s.Anonymous(i) || s.Tree.Function(i)) &&
			source.ContainsWord(s.Tree.Text(i), name) {
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
		func(found string) bool { return source.ContainsWord(found, name) })
}

// readLater reports whether a text reads a local.
func readLater(text, name string) bool {
	return source.ContainsWord(readByNobody.ReplaceAllStringFunc(text, func(found string) string {
		if source.ContainsWord(found, name) {
			return " "
		}
		return found
	}), name)
}

// compound returns the sides of a statement that changes a variable by a value.
func (s *Analysis) compound(node int32) (left, right int32, ok bool) {
	for range 3 {
		left, right = s.Tree.Field(node, "left"), s.Tree.Field(node, "right")
		if left >= 0 && right > left {
			between := strings.TrimSpace(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start]))
			return left, right, changesBy.MatchString(between)
		}
		if node = s.OnlyChild(node); node < 0 {
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
func (s *Analysis) deadCase(node int32) bool {
	if !slices.Contains([]string{"case_statement", "switch_case", "switch_section", "expression_case", "case_clause",
		"match_arm"}, s.Tree.Kind(node)) {
		return false
	}
	whole := s.Tree.Parent(node)
	value := int32(-1)
	for range 2 {
		for _, field := range []string{"value", "condition", "subject"} {
			if v := s.Tree.Field(whole, field); v >= 0 {
				value = v
			}
		}
		if value >= 0 || whole < 0 {
			break
		}
		whole = s.Tree.Parent(whole)
	}
	wanted := s.Tree.Field(node, "value")
	if k := s.Tree.Kind(node); wanted < 0 || k == "match_arm" {
		wanted = s.NthChild(node, 0)
	}
	if value < 0 || wanted < 0 {
		return false
	}
	is, of := strings.Trim(s.Tree.Text(value), "( )"), strings.Trim(s.Tree.Text(wanted), "( )")
	return literalCase.MatchString(is) && literalCase.MatchString(of) && expression.Evaluate(is+" == "+of) == expression.No &&
		!s.fallsInto(node)
}

// fallsInto reports whether the case before another goes on into it.
func (s *Analysis) fallsInto(node int32) bool {
	switch s.Lang {
	case syntax.Go, syntax.Python, syntax.Rust:
		return false
	}
	before := int32(-1)
	for c := range s.Children(s.Tree.Parent(node)) {
		if c == node {
			break
		}
		if strings.Contains(s.Tree.Kind(c), "case") || strings.Contains(s.Tree.Kind(c), "section") ||
			strings.Contains(s.Tree.Kind(c), "default") {
			before = c
		}
	}
	if before < 0 {
		return false
	}
	last := s.LastChild(before)
	return last < 0 || !s.NeverContinues(last)
}

// onlyDeclared reports whether a node declares to a compiler what nothing in the file names.
func (s *Analysis) onlyDeclared(node int32) bool {
	parent := s.Tree.Parent(node)
	switch kind := s.Tree.Kind(node); kind {
	case "type_alias_declaration", "interface_declaration", "ambient_declaration":
		if !s.Spec.Comparing.Coerces || s.Tree.Kind(parent) != "program" || !source.IsModule.Match(s.Src) {
			return false
		}
		name := ambientName.FindStringSubmatch(s.Tree.Text(node))
		return name != nil && s.CountName(0, name[1]) == s.CountName(node, name[1])
	case "enum_specifier", "struct_specifier", "union_specifier":
		if s.Lang != syntax.C || s.Header || s.Tree.Kind(parent) != "translation_unit" {
			return false
		}
		for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
			if k := s.Tree.Kind(i); (k == "identifier" || k == "type_identifier") && s.CountName(0,
				s.Tree.Text(i)) > s.CountName(node, s.Tree.Text(i)) {
				return false
			}
		}
		return true
	case "method_definition", "field_definition":
		name := s.Tree.Field(node, "name")
		if name < 0 {
			name = s.Tree.Field(node, "property")
		}
		return name >= 0 && strings.HasPrefix(s.Tree.Text(name), "#") && bytes.Count(s.WithoutComments(),
			[]byte(s.Tree.Text(name))) == 1
	case "var_declaration":
		return s.Tree.Kind(parent) == "source_file" && checksType.MatchString(s.Tree.Text(node))
	case "class_static_block":
		body := s.Tree.Field(node, "body")
		return body >= 0 && s.NthChild(body, 0) < 0
	}
	return false
}

var (
	ambientName = lazyregexp.MustCompile(`^(?:declare\s+(?:async\s+)?(?:function|const|let|var|class|enum)` +
		`|type|interface)\s+([\pL_$][\pL\pN_$]*)`)

	checksType = lazyregexp.MustCompile(`^var\s+_\s+(?s:.*)=\s*(?:\(\*[\w.]+(?:\[[^\]]*\])?\)\(nil\)|&?[\w.]+\{\})$`)

	nothingDone = lazyregexp.MustCompile(`^(?:(?:null|undefined)\?\.|Object\.(?:assign\(\{\}|freeze\(\{|keys\(` +
		`|values\(|entries\())`)

	emptyLoop = lazyregexp.MustCompile(`^for\s*\(\s*(?:int|long|let|var|size_t|auto)\s[^()]*;[^()]*;[^()]*\)\s*(?:\{\s*\})?$`)

	emptyAsm = lazyregexp.MustCompile(`^(?:__)?asm(?:__)?\s*(?:volatile|__volatile__)?\s*\(\s*""`)
)
