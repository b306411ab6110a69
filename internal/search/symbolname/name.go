// Package symbolname parses the names of symbols as people and models write them.
package symbolname

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// A Name is a symbol as people write it, taken apart: "(*bytes.Buffer).Write"
// is Write in [bytes Buffer].
type Name struct {
	Sent  string   // as it was sent
	Whole string   // without decoration
	Base  string   // the last part
	Scope []string // the parts before it, outermost first
}

// declarators are words that people copy along with a name.
var declarators = strings.Fields("func function fn def class struct interface trait enum type const var let async public private static")

// Parse takes a name apart. Separators of all languages count alike.
func Parse(s string) Name {
	s = strings.TrimSpace(s)
	sent := s
	for {
		word, rest, ok := strings.Cut(s, " ")
		if !ok || !slices.Contains(declarators, word) {
			break
		}
		s = strings.TrimSpace(rest)
	}
	if len(s) > 1 && s[0] == '\\' && strings.IndexByte("$@%&", s[1]) >= 0 {
		s = s[1:] // a reference of Perl
	}
	n := Name{Sent: sent, Whole: s, Base: s}
	plain := withoutTypeArguments(s)
	if strings.ContainsAny(plain, " \t") {
		return n // a heading, or an operator: no parts to find
	}
	if plain != s {
		n = Parse(plain)
		n.Sent, n.Whole = sent, s
		return n
	}
	call := cmp.Or(strings.TrimSuffix(s, "()"), s)
	if set, ok := strings.CutSuffix(call, "="); ok && endsName(set) && !strings.HasSuffix(set, "operator") {
		call = set // amount= of Ruby goes by the name of what it sets
	}
	if i := strings.IndexByte(call, '('); i > 0 && strings.HasSuffix(call, ")") {
		call = call[:i] // Get(url): a call as it stands in the text
	}
	if i := strings.LastIndexByte(call, '/'); i > 0 && i+1 < len(call) && strings.Trim(call[i+1:], "0123456789") == "" {
		call = call[:i] // reply/4: with the number of arguments, as in Erlang, Elixir and Prolog
	}
	n.Whole, n.Base = call, call
	if parts := Parts(strings.NewReplacer("(*", "", "(", "", ")", "").Replace(strings.TrimLeft(call, "&*"))); len(parts) > 0 {
		n.Base, n.Scope = parts[len(parts)-1], parts[:len(parts)-1]
	}
	return n
}

// maxNesting bounds how deep type arguments are taken off one another.
const maxNesting = 8

var typeArguments = lazyregexp.MustCompile(`\pL[\pL\pN_]*<[^<>=()]*>|\b\p{Lu}[\pL\pN_]*\[[\pL\pN_, .*]+\]`)

// withoutTypeArguments returns a name without the type arguments that languages write in angle or
// square brackets: Map of Map<String, List<T>>, List.push of List[int].push.
func withoutTypeArguments(s string) string {
	for range maxNesting {
		next := typeArguments.ReplaceAllStringFunc(s, func(part string) string {
			name := part[:strings.IndexAny(part, "<[")]
			if name == "operator" {
				return part
			}
			return name
		})
		if next == s {
			break
		}
		s = next
	}
	return s
}

// Parts takes a path of names apart at the separators of all languages.
func Parts(s string) []string {
	var parts []string
	from := 0
	part := func(to int) {
		if p := strings.TrimLeft(s[from:to], "*"); p != "" {
			parts = append(parts, p)
		}
	}
	for i := range len(s) {
		size := 0
		switch {
		case strings.HasPrefix(s[i:], "::"), strings.HasPrefix(s[i:], "->"):
			size = 2
		case s[i] == '.' || s[i] == '/' || s[i] == '\\':
			size = 1
		case (s[i] == '#' || s[i] == ':') && i > from: // "#id" is a selector and ":id" a symbol, Foo#bar and foo:bar are members
			size = 1
		}
		if size > 0 && i >= from {
			part(i)
			from = i + size
		}
	}
	part(len(s))
	return parts
}

// Forms returns the ways in which a name may be in a source, the given one
// first: PHP and shell variables with and without "$", selectors with and
// without their sign, names in backticks, components as MyButton and my-button.
func (n Name) Forms() []string {
	list := []string{n.Base}
	add := func(s string) {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(n.Whole)
	bare := strings.TrimLeft(n.Base, "$@%:#.")
	add(bare)
	if bare == n.Base && bare != "" && !strings.Contains(bare, " ") {
		add("$" + bare)
		add("@" + bare)
		add("." + bare)
		add("#" + bare)
	}
	if bare != "" && bare[0] != '`' {
		add("`" + bare + "`") // Kotlin, Swift and Scala: a keyword, or several words
	}
	add(strings.TrimSuffix(bare, "!")) // a macro of Rust as it is called
	switch {
	case strings.Contains(bare, "-") && !strings.HasPrefix(bare, "-"):
		add(Pascal(bare))
	case bare != "" && unicode.IsUpper(rune(bare[0])) && strings.IndexFunc(bare[1:], unicode.IsUpper) >= 0 &&
		strings.IndexFunc(bare, unicode.IsLower) >= 0:
		add(Kebab(bare))
	}
	return list
}

// Signless returns the name of a variable without the sign that its language writes before it:
// step of $step, ${step}, @step and %step; "" if it has none.
func (n Name) Signless() string {
	bare := strings.TrimLeft(n.Base, "$@%")
	if bare == n.Base {
		return ""
	}
	if inner, ok := strings.CutPrefix(bare, "{"); ok {
		bare = strings.TrimSuffix(inner, "}")
	}
	if bare == "" || strings.ContainsFunc(bare, func(r rune) bool { return !isWord(r) }) {
		return ""
	}
	return bare
}

// maxSplits bounds how often a name is treated as one of a scope.
const maxSplits = 16

// Shown returns what the last part of the name may be if it is written as answers write names,
// scope.name, longest first: parts may hold anything, as in Queue.[Symbol.iterator] and
// paths./orders.
func (n Name) Shown() []string {
	list := []string{n.Sent}
	for i := range len(n.Sent) - 1 {
		if n.Sent[i] == '.' && len(list) <= maxSplits {
			list = append(list, n.Sent[i+1:])
		}
	}
	return list
}

// Pascal turns my-button into MyButton.
func Pascal(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(s, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// Kebab turns MyButton into my-button.
func Kebab(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Fits reports whether a symbol lies in the scope that the name gives. The
// innermost part must be the symbol's own parent or, at the top level of a
// file, the file or its folder; outer parts may leave some out.
func (n Name) Fits(s *index.Symbol) bool {
	if len(n.Scope) == 0 {
		return true
	}
	if syntax.Of(s.Language).Names.Imports == syntax.ImportsFolder { // addresses are whole: data.a.b is no a.b
		return s.Scope == strings.Join(n.Scope, ".")
	}
	dir, file := path.Split(s.File)
	stem := strings.TrimSuffix(file, path.Ext(file))
	var around []string
	if dir = strings.TrimSuffix(dir, "/"); dir != "" {
		around = strings.Split(dir, "/")
	}
	around = append(around, stem)
	inner := 2 // how many of the last parts may be the innermost one: file or folder
	if s.Scope != "" {
		parts := Parts(s.Scope)
		around = append(around, parts...)
		inner = 1
		if len(parts) == 1 && syntax.Of(s.Language).Names.Table {
			inner = 2
			if stem == "init" {
				inner = 3
			}
		}
	}
	last := n.Scope[len(n.Scope)-1]
	at := -1
	for i := len(around) - 1; i >= max(0, len(around)-inner); i-- {
		if sameScope(around[i], last) {
			at = i
			break
		}
	}
	if at < 0 {
		return false
	}
	for i := len(n.Scope) - 2; i >= 0; i-- {
		for at--; at >= 0 && !sameScope(around[at], n.Scope[i]); at-- {
		}
		if at < 0 {
			return false
		}
	}
	return true
}

// Around returns what comes before and after a part of a line, of the path of names that it is
// a part of, with the separators: of Plug.Conn.Status, around Conn, "Plug." and ".Status".
func Around(line string, from, to int) (head, tail string) {
	at := from
	for {
		joint := join(line[:at], strings.HasSuffix)
		name := strings.TrimRightFunc(line[:at-joint], isWord)
		if joint == 0 || len(name) == at-joint {
			break
		}
		at = len(name)
	}
	end := to
	for {
		joint := join(line[end:], strings.HasPrefix)
		rest := strings.TrimLeftFunc(line[end+joint:], isWord)
		if joint == 0 || len(rest) == len(line)-end-joint {
			break
		}
		end = len(line) - len(rest)
	}
	return line[at:from], line[to:end]
}

// join returns the length of what joins names at one end of a text, 0 if nothing does.
func join(s string, at func(s, part string) bool) int {
	switch {
	case at(s, "::"):
		return 2
	case at(s, "."):
		return 1
	}
	return 0
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Nested reports whether one of two paths of names, in parts, ends in the other: Conn.Status in
// Plug.Conn.Status.
func Nested(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[len(a)-n:], b[len(b)-n:])
}

// Likeness says how much of the scope that the name gives ends as what a symbol lies in does,
// in letters: hs.window.filter as windowfilter.
func (n Name) Likeness(s *index.Symbol) int {
	asked := lettersOf(strings.Join(n.Scope, ""))
	stem := strings.TrimSuffix(path.Base(s.File), path.Ext(s.File))
	most := 0
	for _, around := range []string{s.Scope, stem, path.Dir(s.File)} {
		part := lettersOf(around)
		k := 0
		for k < min(len(asked), len(part)) && asked[len(asked)-1-k] == part[len(part)-1-k] {
			k++
		}
		most = max(most, k)
	}
	return most
}

// lettersOf returns the letters and digits of a name, without case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// sameScope compares a part of a scope with what was asked: type parameters
// and pointers do not count.
func sameScope(part, asked string) bool {
	if i := strings.IndexAny(part, "[<"); i > 0 {
		part = part[:i]
	}
	if i := strings.IndexAny(asked, "[<"); i > 0 {
		asked = asked[:i]
	}
	return strings.TrimLeft(part, "*&") == asked
}

// endsName reports whether a text ends as a name does that people choose.
func endsName(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}
