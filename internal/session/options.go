package session

import (
	"context"
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/workflow/requirements"
)

// allow is the choice at [Options] that gives force to what was withheld.
const allow = "allow"

// effectiveOptions is the choice of options and intent that has force, and what was withheld of it.
type effectiveOptions struct {
	flags    codecommand.Flags
	intent   state.Intent
	withheld *state.Withheld
	typed    bool
}

// withholdOptions takes out of what the model asks for whatever leaves checks out and was
// not typed by the person in a /code line.
func (s *Service) withholdOptions(words []string, flags codecommand.Flags, intent state.Intent,
	query string) (c effectiveOptions, err error) {
	c = effectiveOptions{flags: flags, intent: intent}
	line, err := s.lineFile().Binding()
	if err != nil {
		return c, err
	}
	var typed []string
	if line != nil && !line.Unproven {
		typed, c.typed = codecommand.Line(line.Text).Options(), true
	}
	weak, _ := codecommand.Weakening(words)
	weak = slices.DeleteFunc(weak, func(word string) bool { return sameOption(typed, word) })
	meant, err := codecommand.ParseFlags(typed)
	explores := intent.Explores() || flags.OnlyExplore
	if explores && !flags.OnlyVerify && !(err == nil && meant.OnlyExplore) && requirements.AsksForChange(query) {
		if flags.OnlyExplore {
			weak = append(weak, "--only-explore")
		}
		if intent.Explores() {
			c.intent, c.withheld = state.Modify, &state.Withheld{Intent: intent}
		}
	}
	if len(weak) == 0 {
		return c, nil
	}
	if c.withheld == nil {
		c.withheld = new(state.Withheld)
	}
	c.withheld.Options = weak
	c.flags, err = codecommand.ParseFlags(slices.DeleteFunc(strings.Fields(strings.Join(words, " ")),
		func(word string) bool { return sameOption(weak, word) }))
	return c, err
}

// sameOption reports whether one of the words sets what a word sets.
func sameOption(words []string, word string) bool {
	one, err := codecommand.ParseFlags([]string{word})
	return err == nil && slices.ContainsFunc(words, func(w string) bool {
		other, err := codecommand.ParseFlags([]string{w})
		return err == nil && one.Same(other)
	})
}

// warnOfWithheld says in the answers and the report what holds instead.
func warnOfWithheld(s *state.State) {
	if s.Withheld == nil {
		return
	}
	if len(s.Withheld.Options) > 0 {
		s.Warn("session.options_held_back", s.Withheld.Options, op.ConfirmDecision, s.ID)
	}
	if s.Withheld.Intent != "" {
		s.Warn("session.intent_held_back", s.Withheld.Intent, s.Intent, op.ConfirmDecision, s.ID)
	}
}

// mayAllow reports whether what was withheld can still be allowed: the tasks are not
// planned yet.
func mayAllow(s *state.State) bool { return s.Withheld != nil && len(s.Tasks) == 0 && s.Branch == nil }

// applyDecisionOnWithheld gives force to what was withheld, once the person has allowed it.
func (t *turn) applyDecisionOnWithheld() error {
	if !mayAllow(t.State) || !t.State.Gate.Optional() {
		return nil
	}
	own, err := t.ownDecision()
	if own == nil || err != nil {
		return err
	}
	if own.Choice == allow {
		flags, err := codecommand.ParseFlags(append(t.State.Flags.Words(), t.State.Withheld.Options...))
		if err != nil {
			return err
		}
		t.State.Flags = flags
		if t.State.Withheld.Intent != "" {
			t.State.Intent = t.State.Withheld.Intent
		}
		t.State.Warn("session.held_back_allowed", own.Channel)
	}
	t.State.Warnings = slices.DeleteFunc(t.State.Warnings, func(w msg.Message) bool {
		return own.Choice == allow && (w.Is("session.options_held_back") || w.Is("session.intent_held_back"))
	})
	t.State.Withheld = nil
	return t.settle(*own)
}

// checkNothingChanged checks the end of a session that was to change nothing against the files.
// It is refused once while some have changed: they may be the model's to take back.
// Whoever submits again has the report name them.
func (t *turn) checkNothingChanged(ctx context.Context) error {
	files, err := t.Unapproved(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	if slices.Contains(t.State.RefusedOnce, string(changes.UnapprovedChanges)) {
		t.State.Warn("session.changed_while_only_looking", refusal.Some(files, 20))
		return nil
	}
	t.refused = string(changes.UnapprovedChanges)
	return problem.New(changes.UnapprovedChanges, "session.changed_while_only_looking", refusal.Some(files, 20)).
		Or("session.if_does_not_take_change").
		Or("session.if_the_users_submit_again")
}

// reportOptions says which options the session had, and who chose them.
func reportOptions(st *state.State) (said msg.Message) {
	words := st.Flags.Words()
	if len(words) == 0 {
		return said
	}
	who := msg.New("session.chosen_by_model")
	if st.Typed {
		who = msg.New("session.chosen_by_typing")
	}
	for _, d := range st.Decisions {
		if d.Phase == state.Options && d.Choice == allow {
			who = msg.New("session.chosen_by_allowing", d.Channel)
		}
	}
	return msg.Join(" ", msg.Literal(strings.Join(words, " ")), who)
}
