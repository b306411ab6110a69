package languages

import "strings"

// What the rows of several languages say of names.
const (
	cTyped      = `\bCAPITAL(?:<[^;\n]*>)?[&*\s]+NAME\s*[=;,)(:{]|\bNAME\s*=\s*new\s+CAPITAL`
	kotlinTyped = `\bNAME\s*:\s*CAPITAL\b|\bNAME\s*(?::[^=\n]*)?=\s*(?:new\s+)?CAPITAL(?:[\[<][^;\n(]*)?\(`
)

// javaMembers are members of the own types of Java and of what is like it.
var javaMembers = strings.Fields(`get set add remove put contains containsKey size isEmpty clear iterator next hasNext stream map filter
		collect forEach toString equals hashCode length charAt substring indexOf append close run call apply accept test of name value`)
