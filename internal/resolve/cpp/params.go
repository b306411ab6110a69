package cpp

import (
	"strings"

	"codeintel/internal/resolve"
)

// Params are what tells functions of one name apart.
type params struct {
	types    []string // as written, without names, qualifiers and spaces
	nodes    []int32  // of each, or -1
	least    int      // how many arguments must be passed
	variadic bool
	constant bool // a method that changes nothing
	unknown  bool // C before prototypes: f()
}

// signature writes the parameters as a part of a key.
func (p params) signature() string {
	s := "(" + strings.Join(p.types, ",") + ")"
	if p.variadic {
		s += "..."
	}
	if p.constant {
		s += "const"
	}
	return s
}

// takes reports whether a call may pass so many arguments.
func (p params) takes(n int) bool {
	return p.unknown || n >= p.least && (n <= len(p.types) || p.variadic)
}

// alike reports whether functions take as many arguments, of objects as constant.
func (p params) alike(o params) bool {
	return len(p.types) == len(o.types) && p.constant == o.constant
}

// functionDeclarator returns the declarator of a function that holds its parameters.
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
				p.least = len(p.types)
			}
		case "identifier":
			p.types, p.nodes = append(p.types, "?"), append(p.nodes, -1)
			p.least = len(p.types)
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
