package testcase

import (
	"strings"

	"codeintel/internal/workflow/codediff/tokens"
)

// OwnFunctions returns the names of the functions of a file that belong to no class, and in which nothing else
// is called by their name: one that hands over to the code under test is none of them, nor is a helper of Go that
// is given the test.
func (s *File) OwnFunctions() map[string]bool {
	own := make(map[string]bool)
	if s == nil || s.Tree == nil {
		return own
	}
	for i := range int32(len(s.Tree.Nodes)) {
		if body := s.bodyOutsideOfClasses(i); body >= 0 {
			name, n := s.Tree.FunctionName(i), s.Tree.Nodes[body]
			own[name] = !qualifies(s.TokensIn(int(n.Start), int(n.End)), name) &&
				!strings.Contains(s.Tree.Text(s.ParameterList(i)), "testing.")
		}
	}
	return own
}

// bodyOutsideOfClasses returns the body of a function that has a name and belongs to no class, else -1.
func (s *File) bodyOutsideOfClasses(node int32) int32 {
	if !s.Tree.Function(node) || s.Anonymous(node) || s.Tree.FunctionName(node) == "" ||
		s.Tree.Field(node, "receiver") >= 0 {
		return -1
	}
	for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
		switch kind := s.Tree.Kind(p); {
		case strings.Contains(kind, "class"), strings.Contains(kind, "object"), strings.Contains(kind, "impl"),
			strings.Contains(kind, "module") && p > 0 && s.NameOf(p) != "":
			return -1
		}
	}
	return s.Tree.Body(node)
}

// qualifies reports whether a name is used as that of something else: cart.total, Cart::total.
func qualifies(toks []tokens.Token, name string) bool {
	for i, t := range toks {
		if prev := tokens.TextAt(toks, i-1); t.Text == name && (prev == "." || prev == ":" || prev == "::" || prev == ">") {
			return true
		}
	}
	return false
}

// ChangedFunctions returns the names of the functions outside of classes that have some of the lines.
func (s *File) ChangedFunctions(lines map[int]bool) map[string]bool {
	changed := make(map[string]bool)
	if s == nil || s.Tree == nil {
		return changed
	}
	for i := range int32(len(s.Tree.Nodes)) {
		if s.bodyOutsideOfClasses(i) < 0 {
			continue
		}
		for n := s.Tree.Nodes[i]; n.StartRow <= n.EndRow; n.StartRow++ {
			if lines[int(n.StartRow)+1] {
				changed[s.Tree.FunctionName(i)] = true
			}
		}
	}
	return changed
}
