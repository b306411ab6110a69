package codediff

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// feedsTests reports whether a mark of a test names a function that gives it its cases.
func (s *side) feedsTests(name string) bool {
	if name == "" {
		return false
	}
	if s.feeds == nil {
		s.feeds = make(map[string]bool)
		for _, m := range feeding.FindAllStringSubmatch(string(s.src), -1) {
			s.feeds[m[1]] = true
		}
	}
	return s.feeds[name]
}

// feeding finds the names of what gives tests their cases.
var feeding = lazyregexp.MustCompile(`(?:@dataProvider\s+|DataProvider\(\s*["']|MethodSource\(\s*(?:value\s*=\s*)?["']|FieldSource\(\s*["']|(?:MemberData|TestCaseSource|DynamicData)\(\s*(?:nameof\(|["'])|parametrize\(\s*["'(][^\[\]{}]*?,\s*|\.each\(\s*|->with\(\s*["']?|\bfor\s+\(?\s*(?:const|let|var)?[\w\s,\[\]{}]*\b(?:in|of|range)\s+)([\pL_$][\pL\pN_$]*)`)

// tables returns the values that a test file declares for all of it, and that tests go
// through.
func (s *side) tables() (all []testcase) {
	for i := int32(0); i < int32(len(s.tree.Nodes)); i++ {
		if !s.tree.Named(i) || s.tree.Function(i) || s.functionAround(i) >= 0 {
			continue
		}
		left, right, ok := s.assignment(i)
		if !ok || !s.feedsTests(strings.TrimLeft(s.tree.Text(left), "$")) {
			continue
		}
		n := s.tree.Nodes[right]
		t := testcase{name: "helper " + s.tree.Text(left), helper: true, table: true, key: s.textKey(s.live(int(n.Start), int(n.End)))}
		t.weights, _ = s.weigh(s.live(int(n.Start), int(n.End)), nil)
		all = append(all, t)
		i = s.tree.Nodes[i].Next - 1
	}
	return all
}
