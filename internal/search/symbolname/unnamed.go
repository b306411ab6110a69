package symbolname

import (
	"strings"

	"codeintel/internal/syntax"
)

// Unnamed returns how a language calls a method of a name without its name, "" if it is not
// known to do so. Where case does not count, the names that are known have small letters.
func Unnamed(l syntax.Language, method string) string {
	forms := syntax.Of(l).Names.Unnamed
	if form, ok := forms[method]; ok {
		return form
	}
	if l == syntax.CPP || l == syntax.C || l == syntax.CSharp || l == syntax.Ruby { // uses of operators are no occurrences
		if form := operatorForm(method); form != "" {
			return form
		}
	}
	return forms[strings.ToLower(method)]
}

// operatorForm returns how an operator, a conversion or a destructor is called, "" for other methods.
func operatorForm(method string) string {
	sign, operator := strings.CutPrefix(method, "operator")
	sign = strings.TrimSpace(sign)
	switch {
	case operator && endsName(sign):
		return sign + "(a)"
	case strings.HasPrefix(method, "~") && endsName(method):
		return "delete a"
	case method == "this[]":
		return "a[b]"
	case endsName(method) || sign == "" || strings.ContainsFunc(sign, isWord):
		return ""
	case strings.HasPrefix(sign, "["):
		return "a[b]"
	case sign == "()":
		return "a(b)"
	case sign == "->", sign == "++", sign == "--", sign == "->*":
		return "a" + sign
	}
	return "a " + strings.TrimSuffix(sign, "@") + " b"
}
