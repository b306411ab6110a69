package proof

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	cheatsBegin = "<!-- cheats: written by go test ./proof -update -->\n"
	cheatsEnd   = "<!-- end of cheats -->\n"
)

// TestPage holds the table of docs/enforcement.md against the cheats there are.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| an agent | is held by the rule that | how |\n|---|---|---|\n")
	for _, c := range cheats {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.technique, c.rule, c.judge.how)
	}
	page, err := os.ReadFile(timesPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), cheatsBegin)
	had, after, ended := strings.Cut(rest, cheatsEnd)
	if !ok || !ended {
		t.Fatalf("%s has no place for the cheats", timesPage)
	}
	if had == b.String() {
		return
	}
	if !*update {
		t.Errorf("%s does not show the cheats as they are; go test ./proof -run TestPage -update", timesPage)
		return
	}
	if err := os.WriteFile(timesPage, []byte(before+cheatsBegin+b.String()+cheatsEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
