package noeffect

import (
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
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

// sqlWithoutEffect reports whether a statement is for no row, or makes a view or a function that gives nothing,
// or the same whatever it is given.
func (s *Analysis) sqlWithoutEffect(node int32) bool {
	switch s.Tree.Kind(node) {
	case "statement":
		for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
			if s.Tree.Kind(i) == "statement" || s.Tree.Kind(i) == "subquery" {
				i = s.Tree.Nodes[i].Next - 1
			} else if w := s.Tree.Field(i, "predicate"); s.Tree.Kind(i) == "where" && w >= 0 &&
				expression.Evaluate(equal.ReplaceAllString(s.Tree.Text(w), "$1==$2")) == expression.No {
				return true
			}
		}
	case "create_view", "create_materialized_view", "create_function":
		text := s.Tree.Text(node)
		return !ofTrigger.MatchString(text) && (givesNothing.MatchString(text) || s.selectsNothing(node))
	}
	return false
}

// selectsNothing reports whether all that a view or function selects is written out: nothing, or, of a
// function that is given something, a value.
func (s *Analysis) selectsNothing(node int32) bool {
	values, given := 0, false
	for i := node + 1; i < s.Tree.Nodes[node].Next; i++ {
		switch s.Tree.Kind(i) {
		case "from", "insert", "update", "delete", "invocation":
			return false
		case "function_argument":
			given = true
		case "term":
			text := s.Tree.Text(s.Tree.Field(i, "value"))
			if !nullSQL.MatchString(text) && !(given && writtenSQL.MatchString(text)) {
				return false
			}
			values++
		}
	}
	return values > 0
}
