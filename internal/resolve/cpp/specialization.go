package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// A specialization of a class template is a class of its own, with members of its own:
// template <> struct Box<bool> {}. Looking up the template's name finds the template, and
// the arguments decide which of the classes is meant, if they are known.

// specialArguments returns the arguments that the name of a class is declared with, or -1.
func specialArguments(u *resolve.Unit, name int32) int32 {
	if p := u.Parent(name); (u.Kind(p) == "template_type" || u.Kind(p) == "template_function") && u.Field(name) == "name" {
		return u.Child(p, "arguments")
	}
	return -1
}

// argumentsText writes arguments of a template as a part of a path.
func argumentsText(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "::", ".")), " ")
	for _, sign := range []string{",", "<", ">", "*", "&"} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+sign, sign), sign+" ", sign)
	}
	return text
}

// plainName leaves the arguments of a specialization off.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name
}

// specializations returns those of a class template that a file sees.
func specializations(r *resolve.Resolver, u *resolve.Unit, path string) []*decl {
	if u == nil || path == "" || strings.HasSuffix(path, ">") {
		return nil
	}
	return seenOnce(r, u, scopedName{"<>", path}, func(t *table) []*decl { return t.special[path] })
}

// specialized puts the specialization that arguments name in the place of its template.
func specialized(r *resolve.Resolver, v value) value {
	if v.kind != kindInstance || len(v.args) == 0 {
		return v
	}
	for _, d := range specializations(r, v.unit, v.path) {
		if _, exact := d.accepts(r, v.args); exact {
			v.path, v.args = d.inner, nil
			return v
		}
	}
	return v
}

// possibleSpecializations returns the specializations that a class of a template with arguments may be.
func possibleSpecializations(r *resolve.Resolver, from *resolve.Unit, v value) (all []*decl) {
	if v.kind != kindInstance || len(v.args) == 0 {
		return nil
	}
	for _, u := range []*resolve.Unit{from, v.unit} {
		for _, d := range specializations(r, u, v.path) {
			if may, _ := d.accepts(r, v.args); may && !slices.Contains(all, d) {
				all = append(all, d)
			}
		}
	}
	return all
}

// accepts reports whether a specialization may be meant by arguments, and whether it surely
// is: all of them are known and are the same.
func (d *decl) accepts(r *resolve.Resolver, args []union) (may, exact bool) {
	own := templateArguments(r, d.unit, d.unit.Parent(d.name))
	if len(args) > len(own) {
		return slices.ContainsFunc(own, func(t union) bool { return len(t) == 0 }), false
	}
	exact = len(args) == len(own)
	for i, a := range args {
		switch same, known := sameArgument(own[i], a); {
		case known && !same:
			return false, false
		case !known:
			exact = false
		}
	}
	return true, exact
}

// sameArgument compares arguments of templates, if both are known.
func sameArgument(a, b union) (same, known bool) {
	if len(a) != 1 || len(b) != 1 || dependent(a) || dependent(b) {
		return false, false
	}
	v, o := a[0], b[0]
	if v.kind > kindOutside || o.kind > kindOutside || v.kind == kindFunctions || o.kind == kindFunctions ||
		v.kind == kindCallable || o.kind == kindCallable || len(v.args) > 0 || len(o.args) > 0 {
		return v.Same(o), false
	}
	if v.kind == kindOutside && o.kind == kindOutside {
		return plainNumber(v.name) == plainNumber(o.name) && v.pointers == o.pointers, true
	}
	return v.kind == o.kind && v.path == o.path && v.pointers == o.pointers, true
}

// dependent reports whether a type depends on template arguments.
func dependent(t union) bool {
	return slices.ContainsFunc(t, func(v value) bool {
		return v.kind == kindParameter || slices.ContainsFunc(v.args, dependent) || dependent(v.result)
	})
}
