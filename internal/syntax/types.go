package syntax

import "codeintel/internal/syntax/engine"

// What Parse answers with; see package engine.
type (
	Language   = engine.Language   // names a language
	Kind       = engine.Kind       // says what a symbol is
	Role       = engine.Role       // says what an occurrence of a name does
	File       = engine.File       // is what one source file declares and mentions
	Symbol     = engine.Symbol     // is a declaration that can be looked up by name
	Occurrence = engine.Occurrence // is one place where a name is
	Import     = engine.Import     // is one thing that a file brings in
	Block      = engine.Block      // is a stretch of top-level text that is not a symbol
	Code       = engine.Code       // is the syntax tree of one source file
	EmptyBody  = engine.EmptyBody  // is a function that does nothing and admits it
	Spec       = engine.Spec       // is the row of a language
	Form       = engine.Form       // says what a file has to do with the classes of style sheets
)

// The languages that other packages name. Languages lists all.
const (
	Unknown    = engine.Unknown
	Bash       = engine.Bash
	Blade      = engine.Blade
	C          = engine.C
	CPP        = engine.CPP
	CSharp     = engine.CSharp
	CSS        = engine.CSS
	Elixir     = engine.Elixir
	Go         = engine.Go
	Haskell    = engine.Haskell
	HTML       = engine.HTML
	Java       = engine.Java
	JavaScript = engine.JavaScript
	JSON       = engine.JSON
	Jupyter    = engine.Jupyter
	Kotlin     = engine.Kotlin
	Lua        = engine.Lua
	Markdown   = engine.Markdown
	PHP        = engine.PHP
	Python     = engine.Python
	Ruby       = engine.Ruby
	Rust       = engine.Rust
	Scala      = engine.Scala
	SCSS       = engine.SCSS
	Svelte     = engine.Svelte
	SQL        = engine.SQL
	Swift      = engine.Swift
	TSX        = engine.TSX
	TypeScript = engine.TypeScript
	Vue        = engine.Vue
	YAML       = engine.YAML
	Zig        = engine.Zig
)

// How names are used; see [engine.Names].
const (
	OfClass         = engine.OfClass
	OfOwnClass      = engine.OfOwnClass
	OfAny           = engine.OfAny
	OfMessage       = engine.OfMessage
	OfModule        = engine.OfModule
	ImportsPackage  = engine.ImportsPackage
	ImportsFolder   = engine.ImportsFolder
	ImportsModule   = engine.ImportsModule
	ImportsScript   = engine.ImportsScript
	ImportsAny      = engine.ImportsAny
	ImportsView     = engine.ImportsView
	ImportsInclude  = engine.ImportsInclude
	ImportsDeclared = engine.ImportsDeclared
	ImportsCrate    = engine.ImportsCrate
	ImportsLoadPath = engine.ImportsLoadPath
	NoForm          = engine.NoForm
	Page            = engine.Page
	Sheet           = engine.Sheet
	Script          = engine.Script
)

// The kinds of symbols.
const (
	Function    = engine.Function
	Method      = engine.Method
	Constructor = engine.Constructor
	Class       = engine.Class
	Struct      = engine.Struct
	Interface   = engine.Interface
	Trait       = engine.Trait
	Enum        = engine.Enum
	EnumMember  = engine.EnumMember
	Type        = engine.Type
	Field       = engine.Field
	Property    = engine.Property
	Constant    = engine.Constant
	Variable    = engine.Variable
	Module      = engine.Module
	Namespace   = engine.Namespace
	Macro       = engine.Macro
	Impl        = engine.Impl
	Selector    = engine.Selector
	Rule        = engine.Rule
	Element     = engine.Element
	Component   = engine.Component
	Section     = engine.Section
	Slot        = engine.Slot
	Heading     = engine.Heading
	Target      = engine.Target
	Key         = engine.Key
)

// The roles of occurrences.
const (
	Definition = engine.Definition
	Call       = engine.Call
	TypeUse    = engine.TypeUse
	ImportUse  = engine.ImportUse
	Write      = engine.Write
	Read       = engine.Read
)
