// Package problem holds the answer that says no.
//
// The caller of this program is usually a language model. When it sends
// something the server will not act on, that is no failure of the server's: it
// is a [Problem], and it says what is wrong, where, and what to do instead. Any
// other error is ours: it is logged, and reaches the caller only as "internal".
package problem

import (
	"errors"
	"fmt"
	"strings"
)

// A Code names a kind of problem on the wire. Codes are part of the protocol:
// add, but never rename. Each room declares its own beside the code that
// returns it.
type Code string

// Codes that more than one room returns.
const (
	Internal        Code = "internal"                // our failure; the log has the cause
	InvalidArgument Code = "invalid_argument"        // an argument has the wrong form or value
	NotFound        Code = "not_found"               // the file, symbol or thing named does not exist
	OutsideRoot     Code = "path_outside_repository" // a path leads out of the repository
)

// A Problem is a refusal with a way out.
type Problem struct {
	Code    Code     // what kind of problem it is
	Message string   // what is wrong and where, in terms of what was sent
	Next    []string // what the caller may do instead, the cheapest first
}

// New returns a Problem. The message and each next step are whole sentences or
// whole calls, because a model reads them as instructions.
func New(code Code, message string, next ...string) *Problem {
	return &Problem{Code: code, Message: message, Next: next}
}

// Newf is New with a formatted message and no next step; see [Problem.Or].
func Newf(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Or returns p with another next step added.
func (p *Problem) Or(next string) *Problem {
	p.Next = append(p.Next, next)
	return p
}

// Error gives code, message and next steps in one line.
func (p *Problem) Error() string {
	s := string(p.Code) + ": " + p.Message
	if len(p.Next) > 0 {
		s += " Next: " + strings.Join(p.Next, " Or: ")
	}
	return s
}

// Of returns the Problem that err is or wraps, or nil if it is none.
func Of(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return nil
}
