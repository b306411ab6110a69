package nominal

import (
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// A property of Kotlin has methods in Java, and such methods of Java are properties in
// Kotlin: a.size is a.getSize().

// getters lists the methods of Java that give a property of a name.
func (c *context) getters(v value, name string) []member {
	if name == "" || v.kind != instance && v.kind != typeName {
		return nil
	}
	for _, getter := range []string{"get" + capital(name), name} {
		if getter == name && !strings.HasPrefix(name, "is") {
			continue
		}
		found, _ := c.membersOf(v, getter, wantCall)
		for _, m := range found {
			if len(declOf(m.symbol).params) == 0 && !rowOf(m.symbol.Unit).members.receivers {
				return []member{m}
			}
		}
	}
	return nil
}

// accessed lists the properties of Kotlin that a method of a name gives or sets.
func (c *context) accessed(v value, method string) []member {
	for _, name := range properties(method) {
		found, _ := c.membersOf(v, name, wantValue)
		for _, m := range found {
			if rowOf(m.symbol.Unit).members.receivers {
				return []member{m}
			}
		}
	}
	return nil
}

// properties lists the names of properties that a method of a name may give or set.
func properties(method string) []string {
	if strings.HasPrefix(method, "is") {
		return []string{method}
	}
	rest, ok := strings.CutPrefix(method, "get")
	if !ok {
		rest, ok = strings.CutPrefix(method, "set")
	}
	if !ok || rest == "" || rest[0] < 'A' || rest[0] > 'Z' {
		return nil
	}
	return []string{strings.ToLower(rest[:1]) + rest[1:], "is" + rest}
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// Renames lists the names under which files of the other language know properties and
// the methods that stand for them.
func (f *Family) Renames(r *resolve.Resolver, u *resolve.Unit,
	of map[*resolve.Symbol]bool) (names []string, offers bool) {
	c := contextOf(r, u)
	if c.f == nil || !c.has(syntax.Kotlin) || !c.has(syntax.Java) {
		return nil, false
	}
	for y := range of {
		d := declOf(y)
		switch {
		case y.Unit != u || d == nil || y.Name == "":
		case d.kind == aMethod && !c.f.row.members.receivers && len(d.params) == 0:
			names = append(names, properties(y.Name)...)
		case d.kind == aField && c.f.row.members.receivers && !d.private:
			names = append(names, "get"+capital(y.Name), "set"+capital(y.Name))
		}
	}
	return names, false
}
