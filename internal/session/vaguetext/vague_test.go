package vaguetext

import "testing"

func TestVague(t *testing.T) {
	for details, named := range map[string]bool{
		"all tests passed, no problems": false,
		"Everything works as expected.": false,
		"12 passed, 0 failed":           false,
		"python -m pytest: 2 passed":    true,
		"read a.txt and it is right":    true,
		"画面を開いて確認した":                    true,
	} {
		if Vague(details) == named {
			t.Errorf("Vague(%q) = %v", details, !named)
		}
	}
}
