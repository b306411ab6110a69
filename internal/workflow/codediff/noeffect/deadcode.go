// Package noeffect marks the stretches of a text that do not count when a change is judged: unreachable code,
// dead stores, no-ops, constant conditions, unused declarations and comments.
// It reads a source.Source; package tokens leaves out what it marks.
package noeffect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
)

// An Analysis is a text with the stretches of it that do not count.
type Analysis struct {
	*source.Source
	Marks []Mark         // sorted, none within another
	Bare  map[int32]bool // blocks that always run, whose borders do not count
	// Mistakes are what only looks as if it did something, whether it counts or not, in order.
	Mistakes []source.Span

	falseConstants map[string]bool // constants that are false
	unreadFields   map[string]bool // private fields that nothing reads
	pureNames      map[string]bool // functions that only compute a value
	identityNames  map[string]bool // functions that return their argument
	laterNames     map[string]bool // functions that do nothing when they are called
	comparisons    []int32         // statements that compare something for nobody
	// each of the maps, and the list, is nil until it is needed
}

// New returns the analysis of a text that nothing has been marked in yet.
func New(s *source.Source) *Analysis { return &Analysis{Source: s, Bare: make(map[int32]bool)} }

// FindMarks marks what does not count, and returns the literals that do, in order.
func (s *Analysis) FindMarks() (strs []source.Span) {
	var found []Mark
	put := func(node int32, why reason.Reason) {
		n := s.Tree.Nodes[node]
		found = append(found, Mark{Start: int(n.Start), End: int(n.End), Why: why})
	}
	for i := int32(0); i < int32(len(s.Tree.Nodes)); i++ {
		n := s.Tree.Nodes[i]
		kind := s.Tree.Kind(i)
		if !s.Tree.Named(i) {
			continue
		}
		switch {
		case strings.Contains(kind, "comment"), kind == "uninterpreted" /* Ruby's __END__ */, kind == "marginalia", /* of SQL */
			kind == "preproc_region", kind == "preproc_endregion":
			put(i, reason.Comment)
			continue
		case s.notCompiled(i):
			put(i, reason.LeftOut)
		case s.onlyDeclared(i):
			put(i, reason.NoEffect)
			continue
		case s.deadCase(i), s.isUnusedLazy(i):
			put(i, reason.Unreachable)
			continue
		case s.Lang == syntax.SQL && s.sqlWithoutEffect(i):
			put(i, reason.NoEffect)
			continue
		case kind == "decorator" && s.identityFunctions()[strings.TrimPrefix(s.Tree.Text(i), "@")], s.isInertAnnotation(i), s.isPrivate(i) && s.isUnused(i), s.isNested(i) && s.isUnusedInside(i):
			put(i, reason.NoEffect)
			continue
		case source.IsLiteral(kind):
			strs = append(strs, source.Span{Start: int(n.Start), End: int(n.End)})
			if s.holdsCode(i) {
				put(i, reason.InString)
			}
			i = n.Next - 1
			continue
		case kind == "parenthesized_expression" && s.isRedundant(i):
			found = append(found, Mark{Start: int(n.Start), End: int(n.Start) + 1, Why: reason.Format},
				Mark{Start: int(n.End) - 1, End: int(n.End), Why: reason.Format})
		}
		if s.isMistake(i) {
			s.Mistakes = append(s.Mistakes, source.Span{Start: int(n.Start), End: int(n.End)})
		}
		s.markUnchangedOperand(i)
		s.markUnreachable(i, put)
		s.markIfFalse(i, put)
		s.deadArm(i, put)
		s.markSameBranches(i, put)
		s.markUselessLock(i, put)
		s.markRedundantForm(i, put)
		if s.IsStatement(i) {
			if why := s.noEffect(i); why != "" {
				put(i, why)
			}
		}
	}
	if s.Lang == syntax.PHP {
		if at := bytes.Index(s.Src, []byte("__halt_compiler")); at >= 0 {
			found = append(found, Mark{Start: at, End: len(s.Src), Why: reason.Unreachable})
		}
	}
	found = s.markPatterns(append(found, s.Marks...))
	s.Marks = nil
	slices.SortStableFunc(found, func(a, b Mark) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	for _, m := range found { // of two that overlap, the outer
		if k := len(s.Marks); k == 0 || m.Start >= s.Marks[k-1].End {
			s.Marks = append(s.Marks, m)
		}
	}
	return strs
}

// declares matches the head of a function within a string.
var declares = lazyregexp.MustCompile(`(?m)^\s*(?:export |pub |public |private |protected |static |async )*(?:def|func|fn|fun|function|class|interface|module|sub) +\w+|^\s*(?:public|private|protected|static)[\w<>\[\] ]+ \w+\s*\(|\bfunction\s*\w*\([^)]*\)\s*\{|=>\s*\{|\bdef \w+.*:\s*return\b`)

// holdsCode reports whether a literal contains a function of the file's own language.
func (s *Analysis) holdsCode(node int32) bool {
	n := s.Tree.Nodes[node]
	text := s.Src[n.Start:n.End]
	if len(text) < 12 || !declares.Match(text) {
		return false
	}
	if text[0] == '~' { // a sigil
		text = text[2:]
	}
	inner := bytes.Trim(text, "`'\"")
	if bytes.HasPrefix(text, []byte("<<")) { // between the lines that open and close it
		_, inner, _ = bytes.Cut(text, []byte("\n"))
		inner = inner[:max(bytes.LastIndexByte(inner, '\n'), 0)]
	}
	if around := s.Spec.Comparing.Around; around != "" {
		inner = fmt.Appendf(nil, around, inner)
	}
	code := syntax.ReadCode(s.Lang, bytes.ReplaceAll(inner, []byte(`\n`), []byte("\n")))
	if code == nil {
		return false
	}
	for i := range code.Nodes {
		if code.Function(int32(i)) {
			return true
		}
	}
	return false
}

// isRedundant reports whether brackets around an expression change nothing.
func (s *Analysis) isRedundant(node int32) bool {
	inner := s.OnlyChild(node)
	if inner < 0 {
		return false
	}
	switch kind := s.Tree.Kind(inner); {
	case strings.Contains(kind, "identifier"), strings.Contains(kind, "literal"), strings.Contains(kind, "call"),
		kind == "integer", kind == "number",
		kind == "attribute", strings.HasSuffix(kind,
			"member_expression"), kind == "parenthesized_expression", kind == "name", kind == "variable_name":
		return true
	}
	parent := s.Tree.Kind(s.Tree.Parent(node))
	for _, part := range []string{"return", "assign", "declarat", "statement", "argument", "keyword_argument",
		"throw", "condition"} {
		if strings.Contains(parent, part) {
			return true
		}
	}
	return false
}

// A Mark is a stretch of text that does not count.
type Mark struct {
	Start, End int
	Why        reason.Reason
}

// FindMarksInText marks what does not count in a text whose syntax tree is not known.
func (s *Analysis) FindMarksInText() {
	s.Marks = s.markPatterns(plainComments(s.Spec, s.Src))
}

// plainComments finds comments in a text whose grammar is not read here.
func plainComments(spec *syntax.Spec, src []byte) (marks []Mark) {
	open, end, paired := strings.Cut(spec.Comparing.Comments, " ")
	line := "#" // Dockerfile, Makefile, TOML, INI
	switch {
	case paired:
		line = ""
	case open != "":
		line = open
	case spec.Rules != nil || spec.Name == syntax.Unknown || spec.Name == syntax.JSON:
		return nil
	}
	at := 0
	for l := range bytes.Lines(src) {
		if line != "" && bytes.HasPrefix(bytes.TrimSpace(l), []byte(line)) {
			marks = append(marks, Mark{Start: at, End: at + len(l), Why: reason.Comment})
		}
		at += len(l)
	}
	for at := 0; paired; {
		i := bytes.Index(src[at:], []byte(open))
		if i < 0 {
			break
		}
		j := bytes.Index(src[at+i:], []byte(end))
		if j < 0 {
			break
		}
		marks = append(marks, Mark{Start: at + i, End: at + i + j + len(end), Why: reason.Comment})
		at += i + j + len(end)
	}
	return marks
}
