package page

import (
	"fmt"
	"strings"
)

// An Attack is what a dishonest agent does, the rule that stops it, and how it ends.
type Attack struct{ Technique, Rule, How string }

// ByRule lists attacks under the rule that stops them, the rules in the order in
// which they first occur.
func ByRule(attacks []Attack) string {
	type outcome struct{ rule, how string }
	var order []outcome
	by := make(map[outcome][]string)
	for _, a := range attacks {
		o := outcome{a.Rule, a.How}
		if by[o] == nil {
			order = append(order, o)
		}
		by[o] = append(by[o], a.Technique)
	}
	var b strings.Builder
	for _, o := range order {
		fmt.Fprintf(&b, "**%s** (%s)\n\n", o.rule, o.how)
		for _, technique := range by[o] {
			fmt.Fprintf(&b, "- %s\n", technique)
		}
		b.WriteString("\n")
	}
	return b.String()
}
