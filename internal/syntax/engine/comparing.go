package engine

import "codeintel/internal/platform/lazyregexp"

// Comparing says what two texts of a language need to be compared by what they say;
// see package codediff.
type Comparing struct {
	Around        string // what a function needs around it to be a whole text; "%s" is its place
	Hoisted       bool   // a function behind a return is there all the same
	LastIsValue   bool   // the last expression of a block is its value
	Macros        bool   // a bare name may do something
	UnusedImports bool   // an import that nothing names does nothing
	AnyQuotes     bool   // both kinds of quotes make the same string
	Margins       bool   // lines of a text in """ begin behind the blanks before its end
	Indented      bool   // blocks are recognised by their indentation
	Calls         bool   // "if" and the like are calls, with a block behind them
	Undeclared    bool   // a local is there by being given a value
	Yields        bool   // a function with "yield" runs once somebody goes through what it gives
	Coroutines    bool   // an async function runs once somebody waits for it
	LaterWins     bool   // of two functions of a name in one place, the later one is there
	Nested        bool   // nothing but the function around it sees a function
	Shifts        bool   // "<<" and ">>" may do something
	Coerces       bool   // an operator on bits makes a number of what it is given; types are not there at run time
	ByName        bool   // what calls a function that is by itself names it
	Appends       bool   // "+=" may put a value into a list
	Drops         bool   // a value may do something when its name is over
	// OwnFields finds the fields that a class gives nothing to begin with and no other file may change: in
	// groups, the name and the value. Nil where that is not known.
	OwnFields *lazyregexp.Regexp
	Lazy      Lazy   // chains that run once somebody asks for what they give
	Comments  string // of a language without a grammar: "<!-- -->", or "#" to the end of a line
}

// Lazy names the methods, with blanks between them, that begin a chain which runs once somebody asks
// for what it gives, and those that only add to one. Where none begin it, whatever has such a method does.
type Lazy struct{ From, Steps string }

// Testing says how to tell tests from other code.
type Testing struct {
	Files      string             // a regular expression that the names or paths of test files match; "" for any
	Functions  string             // one for the names of functions that are tests
	Heads      *lazyregexp.Regexp // one for the macros that head a test in place of a name: TEST(Suite, Name) {
	Inherited  bool               // such a function is a test only in a class that inherits something
	Marked     bool               // annotations or attributes make tests
	Called     bool               // tests are calls: it("…", …)
	Documented bool               // "@test" in a comment makes one
	Before     bool               // attributes come before the function, and are no part of it
	Propagates bool               // "?" fails a test
	Later      *lazyregexp.Regexp // what comes before a function that runs some other time, or beside the test
	Passed     *lazyregexp.Regexp // what test programs write when tests ran and none failed
}
