package ruby

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/resolve"
)

// coreText lists the methods that classes of Ruby and of its standard library have: a class a
// line. What Object, Enumerable and Comparable have is not repeated.
//
//go:embed core.txt
var coreText string

// A library is what coreText says.
type library struct {
	object     map[string]bool // what every object has
	enumerable map[string]bool
	classes    map[string]map[string]bool // by method: the classes that have it by themselves
}

var core = sync.OnceValue(func() *library {
	l := &library{map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}}
	for line := range strings.Lines(coreText) {
		class, names, _ := strings.Cut(line, ":")
		for _, name := range strings.Fields(names) {
			switch class {
			case "Object":
				l.object[name] = true
			case "Enumerable":
				l.enumerable[name] = true
			default:
				if l.classes[name] == nil {
					l.classes[name] = map[string]bool{}
				}
				l.classes[name][class] = true
			}
		}
	}
	return l
})

// has reports whether one class of the library has all of some methods.
func (l *library) has(names []string) bool {
	var left map[string]bool // nil for all classes
	for _, name := range names {
		if l.object[name] || l.enumerable[name] {
			continue
		}
		if left == nil {
			left = maps.Clone(l.classes[name])
		} else {
			maps.DeleteFunc(left, func(class string, _ bool) bool { return !l.classes[name][class] })
		}
		if len(left) == 0 {
			return false
		}
	}
	return true
}

// guess is the meaning of a method that is called on something of which no more is known
// than what is called on it: by its name, if one class alone declares it.
func (c *context) guess(name string) resolve.Meaning {
	r, ok := c.answering([]string{name})
	if !ok {
		return resolve.Meaning{}
	}
	return guessed(c.methodsOf(r, name, false))
}

func guessed(list []*resolve.Symbol) resolve.Meaning {
	return resolve.Meaning{Symbols: list, Guess: len(list) > 0}
}

// methodMeaning is the meaning of a method of a known receiver.
func (c *context) methodMeaning(r receiver, name string) resolve.Meaning {
	list := c.methodsOf(r, name, false)
	if r.guess {
		return guessed(list)
	}
	return known(list)
}

// answering finds the one class that has all of some methods, if no class of the library
// has them. Methods that nothing in the project declares do not count.
func (c *context) answering(names []string) (r receiver, ok bool) {
	if core().has(names) {
		return r, false
	}
	var all []receiver
	var common, specific []string
	for _, name := range names {
		owners := c.owners(name)
		if core().object[name] || len(owners) == 0 {
			continue
		}
		if core().has([]string{name}) {
			common = append(common, name)
		} else {
			specific = append(specific, name)
		}
		for _, o := range owners {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	if len(all) > maxOwners {
		return r, false
	}
	having := func(names []string) []receiver {
		return c.topmost(slices.DeleteFunc(slices.Clone(all), func(o receiver) bool {
			return slices.ContainsFunc(names, func(name string) bool { return len(c.methodsOf(o, name, false)) == 0 })
		}))
	}
	left := having(append(common, specific...))
	if len(left) == 0 {
		left = having(specific)
	}
	if len(left) != 1 || len(specific) == 0 && !core().hasMethods(c, left[0], names) {
		return r, false
	}
	left[0].guess = true
	return left[0], true
}

// hasMethods reports whether a class has all of some methods, those that the library knows too.
func (l *library) hasMethods(c *context, r receiver, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !l.object[name] && len(c.methodsOf(r, name, false)) == 0
	})
}

// maxOwners bounds how many classes are compared.
const maxOwners = 40

// owners lists the classes that declare a method.
func (c *context) owners(name string) []receiver {
	if list, ok := c.m.owners[name]; ok {
		return list
	}
	var list []receiver
	for _, path := range c.Defining(name) {
		u := c.Unit(path)
		if u == nil || u.Language != (Language{}) {
			continue
		}
		for _, d := range c.m.files[u].methods[name] {
			r := receiver{class: d.owner.full, single: d.singular}
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	if c.Steps <= resolve.MostSteps {
		c.m.owners[name] = list
	}
	return list
}

// topmost leaves out the classes that have another of the list above them.
func (c *context) topmost(list []receiver) []receiver {
	return slices.DeleteFunc(slices.Clone(list), func(r receiver) bool {
		below := false
		c.visitAncestors(r, func(k *class, single bool) bool {
			o := receiver{class: k.full, single: single}
			below = below || o != r && slices.Contains(list, o)
			return !below
		})
		return below
	})
}

// asksClass are the methods that ask an object for its class.
var asksClass = map[string]bool{"is_a?": true, "kind_of?": true, "instance_of?": true}

// calledOn lists what is called on a variable within some nodes, and finds the class that
// it is asked to be of.
func (c *context) calledOn(nodes []int32, name string) (r receiver, ok bool) {
	var names []string
	for _, node := range nodes {
		for _, i := range c.placesIn(node, name) {
			if c.u.Field(i) != "receiver" {
				continue
			}
			call := c.u.Parent(i)
			method := c.u.Text(c.u.Child(call, "method"))
			if asksClass[method] {
				if r, ok = c.receiverAt(c.u.First(c.u.Child(call, "arguments"))); ok && r.single {
					return receiver{class: r.class, guess: true}, true
				}
			}
			if !slices.Contains(names, method) {
				names = append(names, method)
			}
		}
	}
	return c.answering(names)
}
