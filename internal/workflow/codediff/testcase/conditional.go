package testcase

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// conditionalCode counts what Rust compiles on a condition in a file with code and tests, beside its tests.
func (s *File) conditionalCode(inTests bool) (n int) {
	if s.Lang != syntax.Rust || inTests {
		return 0
	}
	for i := range s.Tree.Nodes {
		node := int32(i)
		if s.Tree.Kind(node) != "attribute_item" || !conditionalItem.MatchString(s.Tree.Text(node)) || s.amongTests(node) {
			continue
		}
		item := int32(-1)
		for c := range s.Children(s.Tree.Parent(node)) {
			if c > node && s.Tree.Kind(c) != "attribute_item" && !strings.Contains(s.Tree.Kind(c), "comment") {
				item = c
				break
			}
		}
		if item < 0 || s.Tree.Kind(item) != "mod_item" && !marksTest.Match(s.Src[s.Attributes(item):s.Tree.Nodes[item].Start]) {
			n++
		}
	}
	return n
}

// amongTests reports whether a node of Rust is in a module of tests.
func (s *File) amongTests(node int32) bool {
	for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
		if s.Tree.Kind(p) == "mod_item" && strings.Contains(s.NameOf(p), "test") {
			return true
		}
	}
	return false
}

// conditionalItem finds the attribute of Rust by which an item is compiled on a condition.
var conditionalItem = lazyregexp.MustCompile(`^#\[cfg\(\s*(?:feature|not|any|all|target)`)

// ownName removes the name of a test from its key, where its texts contain it.
func ownName(key, name string) string {
	if name = name[strings.LastIndexByte(name, '.')+1:]; len(name) < 8 {
		return key
	}
	return strings.ReplaceAll(key, name, "\x02")
}

// returnsValues counts how often a test of the JVM returns a value: it is not run then.
func (s *File) returnsValues(test int32) (n int) {
	if s.Lang != syntax.Kotlin && s.Lang != syntax.Java {
		return 0
	}
	for i := test + 1; i < s.Tree.Nodes[test].Next; i++ {
		if s.Tree.Named(i) && strings.HasPrefix(s.Tree.Kind(i), "return") && s.FunctionAround(i) == test &&
			len(s.Tree.Text(i)) > len("return;") {
			n++
		}
	}
	return n
}

// countsFrom reports whether the number at i is where a loop begins to count.
func countsFrom(toks []tokens.Token, i int) bool {
	for j := i - 1; j >= 0 && i-j < 7 && toks[j].Line == toks[i].Line; j-- {
		if toks[j].Text == "for" {
			return tokens.TextAt(toks, i-1) == "="
		}
	}
	return false
}

// passedTest names a function that gets a test; those that make what a test needs all alike.
func passedTest(function string) string {
	if !isAssert(function) && setsUpTest.MatchString(function) {
		return "\x01set up"
	}
	return function
}

// addLines adds the lines from one to another.
func addLines(lines map[int]bool, from, to int) {
	for ; from <= to; from++ {
		lines[from] = true
	}
}

// valuesOn counts the values that are written out on some lines.
func valuesOn(toks []tokens.Token, lines map[int]bool) map[string]int {
	values := make(map[string]int)
	for i, t := range toks {
		if lines[t.Line] && writtenOut(t.Text) {
			values[adjacent(toks, i)]++
		}
	}
	return values
}

// setsUpTest finds functions that make what a test of Go needs.
var setsUpTest = lazyregexp.MustCompile(`^(?:new|set[uU]p|make|create|open|start|build|prepare|New|Set[uU]p)(?:[A-Z_]|$)`)

// callsInherited reports whether a test calls a function that its class has from another file, or one that
// is named like a test and is in no class.
func (s *File) callsInherited(test int32, toks []tokens.Token) bool {
	class, from := int32(-1), 0
	if s.Tree.Function(test) {
		class, from = s.ClassAround(test), int(s.Tree.Nodes[s.Tree.Body(test)].Start)
	}
	anyCall := class >= 0 && (s.Lang == syntax.CSharp || s.Lang == syntax.Java || s.Lang == syntax.Kotlin) &&
		inherits.MatchString(s.headText(class))
	own := make(map[string]bool)
	for i := range s.Tree.Nodes {
		if s.Tree.Function(int32(i)) {
			own[s.Tree.FunctionName(int32(i))] = true
		}
	}
	for i, t := range toks {
		if t.Start < from || tokens.TextAt(toks, i+1) != "(" || own[t.Text] {
			continue
		}
		prev, before := tokens.TextAt(toks, i-1), tokens.TextAt(toks, i-2)
		if anyCall && source.PlainWord.MatchString(t.Text) && !source.ControlWords[t.Text] && prev != "." && prev != "new" ||
			sharedTest.MatchString(t.Text) && prev != "[" && prev != "@" && (prev != "." || before == "self" || before == "this") {
			return true
		}
	}
	return false
}

// sharedTest finds the name of a function that several tests call.
var sharedTest = lazyregexp.MustCompile(`^_*(?:do_?|run_?)?[tT]est(?:_[a-z0-9]|[A-Z0-9])\w*$`)

// inherits finds the head of a class with another one above it.
var inherits = lazyregexp.MustCompile(`\bclass\s+\w+\s*(?::|extends\b)\s*\w`)

// withoutRemarks returns a text without its comments, but for those that say something to what runs tests.
func (s *File) withoutRemarks() string {
	if !s.Spec.Testing.Documented {
		return string(s.WithoutComments())
	}
	return string(s.Blanked(func(comment []byte) bool { return !bytes.HasPrefix(comment, []byte("/**")) }))
}

// unconditional returns the tokens of a test that run whatever its conditions are. A branch that
// only fails does not count as one, and what both branches of a condition have is in neither.
func (s *File) unconditional(test int32, toks []tokens.Token) []tokens.Token {
	var out []source.Span
	same := make(map[int]bool) // by place, of what both branches have
	for i := test + 1; i < s.Tree.Nodes[test].Next; i++ {
		if !s.Tree.Named(i) || s.IsLoop(i) || strings.HasPrefix(s.Tree.Kind(i), "preproc") {
			continue
		}
		if cond := s.Condition(i); cond >= 0 && s.KindOf(i) != "conditional_expression" {
			out = append(out, s.onlyIf(test, i, cond, same)...)
		}
	}
	var left []tokens.Token
	for _, t := range toks {
		if same[t.Start] || !tokens.WithinAny(out, t.Start) {
			left = append(left, t)
		}
	}
	return left
}

// onlyIf returns the stretches of a test that run on a condition only.
func (s *File) onlyIf(test, node, cond int32, same map[int]bool) (out []source.Span) {
	var branches [2][]tokens.Token
	end := int(s.Tree.Nodes[test].End)
	if f := s.FunctionAround(node); f > test {
		end = int(s.Tree.Nodes[f].End)
	}
	s.Branches(node, cond, func(b int32, alternative bool) {
		n := s.Tree.Nodes[b]
		toks := s.TokensIn(int(n.Start), int(n.End))
		if slices.ContainsFunc(toks, func(t tokens.Token) bool { return failsItself[t.Text] }) {
			return
		}
		which := 0
		if alternative {
			which = 1
		}
		branches[which] = append(branches[which], toks...)
		out = append(out, source.Span{Start: int(n.Start), End: int(n.End)})
		if leaves := slices.ContainsFunc(toks, func(t tokens.Token) bool { return leavingWords[t.Text] }); leaves {
			out = append(out, source.Span{Start: int(s.Tree.Nodes[node].End), End: end})
		}
	})
	for i, toks := range branches {
		for _, t := range toks {
			if slices.ContainsFunc(branches[1-i], func(o tokens.Token) bool { return o.Text == t.Text }) {
				same[t.Start] = true
			}
		}
	}
	return out
}

var (
	failsItself  = source.WordSet("Fatal Fatalf Error Errorf Fail FailNow fail throw raise panic XCTFail")
	leavingWords = source.WordSet("return continue next break exit Exit exitProcess abort")
)

// CountCleanExits counts what ends the program as if all had gone well, but for the tests that the file runs as
// a program of their own, by their name.
func (s *File) CountCleanExits() int {
	if s == nil || s.Tree == nil {
		return 0
	}
	text := s.WithoutComments()
	n := len(cleanExit.FindAllString(string(text), -1))
	for i := range s.Tree.Nodes {
		node := int32(i)
		if n > 0 && s.Tree.Function(node) && !s.Anonymous(node) && s.runAlone(node) {
			n -= len(cleanExit.FindAllString(s.Tree.Text(node), -1))
		}
	}
	return n
}

// runAlone reports whether a test of Go is run as a program of its own, by its name, and ends at once
// otherwise.
func (s *File) runAlone(test int32) bool {
	return s.Spec.Testing.Functions != "" && s.onDemand(test) &&
		bytes.Contains(s.Src, []byte("-test.run="+s.Tree.FunctionName(test)))
}
