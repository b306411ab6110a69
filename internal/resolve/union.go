package resolve

import "slices"

// An Alternative is one thing that a value may be, as a language writes it.
type Alternative[V any] interface {
	// Same reports whether another one says nothing that this one does not.
	Same(V) bool
}

// A Union is what a value may be: any of several alternatives. An empty one is
// unknown.
type Union[V Alternative[V]] []V

// maxAlternatives bounds how many things a value may be.
const maxAlternatives = 24

// Join returns the alternatives of both, each once.
func (a Union[V]) Join(b Union[V]) Union[V] {
	if len(a) == 0 {
		return b
	}
	all := a[:len(a):len(a)]
	for _, v := range b {
		if len(all) >= maxAlternatives {
			break
		}
		if !slices.ContainsFunc(all, func(o V) bool { return o.Same(v) }) {
			all = append(all, v)
		}
	}
	return all
}

// Either joins what a value may be in two cases. If only one of them is known, it may be
// anything else too.
func Either[V Alternative[V]](a, b Union[V], anything V) Union[V] {
	switch {
	case len(a) == 0 && len(b) > 0:
		a = Union[V]{anything}
	case len(b) == 0 && len(a) > 0:
		b = Union[V]{anything}
	}
	return a.Join(b)
}

// Each joins what f returns for each alternative.
func (a Union[V]) Each(f func(V) Union[V]) Union[V] {
	var all Union[V]
	for _, v := range a {
		all = all.Join(f(v))
	}
	return all
}

// At returns the element of a list at a position, and the zero value beyond its
// end.
func At[T any](list []T, i int) (t T) {
	if i < len(list) {
		return list[i]
	}
	return t
}

// Enter reports whether inference may go one level deeper. Where it may, Leave
// must follow.
func (r *Resolver) Enter() bool { return r.EnterUpTo(MostDepth) }

// EnterUpTo is Enter with another bound of the depth.
func (r *Resolver) EnterUpTo(depth int) bool {
	if r.Depth > depth || !r.Step() {
		return false
	}
	r.Depth++
	return true
}

// Leave ends what Enter began.
func (r *Resolver) Leave() { r.Depth-- }

// TypeOf returns the type of what a symbol stands for, as its language writes
// types. It is inferred once; a symbol whose type depends on itself is unknown there.
func TypeOf[T any](r *Resolver, y *Symbol, infer func(r *Resolver, y *Symbol) T) (t T) {
	if y.done {
		t, _ = y.inferred.(T)
		return t
	}
	if y.Busy || !r.Enter() {
		return t
	}
	y.Busy = true
	t = infer(r, y)
	r.Leave()
	y.Busy = false
	if r.Steps <= MostSteps {
		y.inferred, y.done = t, true
	}
	return t
}

// Inferred is what is known of nodes, such as the types of expressions.
type Inferred[T any] map[NodeKey]T

// Of returns what infer says of a node. It is kept, unless the work that was left or the
// depth may have cut it short.
func (m Inferred[T]) Of(r *Resolver, u *Unit, n int32, infer func(*Resolver, *Unit, int32) T) (t T) {
	if n < 0 || !r.Enter() {
		return t
	}
	key := NodeKey{Unit: u, Node: n}
	t, ok := m[key]
	if !ok {
		t = infer(r, u, n)
		if r.Steps <= MostSteps && r.Depth <= MostDepth/2 {
			m[key] = t
		} else {
			delete(m, key)
		}
	}
	r.Leave()
	return t
}

// Once is Of where a node that depends on itself is unknown.
func (m Inferred[T]) Once(r *Resolver, u *Unit, n int32, infer func(*Resolver, *Unit, int32) T) T {
	return m.Of(r, u, n, func(r *Resolver, u *Unit, n int32) (t T) {
		m[NodeKey{Unit: u, Node: n}] = t
		return infer(r, u, n)
	})
}

// Follow returns what a symbol stands for in the end, by its links: imports and
// re-exports. links returns the next symbols, and whether a symbol stands for
// itself too.
func Follow(r *Resolver, y *Symbol, links func(*Resolver, *Symbol) (next []*Symbol, own bool)) (all []*Symbol) {
	seen := map[*Symbol]bool{}
	todo := []*Symbol{y}
	for len(todo) > 0 {
		y := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[y] || !r.Step() {
			continue
		}
		seen[y] = true
		r.Steps += len(y.Decls) / 4 // links looks at each of them
		next, own := links(r, y)
		todo = append(todo, next...)
		if own {
			all = append(all, y)
		}
	}
	return all
}
