package codediff

import (
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// What the functions of a test file assert is asserted by the tests that call them.

// deepest is how many functions may call each other on the way to an assertion.
const deepest = 3

// callsOf counts the calls of a function's text by the names of what is called, but for its own.
func callsOf(toks []tok, own string) map[string]int {
	calls := make(map[string]int)
	for i, t := range toks {
		if at(toks, i+1) == "(" && expression.IsWord(t.text) && t.text != own {
			calls[t.text]++
		}
	}
	return calls
}

// vainHelpers returns the functions beside the tests that are called like an assertion, and assert what
// always holds.
func (s *side) vainHelpers(dead []mark) map[string]bool {
	vain := make(map[string]bool)
	for i := range s.tree.Nodes {
		node := int32(i)
		name := ""
		if s.tree.Function(node) && !s.anonymous(node) && s.tree.Body(node) >= 0 {
			name = s.tree.FunctionName(node)
		}
		if name == "" || !isAssert(name) {
			continue
		}
		if _, again := vain[name]; again { // an overload
			vain[name] = false
			continue
		}
		body := s.tree.Nodes[s.tree.Body(node)]
		toks := s.live(int(body.Start), int(body.End))
		asserts := 0
		for j, t := range toks {
			if at(toks, j+1) == "(" && expression.IsWord(t.text) && s.asserts(toks, j) {
				asserts++
			} else if at(toks, j+1) == "(" && expression.IsWord(t.text) {
				asserts = -len(toks) // what it calls may assert
			}
		}
		_, mayFail := s.weigh(toks, dead)
		vain[name] = asserts > 0 && !mayFail || asksOfNone(toks)
	}
	return vain
}

// withHelpers completes the weights of tests by those of the functions that they call.
func withHelpers(tests []testcase) {
	helpers := make(map[string]*testcase)
	for i := range tests {
		if name, ok := strings.CutPrefix(tests[i].name, "helper "); ok && !tests[i].table {
			helpers[name[strings.LastIndexByte(name, '.')+1:]] = &tests[i]
		}
	}
	for i := range tests {
		t := &tests[i]
		t.whole = weights{asserts: make(map[string]int), literals: make(map[string]int)}
		t.whole.add(t.weights)
		if t.helper {
			continue
		}
		if t.handed = t.whole.addCalled(t.calls, helpers, deepest); t.handed {
			t.mayFail = true
		}
		for k := range t.whole.literals { // what a function is given once it may use often
			if k[0] != '\x01' {
				t.whole.literals[k] = 1
			}
		}
	}
}

// addCalled adds what is asserted by the functions that something calls, and reports whether
// anything is.
func (w *weights) addCalled(calls map[string]int, helpers map[string]*testcase, depth int) (asserts bool) {
	for name, n := range calls {
		h := helpers[name]
		if h == nil || depth == 0 {
			continue
		}
		for range n {
			w.add(h.weights)
			asserts = w.addCalled(h.calls, helpers, depth-1) || asserts || len(h.weights.asserts) > 0
		}
	}
	return asserts
}

func (w *weights) add(o weights) {
	for k, n := range o.asserts {
		w.asserts[k] += n
	}
	for k, n := range o.literals {
		w.literals[k] += n
	}
	w.branches += o.branches
	w.loose += o.loose
	w.either += o.either
}

// builds weighs a node of C for each of the two programs that its preprocessor makes of it:
// with what stands first, and with what stands behind "#else". There are none if it is one.
func (s *side) builds(node int32, toks []tok, dead []mark) []weights {
	if s.lang != syntax.C && s.lang != syntax.CPP {
		return nil
	}
	var first, other []mark
	for i := node; i < s.tree.Nodes[node].Next; i++ {
		k := s.tree.Kind(i)
		if k != "preproc_if" && k != "preproc_ifdef" || s.tree.Field(i, "alternative") < 0 {
			continue
		}
		n, alternative := s.tree.Nodes[i], s.tree.Nodes[s.tree.Field(i, "alternative")]
		first = append(first, mark{start: int(n.Start), end: int(alternative.Start)})
		other = append(other, mark{start: int(alternative.Start), end: int(alternative.End)})
	}
	if first == nil {
		return nil
	}
	with, _ := s.weigh(without(toks, other), dead)
	without, _ := s.weigh(without(toks, first), dead)
	return []weights{with, without}
}

// without leaves out what lies in some stretches of the text.
func without(toks []tok, out []mark) (left []tok) {
	for _, t := range toks {
		if !inside(out, t.at) {
			left = append(left, t)
		}
	}
	return left
}
