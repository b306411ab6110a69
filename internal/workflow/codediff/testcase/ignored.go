package testcase

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// Assertions whose failure does not reach the test.

// afterDone marks a statement by which a test says that it is over, and what the test does behind
// it.
func (s *File) afterDone(statement int32, put func(start, end int)) {
	n := s.Tree.Nodes[statement]
	if n.End-n.Start > 12 || s.Tree.Kind(statement) != "expression_statement" ||
		source.PlainText(strings.TrimRight(s.Tree.Text(statement), "; \n")) != "done()" {
		return
	}
	f := s.FunctionAround(statement)
	if block := s.Tree.Parent(statement); f >= 0 && s.IsBlock(block) && slices.Contains(s.Parameters(f), "done") {
		put(int(s.Tree.Nodes[statement].Start), int(s.Tree.Nodes[block].End))
	}
}

// hasIgnoredResult reports whether an assertion has no result, whatever the program does.
func hasIgnoredResult(toks []tokens.Token, i int) bool {
	return unawaitedExpectation(toks, i) || asksNothing(toks, i) || runsNothing(toks, i) || throwsItself(toks, i) || computedBefore(toks, i) ||
		computedTwice(toks, i)
}

// unawaitedExpectation reports whether an expectation about a promise is a statement of its own: nothing
// waits until it fails.
func unawaitedExpectation(toks []tokens.Token, i int) bool {
	if toks[i].Text != "expect" {
		return false
	}
	switch tokens.TextAt(toks, i-1) {
	case "await", "return", ">", "(", "[", ",", "=", "?", ":", ".":
		return false
	}
	said := tokens.Sentence(toks, i)
	return strings.Contains(said, " . resolves . ") || strings.Contains(said, " . rejects . ")
}

// asksNothing reports whether an assertion gets a value and checks nothing about it:
// assertThat(x).
func asksNothing(toks []tokens.Token, i int) bool {
	if toks[i].Text != "assertThat" || tokens.TextAt(toks, i+1) != "(" {
		return false
	}
	end := tokens.ClosingBracket(toks, i+1)
	return len(tokens.SplitArguments(toks[i+2:end])) == 1 && tokens.Called(toks, end+1) == 0
}

// runsNothing reports whether an assertion about running something is given nothing to run:
// assertAll(), assertDoesNotThrow(() -> {}).
func runsNothing(toks []tokens.Token, i int) bool {
	if toks[i].Text != "assertAll" && toks[i].Text != "assertDoesNotThrow" || tokens.TextAt(toks, i+1) != "(" {
		return false
	}
	return !slices.ContainsFunc(toks[i+2:tokens.ClosingBracket(toks, i+1)], func(t tokens.Token) bool { return expression.IsWord(t.Text) })
}

// throwsItself reports whether an assertion that something throws is given a function that
// throws by itself.
func throwsItself(toks []tokens.Token, i int) bool {
	if !Throwing.MatchString(toks[i].Text) || tokens.TextAt(toks, i+1) != "(" {
		return false
	}
	depth := 0
	for _, t := range toks[i+2 : tokens.ClosingBracket(toks, i+1)] {
		switch t.Text {
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

var Throwing = lazyregexp.MustCompile(`^(?:assertThrows\w*|assertFailsWith|expectThrows)$`)

// computedBefore reports whether an assertion compares a value with an expected one, and
// the line before has computed that by the very same expression.
func computedBefore(toks []tokens.Token, i int) bool {
	said := strings.Split(tokens.Sentence(toks, i), " ")
	for n := i - 1; n > 0 && n > i-120; n-- {
		if toks[n].Text != "=" || !wanted.MatchString(toks[n-1].Text) || tokens.TextAt(toks, n+1) == "=" {
			continue
		}
		value := make([]string, 0, i-n)
		for _, t := range toks[n+1 : i] {
			if t.Line == toks[n].Line && !t.IsBorder && t.Text != "if" && t.Text != "assert" {
				value = append(value, t.Text)
			} else if t.Text == "(" {
				return false // something happens in between
			}
		}
		text := " " + strings.Join(said, " ") + " "
		return len(value) > 3 && slices.Contains(value, "(") && slices.Contains(said, toks[n-1].Text) &&
			strings.Contains(text, " "+strings.Join(value, " ")+" ")
	}
	return false
}

// wanted finds the names that tests give to what they want.
var wanted = lazyregexp.MustCompile(`^\$?(?:want|wanted|expected|expect|exp)\w*$`)

// OwnAssertions reports whether a test file gives a name of a test library to a function of its
// own.
func (s *File) OwnAssertions() bool {
	for i := range s.Tree.Nodes {
		if left, right, ok := s.SidesOf(int32(i)); ok && s.Anonymous(right) {
			if name := s.Tree.Text(left); name == "expect" || name == "assert" {
				return true
			}
		}
	}
	return false
}
