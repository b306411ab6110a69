// Package shown describes which lines and symbols of the code an answer showed to its reader.
//
// A session relies on what the server saw, not on what a payload claims. So every answer
// of a search tool lists the lines and the symbols that it put before the reader, and the
// ledger keeps that list.
package shown

// Lines are shown lines of one file, 1-based and inclusive.
type Lines struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Facts is what one answer showed. The zero Facts showed nothing.
type Facts struct {
	Lines       []Lines  `json:"lines,omitempty"`
	Definitions []string `json:"definitions,omitempty"` // symbols whose definition was shown
	Callers     []string `json:"callers,omitempty"`     // functions shown as the place of a reference
	Patterns    []string `json:"patterns,omitempty"`    // patterns or queries that had hits
	Targets     []string `json:"targets,omitempty"`     // files and symbols that an impact analysis covered
	Adds        []string `json:"adds,omitempty"`        // files of types of which it covered a member that is still to be written
	MustVerify  []string `json:"must_verify,omitempty"` // files that an impact analysis says must be looked at
	Should      []string `json:"should,omitempty"`      // files that it says should be looked at
	Asked       []string `json:"asked,omitempty"`       // the pattern, symbol or path that was asked for, found or not
	Empty       bool     `json:"empty,omitempty"`       // the answer was valid and held nothing
}
