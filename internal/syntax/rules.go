package syntax

// This file says what a row of rules may hold; see the package comment for how
// to write one. Everything is named by the kinds and fields of the grammar and
// resolved to ids once, by compile.

// A use says what a name does in the place where it stands. It flows down the
// tree: a node takes the use that its place in its parent gives it, and hands
// it on where the rules say so.
type use uint8

const (
	asRead     use = iota // the value is used, or nothing better is known
	asWrite               // it is assigned to
	asCall                // it is called
	asType                // it names a type
	asImport              // it is brought in
	asName                // it is a name of the innermost declaration around it
	asBind                // it is declared in the scope around it and is no symbol: a parameter, a loop variable
	asTag                 // a markup tag: a call if capitalised, nothing else
	asTagEnd              // its closing tag: a read if capitalised
	asParam               // it is declared in the scope around it even if that is a class: a type parameter
	asNothing             // it is no occurrence: a label, a package's own name
	handOn                // it does what its parent does
	stickyRead            // asType below asType, else asRead; see rules.sticky
	useMask        = 0x0f
	member     use = 0x10 // with another use: it comes after a dot, no binding is meant
	local      use = 0x20 // with another use: it means something local although no binding shows it
	part       use = 0x40 // with another use: something in it is meant, so it is not declared here: x[0] = 1
)

// A sort says where the names of a declaration can be seen.
type sort uint8

const (
	lexical  sort = iota // in the scope around it; a symbol even inside functions
	variable             // in the scope around it; inside functions a mere local
	property             // after a dot only; a symbol everywhere
	field                // after a dot only; a symbol only outside of functions
)

// A scope says what names declared directly inside mean.
type scope uint8

const (
	noScope       scope = iota
	moduleScope         // symbols; a file, a namespace
	classScope          // members
	functionScope       // locals
	blockScope          // locals
)

// A decl says how one kind of node declares.
type decl struct {
	node   string          // kind, or kind:split; see rules.splits
	kind   Kind            // of the symbols
	member Kind            // the kind in a class instead, if not empty
	under  map[string]Kind // the kind when directly inside one of these instead
	name   string          // field that holds the name or names; through handOn there may be several
	first  string          // or kinds: the first child or grandchild of one of them holds it, where the grammar has no field
	body   string          // field or kind of the child or grandchild where the signature ends
	cut    string          // text where the signature ends, where no body node shows it
	sort   sort
	opens  scope  // scope of what is inside, if any
	whole  string // kinds of parents in which the names belong to the whole function (var of JavaScript)
	after  bool   // the names can be seen only after the node, not in it
	once   bool   // another one of the same name in the same scope is an assignment
}

// A split makes kinds out of one kind: a node of kind node that has a direct
// child of one of the kinds by is treated as the kind "node:child". The first
// that is there wins. Tokens count.
type split struct {
	node string
	by   []string
}

// rules is the row of one language.
type rules struct {
	grammar string

	// names gives the leaf kinds that are names, and what they do where flow
	// says nothing more than asRead.
	names map[string]use

	// flow gives the use of names by place: "kind.field" for children that
	// fill a field, "kind>child" for children of a kind, "kind" for all
	// others. The narrowest wins; what is not named is asRead.
	flow map[string]use

	through string // kinds that hand on, as if flow had kind: handOn
	sticky  bool   // below asType everything is asType unless flow names the place

	splits []split
	decls  []decl
	scopes map[string]scope // of kinds that declare nothing

	qualifiers string // kind.field pairs: where the text before the dot stands
	paths      string // kind.field pairs: the part that counts where that text is no plain name: b of a::b::c
	plain      string // leaf kinds besides names that can be a qualifier: this, self

	comments  string // kinds of comments
	leads     string // kinds that may stand between a comment and its declaration
	wrappers  string // kinds whose only declaration owns their whole text: export, decorated
	transient string // kinds left out of the tree; their children go up
	skip      string // kinds left out with what is in them; keyword_* stands for all that begin so
	leaves    string // kinds kept without what is in them
	open      string // kinds whose direct child opens no scope: a function and its body share one
	hoist     bool   // a name belongs to its scope from the start of the scope on
	blank     string // the name that means nothing: _
	builtins  string // type names that are never occurrences

	hooks  map[string]func(w *walker, node int32) // called on entering a node, its scope already open
	finish func(w *walker, node int32, s *Symbol) // called for each new symbol: exported, kind, scope
	atEnd  func(w *walker)                        // called when all is walked
}
