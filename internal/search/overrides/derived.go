package overrides

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Satisfying returns the Go types that have every method an interface demands, by path and
// line. Methods of what types embed are not seen, nor is what methods take and return. An
// interface without methods has none.
func Satisfying(ctx context.Context, x *index.Index, iface *index.Symbol) (types []index.Symbol, err error) {
	methods, err := requiredMethods(ctx, x, iface)
	if err != nil || len(methods) == 0 {
		return nil, err
	}
	var having map[receiver]bool // of each method so far: thousands of types may have one
	for _, name := range methods {
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Language: syntax.Go, Kind: syntax.Method})
		if err != nil {
			return nil, fmt.Errorf("types with %s: %w", name, err)
		}
		too := make(map[receiver]bool)
		for i := range list {
			if of := (receiver{path.Dir(list[i].File), list[i].Scope}); having == nil || having[of] {
				too[of] = true
			}
		}
		having = too
	}
	names := make(map[string]bool)
	for of := range having {
		names[of.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Match: index.Exact, Language: syntax.Go})
		if err != nil {
			return nil, fmt.Errorf("types called %s: %w", name, err)
		}
		for i := range list {
			t := &list[i]
			of := receiver{path.Dir(t.File), text.Dotted(t.Scope, t.Name)}
			if t.Kind.HasMembers() && t.Kind != syntax.Interface && having[of] {
				types = append(types, *t)
				delete(having, of) // files for other systems may declare it, too
			}
		}
	}
	slices.SortFunc(types, func(a, b index.Symbol) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.NameLine, b.NameLine))
	})
	return types, nil
}

// A receiver is what Go methods are declared for: a type of the package in a folder.
type receiver struct{ folder, name string }

// declares returns the names of the methods that a Go interface declares itself.
func declares(ctx context.Context, x *index.Index, iface *index.Symbol) (names []string, err error) {
	list, err := x.FileSymbols(ctx, iface.File)
	if problem.Of(err) != nil {
		return nil, nil // gone meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("methods of %s: %w", iface.Name, err)
	}
	for i := range list {
		if m := &list[i]; m.Kind == syntax.Method && m.Scope == text.Dotted(iface.Scope, iface.Name) {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// requiredMethods returns the names of the methods that a Go interface declares itself, and of those of
// the interfaces that it takes in.
func requiredMethods(ctx context.Context, x *index.Index, iface *index.Symbol) ([]string, error) {
	d := demanded{ctx: ctx, x: x, names: map[string]bool{}, seen: map[receiver]bool{}}
	if err := d.add(iface); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(d.names)), nil
}

// demanded gathers the methods of an interface and of those that it takes in.
type demanded struct {
	ctx   context.Context
	x     *index.Index
	names map[string]bool
	seen  map[receiver]bool
}

func (d *demanded) add(iface *index.Symbol) error {
	own := text.Dotted(iface.Scope, iface.Name)
	key := receiver{path.Dir(iface.File), own}
	if d.seen[key] {
		return nil
	}
	d.seen[key] = true
	names, err := declares(d.ctx, d.x, iface)
	if err != nil {
		return err
	}
	for _, name := range names {
		d.names[name] = true
	}
	uses, err := d.x.FileOccurrences(d.ctx, iface.File)
	if problem.Of(err) != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("what %s takes in: %w", own, err)
	}
	for _, o := range uses {
		in := o.Enclosing
		if in.Kind != syntax.Interface || in.Scope != iface.Scope || in.Name != iface.Name || o.Name == iface.Name {
			continue
		}
		if err := d.addEmbedded(iface, o); err != nil {
			return err
		}
	}
	return nil
}

// ofLibrary are methods of interfaces of the standard library that others take in commonly.
var ofLibrary = map[string]string{
	"io.Reader": "Read", "io.Writer": "Write", "io.Closer": "Close", "io.Seeker": "Seek", "io.ReaderAt": "ReadAt",
	"io.ReadCloser": "Read Close", "io.WriteCloser": "Write Close", "io.ReadWriter": "Read Write",
	"io.ReadWriteCloser": "Read Write Close", "fmt.Stringer": "String", "http.Handler": "ServeHTTP",
	"http.ResponseWriter": "Header Write WriteHeader", "sort.Interface": "Len Less Swap",
	"heap.Interface": "Len Less Swap Push Pop", "context.Context": "Deadline Done Err Value",
}

// addEmbedded adds the methods of an interface that another names among its members.
func (d *demanded) addEmbedded(by *index.Symbol, o index.Occurrence) error {
	if o.Qualifier == "" && o.Name == "error" {
		d.names["Error"] = true
		return nil
	}
	for _, name := range strings.Fields(ofLibrary[text.Dotted(o.Qualifier, o.Name)]) {
		d.names[name] = true
	}
	list, err := d.x.Symbols(d.ctx, index.SymbolQuery{Name: o.Name, Match: index.Exact, Language: syntax.Go, Kind: syntax.Interface})
	if err != nil {
		return fmt.Errorf("interfaces called %s: %w", o.Name, err)
	}
	for i := range list {
		folder := path.Dir(list[i].File)
		if o.Qualifier == "" && folder == path.Dir(by.File) || o.Qualifier != "" && path.Base(folder) == o.Qualifier {
			return d.add(&list[i])
		}
	}
	return nil
}

// has reports whether a Go type has methods of these names, as far as they are declared
// for it: methods of embedded types are not seen.
func has(ctx context.Context, x *index.Index, t *index.Symbol, methods []string) (bool, error) {
	for _, name := range methods {
		list, err := x.Symbols(ctx, index.SymbolQuery{Name: name, Language: syntax.Go, Kind: syntax.Method})
		if err != nil {
			return false, fmt.Errorf("methods of %s: %w", t.Name, err)
		}
		own := func(m index.Symbol) bool {
			return m.Scope == text.Dotted(t.Scope, t.Name) && path.Dir(m.File) == path.Dir(t.File)
		}
		if !slices.ContainsFunc(list, own) {
			return false, nil
		}
	}
	return true, nil
}

// mixinLine begins a line by which a type takes in another among its members.
var mixinLine = lazyregexp.MustCompile(`^\s*(?:include|extend|prepend|use|with|@behaviour|-behaviou?r|@include|import)\b`)

// Derived returns the type among those of a file that a mention of another, by the last part
// of its name, makes one derived from it: the head of the type names it, or the type takes
// it in among its members. It is nil for every other mention. content is the line of the
// mention, and around is what encloses it.
func Derived(list []index.Symbol, base string, line int, content string, around syntax.Kind) *index.Symbol {
	var of *index.Symbol
	for i := range list {
		t := &list[i]
		if isType := t.Kind.HasMembers() && t.Kind != syntax.Type || t.Kind == syntax.Impl || t.Kind == syntax.Module || t.Kind == syntax.Namespace; isType &&
			t.StartLine <= line && line <= t.EndLine && (of == nil || t.StartLine >= of.StartLine) {
			of = t
		}
	}
	within := mixinLine.MatchString(content) && !around.Callable() // with Lock(): in a method takes in nothing
	if i := slices.IndexFunc(list, func(s index.Symbol) bool { return s.Kind == syntax.Module }); of == nil && within && i >= 0 {
		of = &list[i] // a module that is a file, as in Erlang
	}
	if of == nil || of.Name == base {
		return nil
	}
	head := *of
	head.Signature = withoutArguments(of.Signature)
	if within || Extends(&head, base) && line <= headEnd(list, of) {
		return of
	}
	return nil
}

// withoutArguments takes the arguments of types out of the head of one: of List<Item> the Item.
func withoutArguments(head string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '<', '[':
			depth++
			return ' '
		case '>', ']':
			depth = max(0, depth-1)
			return ' '
		}
		if depth > 0 {
			return -1
		}
		return r
	}, head)
}

// headEnd returns the last line that may belong to the head of a type: no function among its members
// is there. What its constructor takes is in the head: case class Full(id: Int) extends Msg.
func headEnd(list []index.Symbol, t *index.Symbol) int {
	end := t.EndLine
	for i := range list {
		if m := &list[i]; m.NameLine > t.NameLine && m.NameLine <= end && m.Kind.Callable() {
			end = m.NameLine - 1
		}
	}
	return end
}
