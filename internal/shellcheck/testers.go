package shellcheck

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed testers.txt
var testersText string

// testers are the calls by which projects run their tests and checks, as patterns of
// words.
var testers = sync.OnceValue(func() (calls [][]string) {
	for line := range strings.Lines(testersText) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			calls = append(calls, words)
		}
	}
	return calls
})

// runsTests reports whether a call runs the tests or checks of a project. Options may be
// between the words of the table, and anything behind them.
func runsTests(args []word) bool {
	return slices.ContainsFunc(testers(), func(call []string) bool {
		for i, a := range args {
			name := a.text
			if i == 0 {
				name = path.Base(name)
			}
			ok, _ := path.Match(call[0], name)
			switch {
			case ok && len(call) == 1:
				return true
			case ok:
				call = call[1:]
			case i == 0 || !strings.HasPrefix(a.text, "-"):
				return false
			}
		}
		return false
	})
}
