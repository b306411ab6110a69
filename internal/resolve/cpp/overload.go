package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/text"
)

// chosen narrows several functions to those that a call may mean, by the number of
// arguments, and finds the best of them by what is known of the types of arguments and
// object. Where these hang on what a template is given, all of them are meant.
func chosen(r *resolve.Resolver, u *resolve.Unit, n int32, f finding) finding {
	call := calledBy(u, n)
	if call < 0 || slices.ContainsFunc(f.decls, func(d *decl) bool { return d.kind != kindFunction }) {
		return f
	}
	list := u.List(u.Child(call, "arguments"))
	least := map[*resolve.Symbol]params{} // defaults stand at one of the declarations
	for _, d := range f.decls {
		y := symbolOf(r, d)
		p, ok := least[y]
		if !ok || d.params.min < p.min || p.unknown {
			p.types, p.min, p.unknown = d.params.types, d.params.min, d.params.unknown
		}
		p.variadic = p.variadic || d.params.variadic
		least[y] = p
	}
	fits := slices.DeleteFunc(slices.Clone(f.decls), func(d *decl) bool { return !least[symbolOf(r, d)].accept(len(list)) })
	if len(fits) == 0 {
		return f // a macro makes the arguments
	}
	f.decls = fits
	if sameThing(r, fits) {
		return f
	}
	var args []union
	for _, a := range list {
		if u.Text(a) == "0" { // a pointer too
			args = append(args, nil)
			continue
		}
		args = append(args, typeOf(r, u, a))
	}
	kept, exact := byArguments(r, u, args, fits)
	kept = byConstness(kept, f.through)
	switch {
	case sameThing(r, kept) && !exact:
		f.best = kept[0]
	default: // constness alone distinguishes what has no parameters
		f.decls = kept
		f.open = inTemplate(u, n) && (argumentsDepend(r, u, call) || !exact &&
			slices.ContainsFunc(list, func(a int32) bool { return hangs(r, u, a, map[*resolve.Symbol]bool{}) }))
	}
	return f
}

// inTemplate reports whether code is that of a template, not of a specialization for
// certain arguments.
func inTemplate(u *resolve.Unit, n int32) bool {
	for at := u.Around(n, "template_declaration"); at >= 0; at = u.Around(at, "template_declaration") {
		if u.First(u.Child(at, "parameters")) >= 0 {
			return true
		}
	}
	return false
}

// hangs reports whether the type of an expression may hang on what a template around it is
// given: it has a type that does, or a member of a class template. seen are the locals that were looked at.
func hangs(r *resolve.Resolver, u *resolve.Unit, n int32, seen map[*resolve.Symbol]bool) bool {
	if n < 0 || !r.Enter() {
		return false
	}
	defer r.Leave()
	if dependent(typeOf(r, u, n)) {
		return true
	}
	for at := n; at < u.Nodes[n].Next && r.Step(); at++ {
		k := u.Kind(at)
		if k == "this" && inTemplate(u, n) {
			return true
		}
		if !resolve.IsName(k) || k == "field_identifier" {
			continue
		}
		f := findUnqualified(r, u, at, u.Text(at))
		if y := f.local; y != nil && !seen[y] {
			seen[y] = true
			if dependent(typeOfLocal(r, y)) ||
				slices.ContainsFunc(y.Decls, func(d resolve.Decl) bool { return hangs(r, y.Unit, d.Node, seen) }) {
				return true
			}
		}
		if slices.ContainsFunc(f.decls, func(d *decl) bool {
			return (d.kind == kindFunction || d.kind == kindVariable) && isMember(r, d) && inTemplate(d.unit, d.node)
		}) {
			return true
		}
	}
	return false
}

// argumentsDepend reports whether the arguments written for a function template hang on those
// of a template around.
func argumentsDepend(r *resolve.Resolver, u *resolve.Unit, call int32) bool {
	f := u.Child(call, "function")
	for at := f; at >= 0 && at < u.Nodes[f].Next; at++ {
		if k := u.Kind(at); k == "template_function" || k == "template_method" {
			return slices.ContainsFunc(templateArguments(r, u, at), func(t union) bool {
				return len(t) == 0 || dependent(t)
			})
		}
	}
	return false
}

// sameThing reports whether declarations are of one thing.
func sameThing(r *resolve.Resolver, list []*decl) bool {
	for _, d := range list {
		if symbolOf(r, d) != symbolOf(r, list[0]) {
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
// the arguments. exact says that they agree with all of them, and so are surely called.
func byArguments(r *resolve.Resolver, u *resolve.Unit, args []union, fits []*decl) (kept []*decl, exact bool) {
	best := 0
	for i, d := range fits {
		score := 0
		for j, a := range args {
			if j < len(d.params.types) {
				score += agreement(r, u, d, j, a)
			}
		}
		if i == 0 || score > best {
			best, kept = score, nil
		}
		if score == best {
			kept = append(kept, d)
		}
	}
	return kept, best == agrees*len(args)
}

// Ratings of how an argument fits a parameter.
const (
	agrees    = 4 // it is of that type
	matches   = 3 // of a parameter of the function's template
	converts  = 2 // a number of another size, a class that is derived
	makes     = 1 // an object is made of it
	unlikely  = -1
	different = -3
)

// agreement rates how well a parameter fits an argument. Where its type cannot be read it
// goes by the name as written.
func agreement(r *resolve.Resolver, u *resolve.Unit, d *decl, i int, arg union) int {
	if len(arg) == 0 || d.params.types[i] == "?" {
		return 0
	}
	param := parameterType(r, d, i)
	if len(param) == 0 {
		return agreementByName(d, d.params.types[i], arg)
	}
	v, p := arg[0], param[0]
	switch {
	case p.kind == kindParameter:
		return matches
	case v.kind == kindInstance && p.kind == kindInstance:
		switch {
		case v.pointers != p.pointers:
			return different
		case v.path == p.path:
			return agrees
		case derives(r, u, v, p.path):
			return converts
		}
		return unlikely
	case v.kind == kindOutside && p.kind == kindOutside:
		number := isNumber(v.name) && isNumber(p.name)
		switch {
		case v.pointers != p.pointers && (v.pointers == 0 || p.pointers == 0) && (p.name == "string" || p.name == "string_view"):
			return makes
		case v.pointers != p.pointers:
			return different
		case plainNumber(v.name) == plainNumber(p.name):
			return agrees
		case number && v.pointers == 0:
			return converts
		}
		return unlikely
	case v.kind == kindOutside && p.kind == kindInstance && p.pointers == 0:
		return unlikely
	case v.kind == kindOutside || v.kind == kindInstance:
		return different
	}
	return 0
}

// derives reports whether a class is derived from the one of a path.
func derives(r *resolve.Resolver, u *resolve.Unit, v value, path string) bool {
	seen := map[string]bool{}
	for todo := (union{v}); len(todo) > 0; todo = todo[1:] {
		c := todo[0]
		if c.kind != kindInstance || seen[c.path] || !r.Step() {
			continue
		}
		if c.path == path {
			return true
		}
		seen[c.path] = true
		todo = append(todo, bases(r, u, c)...)
	}
	return false
}

// plainNumber writes the name of a type of numbers in one way: unsigned for unsigned int.
func plainNumber(name string) string {
	if to := sameNumbers[name]; to != "" {
		return to
	}
	var words []string
	for _, w := range strings.Fields(name) {
		if w != "int" && w != "signed" || name == "int" {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

var sameNumbers = map[string]string{
	"size_t": "long unsigned", "uint64_t": "long unsigned", "uint32_t": "unsigned", "uint16_t": "short unsigned", "uint8_t": "char unsigned",
	"int64_t": "long", "int32_t": "int", "int16_t": "short", "ptrdiff_t": "long", "ssize_t": "long", "signed": "int",
}

// agreementByName rates how well a type of a parameter, as written, fits an argument.
func agreementByName(d *decl, param string, arg union) int {
	v := arg[0]
	bare := strings.Trim(strings.TrimPrefix(param, "const "), "*&")
	stars := strings.Count(param, "*")
	name := v.name
	switch v.kind {
	case kindInstance:
		name = plainName(lastPart(v.path))
	case kindOutside:
	default:
		return 0
	}
	head, _, _ := strings.Cut(bare, "<")
	switch {
	case head == name && stars == v.pointers:
		return agrees
	case isTemplateParameter(d, head):
		return matches
	case v.kind == kindOutside && v.name == "char" && v.pointers == 1 && (head == "string" || head == "string_view"):
		return makes
	case v.kind == kindOutside && isNumber(name) && isNumber(head) && v.pointers == 0 && stars == 0:
		return converts
	case v.pointers > 0 && stars == 0, v.pointers == 0 && stars > 0, v.kind == kindInstance && isNumber(head):
		return different
	case v.kind == kindInstance && v.pointers == stars && head != name:
		return unlikely
	}
	return 0
}

// isTemplateParameter reports whether a name is a parameter of a function's template.
func isTemplateParameter(d *decl, name string) bool {
	s := d.unit.Scopes[d.unit.Around(d.node, "template_declaration")]
	return s != nil && s.Names[name] != nil
}

func isNumber(name string) bool {
	for w := range strings.FieldsSeq(name) {
		if !numberWords[w] && sameNumbers[w] == "" {
			return false
		}
	}
	return name != ""
}

var numberWords = text.WordSet("int long short char unsigned signed float double bool wchar_t char8_t char16_t char32_t int8_t intptr_t uintptr_t")

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
