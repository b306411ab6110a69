package codediff

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// Assertions that stand in a test, and of which the test does not hear.

// afterDone marks a statement by which a test says that it is over, and what the test does behind
// it.
func (s *side) afterDone(statement int32, put func(start, end int)) {
	n := s.tree.Nodes[statement]
	if n.End-n.Start > 12 || s.tree.Kind(statement) != "expression_statement" ||
		plainText(strings.TrimRight(s.tree.Text(statement), "; \n")) != "done()" {
		return
	}
	f := s.functionAround(statement)
	if block := s.tree.Parent(statement); f >= 0 && s.isBlock(block) && slices.Contains(s.parameters(f), "done") {
		put(int(s.tree.Nodes[statement].Start), int(s.tree.Nodes[block].End))
	}
}

// unawaited reports whether a function is handed to a promise that nobody waits for: the whole
// chain is a statement of its own.
func (s *side) unawaited(function int32) bool {
	if s.lang != syntax.TypeScript && s.lang != syntax.TSX {
		return false
	}
	call := s.tree.Parent(s.tree.Parent(function))
	if call < 0 || s.tree.Kind(call) != "call_expression" ||
		!slices.Contains([]string{"then", "catch", "finally"}, s.calledName(call)) {
		return false
	}
	root := call
	for p := s.tree.Parent(root); p >= 0; p = s.tree.Parent(p) {
		if k := s.tree.Kind(p); k != "call_expression" && k != "member_expression" {
			break
		}
		root = p
	}
	if s.tree.Kind(s.tree.Parent(root)) != "expression_statement" {
		return false
	}
	f := s.functionAround(root)
	return f >= 0 && !bytes.Contains(s.src[s.tree.Nodes[f].Start:s.tree.Nodes[f].End], []byte("done"))
}

// unheard reports whether nothing comes of an assertion, whatever the program does.
func unheard(toks []tok, i int) bool {
	return unawaitedExpectation(toks, i) || asksNothing(toks, i) || runsNothing(toks, i) || throwsItself(toks, i) || computedBefore(toks, i) ||
		computedTwice(toks, i)
}

// unawaitedExpectation reports whether an expectation about a promise stands by itself: nobody
// waits until it fails.
func unawaitedExpectation(toks []tok, i int) bool {
	if toks[i].text != "expect" {
		return false
	}
	switch at(toks, i-1) {
	case "await", "return", ">", "(", "[", ",", "=", "?", ":", ".":
		return false
	}
	said := sentence(toks, i)
	return strings.Contains(said, " . resolves . ") || strings.Contains(said, " . rejects . ")
}

// asksNothing reports whether an assertion is handed a value, and nothing is asked of it:
// assertThat(x).
func asksNothing(toks []tok, i int) bool {
	if toks[i].text != "assertThat" || at(toks, i+1) != "(" {
		return false
	}
	end := closing(toks, i+1)
	return len(split(toks[i+2:end])) == 1 && called(toks, end+1) == 0
}

// runsNothing reports whether an assertion about what something does is handed nothing to do:
// assertAll(), assertDoesNotThrow(() -> {}).
func runsNothing(toks []tok, i int) bool {
	if toks[i].text != "assertAll" && toks[i].text != "assertDoesNotThrow" || at(toks, i+1) != "(" {
		return false
	}
	return !slices.ContainsFunc(toks[i+2:closing(toks, i+1)], func(t tok) bool { return expression.IsWord(t.text) })
}

// throwsItself reports whether an assertion that something throws is handed a function that
// throws by itself.
func throwsItself(toks []tok, i int) bool {
	if !throwing.MatchString(toks[i].text) || at(toks, i+1) != "(" {
		return false
	}
	depth := 0
	for _, t := range toks[i+2 : closing(toks, i+1)] {
		switch t.text {
		case "{":
			depth++
		case "}":
			depth--
		case "throw":
			if depth == 1 {
				return true
			}
		}
	}
	return false
}

var throwing = lazyregexp.MustCompile(`^(?:assertThrows\w*|assertFailsWith|expectThrows)$`)

// computedBefore reports whether an assertion holds a value against what is called wanted, and
// the line before has computed that by the very same expression.
func computedBefore(toks []tok, i int) bool {
	said := strings.Split(sentence(toks, i), " ")
	for n := i - 1; n > 0 && n > i-120; n-- {
		if toks[n].text != "=" || !wanted.MatchString(toks[n-1].text) || at(toks, n+1) == "=" {
			continue
		}
		value := make([]string, 0, i-n)
		for _, t := range toks[n+1 : i] {
			if t.line == toks[n].line && !t.shape && t.text != "if" && t.text != "assert" {
				value = append(value, t.text)
			} else if t.text == "(" {
				return false // something happens in between
			}
		}
		text := " " + strings.Join(said, " ") + " "
		return len(value) > 3 && slices.Contains(value, "(") && slices.Contains(said, toks[n-1].text) &&
			strings.Contains(text, " "+strings.Join(value, " ")+" ")
	}
	return false
}

// wanted finds the names that tests give to what they want.
var wanted = lazyregexp.MustCompile(`^\$?(?:want|wanted|expected|expect|exp)\w*$`)

// ownAssertions reports whether a test file gives a name of a test library to a function of its
// own.
func (s *side) ownAssertions() bool {
	for i := range s.tree.Nodes {
		if left, right, ok := s.sidesOf(int32(i)); ok && s.anonymous(right) {
			if name := s.tree.Text(left); name == "expect" || name == "assert" {
				return true
			}
		}
	}
	return false
}
