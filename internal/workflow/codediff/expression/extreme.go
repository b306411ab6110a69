package expression

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// Where is the context of a condition: its file, and the function around it, "" for none.
type Where struct {
	Rust     bool
	Script   bool // JavaScript or TypeScript
	File     []byte
	Function string
}

var (
	// extreme finds a comparison with the largest or smallest number that there is: of the type of what
	// is compared to it, or of any; zeroed one with zero.
	extreme = lazyregexp.MustCompile(`^([\w.]+(?:(?:\.|->)(?:size|len|length|count)\(\))?)\s*([<>]=?)\s*(?:` +
		`([iu](?:8|16|32|64|128|size)::|(?:[Ll]ong|Integer|[Ii]nt)\.)(M[AI][XN])(?:_VALUE)?|([Ii]nt|Int64)\.(max` +
		`|min)(?:Value)?)$`)
	// notNumber finds a comparison with what equals nothing.
	notNumber = lazyregexp.MustCompile(`^[^=!<>&|?]+([=!])==?\s*(?:(?:Double\.|[Ff]loat\.|double\.` +
		`|Float::|f(?:32|64)::)N[aA]N|(NAN)` +
		`|math\.NaN\(\)|(?:math|np|numpy)\.nan|float\(["']nan["']\)|(?:Double|Float)\.nan)$`)
	// nanGiven finds what gives a file of C, C++ or PHP the name NAN, ownNaN a NaN by itself.
	nanGiven = lazyregexp.MustCompile(`#\s*include\s*<c?math(?:\.h)?>|^<\?php`)
	ownNaN   = lazyregexp.MustCompile(`(?:^|[^.\w])NaN\b`)
	// lengths finds the lengths that are compared with zero or less, by what has them; listed the names of what has
	// several things.
	lengths = lazyregexp.MustCompile(`(\w+)\.[lL]ength\s*[<>!=]+\s*(?:0\b|-)`)
	listed  = lazyregexp.MustCompile(`\b(\w+)(?:\[|\.(?:push|pop|shift|unshift|map|filter|forEach|slice|splice|join` +
		`|concat|sort|reduce|includes|indexOf|charAt|charCodeAt|split|trim|startsWith|endsWith)\()` +
		`|\b(?:of|in)\s+(?:[\w.]+\.)?#?(\w+)\)|\b(\w+)\??\s*:\s*(?:string\b|[\w.<>|]+\[\])|\b(\w+)\s*=\s*\[` +
		`|\b[sS]tring\s+(\w+)\b|\b(\w+)\.\.\.|\.\.\.(\w+)|\b(\w+)\s*=\s*new\s+[\w.<>]+\[`)
	// several finds the names of what has several things, setting those that look so and have a length of their own.
	several = lazyregexp.MustCompile(`(?:[^sS]s|[lL]ist|[aA]rray|[sS]tr(?:ing)?|[tT]ext)$`)
	setting = lazyregexp.MustCompile(`(?i)^(?:this|pos)$|(?:opt(?:ion)?|param|prop|setting|attr|bound|dim(?:ension)?)s$`)
	zeroed  = lazyregexp.MustCompile(`^(\w+)\s*(<|>=)\s*(0|0[uU][lL]*|Duration::ZERO)$`)
	// sized finds how many there are of something, which is a number of the usual size if that is in memory;
	// inMemory the names of what is declared to be in memory: of a file, a channel or a stream it is a larger one.
	sized    = lazyregexp.MustCompile(`(\w+)(?:\.|->)(?:size|len|length|count)(?:\(\))?$`)
	inMemory = lazyregexp.MustCompile(`(?:\b(?:String|StringBuilder|(?:\w+[.$])?\w*(?:List|Map|Set|Queue|Deque` +
		`|Collection|Vector))(?:<[^;={}()]*>)?|\[\])\s+(\w+)\b` +
		`|\b(\w+)\s*:\s*(?:String|Array|\w*(?:List|Map|Set|Queue|Deque|Collection))\b|\b(\w+)\s*:\s*\[`)
	// numbers finds the names of what is declared to be a number of the usual size, or less; unsigned those of
	// what is declared never to be below zero.
	numbers = lazyregexp.MustCompile(`\b(?:[Ii]nt|Integer|[Ss]hort|[Bb]yte)\s+(\w+)\s*[^\s\w(]` +
		`|\b(\w+)\s*:\s*(?:Int|Short|Byte)\b|\b(?:var|let|val)\s+(\w+)\s*=\s*-?\d+\s*[;\n]`)
	fractions = lazyregexp.MustCompile(`\b(?:[dD]ouble|[fF]loat)\s+(\w+)\b|\b(\w+)\s*:\s*(?:Double|Float)\b`)
	unsigned  = lazyregexp.MustCompile(`\b(?:size_t|unsigned(?:\s+(?:int|long|char|short))?|uint(?:8|16|32|64)_t` +
		`|uint|ulong|ushort)\s+(\w+)\b` +
		`|\b(\w+)\s*:\s*(?:u(?:8|16|32|64|128|size)|UInt\w*|ULong)\b|\b(\w+)\s+uint(?:8|16|32|64)?\b` +
		`|\b(\w+)(?:,\s*\w+)?\s*:?=\s*(?:strconv\.ParseUint|uint(?:8|16|32|64)?)\(`)
)

// declares reports whether a text declares a name as an expression finds it.
func declares(text string, is *lazyregexp.Regexp, name string) bool {
	return slices.ContainsFunc(is.FindAllStringSubmatch(text, -1), func(m []string) bool { return slices.Contains(m[1:], name) })
}

// isAtLimit reports whether a comparison is with the largest or smallest value of the operand's type.
func (w Where) isAtLimit(m []string) bool {
	switch of := sized.FindStringSubmatch(m[1]); {
	case w.Rust:
		return true
	case of != nil:
		return declares(string(w.File), inMemory, of[1])
	case m[3] == "Long.":
		return !declares(string(w.File), fractions, m[1][strings.LastIndexByte(m[1], '.')+1:])
	}
	return declares(w.Function, numbers, m[1])
}

// IsOpen reports whether a condition that looks decided is not: its NaN is somebody's own constant, or a length
// in it is a field of something that is no list, and may be below zero.
func (w Where) IsOpen(text string) bool {
	if !w.Script && ownNaN.MatchString(text) {
		return true
	}
	return slices.ContainsFunc(lengths.FindAllStringSubmatch(text, -1), func(m []string) bool {
		return !(several.MatchString(m[1]) && !setting.MatchString(m[1])) && !declares(string(w.File), inMemory, m[1]) && !declares(string(w.File), listed, m[1])
	})
}

// Extreme evaluates the text of a comparison with what nothing is more, or less, than.
func (w Where) Extreme(text string) Truth {
	if m := extreme.FindStringSubmatch(text); m != nil && w.isAtLimit(m) {
		largest := strings.EqualFold(m[4]+m[6], "max")
		switch {
		case largest && m[2] == ">", !largest && m[2] == "<":
			return No
		case largest && m[2] == "<=", !largest && m[2] == ">=":
			return Yes
		}
		return Unknown
	}
	switch m := notNumber.FindStringSubmatch(text); {
	case m != nil && m[2] != "" && !nanGiven.Match(w.File):
	case m != nil && m[1] == "!":
		return Yes
	case m != nil:
		return No
	}
	m := zeroed.FindStringSubmatch(text)
	switch {
	case m == nil,
		m[3] == "Duration::ZERO" && !bytes.Contains(w.File, []byte("std::time")),
		m[3] == "0" && !declares(w.Function, unsigned, m[1]):
		return Unknown
	case m[2] == "<":
		return No
	}
	return Yes
}
