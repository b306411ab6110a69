package languages

import (
	"maps"
	"slices"
	"strings"
)

// What the rows of several languages say of names.
const (
	cTyped      = `\bCAPITAL(?:<[^;\n]*>)?[&*\s]+NAME\s*[=;,)(:{]|\bNAME\s*=\s*new\s+CAPITAL`
	kotlinTyped = `\bNAME\s*:\s*CAPITAL\b|\bNAME\s*(?::[^=\n]*)?=\s*(?:new\s+)?CAPITAL(?:[\[<][^;\n(]*)?\(`
)

// javaMembers are members of the own types of Java and of what is like it.
var javaMembers = strings.Fields(`get set add remove put contains containsKey size isEmpty clear iterator next hasNext stream map filter
		collect forEach toString equals hashCode length charAt substring indexOf append close run call apply accept test of name value`)

// mergeWords returns the words of two tables together. A word that both list is
// where more lists it.
func mergeWords[K comparable](base, more map[K]string) map[K]string {
	listed := strings.Fields(strings.Join(slices.Collect(maps.Values(more)), " "))
	all := maps.Clone(more)
	for key, words := range base {
		for word := range strings.FieldsSeq(words) {
			if !slices.Contains(listed, word) {
				all[key] += " " + word
			}
		}
	}
	return all
}

// merged returns the entries of two maps; of a key that both have, the entry of b.
func merged[V any](a, b map[string]V) map[string]V {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}
