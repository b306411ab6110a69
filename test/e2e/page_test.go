package e2e

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

// TestPage compares the table in docs/design/enforcement.md with the attacks.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| an agent | rule that stops it | result |\n|---|---|---|\n")
	for _, c := range attacks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.technique, c.rule, c.judge.how)
	}
	page.Hold(t, "../..", "attacks", b.String(), golden.Update())
}
