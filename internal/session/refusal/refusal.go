// Package refusal builds the answer to a submission that fails a check. Every handler of a phase, and every
// package below them, takes its codes, next steps and bounded lists from here.
package refusal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/text"
)

// Codes of submissions that fail a check.
const (
	PayloadMismatch  problem.Code = "payload_mismatch"  // the payload does not fit the phase's contract
	ValidationFailed problem.Code = "validation_failed" // it fits, but what it says is not true
	UnobservedFiles  problem.Code = "unobserved_files"  // it names files that no tool has shown
)

// GiveUp is the call that aborts the session.
func GiveUp() msg.Call { return Submit("abort", true, "reason", msg.Blank) }

// BackToReady is the call that returns to the implementation.
func BackToReady() msg.Call { return Submit("back_to", "READY", "reason", msg.Blank) }

// Submit is a call of submit_phase with these fields as its payload.
func Submit(pairs ...any) msg.Call {
	return msg.CallOf(op.SubmitPhase, "data", msg.FieldsOf(pairs...))
}

// Resume is the call that resumes an interrupted session.
func Resume() msg.Call { return msg.CallOf(op.StartSession, "flags", []string{"--resume"}) }

// OneOf returns a Problem unless v is one of the words.
func OneOf(field, v string, words ...string) error {
	if slices.Contains(words, v) {
		return nil
	}
	return problem.New(PayloadMismatch, "problem.argument_has_value", field, v).
		Or("session.send_one", words)
}

// RequireReason returns a Problem unless the reason has words, and at least 10 visible characters.
func RequireReason(field any, reason string) error {
	if seen := text.OneLine(vaguetext.Visible(reason)); len([]rune(seen)) >= 10 && !vaguetext.Silent(seen) {
		return nil
	}
	return problem.New(PayloadMismatch, "session.shorter_than_characters", field, reason).
		Or("session.say_sentence_why")
}

// joinedRefusals is one refusal made of several.
type joinedRefusals struct {
	*problem.Problem
	of []*problem.Problem
}

func (s *joinedRefusals) Unwrap() error { return s.Problem }

// Join joins several refusals into one, so that all problems are reported at once. If one
// of the errors is not a refusal, it returns that error alone.
func Join(errs ...error) error {
	var all []*problem.Problem
	for _, err := range errs {
		if err == nil {
			continue
		}
		var joined *joinedRefusals
		if errors.As(err, &joined) {
			all = append(all, joined.of...)
			continue
		}
		p := problem.Of(err)
		if p == nil {
			return err
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil
	}
	if len(all) == 1 {
		return all[0]
	}
	var texts []any
	var next []msg.Message
	for i, p := range all {
		texts = append(texts, msg.New("session.one_of_several_refusals", i+1, p.Code, p.Message))
		for _, way := range p.Next {
			if !slices.ContainsFunc(next, way.Equal) {
				next = append(next, way)
			}
		}
	}
	return &joinedRefusals{problem.With(all[0].Code, msg.Join(" ", texts...), next...), all}
}

// Some is the list as an argument of a message, with at most n elements and how many more there are.
func Some(list []string, n int) any {
	if len(list) <= n {
		return list
	}
	return msg.New("session.and_n_more", list[:n], len(list)-n)
}

// Quoted writes a list with its elements in quotation marks.
func Quoted(list []string) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = fmt.Sprintf("%q", v)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
