package artifact

import (
	"fmt"
	"testing"
)

func TestSameWords(t *testing.T) {
	const said = "## Verdict: PASS\n\n## Criteria\n\n- the criterion holds, as the change and its callers show → `%s:2`\n\nThe diff was read line by line and the tests of %s were run without a failure.\n"
	fill := func(form, span, name string) string { return fmt.Sprintf(form, span, name) }
	for _, tt := range []struct {
		name, a, b string
		about      []string
		want       bool
	}{
		{"files", fill(said, "greet.py", "greet.py"), fill(said, "farewell.py", "farewell.py"), nil, true},
		{"numbers and names", fill(said, "a.go", "task1"), fill(said, "b.go", "parseDate"), nil, true},
		{"the words of the tasks", fill(said, "a.go", "greeting"), fill(said, "b.go", "goodbye"), []string{"Say goodbye", "A greeting by name"}, true},
		{"another finding", fill(said, "a.go", "x1") + "The date is parsed twice.\n", fill(said, "b.go", "x2"), nil, false},
		{"a short one", "## Verdict: PASS\n\n## Criteria\n\n- it is there → `a.go:1`\n\nNo findings.\n", "## Verdict: PASS\n\n## Criteria\n\n- it is there → `b.go:1`\n\nNo findings.\n", nil, false},
		{"the plan's own criteria", "- the greeting is printed in every language that the program knows and the names are kept → `a.go:1`\n\nNone.\n",
			"- the greeting is printed in every language that the program knows and the names are kept → `b.go:1`\n\nNone.\n",
			[]string{"the greeting is printed in every language that the program knows and the names are kept"}, false},
		{"Japanese", "- 名前で挨拶する処理は呼び出し元も含めて正しく、テストも失敗しない → `a.go:1`\n差分を最初から最後まで読んだが問題はなかった。\n",
			"- 名前で挨拶する処理は呼び出し元も含めて正しく、テストも失敗しない → `b.go:7`\n差分を最初から最後まで読んだが問題はなかった。\n", nil, true},
	} {
		if got := SameWords(tt.a, tt.b, tt.about...); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
