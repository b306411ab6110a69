package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// params are what distinguishes functions of one name.
type params struct {
	types    []string // as written, without names, qualifiers and spaces
	nodes    []int32  // of each, or -1
	min      int      // how many arguments must be passed
	variadic bool
	constant bool     // a method that changes nothing
	unknown  bool     // C before prototypes: f()
	numbered []string // of a function template: types, with numbers for the template's parameters
	head     string   // of a function template: its parameters, and what its result depends on
}

// signature writes the parameters as a part of a key.
func (p params) signature() string {
	types := p.types
	if p.numbered != nil {
		types = p.numbered
	}
	s := "(" + strings.Join(types, ",") + ")"
	if p.variadic {
		s += "..."
	}
	if p.constant {
		s += "const"
	}
	return s + p.head
}

// withoutTemplates is the signature without what only templates have.
func (p params) withoutTemplates() string {
	p.head = ""
	return p.signature()
}

// accept reports whether a call may pass so many arguments.
func (p params) accept(n int) bool {
	return p.unknown || n >= p.min && (n <= len(p.types) || p.variadic)
}

// isSimilar reports whether functions take as many arguments, of objects as constant.
func (p params) isSimilar(o params) bool {
	return len(p.types) == len(o.types) && p.constant == o.constant
}

// functionDeclarator returns the declarator of a function that contains its parameters.
func functionDeclarator(u *resolve.Unit, declarator int32) int32 {
	leaf := nameOf(u, declarator)
	for at := leaf; at >= declarator && at >= 0; at = u.Parent(at) {
		if u.Kind(at) == "function_declarator" {
			return at
		}
	}
	return -1
}

// paramsOf reads the parameters of a function.
func paramsOf(u *resolve.Unit, declarator int32) (p params) {
	f := functionDeclarator(u, declarator)
	list := u.Child(f, "parameters")
	for c := range u.Children(f) {
		if u.Kind(c) == "type_qualifier" && u.Text(c) == "const" && c > list {
			p.constant = true
		}
	}
	p.variadic = strings.HasSuffix(strings.TrimRight(u.Text(list), ") \t\n"), "...")
	for c := range u.Children(list) {
		switch u.Kind(c) {
		case "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration":
			t := paramType(u, c)
			if t == "void" {
				continue
			}
			if u.Kind(c) == "variadic_parameter_declaration" {
				p.variadic = true
				continue
			}
			p.types, p.nodes = append(p.types, t), append(p.nodes, c)
			if u.Kind(c) == "parameter_declaration" {
				p.min = len(p.types)
			}
		case "identifier":
			p.types, p.nodes = append(p.types, "?"), append(p.nodes, -1)
			p.min = len(p.types)
		}
	}
	p.unknown = isC(u) && len(p.types) == 0 && !strings.Contains(u.Text(list), "void")
	return p
}

// parameterType reads the type of a parameter of a function.
func parameterType(r *resolve.Resolver, d *decl, i int) union {
	u, n := d.unit, d.params.nodes[i]
	if n < 0 {
		return nil
	}
	declarator := u.Child(n, "declarator")
	if name := nameOf(u, declarator); name >= 0 {
		return typeDeclared(r, u, n, name)
	}
	by := 0
	for at := declarator; at >= 0 && at < u.Nodes[declarator].Next; at++ {
		switch u.Kind(at) {
		case "abstract_pointer_declarator", "abstract_array_declarator":
			by++
		case "abstract_function_declarator":
			return union{{kind: kindCallable}}
		}
	}
	return pointed(typeAt(r, u, u.Child(n, "type")), by)
}

// paramType writes the type of a parameter without what does not tell functions
// apart: its name, namespaces, spaces, const of what is passed by value.
func paramType(u *resolve.Unit, n int32) string {
	start, end := u.Nodes[n].Start, u.Nodes[n].End
	text := u.Source[start:end]
	if d := u.Child(n, "default_value"); d >= 0 {
		text = strings.TrimRight(text[:u.Nodes[d].Start-start], "= \t\n")
	}
	if name := nameOf(u, u.Child(n, "declarator")); name >= 0 {
		text = text[:u.Nodes[name].Start-start] + " " + text[min(len(text), int(u.Nodes[name].End-start)):]
	}
	var parts []string
	constant, points := false, false
	for at := 0; at < len(text); {
		if c := text[at]; !wordByte(c) {
			at++
			switch c {
			case '*', '&', '<', '>', ',', '.':
				points = points || c == '*' || c == '&'
				parts = append(parts, string(c))
			case '[':
				points = true
				parts = append(parts, "*")
			case ':':
				if at < len(text) && text[at] == ':' && len(parts) > 0 { // a namespace
					parts = parts[:len(parts)-1]
					at++
				}
			}
			continue
		}
		end := at
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		switch word := text[at:end]; word {
		case "const":
			constant = true
		case "volatile", "struct", "class", "union", "enum", "typename", "register", "restrict", "mutable":
		default:
			if c := word[0]; c < '0' || c > '9' { // not the length of an array
				parts = append(parts, word)
			}
		}
		at = end
	}
	if constant && points {
		return "const " + strings.Join(parts, "")
	}
	return strings.Join(parts, "")
}

// readTemplate reads what tells function templates with the same parameters apart: those of
// the template, and a result that only some arguments have.
func (p *params) readTemplate(u *resolve.Unit, n, declarator, spelled int32) {
	template := u.Parent(n)
	if u.Kind(template) != "template_declaration" {
		return
	}
	if spelled >= 0 && strings.Count(plainScopes(u, spelled), "<") > 0 && u.Kind(u.Parent(template)) != "template_declaration" {
		return // the template is the class
	}
	list := u.Child(template, "parameters")
	if u.First(list) < 0 { // a specialization
		p.head = "<>" + numbered(argumentsText(u.Text(specialArguments(u, nameOf(u, declarator)))), nil)
		return
	}
	var names []string
	for c := range u.Children(list) {
		name := u.First(c, "type_identifier")
		if !strings.HasSuffix(u.Kind(c), "type_parameter_declaration") {
			name = nameOf(u, u.Child(c, "declarator"))
		}
		if name >= 0 {
			names = append(names, u.Text(name))
		}
	}
	head := withoutDefaults(u.Text(list))
	if requires := u.First(template, "requires_clause"); requires >= 0 {
		head += u.Text(requires)
	}
	for _, result := range []int32{u.Child(n, "type"), u.First(functionDeclarator(u, declarator), "trailing_return_type")} {
		if text := u.Text(result); choosesByResult(text) {
			head += " " + text
		}
	}
	p.head = numbered(head, names)
	p.numbered = []string{}
	for _, t := range p.types {
		p.numbered = append(p.numbered, numbered(t, names))
	}
}

// withoutDefaults leaves the defaults of a template's parameters out: one of the declarations
// has them.
func withoutDefaults(list string) string {
	var b strings.Builder
	depth, skips := 0, false
	for i := range len(list) {
		switch c := list[i]; c {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			depth--
		case '=':
			skips = skips || depth == 1 && !strings.ContainsRune("=<>!", rune(list[i-1])) && !strings.HasPrefix(list[i+1:], "=")
		}
		if depth == 0 || list[i] == ',' && depth == 1 {
			skips = false
		}
		if !skips {
			b.WriteByte(list[i])
		}
	}
	return b.String()
}

// plainScopes is what comes before the last :: of a name.
func plainScopes(u *resolve.Unit, spelled int32) string {
	text := u.Text(spelled)
	return text[:strings.LastIndex(text, "::")+2]
}

// choosesByResult reports whether a function template whose result is so written exists only
// for some arguments.
func choosesByResult(result string) bool {
	return strings.Contains(result, "enable_if") || strings.Contains(result, "ENABLE_IF") || strings.Contains(result, "decltype(")
}

// numbered writes code without spaces, and with numbers for some names.
func numbered(code string, names []string) string {
	var b strings.Builder
	for at := 0; at < len(code); {
		if !wordByte(code[at]) {
			if code[at] > ' ' {
				b.WriteByte(code[at])
			}
			at++
			continue
		}
		end := at
		for end < len(code) && wordByte(code[end]) {
			end++
		}
		word := code[at:end]
		at = end
		switch i := slices.Index(names, word); {
		case i >= 0:
			b.WriteString(number(int32(i)))
		case word == "typename" || word == "class":
			b.WriteString("class ")
		default:
			b.WriteString(word + " ")
		}
	}
	return b.String()
}
