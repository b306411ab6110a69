package syntax

import "strings"

// specRuby is the row of the language.
var specRuby = &spec{name: Ruby, rules: &rubyRules}

var rubyRules = rules{
	grammar: "ruby",
	names: map[string]use{
		"identifier":        asRead,
		"constant":          asType,
		"instance_variable": asRead | member,
		"class_variable":    asRead | member,
		"global_variable":   asRead | member,
	},
	flow: map[string]use{
		"call.method":                  asCall,
		"scope_resolution.name":        handOn | member,
		"superclass":                   asType,
		"setter.name":                  handOn,
		"left_assignment_list":         handOn,
		"destructured_left_assignment": handOn,
		"rest_assignment":              handOn,
		"operator_assignment.left":     asWrite,
		"method_parameters":            asBind,
		"block_parameters":             asBind,
		"lambda_parameters":            asBind,
		"destructured_parameter":       asBind,
		"optional_parameter.name":      asBind,
		"keyword_parameter.name":       asBind,
		"splat_parameter.name":         asBind,
		"hash_splat_parameter.name":    asBind,
		"block_parameter.name":         asBind,
		"exception_variable":           asBind,
		"exceptions":                   asType,
		"for.pattern":                  asBind,
		"element_reference.object":     handOn | part,

		"assignment>instance_variable":                   asWrite | member,
		"assignment>class_variable":                      asWrite | member,
		"assignment>global_variable":                     asWrite | member,
		"left_assignment_list>instance_variable":         asWrite | member,
		"left_assignment_list>class_variable":            asWrite | member,
		"left_assignment_list>global_variable":           asWrite | member,
		"destructured_left_assignment>instance_variable": asWrite | member,
		"rest_assignment>instance_variable":              asWrite | member,

		"in_clause.pattern":                      asBind,
		"match_pattern.pattern":                  asBind,
		"test_pattern.pattern":                   asBind,
		"keyword_pattern.value":                  handOn,
		"variable_reference_pattern":             asRead,
		"expression_reference_pattern":           asRead,
		"in_clause>constant":                     asType,
		"in_clause>scope_resolution":             asType,
		"match_pattern>constant":                 asType,
		"match_pattern>scope_resolution":         asType,
		"test_pattern>constant":                  asType,
		"test_pattern>scope_resolution":          asType,
		"array_pattern>constant":                 asType,
		"array_pattern>scope_resolution":         asType,
		"find_pattern>constant":                  asType,
		"find_pattern>scope_resolution":          asType,
		"hash_pattern>constant":                  asType,
		"hash_pattern>scope_resolution":          asType,
		"keyword_pattern>constant":               asType,
		"keyword_pattern>scope_resolution":       asType,
		"as_pattern>constant":                    asType,
		"as_pattern>scope_resolution":            asType,
		"parenthesized_pattern>constant":         asType,
		"parenthesized_pattern>scope_resolution": asType,
		"alternative_pattern>constant":           asType,
		"alternative_pattern>scope_resolution":   asType,
	},
	through: "parenthesized_statements array_pattern find_pattern hash_pattern as_pattern parenthesized_pattern alternative_pattern",
	decls: []decl{
		{node: "class", kind: Class, name: "name", body: "body", opens: classScope},
		{node: "module", kind: Module, name: "name", body: "body", opens: classScope},
		{node: "method", kind: Function, member: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "singleton_method", kind: Method, name: "name", body: "body", sort: property, opens: functionScope},
		{node: "alias", kind: Function, member: Method, name: "name", sort: property},
		{node: "assignment", kind: Variable, name: "left", sort: variable, after: true, once: true},
	},
	scopes: map[string]scope{
		"block":           blockScope,
		"do_block":        blockScope,
		"lambda":          functionScope,
		"singleton_class": classScope,
	},
	qualifiers: "call.receiver scope_resolution.scope",
	plain:      "self",
	comments:   "comment",
	skip:       "integer float true false nil character escape_sequence",
	leaves:     "simple_symbol",
	blank:      "_",
	hooks: map[string]func(*walker, int32){
		"call":            rubyCall,
		"class":           rubyNested,
		"module":          rubyNested,
		"assignment":      rubyVariable,
		"block_argument":  rubyBlockSymbol,
		"pair":            rubyShortPair,
		"keyword_pattern": rubyShortPattern,
	},
	finish: rubyFinish,
	atEnd:  rubyEnd,
}

// rubyFinish says what is exported and where a signature without a body ends.
func rubyFinish(w *walker, node int32, s *Symbol) {
	w.ownDoc(node, s)
	switch {
	case w.is(node, "method"), w.is(node, "singleton_method"):
		if s.Parent >= 0 {
			s.Kind = Method
		}
		if s.Name == "initialize" && s.Kind == Method {
			s.Kind = Constructor
		}
	case w.is(node, "assignment"):
		if s.Kind == Variable && isUpper(s.Name) {
			s.Kind = Constant
		}
	}
	if end := w.rubyHead(node); end > s.Start {
		s.Signature = oneLine(w.src[s.Start:end])
	}
	switch {
	case w.inFunction() && !w.is(node, "method") && !w.is(node, "singleton_method"):
	case s.Kind == Variable:
		s.Exported = s.Name[0] == '$' || s.Name[0] == '@'
	default:
		s.Exported = !w.rubyPrivate(node)
	}
}

// rubyHead returns where the head of a declaration ends whose body does not
// show it, or 0.
func (w *walker) rubyHead(node int32) int {
	if w.is(node, "assignment") {
		right := w.child(node, "right")
		for right >= 0 && w.is(right, "call") {
			if b := w.firstOf(right, "do_block"); b >= 0 {
				return int(w.nodes[b].Start)
			}
			right = w.child(right, "receiver")
		}
		return 0
	}
	if w.child(node, "body") >= 0 {
		return 0
	}
	for _, f := range []string{"parameters", "superclass", "name"} {
		if c := w.child(node, f); c >= 0 && !w.is(node, "alias") {
			return int(w.nodes[c].End)
		}
	}
	return 0
}

// rubyPrivate says whether a member stands below private, or behind it.
func (w *walker) rubyPrivate(node int32) bool {
	around := w.parent(node)
	if w.is(around, "argument_list") && w.is(w.parent(around), "call") {
		switch w.textOf(w.child(w.parent(around), "method")) {
		case "private", "private_class_method":
			return true
		case "public", "protected", "module_function":
			return false
		}
		node, around = w.parent(around), w.parent(w.parent(around))
	}
	if around < 0 || w.is(node, "singleton_method") {
		return false
	}
	private := false
	for c := range w.children(around) {
		if c >= node {
			break
		}
		if w.is(c, "identifier") {
			switch w.textOf(c) {
			case "private":
				private = true
			case "public", "protected", "module_function":
				private = false
			}
		}
	}
	return private
}

// rubyEnd makes calls of the bare names that are no variables, and reads of the
// constants that are no classes. It takes back what private names.
func rubyEnd(w *walker) {
	inOrder(w)
	type place struct {
		name   string
		parent int
	}
	hidden, variables := map[place]bool{}, map[place]bool{}
	for i := 0; i+1 < len(w.exports); i += 2 {
		hidden[place{w.intern.names[w.exports[i+1]], int(w.exports[i])}] = true
	}
	for i := range w.file.Symbols {
		s := &w.file.Symbols[i]
		at := place{s.Name, s.Parent}
		variables[at] = variables[at] || s.Kind == Variable
		s.Exported = s.Exported && !hidden[at]
	}
	for i := range w.occs {
		o := &w.occs[i]
		if o.local {
			continue
		}
		name := w.intern.names[o.name]
		switch o.role {
		case Read:
			around := int(o.symbol)
			if around >= 0 && (w.file.Symbols[around].Kind == Variable || w.file.Symbols[around].Kind == Constant) {
				around = w.file.Symbols[around].Parent
			}
			if c := name[0]; c >= 'a' && c <= 'z' && !variables[place{name, around}] {
				o.role = Call
			}
			o.local = len(name) == 2 && name[0] == '_' && name[1] >= '1' && name[1] <= '9' // map { _1 }
		case TypeUse:
			if len(name) > 1 && strings.ToUpper(name) == name {
				o.role = Read
			}
		}
	}
}

// rubyNested makes a symbol of class A::B.
func rubyNested(w *walker, node int32) {
	f := &w.frames[len(w.frames)-1]
	path := w.child(node, "name")
	if f.node != node || f.hasSymbol || !w.is(path, "scope_resolution") {
		return
	}
	leaf := w.child(path, "name")
	if leaf < 0 {
		return
	}
	d := f.decl
	i := w.newSymbol(node, d.kind, w.symbol, &w.nodes[leaf], w.textOf(leaf), d)
	s := &w.file.Symbols[i]
	s.Scope = joinScope(s.Scope, strings.ReplaceAll(w.textOf(w.child(path, "scope")), "::", "."))
	w.mean(leaf, i)
	w.symbol = i
	w.frames[len(w.frames)-1].hasSymbol = true
}

// rubyVariable makes symbols of the variables of classes and of global ones,
// where they are set outside of methods.
func rubyVariable(w *walker, node int32) {
	left := w.child(node, "left")
	if w.inFunction() || !w.is(left, "class_variable") && !w.is(left, "global_variable") {
		return
	}
	id := w.nameOf(&w.nodes[left])
	scope := int32(len(w.scopes) - 1)
	if w.boundIn(id, scope) != 0 {
		return
	}
	w.bind(id, scope, false)
	w.mean(left, w.newSymbol(node, Variable, w.symbol, &w.nodes[left], w.textOf(left), nil))
}

// rubyDeclares says what calls in a class declare members named by symbols:
// all of their symbols, or only the first.
var rubyDeclares = map[string]struct {
	kind Kind
	all  bool
}{
	"attr_accessor": {Property, true}, "attr_reader": {Property, true}, "attr_writer": {Property, true},
	"cattr_accessor": {Property, true}, "mattr_accessor": {Property, true}, "class_attribute": {Property, true},
	"belongs_to": {Property, false}, "has_one": {Property, false}, "has_many": {Property, false},
	"has_and_belongs_to_many": {Property, false},
	"define_method":           {Method, false}, "alias_method": {Method, false}, "scope": {Method, false},
	"delegate": {Method, true},
}

// rubyCall notes require, the members that attr_accessor and its like declare,
// and the methods that are named by symbols.
func rubyCall(w *walker, node int32) {
	method := w.child(node, "method")
	if receiver := w.child(node, "receiver"); receiver >= 0 {
		w.rubySend(node, receiver, method)
		return
	}
	arguments := w.child(node, "arguments")
	if arguments < 0 {
		return
	}
	name := w.textOf(method)
	switch name {
	case "require", "require_relative", "load", "autoload":
		if s := w.firstOf(arguments, "string"); s >= 0 {
			i := Import{Path: unquote(w.textOf(s)), Line: w.line(node)}
			if symbol := w.firstOf(arguments, "simple_symbol"); symbol >= 0 {
				i.Names = []string{strings.TrimPrefix(w.textOf(symbol), ":")}
			}
			w.addImport(i)
		}
		return
	}
	if !w.inClass() {
		if name == "send" || name == "method" || name == "public_send" {
			w.rubySymbol(w.firstOf(arguments, "simple_symbol"), -1)
		}
		return
	}
	switch name {
	case "private", "private_class_method", "private_constant":
		w.rubyHide(arguments)
	case "def_delegator", "def_delegators", "def_instance_delegator", "def_instance_delegators":
		w.rubyDelegate(node, arguments, strings.HasSuffix(name, "s"))
		return
	}
	d, declares := rubyDeclares[name]
	for c := range w.children(arguments) {
		if !w.is(c, "simple_symbol") || strings.HasPrefix(w.textOf(c), ":@") {
			continue
		}
		symbol := int32(-1)
		if declares {
			n := w.nodes[c]
			n.Start++
			symbol = w.newSymbol(node, d.kind, w.symbol, &n, strings.TrimPrefix(w.textOf(c), ":"), nil)
			declares = d.all
		}
		w.rubySymbol(c, symbol)
	}
}

// rubyHide notes the members that private and its like name by symbols, as pairs
// of the symbol around and the name, for rubyEnd to take back.
func (w *walker) rubyHide(arguments int32) {
	for c := range w.children(arguments) {
		if name := strings.TrimPrefix(w.textOf(c), ":"); w.is(c, "simple_symbol") {
			w.exports = append(w.exports, w.symbol, w.nameID(name))
		}
	}
}

// rubyDelegate declares the methods that def_delegators passes on to what its
// first argument names. def_delegator passes on one, under the name that comes
// last.
func (w *walker) rubyDelegate(node, arguments int32, all bool) {
	last := w.nodes[arguments].Next
	for c := range w.children(arguments) {
		name := strings.TrimPrefix(w.textOf(c), ":")
		if !w.is(c, "simple_symbol") || name == "" || name[0] == '@' {
			continue
		}
		symbol := int32(-1)
		if c > arguments+1 && (all || w.nodes[c].Next == last) {
			n := w.nodes[c]
			n.Start++
			symbol = w.newSymbol(node, Method, w.symbol, &n, name, nil)
		}
		w.rubySymbol(c, symbol)
	}
}

// rubyMembers declares the members of Struct.new(:x, :y) and Data.define(:x),
// which belong to the constant or the class that is made of it.
func (w *walker) rubyMembers(node int32) {
	if w.symbol < 0 {
		return
	}
	arguments := w.child(node, "arguments")
	for c := range w.children(arguments) {
		if name := strings.TrimPrefix(w.textOf(c), ":"); w.is(c, "simple_symbol") && name != "" {
			n := w.nodes[c]
			n.Start++
			symbol := w.newSymbol(c, Property, w.symbol, &n, name, nil)
			w.file.Symbols[symbol].Signature = oneLine(w.src[w.nodes[node].Start:w.nodes[arguments].End])
			w.rubySymbol(c, symbol)
		}
	}
}

// rubyShortPair reads the name that stands for a value too: new(x:, y:).
func rubyShortPair(w *walker, node int32) {
	if key := w.child(node, "key"); w.is(key, "hash_key_symbol") && strings.HasSuffix(w.textOf(node), ":") {
		w.mention(key, &w.nodes[key], w.nameOf(&w.nodes[key]), Read, false)
	}
}

// rubyShortPattern binds the name that a pattern takes out: in { x:, y: }.
func rubyShortPattern(w *walker, node int32) {
	if key := w.child(node, "key"); w.is(key, "hash_key_symbol") && strings.HasSuffix(w.textOf(node), ":") {
		w.bound(key, &w.nodes[key], w.nameOf(&w.nodes[key]), asBind)
	}
}

// rubySymbol notes the method that a literal symbol names: the one it declares,
// or else one that will be called.
func (w *walker) rubySymbol(node, declares int32) {
	if node < 0 {
		return
	}
	n := w.nodes[node]
	n.Start++
	n.Parent = -1
	if n.Start >= n.End {
		return
	}
	if declares >= 0 {
		w.occur(node, &n, w.nameOf(&n), Definition, declares, false)
		return
	}
	w.occur(node, &n, w.nameOf(&n), Read, w.symbol, false)
}

// rubyBlockSymbol reads map(&:name).
func rubyBlockSymbol(w *walker, node int32) { w.rubySymbol(w.firstOf(node, "simple_symbol"), -1) }

// rubySend notes the method of a call with a receiver: never a local, whatever
// it is called.
func (w *walker) rubySend(node, receiver, method int32) {
	if method < 0 || w.info[w.nodes[method].Kind].flags&isName == 0 {
		return
	}
	switch w.textOf(receiver) + "." + w.textOf(method) {
	case "Struct.new", "Data.define":
		w.rubyMembers(node)
	}
	role := Call
	if u := w.use[node] & useMask; u == asName || u == asWrite {
		role = Write
	}
	qualifier := int32(-1)
	if w.is(receiver, "scope_resolution") {
		qualifier = w.child(receiver, "name")
	}
	w.mentionAs(method, qualifier, role)
	w.hide(method)
}
