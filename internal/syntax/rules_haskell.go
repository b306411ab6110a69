package syntax

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/treesitter"
)

// A function of Haskell is a signature and equations that stand apart; the
// hooks put them together. What a pattern binds the hooks say too, for a
// pattern is an expression to the grammar.
// specHaskell is the row of the language.
var specHaskell = &spec{name: Haskell, rules: &haskellRules}

var haskellRules = rules{
	grammar: "haskell",
	names: map[string]use{
		"variable":             asRead,
		"name":                 asType,
		"constructor":          asRead,
		"operator":             asCall,
		"constructor_operator": asCall,
	},
	sticky: true,
	flow: map[string]use{
		"apply.function":               asCall,
		"infix_id":                     asCall,
		"infix.operator":               asCall,
		"qualified.id":                 handOn | member,
		"field_update.field":           asWrite | member,
		"field_pattern.field":          asRead | member,
		"field_name":                   handOn,
		"projection.field":             asRead | member,
		"signature.type":               asType,
		"field.type":                   asType,
		"newtype_constructor.field":    asType,
		"prefix.field":                 asType,
		"gadt_constructor.type":        asType,
		"type_synomym.type":            asType,
		"type_instance":                asType,
		"context":                      asType,
		"type_params":                  asType,
		"type_patterns":                asType,
		"quantified_variables":         asType,
		"deriving":                     asType,
		"data_constructor.constructor": handOn,
		"record.name":                  handOn,
		"prefix.name":                  handOn,
		"import_name.type":             asImport,
		"import_name.variable":         asImport,
		"import_name.operator":         asImport,
		"import_name.children":         asImport,
		"children":                     handOn,
		"fixity":                       asNothing,
		"explicit_type":                asType,
		"export.operator":              asRead,
		"function.name":                asNothing, // see haskellFunction
		"bind.name":                    asNothing,
		"signature.name":               asNothing, // see haskellSignature
		"signature.names":              asNothing,
	},
	decls: []decl{
		{node: "data_type", kind: Type, name: "name", opens: classScope},
		{node: "newtype", kind: Type, name: "name", opens: classScope},
		{node: "type_synomym", kind: Type, name: "name"},
		{node: "type_family", kind: Type, name: "name"},
		{node: "data_constructor", kind: Constructor, name: "constructor", opens: classScope},
		{node: "newtype_constructor", kind: Constructor, name: "name", opens: classScope},
		{node: "gadt_constructor", kind: Constructor, name: "name"},
		{node: "field", kind: Field, name: "name", sort: field},
		{node: "class", kind: Trait, name: "name", cut: "where", opens: classScope},
		{node: "instance", kind: Impl, name: "name", cut: "where", opens: classScope},
	},
	scopes: map[string]scope{
		"do":                 blockScope,
		"let_in":             blockScope,
		"match":              blockScope,
		"alternative":        blockScope,
		"list_comprehension": blockScope,
		"lambda":             functionScope,
	},
	qualifiers: "qualified.module",
	plain:      "module",
	comments:   "comment haddock",
	skip:       "integer float char string pragma wildcard cpp",
	leaves:     "module",
	blank:      "_",
	hoist:      true,
	hooks: map[string]func(*walker, int32){
		"signature":     haskellSignature,
		"function":      haskellFunction,
		"bind":          haskellFunction,
		"import":        haskellImport,
		"qualified":     haskellQualified,
		"alternative":   haskellPattern,
		"lambda":        haskellPattern,
		"generator":     haskellPattern,
		"pattern_guard": haskellPattern,
		"exports":       haskellExports,
	},
	finish: haskellFinish,
	atEnd:  haskellEnd,
}

// haskellOperators are those of the Prelude and its neighbours, which are in
// every line and say nothing.
var haskellOperators = strings.Fields("+ - * / ^ ++ . $ $! == /= < > <= >= && || : <> <$> <$ $> <*> <* *> <|> >>= >> =<< >=> <=< & !! ! ~ =")

func haskellFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	if cut := strings.Index(s.Signature, " deriving"); cut > 0 {
		s.Signature = s.Signature[:cut]
	}
}

// haskellDoc takes the marks of Haddock off a comment.
func haskellDoc(doc string) string {
	lines := strings.Split(strings.TrimSuffix(strings.TrimSpace(doc), "-}"), "\n")
	for i, line := range lines {
		line = strings.TrimLeft(strings.TrimPrefix(line, "{-"), "-")
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "^"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// haskellEnd says what is exported, and drops what is no use: type variables
// and the operators of the Prelude.
func haskellEnd(w *walker) {
	inOrder(w)
	implsAreUses(w)
	w.occs = slices.DeleteFunc(w.occs, func(o occurrence) bool {
		name := w.intern.names[o.name]
		switch o.role {
		case TypeUse:
			return !isUpper(name) && name[0] < 0x80
		case Call, Read:
			return slices.Contains(haskellOperators, name)
		}
		return false
	})
	listed := make(map[string]bool, len(w.exports))
	for _, id := range w.exports {
		listed[w.intern.names[id]] = true
	}
	for i := range w.file.Symbols {
		s := &w.file.Symbols[i]
		s.Doc = haskellDoc(s.Doc)
		inner := s.Parent >= 0 && w.file.Symbols[s.Parent].Exported
		s.Exported = len(listed) == 0 || listed[s.Name] || s.Kind == Impl || inner
	}
}

// haskellExports notes the names that the module gives away.
func haskellExports(w *walker, node int32) {
	for j := node + 1; j < w.nodes[node].Next; j++ {
		if w.info[w.nodes[j].Kind].flags&isName != 0 {
			w.exports = append(w.exports, w.nameOf(&w.nodes[j]))
		}
	}
}

func (w *walker) haskellTop(node int32) bool {
	parent := w.parent(node)
	return w.is(parent, "declarations") || w.is(parent, "class_declarations") || w.is(parent, "instance_declarations") || w.is(parent, "foreign_import")
}

// haskellSignature begins a function: its equations follow. The signature of a
// local one only says its type.
func haskellSignature(w *walker, node int32) {
	names, several := w.child(node, "name"), false
	if names < 0 {
		names, several = w.child(node, "names"), true
	}
	if names < 0 {
		return
	}
	// Several equations cannot all follow one signature: each begins its own.
	several = several && w.is(w.parent(node), "declarations")
	for j := names; j < w.nodes[names].Next; j++ {
		if w.info[w.nodes[j].Kind].flags&isName == 0 {
			continue
		}
		if several {
			w.mentionAs(j, -1, Read)
		} else if w.haskellTop(node) {
			n := w.nodes[j]
			n.Parent = -1
			i := w.newSymbol(node, w.haskellKind(), w.symbol, &n, w.textOf(j), nil)
			w.occur(j, &n, w.nameOf(&n), Definition, i, false)
		}
		w.hide(j)
	}
}

func (w *walker) haskellKind() Kind {
	if w.inClass() {
		return Method
	}
	return Function
}

// haskellFunction reads one equation: f x = y, x <+> y = z, or a = b. In a do
// block and for (a, b) = c it is a pattern that is bound.
func haskellFunction(w *walker, node int32) {
	if pattern := w.child(node, "pattern"); pattern >= 0 {
		w.haskellBind(pattern)
		return
	}
	name, infix := w.child(node, "name"), w.firstOf(node, "infix")
	if infix >= 0 {
		name = w.child(infix, "operator")
	}
	leaf := w.leafOf(name)
	if leaf < 0 {
		return
	}
	n := w.nodes[leaf]
	n.Parent = -1
	id, symbol := w.nameOf(&n), w.symbol
	switch {
	case w.haskellTop(node):
		symbol = w.haskellEquation(node, n, w.textOf(leaf))
		w.occur(leaf, &n, id, Definition, symbol, false)
		w.hide(leaf)
	case w.boundIn(id, int32(len(w.scopes)-1)) != 0:
		w.occur(leaf, &n, id, Definition, w.symbol, true)
		w.hide(leaf)
	default:
		w.noteLocal(leaf)
	}
	w.push(frame{end: w.nodes[node].Next, node: node, opensOne: true, hasSymbol: symbol != w.symbol})
	w.symbol = symbol
	w.openScope(functionScope)
	if infix >= 0 {
		w.haskellBind(w.child(infix, "left_operand"))
		w.haskellBind(w.child(infix, "right_operand"))
	}
	w.haskellBind(w.child(node, "patterns"))
}

// haskellEquation returns the symbol that an equation belongs to: that of the
// signature or equation above it, or a new one.
func (w *walker) haskellEquation(node int32, name treesitter.Node, text string) int32 {
	if last := w.lastChild(); last >= 0 {
		s := &w.file.Symbols[last]
		if s.Name == text && s.Kind.IsFunction() && s.Kind != Constructor {
			s.End, s.EndLine = w.trimmedEnd(&w.nodes[node])
			s.EndLine++
			return last
		}
	}
	i := w.newSymbol(node, w.haskellKind(), w.symbol, &name, text, nil)
	if match := w.child(node, "match"); match >= 0 {
		w.file.Symbols[i].Signature = oneLine(w.src[w.nodes[node].Start:w.nodes[match].Start])
	}
	return i
}

// haskellPattern binds what the patterns of an alternative, a lambda or a
// generator hold.
func haskellPattern(w *walker, node int32) {
	w.haskellBind(w.child(node, "pattern"))
	w.haskellBind(w.child(node, "patterns"))
}

// haskellBind declares the variables of a pattern and reads its constructors.
func (w *walker) haskellBind(pattern int32) {
	if pattern < 0 {
		return
	}
	for j := pattern; j < w.nodes[pattern].Next; {
		n := &w.nodes[j]
		switch {
		case w.is(j, "variable"):
			if w.boundIn(w.nameOf(n), int32(len(w.scopes)-1)) != 0 {
				w.noteAs(j, Write)
			} else {
				w.noteLocal(j)
			}
			j = n.Next
		case w.is(j, "constructor"):
			before := int32(-1)
			if p := w.parent(j); w.is(p, "qualified") {
				haskellQualified(w, p)
				before = w.child(p, "module")
			}
			w.mentionAs(j, before, Read)
			w.hide(j)
			j = n.Next
		case w.is(j, "field_pattern") && w.child(j, "pattern") >= 0:
			w.haskellBind(w.child(j, "pattern"))
			j = n.Next // the field stays to be read
		case w.is(j, "view_pattern"):
			w.haskellBind(w.child(j, "pattern"))
			j = n.Next
		case w.in(j, "type") || w.is(j, "operator") || w.is(j, "constructor_operator"):
			j = n.Next
		default:
			j++
		}
	}
}

// haskellQualified takes the dot off the module in a.b.
func haskellQualified(w *walker, node int32) {
	if m := w.child(node, "module"); m >= 0 && strings.HasSuffix(w.textOf(m), ".") {
		w.nodes[m].End--
	}
}

// haskellImport notes a module and what is taken out of it.
func haskellImport(w *walker, node int32) {
	i := Import{Path: w.textOf(w.child(node, "module")), Alias: w.textOf(w.child(node, "alias")), Line: w.line(node)}
	names := w.child(node, "names")
	if names >= 0 && strings.Contains(w.text[w.nodes[node].Start:w.nodes[names].Start], "hiding") {
		w.hide(names)
	}
	if names >= 0 && !strings.Contains(w.text[w.nodes[node].Start:w.nodes[names].Start], "hiding") {
		for c := range w.children(names) {
			if leaf := w.leafOf(c); leaf >= 0 {
				i.Names = append(i.Names, w.textOf(leaf))
			}
		}
	}
	w.addImport(i)
}
