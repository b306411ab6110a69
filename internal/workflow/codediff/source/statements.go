package source

import (
	"slices"
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// NextStatement returns the statement behind another, or -1.
func (s *Source) NextStatement(node int32) int32 {
	next := s.Tree.Nodes[node].Next
	if p := s.Tree.Parent(node); p >= 0 && next < s.Tree.Nodes[p].Next {
		for next < s.Tree.Nodes[p].Next && !s.Tree.Named(next) {
			next = s.Tree.Nodes[next].Next
		}
		if next < s.Tree.Nodes[p].Next {
			return next
		}
	}
	return -1
}

// LoopOver returns what a loop goes through, and its body, or -1.
func (s *Source) LoopOver(node int32) (over, body int32) {
	if k := s.Tree.Kind(node); !strings.HasPrefix(k, "for") && k != "foreach_statement" &&
		k != "enhanced_for_statement" {
		return -1, -1
	}
	over, body = s.Tree.Field(node, "right"), s.Tree.Field(node, "body")
	if over < 0 {
		over = s.Tree.Field(node, "value")
	}
	if s.Lang == syntax.Swift {
		over, body = s.Tree.Field(node, "collection"), s.LastChild(node)
	}
	if s.Lang == syntax.Kotlin { // it names no parts
		over, body = s.NthChild(node, 1), s.NthChild(node, 2)
	}
	switch s.Lang {
	case syntax.PHP:
		over, body = s.NthChild(node, 0), s.Tree.Field(node, "body")
	case syntax.Go: // the clause contains what it iterates over
		if clause := s.NthChild(node, 0); clause >= 0 && s.Tree.Kind(clause) == "range_clause" {
			over = s.Tree.Field(clause, "right")
		}
	}
	return over, body
}

// IsLiteral reports whether a kind of node is a literal text.
func IsLiteral(kind string) bool {
	return strings.Contains(kind, "string") && !strings.Contains(kind, "type") && !strings.Contains(kind, "content") &&
		!strings.Contains(kind, "fragment") && !strings.Contains(kind, "concatenated") ||
		kind == "heredoc" || kind == "heredoc_body" || kind == "rune_literal" || kind == "char_literal" ||
		kind == "character_literal" ||
		kind == "nowdoc" || kind == "sigil" || kind == "regex" || kind == "text_block"
}

// OnlyChild returns the one named child of a node, or -1.
func (s *Source) OnlyChild(node int32) int32 {
	only := int32(-1)
	for c := range s.Children(node) {
		if only >= 0 {
			return -1
		}
		only = c
	}
	return only
}

// Children yields the named children of a node.
func (s *Source) Children(node int32) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		if node < 0 {
			return
		}
		for c := node + 1; c < s.Tree.Nodes[node].Next; c = s.Tree.Nodes[c].Next {
			if s.Tree.Named(c) && !yield(c) {
				return
			}
		}
	}
}

// IsBlock reports whether a node is a sequence of statements.
func (s *Source) IsBlock(node int32) bool {
	if node < 0 {
		return false
	}
	kind := s.Tree.Kind(node)
	switch kind {
	case "block", "statement_block", "statement_list", "compound_statement", "body_statement", "statements", "then", "else", "do", "ensure",
		"suite", "module", "program", "source_file", "function_body", "control_structure_body", "declaration_list",
		"begin", "constructor_body",
		"block_body", "expression_case", "default_case", "case_statement", "switch_section",
		"switch_block_statement_group", "switch_case", "when",
		"lambda_literal", "compilation_unit", "translation_unit", "script_file", "global_statement", "class_body":
		return true
	case "source", "do_block", "else_block", "rescue_block", "catch_block", "after_block", "body":
		return s.Spec.Comparing.Calls
	}
	return false
}

// IsStatement reports whether a node is among others that are done one after the
// other.
func (s *Source) IsStatement(node int32) bool { return s.IsBlock(s.Tree.Parent(node)) }

// Inverted reports whether a kind of node runs its body if its condition is false: unless, until, guard.
func Inverted(kind string) bool {
	return strings.HasPrefix(kind, "unless") || strings.HasPrefix(kind, "until") || strings.HasPrefix(kind, "guard")
}

// conditional are parts of the kinds of nodes that do something only if a condition
// holds.
var conditional = []string{"if", "while", "unless", "until", "guard", "elif", "elsif", "conditional_expression", "ternary", "for_statement"}

// Condition returns the condition of a node, or -1.
func (s *Source) Condition(node int32) int32 {
	kind := s.KindOf(node)
	if !slices.ContainsFunc(conditional, func(part string) bool { return strings.Contains(kind, part) }) ||
		strings.Contains(kind, "ifdef") {
		return -1
	}
	if c := s.Tree.Field(node, "condition"); c >= 0 {
		return c
	}
	if s.Spec.Comparing.Calls {
		return s.Argument(node)
	}
	first := int32(-1)
	for c := range s.Children(node) {
		first = c
		break
	}
	switch {
	case kind == "conditional_expression" && s.Lang == syntax.Python: // a if b else c
		i := 0
		for c := range s.Children(node) {
			if i++; i == 2 {
				return c
			}
		}
		return -1
	case first < 0, kind == "for_statement" && s.Lang != syntax.Go, strings.Contains(kind, "literal"):
		return -1
	case kind == "for_statement" && !strings.Contains(s.Tree.Kind(first), "clause") && !s.IsBlock(first):
		return first
	case kind == "while_statement", kind == "if_expression", kind == "while_expression":
		return first
	}
	return -1
}

// Branches calls f for the parts of a conditional, and says which are the alternative.
func (s *Source) Branches(node, cond int32, f func(c int32, alternative bool)) {
	kind := s.Tree.Kind(node)
	if kind == "conditional_expression" && s.Lang == syntax.Python {
		i := 0
		for c := range s.Children(node) {
			if i++; i != 2 {
				f(c, i == 3)
			}
		}
		return
	}
	if s.Spec.Comparing.Calls {
		s.callBranches(node, f)
		return
	}
	seen := 0
	for c := range s.Children(node) {
		if c == cond || strings.Contains(s.Tree.Kind(c), "comment") || s.Lang == syntax.Swift && s.Tree.Kind(c) == "else" {
			continue
		}
		seen++
		field, k := s.Tree.FieldName(c), s.Tree.Kind(c)
		alternative := field == "alternative" || strings.Contains(k, "else") || strings.Contains(k, "elif") ||
			s.Lang == syntax.Kotlin && seen > 1
		if field == "initializer" || field == "init" {
			continue
		}
		f(c, alternative)
	}
}

func (s *Source) IsLoop(node int32) bool {
	kind := s.Tree.Kind(node)
	return strings.Contains(kind, "while") || strings.HasPrefix(kind, "for") || strings.HasPrefix(kind, "loop")
}

// HasJump reports whether a node is a "break" or "continue" of Kotlin, which are names to its
// grammar.
func (s *Source) HasJump(node int32) bool {
	if s.Lang != syntax.Kotlin || s.Tree.Kind(node) != "identifier" {
		return false
	}
	text := s.Tree.Text(node)
	return text == "break" || text == "continue"
}

// Assignment returns the sides of a statement that assigns once.
func (s *Source) Assignment(node int32) (left, right int32, ok bool) {
	for range 4 {
		if s.Lang == syntax.Kotlin && s.Tree.Kind(node) == "property_declaration" {
			return s.property(node)
		}
		left, right = s.assignmentSides(node)
		kind := s.Tree.Kind(node)
		if left >= 0 && right >= 0 && left < right {
			between := strings.TrimSpace(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start]))
			if (strings.HasSuffix(between, "=") && (between == "=" || between == ":=" ||
				strings.HasPrefix(between, ":"))) && (!strings.Contains(kind, "binary") || s.Spec.Comparing.Calls) {
				return left, right, true
			}
			return 0, 0, false
		}
		next := s.OnlyChild(node)
		if next < 0 && (strings.Contains(kind, "declaration") || kind == "property_declaration") { // a type before the name
			for c := range s.Children(node) {
				if strings.Contains(s.Tree.Kind(c), "declarator") {
					next = c
				}
			}
		}
		if next < 0 {
			return 0, 0, false
		}
		node = next
	}
	return 0, 0, false
}

// sideFields are the names that grammars give to the sides of an assignment.
var sideFields = [][2]string{{"left", "right"}, {"name", "value"}, {"pattern", "value"}, {"target", "result"}}

// assignmentSides returns the sides of an assignment, or -1.
func (s *Source) assignmentSides(node int32) (left, right int32) {
	for _, f := range sideFields {
		left, right = s.Tree.Field(node, f[0]), s.Tree.Field(node, f[1])
		if left >= 0 && right >= 0 {
			return left, right
		}
	}
	if s.Lang == syntax.CSharp && s.Tree.Kind(node) == "variable_declarator" && s.NthChild(node, 1) >= 0 {
		return s.NthChild(node, 0), s.LastChild(node)
	}
	if s.Tree.Kind(node) == "init_declarator" {
		return s.Tree.Field(node, "declarator"), s.Tree.Field(node, "value")
	}
	return left, right
}

// FunctionAround returns the innermost function around a node, or -1.
func (s *Source) FunctionAround(node int32) int32 {
	for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
		if s.Tree.Function(p) {
			return p
		}
		if strings.Contains(s.Tree.Kind(p), "class") {
			return -1
		}
	}
	return -1
}

// CountWord returns how often a word occurs in a text.
func CountWord(text, word string) (n int) {
	b := []byte(text)
	for at := 0; at < len(b); {
		size := expression.TokenLength(b[at:])
		if found := string(b[at : at+size]); found == word || found == "$"+word { // in a template
			n++
		}
		at += size
	}
	return n
}
