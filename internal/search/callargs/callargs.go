// Package callargs parses the arguments of calls in source text, to count them and compare them with
// parameters.
package callargs

import "bytes"

// Named finds the arguments of a call that are passed by a name, in the text behind the
// name of what is called. sign comes after the name.
func Named(code []byte, label string, sign byte) (found []int) {
	depth, begins := 0, false
	for i := 0; i < len(code); i++ {
		c := code[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' && depth > 0:
			continue
		case c == '"':
			i = behindString(code, i)
		case c == '/' && i+1 < len(code) && code[i+1] == '/':
			i += max(0, bytes.IndexByte(code[i:], '\n'))
			continue
		case c == '(' || c == '[' || c == '{':
			if depth == 0 && c == '{' {
				return found
			}
			depth++
			begins = depth == 1 && c == '('
			continue
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				return found
			}
		case depth == 0 && c != '?' && c != '!' && c != '<':
			return found // no call, or its end
		case c == '<' && depth == 0:
			end := bytes.IndexByte(code[i:], '>')
			if end < 0 {
				return found
			}
			i += end
		case c == ',' && depth == 1:
			begins = true
			continue
		case begins && isNamedArgument(code[i:], label, sign):
			found = append(found, i)
		}
		begins = false
	}
	return found
}

// isNamedArgument reports whether a text begins with a name and a sign, and that is no operator.
func isNamedArgument(code []byte, label string, sign byte) bool {
	rest, ok := bytes.CutPrefix(code, []byte(label))
	rest = bytes.TrimLeft(rest, " \t")
	return ok && len(rest) > 1 && rest[0] == sign && (sign != '=' || rest[1] != '=' && rest[1] != '>')
}

// behindString returns where a string in quotes ends, or the line does.
func behindString(code []byte, i int) int {
	for i++; i < len(code) && code[i] != '"' && code[i] != '\n'; i++ {
		if code[i] == '\\' {
			i++
		}
	}
	return i
}
