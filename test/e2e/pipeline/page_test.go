package pipeline

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"codeintel/test/e2e/page"
)

var update = flag.Bool("update", false, "rewrite the table of docs/design/enforcement.md")

// TestPage compares the table in docs/design/enforcement.md with the attacks.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| an orchestrator | rule that stops it | result |\n|---|---|---|\n")
	for _, c := range attacks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.technique, c.rule, c.judge.how)
	}
	page.Hold(t, "../../..", "pipeline attacks", b.String(), *update)
}
