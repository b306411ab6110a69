package weakening

import (
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
)

// lostExamples lists the functions of Python whose documentation has fewer examples that are run
// as tests.
func (c *File) lostExamples() (all []Finding) {
	if c.Lang != syntax.Python || c.New == nil || c.Now.Tree == nil || c.Was.Tree == nil {
		return nil
	}
	now := examples(c.Now)
	for name, n := range examples(c.Was) {
		if left, there := now[name]; there && left < n {
			all = append(all, Finding{c.Path, name, Removed})
		}
	}
	return all
}

// examples counts the examples in the documentation of each function, by its name.
func examples(s *testcase.File) map[string]int {
	count := make(map[string]int)
	for i := range s.Tree.Nodes {
		node := int32(i)
		if !s.Tree.Function(node) || s.Anonymous(node) {
			continue
		}
		n := 0
		if first := s.NthChild(s.Tree.Body(node), 0); first >= 0 && s.Tree.Kind(first) == "expression_statement" &&
			source.IsLiteral(s.Tree.Kind(s.NthChildOr(first))) {
			n = strings.Count(s.Tree.Text(first), ">>> ")
		}
		count[s.Tree.FunctionName(node)] += n
	}
	return count
}
