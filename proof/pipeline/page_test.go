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
	onPage(t, pageBegin, pageEnd, b.String(), *update)
}

// onPage holds what stands between two marks of docs/enforcement.md against a text,
// or writes it there.
func onPage(t *testing.T, begin, end, text string, write bool) {
	t.Helper()
	const file = "../../docs/enforcement.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	had, after, ended := strings.Cut(rest, end)
	switch {
	case !ok || !ended:
		t.Fatalf("%s has no place for %s", file, strings.TrimSpace(begin))
	case had == text:
	case !write:
		t.Errorf("%s does not show this as it is; go test ./proof/pipeline -run Page -update:\n%s", file, text)
	default:
		if err := os.WriteFile(file, []byte(before+begin+text+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
