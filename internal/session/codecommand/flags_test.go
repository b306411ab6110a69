package codecommand

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/problem"
)

// TestEffects wants each option to say whether it leaves a check out, so that no new
// one is open to a model by oversight.
func TestEffects(t *testing.T) {
	for _, o := range options {
		if o.does != neutral && o.does != weakens {
			t.Errorf("%s does not say what it does to what is checked", o.long)
		}
	}
	weak, others := Weakening([]string{"-f --gate=full", "--no-verify", "-e", "--moon"})
	if diff := cmp.Diff([][]string{{"-f", "--no-verify"}, {"--gate=full", "-e", "--moon"}}, [][]string{weak, others}); diff != "" {
		t.Errorf("Weakening (-want +got):\n%s", diff)
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		words string
		want  Flags
		code  problem.Code
	}{
		{"", Flags{Gate: GateAuto}, ""},
		{"-g=full", Flags{Gate: GateFull}, ""},
		{"--gate=f --no-quality", Flags{Gate: GateFull, NoQuality: true}, ""},
		{"-f", Flags{Gate: GateAuto, Fast: true}, ""},
		{"-q -ni --no-doc", Flags{Gate: GateAuto, Quick: true, NoIntervention: true, NoDoc: true}, ""},
		{"--doc-research=a,b", Flags{Gate: GateAuto, DocPrompts: []string{"a", "b"}}, ""},
		{"--fast --quick", Flags{}, ContradictoryFlag},
		{"-v -e", Flags{}, ContradictoryFlag},
		{"-v --no-verify", Flags{}, ContradictoryFlag},
		{"-v -r", Flags{}, ContradictoryFlag},
		{"--gate=full -f", Flags{}, ContradictoryFlag},
		{"-g=full -q", Flags{}, ContradictoryFlag},
		{"--no-doc --doc-research=a", Flags{}, ContradictoryFlag},
		{"--moon", Flags{}, UnknownFlag},
		{"-g", Flags{}, UnknownFlag},
		{"-g=high", Flags{}, UnknownFlag},
		{"--fast=yes", Flags{}, UnknownFlag},
		{"--doc-research=", Flags{}, UnknownFlag},
		{"add a login", Flags{}, UnknownFlag},
	} {
		got, err := ParseFlags([]string{tt.words})
		if tt.code != "" {
			if p := problem.Of(err); p == nil || p.Code != tt.code || len(p.Next) == 0 {
				t.Errorf("ParseFlags(%q) = %v, want %s with a way out", tt.words, err, tt.code)
			}
			continue
		}
		if err != nil {
			t.Errorf("ParseFlags(%q): %v", tt.words, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("ParseFlags(%q) (-want +got):\n%s", tt.words, diff)
		}
	}
}
