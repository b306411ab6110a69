package e2e

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

// TestPage compares the table in docs/design/enforcement.md, and what is counted of it, with the attacks.
func TestPage(t *testing.T) {
	refused, denied := 0, 0
	for _, c := range attacks {
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
	b.WriteString("| an agent | rule that stops it | result |\n|---|---|---|\n")
	for _, c := range attacks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.technique, c.rule, c.judge.how)
	}
	page.Hold(t, "../..", "attacks", b.String(), golden.Update())
}
