package engine

// This file says what a row of rules may hold; see the package comment for how
// to write one. Everything is named by the kinds and fields of the grammar and
// resolved to ids once, by compile. Lists are words with blanks between.

// A Use says what a name does in the place where it is. It flows down the
// tree: a node takes the use that its place in its parent gives it, and hands
// it on where the rules say so.
type Use uint8

const (
	AsRead     Use = iota // the value is used, or nothing better is known
	AsWrite               // it is assigned to
	AsCall                // it is called
	AsType                // it names a type
	AsImport              // it is brought in
	AsName                // it is a name of the innermost declaration around it
	AsBind                // it is declared in the scope around it and is not a symbol: a parameter, a loop variable
	AsTag                 // a markup tag: a call if capitalised, nothing else
	AsTagEnd              // its closing tag: a read if capitalised
	AsParam               // it is declared in the scope around it even if that is a class: a type parameter
	AsNothing             // it is not an occurrence: a label, a package's own name
	HandOn                // it does what its parent does
	StickyRead            // AsType below AsType, else AsRead; see Rules.Sticky
	UseMask        = 0x0f
	Member     Use = 0x10 // with another use: it comes after a dot, no binding is meant
	Local      Use = 0x20 // with another use: it means something local although no binding shows it
	Part       Use = 0x40 // with another use: something in it is meant, so it is not declared here: x[0] = 1
)

// A sort says where the names of a declaration can be seen.
type sort uint8

const (
	SortLexical  sort = iota // in the scope around it; a symbol even inside functions
	SortVariable             // in the scope around it; inside functions a mere local
	SortProperty             // after a dot only; a symbol everywhere
	SortField                // after a dot only; a symbol only outside of functions
)

// A Scope says what names declared directly inside mean.
type Scope uint8

const (
	noScope       Scope = iota
	ModuleScope         // symbols; a file, a namespace
	ClassScope          // members
	FunctionScope       // locals
	BlockScope          // locals
)

// A Decl says how nodes of some kinds declare.
type Decl struct {
	Node   string          // kinds, or kind:split; see Rules.Splits
	Kind   Kind            // of the symbols
	Member Kind            // the kind in a class instead, if not empty
	Under  map[string]Kind // the kind when directly inside one of these instead
	Name   string          // field that holds the name or names; through HandOn there may be several
	First  string          // or kinds: the first child or grandchild of one of them holds it, where the grammar has no field
	Body   string          // field or kind of the child or grandchild where the signature ends
	Cut    string          // text where the signature ends, where no body node shows it
	Sort   sort
	Opens  Scope  // scope of what is inside, if any
	Whole  string // kinds of parents in which the names belong to the whole function (var of JavaScript)
	After  bool   // the names can be seen only after the node, not in it
	Once   bool   // another one of the same name in the same scope is an assignment
}

// A Split makes kinds out of the kinds of Node: a node that has a direct child
// of one of the kinds By is treated as the kind "node:child". The first that is
// there wins. Tokens count.
type Split struct {
	Node string
	By   []string
}

// Rules is the row of one language.
type Rules struct {
	Grammar string

	// Names lists the leaf kinds that are names, by what they do where Flow says
	// nothing more than AsRead.
	Names map[Use]string

	// Flow lists places by what names in them do: "kind.field" for children that
	// fill a field, "kind>child" for children of a kind, "kind" for all
	// others. The narrowest wins; names in places that are not listed are read.
	Flow map[Use]string

	Through string // kinds that hand on, as if Flow listed them under HandOn
	Sticky  bool   // below AsType everything is AsType unless Flow lists the place

	Splits []Split
	Decls  []Decl
	Scopes map[Scope]string // the kinds that open one and declare nothing

	Qualifiers string // kind.field pairs: where the text before the dot is
	Paths      string // kind.field pairs: the part that counts where that text is not a plain name: b of a::b::c
	Plain      string // leaf kinds besides names that can be a qualifier: this, self

	Comments   string // kinds of comments
	Decorators string // kinds that may be between a comment and its declaration
	Wrappers   string // kinds whose only declaration owns their whole text: export, decorated
	Transient  string // kinds left out of the tree; their children go up
	Skip       string // kinds left out with what is in them; keyword_* stands for all that begin so
	Leaves     string // kinds kept without what is in them
	Open       string // kinds whose direct child opens no scope: a function and its body share one
	Hoist      bool   // a name belongs to its scope from the start of the scope on
	Blank      string // the name that means nothing: _
	Builtins   string // type names that are never occurrences

	Hooks  map[string]func(w *Walker, node int32) // called on entering a node, its scope already open
	Finish func(w *Walker, node int32, s *Symbol) // called for each new symbol: exported, kind, scope
	AtEnd  func(w *Walker)                        // called when all is walked

	// Lasting says whether a variable that is declared in a function, its name at a
	// leaf, is a symbol all the same.
	Lasting func(w *Walker, leaf, node int32) bool
}
