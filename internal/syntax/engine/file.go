package engine

// A Language names a language the way results and filters spell it. The empty
// Language is an unknown one.
type Language string

// The languages that Detect can answer.
const (
	Unknown    Language = ""
	Bash       Language = "bash"
	Blade      Language = "blade"
	C          Language = "c"
	CPP        Language = "cpp"
	CSharp     Language = "csharp"
	CSS        Language = "css"
	Elixir     Language = "elixir"
	Go         Language = "go"
	Haskell    Language = "haskell"
	HTML       Language = "html"
	Java       Language = "java"
	JavaScript Language = "javascript" // JSX too: the grammar is the same
	JSON       Language = "json"
	Jupyter    Language = "jupyter"
	Kotlin     Language = "kotlin"
	Lua        Language = "lua"
	Markdown   Language = "markdown"
	PHP        Language = "php"
	Python     Language = "python"
	Ruby       Language = "ruby"
	Rust       Language = "rust"
	Scala      Language = "scala"
	SCSS       Language = "scss"
	Svelte     Language = "svelte"
	SQL        Language = "sql"
	Swift      Language = "swift"
	TSX        Language = "tsx"
	TypeScript Language = "typescript"
	Vue        Language = "vue"
	YAML       Language = "yaml"
	Zig        Language = "zig"
)

// A Kind says what a symbol is.
type Kind string

// HasMembers reports whether symbols of the kind have members.
func (k Kind) HasMembers() bool {
	switch k {
	case Class, Struct, Interface, Trait, Enum, Type, Component:
		return true
	}
	return false
}

// Callable reports whether a kind is what callers are: a body of statements.
func (k Kind) Callable() bool {
	return k == Function || k == Method || k == Constructor || k == Macro
}

// The kinds of symbols.
const (
	Function    Kind = "function"
	Method      Kind = "method"
	Constructor Kind = "constructor"
	Class       Kind = "class"
	Struct      Kind = "struct"
	Interface   Kind = "interface"
	Trait       Kind = "trait"
	Enum        Kind = "enum"
	EnumMember  Kind = "enum_member"
	Type        Kind = "type"
	Field       Kind = "field"
	Property    Kind = "property"
	Constant    Kind = "constant"
	Variable    Kind = "variable"
	Module      Kind = "module"
	Namespace   Kind = "namespace"
	Macro       Kind = "macro"
	Impl        Kind = "impl"
	Selector    Kind = "selector"
	Rule        Kind = "rule"
	Element     Kind = "element"
	Component   Kind = "component"
	Section     Kind = "section" // what a template gives to a named place of another one
	Slot        Kind = "slot"    // a named place of a template that others fill
	Heading     Kind = "heading"
	Target      Kind = "target"
	Key         Kind = "key"
)

// A Role says what an occurrence of a name does.
type Role string

// The roles of occurrences.
const (
	Definition Role = "definition" // the name is declared here
	Call       Role = "call"       // it is called, instantiated or invoked
	TypeUse    Role = "type"       // it is where a type is expected
	ImportUse  Role = "import"     // it is brought in from elsewhere
	Write      Role = "write"      // it is assigned to
	Read       Role = "read"       // anything else
)

// A File is what one source file declares and mentions. Symbols,
// Occurrences, Imports and Blocks are in the order of the source.
type File struct {
	Language    Language
	Symbols     []Symbol
	Occurrences []Occurrence
	Imports     []Import
	Blocks      []Block // of a notebook alone
	Partial     string  // why something is missing; empty when nothing is
}

// A Symbol is a declaration that can be looked up by name. Byte offsets are
// half open, lines are 1-based and inclusive, columns are 1-based in bytes.
type Symbol struct {
	Name       string
	Kind       Kind
	Parent     int    // index in File.Symbols of the enclosing symbol, or -1
	Scope      string // names of the parents joined by "."
	Signature  string // the head of the declaration on one line, at most 200 characters
	Doc        string // leading comment or docstring as plain text, at most 2000 characters
	Start, End int    // bytes of the declaration without its leading comment
	DocStart   int    // byte where its leading comment starts; Start if there is none
	StartLine  int
	EndLine    int
	NameLine   int
	NameColumn int
	Exported   bool // can be named from other files or packages
}

// An Occurrence is one place where a name is.
type Occurrence struct {
	Name      string
	Line      int
	Column    int // in bytes, 1-based
	Role      Role
	Symbol    int    // index in File.Symbols of the innermost symbol around it, or -1
	Local     bool   // it means a binding that lives in a function
	Qualifier string // the name before the dot, if it is a plain one: "http" in http.Get
}

// An Import is one thing that a file brings in.
type Import struct {
	Path  string   // as written, without quotes
	Alias string   // the name it goes by here, if the source gives one
	Names []string // what is taken out of it, if the source says
	Line  int
}

// A Block is a stretch of the source of a notebook's cell that is not a symbol: prose or
// statements.
type Block struct{ Start, End int }

// An EmptyBody is a function that does nothing and admits it.
type EmptyBody struct {
	Name               string
	StartLine, EndLine int
	Why                string // what is in place of a body, in a few words
	Silent             bool   // it does nothing, and nowhere says that something is missing
}

// FunctionAt returns the innermost function, method, constructor or macro
// around a line.
func (f *File) FunctionAt(line int) (Symbol, bool) {
	found := -1
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if line < s.StartLine || line > s.EndLine || !s.Kind.IsFunction() {
			continue
		}
		if found < 0 || s.Start >= f.Symbols[found].Start && s.End <= f.Symbols[found].End {
			found = i
		}
	}
	if found < 0 {
		return Symbol{}, false
	}
	return f.Symbols[found], true
}

// IsFunction says whether symbols of the kind are called.
func (k Kind) IsFunction() bool {
	switch k {
	case Function, Method, Constructor, Macro:
		return true
	}
	return false
}
