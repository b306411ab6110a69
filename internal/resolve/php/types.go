package php

import (
	"strings"

	"codeintel/internal/resolve"
)

// A union is what a value may be; an empty one is unknown.
type union = resolve.Union[value]

type valueKind int

const (
	instance valueKind = iota // of a class
	theClass                  // itself, as before :: or as a string
	list                      // an array
	callable                  // its element is what it returns
	scalar
	outside // something of a class that is not of the project
)

// A value is one thing that a value may be.
type value struct {
	kind  valueKind
	class *def
	late  bool             // an instance of the class on which it is asked for: static
	elem  union            // what it holds, or returns
	keys  map[string]union // what a list holds under names that are written, as far as it is told
	mixed bool             // a list that contains several things, or one of these and it is not known which
}

// Same compares two things, and what they hold one level deep.
func (v value) Same(o value) bool {
	if v.kind != o.kind || v.class != o.class || len(v.elem) != len(o.elem) || v.keys != nil || o.keys != nil {
		return false
	}
	for i := range v.elem {
		if v.elem[i].kind != o.elem[i].kind || v.elem[i].class != o.elem[i].class {
			return false
		}
	}
	return true
}

func unionOf(v value) union { return union{v} }

func instances(classes []*def) union {
	var t union
	for _, d := range classes {
		t = t.Join(unionOf(value{kind: instance, class: d}))
	}
	return t
}

// isInformative reports whether a type says something that leads on.
func isInformative(t union) bool {
	for _, v := range t {
		if v.class != nil || isInformative(v.elem) {
			return true
		}
		for _, element := range v.keys {
			if isInformative(element) {
				return true
			}
		}
	}
	return false
}

// firstKnown is the first of several types that leads on, else the first that is known.
func firstKnown(all ...func() union) (t union) {
	for _, f := range all {
		o := f()
		if isInformative(o) {
			return o
		}
		if len(t) == 0 {
			t = o
		}
	}
	return t
}

// orInferred is what is told of a type, and what is inferred where that leaves open
// what it holds or returns.
func orInferred(t union, infer func() union) union {
	if isInformative(t) {
		return t
	}
	for _, v := range t {
		if v.kind != list && v.kind != callable {
			return t
		}
	}
	if o := infer(); len(o) > 0 {
		return o
	}
	return t
}

// basicType is a type that has no declaration. ok is false for other names.
func basicType(name string) (t union, ok bool) {
	switch strings.ToLower(name) {
	case "array", "iterable", "list", "non-empty-array", "non-empty-list":
		return unionOf(value{kind: list}), true
	case "int", "float", "string", "bool", "false", "true", "null", "void", "never", "integer", "boolean", "double",
		"class-string", "non-empty-string", "numeric-string", "positive-int", "non-negative-int", "resource", "array-key",
		"callable-string", "literal-string", "scalar", "numeric", "no-return":
		return unionOf(value{kind: scalar}), true
	case "callable", "closure":
		return unionOf(value{kind: callable}), true
	case "mixed", "object", "":
		return nil, true
	}
	return nil, false
}

// named is what a name that is written as a type stands for.
func (c *context) named(n int32, name string, class *def) union {
	switch strings.ToLower(name) {
	case "self":
		if class != nil {
			return unionOf(value{kind: instance, class: class})
		}
		return nil
	case "static", "$this":
		if class != nil {
			return unionOf(value{kind: instance, class: class, late: true})
		}
		return nil
	case "parent":
		if class != nil {
			return c.parentType(class)
		}
		return nil
	}
	if t, ok := basicType(name); ok {
		return t
	}
	if t := instances(c.classesNamed(n, name)); len(t) > 0 {
		return t
	}
	return unionOf(value{kind: outside})
}

// parentType is an instance of what a class extends.
func (c *context) parentType(class *def) union {
	o := in(c.Resolver, class.Unit)
	for _, n := range class.supers {
		if o.u.Kind(o.u.Parent(n)) == "base_clause" {
			if t := instances(o.classesNamed(n, o.u.Text(n))); len(t) > 0 {
				return t
			}
		}
	}
	return unionOf(value{kind: outside})
}

// typeAt is the type that is written at a node.
func (c *context) typeAt(n int32) union {
	if n < 0 || !c.Step() {
		return nil
	}
	switch c.u.Kind(n) {
	case "name", "qualified_name", "relative_name", "relative_scope":
		return c.named(n, c.u.Text(n), c.classAt(n))
	case "primitive_type":
		t, _ := basicType(c.u.Text(n))
		return t
	}
	if !c.Enter() {
		return nil
	}
	defer c.Leave()
	var t union
	for p := range c.u.Children(n) {
		t = t.Join(c.typeAt(p))
	}
	if t == nil {
		t, _ = basicType(c.u.Text(n))
	}
	return t
}

// A typeReader reads a type that is written in a comment.
type typeReader struct {
	c     *context
	text  string
	n     int32 // where its names are looked up
	class *def
	docs  []*doc // with templates
	deep  int
}

// docType reads a type in a comment that belongs to a node.
func (c *context) docType(text string, n int32, class *def, docs ...*doc) union {
	if text == "" || !c.Enter() {
		return nil
	}
	defer c.Leave()
	if class == nil {
		class = c.classAt(n)
	}
	if class != nil {
		docs = append(docs, class.doc)
	}
	r := &typeReader{c: c, text: text, n: n, class: class, docs: docs}
	return r.union()
}

func (r *typeReader) skip() { r.text = strings.TrimLeft(r.text, " \t\r\n*") }

func (r *typeReader) accept(s string) bool {
	r.skip()
	rest, ok := strings.CutPrefix(r.text, s)
	if ok {
		r.text = rest
	}
	return ok
}

func (r *typeReader) union() union {
	if r.deep > 20 {
		r.text = ""
		return nil
	}
	r.deep++
	defer func() { r.deep-- }()
	t := r.part()
	for r.accept("|") || r.accept("&") {
		t = t.Join(r.part())
	}
	return t
}

func (r *typeReader) part() union {
	r.accept("?")
	var t union
	if r.accept("(") {
		t = r.union()
		r.accept(")")
	} else {
		t = r.name()
	}
	for r.accept("[]") {
		t = unionOf(value{kind: list, elem: t})
	}
	return t
}

func (r *typeReader) name() union {
	r.skip()
	end := 0
	for end < len(r.text) && (wordByte(r.text[end]) || strings.IndexByte(`\$-`, r.text[end]) >= 0) {
		end++
	}
	name := r.text[:end]
	r.text = r.text[end:]
	switch {
	case name == "":
		if r.text != "" && strings.IndexByte("'\"", r.text[0]) >= 0 {
			if i := strings.IndexByte(r.text[1:], r.text[0]); i >= 0 {
				r.text = r.text[i+2:]
				return unionOf(value{kind: scalar})
			}
		}
		r.text = ""
		return nil
	case strings.HasPrefix(r.text, "::"):
		r.text = strings.TrimLeft(r.text[2:], "*_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
		return nil
	case strings.HasPrefix(r.text, "{"):
		return r.arrayShape()
	case strings.HasPrefix(r.text, "("):
		return r.callable()
	}
	var args []union
	if r.accept("<") {
		for {
			args = append(args, r.union())
			if !r.accept(",") {
				break
			}
		}
		r.accept(">")
	}
	t, isTemplate := r.template(name)
	if !isTemplate {
		t = r.c.named(r.n, name, r.class)
	}
	if len(args) == 0 {
		return t
	}
	if strings.EqualFold(name, "class-string") {
		return args[0].Each(func(v value) union { return unionOf(value{kind: theClass, class: v.class}) })
	}
	if len(t) == 0 {
		t = unionOf(value{kind: outside})
	}
	return t.Each(func(v value) union {
		if v.kind == list || v.kind == instance || v.kind == outside {
			at := len(args) - 1
			if strings.HasSuffix(name, "Generator") {
				at = min(at, 1)
			}
			v.elem = args[at]
		}
		return unionOf(v)
	})
}

// template is the bound of a type parameter.
func (r *typeReader) template(name string) (t union, ok bool) {
	for _, d := range r.docs {
		if d == nil {
			continue
		}
		if bound, ok := d.templates[name]; ok {
			if bound == "" || bound == name {
				return nil, true
			}
			return r.c.docType(bound, r.n, r.class), true
		}
	}
	return nil, false
}

// arrayShape reads the shape of an array: {name: type, other?: type}.
func (r *typeReader) arrayShape() union {
	v := value{kind: list}
	deep, end := 0, -1
	for i := 0; i < len(r.text) && end < 0; i++ {
		switch r.text[i] {
		case '{':
			deep++
		case '}':
			if deep--; deep == 0 {
				end = i
			}
		}
	}
	if end < 0 {
		r.text = ""
		return unionOf(v)
	}
	inside := *r
	inside.text, r.text = r.text[1:end], r.text[end+1:]
	for {
		inside.skip()
		key, rest, ok := strings.Cut(inside.text, ":")
		if key = strings.Trim(key, " ?'\""); !ok || key == "" || strings.ContainsAny(key, ",{<(|") {
			return unionOf(v)
		}
		inside.text = rest
		if v.keys == nil {
			v.keys = map[string]union{}
		}
		v.keys[key] = inside.union()
		if !inside.accept(",") {
			return unionOf(v)
		}
	}
}

// callable reads the parameters and the result of one.
func (r *typeReader) callable() union {
	deep := 0
	for i := range len(r.text) {
		switch r.text[i] {
		case '(':
			deep++
		case ')':
			deep--
		}
		if deep == 0 {
			r.text = r.text[i+1:]
			v := value{kind: callable}
			if r.accept(":") {
				v.elem = r.part()
			}
			return unionOf(v)
		}
	}
	r.text = ""
	return nil
}
