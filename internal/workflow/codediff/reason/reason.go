// Package reason holds the reasons why a changed line does not change what the program does.
// Packages noeffect and codediff give them; sessions and pipelines tell them to the agent.
package reason

// A Reason says why a line does not change the program.
type Reason string

// The reasons, the most telling first.
const (
	LeftOut     Reason = "left_out"     // the build leaves the file out
	Unreachable Reason = "unreachable"  // after a return, or under a condition that is never true
	Stub        Reason = "stub"         // a function without its implementation
	Constant    Reason = "constant"     // a function that returns a constant in place of what it should compute
	NoEffect    Reason = "no_effect"    // a statement without any
	InString    Reason = "in_string"    // code in a string
	Comment     Reason = "comment"      // also documentation
	Moved       Reason = "moved"        // as it was, in another place
	RenamedName Reason = "local_rename" // only a name that nothing outside the function sees
	Format      Reason = "format"       // white space, quotes, line breaks
	Blank       Reason = "blank"
)

// BySeverity lists all reasons, the most telling first.
var BySeverity = []Reason{LeftOut, Unreachable, Stub, Constant, NoEffect, InString, Comment, Moved, RenamedName,
	Format, Blank}
