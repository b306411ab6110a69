package nominal

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// kotlinExpr reads a node as an expression.
func kotlinExpr(u *resolve.Unit, n int32) expr {
	e := expression(noExpr)
	switch k := u.Kind(n); k {
	case "identifier":
		return kotlinName(u, n)
	case "navigation_expression":
		if p := u.Parent(n); u.Kind(p) == "call_expression" && u.First(p) == n {
			return kotlinCall(u, p)
		}
		return kotlinMember(u, n)
	case "unary_expression":
		if p := u.Parent(n); u.Kind(p) == "call_expression" && u.First(p) == n {
			return kotlinCall(u, p)
		}
		kotlinOther(u, n, k, &e)
	case "callable_reference":
		e.op, e.name = aMethodOf, u.First(n, "identifier")
		if first := u.First(n); first != e.name {
			e.object = first
		}
	case "call_expression":
		return kotlinCall(u, n)
	case "constructor_invocation":
		e.op, e.typ = aNew, u.First(n)
		for a := range u.Children(u.First(n, "value_arguments")) {
			if parts := u.List(a); len(parts) > 0 {
				e.args = append(e.args, parts[len(parts)-1])
			}
		}
	case "infix_expression":
		if list := u.List(n); len(list) == 3 && u.Kind(list[1]) == "identifier" {
			e.op, e.object, e.name, e.args = aCall, list[0], list[1], list[2:]
		}
	case "this_expression":
		e.op, e.typ = aSelf, u.First(n, "identifier")
	case "super_expression":
		e.op, e.typ = aSuper, kotlinTypeAfter(u, n, n)
	case "as_expression":
		e.op, e.typ = aCast, u.Child(n, "right")
	case "index_expression":
		e.op, e.object = anElement, u.First(n)
		e.args = u.List(n)[1:]
	case "assignment":
		e.op, e.parts = anAssignment, []int32{u.Child(n, "left"), u.Child(n, "right")}
	case "object_literal":
		e.op, e.body = aNew, n
	case "lambda_literal", "anonymous_function":
		e = kotlinFunctionRead(u, n, k)
	case "binary_expression":
		e = kotlinBinary(u, n, e)
	case "user_type", "nullable_type":
		if k := u.Kind(u.Parent(n)); k == "callable_reference" {
			e.op, e.typ = aTypeOnly, n
		}
	default:
		kotlinOther(u, n, k, &e)
	}
	return e
}

// kotlinName reads a word, which may be a literal or what an argument is called.
func kotlinName(u *resolve.Unit, n int32) expr {
	e := expression(noExpr)
	switch u.Text(n) {
	case "null":
		e.op = aNull
	case "true", "false":
		e.op, e.text = ofType, "Boolean"
	default:
		e.op, e.name = aName, n
	}
	return e
}

// kotlinMember reads a.b, a?.b and a::b.
func kotlinMember(u *resolve.Unit, n int32) expr {
	e := expression(aMember)
	list := u.List(n)
	if len(list) < 2 || u.Kind(list[len(list)-1]) != "identifier" {
		return expression(noExpr)
	}
	e.object, e.name = list[0], list[len(list)-1]
	if strings.Contains(u.Source[u.Nodes[e.object].End:u.Nodes[e.name].Start], "::") {
		e.op = aMethodOf
		if u.Text(e.name) == "class" {
			e.op, e.name = aClassOf, -1
		}
	}
	return e
}

// kotlinCall reads a call. A function behind the arguments makes it two calls to the
// grammar.
func kotlinCall(u *resolve.Unit, n int32) expr {
	e := expression(aCall)
	if p := u.Parent(n); u.Kind(p) == "call_expression" && u.First(p) == n && u.First(p, "annotated_lambda") >= 0 &&
		u.First(p, "value_arguments") < 0 && u.First(n, "annotated_lambda") < 0 {
		n = p
	}
	callee, lambda := u.First(n), u.First(n, "annotated_lambda")
	typed := u.First(n, "type_arguments")
	list := u.First(n, "value_arguments")
	if u.Kind(callee) == "call_expression" && list < 0 && u.First(callee, "annotated_lambda") < 0 {
		list, typed = u.First(callee, "value_arguments"), u.First(callee, "type_arguments")
		callee = u.First(callee)
	}
	for a := range u.Children(list) {
		if parts := u.List(a); len(parts) > 0 {
			e.args = append(e.args, parts[len(parts)-1])
		}
	}
	if lambda >= 0 {
		e.args = append(e.args, u.First(lambda, "lambda_literal"))
	}
	for t := range u.Children(typed) {
		e.targs = append(e.targs, t)
	}
	if u.Kind(callee) == "unary_expression" && u.Text(u.Child(callee, "operator")) == "!" {
		callee = u.Child(callee, "argument") // !f(x) is of the call, other than the grammar says
	}
	switch u.Kind(callee) {
	case "identifier":
		e.name = callee
	case "navigation_expression":
		if m := kotlinMember(u, callee); m.op == aMember {
			e.object, e.name = m.object, m.name
			return e
		}
		e.object = callee
	default:
		e.object = callee
	}
	return e
}

func kotlinFunctionRead(u *resolve.Unit, n int32, k string) expr {
	e := expression(aFunction)
	if k == "anonymous_function" {
		e.body = u.First(u.First(n, "function_body"))
		e.parts = []int32{}
		for p := range u.Children(u.First(n, "function_value_parameters")) {
			if u.Kind(p) == "parameter" {
				e.parts = append(e.parts, p)
			}
		}
		return e
	}
	list := u.List(n)
	if len(list) > 0 && u.Kind(list[0]) == "lambda_parameters" {
		e.parts, list = u.List(list[0]), list[1:]
	}
	if len(list) > 0 {
		e.body = list[len(list)-1]
	}
	return e
}

func kotlinBinary(u *resolve.Unit, n int32, e expr) expr {
	left, right := u.Child(n, "left"), u.Child(n, "right")
	switch u.Text(u.Child(n, "operator")) {
	case "?:":
		e.op, e.parts = aPart, []int32{left, right}
	case "+", "-", "*", "/", "%":
		e.op, e.parts = aSum, []int32{left, right}
	default:
		e.op, e.text = ofType, "Boolean"
	}
	return e
}

// kotlinOther reads what is one of its parts, and literals.
func kotlinOther(u *resolve.Unit, n int32, k string, e *expr) {
	switch k {
	case "parenthesized_expression", "spread_expression":
		e.op, e.parts = aPart, []int32{u.First(n)}
	case "unary_expression":
		if p := u.Parent(n); u.Text(u.Child(n, "operator")) == "!" && (u.Kind(p) != "navigation_expression" || u.First(p) != n) {
			e.op, e.text = ofType, "Boolean" // else it is of all that is behind the dot too, other than the grammar says
			return
		}
		e.op, e.parts = aPart, []int32{u.Child(n, "argument")}
	case "annotated_expression", "labeled_expression", "block":
		if list := u.List(n); len(list) > 0 {
			e.op, e.parts = aPart, list[len(list)-1:]
		}
	case "if_expression":
		if list := u.List(n); len(list) > 2 {
			e.op, e.parts = aPart, list[1:]
		}
	case "when_expression":
		e.op = aPart
		for entry := range u.Children(n) {
			if list := u.List(entry); u.Kind(entry) == "when_entry" && len(list) > 0 {
				e.parts = append(e.parts, list[len(list)-1])
			}
		}
	case "try_expression":
		e.op = aPart
		for c := range u.Children(n) {
			switch u.Kind(c) {
			case "block":
				e.parts = append(e.parts, c)
			case "catch_block":
				e.parts = append(e.parts, u.First(c, "block"))
			}
		}
	case "string_literal", "multiline_string_literal":
		e.op, e.text = ofType, "String"
	case "number_literal":
		e.op, e.text = ofType, "Int"
		if strings.HasSuffix(u.Text(n), "L") {
			e.text = "Long"
		}
	case "float_literal":
		e.op, e.text = ofType, "Double"
	case "character_literal":
		e.op, e.text = ofType, "Char"
	case "in_expression", "is_expression":
		e.op, e.text = ofType, "Boolean"
	}
}

// kotlinType reads a node as a type.
func kotlinType(u *resolve.Unit, n int32) written {
	w := written{name: -1, before: -1}
	switch u.Kind(n) {
	case "identifier":
		if u.Kind(u.Parent(n)) != "user_type" {
			return w
		}
		return kotlinNamed(u, n)
	case "user_type":
		last := int32(-1)
		for c := range u.Children(n) {
			if u.Kind(c) == "identifier" {
				last = c
			}
		}
		if last < 0 {
			return w
		}
		w = kotlinType(u, last)
		if u.Text(last) == "Array" && len(w.args) == 1 {
			w = written{kind: arrayType, name: last, before: -1, parts: w.args}
		}
	case "type_projection", "nullable_type", "parenthesized_type", "non_nullable_type":
		for c := range u.Children(n) {
			if kotlinIsType(u.Kind(c)) {
				w.kind, w.parts = sameAs, []int32{c}
				return w
			}
		}
	case "function_type":
		return kotlinFunctionType(u, n)
	}
	return w
}

// kotlinNamed reads one name of a type with what comes before it and its arguments.
func kotlinNamed(u *resolve.Unit, n int32) written {
	w := written{kind: namedType, name: n, before: -1}
	for c := range u.Children(u.Parent(n)) {
		switch {
		case c < n && u.Kind(c) == "identifier":
			w.before = c
		case c > n && u.Kind(c) == "identifier":
			return w
		case c > n && u.Kind(c) == "type_arguments":
			w.args = u.List(c)
			return w
		}
	}
	return w
}

// kotlinFunctionType reads the receiver, the parameters and the result of a function type.
func kotlinFunctionType(u *resolve.Unit, n int32) written {
	w := written{kind: functionType, name: -1, before: -1}
	for c := range u.Children(n) {
		switch {
		case u.Kind(c) == "function_type_parameters":
			for p := range u.Children(c) {
				if u.Kind(p) == "parameter" {
					p = kotlinTypeAfter(u, p, p)
				}
				w.parts = append(w.parts, p)
			}
		case kotlinIsType(u.Kind(c)):
			w.receiver = w.receiver || len(w.parts) == 0 && c < u.First(n, "function_type_parameters")
			w.parts = append(w.parts, c)
		}
	}
	return w
}

// kotlinMeaning says what is at names that are no expressions and no types.
func kotlinMeaning(c *context, n int32) (resolve.Meaning, bool) {
	u := c.u
	p := u.Parent(n)
	switch u.Kind(p) {
	case "package_header", "labeled_expression":
		return resolve.Meaning{Known: true}, true
	case "this_expression", "super_expression":
		return c.labelMeaning(n), true
	case "return_expression":
		if u.Field(n) == "label" {
			return c.labelMeaning(n), true
		}
	case "value_argument":
		if list := u.List(p); len(list) > 1 && list[0] == n {
			return c.argumentNamed(p, n), true
		}
	case "qualified_identifier", "import":
		if i := u.Around(n, "import"); i >= 0 {
			return c.kotlinImport(i, n), true
		}
		return resolve.Meaning{Known: true}, true
	}
	if u.Text(n) == "class" && u.Kind(p) == "navigation_expression" {
		return resolve.Meaning{Known: true}, true
	}
	return resolve.Meaning{}, false
}

// kotlinImport is what a name in an import stands for.
func (c *context) kotlinImport(i, n int32) resolve.Meaning {
	u := c.u
	m := resolve.Meaning{Known: true}
	q := u.First(i, "qualified_identifier")
	path := strings.ReplaceAll(c.dotted(q), "`", "")
	alias := u.First(i, "identifier")
	if n == alias {
		return resolve.Meaning{Known: true}
	}
	whole := u.Nodes[n].End == u.Nodes[q].End
	if !whole {
		prefix := strings.Join(strings.Fields(u.Source[u.Nodes[q].Start:u.Nodes[n].End]), "")
		m.Symbols = matchingSymbols(c.qualified(strings.ReplaceAll(prefix, "`", "")), wantType)
		return m
	}
	for _, f := range c.importOf(importLine{path: path}, wantAny) {
		m.Symbols = append(m.Symbols, f.symbol)
	}
	if alias >= 0 {
		m.Alias = u.Text(alias)
	}
	return m
}

// labelMeaning is what a label behind this@ or return@ names: a class or a function
// around.
func (c *context) labelMeaning(n int32) resolve.Meaning {
	name := c.u.Text(n)
	for s := c.f.scopeAt(n); s != nil; s = s.outer {
		y := s.class
		if y == nil {
			y = c.f.callables[s.node]
		}
		if y != nil && y.Name == name {
			return resolve.Meaning{Symbols: []*resolve.Symbol{y}, Known: true}
		}
	}
	return resolve.Meaning{Known: true}
}

// kotlinImplied is the type of members that every enumeration has.
func kotlinImplied(c *context, v value, name string, called bool) union {
	if v.kind == typeName && declOf(v.class).word == "enum" && (called && (name == "values" || name == "valueOf") || name == "entries") {
		v.kind = instance
		switch name {
		case "values":
			return unionOf(value{kind: array, args: []union{unionOf(v)}})
		case "entries":
			return c.libraryType("java.util.List", unionOf(v))
		}
		return unionOf(v)
	}
	return nil
}

// kotlinQuoted is the name in "$name", which the grammar takes for two pieces of text.
func kotlinQuoted(u *resolve.Unit, n int32) string {
	if n == 0 || u.Kind(n) != "string_content" || u.Kind(n-1) != "string_content" || u.Text(n-1) != "$" {
		return ""
	}
	return resolve.LeadingName(u.Text(n))
}

// kotlinSlot says which parameter an argument is given to.
func kotlinSlot(u *resolve.Unit, argument int32) (name string, last bool) {
	p := u.Parent(argument)
	switch u.Kind(p) {
	case "annotated_lambda":
		return "", true
	case "value_argument":
		if list := u.List(p); len(list) > 1 {
			return u.Text(list[0]), false
		}
	}
	return "", false
}

// kotlinNarrow is the type that tests around a node give to what is there.
func kotlinNarrow(c *context, n int32) union {
	u, text := c.u, c.u.Text(n)
	if len(text) > 80 || u.Kind(n) != "identifier" && u.Kind(n) != "navigation_expression" {
		return nil
	}
	from := n
	for p := u.Parent(n); p >= 0 && c.Step(); from, p = p, u.Parent(p) {
		found := int32(-1)
		switch u.Kind(p) {
		case "function_declaration", "class_body", "source_file":
			return nil
		case "if_expression":
			if cond := u.Child(p, "condition"); from != cond {
				list := u.List(p)
				found = kotlinTested(u, cond, text, len(list) < 2 || list[1] == from)
			}
		case "while_statement":
			if cond := u.Child(p, "condition"); from != cond {
				found = kotlinTested(u, cond, text, true)
			}
		case "binary_expression":
			if op := u.Text(u.Child(p, "operator")); from == u.Child(p, "right") && (op == "&&" || op == "||") {
				found = kotlinTested(u, u.Child(p, "left"), text, op == "&&")
			}
		case "when_entry":
			found = kotlinBranch(u, p, from, text)
		case "block", "lambda_literal":
			found = kotlinBefore(c, p, from, text)
		}
		if found >= 0 {
			return c.typeAt(found)
		}
	}
	return nil
}

// kotlinBranch is the type that a branch of a when tests something for, or -1.
func kotlinBranch(u *resolve.Unit, entry, from int32, text string) int32 {
	if u.Field(from) == "condition" {
		return -1
	}
	subject := u.First(u.Parent(entry), "when_subject")
	list := u.List(subject)
	tests := 0
	found := int32(-1)
	for c := range u.Children(entry) {
		if u.Field(c) != "condition" {
			continue
		}
		tests++
		switch {
		case subject < 0:
			found = kotlinTested(u, c, text, true)
		case u.Kind(c) == "type_test" && (u.Text(list[len(list)-1]) == text || u.Text(u.First(list[0], "identifier")) == text):
			if !strings.HasPrefix(u.Text(c), "!") {
				found = kotlinTypeAfter(u, c, c)
			}
		}
	}
	if tests != 1 {
		return -1
	}
	return found
}

// kotlinBefore is the type that statements before one make sure of, or -1.
func kotlinBefore(c *context, block, from int32, text string) int32 {
	u := c.u
	found := int32(-1)
	for s := range u.Children(block) {
		if s >= from || !c.Step() {
			break
		}
		switch u.Kind(s) {
		case "if_expression":
			if list := u.List(s); len(list) == 2 && kotlinLeaves(u, list[1]) {
				if t := kotlinTested(u, list[0], text, false); t >= 0 {
					found = t
				}
			}
		case "as_expression":
			if u.Text(u.Child(s, "left")) == text {
				found = u.Child(s, "right")
			}
		case "call_expression":
			name := u.Text(u.First(s))
			args := u.First(s, "value_arguments")
			if call := u.First(s); u.Kind(call) == "call_expression" {
				name, args = u.Text(u.First(call)), u.First(call, "value_arguments")
			}
			if name == "require" || name == "check" || name == "assert" {
				if t := kotlinTested(u, u.First(u.First(args)), text, true); t >= 0 {
					found = t
				}
			}
		}
	}
	return found
}

// kotlinLeaves reports whether nothing after a statement is reached from it.
func kotlinLeaves(u *resolve.Unit, n int32) bool {
	if u.Kind(n) == "block" {
		list := u.List(n)
		return len(list) > 0 && kotlinLeaves(u, list[len(list)-1])
	}
	switch u.Kind(n) {
	case "return_expression", "throw_expression", "continue_expression", "break_expression":
		return true
	}
	return slices.Contains([]string{"continue", "break"}, u.Text(n))
}

// kotlinTested is the type that something has if a condition is true, or false; -1 if
// that is not said.
func kotlinTested(u *resolve.Unit, cond int32, text string, truth bool) int32 {
	switch u.Kind(cond) {
	case "parenthesized_expression":
		return kotlinTested(u, u.First(cond), text, truth)
	case "unary_expression":
		if u.Text(u.Child(cond, "operator")) == "!" {
			return kotlinTested(u, u.Child(cond, "argument"), text, !truth)
		}
	case "is_expression":
		left, right := u.Child(cond, "left"), u.Child(cond, "right")
		not := strings.Contains(u.Source[u.Nodes[left].End:u.Nodes[right].Start], "!")
		if u.Text(left) == text && not != truth {
			return right
		}
	case "binary_expression":
		op := u.Text(u.Child(cond, "operator"))
		if op == "&&" && truth || op == "||" && !truth {
			if t := kotlinTested(u, u.Child(cond, "left"), text, truth); t >= 0 {
				return t
			}
			return kotlinTested(u, u.Child(cond, "right"), text, truth)
		}
	}
	return -1
}
