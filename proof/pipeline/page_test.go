package pipeline

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/enforcement.md")

const (
	pageBegin = "<!-- pipeline cheats: written by go test ./proof/pipeline -update -->\n"
	pageEnd   = "<!-- end of pipeline cheats -->\n"
)

// TestPage holds the table of docs/enforcement.md against the cheats there are.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| an orchestrator | is held by the rule that | how |\n|---|---|---|\n")
	for _, c := range cheats {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.technique, c.rule, c.judge.how)
	}
	const file = "../../docs/enforcement.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), pageBegin)
	had, after, ended := strings.Cut(rest, pageEnd)
	switch {
	case !ok || !ended:
		t.Fatalf("%s has no place for %s", file, strings.TrimSpace(pageBegin))
	case had == b.String():
	case !*update:
		t.Errorf("%s does not show this as it is; go test ./proof/pipeline -run TestPage -update:\n%s", file, b.String())
	default:
		if err := os.WriteFile(file, []byte(before+pageBegin+b.String()+pageEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
