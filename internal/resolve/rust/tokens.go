package rust

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// codeIn reads the arguments of a macro as code: as expressions between commas, or as
// statements. nil if they are neither.
func codeIn(u *resolve.Unit, tokens int32) *resolve.Unit {
	m, key := memoryOf(u), resolve.NodeKey{Unit: u, Node: tokens}
	if code, ok := m.tokens[key]; ok {
		return code
	}
	m.tokens[key] = nil
	text := u.Text(tokens)
	if len(text) < 2 {
		return nil
	}
	inner := text[1 : len(text)-1]
	blank := strings.TrimRight(inner, ", \t\r\n") // a comma at the end is one of the macro
	forms := [][2]string{{"fn f(){g(", ");}"}, {"fn f(){[", "];}"}, {"fn f(){", "}"}}
	if name := u.Text(lastOf(u, u.Child(u.Parent(tokens), "macro"))); strings.HasSuffix(name, "matches") {
		if i := topComma(blank); i >= 0 { // a value and a pattern
			blank = blank[:i] + "{" + blank[i+1:]
			forms = [][2]string{{"fn f(){match ", "=>{}}}"}}
		}
	}
	for _, form := range forms {
		p := resolve.ParseText(form[0]+blank+form[1], syntax.Rust)
		if p == nil || broken(p) {
			continue
		}
		code := u.Part(p, tokens, u.Nodes[tokens].Start+1-uint32(len(form[0])))
		bind(code)
		m.tokens[key] = code
		return code
	}
	return nil
}

// topComma is where the first comma outside of brackets is, or -1.
func topComma(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// broken reports whether a tree has errors.
func broken(p *resolve.Parsed) bool {
	for i := range p.Nodes {
		if n := int32(i); p.Kind(n) == "ERROR" || p.Missing(n) {
			return true
		}
	}
	return false
}

// firstArgument is the first expression of a macro's arguments, or -1.
func firstArgument(code *resolve.Unit) int32 {
	for i := range code.Nodes {
		if k := code.Kind(int32(i)); k == "arguments" || k == "array_expression" {
			return code.First(int32(i))
		}
	}
	return -1
}

// inTokens returns what a name in the arguments of a macro means. ok is false if they
// cannot be read as code.
func inTokens(r *resolve.Resolver, u *resolve.Unit, n int32) (m resolve.Meaning, ok bool) {
	outer := int32(-1)
	for p := u.Parent(n); p >= 0; p = u.Parent(p) {
		switch u.Kind(p) {
		case "token_tree":
			outer = p
		case "macro_definition":
			return m, false
		}
	}
	if outer < 0 || u.Kind(u.Parent(outer)) != "macro_invocation" {
		return m, false
	}
	code := codeIn(u, outer)
	if code == nil {
		return m, false
	}
	at := u.Nodes[n].Start - code.Offset
	for i := range code.Nodes {
		c := int32(i)
		if code.Nodes[c].Start == at && code.Text(c) == u.Text(n) && resolve.IsName(code.Kind(c)) {
			return meaningOf(r, code, c), true
		}
	}
	return m, false
}

// tokenPath resolves a name among tokens that are not read as code, such as the body of
// a macro, by the path that it is in. What follows a dot stays unknown.
func tokenPath(r *resolve.Resolver, u *resolve.Unit, n int32) entity {
	names, first := []string{u.Text(n)}, n
	for {
		start := u.Nodes[first].Start
		before := strings.TrimRight(u.Source[:start], " \t\r\n")
		if !strings.HasSuffix(before, "::") {
			unknown := strings.HasSuffix(before, ".") || strings.HasSuffix(before, "$")
			if unknown || len(names) == 1 && !callOrType(u, n, before) {
				return entity{}
			}
			break
		}
		first = previousName(u, first, uint32(len(before)-2))
		if first < 0 {
			return entity{}
		}
		names = append(names, u.Text(first))
	}
	return alongPath(r, u, first, names)
}

// alongPath resolves a path among tokens by its names, the last one first, of which the first one is at a node.
func alongPath(r *resolve.Resolver, u *resolve.Unit, first int32, names []string) entity {
	last := len(names) - 1
	space := func(i int) []namespace {
		if i > 0 {
			return []namespace{types}
		}
		return []namespace{types, values, macros}
	}
	for _, s := range space(last) {
		var e entity
		switch k := u.Kind(first); {
		case k == "crate" || k == "self" || k == "super":
			e = keywordModule(r, u, first)
			if mods := modulesInTokens(u, first); mods == 1 && k == "super" {
				e = entity{module: moduleAround(u, first)}
			} else if mods > 0 && k != "crate" {
				return entity{}
			}
		case names[last] == "crate" || names[last] == "self": // in quotes
			e = entity{module: moduleAround(u, first)}
			if names[last] == "crate" {
				e.module = rootOf(r, e.module)
			}
		default:
			e = lookup(r, u, first, names[last], s)
		}
		for i := last - 1; i >= 0 && e.known(); i-- {
			from := e
			for _, s := range space(i) {
				if e = member(r, u, from, names[i], s); e.known() {
					break
				}
			}
		}
		if e.symbol != nil && e.symbol.Scope != nil || e.outside && last > 0 {
			return e
		}
	}
	return entity{}
}

// modulesInTokens is how many modules there are around a name that tokens declare: mod $name { … }
// in the body of a macro.
func modulesInTokens(u *resolve.Unit, n int32) (mods int) {
	for p := u.Parent(n); u.Kind(p) == "token_tree"; p = u.Parent(p) {
		words := strings.Fields(u.Source[max(0, int(u.Nodes[p].Start)-80):u.Nodes[p].Start])
		if len(words) > 1 && words[len(words)-2] == "mod" {
			mods++
		}
	}
	return mods
}

// callOrType reports whether a single name among tokens can only be an item: others may
// be variables, fields or what is declared here.
func callOrType(u *resolve.Unit, n int32, before string) bool {
	if strings.HasSuffix(before, "fn") {
		return false
	}
	after := strings.TrimLeft(u.Source[u.Nodes[n].End:], " ")
	first, _ := utf8.DecodeRuneInString(u.Text(n))
	if unicode.IsUpper(first) || strings.HasPrefix(after, "::") {
		return true
	}
	return strings.HasPrefix(after, "(") || strings.HasPrefix(after, "!")
}

// previousName returns the name that ends at an offset, or -1.
func previousName(u *resolve.Unit, n int32, end uint32) int32 {
	for c := n - 1; c >= 0; c-- {
		if u.Nodes[c].End == end && u.Nodes[c].Next == c+1 {
			switch u.Kind(c) {
			case "identifier", "self", "super", "crate", "primitive_type":
				return c
			}
		}
		if u.Nodes[c].End < end {
			return -1
		}
	}
	return -1
}

// quotedMeaning is what a name in quotes means that an attribute is given, as in default = "far::jug". That it is code
// is likely, as what the attribute is for reads it.
func quotedMeaning(r *resolve.Resolver, s resolve.Spot) resolve.Meaning {
	u := s.Unit
	p, _ := resolve.ParseQuotedPath(u.Text(s.Node))
	names := p.NamesUpTo(s.Word)
	if len(names) == 0 || u.IsLabel(s.Node) || u.IsAdvice(s.Node) {
		return resolve.Meaning{}
	}
	slices.Reverse(names)
	e := alongPath(r, u, s.Node, names)
	if e.symbol == nil {
		return resolve.Meaning{}
	}
	return resolve.Meaning{Symbols: []*resolve.Symbol{e.symbol}, Known: true, Guess: true}
}
