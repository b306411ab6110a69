package languages

import (
	"bytes"

	"codeintel/internal/text"
)

// Macros that stand for attributes or for nothing are words to a grammar. The head of a
// declaration has room for a type and a name: what is more than that is left out, words
// in capitals first.

// heads is a pass over the declarations of a text.
type heads struct {
	src  []byte
	toks []cToken
	at   int
	drop func(start, end int)
	put  func(at int, text string)
}

// repairHeads leaves out the macros in the heads of declarations.
func repairHeads(src []byte, toks []cToken, drop func(start, end int), put func(at int, text string)) {
	h := &heads{src: src, drop: drop, put: put}
	for i, t := range toks {
		before, next := cToken{}, cToken{}
		if i > 0 {
			before = toks[i-1]
		}
		if i+1 < len(toks) {
			next = toks[i+1]
		}
		switch {
		case t.kind == cDirective:
			if h.inEnum() && breaksEnum(src[t.start:t.end]) {
				drop(t.start, t.end)
			}
		case t.kind == cScope && next.kind == '*' && before.kind == cWord && i+2 < len(toks) && h.memberPointer(toks[i+2]):
			drop(before.start, t.end)
			h.toks = h.toks[:max(0, len(h.toks)-1)]
		case t.kind == cWord && h.oddWord(toks, i, before, next):
			drop(t.start, t.end)
			if next.kind == cWord && before.kind == '(' {
				put(t.start, "*")
			}
		default:
			h.toks = append(h.toks, t)
		}
	}
	h.attributes()
	for h.at < len(h.toks) {
		h.container("")
		h.at++ // a brace too many
	}
}

// memberPointer reports whether A::* declares a pointer to a member.
func (h *heads) memberPointer(next cToken) bool {
	return next.kind == ')' || next.kind == cWord || next.kind == '>' || next.kind == ','
}

// oddWord reports whether a word is one that the grammar does not know where it is.
func (h *heads) oddWord(toks []cToken, i int, before, next cToken) bool {
	word := string(h.text(toks[i]))
	switch {
	case callingWords[word]:
		return true
	case word == "template": // a.template b<c>(), extern template class a<b>
		return before.kind == '.' || before.kind == cArrow || before.kind == cScope
	case word == "extern":
		return next.kind == cWord && string(h.text(next)) == "template"
	case !isMacroName([]byte(word)):
		return false
	case before.kind == cWord && string(h.text(before)) == "if": // if CONSTEXPR (a)
		return next.kind == '('
	case next.kind == '{': // SCOPE_EXIT {}
		return before.kind == ';' || before.kind == '{' || before.kind == '}'
	case before.kind == '(' && next.kind == '*': // int (WINAPI *f)(void)
		return i+4 < len(toks) && toks[i+2].kind == cWord && toks[i+3].kind == ')' && toks[i+4].kind == '('
	case before.kind == '(' && next.kind == cWord: // typedef int (APIENTRYP f)(void)
		return i+3 < len(toks) && toks[i+2].kind == ')' && toks[i+3].kind == '(' && h.inTypedef()
	}
	return next.kind == cWord && string(h.text(next)) == "template"
}

// longestHead is how many tokens of a declaration are looked at again to say what it is.
const longestHead = 12

// inTypedef reports whether the declaration under way is a typedef.
func (h *heads) inTypedef() bool {
	for i := len(h.toks) - 1; i >= max(0, len(h.toks)-longestHead); i-- {
		switch t := h.toks[i]; {
		case t.kind == ';' || t.kind == '{' || t.kind == '}':
			return false
		case t.kind == cWord && string(h.text(t)) == "typedef":
			return true
		}
	}
	return false
}

// inEnum reports whether the brace that was opened last is that of an enumeration, and open.
func (h *heads) inEnum() bool {
	for i := len(h.toks) - 1; i >= max(0, len(h.toks)-longestList); i-- {
		switch h.toks[i].kind {
		case ';', '}':
			return false
		case '{':
			return opensEnum(h.src, h.toks[:i])
		}
	}
	return false
}

// breaksEnum reports whether the grammar takes no such line of the preprocessor among enumerators: #define A A, and
// what makes enumerators of a file, #define A(B) B, and #include.
func breaksEnum(line []byte) bool {
	name, rest := directive(line)
	words := bytes.Fields(rest)
	return name == "include" || name == "undef" || definesItself(line) ||
		name == "define" && len(words) > 0 && bytes.ContainsRune(words[0], '(')
}

// definesItself reports whether a line of the preprocessor is #define A A.
func definesItself(line []byte) bool {
	name, rest := directive(line)
	words := bytes.Fields(rest)
	return name == "define" && len(words) > 1 && bytes.Equal(words[0], words[1]) &&
		(len(words) == 2 || bytes.HasPrefix(words[2], []byte("/")))
}

var callingWords = text.WordSet("__cdecl __stdcall __fastcall __thiscall __vectorcall")

// attributes leaves out the attributes of compilers wherever they are.
func (h *heads) attributes() {
	rest := h.toks[:0]
	for i := 0; i < len(h.toks); i++ {
		t := h.toks[i]
		if t.kind == cWord && attributeWords[string(h.text(t))] && i+1 < len(h.toks) && h.toks[i+1].kind == '(' {
			near := h.toks[:min(len(h.toks), i+longestList)]
			end := closingToken(near, i+1)
			if end < len(near) {
				h.drop(t.start, h.toks[end].end)
				i = end
				continue
			}
		}
		rest = append(rest, t)
	}
	h.toks = rest
}

var attributeWords = text.WordSet("__attribute__ __attribute __declspec")

func (h *heads) text(t cToken) []byte { return h.src[t.start:t.end] }

func (h *heads) is(t cToken, words map[string]bool) bool {
	return t.kind == cWord && words[string(h.text(t))]
}

// container goes over the declarations up to the brace that closes a class or namespace.
func (h *heads) container(class string) {
	start := h.at
	for h.at < len(h.toks) {
		switch t := h.toks[h.at]; t.kind {
		case ';':
			h.declaration(h.toks[start:h.at], class, false)
			h.at++
			start = h.at
		case '}':
			return
		case '(', '[':
			h.at = closingToken(h.toks, h.at) + 1
		case ':':
			h.at++
			if h.at-start <= 3 && h.is(h.toks[start], labelWords) {
				start = h.at
			}
		case '{':
			if h.brace(h.toks[start:h.at], class) {
				start = h.at
			}
		default:
			h.at++
		}
	}
	h.at = min(h.at, len(h.toks))
}

var classWords = text.WordSet("class struct union namespace enum")

// brace goes over what a brace opens. ended says that a declaration is over with it.
func (h *heads) brace(st []cToken, class string) (ended bool) {
	if len(st) > longestStatement {
		h.at = closingToken(h.toks, h.at) + 1
		return true
	}
	at, linkage, initializers := -1, len(st) > 0 && st[len(st)-1].kind == cText, false
	for i := h.skipTemplate(st); i < len(st); i++ {
		switch t := st[i]; {
		case t.kind == '(' || t.kind == '[':
			i = closingToken(st, i)
			if i+1 >= len(st) || st[i+1].kind != cWord || h.is(st[i+1], trailingWords) {
				at = -1
			}
		case t.kind == '<': // what is in it is not an initializer: enable_if<I == 0>::type f() {}
			i = max(i, angleEnd(st, i))
		case t.kind == '=':
			h.at = closingToken(h.toks, h.at) + 1
			return false
		case t.kind == ':':
			initializers = at < 0
		case string(h.text(t)) == "operator":
			for i+2 < len(st) && st[i+1].kind != '(' {
				i++
			}
		case h.is(t, classWords) && (at < 0 || string(h.text(st[at])) == "enum"):
			at = i
		}
	}
	switch {
	case at >= 0 && string(h.text(st[at])) == "enum" || at > 0 && string(h.text(st[at-1])) == "enum":
		h.classHead(st, at)
		h.at = closingToken(h.toks, h.at) + 1
		return true
	case at >= 0 || linkage:
		name := ""
		if at >= 0 {
			name = h.classHead(st, at)
		}
		h.at++
		h.container(name)
		h.at++
		return true
	case initializers && (st[len(st)-1].kind == cWord || st[len(st)-1].kind == '>'): // A() : b{1} {}
		h.at = closingToken(h.toks, h.at) + 1
		return false
	}
	h.declaration(st, class, true)
	h.at = closingToken(h.toks, h.at) + 1
	return true
}

// classHead leaves out the macros between class and its name, or behind the name of a
// namespace, and returns the name.
func (h *heads) classHead(st []cToken, at int) string {
	end := at + 1
	type word struct{ first, last int }
	var words []word
	for end < len(st) {
		t := st[end]
		switch {
		case t.kind == cWord && string(h.text(t)) != "final":
			w := word{end, end}
			if end+1 < len(st) && st[end+1].kind == '(' {
				w.last = closingToken(st, end+1)
			}
			if n := len(words); n > 0 && st[end-1].kind == cScope {
				words[n-1].last = w.last
			} else {
				words = append(words, w)
			}
			end = w.last + 1
			continue
		case t.kind == cScope:
			end++
			continue
		case t.kind == '[':
			end = closingToken(st, end) + 1
			continue
		}
		break
	}
	if len(words) == 0 {
		return ""
	}
	named := len(words) - 1
	space := string(h.text(st[at])) == "namespace"
	for space && named > 0 && words[named].last > words[named].first { // namespace a::inline b MACRO(c)
		named--
	}
	for i, w := range words {
		if w.last < len(st) && (i > named || i < named && !space) {
			h.drop(st[w.first].start, st[w.last].end)
		}
	}
	return string(h.text(st[min(words[named].last, len(st)-1)]))
}

// skipTemplate returns the first token behind template<...>.
func (h *heads) skipTemplate(st []cToken) int {
	i := 0
	for i+1 < len(st) && st[i+1].kind == '<' && st[i].kind == cWord && string(h.text(st[i])) == "template" {
		end := angleEnd(st, i+1)
		if end < 0 {
			return len(st)
		}
		h.conditions(st[i+2 : end])
		i = end + 1
	}
	return i
}

// conditions puts a type in the place of a macro that is a parameter of a template.
func (h *heads) conditions(st []cToken) {
	for i, t := range st {
		if t.kind == cWord && isMacroName(h.text(t)) && (i == 0 || st[i-1].kind == ',') && i+1 < len(st) && st[i+1].kind == '(' {
			if end := closingToken(st, i+1); end < len(st) {
				h.drop(t.start, st[end].end)
				h.put(t.start, "int")
			}
		}
	}
}

var (
	specifiers = text.WordSet("static extern inline virtual explicit constexpr consteval constinit friend mutable register volatile const" +
		" typedef thread_local _Noreturn __inline __inline__ __extension__ __forceinline restrict __restrict _Thread_local noexcept")
	cTypeWords = text.WordSet("void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t char32_t" +
		" size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t")
	tagWords      = text.WordSet("struct class union enum typename")
	notDeclaring  = text.WordSet("using return static_assert namespace goto asm __asm__ if for while switch do else case template requires concept _Static_assert new delete throw sizeof import export module")
	trailingWords = text.WordSet("const volatile noexcept override final throw mutable constexpr restrict")
)

// A run is the words at the beginning of a declaration.
type run struct {
	units   [][2]int // names with qualifiers and arguments: first and last token
	typed   int      // the count of units before what is surely a type, or -1
	stop    int      // the token behind
	untyped bool     // a destructor or a conversion, which have no type
	named   bool     // the last unit is a name that ( follows
	skip    bool     // no declaration
	over    bool     // the name of an operator was read
}

// declaration repairs the head of one declaration, which may have a body.
func (h *heads) declaration(st []cToken, class string, body bool) {
	st = st[h.skipTemplate(st):]
	r := h.read(st)
	if r.skip {
		return
	}
	room := 1
	if r.typed < 0 && !r.untyped {
		room = 2
	}
	if n := len(r.units); r.named && n > 0 && h.constructor(st, r.units[n-1], class) {
		room = 1
	}
	if r.untyped || !r.named && r.stop < len(st) && st[r.stop].kind == '(' {
		room--
	}
	n := len(r.units)
	if n > room && n > 1 && !body && n-1 > r.typed && h.macro(st, r.units[n-1]) && !h.macro(st, r.units[n-2]) {
		n = h.trailing(st, &r)
	}
	h.dropExcess(st, r, n-room)
	if r.stop < len(st) && st[r.stop].kind == '(' {
		h.repairParameters(st, r)
	}
}

// constructor reports whether a name in a class, or one spelled a::b<c>::b, is that of a
// constructor.
func (h *heads) constructor(st []cToken, name [2]int, class string) bool {
	last, scope := string(h.text(st[name[1]])), class
	for i := name[0]; i < name[1]; i++ {
		switch st[i].kind {
		case cWord:
			scope = string(h.text(st[i]))
		case '<':
			if i = angleEnd(st, i); i < 0 {
				return false
			}
		}
	}
	return scope == last
}

// trailing leaves out a macro behind the name of a variable.
func (h *heads) trailing(st []cToken, r *run) int {
	n := len(r.units) - 1
	gone := r.units[n]
	if r.named {
		gone[1] = min(closingToken(st, r.stop), len(st)-1)
		r.stop, r.named = gone[1]+1, false
	}
	h.leaveOut(st, gone)
	r.units = r.units[:n]
	return n
}

func (h *heads) macro(st []cToken, unit [2]int) bool { return isMacroName(h.text(st[unit[1]])) }

func (h *heads) leaveOut(st []cToken, unit [2]int) { h.drop(st[unit[0]].start, st[unit[1]].end) }

// dropExcess leaves out count of the words before the name, first what follows a star, then macros, then single words.
func (h *heads) dropExcess(st []cToken, r run, count int) {
	last := len(r.units)
	if !r.untyped && (r.named || r.stop >= len(st) || st[r.stop].kind != '(') {
		last--
	}
	gone := make([]bool, len(r.units))
	for pass := range 3 {
		for i := 0; i < last && count > 0; i++ {
			u := r.units[i]
			if !gone[i] && (h.behindStar(st, u) || pass > 0 && h.macro(st, u) || pass > 1 && u[0] == u[1]) {
				gone[i] = true
				count--
				h.leaveOut(st, r.units[i])
			}
		}
	}
}

// behindStar reports whether a word is between a pointer and its name.
func (h *heads) behindStar(st []cToken, u [2]int) bool {
	return u[0] == u[1] && u[0] > 0 && (st[u[0]-1].kind == '*' || st[u[0]-1].kind == '&')
}

// read reads the words at the beginning of a declaration.
func (h *heads) read(st []cToken) run {
	r := run{typed: -1}
	for i := 0; i < len(st); {
		t := st[i]
		switch {
		case t.kind == '*' || t.kind == '&':
			i++
		case t.kind == '~':
			r.untyped, r.stop = true, min(i+2, len(st))
			return r
		case t.kind == '[' && i+1 < len(st) && st[i+1].kind == '[':
			i = closingToken(st, i) + 1
		case t.kind != cWord:
			r.stop = i
			return r
		case h.is(t, notDeclaring):
			r.skip = true
			return r
		case string(h.text(t)) == "operator":
			h.operator(st, i, &r)
			return r
		default:
			i = h.word(st, i, &r)
			if r.named || r.over {
				return r
			}
		}
	}
	r.stop = len(st)
	return r
}

// operator reads the name of an operator.
func (h *heads) operator(st []cToken, i int, r *run) {
	if i+1 < len(st) && st[i+1].kind == cWord && !h.is(st[i+1], operatorWords) {
		r.untyped = true
	}
	for i++; i < len(st) && (st[i].kind != '(' ||
		i+1 < len(st) && st[i+1].kind == ')' && i+2 < len(st) && st[i+2].kind == '('); i++ {
		if st[i].kind == '(' {
			i++
		}
	}
	r.stop = i
}

var operatorWords = text.WordSet("new delete co_await")

// word reads one word with what belongs to it, and returns the token behind.
func (h *heads) word(st []cToken, i int, r *run) int {
	t := st[i]
	open := i+1 < len(st) && st[i+1].kind == '('
	switch {
	case h.is(t, specifiers):
		if open {
			return closingToken(st, i+1) + 1
		}
		return i + 1
	case h.is(t, cTypeWords):
		r.typed = len(r.units)
		return i + 1
	case string(h.text(t)) == "decltype" || string(h.text(t)) == "alignas":
		if string(h.text(t)) == "decltype" {
			r.typed = len(r.units)
		}
		if open {
			return closingToken(st, i+1) + 1
		}
		return i + 1
	case h.is(t, tagWords):
		r.typed = len(r.units)
		_, end := h.name(st, i+1)
		return max(end, i+1)
	}
	unit, end := h.name(st, i)
	if string(h.text(st[unit[1]])) == "operator" { // A::operator*
		h.operator(st, unit[1], r)
		r.over = true
		return end
	}
	if end < len(st) && st[end].kind == '(' {
		close := closingToken(st, end)
		if unit[0] == unit[1] && close+1 < len(st) && h.goesOn(st, close+1, isMacroName(h.text(t))) {
			h.drop(t.start, st[close].end)
			if r.typed < 0 && len(r.units) == 0 && h.isName(st, close+1) { // it makes the type
				h.put(t.start, "int")
				r.typed = 0
			}
			return close + 1
		}
		r.named = true
	}
	r.units = append(r.units, unit)
	r.stop = end
	return end
}

// goesOn reports whether a declaration begins or goes on behind what may be a macro with
// arguments.
func (h *heads) goesOn(st []cToken, i int, capitals bool) bool {
	t := st[i]
	return capitals && (t.kind == '~' || t.kind == cWord && !h.is(t, trailingWords) && !isMacroName(h.text(t))) ||
		h.isName(st, i) && (capitals || !bytes.HasPrefix(h.text(t), []byte("__"))) // int f(int) __nonnull ((1))
}

// isName reports whether the name of a function and its parameters are there.
func (h *heads) isName(st []cToken, i int) bool {
	t := st[i]
	return i+1 < len(st) && st[i+1].kind == '(' && t.kind == cWord && !isMacroName(h.text(t)) &&
		!h.is(t, trailingWords) && !h.is(t, specifiers) && !h.is(t, cTypeWords) && !h.is(t, tagWords) &&
		!h.is(t, notDeclaring) &&
		!attributeWords[string(h.text(t))] && string(h.text(t)) != "decltype"
}

// name reads a::b<c>.
func (h *heads) name(st []cToken, i int) (unit [2]int, end int) {
	unit = [2]int{i, i}
	for end = i; end < len(st) && (st[end].kind == cWord || st[end].kind == cScope || st[end].kind == '<'); {
		if st[end].kind == '<' {
			close := angleEnd(st, end)
			if close < 0 {
				return unit, end
			}
			end = close + 1
		} else {
			if st[end].kind == cWord {
				if end > i && st[end-1].kind != cScope {
					return unit, end
				}
			}
			unit[1] = end
			end++
		}
	}
	if end == i {
		end++
	}
	return unit, end
}

// repairParameters repairs the parameters of a function and what follows them.
func (h *heads) repairParameters(st []cToken, r run) {
	i := r.stop
	for i < len(st) && st[i].kind == '(' {
		end := closingToken(st, i)
		if end >= len(st) {
			return
		}
		h.parameters(st[i+1 : end])
		i = end + 1
	}
	for i < len(st) {
		t := st[i]
		switch {
		case t.kind == cArrow || t.kind == ':' || t.kind == '=' || t.kind != cWord && t.kind != '&':
			return
		case t.kind == '&' || h.is(t, trailingWords):
			i++
			if i < len(st) && st[i].kind == '(' {
				i = closingToken(st, i) + 1
			}
		case isMacroName(h.text(t)) || bytes.HasPrefix(h.text(t), []byte("__")):
			end := i
			if i+1 < len(st) && st[i+1].kind == '(' {
				end = min(closingToken(st, i+1), len(st)-1)
			}
			h.leaveOut(st, [2]int{i, end})
			i = end + 1
		default:
			return
		}
	}
}

// parameters leaves out the macros in a list of parameters.
func (h *heads) parameters(st []cToken) {
	for start, i := 0, 0; i <= len(st); i++ {
		if i < len(st) {
			switch st[i].kind {
			case '(', '[', '{':
				i = closingToken(st, i)
				continue
			case '<':
				if end := angleEnd(st, i); end >= 0 {
					i = end
				}
				continue
			case ',':
			default:
				continue
			}
		}
		if start < min(i, len(st)) {
			h.parameter(st[start:min(i, len(st))])
		}
		start = i + 1
	}
}

func (h *heads) parameter(st []cToken) {
	r := h.read(st)
	room := 2
	if r.typed >= 0 {
		room = 1
	}
	if r.skip || r.named || r.untyped {
		return
	}
	count := len(r.units) - room
	for i, u := range r.units {
		if count > 0 && u[0] == u[1] && (h.macro(st, u) || i+1 < len(r.units) && h.behindStar(st, u)) {
			h.leaveOut(st, u)
			count--
		}
	}
}
