package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// typeOf infers an expression.
func typeOf(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	return memoryOf(u).types.Of(r, u, n, inferExpr)
}

func inferExpr(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch u.Kind(n) {
	case "identifier":
		if t := foundType(r, named(r, u, n)); len(t) > 0 {
			return t
		}
		return expandedType(r, u, u.Text(n))
	case "qualified_identifier", "template_function", "type_identifier", "template_type":
		return foundType(r, named(r, u, n))
	case "this":
		return thisType(r, u, n)
	case "field_expression":
		return foundType(r, memberNamed(r, u, n))
	case "call_expression":
		return callType(r, u, n)
	case "new_expression":
		return pointed(typeAt(r, u, u.Child(n, "type")), 1)
	case "cast_expression", "compound_literal_expression":
		return typeAt(r, u, u.Child(n, "type"))
	case "pointer_expression":
		t := typeOf(r, u, u.Child(n, "argument"))
		if strings.HasPrefix(u.Text(n), "&") {
			return pointed(t, 1)
		}
		return dereferenced(r, u, t)
	case "subscript_expression":
		return elementAt(r, u, typeOf(r, u, u.Child(n, "argument")))
	case "parenthesized_expression", "condition_clause":
		return typeOf(r, u, u.First(n))
	case "conditional_expression":
		return typeOf(r, u, u.Child(n, "consequence")).Join(typeOf(r, u, u.Child(n, "alternative")))
	case "assignment_expression":
		return typeOf(r, u, u.Child(n, "left"))
	case "update_expression":
		return typeOf(r, u, u.Child(n, "argument"))
	case "comma_expression":
		return typeOf(r, u, u.Child(n, "right"))
	case "binary_expression":
		return binaryType(r, u, n)
	case "number_literal":
		return outsideType(literalType(u.Text(n)))
	case "char_literal":
		if isC(u) {
			return outsideType("int")
		}
		return outsideType("char")
	case "sizeof_expression":
		return outsideType("size_t")
	case "true", "false":
		return outsideType("bool")
	case "string_literal", "concatenated_string", "raw_string_literal":
		return stringType(u, n)
	case "unary_expression":
		if strings.HasPrefix(u.Text(n), "!") {
			return outsideType("bool")
		}
		return typeOf(r, u, u.Child(n, "argument"))
	case "lambda_expression":
		return union{{kind: kindCallable}}
	}
	return nil
}

// stringType is the type of a string literal.
func stringType(u *resolve.Unit, n int32) union {
	if strings.HasPrefix(u.Text(n), "L") {
		return pointed(outsideType("wchar_t"), 1)
	}
	return pointed(outsideType("char"), 1)
}

// literalType is the type of a number as it is written.
func literalType(number string) string {
	text := strings.ToLower(number)
	digits := strings.TrimRight(text, "ul")
	if hex := strings.HasPrefix(text, "0x"); !hex && strings.ContainsAny(text, ".e") || hex && strings.Contains(text, "p") {
		if strings.HasSuffix(text, "f") {
			return "float"
		}
		return "double"
	}
	name := ""
	for _, c := range text[len(digits):] {
		if c == 'u' {
			name = "unsigned " + name
		} else {
			name += "long "
		}
	}
	if name == "" {
		return "int"
	}
	return strings.TrimSpace(name)
}

// binaryType infers arithmetic on numbers and pointers.
func binaryType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	switch u.Text(u.Child(n, "operator")) {
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
		return outsideType("bool")
	case "+", "-":
		for _, side := range []string{"left", "right"} {
			t := typeOf(r, u, u.Child(n, side))
			if slices.ContainsFunc(t, func(v value) bool { return v.pointers > 0 || v.name == "iterator" }) {
				return t
			}
		}
	}
	t := typeOf(r, u, u.Child(n, "left"))
	if slices.ContainsFunc(t, func(v value) bool { return v.kind != kindOutside }) {
		return nil // an operator of the project
	}
	return t
}

// thisType is the class of the method around a node.
func thisType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	t := tableOf(u)
	constant := false
	for s := scopeAt(u, n); s != nil; s = s.Outer {
		switch s.Kind {
		case resolve.ClassScope:
			return union{{path: t.paths[s], unit: u, pointers: 1, constant: constant}}
		case resolve.FunctionScope:
			if d := t.owner[s]; d != nil {
				constant = d.params.constant
				if d.spelled >= 0 {
					return union{{path: ownerPath(r, d), unit: u, pointers: 1, constant: constant}}
				}
			}
		}
	}
	return nil
}

// named finds what a name in an expression means.
func named(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	switch u.Kind(n) {
	case "field_expression":
		return memberNamed(r, u, n)
	case "identifier", "qualified_identifier", "template_function", "type_identifier", "template_type":
		f := qualified(r, u, n)
		if len(f.decls) > 1 {
			f = chosen(r, u, n, f)
		}
		return f
	}
	return finding{}
}

// memberNamed finds what a.b or a->b means.
func memberNamed(r *resolve.Resolver, u *resolve.Unit, n int32) finding {
	object := typeOf(r, u, u.Child(n, "argument"))
	field := u.Child(n, "field")
	if u.Kind(field) == "qualified_identifier" { // a.Base::b
		return qualified(r, u, field)
	}
	name := nameOf(u, field)
	if name < 0 {
		return finding{}
	}
	if u.Text(u.Child(n, "operator")) == "->" {
		object = throughArrow(r, u, object)
	}
	f := memberOf(r, u, object, u.Text(name))
	if len(f.decls) > 1 {
		f = chosen(r, u, n, f)
	}
	return f
}

// memberOf finds a member of everything that an object may be.
func memberOf(r *resolve.Resolver, u *resolve.Unit, object union, name string) (f finding) {
	f.outside = len(object) > 0
	for _, v := range object {
		all, through := members(r, u, v, name)
		for _, d := range all {
			if !slices.Contains(f.decls, d) {
				f.decls = append(f.decls, d)
			}
		}
		for i := range through {
			through[i].constant = v.constant
		}
		f.through = f.through.Join(through)
		if v.kind != kindOutside || v.name == "?" {
			f.outside = false
		} else if t := libraryMember(v, name); len(t) > 0 {
			if name != "first" && name != "second" {
				t = union{{kind: kindCallable, result: t}}
			}
			f.through = f.through.Join(union{{kind: kindOutside, name: "=", args: []union{t}}})
		}
	}
	return f
}

// foundType is the type of what was found.
func foundType(r *resolve.Resolver, f finding) union {
	if f.local != nil {
		return typeOfLocal(r, f.local)
	}
	var t union
	for _, v := range f.through {
		if v.kind == kindOutside && v.name == "=" {
			t = t.Join(v.args[0])
		}
	}
	var functions []*decl
	if f.best != nil {
		f.decls = []*decl{f.best}
	}
	for _, d := range f.decls {
		if d.kind == kindFunction {
			functions = append(functions, d)
			continue
		}
		field := substituted(typeOfDecl(r, d), f.through, r)
		if d.kind == kindVariable && len(f.through) > 0 && f.through[0].constant && !hasWord(d.unit, d.node, "mutable") && !hasWord(d.unit, d.node, "static") {
			field = field.Each(func(v value) union {
				v.constant = v.constant || v.pointers == 0 && !isReference(d)
				return union{v}
			})
		}
		t = t.Join(field)
	}
	if len(functions) > 0 {
		t = t.Join(union{{kind: kindFunctions, decls: functions, through: f.through}})
	}
	return t
}

// isReference reports whether a declaration is that of a reference.
func isReference(d *decl) bool {
	u := d.unit
	return strings.HasSuffix(strings.TrimRight(u.Source[u.Nodes[d.node].Start:u.Nodes[d.name].Start], " \t\r\n"), "&")
}

// callType infers a call.
func callType(r *resolve.Resolver, u *resolve.Unit, n int32) union {
	callee := u.Child(n, "function")
	list := u.List(u.Child(n, "arguments"))
	if u.Kind(callee) == "template_function" || u.Kind(callee) == "qualified_identifier" {
		if t, ok := libraryCall(r, u, callee, list); ok {
			return t
		}
	}
	if u.Kind(callee) == "primitive_type" {
		return outsideType(u.Text(callee))
	}
	if u.Kind(callee) == "identifier" && named(r, u, callee).empty() {
		if t := expandedType(r, u, u.Text(callee)); len(t) > 0 {
			return t
		}
	}
	var t union
	for _, v := range typeOf(r, u, callee) {
		switch v.kind {
		case kindFunctions:
			for _, d := range v.decls {
				t = t.Join(substituted(returned(r, d), v.through, r))
			}
		case kindCallable:
			t = t.Join(v.result)
		case kindInstance:
			if isTypeName(r, u, callee) {
				t = t.Join(union{v})
				continue
			}
			all, through := members(r, u, v, "operator()")
			for _, d := range all {
				t = t.Join(substituted(returned(r, d), through, r))
			}
		case kindOutside:
			if v.name == "function" && len(v.args) > 0 {
				for _, f := range v.args[0] {
					t = t.Join(f.result)
				}
				continue
			}
			t = t.Join(union{v})
		}
	}
	if len(t) == 0 && len(list) > 0 && u.Kind(list[0]) == "string_literal" && isCapitals(u.Text(callee)) {
		return stringType(u, list[0]) // a macro for texts
	}
	return t
}

// isTypeName reports whether an expression names a type.
func isTypeName(r *resolve.Resolver, u *resolve.Unit, n int32) bool {
	switch u.Kind(n) {
	case "identifier", "qualified_identifier", "template_function", "type_identifier", "template_type":
		f := qualified(r, u, n)
		if f.local != nil {
			return tableOf(f.local.Unit).locals[f.local] != nil
		}
		return len(f.decls) > 0 && f.decls[0].kind <= kindAlias
	}
	return false
}

// throughArrow is what -> reaches.
func throughArrow(r *resolve.Resolver, u *resolve.Unit, t union) union {
	return pointee(t, libraryPointee, func(v value) union {
		if v.kind == kindInstance {
			all, through := members(r, u, v, "operator->")
			if len(all) == 0 {
				return union{v} // the pointer is not seen: a macro, an array
			}
			if !r.Enter() {
				return nil
			}
			defer r.Leave()
			return throughArrow(r, u, substituted(returned(r, all[0]), through, r))
		}
		return union{v}
	})
}

// dereferenced is what * reaches.
func dereferenced(r *resolve.Resolver, u *resolve.Unit, t union) union {
	return pointee(t, libraryPointee, func(v value) union {
		if v.kind == kindInstance {
			all, through := members(r, u, v, "operator*")
			for _, d := range all {
				if len(d.params.types) == 0 {
					return substituted(returned(r, d), through, r)
				}
			}
		}
		return union{v}
	})
}

// elementAt is what a[b] gives.
func elementAt(r *resolve.Resolver, u *resolve.Unit, t union) union {
	return pointee(t, func(v value) union { return libraryMember(v, "at") }, func(v value) union {
		if v.kind == kindInstance {
			all, through := members(r, u, v, "operator[]")
			if len(all) > 0 {
				return substituted(returned(r, all[0]), through, r)
			}
		}
		return nil
	})
}

// elementOf is what going over a value gives.
func elementOf(r *resolve.Resolver, u *resolve.Unit, t union) union {
	return pointee(t, func(v value) union { return libraryMember(v, "*") }, func(v value) union {
		if v.kind == kindInstance {
			all, through := members(r, u, v, "begin")
			for _, d := range all {
				if d.kind == kindFunction {
					return dereferenced(r, u, substituted(returned(r, d), through, r))
				}
			}
		}
		return nil
	})
}

// pointee is what each value points to. library and other say it of what is no pointer of C:
// something of the library, and the rest.
func pointee(t union, library, other func(value) union) union {
	return t.Each(func(v value) union {
		switch {
		case v.pointers > 0:
			v.pointers--
			return union{v}
		case v.kind == kindOutside:
			return library(v)
		}
		return other(v)
	})
}
