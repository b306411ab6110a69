package engine

import "strings"

// Names says what a name in a language can mean, for a search for its uses.
type Names struct {
	Groups      string            // languages of one group use each other's names
	Strict      bool              // a bare name is of its file, or brought in by name
	Bare        Bare              // what a member's name that stands alone means
	Members     []string          // of the language's own types: such a name says little about who is meant
	Accessors   string            // what comes before a member, besides a dot: "-> ::"
	Imports     Imports           // how an import names files
	Hides       bool              // what is not exported, nobody outside the project can use
	FileOnly    bool              // at the top of a file, what is not exported is seen by that file alone
	Apart       bool              // a file sees the variables of others only where it brings them in
	Table       bool              // a file gives a table that is its module: what the table has is a member of that
	Unnamed     map[string]string // methods that the language calls without their name, and how that is written
	AnyCase     bool              // names that differ in case alone are one name
	Typechecked bool              // who is meant by a name, its type checker says

	// Typed is a regular expression that finds the written type of a variable. In it
	// NAME stands for the variable, TYPE for a group that matches any type, CAPITAL for
	// a group that matches a type with a capital.
	Typed string
}

// Bare says what a member's name that stands alone means.
type Bare int

// What a member's name that stands alone means.
const (
	NoMember   Bare = iota // a key of a literal, or a named argument
	OfClass                // a member of the class around it, or of one that this extends
	OfOwnClass             // a member of the class around it
	OfAny                  // a key of a literal, or a member of any class: what extends what is not known
	OfMessage              // a member of what the message goes to: [object name]
	OfModule               // the member itself: classes and records give their members to the module
)

// Imports says how an import names files.
type Imports int

// The ways in which imports name files.
const (
	ImportsAny      Imports = iota // by a path or a dotted name
	ImportsPackage                 // by the folder of a package, as in Go
	ImportsModule                  // by a dotted module, as in Python
	ImportsScript                  // by a path without its suffix, as in JavaScript
	ImportsView                    // by the name of a view, as in Blade
	ImportsInclude                 // by the path of a header, as in C
	ImportsDeclared                // by a package or namespace and what is declared there, as in Java
	ImportsCrate                   // by a path of modules, as in Rust
	ImportsLoadPath                // by a path below some folder that is looked in, as in Ruby
	ImportsFolder                  // by the path to a folder, whose files know each other's declarations by scope and name
)

// What the rows of scripts and of the markup that contains them have in common.
const (
	ScriptTyped = `\bNAME\??\s*:\s*CAPITAL\b|\bNAME\s*(?::[^=\n]*)?=\s*(?:await\s+)?new\s+CAPITAL`
	PHPTyped    = `TYPE\s+\$NAME\b|\$NAME\s*=\s*new\s+\\?TYPE`
)

// ScriptMembers are members of JavaScript's own types.
var ScriptMembers = strings.Fields(`push pop shift unshift splice slice concat join reverse sort map filter reduce forEach some every find
		findIndex includes indexOf keys values entries flat flatMap fill get set has delete clear add size length then catch finally
		toString valueOf call apply bind split replace trim match test exec charAt substring startsWith endsWith toLowerCase
		toUpperCase log error warn parse stringify next return throw name value type message remove append`)
