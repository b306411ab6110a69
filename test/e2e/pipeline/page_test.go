package pipeline

import (
	"fmt"
	"testing"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

// TestPage compares the list in docs/design/attacks.md with the attacks.
func TestPage(t *testing.T) {
	shown := make([]page.Attack, 0, len(attacks))
	for _, c := range attacks {
		shown = append(shown, page.Attack{Technique: c.technique, Rule: c.rule, How: c.judge.how})
	}
	text := fmt.Sprintf("%d attacks.\n\n%s", len(shown), page.ByRule(shown))
	page.Hold(t, "../../..", "pipeline attacks", text, golden.Update())
}
