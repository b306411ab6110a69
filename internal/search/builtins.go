package search

import (
	"slices"
	"strings"

	"codeintel/internal/syntax"
)

// Members that values of the language's own types have. A name among them says
// little about who is meant.
var (
	pythonMembers = strings.Fields(`append extend insert remove pop clear index count sort reverse copy get items keys values update
		setdefault popitem add discard union intersection difference join split rsplit strip lstrip rstrip replace format encode decode
		startswith endswith find upper lower title read write readline readlines close flush seek tell send throw group groups match
		search sub name value args`)
	scriptMembers = strings.Fields(`push pop shift unshift splice slice concat join reverse sort map filter reduce forEach some every find
		findIndex includes indexOf keys values entries flat flatMap fill get set has delete clear add size length then catch finally
		toString valueOf call apply bind split replace trim match test exec charAt substring startsWith endsWith toLowerCase
		toUpperCase log error warn parse stringify next return throw name value type message remove append`)
	rubyMembers = strings.Fields(`each map select reject inject reduce find first last push pop shift join split size length keys values
		merge fetch dup freeze to_s to_i to_sym to_a new call send sort sort_by any all empty include name`)
	javaMembers = strings.Fields(`get set add remove put contains containsKey size isEmpty clear iterator next hasNext stream map filter
		collect forEach toString equals hashCode length charAt substring indexOf append close run call apply accept test of name value`)
)

// builtinMember reports whether a language's own types have a member of a name.
func builtinMember(l syntax.Language, name string) bool {
	switch l {
	case syntax.Python:
		return slices.Contains(pythonMembers, name)
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX, syntax.Vue, syntax.Svelte, syntax.HTML:
		return slices.Contains(scriptMembers, name)
	case syntax.Ruby:
		return slices.Contains(rubyMembers, name)
	case syntax.Java, syntax.CSharp, syntax.Kotlin, syntax.Scala, syntax.Swift:
		return slices.Contains(javaMembers, name)
	}
	return false
}
