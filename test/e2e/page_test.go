package e2e

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

// TestPage compares the list in docs/design/attacks.md, and what is counted of it, with the attacks.
func TestPage(t *testing.T) {
	refused, denied := 0, 0
	shown := make([]page.Attack, 0, len(attacks))
	for _, c := range attacks {
		shown = append(shown, page.Attack{Technique: c.technique, Rule: c.rule, How: c.judge.how})
		if strings.HasPrefix(c.judge.how, "refused: ") {
			refused++
		}
		if strings.HasSuffix(c.judge.how, "by `check_write_target`") {
			denied++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d attacks: %d are refused with a code (%d of them by `check_write_target`, which answers no), %d end otherwise.\n\n",
		len(attacks), refused, denied, len(attacks)-refused)
	b.WriteString(page.ByRule(shown))
	page.Hold(t, "../..", "attacks", b.String(), golden.Update())
}
