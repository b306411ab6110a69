package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// chosen returns those of several functions that a call may mean, by the number of
// arguments, and the best of them by what is known of the types of arguments and object.
func chosen(r *resolve.Resolver, u *resolve.Unit, n int32, f finding) (fits []*decl, best *decl) {
	call := calledBy(u, n)
	if call < 0 || slices.ContainsFunc(f.decls, func(d *decl) bool { return d.kind != kindFunction }) {
		return f.decls, nil
	}
	list := u.List(u.Child(call, "arguments"))
	least := map[*resolve.Symbol]params{} // defaults stand at one of the declarations
	for _, d := range f.decls {
		y := thing(r, d)
		p, ok := least[y]
		if !ok || d.params.least < p.least || p.unknown {
			p.types, p.least, p.unknown = d.params.types, d.params.least, d.params.unknown
		}
		p.variadic = p.variadic || d.params.variadic
		least[y] = p
	}
	fits = slices.DeleteFunc(slices.Clone(f.decls), func(d *decl) bool { return !least[thing(r, d)].takes(len(list)) })
	if len(fits) == 0 {
		return f.decls, nil // a macro makes the arguments
	}
	if one(r, fits) {
		return fits, nil
	}
	kept := byConstness(byArguments(r, u, list, fits), f.through)
	if !one(r, kept) || len(kept[0].params.types) == 0 { // constness alone tells what has no parameters apart
		return kept, nil
	}
	return fits, kept[0]
}

// one reports whether declarations are of one thing.
func one(r *resolve.Resolver, list []*decl) bool {
	for _, d := range list {
		if thing(r, d) != thing(r, list[0]) {
			return false
		}
	}
	return true
}

// calledBy returns the call whose callee a name is, or -1.
func calledBy(u *resolve.Unit, n int32) int32 {
	for at := n; at >= 0; at = u.Parent(at) {
		p := u.Parent(at)
		switch u.Kind(p) {
		case "call_expression":
			if u.Field(at) == "function" {
				return p
			}
			return -1
		case "template_function", "qualified_identifier", "field_expression", "template_method", "dependent_name",
			"parenthesized_expression":
			if f := u.Field(at); f == "argument" || f == "scope" {
				return -1
			}
			continue
		}
		return -1
	}
	return -1
}

// byArguments keeps the functions whose parameters agree best with what is known of
// the arguments.
func byArguments(r *resolve.Resolver, u *resolve.Unit, list []int32, fits []*decl) []*decl {
	var args []union
	for _, a := range list {
		args = append(args, typeOf(r, u, a))
	}
	best, kept := 0, []*decl(nil)
	for i, d := range fits {
		score := 0
		for j, a := range args {
			if j < len(d.params.types) {
				score += agreement(d, d.params.types[j], a)
			}
		}
		if i == 0 || score > best {
			best, kept = score, nil
		}
		if score == best {
			kept = append(kept, d)
		}
	}
	return kept
}

// agreement rates how well a type of a parameter, as written, fits an argument.
func agreement(d *decl, param string, arg union) int {
	if len(arg) == 0 || param == "?" {
		return 0
	}
	v := arg[0]
	bare := strings.Trim(strings.TrimPrefix(param, "const "), "*&")
	stars := strings.Count(param, "*")
	name := v.name
	switch v.kind {
	case kindInstance:
		name = lastPart(v.path)
	case kindOutside:
	default:
		return 0
	}
	head, _, _ := strings.Cut(bare, "<")
	switch {
	case head == name && stars == v.pointers:
		return 4
	case isTemplateParameter(d, head):
		return 3
	case v.kind == kindOutside && v.name == "char" && v.pointers == 1 && (head == "string" || head == "string_view"):
		return 1
	case v.kind == kindOutside && isNumber(name) && isNumber(head) && v.pointers == 0 && stars == 0:
		return 2
	case v.pointers > 0 && stars == 0, v.pointers == 0 && stars > 0, v.kind == kindInstance && isNumber(head):
		return -3
	case v.kind == kindInstance && v.pointers == stars && head != name:
		return -1
	}
	return 0
}

// isTemplateParameter reports whether a name is a parameter of a function's template.
func isTemplateParameter(d *decl, name string) bool {
	s := d.unit.Scopes[d.unit.Around(d.node, "template_declaration")]
	return s != nil && s.Names[name] != nil
}

func isNumber(name string) bool {
	for _, n := range []string{"int", "long", "short", "char", "unsigned", "float", "double", "bool", "size_t", "signed"} {
		if strings.Contains(name, n) {
			return true
		}
	}
	return false
}

// byConstness tells the two forms of a method by whether the object is constant.
func byConstness(fits []*decl, through union) []*decl {
	if len(through) == 0 {
		return fits
	}
	constant := through[0].constant
	kept := slices.DeleteFunc(slices.Clone(fits), func(d *decl) bool { return d.params.constant != constant })
	if len(kept) == 0 {
		return fits
	}
	return kept
}
