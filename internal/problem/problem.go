// Package problem defines the refusal: an answer with a code, a reason and what to do next, as opposed to an
// internal error.
//
// The caller of this program is usually a language model. When it sends something that the
// server will not do, the server has not failed: the answer is a [Problem] that says what is
// wrong, where, and what to do instead. Any other error is a fault of ours: it is logged, and
// reaches the caller only as "internal".
package problem

import (
	"errors"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// A Code names a kind of problem on the wire. Codes are part of the protocol:
// add, but never rename. Each package declares its own beside the code that
// returns it.
type Code string

// Codes that more than one package returns.
const (
	Internal        Code = "internal"                // our failure; the log has the cause
	InvalidArgument Code = "invalid_argument"        // an argument has the wrong form or value
	NotFound        Code = "not_found"               // the file, symbol or thing named does not exist
	OutsideRoot     Code = "path_outside_repository" // a path leads out of the repository
)

// A Problem is a refusal with a way out. A surface prints it for its reader.
type Problem struct {
	Code    Code          // what kind of problem it is
	Message msg.Message   // what is wrong and where, in terms of what was sent
	Next    []msg.Message // what the caller may do instead, the cheapest first: a call, or advice
}

// A Draft is a Problem that does not say yet what the caller may do instead, and so is no
// error: [Draft.Or] and its like make it one.
type Draft struct {
	code    Code
	message msg.Message
	next    []msg.Message
}

// New returns a Draft that says the message of key; see [msg.New] for its arguments.
func New(code Code, key string, args ...any) Draft {
	return Draft{code: code, message: msg.New(key, args...)}
}

// Perhaps returns d with advice added that may be none.
func (d Draft) Perhaps(next ...msg.Message) Draft {
	d.next = append(d.next, next...)
	return d
}

// Or returns the Problem with advice: the message of key.
func (d Draft) Or(key string, args ...any) *Problem { return d.OrSay(msg.New(key, args...)) }

// OrDo returns the Problem with a call that the caller may make instead; see
// [msg.CallOf] for the pairs.
func (d Draft) OrDo(name op.Name, pairs ...any) *Problem { return d.OrSay(msg.Do(name, pairs...)) }

// OrSay returns the Problem with advice.
func (d Draft) OrSay(first msg.Message, more ...msg.Message) *Problem {
	return With(d.code, d.message, append(d.next, append([]msg.Message{first}, more...)...)...)
}

// With returns a Problem of messages that are there already; at least one is advice.
func With(code Code, m msg.Message, next ...msg.Message) *Problem {
	return &Problem{Code: code, Message: m, Next: next}
}

// Or returns p with advice added: the message of key.
func (p *Problem) Or(key string, args ...any) *Problem {
	return p.OrSay(msg.New(key, args...))
}

// OrDo returns p with a call added that the caller may make instead; see
// [msg.CallOf] for the pairs.
func (p *Problem) OrDo(name op.Name, pairs ...any) *Problem {
	return p.OrSay(msg.Do(name, pairs...))
}

// OrSay returns p with advice added.
func (p *Problem) OrSay(next ...msg.Message) *Problem {
	p.Next = append(p.Next, next...)
	return p
}

// AsMessage gives code, message and next steps as one message, in one line.
func (p *Problem) AsMessage() msg.Message {
	if len(p.Next) == 0 {
		return msg.New("problem.code_and_message", p.Code, p.Message)
	}
	return msg.New("problem.code_message_and_next", p.Code, p.Message, msg.Listed("list.or", p.Next))
}

// Error gives code, message and next steps in one line of English.
func (p *Problem) Error() string { return p.AsMessage().String() }

// Of returns the Problem that err is or wraps, or nil. An error with a method
// AsProblem describes itself as one.
func Of(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var e interface {
		error
		AsProblem() (code string, what msg.Message, next []msg.Message)
	}
	if errors.As(err, &e) {
		code, what, next := e.AsProblem()
		return With(Code(code), what, next...)
	}
	return nil
}
