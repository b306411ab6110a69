package testcase

import (
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// What the functions of a test file assert is asserted by the tests that call them.

// Deepest is how many functions may call each other on the way to an assertion.
const Deepest = 3

// findUselessHelpers returns the functions beside the tests that are called like an assertion, and assert what
// is always true.
func (s *File) findUselessHelpers(dead []source.Span) map[string]bool {
	vain := make(map[string]bool)
	for i := range s.Tree.Nodes {
		node := int32(i)
		name := ""
		if s.Tree.Function(node) && !s.Anonymous(node) && s.Tree.Body(node) >= 0 {
			name = s.Tree.FunctionName(node)
		}
		if name == "" || !isAssert(name) {
			continue
		}
		if _, again := vain[name]; again { // an overload
			vain[name] = false
			continue
		}
		body := s.Tree.Nodes[s.Tree.Body(node)]
		toks := s.TokensIn(int(body.Start), int(body.End))
		asserts := 0
		for j, t := range toks {
			if tokens.TextAt(toks, j+1) == "(" && expression.IsWord(t.Text) && s.asserts(toks, j) {
				asserts++
			} else if tokens.TextAt(toks, j+1) == "(" && expression.IsWord(t.Text) {
				asserts = -len(toks) // what it calls may assert
			}
		}
		_, mayFail := s.countIn(toks, dead)
		vain[name] = asserts > 0 && !mayFail || assertsNothing(toks)
	}
	return vain
}

// withHelpers completes the weights of tests by those of the functions that they call.
func withHelpers(tests []Case) {
	helpers := make(map[string]*Case)
	for i := range tests {
		if name, ok := strings.CutPrefix(tests[i].Name, "helper "); ok && !tests[i].IsTable {
			helpers[name[strings.LastIndexByte(name, '.')+1:]] = &tests[i]
		}
	}
	for i := range tests {
		t := &tests[i]
		t.WithHelpers = Counts{Asserts: make(map[string]int), Literals: make(map[string]int)}
		t.WithHelpers.add(t.Counts)
		if t.IsHelper {
			continue
		}
		if t.HelperAsserts = t.WithHelpers.addCalled(t.Calls, helpers, Deepest); t.HelperAsserts {
			t.CanFail = true
		}
		for k := range t.WithHelpers.Literals { // what a function is given once it may use often
			if k[0] != '\x01' {
				t.WithHelpers.Literals[k] = 1
			}
		}
	}
}

// addCalled adds the assertions of the functions that something calls, and reports whether
// anything is.
func (w *Counts) addCalled(calls map[string]int, helpers map[string]*Case, depth int) (asserts bool) {
	for name, n := range calls {
		h := helpers[name]
		if h == nil || depth == 0 {
			continue
		}
		for range n {
			w.add(h.Counts)
			asserts = w.addCalled(h.Calls, helpers, depth-1) || asserts || len(h.Counts.Asserts) > 0
		}
	}
	return asserts
}

func (w *Counts) add(o Counts) {
	for k, n := range o.Asserts {
		w.Asserts[k] += n
	}
	for k, n := range o.Literals {
		w.Literals[k] += n
	}
	w.Branches += o.Branches
	w.Loose += o.Loose
	w.Either += o.Either
}

// builds weighs a node of C for each of the two programs that its preprocessor makes of it:
// with what comes first, and with what follows "#else". There are none if it is one.
func (s *File) builds(node int32, toks []tokens.Token, dead []source.Span) []Counts {
	if s.Lang != syntax.C && s.Lang != syntax.CPP {
		return nil
	}
	var first, other []source.Span
	for i := node; i < s.Tree.Nodes[node].Next; i++ {
		k := s.Tree.Kind(i)
		if k != "preproc_if" && k != "preproc_ifdef" || s.Tree.Field(i, "alternative") < 0 {
			continue
		}
		n, alternative := s.Tree.Nodes[i], s.Tree.Nodes[s.Tree.Field(i, "alternative")]
		first = append(first, source.Span{Start: int(n.Start), End: int(alternative.Start)})
		other = append(other, source.Span{Start: int(alternative.Start), End: int(alternative.End)})
	}
	if first == nil {
		return nil
	}
	with, _ := s.countIn(outsideSpans(toks, other), dead)
	without, _ := s.countIn(outsideSpans(toks, first), dead)
	return []Counts{with, without}
}

// outsideSpans leaves out what lies in some stretches of the text.
func outsideSpans(toks []tokens.Token, out []source.Span) (left []tokens.Token) {
	for _, t := range toks {
		if !tokens.WithinAny(out, t.Start) {
			left = append(left, t)
		}
	}
	return left
}
