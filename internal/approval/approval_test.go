package approval

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

func TestReaches(t *testing.T) {
	for i, c := range channels {
		for j, other := range channels {
			if got := c.Reaches(other); got != (i >= j) {
				t.Errorf("%s reaches %s: %v", c, other, got)
			}
		}
		for _, other := range []Channel{"", "auto", "Terminal"} {
			if !c.Reaches(other) || other.Reaches(c) || other.Known() {
				t.Errorf("%q counts beside %s", other, c)
			}
		}
	}
}

// TestDemand wants a demand that was lowered under the work to hold still, and one
// that was raised to hold at once.
func TestDemand(t *testing.T) {
	for _, c := range []struct{ began, now, want Channel }{
		{Terminal, Relayed, Terminal}, {Relayed, Elicited, Elicited}, {Confirmed, Confirmed, Confirmed},
		{"", Relayed, Relayed}, {"", Terminal, Terminal}, {Terminal, "", Terminal}, {"", "", Relayed}, {"any", "none", Relayed},
	} {
		if got := Demand(c.began, c.now); got != c.want {
			t.Errorf("began with %q, now %q: %q, want %q", c.began, c.now, got, c.want)
		}
	}
}

func TestTakes(t *testing.T) {
	for _, demand := range channels {
		for _, c := range slices.Concat(channels, []Channel{"command_line"}) {
			err := Takes(demand, c, msg.Literal("Go there."))
			if c.Reaches(demand) {
				if err != nil {
					t.Errorf("%s where %s is wanted: %v", c, demand, err)
				}
				continue
			}
			p := problem.Of(err)
			if p == nil || p.Code != HumanGate || !slices.Equal(msg.Texts(p.Next), []string{"Go there."}) ||
				!strings.Contains(p.Message.String(), " by "+string(c)+", only by "+string(demand)+" ") {
				t.Errorf("%s where %s is wanted: %v", c, demand, err)
			}
		}
	}
}
