package e2e

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/test/e2e/page"
)

// TestPage holds the table of docs/design/enforcement.md against the attacks there are.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| an agent | rule that stops it | result |\n|---|---|---|\n")
	for _, c := range attacks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.technique, c.rule, c.judge.how)
	}
	page.Hold(t, "../..", "attacks", b.String(), *update)
}
