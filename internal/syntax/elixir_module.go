package syntax

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// What a module of Elixir says beside its functions: attributes, types, the
// fields of its struct, and what it brings in.

// elixirTold are attributes that the language or its tools read.
var elixirTold = strings.Fields("after_compile before_compile behaviour behavior compile default deprecated derive dialyzer doc" +
	" enforce_keys external_resource file impl moduledoc moduletag nifs on_definition on_load optional_callbacks since tag" +
	" typedoc vsn")

// elixirAttribute makes symbols of types, callbacks and the attributes of a
// module, and reads what a type is made of.
func elixirAttribute(w *walker, node int32) {
	operand := w.child(node, "operand")
	if operand < 0 || w.src[w.nodes[node].Start] != '@' {
		return
	}
	if w.is(operand, "identifier") { // @name
		if slices.Contains(elixirTold, w.textOf(operand)) {
			w.hide(operand)
		}
		return
	}
	name, value := w.elixirNamed(node)
	target := w.child(operand, "target")
	switch {
	case name == "":
	case name == "type" || name == "typep" || name == "opaque" || name == "callback" || name == "macrocallback" || name == "spec":
		w.elixirType(node, value, name)
		w.hide(target)
	case slices.Contains(elixirTold, name):
		w.hide(target)
	case w.inFunction(): // in a quote
		w.mentionAs(target, -1, Write)
		w.hide(target)
	default:
		id, scope := w.nameID("@"+name), int32(len(w.scopes)-1)
		if w.boundIn(id, scope) != 0 {
			w.mentionAs(target, -1, Write)
			w.hide(target)
			return
		}
		w.bind(id, scope, false)
		i := w.newSymbol(node, Constant, w.symbol, &w.nodes[target], name, nil)
		n := w.nodes[target]
		w.occur(target, &n, w.nameOf(&n), Definition, i, false)
		w.hide(target)
	}
}

// elixirType declares what @type and @callback declare, and notes the types
// that they and @spec are made of. Type variables and names of arguments are
// passed over.
func (w *walker) elixirType(node, value int32, attribute string) {
	head := value
	for w.is(head, "binary_operator") && w.child(head, "left") >= 0 && w.elixirOperator(head) != "|" {
		head = w.child(head, "left")
	}
	leaf := head
	if w.is(head, "call") {
		leaf = w.child(head, "target")
	}
	if w.is(leaf, "identifier") {
		switch attribute {
		case "type", "typep", "opaque", "callback", "macrocallback":
			kind := Type
			if strings.HasSuffix(attribute, "callback") {
				kind = Method
			}
			i := w.newSymbol(node, kind, w.symbol, &w.nodes[leaf], w.textOf(leaf), nil)
			s := &w.file.Symbols[i]
			s.Exported = attribute != "typep"
			w.elixirDocs(node, s)
			n := w.nodes[leaf]
			w.occur(leaf, &n, w.nameOf(&n), Definition, i, false)
		default:
			w.mentionAs(leaf, -1, Read)
		}
		w.hide(leaf)
	}
	for j := value; j < w.nodes[value].Next; j++ {
		if !w.is(j, "identifier") {
			continue
		}
		switch parent := w.parent(j); {
		case w.is(parent, "dot"):
			before := w.child(parent, "left")
			w.mentionAs(j, before, TypeUse)
		case w.is(parent, "call") && !slices.Contains(elixirTypes, w.textOf(j)):
			w.mentionAs(j, -1, TypeUse)
		}
		w.hide(j)
	}
}

// elixirTypes are built in.
var elixirTypes = strings.Fields("any arity as_boolean atom binary bitstring boolean byte char charlist float fun function" +
	" identifier integer iodata iolist keyword list map mfa module neg_integer no_return node non_neg_integer none number pid" +
	" port pos_integer reference string struct term timeout tuple")

// elixirFields makes fields of what a struct is made of.
func (w *walker) elixirFields(arguments int32) {
	if arguments < 0 || w.symbol < 0 {
		return
	}
	add := func(node int32, n treesitter.Node) {
		if n.Start >= n.End || n.StartRow != w.nodes[node].StartRow {
			return
		}
		n.Parent = -1
		i := w.newSymbol(node, Field, w.symbol, &n, w.text[n.Start:n.End], nil)
		w.file.Symbols[i].Exported = true
		w.occur(node, &n, w.nameOf(&n), Definition, i, false)
	}
	var list func(node int32, depth int)
	list = func(node int32, depth int) {
		for c := range w.children(node) {
			switch {
			case w.is(c, "atom"):
				n := w.nodes[c]
				n.Start++
				add(c, n)
			case w.is(c, "pair"):
				if key := w.child(c, "key"); w.is(key, "keyword") {
					add(c, w.keywordName(key))
				}
			case depth < 2 && (w.is(c, "list") || w.is(c, "keywords")):
				list(c, depth+1)
			}
		}
	}
	list(arguments, 0)
}

// keywordName returns a node for the name in a keyword, without its colon.
func (w *walker) keywordName(key int32) treesitter.Node {
	n := w.nodes[key]
	n.Parent = -1
	for n.Start < n.End && (isSpace(w.src[n.End-1]) || w.src[n.End-1] == ':') {
		n.End--
	}
	return n
}

// elixirKeys reads the keys of maps and structs.
func elixirKeys(w *walker, node int32) {
	for c := range w.children(node) {
		if !w.is(c, "keywords") && w.is(c, "binary_operator") && w.elixirOperator(c) == "|" {
			c = w.child(c, "right")
		}
		for pair := range w.children(c) {
			if key := w.child(pair, "key"); w.is(key, "keyword") && w.src[w.nodes[key].Start] != '"' {
				if n := w.keywordName(key); n.Start < n.End {
					w.occur(key, &n, w.nameOf(&n), Read, w.symbol, false)
				}
			}
		}
	}
}

// elixirImport notes the modules that alias, import, require and use bring in.
func (w *walker) elixirImport(arguments int32, how string) {
	if arguments < 0 {
		return
	}
	first := arguments + 1
	note := func(prefix string, alias int32) {
		n := w.lastSegment(alias)
		i := Import{Path: prefix + w.textOf(alias), Line: w.line(alias)}
		if how == "alias" {
			i.Names = []string{w.text[n.Start:n.End]}
		}
		if as, only := w.elixirOption(arguments, "as"), w.elixirOption(arguments, "only"); as >= 0 {
			i.Alias = w.textOf(as)
			if w.is(as, "alias") {
				w.mentionAs(as, -1, ImportUse)
				w.nodes[as].Kind = 0
			}
		} else if only >= 0 {
			for j := only; j < w.nodes[only].Next; j++ {
				if w.is(j, "keyword") {
					k := w.keywordName(j)
					i.Names = append(i.Names, w.text[k.Start:k.End])
				}
			}
		}
		w.addImport(i)
		if n.Start < n.End {
			w.occur(alias, &n, w.nameOf(&n), ImportUse, w.symbol, false)
		}
		w.nodes[alias].Kind = 0
	}
	switch {
	case w.is(first, "alias"):
		note("", first)
	case w.is(first, "dot"):
		left := w.child(first, "left")
		if w.is(left, "alias") {
			n := w.lastSegment(left)
			w.occur(left, &n, w.nameOf(&n), ImportUse, w.symbol, false)
			w.nodes[left].Kind = 0
		}
		for c := range w.children(w.child(first, "right")) {
			if w.is(c, "alias") {
				note(w.textOf(left)+".", c)
			}
		}
	}
}

// elixirOption returns the value of an option of a call, or -1.
func (w *walker) elixirOption(arguments int32, name string) int32 {
	for pair := range w.children(w.firstOf(arguments, "keywords")) {
		if key := w.child(pair, "key"); key >= 0 && strings.HasPrefix(w.textOf(key), name+":") {
			return w.child(pair, "value")
		}
	}
	return -1
}
