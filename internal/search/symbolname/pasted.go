package symbolname

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index"
)

// How much of a declaration that was copied is looked at.
const (
	maxPasted     = 24 // words
	maxOfOneName  = 200
	maxLinesAfter = 3
)

// Pasted reports whether a name may be a declaration as it stands in the code, with more than
// the name: func (m *Manager) RemoveUser(id string).
func (n Name) Pasted() bool { return strings.ContainsAny(n.Whole, " \t(") }

// Declared returns the symbols whose declaration has the words of what was pasted, in their order.
// lines gives some lines of a file.
func (n Name) Declared(
	ctx context.Context, x *index.Index, lines func(file string, start, end int) []byte,
) (found []index.Symbol, err error) {
	words := strings.FieldsFunc(n.Sent, func(r rune) bool { return !isWord(r) })
	words = words[:min(len(words), maxPasted)]
	for i, name := range words {
		if slices.Contains(words[:i], name) {
			continue
		}
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Match: index.Exact, Limit: maxOfOneName})
		if err != nil {
			return nil, fmt.Errorf("symbolname: symbols of %q: %w", name, err)
		}
		for _, s := range list {
			head := string(lines(s.File, s.StartLine, min(s.EndLine, max(s.NameLine, s.StartLine)+maxLinesAfter)))
			if inOrder(head, words) || inOrder(s.Signature, words) {
				found = append(found, s)
			}
		}
	}
	all := slices.Clone(found)
	return slices.DeleteFunc(found, func(s index.Symbol) bool { // a parameter, or a member on the same line
		return slices.ContainsFunc(all, func(o index.Symbol) bool {
			return o.File == s.File && o.Start <= s.Start && s.End <= o.End && o.End-o.Start > s.End-s.Start
		})
	}), nil
}

// inOrder reports whether a text has words one after the other, others between them or not.
func inOrder(s string, words []string) bool {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !isWord(r) }) {
		if len(words) > 0 && w == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}
