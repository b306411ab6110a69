package syntax

import (
	"slices"
	"strings"
)

// specPython is the row of the language.
var specPython = &spec{name: Python, rules: &pythonRules}

var pythonRules = rules{
	grammar: "python",
	names:   map[string]use{"identifier": asRead},
	flow: map[string]use{
		"call.function":                   asCall,
		"call.arguments":                  asRead,
		"attribute.attribute":             handOn | member,
		"attribute.object":                asRead,
		"subscript.value":                 handOn | part,
		"subscript.subscript":             stickyRead,
		"decorator":                       asCall,
		"class_definition.superclasses":   asType,
		"function_definition.return_type": asType,
		"assignment.type":                 asType,
		"keyword_argument.name":           asWrite | member | local,
		"keyword_argument.value":          asRead,
		"type":                            asType,
		"type_parameter":                  asType,
		"generic_type":                    asType,
		"augmented_assignment.left":       asWrite,
		"delete_statement":                asWrite,
		"except_clause.value":             asType,
		"as_pattern>identifier":           handOn,
		"as_pattern_target":               asBind,
		"for_statement.left":              asBind,
		"for_in_clause.left":              asBind,
		"named_expression.name":           asBind,
		"global_statement":                asRead,
		"nonlocal_statement":              asRead,

		"parameters":                   asBind,
		"lambda_parameters":            asBind,
		"typed_parameter":              asBind,
		"typed_parameter.type":         asType,
		"default_parameter.name":       asBind,
		"typed_default_parameter.name": asBind,
		"typed_default_parameter.type": asType,

		"function_definition.type_parameters": asParam,
		"class_definition.type_parameters":    asParam,
		"type_parameter>type":                 handOn,
		"type>identifier":                     handOn,
		"type>constrained_type":               handOn,
		"type>splat_type":                     handOn,
		"type>generic_type":                   handOn,
		"generic_type>identifier":             handOn,
		"generic_type.type_parameters":        asParam, // see pythonAlias
		"splat_type":                          handOn,
		"constrained_type":                    handOn,
		"constrained_type.type":               asType,
		"type_alias_statement.left":           asName,
		"type_alias_statement.right":          asType,
		"import_statement":                    asImport,
		"import_from_statement":               asImport,
		"import_from_statement.module_name":   asImport,
		"future_import_statement":             asImport,
		"aliased_import":                      asImport,
		"aliased_import.alias":                asImport,
		"case_pattern":                        asBind,
		"class_pattern":                       asRead,
		"class_pattern>dotted_name":           asType,
		"class_pattern>case_pattern":          asBind,
		"keyword_pattern":                     asBind,
		"keyword_pattern>identifier":          asRead | member,
		"splat_pattern":                       asBind,
		"complex_pattern":                     asRead,
	},
	through: "parenthesized_expression tuple list pattern_list tuple_pattern list_pattern list_splat list_splat_pattern" +
		" dictionary_splat_pattern dotted_name union_pattern dict_pattern relative_import argument_list block",
	sticky: true,
	splits: []split{
		{"assignment", []string{"type"}},
		{"dotted_name", []string{"."}},
	},
	decls: []decl{
		{node: "function_definition", kind: Function, member: Method, name: "name", body: "body", opens: functionScope},
		{node: "class_definition", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "assignment", kind: Variable, member: Field, name: "left", sort: variable, once: true},
		{node: "assignment:type", kind: Variable, member: Field, name: "left", sort: variable, once: true},
		{node: "type_alias_statement", kind: Type, name: "left", sort: lexical, opens: functionScope},
	},
	scopes: map[string]scope{
		"lambda":                   functionScope,
		"list_comprehension":       blockScope,
		"set_comprehension":        blockScope,
		"dictionary_comprehension": blockScope,
		"generator_expression":     blockScope,
	},
	qualifiers: "attribute.object",
	comments:   "comment",
	leads:      "decorator",
	wrappers:   "decorated_definition expression_statement",
	transient:  "expression_list",
	skip: "integer float true false none escape_sequence escape_interpolation string_start string_end pass_statement" +
		" type_conversion format_specifier import_prefix line_continuation",
	leaves:   "string_content",
	builtins: "bool bytes complex dict float frozenset int list object set str tuple",
	hoist:    true,
	hooks: map[string]func(*walker, int32){
		"function_definition":     pythonDocstring,
		"class_definition":        pythonDocstring,
		"import_statement":        pythonImport,
		"import_from_statement":   pythonImportFrom,
		"future_import_statement": pythonImportFrom,
		"global_statement":        pythonGlobal,
		"nonlocal_statement":      pythonNonlocal,
		"assignment":              pythonAttribute,
		"dotted_name:.":           pythonDotted,
		"type_alias_statement":    pythonAlias,
		"constrained_type":        pythonBound,
	},
	finish: pythonFinish,
}

func pythonFinish(w *walker, node int32, s *Symbol) {
	if s.Parent >= 0 && w.is(w.parent(node), "assignment") { // a = b = 1
		p := w.file.Symbols[s.Parent]
		s.Parent, s.Scope = p.Parent, p.Scope
	}
	switch {
	case s.Kind == Method && (s.Name == "__init__" || s.Name == "__new__"):
		s.Kind = Constructor
	case (s.Kind == Variable || s.Kind == Field) && isConstantName(s.Name):
		s.Kind = Constant
	}
	if s.Parent >= 0 && s.Kind != Method && s.Kind != Constructor {
		if p := w.file.Symbols[s.Parent]; p.Kind == Enum {
			s.Kind = EnumMember
		}
	}
	if s.Kind == Class && w.extends(node, "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag") {
		s.Kind = Enum
	}
	dunder := strings.HasPrefix(s.Name, "__") && strings.HasSuffix(s.Name, "__")
	s.Exported = (!strings.HasPrefix(s.Name, "_") || dunder) && w.parentExported(s) && (s.Kind == Field || !w.inFunction())
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
func (w *walker) extends(class int32, bases ...string) bool {
	for c := range w.children(w.child(class, "superclasses")) {
		name := w.textOf(c)
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
func pythonDocstring(w *walker, node int32) {
	if f := w.declaration(node); f == nil || !f.hasSymbol {
		return
	}
	body := w.child(node, "body")
	if body < 0 || body+2 >= w.nodes[body].Next {
		return
	}
	first := w.firstOf(body, "expression_statement")
	if first < 0 || first != body+1 || !w.is(first+1, "string") {
		return
	}
	if doc := docstringText(w.textOf(first + 1)); doc != "" {
		w.file.Symbols[w.symbol].Doc = doc
	}
}

func pythonImport(w *walker, node int32) {
	for c := range w.children(node) {
		i := Import{Path: w.textOf(c), Line: w.line(node)}
		if w.is(c, "aliased_import") {
			i.Path, i.Alias = w.textOf(w.child(c, "name")), w.textOf(w.child(c, "alias"))
		}
		w.addImport(i)
	}
}

// pythonImportFrom notes one import per module, with an alias only when it is
// the only name.
func pythonImportFrom(w *walker, node int32) {
	i := Import{Path: w.textOf(w.child(node, "module_name")), Line: w.line(node)}
	if w.is(node, "future_import_statement") {
		i.Path = "__future__"
	}
	for c := range w.children(node) {
		switch {
		case w.in(c, "module_name"):
		case w.is(c, "wildcard_import"):
			i.Names = append(i.Names, "*")
		case w.is(c, "aliased_import"):
			i.Names = append(i.Names, w.textOf(w.child(c, "name")))
			i.Alias = w.textOf(w.child(c, "alias"))
		case w.in(c, "name"):
			i.Names = append(i.Names, w.textOf(c))
		}
	}
	if len(i.Names) > 1 {
		i.Alias = ""
	}
	w.addImport(i)
}

// pythonGlobal makes the names of a global statement mean those of the module.
func pythonGlobal(w *walker, node int32) {
	for c := range w.children(node) {
		if w.is(c, "identifier") {
			w.bind(w.nameOf(&w.nodes[c]), w.functionScope(), false)
		}
	}
}

// pythonNonlocal makes the names of a nonlocal statement locals that another
// function declares.
func pythonNonlocal(w *walker, node int32) {
	for c := range w.children(node) {
		if w.is(c, "identifier") {
			w.bind(w.nameOf(&w.nodes[c]), w.functionScope(), true)
		}
	}
}

// pythonDotted tells the parts of a dotted name in a pattern, which is never a
// capture: what stands before the last dot is read, and qualifies what follows.
func pythonDotted(w *walker, node int32) {
	role := Read
	switch w.use[node] & useMask {
	case asType:
		role = TypeUse
	case asBind, asRead:
	default:
		return
	}
	before := int32(-1)
	for c := range w.children(node) {
		switch last := w.nodes[c].Next == w.nodes[node].Next; {
		case !w.is(c, "identifier"):
			continue
		case before < 0:
			w.mention(c, &w.nodes[c], w.nameOf(&w.nodes[c]), Read, false)
		case last:
			w.mentionAs(c, before, role)
		default:
			w.mentionAs(c, before, Read)
		}
		before = c
	}
	w.hide(node)
}

// pythonAlias tells the parameters of a type alias from arguments, which look
// alike: type Grid[T] = list[T].
func pythonAlias(w *walker, node int32) {
	left := w.child(node, "left")
	if left < 0 || w.nodes[left].Next == left+1 || !w.is(left+1, "generic_type") {
		return
	}
	if c := w.firstOf(left+1, "type_parameter"); c >= 0 {
		w.nodes[c].Field = w.grammar.FieldID("type_parameters")
	}
}

// pythonBound tells the bound of a type parameter from its name: T: int.
func pythonBound(w *walker, node int32) {
	name := true
	for c := range w.children(node) {
		if !name {
			w.nodes[c].Field = w.grammar.FieldID("type")
		}
		name = false
	}
}

// pythonAttribute makes fields of the first self.x = … in the methods of a
// class, and of each in self.x, self.y = ….
func pythonAttribute(w *walker, node int32) {
	left := w.child(node, "left")
	if left < 0 {
		return
	}
	meant := len(w.meant)
	for j := left; j < w.nodes[left].Next; {
		switch {
		case w.is(j, "attribute"):
			if object := w.textOf(w.child(j, "object")); object == "self" || object == "cls" {
				w.memberOf(node, w.child(j, "attribute"), Field)
			}
			j = w.nodes[j].Next
		case w.is(j, "subscript"), w.is(j, "call"):
			j = w.nodes[j].Next
		default:
			j++
		}
	}
	slices.Reverse(w.meant[meant:])
}

// memberOf makes a symbol of a member that a method of a class assigns to, if
// the class has none of the name yet.
func (w *walker) memberOf(node, name int32, kind Kind) {
	if name < 0 {
		return
	}
	class := int32(len(w.scopes) - 1)
	for class > 0 && w.scopes[class].kind != classScope {
		class--
	}
	owner := w.symbol
	for owner >= 0 && !isContainer(w.file.Symbols[owner].Kind) {
		owner = int32(w.file.Symbols[owner].Parent)
	}
	id := w.nameOf(&w.nodes[name])
	if class == 0 || owner < 0 || w.boundIn(id, class) != 0 {
		return
	}
	w.bind(id, class, false)
	w.mean(name, w.newSymbol(node, kind, owner, &w.nodes[name], w.intern.names[id], nil))
}

func isContainer(k Kind) bool {
	switch k {
	case Class, Struct, Interface, Trait, Enum:
		return true
	}
	return false
}
