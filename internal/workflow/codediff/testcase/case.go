// Package testcase finds the tests of a file and counts what each of them can find: its assertions, the values
// it expects, and what keeps it from running or from failing.
// It reads a tokens.Text; package weakening compares the tests before and after a change.
package testcase

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/tokens"
)

// A File is the text of a file that may contain tests.
type File struct {
	*tokens.Text
	dataProviders  map[string]bool   // functions that give tests their cases; nil until it is needed
	delegating     map[string]string // functions that only call the code under test; nil until it is needed
	uselessHelpers map[string]bool   // helpers whose assertions are always true
}

// NewFile returns the file with a text, nil if there is none.
func NewFile(t *tokens.Text) *File {
	if t == nil {
		return nil
	}
	return &File{Text: t}
}

// A Case is one test of a text.
type Case struct {
	Name          string
	Key           string // what it says
	Counts        Counts
	Unconditional Counts         // of what runs whatever its conditions are
	WithHelpers   Counts         // with those of the functions of the file that it calls
	Calls         map[string]int // how often it calls what, by name
	HelperAsserts bool           // such a function asserts something
	Builds        []Counts       // of each program that the preprocessor makes of it
	Skips         int
	Retries       int
	Tags          int
	IsHelper      bool
	NeverRuns     bool // whatever happens, it is not run
	OnDemand      bool // it ends at once unless the environment asks for it
	IsTable       bool // tests go through it
	IsCall        bool // it is a call, not a function
	CanFail       bool
	Returns       int  // how often it gives something back
	Replaced      bool // it does what a removed test did
}

// Counts are what a test consists of, counted.
type Counts struct {
	Asserts  map[string]int // by the words that assert
	Literals map[string]int // values and comparisons
	Wanted   map[string]int // the values on the lines of assertions
	Branches int            // conditions and ways out
	Loose    int            // words that allow for a difference
	Either   int            // alternatives that an assertion allows for
}

// WholeFile is the name of what a file has outside of its tests.
const WholeFile = "(file)"

// SaysEqual finds an assertion that two values are equal, as "==" does in one that asks for the truth.
var SaysEqual = lazyregexp.MustCompile(`(?i)^(?:xct)?assert_?(?:equals?|eq)$`)

// saysNothing finds one that a value is nothing, and says so by its name.
var saysNothing = lazyregexp.MustCompile(`^(?:(?:XCT)?[aA]ssert_?|[A-Z_]*(?:ASSERT|EXPECT)_)(?i:null|nil|none|ok|zero)$`)

// NamesValue finds an assertion that names the value that it wants.
var NamesValue = lazyregexp.MustCompile(`^(?:assert\w*?|[A-Z_]*(?:ASSERT|EXPECT|REQUIRE|CHECK)_|is|toBe|be_)_?(?i:(null|nil|none|true|false|ok|zero))$`)

// namedValue returns the value that an assertion names, or "".
func namedValue(toks []tokens.Token, i int) string {
	if m := NamesValue.FindStringSubmatch(toks[i].Text); m != nil && (tokens.TextAt(toks, i+1) == "(" || tokens.TextAt(toks, i-1) != "def") {
		return ValueOf(m[1])
	}
	return ""
}

func ValueOf(name string) string {
	switch name = strings.ToLower(name); name {
	case "ok", "zero":
		return "0"
	case "none":
		return "None"
	}
	return name
}
