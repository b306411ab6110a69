package languages

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/repair"
	"codeintel/internal/syntax/treesitter"
)

// Haskell is the row of the language.
var Haskell = &engine.Spec{
	Name:        engine.Haskell,
	Aliases:     "hs",
	Extensions:  "hs hs-boot",
	TestClasses: true,
	Names:       engine.Names{Bare: engine.OfModule},
	Misfit:      repair.Haskell,
	Recovery:    haskellRecovery,
	Rules:       &haskellRules,
	Bodies: engine.Bodies{
		Unwritten: lazyregexp.MustCompile(`(?i)^(?:undefined|error\s+"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*")$`),
		Functions: "function bind",
		Body:      haskellBody,
	},
}

// A function of Haskell is a signature and equations that are apart; the
// hooks put them together. What a pattern binds the hooks say too, for a
// pattern is an expression to the grammar.
var haskellRules = engine.Rules{
	Grammar: "haskell",
	Names: map[engine.Use]string{
		engine.AsRead: "variable constructor",
		engine.AsType: "name",
		engine.AsCall: "operator constructor_operator",
	},
	Sticky: true,
	Flow: map[engine.Use]string{
		engine.AsCall:                  "apply.function infix_id infix.operator",
		engine.HandOn | engine.Member:  "qualified.id",
		engine.AsWrite | engine.Member: "field_update.field",
		engine.AsRead | engine.Member:  "field_pattern.field projection.field",
		engine.HandOn:                  "field_name data_constructor.constructor record.name prefix.name children",
		engine.AsType: `signature.type field.type newtype_constructor.field prefix.field gadt_constructor.type
			type_synomym.type type_instance context type_params type_patterns quantified_variables deriving
			explicit_type`,
		engine.AsImport:  "import_name.type import_name.variable import_name.operator import_name.children",
		engine.AsNothing: "fixity function.name bind.name signature.name signature.names",
		engine.AsRead:    "export.operator",
	},
	Decls: []engine.Decl{
		{Node: "data_type newtype", Kind: engine.Type, Name: "name", Opens: engine.ClassScope},
		{Node: "type_synomym type_family", Kind: engine.Type, Name: "name"},
		{Node: "data_constructor", Kind: engine.Constructor, Name: "constructor", Opens: engine.ClassScope},
		{Node: "newtype_constructor", Kind: engine.Constructor, Name: "name", Opens: engine.ClassScope},
		{Node: "gadt_constructor", Kind: engine.Constructor, Name: "name"},
		{Node: "field", Kind: engine.Field, Name: "name", Sort: engine.SortField},
		{Node: "class", Kind: engine.Trait, Name: "name", Cut: "where", Opens: engine.ClassScope},
		{Node: "instance", Kind: engine.Impl, Name: "name", Cut: "where", Opens: engine.ClassScope},
	},
	Scopes: map[engine.Scope]string{
		engine.BlockScope:    "do let_in match alternative list_comprehension",
		engine.FunctionScope: "lambda",
	},
	Qualifiers: "qualified.module",
	Plain:      "module",
	Comments:   "comment haddock",
	Skip:       "integer float char string pragma wildcard cpp",
	Leaves:     "module",
	Blank:      "_",
	Hoist:      true,
	Hooks: map[string]func(*engine.Walker, int32){
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
		"header":        haskellModule,

		"pattern_synonym": haskellSynonym,
	},
	Finish: haskellFinish,
	AtEnd:  haskellEnd,
}

// haskellOperators are those of the Prelude and its neighbours, which are in
// every line and say nothing.
var haskellOperators = strings.Fields("+ - * / ^ ++ . $ $! == /= < > <= >= && || : <> <$> <$ $> <*> <* *> <|> >>= >> =<< >=> <=< & !! ! ~ =")

func haskellFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	if s.Kind == engine.Type || s.Kind == engine.Constructor {
		// Constructors and fields have comments and signatures of their own.
		text := haskellComment.ReplaceAllString(w.Text[w.Nodes[node].Start:w.Nodes[node].End], "")
		s.Signature = engine.OneLine([]byte(haskellFields.ReplaceAllString(text, "")))
	}
	if cut := strings.Index(s.Signature, " deriving"); cut > 0 {
		s.Signature = s.Signature[:cut]
	}
}

var (
	haskellComment = lazyregexp.MustCompile(`(?s)\s--[^\n]*|\{-.*?-\}`)
	haskellFields  = lazyregexp.MustCompile(`\s*\{[^{}]*\}`)
)

// haskellModule declares the module, by the lines of its name alone: all that follows is in
// it.
func haskellModule(w *engine.Walker, node int32) {
	name := w.Child(node, "module")
	if name < 0 {
		return
	}
	n, text := w.Nodes[name], w.TextOf(name)
	n.Parent = -1
	s := &w.File.Symbols[w.NewSymbol(node, engine.Module, w.Symbol, &n, text, nil)]
	s.Signature = "module " + text
}

// haskellSynonym declares a name for a pattern.
func haskellSynonym(w *engine.Walker, node int32) {
	synonym := w.Child(w.FirstOf(node, "equation"), "synonym")
	for j := synonym; synonym >= 0 && j < w.Nodes[synonym].Next; j++ {
		if !w.Is(j, "constructor", "constructor_operator") {
			continue
		}
		n := w.Nodes[j]
		n.Parent = -1
		i := w.NewSymbol(node, engine.Constructor, w.Symbol, &n, w.TextOf(j), nil)
		w.Occur(&n, w.NameOf(&n), engine.Definition, i, false)
		w.Hide(j)
		return
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
func haskellEnd(w *engine.Walker) {
	engine.InOrder(w)
	engine.ImplsAreUses(w)
	w.Mentions = slices.DeleteFunc(w.Mentions, func(o engine.RawOccurrence) bool {
		name := w.Intern.Names[o.Name]
		switch o.Role {
		case engine.TypeUse:
			return name == "" || !engine.IsUpper(name) && name[0] < 0x80
		case engine.Call, engine.Read:
			return slices.Contains(haskellOperators, name)
		}
		return false
	})
	listed := make(map[string]bool, len(w.Exports))
	for _, id := range w.Exports {
		listed[w.Intern.Names[id]] = true
	}
	for i := range w.File.Symbols {
		s := &w.File.Symbols[i]
		s.Doc = haskellDoc(s.Doc)
		inner := s.Parent >= 0 && w.File.Symbols[s.Parent].Exported
		s.Exported = len(listed) == 0 || listed[s.Name] || s.Kind == engine.Impl || s.Kind == engine.Module || inner
	}
}

// haskellExports notes the names that the module gives away.
func haskellExports(w *engine.Walker, node int32) {
	for j := node + 1; j < w.Nodes[node].Next; j++ {
		if w.Info[w.Nodes[j].Kind].Flags&engine.IsName != 0 {
			w.Exports = append(w.Exports, w.NameOf(&w.Nodes[j]))
		}
	}
}

func haskellTop(w *engine.Walker, node int32) bool {
	parent := w.Parent(node)
	return w.Is(parent, "declarations", "class_declarations", "instance_declarations", "foreign_import")
}

// haskellSignature begins a function: its equations follow. The signature of a
// local one only says its type.
func haskellSignature(w *engine.Walker, node int32) {
	names, several := w.Child(node, "name"), false
	if names < 0 {
		names, several = w.Child(node, "names"), true
	}
	if names < 0 {
		return
	}
	// Several equations cannot all follow one signature: each begins its own.
	several = several && w.Is(w.Parent(node), "declarations")
	for j := names; j < w.Nodes[names].Next; j++ {
		if w.Info[w.Nodes[j].Kind].Flags&engine.IsName == 0 {
			continue
		}
		if several {
			w.MentionAs(j, -1, engine.Read)
		} else if haskellTop(w, node) {
			n := w.Nodes[j]
			n.Parent = -1
			i := w.NewSymbol(node, haskellKind(w), w.Symbol, &n, w.TextOf(j), nil)
			w.Occur(&n, w.NameOf(&n), engine.Definition, i, false)
		}
		w.Hide(j)
	}
}

func haskellKind(w *engine.Walker) engine.Kind {
	if w.InClass() {
		return engine.Method
	}
	return engine.Function
}

// haskellFunction reads one equation: f x = y, x <+> y = z, or a = b. In a do
// block and for (a, b) = c it is a pattern that is bound.
func haskellFunction(w *engine.Walker, node int32) {
	if pattern := w.Child(node, "pattern"); pattern >= 0 {
		haskellBind(w, pattern)
		return
	}
	name, infix := w.Child(node, "name"), w.FirstOf(node, "infix")
	if infix >= 0 {
		name = w.Child(infix, "operator")
	}
	leaf := w.LeafOf(name)
	if leaf < 0 {
		return
	}
	n := w.Nodes[leaf]
	n.Parent = -1
	id, symbol := w.NameOf(&n), w.Symbol
	switch {
	case haskellTop(w, node):
		symbol = haskellEquation(w, node, n, w.TextOf(leaf))
		w.Occur(&n, id, engine.Definition, symbol, false)
		w.Hide(leaf)
	case w.BoundIn(id, int32(len(w.Scopes)-1)) != 0:
		w.Occur(&n, id, engine.Definition, w.Symbol, true)
		w.Hide(leaf)
	default:
		w.NoteLocal(leaf)
	}
	w.Push(engine.Frame{End: w.Nodes[node].Next, Node: node, OpensOne: true, HasSymbol: symbol != w.Symbol})
	w.Symbol = symbol
	w.OpenScope(engine.FunctionScope)
	if infix >= 0 {
		haskellBind(w, w.Child(infix, "left_operand"))
		haskellBind(w, w.Child(infix, "right_operand"))
	}
	haskellBind(w, w.Child(node, "patterns"))
}

// haskellEquation returns the symbol that an equation belongs to: that of the
// signature or equation above it, or a new one.
func haskellEquation(w *engine.Walker, node int32, name treesitter.Node, text string) int32 {
	if last := w.LastChild(); last >= 0 {
		s := &w.File.Symbols[last]
		if s.Name == text && s.Kind.IsFunction() && s.Kind != engine.Constructor {
			s.End, s.EndLine = w.TrimmedEnd(&w.Nodes[node])
			s.EndLine++
			return last
		}
	}
	i := w.NewSymbol(node, haskellKind(w), w.Symbol, &name, text, nil)
	if match := w.Child(node, "match"); match >= 0 {
		w.File.Symbols[i].Signature = engine.OneLine(w.Source[w.Nodes[node].Start:w.Nodes[match].Start])
	}
	return i
}

// haskellPattern binds what the patterns of an alternative, a lambda or a
// generator hold.
func haskellPattern(w *engine.Walker, node int32) {
	haskellBind(w, w.Child(node, "pattern"))
	haskellBind(w, w.Child(node, "patterns"))
}

// haskellBind declares the variables of a pattern and reads its constructors.
func haskellBind(w *engine.Walker, pattern int32) {
	if pattern < 0 {
		return
	}
	for j := pattern; j < w.Nodes[pattern].Next; {
		n := &w.Nodes[j]
		switch {
		case w.Is(j, "variable"):
			if w.BoundIn(w.NameOf(n), int32(len(w.Scopes)-1)) != 0 {
				w.NoteAs(j, engine.Write)
			} else {
				w.NoteLocal(j)
			}
			j = n.Next
		case w.Is(j, "constructor"):
			before := int32(-1)
			if p := w.Parent(j); w.Is(p, "qualified") {
				haskellQualified(w, p)
				before = w.Child(p, "module")
			}
			w.MentionAs(j, before, engine.Read)
			w.Hide(j)
			j = n.Next
		case w.Is(j, "field_pattern") && w.Child(j, "pattern") >= 0:
			haskellBind(w, w.Child(j, "pattern"))
			j = n.Next // the field stays to be read
		case w.Is(j, "view_pattern"):
			haskellBind(w, w.Child(j, "pattern"))
			j = n.Next
		case w.In(j, "type") || w.Is(j, "operator", "constructor_operator"):
			j = n.Next
		default:
			j++
		}
	}
}

// haskellQualified takes the dot off the module in a.b.
func haskellQualified(w *engine.Walker, node int32) {
	if m := w.Child(node, "module"); m >= 0 && strings.HasSuffix(w.TextOf(m), ".") {
		w.Nodes[m].End--
	}
}

// haskellImport notes a module and what is taken out of it.
func haskellImport(w *engine.Walker, node int32) {
	i := engine.Import{Path: w.TextOf(w.Child(node, "module")), Alias: w.TextOf(w.Child(node, "alias")), Line: w.Line(node)}
	names := w.Child(node, "names")
	if names >= 0 && strings.Contains(w.Text[w.Nodes[node].Start:w.Nodes[names].Start], "hiding") {
		w.Hide(names)
	}
	if names >= 0 && !strings.Contains(w.Text[w.Nodes[node].Start:w.Nodes[names].Start], "hiding") {
		for c := range w.Children(names) {
			if leaf := w.LeafOf(c); leaf >= 0 {
				i.Names = append(i.Names, w.TextOf(leaf))
			}
		}
	}
	w.AddImport(i)
}

// haskellBody returns what a function is defined as.
func haskellBody(t *engine.Tree, function int32) int32 {
	if match := t.Field(function, "match"); match >= 0 {
		return t.Field(match, "expression")
	}
	return t.Field(function, "body")
}
