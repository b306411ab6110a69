package codediff

import (
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/testrun"
)

var (
	// nullSQL finds a value that is nothing, writtenSQL one that is written out.
	nullSQL    = lazyregexp.MustCompile(`(?i)^(?:null|cast\s*\(\s*null\s+as\s+[\w ]+\))(?:\s*::\s*[\w ]+)?$`)
	writtenSQL = lazyregexp.MustCompile(`(?i)^(?:-?\d[\d.]*|'[^']*'|true|false)(?:\s*::\s*[\w ]+)?$`)
	// givesNothing finds the body of a function that only returns nothing; triggers may.
	givesNothing = lazyregexp.MustCompile(`(?is)\bAS\s+(?:\$\w*\$|')\s*(?:DECLARE\b.*?)?BEGIN\s+RETURN\s+NULL\s*;\s*END\b`)
	ofTrigger    = lazyregexp.MustCompile(`(?i)\breturns\s+(?:event_)?trigger\b`)
	// equal finds the sign by which SQL compares.
	equal = lazyregexp.MustCompile(`([^<>!=])=([^=])`)
)

// idleSQL reports whether a statement is for no row, or makes a view or a function that gives nothing,
// or the same whatever it is given.
func (s *side) idleSQL(node int32) bool {
	switch s.tree.Kind(node) {
	case "statement":
		for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
			if s.tree.Kind(i) == "statement" || s.tree.Kind(i) == "subquery" {
				i = s.tree.Nodes[i].Next - 1
			} else if w := s.tree.Field(i, "predicate"); s.tree.Kind(i) == "where" && w >= 0 &&
				expression.Evaluate(equal.ReplaceAllString(s.tree.Text(w), "$1==$2")) == expression.No {
				return true
			}
		}
	case "create_view", "create_materialized_view", "create_function":
		text := s.tree.Text(node)
		return !ofTrigger.MatchString(text) && (givesNothing.MatchString(text) || s.selectsNothing(node))
	}
	return false
}

// selectsNothing reports whether all that a view or function selects is written out: nothing, or, of a
// function that is given something, a value.
func (s *side) selectsNothing(node int32) bool {
	values, given := 0, false
	for i := node + 1; i < s.tree.Nodes[node].Next; i++ {
		switch s.tree.Kind(i) {
		case "from", "insert", "update", "delete", "invocation":
			return false
		case "function_argument":
			given = true
		case "term":
			text := s.tree.Text(s.tree.Field(i, "value"))
			if !nullSQL.MatchString(text) && !(given && writtenSQL.MatchString(text)) {
				return false
			}
			values++
		}
	}
	return values > 0
}

// testsOfSQL lists what a file of pgTAP asserts no more, and what in it cannot fail.
func (c *compared) testsOfSQL() (all []Weakening) {
	if testrun.SQLAssertsLess(c.New, c.Base) {
		all = append(all, Weakening{c.Path, "", Expectations})
	}
	if testrun.SQLPassesMore(c.New, c.Base) {
		all = append(all, Weakening{c.Path, "", CannotFail})
	}
	return all
}
