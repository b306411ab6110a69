package codediff

import (
	"strings"

	"codeintel/internal/syntax"
)

// lostExamples lists the functions of Python whose documentation holds fewer examples that are run
// as tests.
func (c *compared) lostExamples() (all []Weakening) {
	if c.lang != syntax.Python || c.New == nil || c.now.tree == nil || c.was.tree == nil {
		return nil
	}
	now := c.now.examples()
	for name, n := range c.was.examples() {
		if left, there := now[name]; there && left < n {
			all = append(all, Weakening{c.Path, name, Removed})
		}
	}
	return all
}

// examples counts the examples in the documentation of each function, by its name.
func (s *side) examples() map[string]int {
	count := make(map[string]int)
	for i := range s.tree.Nodes {
		node := int32(i)
		if !s.tree.Function(node) || s.anonymous(node) {
			continue
		}
		n := 0
		if first := s.nthChild(s.tree.Body(node), 0); first >= 0 && s.tree.Kind(first) == "expression_statement" &&
			isLiteral(s.tree.Kind(s.nthChildOr(first))) {
			n = strings.Count(s.tree.Text(first), ">>> ")
		}
		count[s.tree.FunctionName(node)] += n
	}
	return count
}
