// Package approval lists the channels through which a person's decision can reach the server, and how far
// each can be trusted. The setting human_gate names the least trusted channel that a project accepts;
// sessions and pipelines check decisions against it here.
package approval

import (
	"slices"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// Codes of decisions that are a person's.
const (
	HumanGate  problem.Code = "human_gate"  // the person has not decided, or not by a channel that counts here
	GateClosed problem.Code = "gate_closed" // nothing is to be decided, or not this any more
)

// A Channel is the way by which a person's decision came.
type Channel string

// The channels, the weakest first.
const (
	Relayed   Channel = "relayed"   // the model says what the person said
	Dashboard Channel = "dashboard" // the page of code-intel dashboard
	Terminal  Channel = "terminal"  // code-intel approve
	Elicited  Channel = "elicited"  // the server asked through the client
	// Confirmed is a call of the model's, of confirm_decision, that the client put
	// before the person, as no hook and no setting can keep it from doing.
	Confirmed Channel = "confirmed"
)

var channels = []Channel{Relayed, Dashboard, Terminal, Elicited, Confirmed}

// Known reports whether c is one of the channels.
func (c Channel) Known() bool { return slices.Contains(channels, c) }

// Reaches reports whether c is at least as strong as another channel. What is no
// channel reaches none, and is reached by all.
func (c Channel) Reaches(other Channel) bool {
	return slices.Index(channels, c) >= max(slices.Index(channels, other), 0)
}

// Demand is the weakest channel that counts: what the configuration says now or said
// when the work began, whichever is stronger. A configuration that is weakened
// meanwhile weakens nothing.
func Demand(began, now Channel) Channel {
	switch {
	case began.Known() && began.Reaches(now):
		return began
	case now.Known():
		return now
	}
	return Relayed
}

// Takes returns a Problem if a decision by c does not count where demand is wanted;
// way is what the person can do instead.
func Takes(demand, c Channel, way msg.Message) error {
	if c.Reaches(demand) {
		return nil
	}
	return problem.New(HumanGate, "approval.project_human_gate_config_json", c, demand).OrSay(way)
}
