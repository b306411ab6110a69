package languages

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// Python is the row of the language.
var Python = &engine.Spec{
	Name:       engine.Python,
	Counted:    true,
	Aliases:    "py python3",
	Extensions: "py pyi pyw",
	Servers:    []string{"pyright-langserver --stdio", "basedpyright-langserver --stdio"},
	Files:      "SConstruct SConscript wscript",
	Programs:   "python pypy",
	Rules:      &pythonRules,
	Recovery:   pythonRecovery,
	Names: engine.Names{
		Unnamed: map[string]string{
			"__getitem__": "x[…]", "__setitem__": "x[…] = …", "__delitem__": "del x[…]", "__iter__": "for … in x",
			"__next__": "next(x)", "__contains__": "… in x", "__enter__": "with x", "__exit__": "with x",
			"__aenter__": "async with x", "__aexit__": "async with x", "__aiter__": "async for … in x",
			"__await__": "await x", "__call__": "x()", "__getattr__": "x.name", "__getattribute__": "x.name",
			"__setattr__": "x.name = …", "__delattr__": "del x.name", "__get__": "x.name", "__set__": "x.name = …",
			"__len__": "len(x)", "__bool__": "if x", "__str__": "str(x)", "__repr__": "repr(x)", "__hash__": "hash(x)",
			"__eq__": "x == y", "__ne__": "x != y", "__lt__": "x < y", "__le__": "x <= y", "__gt__": "x > y",
			"__ge__": "x >= y", "__add__": "x + y", "__radd__": "y + x", "__iadd__": "x += y", "__sub__": "x - y",
			"__mul__": "x * y", "__truediv__": "x / y", "__floordiv__": "x // y", "__mod__": "x % y", "__pow__": "x ** y",
			"__or__": "x | y", "__and__": "x & y", "__xor__": "x ^ y", "__invert__": "~x", "__neg__": "-x",
			"__del__": "del x", "__format__": "f\"{x}\"", "__init_subclass__": "class A(X)", "__reversed__": "reversed(x)",
		},
		Groups:  "python",
		Strict:  true,
		Members: pythonMembers,
		Typed:   pythonTyped,
		Imports: engine.ImportsModule,
	},
	Bodies: engine.Bodies{
		Docstrings: true,
	},

	Comparing: engine.Comparing{ByName: true, LaterWins: true, Yields: true, Coroutines: true,
		OwnFields: pythonFields, Shifts: true, Undeclared: true, UnusedImports: true, AnyQuotes: true,
		Indented: true, Nested: true},
	Testing: engine.Testing{Files: `(?:^|/)(?:test[^/]*|[^/]*_tests?)\.py$`, Functions: `^test`,
		Passed: lazyregexp.MustCompile(`(?m)\b[1-9]\d* passed\b.* in [\d.]+\s*s|^Ran [1-9]\d* tests? in `)},
}

var pythonRules = engine.Rules{
	Grammar: "python",
	Names:   map[engine.Use]string{engine.AsRead: "identifier"},
	Flow: map[engine.Use]string{
		engine.AsCall: "call.function decorator",
		engine.AsRead: `call.arguments attribute.object keyword_argument.value global_statement nonlocal_statement
			class_pattern complex_pattern`,
		engine.HandOn | engine.Member: "attribute.attribute",
		engine.HandOn | engine.Part:   "subscript.value",
		engine.StickyRead:             "subscript.subscript",
		engine.AsType: `class_definition.superclasses function_definition.return_type assignment.type type
			type_parameter generic_type except_clause.value typed_parameter.type typed_default_parameter.type
			constrained_type.type type_alias_statement.right class_pattern>dotted_name`,
		engine.AsWrite | engine.Member | engine.Local: "keyword_argument.name",
		engine.AsWrite: "augmented_assignment.left delete_statement",
		engine.HandOn: `as_pattern>identifier type_parameter>type type>identifier type>constrained_type
			type>splat_type type>generic_type generic_type>identifier splat_type constrained_type`,
		engine.AsBind: `as_pattern_target for_statement.left for_in_clause.left named_expression.name parameters
			lambda_parameters typed_parameter default_parameter.name typed_default_parameter.name case_pattern
			class_pattern>case_pattern keyword_pattern splat_pattern`,
		engine.AsParam: `function_definition.type_parameters class_definition.type_parameters
			generic_type.type_parameters`,
		engine.AsName: "type_alias_statement.left",
		engine.AsImport: `import_statement import_from_statement import_from_statement.module_name
			future_import_statement aliased_import aliased_import.alias`,
		engine.AsRead | engine.Member: "keyword_pattern>identifier",
	},
	Through: "parenthesized_expression tuple list pattern_list tuple_pattern list_pattern list_splat list_splat_pattern" +
		" dictionary_splat_pattern dotted_name union_pattern dict_pattern relative_import argument_list block",
	Sticky: true,
	Splits: []engine.Split{
		{Node: "assignment", By: []string{"type"}},
		{Node: "dotted_name", By: []string{"."}},
	},
	Decls: []engine.Decl{
		{Node: "function_definition", Kind: engine.Function, Member: engine.Method, Name: "name", Body: "body",
			Opens: engine.FunctionScope},
		{Node: "class_definition", Kind: engine.Class, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "assignment assignment:type", Kind: engine.Variable, Member: engine.Field, Name: "left",
			Sort: engine.SortVariable, Once: true},
		{Node: "type_alias_statement", Kind: engine.Type, Name: "left", Sort: engine.SortLexical,
			Opens: engine.FunctionScope},
	},
	Scopes: map[engine.Scope]string{
		engine.FunctionScope: "lambda",
		engine.BlockScope:    "list_comprehension set_comprehension dictionary_comprehension generator_expression",
	},
	Qualifiers: "attribute.object",
	Comments:   "comment",
	Decorators: "decorator",
	Wrappers:   "decorated_definition expression_statement",
	Transient:  "expression_list",
	Skip: "integer float true false none escape_sequence escape_interpolation string_start string_end pass_statement" +
		" type_conversion format_specifier import_prefix line_continuation",
	Leaves:   "string_content",
	Builtins: "bool bytes complex dict float frozenset int list object set str tuple",
	Hoist:    true,
	Hooks: map[string]func(*engine.Walker, int32){
		"function_definition":     pythonDocstring,
		"class_definition":        pythonDocstring,
		"import_statement":        pythonImport,
		"import_from_statement":   pythonImportFrom,
		"future_import_statement": pythonImportFrom,
		"global_statement":        pythonOutside(false),
		"nonlocal_statement":      pythonOutside(true),
		"assignment":              pythonAttribute,
		"dotted_name:.":           pythonDotted,
		"type_alias_statement":    pythonAlias,
		"constrained_type":        pythonBound,
	},
	Finish: pythonFinish,
}

func pythonFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	if s.Parent >= 0 && w.Is(w.Parent(node), "assignment") { // a = b = 1
		p := w.File.Symbols[s.Parent]
		s.Parent, s.Scope = p.Parent, p.Scope
	}
	switch {
	case s.Kind == engine.Method && (s.Name == "__init__" || s.Name == "__new__"):
		s.Kind = engine.Constructor
	case (s.Kind == engine.Variable || s.Kind == engine.Field) && isConstantName(s.Name):
		s.Kind = engine.Constant
	}
	if s.Parent >= 0 && s.Kind != engine.Method && s.Kind != engine.Constructor {
		if p := w.File.Symbols[s.Parent]; p.Kind == engine.Enum {
			s.Kind = engine.EnumMember
		}
	}
	if s.Kind == engine.Class && extends(w, node, "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") {
		s.Kind = engine.Enum
	}
	dunder := strings.HasPrefix(s.Name, "__") && strings.HasSuffix(s.Name, "__")
	s.Exported = (!strings.HasPrefix(s.Name, "_") || dunder) && w.ParentExported(s) && (s.Kind == engine.Field || !w.InFunction())
}

// isConstantName says whether a name is written as constants are: LIKE_THIS.
func isConstantName(s string) bool {
	letters := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			letters++
		case c == '_' || c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return letters > 1
}

// extends says whether a class names one of the bases.
func extends(w *engine.Walker, class int32, bases ...string) bool {
	for c := range w.Children(w.Child(class, "superclasses")) {
		name := w.TextOf(c)
		name = name[strings.LastIndexByte(name, '.')+1:]
		for _, base := range bases {
			if name == base {
				return true
			}
		}
	}
	return false
}

// pythonDocstring takes the string that a body begins with as documentation.
func pythonDocstring(w *engine.Walker, node int32) {
	if f := w.Declaration(node); f == nil || !f.HasSymbol {
		return
	}
	body := w.Child(node, "body")
	if body < 0 || body+2 >= w.Nodes[body].Next {
		return
	}
	first := w.FirstOf(body, "expression_statement")
	if first < 0 || first != body+1 || !w.Is(first+1, "string") {
		return
	}
	if doc := engine.DocstringText(w.TextOf(first + 1)); doc != "" {
		w.File.Symbols[w.Symbol].Doc = doc
	}
}

func pythonImport(w *engine.Walker, node int32) {
	for c := range w.Children(node) {
		i := engine.Import{Path: w.TextOf(c), Line: w.Line(node)}
		if w.Is(c, "aliased_import") {
			i.Path, i.Alias = w.TextOf(w.Child(c, "name")), w.TextOf(w.Child(c, "alias"))
		}
		w.AddImport(i)
	}
}

// pythonImportFrom notes one import per module, with an alias only when it is
// the only name.
func pythonImportFrom(w *engine.Walker, node int32) {
	i := engine.Import{Path: w.TextOf(w.Child(node, "module_name")), Line: w.Line(node)}
	if w.Is(node, "future_import_statement") {
		i.Path = "__future__"
	}
	for c := range w.Children(node) {
		switch {
		case w.In(c, "module_name"):
		case w.Is(c, "wildcard_import"):
			i.Names = append(i.Names, "*")
		case w.Is(c, "aliased_import"):
			i.Names = append(i.Names, w.TextOf(w.Child(c, "name")))
			i.Alias = w.TextOf(w.Child(c, "alias"))
		case w.In(c, "name"):
			i.Names = append(i.Names, w.TextOf(c))
		}
	}
	if len(i.Names) > 1 {
		i.Alias = ""
	}
	w.AddImport(i)
}

// pythonOutside makes the names of a statement mean what is declared outside the function:
// global those of the module, nonlocal the locals of another function.
func pythonOutside(local bool) func(w *engine.Walker, node int32) {
	return func(w *engine.Walker, node int32) {
		for c := range w.Children(node) {
			if w.Is(c, "identifier") {
				w.Bind(w.NameOf(&w.Nodes[c]), w.FunctionScope(), local)
			}
		}
	}
}

// pythonDotted tells the parts of a dotted name in a pattern, which is never a
// capture: what comes before the last dot is read, and qualifies what follows.
func pythonDotted(w *engine.Walker, node int32) {
	role := engine.Read
	switch w.Use[node] & engine.UseMask {
	case engine.AsType:
		role = engine.TypeUse
	case engine.AsBind, engine.AsRead:
	default:
		return
	}
	before := int32(-1)
	for c := range w.Children(node) {
		switch last := w.Nodes[c].Next == w.Nodes[node].Next; {
		case !w.Is(c, "identifier"):
			continue
		case before < 0:
			w.Mention(&w.Nodes[c], w.NameOf(&w.Nodes[c]), engine.Read, false)
		case last:
			w.MentionAs(c, before, role)
		default:
			w.MentionAs(c, before, engine.Read)
		}
		before = c
	}
	w.Hide(node)
}

// pythonAlias tells the parameters of a type alias from arguments, which look
// alike: type Grid[T] = list[T].
func pythonAlias(w *engine.Walker, node int32) {
	left := w.Child(node, "left")
	if left < 0 || w.Nodes[left].Next == left+1 || !w.Is(left+1, "generic_type") {
		return
	}
	if c := w.FirstOf(left+1, "type_parameter"); c >= 0 {
		w.Nodes[c].Field = w.Grammar.FieldID("type_parameters")
	}
}

// pythonBound tells the bound of a type parameter from its name: T: int.
func pythonBound(w *engine.Walker, node int32) {
	name := true
	for c := range w.Children(node) {
		if !name {
			w.Nodes[c].Field = w.Grammar.FieldID("type")
		}
		name = false
	}
}

// pythonAttribute makes fields of the first self.x = … in the methods of a
// class, and of each in self.x, self.y = ….
func pythonAttribute(w *engine.Walker, node int32) {
	left := w.Child(node, "left")
	if left < 0 {
		return
	}
	planned := len(w.HookPlans)
	for j := left; j < w.Nodes[left].Next; {
		switch {
		case w.Is(j, "attribute"):
			if object := w.TextOf(w.Child(j, "object")); object == "self" || object == "cls" {
				memberOf(w, node, w.Child(j, "attribute"), engine.Field)
			}
			j = w.Nodes[j].Next
		case w.Is(j, "subscript"), w.Is(j, "call"):
			j = w.Nodes[j].Next
		default:
			j++
		}
	}
	slices.Reverse(w.HookPlans[planned:])
}

// memberOf makes a symbol of a member that a method of a class assigns to, if
// the class has none of the name yet.
func memberOf(w *engine.Walker, node, name int32, kind engine.Kind) {
	if name < 0 {
		return
	}
	class := int32(len(w.Scopes) - 1)
	for class > 0 && w.Scopes[class].Kind != engine.ClassScope {
		class--
	}
	owner := w.Symbol
	for owner >= 0 && !isContainer(w.File.Symbols[owner].Kind) {
		owner = int32(w.File.Symbols[owner].Parent)
	}
	id := w.NameOf(&w.Nodes[name])
	if class == 0 || owner < 0 || w.BoundIn(id, class) != 0 {
		return
	}
	w.Bind(id, class, false)
	w.Mean(name, w.NewSymbol(node, kind, owner, &w.Nodes[name], w.Intern.Names[id], nil))
}

func isContainer(k engine.Kind) bool {
	switch k {
	case engine.Class, engine.Struct, engine.Interface, engine.Trait, engine.Enum:
		return true
	}
	return false
}

// pythonTyped finds the written type of a name.
const pythonTyped = `\bNAME\s*:\s*["']?CAPITAL|\bNAME\s*=\s*(?:await\s+)?CAPITAL\(|\bwith\s+CAPITAL\([^\n]*\)\s+as\s+NAME\b`

// pythonMembers are members of the language's own types.
var pythonMembers = strings.Fields(`append extend insert remove pop clear index count sort reverse copy get items keys values update
		setdefault popitem add discard union intersection difference join split rsplit strip lstrip rstrip replace format encode decode
		startswith endswith find upper lower title read write readline readlines close flush seek tell send throw group groups match
		search sub name value args`)

// pythonFields finds the fields with an underscore that begin as nothing.
var pythonFields = lazyregexp.MustCompile(`(?m)^[ \t]+self\.(_\w+)` +
	`(?:\s*:[^=\n]+)?[ \t]*=[ \t]*(0|None|False|''|""|\[\]|\{\}` +
	`|(?:dict|list|set)\(\))[ \t]*(?:#.*)?$`)
