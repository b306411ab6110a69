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
	return forms[strings.ToLower(method)]
}
