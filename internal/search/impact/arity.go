package impact

import (
	"fmt"
	"regexp"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// An arity is how many arguments a function takes.
type arity struct{ min, max int }

const (
	anyNumber   = 1 << 20
	longestCall = 30  // lines
	longestHead = 195 // characters of a signature: a longer one may be cut
)

func (a arity) fits(n int) bool { return a.min <= n && n <= a.max }

func (a arity) String() string {
	switch {
	case a.max == anyNumber:
		return fmt.Sprintf("%d or more", a.min)
	case a.min < a.max:
		return fmt.Sprintf("%d to %d", a.min, a.max)
	}
	return fmt.Sprint(a.min)
}

var (
	receiver = lazyregexp.MustCompile(`^(?:self|cls|&(?:'\w+ )?(?:mut )?self|mut self)(?::.*)?$`)
	keyword  = lazyregexp.MustCompile(`^\w+\s*=[^=]`)
	optional = lazyregexp.MustCompile(`^(?:\w+ )*\w+\?\s*(?::|$)|(?:^|[^=<>!])=(?:[^=>]|$)`)
)

// parametersOf counts the parameters of a declaration; false where it cannot be told how
// many arguments it takes.
func parametersOf(lang syntax.Language, s *syntax.Symbol) (a arity, ok bool) {
	if !syntax.Of(lang).Counted || len(s.Signature) > longestHead {
		return a, false
	}
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(s.Name) + `\s*[\[<(]`).FindStringIndex(s.Signature)
	if at == nil {
		return a, false
	}
	list, ok := arguments(s.Signature[at[1]-1:])
	if !ok {
		return a, false
	}
	for i, p := range list {
		switch {
		case i == 0 && receiver.MatchString(p):
			if lang == syntax.Rust || s.Scope == "" {
				return a, false
			}
			continue
		case p == "/" && lang == syntax.Python:
			continue
		case p == "*", strings.HasPrefix(p, "**"), strings.HasPrefix(p, "this "), strings.HasPrefix(p, "this:"):
			return a, false // arguments that go by name, or are written elsewhere
		case strings.HasPrefix(p, "*") && lang == syntax.Python, strings.Contains(p, "..."), strings.HasPrefix(p, "params "):
			a.max = anyNumber
			continue
		case lang != syntax.Go && optional.MatchString(p):
			a.max++
			continue
		}
		a.min++
		a.max++
	}
	a.max = min(a.max, anyNumber)
	return a, true
}

// argumentsAt counts the arguments of a call of a name that is at a column of the first
// line of a text; false if their number cannot be told.
func argumentsAt(lang syntax.Language, text string, column int, name string) (int, bool) {
	if column < 1 || column > len(text) || !strings.HasPrefix(text[column-1:], name) {
		return 0, false
	}
	list, ok := arguments(text[column-1+len(name):])
	for _, a := range list {
		named := lang == syntax.Python && keyword.MatchString(a)
		if named || strings.HasPrefix(a, "*") && lang == syntax.Python || strings.Contains(a, "...") ||
			strings.HasPrefix(a, "|") || strings.HasPrefix(a, "move ") {
			return 0, false
		}
	}
	if lang == syntax.Go && len(list) == 1 && strings.HasSuffix(list[0], ")") {
		return 0, false // it may give several values
	}
	return len(list), ok
}

// arguments takes apart what is in the parentheses that a text begins with, after type
// parameters if there are any.
func arguments(text string) (list []string, ok bool) {
	text = strings.TrimLeft(text, " ")
	if text != "" && (text[0] == '<' || text[0] == '[') {
		n := closingBracket(text)
		if n < 0 {
			return nil, false
		}
		text = strings.TrimLeft(text[n+1:], " ")
	}
	if text == "" || text[0] != '(' {
		return nil, false
	}
	end := closingBracket(text)
	if end < 0 {
		return nil, false
	}
	start, depth := 1, 0
	add := func(to int) {
		if a := strings.TrimSpace(text[start:to]); a != "" {
			list = append(list, a)
		}
		start = to + 1
	}
	for i := 1; i < end; i++ {
		n := skipped(text, i)
		if n > i {
			i = n - 1
			continue
		}
		switch c := text[i]; {
		case strings.IndexByte("([{", c) >= 0, c == '<' && opensTypes(text, i):
			depth++
		case strings.IndexByte(")]}", c) >= 0, c == '>' && depth > 0 && closesTypes(text, i):
			depth--
		case c == ',' && depth == 0:
			add(i)
		}
	}
	add(end)
	return list, true
}

// closingBracket returns where the bracket closes that a text begins with, or -1.
func closingBracket(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		if n := skipped(text, i); n > i {
			i = n - 1
			continue
		}
		switch c := text[i]; {
		case strings.IndexByte("([{", c) >= 0, c == '<' && (i == 0 || opensTypes(text, i)):
			depth++
		case strings.IndexByte(")]}", c) >= 0, c == '>' && closesTypes(text, i):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// typeArguments are what may be in angle brackets.
var typeArguments = lazyregexp.MustCompile(`^<[\w\s,.?&|\[\]:'<>]*>`)

func opensTypes(text string, i int) bool {
	return i > 0 && isWord(text[i-1]) && typeArguments.MatchString(text[i:])
}

// closesTypes reports whether a ">" is a bracket: one that a row of type arguments ends
// with, that begins further up.
func closesTypes(text string, i int) bool {
	if i > 0 && (text[i-1] == '-' || text[i-1] == '=') {
		return false
	}
	depth := 0
	for k := i - 1; k >= 0; k-- {
		switch {
		case text[k] == '>':
			depth++
		case text[k] == '<' && depth > 0:
			depth--
		case text[k] == '<':
			return k == 0 || opensTypes(text, k)
		case !isWord(text[k]) && strings.IndexByte(" ,.?&|[]:'", text[k]) < 0:
			return false
		}
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ':'
}

// lifetime is what looks like the begin of a string in Rust.
var lifetime = lazyregexp.MustCompile(`^'\w+[^\w']`)

// skipped returns where the string or the comment ends that begins at i, or i.
func skipped(text string, i int) int {
	switch c := text[i]; {
	case c == '"' || c == '`' || c == '\'':
		if c == '\'' && i > 0 && strings.IndexByte("&<", text[i-1]) >= 0 && lifetime.MatchString(text[i:]) {
			return i + 1
		}
		for k := i + 1; k < len(text); k++ {
			switch text[k] {
			case '\\':
				k++
			case c:
				return k + 1
			}
		}
		return len(text)
	case strings.HasPrefix(text[i:], "//"):
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	case strings.HasPrefix(text[i:], "/*"):
		if n := strings.Index(text[i:], "*/"); n >= 0 {
			return i + n + 2
		}
		return len(text)
	}
	return i
}
