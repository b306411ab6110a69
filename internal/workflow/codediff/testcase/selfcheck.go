package testcase

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// Assertions that a test decides by itself: about values that it has written out, about what the code
// under test has computed on both sides, or about an error that the test throws.

// withValues returns the tokens of a test in which each local that is given a value that is written out,
// and that is only named in assertions, is replaced by that value.
func (s *File) withValues(toks []tokens.Token) []tokens.Token {
	asserted := make([]bool, len(toks))
	for i := range toks {
		if !s.asserts(toks, i) {
			continue
		}
		for j, end := i, i+sentenceLength(toks, i); j < end; j++ {
			asserted[j] = true
		}
	}
	value := make(map[string]string)
	for i, t := range toks {
		if !expression.IsWord(t.Text) || tokens.TextAt(toks, i-1) == "." || writtenOut(t.Text) {
			continue
		}
		from := i + 1
		if tokens.TextAt(toks, from) == ":" && tokens.TextAt(toks, from+1) != "=" { // a type
			from += 2
		} else if tokens.TextAt(toks, from) == ":" {
			from++
		}
		given := tokens.TextAt(toks, from) == "=" && from+1 < len(toks) && writtenOut(toks[from+1].Text) &&
			toks[from+1].Line == t.Line && (from+2 >= len(toks) || toks[from+2].Line != t.Line)
		_, twice := value[t.Text]
		switch {
		case given && !twice && !asserted[i]:
			value[t.Text] = toks[from+1].Text
		case given, !asserted[i], assignedAt(toks, i):
			value[t.Text] = ""
		}
	}
	plain := slices.Clone(toks)
	for i, t := range toks {
		if v := value[t.Text]; v != "" && asserted[i] && tokens.TextAt(toks, i-1) != "." {
			plain[i].Text = v
		}
	}
	return plain
}

// assignedAt reports whether a name is, or may be, given another value at a place.
func assignedAt(toks []tokens.Token, i int) bool {
	next, behind := tokens.TextAt(toks, i+1), tokens.TextAt(toks, i+2)
	switch tokens.TextAt(toks, i-1) {
	case "&", "ref", "out", "mut", ">", "*":
		return true
	}
	return next == "=" && behind != "=" && behind != ">" || len(next) == 1 && strings.Contains("+-*/%|&?:", next) && behind == "=" ||
		(next == "+" || next == "-" || next == "<") && behind == next
}

// sentenceLength returns how many tokens an assertion has, as sentence reads it.
func sentenceLength(toks []tokens.Token, i int) int {
	if said := tokens.Sentence(toks, i); said != "" {
		n := 0
		for left := said; left != "" && i+n < len(toks); n++ {
			left = strings.TrimPrefix(strings.TrimPrefix(left, toks[i+n].Text), " ")
		}
		return n
	}
	return 0
}

// computedTwice reports whether an assertion compares a value with an expected one, and both
// were computed by the very same expression before.
func computedTwice(toks []tokens.Token, i int) bool {
	said := strings.Split(tokens.Sentence(toks, i), " ")
	values := make(map[string]string)
	for n := i - 1; n > 0 && n > i-200; n-- {
		if toks[n].Text != "=" || tokens.TextAt(toks, n+1) == "=" || tokens.TextAt(toks, n+1) == ">" || !expression.IsWord(toks[n-1].Text) {
			continue
		}
		var value []string
		for _, t := range toks[n+1:] {
			if t.Line != toks[n].Line || t.IsBorder {
				break
			}
			value = append(value, t.Text)
		}
		if name := toks[n-1].Text; values[name] == "" {
			values[name] = strings.Join(value, " ")
		} else {
			values[name] = "-"
		}
	}
	for name, value := range values {
		if !wanted.MatchString(name) || !slices.Contains(said, name) || !strings.Contains(value, "(") {
			continue
		}
		for other, same := range values {
			if other != name && same == value && slices.Contains(said, other) {
				return true
			}
		}
	}
	return false
}

// delegates are the functions of the file whose name says that they return the expected value, and which only
// hand over to another, by name: how that is called.
func (s *File) delegates() map[string]string {
	if s.delegating != nil {
		return s.delegating
	}
	s.delegating = make(map[string]string)
	for i := range s.Tree.Nodes {
		node := int32(i)
		if !s.Tree.Function(node) || s.Anonymous(node) || s.Tree.Body(node) < 0 || !givesWanted.MatchString(s.Tree.FunctionName(node)) {
			continue
		}
		only := s.OnlyChild(s.Tree.Body(node))
		if s.Tree.Kind(s.Tree.Body(node)) == "arrow_expression_clause" {
			only = s.LastChild(s.Tree.Body(node))
		}
		for only >= 0 && !slices.Contains(source.CallKinds, s.Tree.Kind(only)) && (s.IsBlock(only) || strings.Contains(s.Tree.Kind(only), "return")) {
			only = s.OnlyChild(only)
		}
		if only < 0 || !slices.Contains(source.CallKinds, s.Tree.Kind(only)) {
			continue
		}
		if called, _, ok := strings.Cut(source.PlainText(s.Tree.Text(only)), "("); ok && !strings.ContainsAny(called, "[{") {
			s.delegating[s.Tree.FunctionName(node)] = called + "("
		}
	}
	return s.delegating
}

var givesWanted = lazyregexp.MustCompile(`(?i)^(?:get_?)?(?:want|wanted|expected)(?:[A-Z_]\w*)?$`)

// isDelegated reports whether an assertion compares what a function of the test gets from the code
// under test against the same call.
func (s *File) isDelegated(toks []tokens.Token, i int) bool {
	if s.Tree == nil || len(s.delegates()) == 0 {
		return false
	}
	said := strings.ReplaceAll(tokens.Sentence(toks, i), " ", "")
	for name, called := range s.delegates() {
		if strings.Contains(said, name+"(") && strings.Contains(said, called) {
			return true
		}
	}
	return false
}

// panicsItself reports whether a test that is to end with an error raises one by itself, whatever the
// code under test does.
func (s *File) panicsItself(toks []tokens.Token) bool {
	var raising []string
	switch s.Lang {
	case syntax.Rust:
		raising = []string{"panic", "unreachable", "unimplemented", "todo"}
		if !tokens.HasToken(toks, "should_panic") {
			return false
		}
	case syntax.PHP:
		raising = []string{"throw"}
		if !tokens.HasToken(toks, "expectException") {
			return false
		}
	default:
		return false
	}
	depth := 0
	for i, t := range toks {
		switch t.Text {
		case "{":
			depth++
		case "}":
			depth--
		}
		if depth == 1 && slices.Contains(raising, t.Text) && (s.Lang == syntax.PHP || tokens.TextAt(toks, i+1) == "!") {
			return true
		}
	}
	return false
}

// assertsNothing reports whether a function that is called like an assertion does nothing at all.
func assertsNothing(toks []tokens.Token) bool {
	for i, t := range toks {
		switch t.Text {
		case "return", "throw", "raise", "panic", "assert", "yield", "=", "?":
			return false
		}
		if tokens.TextAt(toks, i+1) == "(" && expression.IsWord(t.Text) || tokens.TextAt(toks, i+1) == "!" {
			return false
		}
	}
	return true
}

// testLibraries finds what tests are written with, and what says nothing of a project.
var testLibraries = lazyregexp.MustCompile(`^(?:vitest|jest|@jest/globals|bun:test|node:(?:test|assert)(?:/strict)?|assert|chai|sinon|ava|tape|uvu(?:/assert)?` +
	`|pytest|unittest(?:\.mock)?|mock|typing|dataclasses|datetime|collections|json|re|math)$`)

var (
	importsFrom = lazyregexp.MustCompile(`(?m)^\s*import\b[^"';]*["']([^"']+)["']|^(?:from\s+([\w.]+)\s+import|import\s+([\w.]+))`)
	reachesOut  = lazyregexp.MustCompile(`\b(?:require|import|fetch|process|window|document|global|globalThis|self|navigator|importlib` +
		`|subprocess|__import__|eval|exec|open|readFile\w*|spawn\w*)\s*[(.\[]`)
	rustHeads  = lazyregexp.MustCompile(`\b([a-z]\w*)::`)
	rustOwn    = lazyregexp.MustCompile(`\bmod\s+(\w+)\s*\{`)
	ownOfRust  = source.WordSet("std core alloc self super str char bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64")
	takesValue = lazyregexp.MustCompile(`(?m)^\s*(?:async\s+)?def test\w*\(\s*(?:self\s*,\s*)?\w`)
	inTestsDir = lazyregexp.MustCompile(`(?:^|/)tests/[^/]+\.rs$`)
)

// UsesNoProject reports whether a test file names nothing that is not its own or of a test library, in
// languages in which what it tests must be imported.
func (s *File) UsesNoProject(file string) bool {
	text := string(s.WithoutComments())
	switch s.Lang {
	case syntax.TypeScript, syntax.TSX, syntax.Python:
		return s.importsTestsAlone(text)
	}
	return s.Lang == syntax.Rust && inTestsDir.MatchString(file) && rustAlone(text)
}

func (s *File) importsTestsAlone(text string) bool {
	if s.Lang == syntax.Python && takesValue.MatchString(text) || reachesOut.MatchString(strings.ReplaceAll(text, "self.", "")) {
		return false
	}
	imports := importsFrom.FindAllStringSubmatch(text, -1)
	for _, m := range imports {
		if !testLibraries.MatchString(m[1] + m[2] + m[3]) {
			return false
		}
	}
	return len(imports) > 0
}

// rustAlone reports whether a test of Rust names no crate but those of the language, and takes in no other file.
func rustAlone(text string) bool {
	for _, takes := range []string{"env!", "Command", "include", "#[path", "extern crate"} {
		if strings.Contains(text, takes) {
			return false
		}
	}
	if modOutside.MatchString(text) {
		return false
	}
	own := make(map[string]bool)
	for _, m := range rustOwn.FindAllStringSubmatch(text, -1) {
		own[m[1]] = true
	}
	for _, m := range rustHeads.FindAllStringSubmatchIndex(text, -1) {
		head := text[m[2]:m[3]]
		if !ownOfRust[head] && !own[head] && !strings.HasSuffix(text[:m[2]], "::") {
			return false
		}
	}
	return true
}

var modOutside = lazyregexp.MustCompile(`\bmod\s+\w+\s*;`)

// usesOnlyItself reports whether a test of JavaScript names nothing but what it makes itself, the language and
// the library that asserts.
func (s *File) usesOnlyItself(toks []tokens.Token) bool {
	if s.Lang != syntax.JavaScript && s.Lang != syntax.TypeScript && s.Lang != syntax.TSX {
		return false
	}
	own := make(map[string]bool)
	for i, t := range toks {
		if prev := tokens.TextAt(toks, i-1); prev == "const" || prev == "let" || prev == "var" {
			own[t.Text] = true
		}
	}
	expects := false
	for i, t := range toks {
		switch text := t.Text; {
		case text == "expect":
			expects = true
		case !expression.IsWord(text), own[text], tokens.TextAt(toks, i-1) == ".", tokens.TextAt(toks, i+1) == ":", ofTheLanguage.MatchString(text):
		default:
			return false
		}
	}
	return expects
}

// ofTheLanguage finds what every test may name.
var ofTheLanguage = lazyregexp.MustCompile(`^(?:it|test|describe|expect|assert|vi|jest|async|await|const|let|var|true|false|null|undefined|if|else|return|new|Math|Number|String|Array|Object|[0-9].*)$`)
