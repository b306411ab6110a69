package testcase

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// isDataProvider reports whether a mark of a test names a function that gives it its cases.
func (s *File) isDataProvider(name string) bool {
	if name == "" {
		return false
	}
	if s.dataProviders == nil {
		s.dataProviders = make(map[string]bool)
		for _, m := range feeding.FindAllStringSubmatch(string(s.Src), -1) {
			s.dataProviders[m[1]] = true
		}
	}
	return s.dataProviders[name]
}

// feeding finds the names of what gives tests their cases.
var feeding = lazyregexp.MustCompile(`(?:@dataProvider\s+|DataProvider\(\s*["']|MethodSource\(\s*(?:value\s*=\s*)?["']|FieldSource\(\s*["']|(?:MemberData|TestCaseSource|DynamicData)\(\s*(?:nameof\(|["'])|parametrize\(\s*["'(][^\[\]{}]*?,\s*|\.each\(\s*|->with\(\s*["']?|\bfor\s+\(?\s*(?:const|let|var)?[\w\s,\[\]{}]*\b(?:in|of|range)\s+)([\pL_$][\pL\pN_$]*)`)

// tables returns the values that a test file declares for all of it, and that tests go
// through.
func (s *File) tables() (all []Case) {
	for i := int32(0); i < int32(len(s.Tree.Nodes)); i++ {
		if !s.Tree.Named(i) || s.Tree.Function(i) || s.FunctionAround(i) >= 0 {
			continue
		}
		left, right, ok := s.Assignment(i)
		if !ok || !s.isDataProvider(strings.TrimLeft(s.Tree.Text(left), "$")) {
			continue
		}
		n := s.Tree.Nodes[right]
		t := Case{Name: "helper " + s.Tree.Text(left), IsHelper: true, IsTable: true, Key: s.textKey(s.TokensIn(int(n.Start), int(n.End)))}
		t.Counts, _ = s.countIn(s.TokensIn(int(n.Start), int(n.End)), nil)
		all = append(all, t)
		i = s.Tree.Nodes[i].Next - 1
	}
	return all
}
