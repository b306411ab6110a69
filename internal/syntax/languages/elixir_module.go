package languages

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/treesitter"
)

// What a module of Elixir says beside its functions: attributes, types, the
// fields of its struct, and what it brings in.

// elixirKnownAttributes are attributes that the language or its tools read.
var elixirKnownAttributes = strings.Fields("after_compile before_compile behaviour behavior compile default deprecated derive dialyzer doc" +
	" enforce_keys external_resource file impl moduledoc moduletag nifs on_definition on_load optional_callbacks since tag" +
	" typedoc vsn")

// elixirAttribute makes symbols of types, callbacks and the attributes of a
// module, and reads what a type is made of.
func elixirAttribute(w *engine.Walker, node int32) {
	operand := w.Child(node, "operand")
	if operand < 0 || w.Source[w.Nodes[node].Start] != '@' {
		return
	}
	if w.Is(operand, "identifier") { // @name
		if slices.Contains(elixirKnownAttributes, w.TextOf(operand)) {
			w.Hide(operand)
		}
		return
	}
	name, value := elixirNamed(w, node)
	target := w.Child(operand, "target")
	switch {
	case name == "":
	case name == "type" || name == "typep" || name == "opaque" || name == "callback" || name == "macrocallback" || name == "spec":
		elixirType(w, node, value, name)
		w.Hide(target)
	case slices.Contains(elixirKnownAttributes, name):
		w.Hide(target)
	case w.InFunction(): // in a quote
		w.MentionAs(target, -1, engine.Write)
		w.Hide(target)
	default:
		id, scope := w.NameID("@"+name), int32(len(w.Scopes)-1)
		if w.BoundIn(id, scope) != 0 {
			w.MentionAs(target, -1, engine.Write)
			w.Hide(target)
			return
		}
		w.Bind(id, scope, false)
		i := w.NewSymbol(node, engine.Constant, w.Symbol, &w.Nodes[target], name, nil)
		n := w.Nodes[target]
		w.Occur(&n, w.NameOf(&n), engine.Definition, i, false)
		w.Hide(target)
	}
}

// elixirType declares what @type and @callback declare, and notes the types
// that they and @spec are made of. Type variables and names of arguments are
// passed over.
func elixirType(w *engine.Walker, node, value int32, attribute string) {
	head := value
	for w.Is(head, "binary_operator") && w.Child(head, "left") >= 0 && elixirOperator(w, head) != "|" {
		head = w.Child(head, "left")
	}
	leaf := head
	if w.Is(head, "call") {
		leaf = w.Child(head, "target")
	}
	if w.Is(leaf, "identifier") {
		switch attribute {
		case "type", "typep", "opaque", "callback", "macrocallback":
			kind := engine.Type
			if strings.HasSuffix(attribute, "callback") {
				kind = engine.Method
			}
			i := w.NewSymbol(node, kind, w.Symbol, &w.Nodes[leaf], w.TextOf(leaf), nil)
			s := &w.File.Symbols[i]
			s.Exported = attribute != "typep"
			elixirDocs(w, node, s)
			n := w.Nodes[leaf]
			w.Occur(&n, w.NameOf(&n), engine.Definition, i, false)
		default:
			w.MentionAs(leaf, -1, engine.Read)
		}
		w.Hide(leaf)
	}
	for j := value; j < w.Nodes[value].Next; j++ {
		if !w.Is(j, "identifier") {
			continue
		}
		switch parent := w.Parent(j); {
		case w.Is(parent, "dot"):
			before := w.Child(parent, "left")
			w.MentionAs(j, before, engine.TypeUse)
		case w.Is(parent, "call") && !slices.Contains(elixirTypes, w.TextOf(j)):
			w.MentionAs(j, -1, engine.TypeUse)
		}
		w.Hide(j)
	}
}

// elixirTypes are built in.
var elixirTypes = strings.Fields("any arity as_boolean atom binary bitstring boolean byte char charlist float fun function" +
	" identifier integer iodata iolist keyword list map mfa module neg_integer no_return node non_neg_integer none number pid" +
	" port pos_integer reference string struct term timeout tuple")

// elixirFields makes fields of what a struct is made of.
func elixirFields(w *engine.Walker, arguments int32) {
	if arguments < 0 || w.Symbol < 0 {
		return
	}
	add := func(node int32, n treesitter.Node) {
		if n.Start >= n.End || n.StartRow != w.Nodes[node].StartRow {
			return
		}
		n.Parent = -1
		i := w.NewSymbol(node, engine.Field, w.Symbol, &n, w.Text[n.Start:n.End], nil)
		w.File.Symbols[i].Exported = true
		w.Occur(&n, w.NameOf(&n), engine.Definition, i, false)
	}
	var list func(node int32, depth int)
	list = func(node int32, depth int) {
		for c := range w.Children(node) {
			switch {
			case w.Is(c, "atom"):
				n := w.Nodes[c]
				n.Start++
				add(c, n)
			case w.Is(c, "pair"):
				if key := w.Child(c, "key"); w.Is(key, "keyword") {
					add(c, keywordName(w, key))
				}
			case depth < 2 && w.Is(c, "list", "keywords"):
				list(c, depth+1)
			}
		}
	}
	list(arguments, 0)
}

// keywordName returns a node for the name in a keyword, without its colon.
func keywordName(w *engine.Walker, key int32) treesitter.Node {
	n := w.Nodes[key]
	n.Parent = -1
	for n.Start < n.End && (engine.IsSpace(w.Source[n.End-1]) || w.Source[n.End-1] == ':') {
		n.End--
	}
	return n
}

// elixirKeys reads the keys of maps and structs.
func elixirKeys(w *engine.Walker, node int32) {
	for c := range w.Children(node) {
		if !w.Is(c, "keywords") && w.Is(c, "binary_operator") && elixirOperator(w, c) == "|" {
			c = w.Child(c, "right")
		}
		for pair := range w.Children(c) {
			if key := w.Child(pair, "key"); w.Is(key, "keyword") && w.Source[w.Nodes[key].Start] != '"' {
				if n := keywordName(w, key); n.Start < n.End {
					w.Occur(&n, w.NameOf(&n), engine.Read, w.Symbol, false)
				}
			}
		}
	}
}

// elixirImport notes the modules that alias, import, require and use bring in.
func elixirImport(w *engine.Walker, arguments int32, how string) {
	if arguments < 0 {
		return
	}
	first := arguments + 1
	note := func(prefix string, alias int32) {
		n := lastSegment(w, alias)
		i := engine.Import{Path: prefix + w.TextOf(alias), Line: w.Line(alias)}
		if how == "alias" {
			i.Names = []string{w.Text[n.Start:n.End]}
		}
		if as, only := elixirOption(w, arguments, "as"), elixirOption(w, arguments, "only"); as >= 0 {
			i.Alias = w.TextOf(as)
			if w.Is(as, "alias") {
				w.MentionAs(as, -1, engine.ImportUse)
				w.Nodes[as].Kind = 0
			}
		} else if only >= 0 {
			for j := only; j < w.Nodes[only].Next; j++ {
				if w.Is(j, "keyword") {
					k := keywordName(w, j)
					i.Names = append(i.Names, w.Text[k.Start:k.End])
				}
			}
		}
		w.AddImport(i)
		if n.Start < n.End {
			w.Occur(&n, w.NameOf(&n), engine.ImportUse, w.Symbol, false)
		}
		w.Nodes[alias].Kind = 0
	}
	switch {
	case w.Is(first, "alias"):
		note("", first)
	case w.Is(first, "dot"):
		left := w.Child(first, "left")
		if w.Is(left, "alias") {
			n := lastSegment(w, left)
			w.Occur(&n, w.NameOf(&n), engine.ImportUse, w.Symbol, false)
			w.Nodes[left].Kind = 0
		}
		prefix := w.TextOf(left) + "."
		for c := range w.Children(w.Child(first, "right")) {
			if w.Is(c, "alias") && w.KeepsImport(prefix) {
				note(prefix, c)
			}
		}
	}
}

// elixirOption returns the value of an option of a call, or -1.
func elixirOption(w *engine.Walker, arguments int32, name string) int32 {
	for pair := range w.Children(w.FirstOf(arguments, "keywords")) {
		if key := w.Child(pair, "key"); key >= 0 && strings.HasPrefix(w.TextOf(key), name+":") {
			return w.Child(pair, "value")
		}
	}
	return -1
}
