// Package codecommand parses the line that a person types after /code: option words and a request. What a model
// asks for in that person's name is checked against it. Package request does the same for /forge.
package codecommand

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
)

// NotWhatWasAsked is the code of a session that a person did not ask for.
const NotWhatWasAsked problem.Code = "not_what_was_asked"

// A Line is a /code line as it was typed.
type Line string

var command = workflow.SlashCommand("code")

// Of returns the line that a prompt is, if it is one.
func Of(prompt string) (line Line, ok bool) {
	return Line(strings.TrimSpace(prompt)), command.MatchString(prompt)
}

// Request returns what the line asks for, without the command and option words. A
// line that asks for nothing binds nobody.
func (l Line) Request() string { return strings.Join(slices.DeleteFunc(l.words(), isFlag), " ") }

// Options returns the option words that are typed in the line.
func (l Line) Options() []string {
	_, all := l.flags()
	return all
}

// words returns what follows the command, in one spelling.
func (l Line) words() []string {
	return strings.Fields(command.ReplaceAllString(norm.NFKC.String(string(l)), ""))
}

// flags returns the option words at both ends of the line, and all that are in it.
func (l Line) flags() (outer, all []string) {
	words := l.words()
	first, last := 0, len(words)
	for first < last && isFlag(words[first]) {
		first++
	}
	for last > first && isFlag(words[last-1]) {
		last--
	}
	outer = slices.Concat(words[:first], words[last:])
	return outer, slices.DeleteFunc(words, func(w string) bool { return !isFlag(w) })
}

// Asks returns a Problem unless the line asks for the query, with the flags.
func (l Line) Asks(query string, flags Flags) error {
	outer, all := l.flags()
	meant, err := ParseFlags(outer)
	if err != nil { // the person mistyped one; the model is to ask
		return problem.New(NotWhatWasAsked, "slashcmd.typed_flags_do_not_hold", text.Clip(string(l), 300), err).
			Or("slashcmd.tell_user_ask_line_again")
	}
	loose, looseErr := ParseFlags(all) // an option word within the request may be meant as one
	sameFlags := flags.Same(meant) || looseErr == nil && flags.Same(loose)
	asked := slices.DeleteFunc(strings.Fields(norm.NFKC.String(query)), isFlag)
	sameRequest := strings.Join(asked, " ") == l.Request() || Line(query).Request() == l.Request()
	if sameFlags && sameRequest {
		return nil
	}
	return problem.New(NotWhatWasAsked, "slashcmd.user_typed_call_asks_something", text.Clip(string(l), 300)).
		Or("slashcmd.start_session_as_typed",
			msg.CallOf(op.StartSession, "query", text.Clip(l.Request(), 500), "flags", outer, "intent", msg.Blank)).
		Or("slashcmd.if_user_wants_something_else")
}
