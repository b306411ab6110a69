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

// markUnreachable marks what never runs among the children of a node.
func (s *Analysis) markUnreachable(node int32, put func(int32, reason.Reason)) {
	if s.IsBlock(node) {
		over := false
		for c := range s.Children(node) {
			kind := s.Tree.Kind(c)
			switch {
			case strings.Contains(kind, "comment"):
			case strings.Contains(kind, "label"), kind == "directive", strings.Contains(kind, "case"), kind == "rescue",
				kind == "ensure", kind == "else", kind == "when",
				kind == "stab_clause", strings.HasSuffix(kind, "_block") && s.Spec.Comparing.Calls:
				over = false
			case over && kind != "function_declaration" && kind != "local_function_statement" && kind != "class_declaration" && !strings.HasPrefix(kind,
				"preproc") && kind != "function_item":
				put(c, reason.Unreachable)
			case over && !s.Spec.Comparing.Hoisted:
				put(c, reason.Unreachable)
			case s.NeverContinues(c) && (s.Spec.Testing.Heads == nil || s.FunctionAround(c) >= 0): // a macro may head a block
				over = true
			}
		}
	}
	cond := s.Condition(node)
	if cond < 0 {
		s.markEmptyLoop(node, put)
		return
	}
	if truth := s.constantTruth(cond); truth != expression.Unknown {
		s.markConstantCondition(node, cond, truth, put)
	} else if s.takenBefore(node, cond) {
		s.markConstantCondition(node, cond, expression.No, put)
	}
}

// takenBefore reports whether an earlier branch of a chain is taken whenever the condition of a branch holds.
func (s *Analysis) takenBefore(node, cond int32) bool {
	wants := s.operands(cond, "and", "&&")
	for at := node; ; {
		above := s.Tree.Parent(at)
		if kind := s.Tree.Kind(above); kind == "else_clause" || kind == "else" && s.OnlyChild(above) == at {
			above = s.Tree.Parent(above)
		}
		first := s.Condition(above)
		if first < 0 || s.Tree.Field(at, "initializer") >= 0 || first == at || s.IsLoop(above) ||
			!strings.Contains(s.Tree.Kind(above), "if") || s.hasEffect(first) {
			return false
		}
		alternative := false
		s.Branches(above, first, func(c int32, other bool) {
			alternative = alternative || other && c <= at && at < s.Tree.Nodes[c].Next
		})
		if !alternative {
			return false
		}
		for _, earlier := range s.operands(first, "or", "||") {
			if slices.Contains(wants, earlier) {
				return true
			}
		}
		at = above
	}
}

// operands returns the parts that an operator joins, as plain texts.
func (s *Analysis) operands(node int32, word, sign string) []string {
	for s.Tree.Kind(node) == "parenthesized_expression" {
		node = s.OnlyChild(node)
	}
	left, right := s.Tree.Field(node, "left"), s.Tree.Field(node, "right")
	if left >= 0 && right > left {
		op := strings.TrimSpace(string(s.Src[s.Tree.Nodes[left].End:s.Tree.Nodes[right].Start]))
		if op == word || op == sign {
			return append(s.operands(left, word, sign), s.operands(right, word, sign)...)
		}
	}
	if node < 0 {
		return nil
	}
	return []string{source.PlainText(s.Tree.Text(node))}
}

// markIfFalse marks what is between "#if false" and its end, where the grammar takes both
// for statements of their own.
func (s *Analysis) markIfFalse(block int32, put func(int32, reason.Reason)) {
	if s.Lang != syntax.Swift || !s.IsBlock(block) && s.Tree.Kind(block) != "class_body" {
		return
	}
	dead := false
	for c := range s.Children(block) {
		switch text := s.Tree.Text(c); {
		case s.Tree.Kind(c) == "directive":
			was := dead
			if dead = text == "#if false" || text == "#if 0"; dead || was {
				put(c, reason.Unreachable)
			}
		case dead:
			put(c, reason.Unreachable)
		}
	}
}

// markConstantCondition marks the branch of a conditional that never runs, and the condition itself,
// on which nothing depends.
func (s *Analysis) markConstantCondition(node, cond int32, truth expression.Truth, put func(int32, reason.Reason)) {
	kind := s.KindOf(node)
	loop := s.IsLoop(node)
	if source.Inverted(kind) {
		truth = expression.Yes + expression.No - truth
	}
	if loop && truth == expression.Yes || strings.HasPrefix(kind, "preproc") && truth == expression.Yes {
		return // a loop without end is one
	}
	others := false
	end := s.Tree.Nodes[cond].End
	s.Branches(node, cond, func(c int32, alternative bool) {
		others = others || alternative
		if alternative == (truth == expression.Yes) {
			s.Marks = append(s.Marks, Mark{Start: int(end), End: int(s.Tree.Nodes[c].End), Why: reason.Unreachable})
			put(c, reason.Unreachable)
		} else {
			s.Marks = append(s.Marks, Mark{Start: int(end), End: int(s.Tree.Nodes[c].Start), Why: reason.NoEffect})
			s.unwrap(c)
		}
		end = s.Tree.Nodes[c].End
	})
	switch first := s.Tree.Nodes[node].Start; {
	case truth == expression.No && !others:
		if before := bytes.TrimRight(s.Src[:first], " \t\n"); bytes.HasSuffix(before, []byte("else")) {
			first = uint32(len(before) - len("else"))
		}
		s.Marks = append(s.Marks, Mark{Start: int(first), End: int(s.Tree.Nodes[node].End), Why: reason.Unreachable})
	default:
		s.Marks = append(s.Marks, Mark{Start: int(first), End: int(s.Tree.Nodes[cond].End), Why: reason.NoEffect})
	}
}

// unwrap marks the borders of a block that always runs.
func (s *Analysis) unwrap(block int32) {
	n := s.Tree.Nodes[block]
	s.Bare[block] = true
	if s.Src[n.Start] == '{' && s.Src[n.End-1] == '}' {
		s.Marks = append(s.Marks, Mark{Start: int(n.Start), End: int(n.Start) + 1, Why: reason.NoEffect},
			Mark{Start: int(n.End) - 1, End: int(n.End), Why: reason.NoEffect})
	}
}

// markEmptyLoop marks the body of a loop over an empty list.
func (s *Analysis) markEmptyLoop(node int32, put func(int32, reason.Reason)) {
	over, body := s.LoopOver(node)
	if over < 0 || body < 0 {
		return
	}
	if s.isEmptyCollection(over) {
		put(node, reason.Unreachable)
	}
}

// exits matches a call that does not come back.
var exits = lazyregexp.MustCompile(`^(?:await\s+)?(?:(?:panic|unreachable|todo|unimplemented)!\s*[({\[]|(?:panic|os\.Exit|os\._exit|sys\.exit|exit|quit|process\.exit|(?:std::)?process::exit|System\.exit|exitProcess|die|(?:std::)?(?:abort|terminate)|fatalError|preconditionFailure|log\.(?:Fatal|Panic)\w*|Environment\.Exit|raise|fail|throw|runtime\.Goexit)\b(?:\s*[({'"]|\s+(?:[^\s=.,:;?+*/<>&|-]|$)|$))`)

// NeverContinues reports whether nothing after a statement runs.
func (s *Analysis) NeverContinues(node int32) bool {
	kind := s.KindOf(node)
	switch kind {
	case "control_transfer_statement":
		return s.Tree.Text(node) != "return" || s.isLast(node) // what follows on the next line is its value
	case "return_statement", "throw_statement", "raise_statement", "break_statement", "continue_statement", "goto_statement",
		"return_expression", "throw_expression", "break_expression", "continue_expression", "return", "break", "next", "jump_expression", "yield_break", "exit_statement":
		return !strings.Contains(s.Tree.Text(node), "yield return")
	case "expression_statement", "call", "command", "call_expression":
		if inner := s.OnlyChild(node); kind == "expression_statement" && inner >= 0 &&
			strings.HasSuffix(s.Tree.Kind(inner), "_expression") && s.NeverContinues(inner) {
			return true
		}
		return exits.MatchString(s.Tree.Text(node))
	case "block", "statement_block", "compound_statement", "statement_list", "statements", "then", "else_clause", "else",
		"function_body", "body_statement":
		for c := range s.Children(node) {
			if s.NeverContinues(c) {
				return true
			}
		}
		return false
	}
	cond := s.Condition(node)
	if cond < 0 {
		return s.IsLoop(node) && s.Tree.Kind(node) != "for_statement" && strings.HasPrefix(s.Tree.Kind(node),
			"loop") && !s.canLeaveLoop(node)
	}
	truth := s.constantTruth(cond)
	if truth != expression.Unknown && source.Inverted(kind) {
		truth = expression.Yes + expression.No - truth
	}
	if s.IsLoop(node) {
		return truth == expression.Yes && !s.canLeaveLoop(node)
	}
	then, other := false, false
	s.Branches(node, cond, func(c int32, alternative bool) {
		if strings.Contains(s.Tree.Kind(c), "elif") || strings.Contains(s.Tree.Kind(c), "elsif") {
			then = false
		} else if alternative {
			other = other || s.NeverContinues(c)
		} else {
			then = then || s.NeverContinues(c)
		}
	})
	return then && (other || truth == expression.Yes)
}

// canLeaveLoop reports whether a loop contains anything that ends it.
func (s *Analysis) canLeaveLoop(node int32) bool {
	for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
		if k := s.Tree.Kind(i); strings.HasPrefix(k, "break") || strings.HasPrefix(k, "goto") || k == "jump_expression" || s.HasJump(i) {
			return true
		}
	}
	return false
}

// neverCompiled matches a condition of Rust that is never true.
var neverCompiled = lazyregexp.MustCompile(`^#!?\[cfg\((?:any\(\)|not\(all\(\)\)|false)\)\]$`)

// notCompiled reports whether an attribute in front of a node keeps compilers from it.
func (s *Analysis) notCompiled(node int32) bool {
	if s.Lang != syntax.Rust || s.Tree.Kind(node) == "attribute_item" {
		return false
	}
	never := false
	for c := range s.Children(s.Tree.Parent(node)) {
		switch kind := s.Tree.Kind(c); {
		case c == node:
			return never
		case kind == "attribute_item":
			never = never || neverCompiled.MatchString(source.PlainText(s.Tree.Text(c)))
		case !strings.Contains(kind, "comment"):
			never = false
		}
	}
	return false
}

// written counts how often a name occurs where it only gets a value, and says whether it
// is a local, not a field or a variable of the file.
func (s *Analysis) written(function int32, name string) (n int, local bool) {
	local = s.Spec.Comparing.Undeclared
	for i := function + 1; i < s.Tree.Nodes[function].Next; i++ {
		if !s.Tree.Named(i) || !s.IsStatement(i) || s.IsBlock(i) {
			continue
		}
		if left, right, ok := s.Assignment(i); ok && s.Tree.Text(left) == name {
			n += source.CountWord(s.Tree.Text(i), name)
			local = local || s.declares(i, left, right)
			i = s.Tree.Nodes[i].Next - 1
		}
	}
	return n, local
}
