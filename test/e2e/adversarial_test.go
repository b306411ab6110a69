package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// An attack is an agent that is honest up to one phase, lies there once, and is caught
// by one rule. Everything else about the lie is correct: without the rule it gets
// through, which mutate_test.go shows.
type attack struct {
	technique string                                       // in a few words; names the test and a line of docs/design/attacks.md
	rule      string                                       // the rule that stops it, as testdata/mutations.txtar names it
	work      func() work                                  // nil: discount
	lay       func(testing.TB, map[string]string) *fixture // how the project is laid out; nil: newFixture
	habits                                                 // of the agent, but for the lie
	before    func(*agent)                                 // before the session begins; may be nil
	at        string                                       // the phase of the lie
	prepare   func(*agent)                                 // before the honest deeds of that phase; may be nil
	idle      bool                                         // nothing honest is done in that phase
	lie       func(*agent, object) any                     // given the honest payload: the payload to send instead, or the reply to another call
	judge     verdict                                      // the required result
}

// A verdict is the required result of a lie.
type verdict struct {
	how   string                       // in a few words, for docs/design/attacks.md
	wrong func(*agent, reply) []string // says what is wrong with the reply; nothing if the attack was stopped
}

// attacks is every dishonest agent.
var attacks = slices.Concat(toolAttacks, claimAttacks, gateAttacks, taskAttacks, finishAttacks, stateAttacks, hiddenAttacks, evidenceAttacks, droppedAttacks, baseTestAttacks,
	verifierAttacks, optionAttacks, requestAttacks, eventAttacks, textAttacks, playedAttacks)

// TestAttacks plays each of them. None reaches the base branch or completion.
func TestAttacks(t *testing.T) {
	for _, c := range tier.Sample(attacks, 12) {
		t.Run(strings.ReplaceAll(c.technique, " ", "_"), func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

func (c attack) play(t *testing.T) {
	task := c.work
	if task == nil {
		task = discount
	}
	w := task()
	lay := c.lay
	if lay == nil {
		lay = newFixture
	}
	a := newAgent(lay(t, w.files), w)
	a.habits = c.habits
	if c.before != nil {
		c.before(a)
	}
	a.start()
	a.play(c.at)
	if a.at() != c.at {
		t.Fatalf("the session never came to %q: %v", c.at, a.trail)
	}
	if c.prepare != nil {
		c.prepare(a)
	}
	honest := object{}
	if !c.idle {
		honest = a.deed()
	}
	said := c.lie(a, honest)
	r, ok := said.(reply)
	if !ok {
		r = a.submit(said.(object))
	}
	for _, wrong := range c.judge.wrong(a, r) {
		t.Error(wrong)
	}
	if wrong := a.unmerged(); len(wrong) > 0 {
		t.Errorf("after the lie: %s", strings.Join(wrong, "; "))
	}
}

// refused is the verdict on most lies: a refusal with the code, which names the
// honest way, and which changes nothing.
func refused(code, way string) verdict {
	return verdict{"refused: `" + code + "`", func(a *agent, r reply) (wrong []string) {
		if !r.Refused {
			return []string{fmt.Sprintf("it got through, to %s: %s", r.Str("phase"), r.Text)}
		}
		if r.Code() != code {
			wrong = append(wrong, fmt.Sprintf("refused with %q, want %q: %s", r.Code(), code, r.Text))
		}
		if next := strings.Join(r.List("legal_next"), "\n"); !strings.Contains(next, way) {
			wrong = append(wrong, fmt.Sprintf("the refusal does not name the honest way, %q: %s", way, r.Text))
		}
		now := a.Call(nil, "get_session_status", object{})
		if now.Str("phase") != a.answer.Str("phase") || now.Str("ready_step") != a.answer.Str("ready_step") {
			wrong = append(wrong, fmt.Sprintf("the refusal has moved the session from %s to %s %s", a.at(), now.Str("phase"), now.Str("ready_step")))
		}
		return wrong
	}}
}

// overridden is the verdict on a gate that is closed without need: the phase is
// entered anyway, and the answer says why.
func overridden(phase, why string) verdict {
	return verdict{"overridden: " + phase + " is walked anyway", func(_ *agent, r reply) (wrong []string) {
		if r.Refused || r.Str("phase") != phase || r.Answer["overridden"] != true {
			return []string{fmt.Sprintf("it got through, to %s: %s", r.Str("phase"), r.Text)}
		}
		if !strings.Contains(r.Str("reason"), why) {
			wrong = append(wrong, fmt.Sprintf("the reason is %q, want %q", r.Str("reason"), why))
		}
		return wrong
	}}
}

// notAllowed is the verdict on asking to write what may not be written: no, with the code of a refusal.
func notAllowed(code, way string) verdict {
	return verdict{"refused: `" + code + "`, by `check_write_target`", func(_ *agent, r reply) []string {
		if r.Refused || r.Answer["allowed"] != false || !strings.Contains(r.Text, way) || !strings.Contains(r.Text, ": not allowed: "+code+": ") {
			return []string{fmt.Sprintf("it may be written, or the honest way, %q, or the code %q is not named: %s", way, code, r.Text)}
		}
		return nil
	}}
}

// flagged returns the work with flags.
func flagged(flags ...string) func() work {
	return func() work {
		w := discount()
		w.flags = flags
		return w
	}
}
