package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type longAnswer struct {
	Title string            `json:"title"`
	Lines []string          `json:"lines"`
	Inner map[string][]int  `json:"inner,omitempty"`
	Deep  []map[string]any  `json:"deep,omitempty"`
	Small map[string]string `json:"small,omitempty"`
}

func (a *longAnswer) Text() string { return a.Title + "\n" + strings.Join(a.Lines, "\n") }

// TestEncodeKeepsWithin makes answers too long in each way an answer can be, and
// wants valid JSON of the same shape within the budget that says what is missing.
func TestEncodeKeepsWithin(t *testing.T) {
	lines := make([]string, 3000)
	numbers := make([]int, 20000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of the answer", i)
	}
	for name, a := range map[string]*longAnswer{
		"a long list":             {Title: "t", Lines: lines},
		"a long string":           {Title: strings.Repeat("word ", 20000)},
		"Japanese":                {Title: strings.Repeat("日本語", 20000), Lines: []string{"x"}},
		"one element of a list":   {Title: "t", Lines: []string{strings.Repeat("x", 60000)}},
		"a list in a map":         {Title: "t", Inner: map[string][]int{"a": numbers}},
		"a list in a list":        {Title: "t", Deep: []map[string]any{{"x": lines}}},
		"two long ones":           {Title: strings.Repeat("t", 30000), Lines: lines},
		"white space and escapes": {Title: strings.Repeat("\"\n\t", 20000)},
	} {
		for _, budget := range []int{narrowBudget, wideBudget} {
			data, text, _, err := encode(a, budget)
			if err != nil {
				t.Fatal(err)
			}
			if n := weigh(data); n > budget {
				t.Errorf("%s: the JSON weighs %d, more than %d", name, n, budget)
			}
			if n := weigh(text); n > budget {
				t.Errorf("%s: the text weighs %d, more than %d", name, n, budget)
			}
			var back struct {
				longAnswer
				Truncated string `json:"truncated"`
			}
			if err := json.Unmarshal(data, &back); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if whole, _ := marshal(a); weigh(whole) > budget && back.Truncated == "" {
				t.Errorf("%s: the answer was cut in silence", name)
			}
			if n := weigh(data); n < budget/5 {
				t.Errorf("%s: only %d of %d are used", name, n, budget)
			}
		}
	}
}

func TestEncodeLeavesShortAnswersAlone(t *testing.T) {
	data, text, _, err := encode(&longAnswer{Title: "a < b && c", Lines: []string{}}, narrowBudget)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"title":"a < b && c","lines":[]}`; string(data) != want || text != "a < b && c\n" {
		t.Errorf("got %s and %q, want %s", data, text, want)
	}
}

func TestBudgetOf(t *testing.T) {
	for name, want := range map[string]int{"claude-code": wideBudget, "codex-mcp-client": narrowBudget, "somebody": narrowBudget, "": narrowBudget} {
		if got := budgetOf(&mcp.Implementation{Name: name}); got != want {
			t.Errorf("%q gets %d, want %d", name, got, want)
		}
	}
	if got := budgetOf(nil); got != narrowBudget {
		t.Errorf("nobody gets %d, want %d", got, narrowBudget)
	}
}
