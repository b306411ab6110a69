package question

import (
	"fmt"
	"strings"
	"testing"
)

// TestExact holds what of a question is looked for as it is written, the most telling first.
func TestExact(t *testing.T) {
	kinds := map[ExactKind]string{Message: "message", Option: "option", Word: "word"}
	for text, want := range map[string]string{
		"where does --dry-run=full go":                                        "option dry-run",
		"`--notes` is ignored, as is --no-color.":                             "option notes, option no-color",
		"a -- dash, and x--y":                                                 "",
		"SHOP_HOME is not read on Windows":                                    "word SHOP_HOME",
		"it prints \"no separator 'x' is configured\"":                        "message is configured",
		"it says 'basket 12 does not exist' and ends":                         "message does not exist",
		"don't cut what isn't quoted, it's prose":                             "",
		"walk('A/b', { nocase: true }) finds nothing":                         "word nocase",
		"`quota` is kept, `cart.add(x)` is not":                               "word quota",
		"ValueError: cannot add to a closed basket":                           "message cannot add to a closed basket",
		"Error: basket <name> is locked by another process: pid 4711":         "message is locked by another process",
		"find `a b`, \"x\", --q":                                              "",
		"\"one two three\" 'four five six' \"seven\" `eight` NINE_10 --t-two": "message one two three, message four five six, option t-two, word seven, word eight",
	} {
		var got []string
		for _, e := range Analyse(text).Exact {
			got = append(got, fmt.Sprint(kinds[e.Kind], " ", e.Text))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %s; want %s", text, strings.Join(got, ", "), want)
		}
	}
	report := Analyse("Adding fails\n\nSince the upgrade `add` fails with --strict and I do not know why that is.\n\n" +
		"```\n$ shop add --quiet \"not this text\"\nBasketError: cannot add to a closed basket\n```\n" + strings.Repeat("It is so on all machines. ", 9))
	if got := fmt.Sprint(report.Exact); got != "[{cannot add to a closed basket 0} {strict 1} {add 2}]" {
		t.Errorf("a report: %s", got)
	}
}
