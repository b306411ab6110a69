package languages

import (
	"codeintel/internal/platform/lazyregexp"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Ruby is the row of the language.
var Ruby = &engine.Spec{
	Name:       engine.Ruby,
	Aliases:    "rb",
	Extensions: "rb rake gemspec ru podspec jbuilder rabl thor arb axlsx rbi",
	Servers:    []string{"solargraph stdio", "ruby-lsp"},
	Files:      "Appraisals Berksfile Brewfile Capfile Gemfile Guardfile Podfile Rakefile Steepfile Thorfile Vagrantfile Fastfile Dangerfile",
	Programs:   "ruby jruby",
	Rules:      &rubyRules,
	Recovery:   rubyRecovery,
	Names: engine.Names{
		Unnamed: map[string]string{
			"to_s": "\"#{x}\"", "to_proc": "&x", "to_ary": "a, b = x", "method_missing": "x.name",
			"respond_to_missing?": "x.respond_to?", "inherited": "class A < X", "included": "include X",
			"extended": "extend X", "prepended": "prepend X", "const_missing": "X::Name",
		},
		Imports:   engine.ImportsLoadPath,
		Bare:      engine.OfClass,
		Members:   rubyOwnMembers,
		Accessors: "::",
		Typed:     rubyTyped,
	},
	Bodies: engine.Bodies{
		Bodiless: "method singleton_method",
	},

	Comparing: engine.Comparing{LaterWins: true, Shifts: true, Undeclared: true, LastIsValue: true,
		Lazy: engine.Lazy{From: "lazy",
			Steps: "map collect select filter reject take_while drop_while flat_map filter_map with_index"}},
	Testing: engine.Testing{Files: `(?:_spec|_test)\.rb$|(?:^|/)test_[^/]*$`, Functions: `^test`, Called: true,
		Passed: lazyregexp.MustCompile(`(?m)^[1-9]\d* examples?, 0 failures|^[1-9]\d* (?:runs|tests), \d+ assertions, 0 failures`),
		Later:  lazyregexp.MustCompile(`\bThread\.(?:new|start|fork)$`)},
}

var rubyRules = engine.Rules{
	Grammar: "ruby",
	Names: map[engine.Use]string{
		engine.AsRead:                 "identifier",
		engine.AsType:                 "constant",
		engine.AsRead | engine.Member: "instance_variable class_variable global_variable",
	},
	Flow: map[engine.Use]string{
		engine.AsCall:                 "call.method",
		engine.HandOn | engine.Member: "scope_resolution.name",
		engine.AsType: `superclass exceptions in_clause>constant in_clause>scope_resolution match_pattern>constant
			match_pattern>scope_resolution test_pattern>constant test_pattern>scope_resolution
			array_pattern>constant array_pattern>scope_resolution find_pattern>constant
			find_pattern>scope_resolution hash_pattern>constant hash_pattern>scope_resolution
			keyword_pattern>constant keyword_pattern>scope_resolution as_pattern>constant
			as_pattern>scope_resolution parenthesized_pattern>constant parenthesized_pattern>scope_resolution
			alternative_pattern>constant alternative_pattern>scope_resolution`,
		engine.HandOn: `setter.name left_assignment_list destructured_left_assignment rest_assignment
			keyword_pattern.value`,
		engine.AsWrite: "operator_assignment.left",
		engine.AsBind: `method_parameters block_parameters lambda_parameters destructured_parameter
			optional_parameter.name keyword_parameter.name splat_parameter.name hash_splat_parameter.name
			block_parameter.name exception_variable for.pattern in_clause.pattern match_pattern.pattern
			test_pattern.pattern`,
		engine.HandOn | engine.Part: "element_reference.object",
		engine.AsWrite | engine.Member: `assignment>instance_variable assignment>class_variable
			assignment>global_variable left_assignment_list>instance_variable left_assignment_list>class_variable
			left_assignment_list>global_variable destructured_left_assignment>instance_variable
			rest_assignment>instance_variable`,
		engine.AsRead: "variable_reference_pattern expression_reference_pattern",
	},
	Through: "parenthesized_statements array_pattern find_pattern hash_pattern as_pattern parenthesized_pattern alternative_pattern",
	Decls: []engine.Decl{
		{Node: "class", Kind: engine.Class, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "module", Kind: engine.Module, Name: "name", Body: "body", Opens: engine.ClassScope},
		{Node: "method", Kind: engine.Function, Member: engine.Method, Name: "name", Body: "body",
			Sort: engine.SortProperty, Opens: engine.FunctionScope},
		{Node: "singleton_method", Kind: engine.Method, Name: "name", Body: "body", Sort: engine.SortProperty,
			Opens: engine.FunctionScope},
		{Node: "alias", Kind: engine.Function, Member: engine.Method, Name: "name", Sort: engine.SortProperty},
		{Node: "assignment", Kind: engine.Variable, Name: "left", Sort: engine.SortVariable, After: true, Once: true},
	},
	Scopes: map[engine.Scope]string{
		engine.BlockScope:    "block do_block",
		engine.FunctionScope: "lambda",
		engine.ClassScope:    "singleton_class",
	},
	Qualifiers: "call.receiver scope_resolution.scope",
	Plain:      "self",
	Comments:   "comment",
	Skip:       "integer float true false nil character escape_sequence",
	Leaves:     "simple_symbol",
	Blank:      "_",
	Hooks: map[string]func(*engine.Walker, int32){
		"call":            rubyCall,
		"class":           rubyNested,
		"module":          rubyNested,
		"assignment":      rubyVariable,
		"block_argument":  rubyBlockSymbol,
		"pair":            rubyShortPair,
		"keyword_pattern": rubyShortPattern,
	},
	Lasting: rubyConstant,
	Finish:  rubyFinish,
	AtEnd:   rubyEnd,
}

// rubyFinish says what is exported and where a signature without a body ends.
func rubyFinish(w *engine.Walker, node int32, s *engine.Symbol) {
	w.OwnDoc(node, s)
	switch {
	case w.Is(node, "method"), w.Is(node, "singleton_method"):
		if s.Parent >= 0 {
			s.Kind = engine.Method
		}
		if s.Name == "initialize" && s.Kind == engine.Method {
			s.Kind = engine.Constructor
		}
	case w.Is(node, "assignment"):
		if s.Kind == engine.Variable && engine.IsUpper(s.Name) {
			s.Kind = engine.Constant
		}
	}
	if end := rubyHead(w, node); end > s.Start {
		s.Signature = engine.OneLine(w.Source[s.Start:end])
	}
	switch {
	case w.InFunction() && !w.Is(node, "method", "singleton_method"):
	case s.Kind == engine.Variable:
		s.Exported = strings.HasPrefix(s.Name, "$") || strings.HasPrefix(s.Name, "@")
	default:
		s.Exported = !rubyPrivate(w, node)
	}
}

// rubyHead returns where the head of a declaration ends whose body does not
// show it, or 0.
func rubyHead(w *engine.Walker, node int32) int {
	if w.Is(node, "assignment") {
		right := w.Child(node, "right")
		for right >= 0 && w.Is(right, "call") {
			if b := w.FirstOf(right, "do_block"); b >= 0 {
				return int(w.Nodes[b].Start)
			}
			right = w.Child(right, "receiver")
		}
		return 0
	}
	if w.Child(node, "body") >= 0 {
		return 0
	}
	for _, f := range []string{"parameters", "superclass", "name"} {
		if c := w.Child(node, f); c >= 0 && !w.Is(node, "alias") {
			return int(w.Nodes[c].End)
		}
	}
	return 0
}

// rubyPrivate says whether a member is below private, or behind it.
func rubyPrivate(w *engine.Walker, node int32) bool {
	around := w.Parent(node)
	if w.Is(around, "argument_list") && w.Is(w.Parent(around), "call") {
		switch w.TextOf(w.Child(w.Parent(around), "method")) {
		case "private", "private_class_method":
			return true
		case "public", "protected", "module_function":
			return false
		}
		node, around = w.Parent(around), w.Parent(w.Parent(around))
	}
	if around < 0 || w.Is(node, "singleton_method") {
		return false
	}
	a, known := w.Access[around]
	if !known || a.Next > node {
		a = engine.Access{Next: around + 1}
	}
	for ; a.Next < node; a.Next = w.Nodes[a.Next].Next {
		if w.Is(a.Next, "identifier") {
			switch w.TextOf(a.Next) {
			case "private":
				a.Private = true
			case "public", "protected", "module_function":
				a.Private = false
			}
		}
	}
	w.Access[around] = a
	return a.Private
}

// rubyEnd makes calls of the bare names that are not variables, and reads of the
// constants that are not classes. It takes back what private names.
func rubyEnd(w *engine.Walker) {
	engine.InOrder(w)
	type place struct {
		name   string
		parent int
	}
	hidden, variables := map[place]bool{}, map[place]bool{}
	for i := 0; i+1 < len(w.Exports); i += 2 {
		hidden[place{w.Intern.Names[w.Exports[i+1]], int(w.Exports[i])}] = true
	}
	for i := range w.File.Symbols {
		s := &w.File.Symbols[i]
		at := place{s.Name, s.Parent}
		variables[at] = variables[at] || s.Kind == engine.Variable
		s.Exported = s.Exported && !hidden[at]
	}
	for i := range w.Mentions {
		o := &w.Mentions[i]
		name := w.Intern.Names[o.Name]
		if o.Local || name == "" {
			continue
		}
		switch o.Role {
		case engine.Read:
			around := int(o.Symbol)
			if around >= 0 && (w.File.Symbols[around].Kind == engine.Variable ||
				w.File.Symbols[around].Kind == engine.Constant) {
				around = w.File.Symbols[around].Parent
			}
			if c := name[0]; c >= 'a' && c <= 'z' && !variables[place{name, around}] {
				o.Role = engine.Call
			}
			o.Local = len(name) == 2 && name[0] == '_' && name[1] >= '1' && name[1] <= '9' // map { _1 }
		case engine.TypeUse:
			if len(name) > 1 && strings.ToUpper(name) == name {
				o.Role = engine.Read
			}
		}
	}
}

// rubyNested makes a symbol of class A::B.
func rubyNested(w *engine.Walker, node int32) {
	f := &w.Frames[len(w.Frames)-1]
	path := w.Child(node, "name")
	if f.Node != node || f.HasSymbol || !w.Is(path, "scope_resolution") {
		return
	}
	leaf := w.Child(path, "name")
	if leaf < 0 {
		return
	}
	d := f.Decl
	i := w.NewSymbol(node, d.Kind, w.Symbol, &w.Nodes[leaf], w.TextOf(leaf), d)
	s := &w.File.Symbols[i]
	s.Scope = engine.JoinScope(s.Scope, strings.ReplaceAll(w.TextOf(w.Child(path, "scope")), "::", "."))
	w.Mean(leaf, i)
	w.Symbol = i
	w.Frames[len(w.Frames)-1].HasSymbol = true
}

// rubyConstant reports whether what a block sets is not a local: a constant.
func rubyConstant(w *engine.Walker, leaf, _ int32) bool { return w.Is(leaf, "constant") }

// rubyVariable makes symbols of the variables of classes and of global ones,
// where they are set outside of methods.
func rubyVariable(w *engine.Walker, node int32) {
	left := w.Child(node, "left")
	if w.InFunction() || !w.Is(left, "class_variable", "global_variable") {
		return
	}
	id := w.NameOf(&w.Nodes[left])
	scope := int32(len(w.Scopes) - 1)
	if w.BoundIn(id, scope) != 0 {
		return
	}
	w.Bind(id, scope, false)
	w.Mean(left, w.NewSymbol(node, engine.Variable, w.Symbol, &w.Nodes[left], w.TextOf(left), nil))
}

// rubyDeclares says what calls in a class declare members named by symbols or texts:
// all of them, or only the first.
var rubyDeclares = map[string]struct {
	kind engine.Kind
	all  bool
}{
	"attr_accessor": {engine.Property, true}, "attr_reader": {engine.Property, true}, "attr_writer": {engine.Property, true},
	"cattr_accessor": {engine.Property, true}, "mattr_accessor": {engine.Property, true},
	"class_attribute": {engine.Property, true},
	"belongs_to":      {engine.Property, false}, "has_one": {engine.Property, false}, "has_many": {engine.Property, false},
	"has_and_belongs_to_many": {engine.Property, false},
	"define_method":           {engine.Method, false}, "alias_method": {engine.Method, false}, "scope": {engine.Method, false},
	"delegate": {engine.Method, true},
}

// rubyCall notes require, the members that attr_accessor and its like declare,
// and the methods that are named by symbols.
func rubyCall(w *engine.Walker, node int32) {
	method := w.Child(node, "method")
	if receiver := w.Child(node, "receiver"); receiver >= 0 {
		rubySend(w, node, receiver, method)
		return
	}
	arguments := w.Child(node, "arguments")
	if arguments < 0 {
		return
	}
	name := w.TextOf(method)
	switch name {
	case "require", "require_relative", "load", "autoload":
		if s := w.FirstOf(arguments, "string"); s >= 0 {
			i := engine.Import{Path: engine.Unquote(w.TextOf(s)), Line: w.Line(node)}
			if symbol := w.FirstOf(arguments, "simple_symbol"); symbol >= 0 {
				i.Names = []string{strings.TrimPrefix(w.TextOf(symbol), ":")}
				rubySymbol(w, symbol, -1)
			}
			w.AddImport(i)
		}
		return
	}
	if !w.InClass() && !(strings.HasPrefix(name, "attr_") && rubyInBlock(w)) {
		if name == "send" || name == "method" || name == "public_send" {
			rubySymbol(w, w.FirstOf(arguments, "simple_symbol"), -1)
		}
		return
	}
	switch name {
	case "private", "private_class_method", "private_constant":
		rubyHide(w, arguments)
	case "def_delegator", "def_delegators", "def_instance_delegator", "def_instance_delegators":
		rubyDelegate(w, node, arguments, strings.HasSuffix(name, "s"))
		return
	}
	d, declares := rubyDeclares[name]
	for c := range w.Children(arguments) {
		symbol := int32(-1)
		switch n := w.Nodes[c]; {
		case declares && w.Is(c, "string") && rubyWord.MatchString(w.TextOf(c)):
			n.Start, n.End, n.Parent = n.Start+1, n.End-1, -1
			symbol = w.NewSymbol(node, d.kind, w.Symbol, &n, string(w.Source[n.Start:n.End]), nil)
			w.Occur(&n, w.NameOf(&n), engine.Definition, symbol, false)
		case !w.Is(c, "simple_symbol") || strings.HasPrefix(w.TextOf(c), ":@"):
			continue
		default:
			if declares {
				n.Start++
				symbol = w.NewSymbol(node, d.kind, w.Symbol, &n, strings.TrimPrefix(w.TextOf(c), ":"), nil)
			}
			rubySymbol(w, c, symbol)
		}
		declares = d.all
	}
}

// rubyWord matches a text that may be the name of a method.
var rubyWord = lazyregexp.MustCompile(`^["'][a-zA-Z_]\w*[?!]?["']$`)

// rubyInBlock reports whether the innermost scope is that of a block which no method is
// around: it may be the body of a class, such as that of describe.
func rubyInBlock(w *engine.Walker) bool {
	return w.FunctionScope() < int32(len(w.Scopes)-1) && w.Scopes[w.FunctionScope()].Kind < engine.FunctionScope
}

// rubyHide notes the members that private and its like name by symbols, as pairs
// of the symbol around and the name, for rubyEnd to take back.
func rubyHide(w *engine.Walker, arguments int32) {
	for c := range w.Children(arguments) {
		if name := strings.TrimPrefix(w.TextOf(c), ":"); w.Is(c, "simple_symbol") {
			w.Exports = append(w.Exports, w.Symbol, w.NameID(name))
		}
	}
}

// rubyDelegate declares the methods that def_delegators passes on to what its
// first argument names. def_delegator passes on one, under the name that comes
// last.
func rubyDelegate(w *engine.Walker, node, arguments int32, all bool) {
	last := w.Nodes[arguments].Next
	for c := range w.Children(arguments) {
		name := strings.TrimPrefix(w.TextOf(c), ":")
		if !w.Is(c, "simple_symbol") || name == "" || name[0] == '@' {
			continue
		}
		symbol := int32(-1)
		if c > arguments+1 && (all || w.Nodes[c].Next == last) {
			n := w.Nodes[c]
			n.Start++
			symbol = w.NewSymbol(node, engine.Method, w.Symbol, &n, name, nil)
		}
		rubySymbol(w, c, symbol)
	}
}

// rubyMembers declares the members of Struct.new(:x, :y) and Data.define(:x),
// which belong to the constant or the class that is made of it.
func rubyMembers(w *engine.Walker, node int32) {
	if w.Symbol < 0 {
		return
	}
	arguments := w.Child(node, "arguments")
	for c := range w.Children(arguments) {
		if name := strings.TrimPrefix(w.TextOf(c), ":"); w.Is(c, "simple_symbol") && name != "" {
			n := w.Nodes[c]
			n.Start++
			symbol := w.NewSymbol(c, engine.Property, w.Symbol, &n, name, nil)
			w.File.Symbols[symbol].Signature = engine.OneLine(w.Source[w.Nodes[node].Start:w.Nodes[arguments].End])
			rubySymbol(w, c, symbol)
		}
	}
}

// rubyShortPair reads the name that stands for a value too: new(x:, y:).
func rubyShortPair(w *engine.Walker, node int32) {
	if key := w.Child(node, "key"); w.Is(key, "hash_key_symbol") && strings.HasSuffix(w.TextOf(node), ":") {
		w.Mention(&w.Nodes[key], w.NameOf(&w.Nodes[key]), engine.Read, false)
	}
}

// rubyShortPattern binds the name that a pattern takes out: in { x:, y: }.
func rubyShortPattern(w *engine.Walker, node int32) {
	if key := w.Child(node, "key"); w.Is(key, "hash_key_symbol") && strings.HasSuffix(w.TextOf(node), ":") {
		w.Bound(&w.Nodes[key], w.NameOf(&w.Nodes[key]), engine.AsBind)
	}
}

// rubySymbol notes the method that a literal symbol names: the one it declares,
// or else one that will be called.
func rubySymbol(w *engine.Walker, node, declares int32) {
	if node < 0 {
		return
	}
	n := w.Nodes[node]
	n.Start++
	n.Parent = -1
	if n.Start >= n.End {
		return
	}
	if declares >= 0 {
		w.Occur(&n, w.NameOf(&n), engine.Definition, declares, false)
		return
	}
	w.Occur(&n, w.NameOf(&n), engine.Read, w.Symbol, false)
}

// rubyBlockSymbol reads map(&:name).
func rubyBlockSymbol(w *engine.Walker, node int32) {
	rubySymbol(w, w.FirstOf(node, "simple_symbol"), -1)
}

// rubySend notes the method of a call with a receiver: never a local, whatever
// it is called.
func rubySend(w *engine.Walker, node, receiver, method int32) {
	if method < 0 || w.Info[w.Nodes[method].Kind].Flags&engine.IsName == 0 {
		return
	}
	switch w.TextOf(receiver) + "." + w.TextOf(method) {
	case "Struct.new", "Data.define":
		rubyMembers(w, node)
	}
	role := engine.Call
	if u := w.Use[node] & engine.UseMask; u == engine.AsName || u == engine.AsWrite {
		role = engine.Write
	}
	qualifier := int32(-1)
	if w.Is(receiver, "scope_resolution") {
		qualifier = w.Child(receiver, "name")
	}
	w.MentionAs(method, qualifier, role)
	w.Hide(method)
}

// rubyTyped finds the written type of a name.
const rubyTyped = `\bNAME\s*=\s*CAPITAL\.new\b`

// rubyOwnMembers are members of the language's own types.
var rubyOwnMembers = strings.Fields(`each map select reject inject reduce find first last push pop shift join split size length keys values
		merge fetch dup freeze to_s to_i to_sym to_a new call send sort sort_by any all empty include name`)
