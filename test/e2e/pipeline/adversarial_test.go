package pipeline

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// An attack is an orchestrator that is honest up to one action, lies there once, and is
// caught by one rule. Afterwards it is honest again and reaches the end: a lie leaves
// nothing behind that blocks the pipeline.
type attack struct {
	technique string // in a few words; names the test and a line of docs/design/attacks.md
	rule      string // the rule that stops it
	flags     string // "": --nopr
	effort    string // "": S
	source    string // "": a text
	config    string // of the project; "": none
	habits    habits
	at        string                    // the action at which it lies, as [line] has it
	before    func(*orchestrator)       // what is there before the pipeline begins; may be nil
	prepare   func(*orchestrator)       // what is honest before the lie; may be nil
	lie       func(*orchestrator) reply // returns what the server said to it
	judge     verdict                   // the required result
}

// A verdict is the required result of a lie.
type verdict struct {
	how   string                                             // in a few words, for docs/design/attacks.md
	wrong func(o *orchestrator, r reply, was stood) []string // says what is wrong; nothing if the attack was stopped
	over  bool                                               // the pipeline has ended because of it
}

// stood is how the pipeline stood before the lie.
type stood struct {
	stands string
	at     string
}

// lies leaves out what an attacker does once they are honest again: a run that only asks
// which lies get through need not play it.
var lies = flag.Bool("lies", false, "judge the lies alone, and not that their tellers reach the end")

// attacks is every dishonest orchestrator.
var attacks = slices.Concat(reportAttacks, answerAttacks, personAttacks, artifactAttacks, reviewAttacks, taskAttacks, execAttacks, besidesAttacks, stateAttacks,
	unsaidAttacks)

// TestAttacks plays each of them. None gets a step further.
func TestAttacks(t *testing.T) {
	for _, c := range tier.Sample(attacks, 30) {
		t.Run(strings.ReplaceAll(c.technique, " ", "_"), func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

func (c attack) play(t *testing.T) {
	if c.flags == "" {
		c.flags = "--nopr"
	}
	if c.effort == "" {
		c.effort = "S"
	}
	files := maps.Clone(repository)
	if c.config != "" {
		files[configuration] = c.config
	}
	o := &orchestrator{fixture: newFixture(t, files), habits: c.habits}
	if c.before != nil {
		c.before(o)
	}
	o.begin(c.flags+" "+cmp.Or(c.source, request), c.effort)
	o.play(c.at)
	if c.prepare != nil {
		c.prepare(o)
	}
	was := stood{o.snapshot(), o.at()}
	r := c.lie(o)
	for _, wrong := range c.judge.wrong(o, r, was) {
		t.Error(wrong)
	}
	if t.Failed() || c.judge.over || *lies {
		return
	}
	o.took(o.next(object{}))
	o.play("")
	o.whole()
	if s := o.state(); s.Status != "completed" {
		t.Errorf("honest again, it ended as %q: %v", s.Status, o.trail)
	}
}

// held reports what of the pipeline has changed.
func (o *orchestrator) held(was stood, r reply) (wrong []string) {
	if now := o.snapshot(); now != was.stands {
		wrong = append(wrong, fmt.Sprintf("it got on by the lie, from\n%s\nto\n%s\nby %s", was.stands, now, r.Raw))
	}
	return wrong
}

// names says whether an answer names the honest way.
func names(r reply, way string) []string {
	if !strings.Contains(r.Raw, way) {
		return []string{fmt.Sprintf("the honest way, %q, is not named: %s", way, r.Raw)}
	}
	return nil
}

// refused is the verdict on a call that cannot be made now.
func refused(code, way string) verdict {
	return verdict{how: "refused: `" + code + "`", wrong: func(o *orchestrator, r reply, was stood) []string {
		if !r.Refused || r.Str("error") != code {
			return []string{fmt.Sprintf("want a refusal, %s: %s", code, r.Raw)}
		}
		return append(o.held(was, r), names(reply{Raw: strings.Join(r.List("legal_next"), "\n")}, way)...)
	}}
}

// ignored is the verdict on what is neither a report nor an answer: a warning says so,
// and the same action stays outstanding.
func ignored(way string) verdict {
	return verdict{how: "ignored, with a warning", wrong: func(o *orchestrator, r reply, was stood) (wrong []string) {
		if now := line(r.Answer); r.Refused || now != was.at {
			wrong = append(wrong, fmt.Sprintf("%s is outstanding, it was %s: %s", now, was.at, r.Raw))
		}
		return slices.Concat(wrong, o.held(was, r), names(reply{Raw: r.Str("warning")}, way))
	}}
}

// notTaken is the verdict on a report that is not accepted: nothing is recorded, and the
// action is handed out again, with what to fix.
func notTaken(way string) verdict {
	return verdict{how: "not accepted; the same action again, with what to fix", wrong: func(o *orchestrator, r reply, was stood) (wrong []string) {
		got, _ := r.Answer["report_result"].(object)
		if r.Refused || got == nil || got["state_updated"] != false || got["next_action_hint"] != "revision_required" {
			wrong = append(wrong, "the report was taken: "+r.Raw)
		}
		if now := line(r.Answer); now != was.at {
			wrong = append(wrong, fmt.Sprintf("%s is outstanding, it was %s", now, was.at))
		}
		said, _ := got["warning"].(string)
		return slices.Concat(wrong, o.held(was, r), names(reply{Raw: said + fmt.Sprint(got["findings"])}, way))
	}}
}

// sentBack is the verdict on a lie that leads back to an earlier action, where the work
// is done or checked again.
func sentBack(to, way string) verdict {
	return verdict{how: "sent back to " + to, wrong: func(_ *orchestrator, r reply, _ stood) (wrong []string) {
		if now := line(r.Answer); r.Refused || now != to {
			wrong = append(wrong, fmt.Sprintf("it came to %s, want %s: %s", now, to, r.Raw))
		}
		return append(wrong, names(r, way)...)
	}}
}

// asked is the verdict on what only a person may allow.
func asked(desk, way string) verdict {
	return verdict{how: "a person is asked: " + desk, wrong: func(_ *orchestrator, r reply, _ stood) (wrong []string) {
		if r.Refused || r.Str("type") != "checkpoint" || r.Str("name") != desk {
			wrong = append(wrong, fmt.Sprintf("want the checkpoint %s: %s", desk, r.Raw))
		}
		return append(wrong, names(r, way)...)
	}}
}

// putting returns a lie that writes a text into the output file and says done.
func putting(text string) func(*orchestrator) reply {
	return func(o *orchestrator) reply {
		o.Write(o.file(o.outputs()[0]), text)
		return o.next(o.done())
	}
}
