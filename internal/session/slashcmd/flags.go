package slashcmd

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/problem"
)

// Codes of flags that cannot be had.
const (
	UnknownFlag       problem.Code = "unknown_flag"
	ContradictoryFlag problem.Code = "contradictory_flags"
)

// A Gate says who decides whether a phase of closer study is walked.
type Gate string

// GateAuto lets answers and evaluation decide; GateFull walks every phase.
const (
	GateAuto Gate = "auto"
	GateFull Gate = "full"
)

// Flags are the option words of a /code line.
type Flags struct {
	Gate           Gate     `json:"gate"`
	NoVerify       bool     `json:"no_verify,omitempty"`
	NoQuality      bool     `json:"no_quality,omitempty"`
	OnlyVerify     bool     `json:"only_verify,omitempty"`
	OnlyExplore    bool     `json:"only_explore,omitempty"`
	Fast           bool     `json:"fast,omitempty"`
	Quick          bool     `json:"quick,omitempty"`
	NoDoc          bool     `json:"no_doc,omitempty"`
	NoIntervention bool     `json:"no_intervention,omitempty"`
	Resume         bool     `json:"resume,omitempty"`
	Clean          bool     `json:"clean,omitempty"`
	Rebuild        bool     `json:"rebuild,omitempty"`
	DocPrompts     []string `json:"doc_prompts,omitempty"` // files of doc_research/, from --doc-research=a,b
}

// An option is one row of the table of option words.
type option struct {
	long  string
	short string                     // empty if there is none
	takes string                     // the form of its value; empty if it takes none
	set   func(*Flags, string) error // value is empty for an option that takes none
}

var options = []option{
	{"--gate", "-g", "full|auto", (*Flags).setGate},
	{"--no-verify", "", "", func(f *Flags, _ string) error { f.NoVerify = true; return nil }},
	{"--no-quality", "", "", func(f *Flags, _ string) error { f.NoQuality = true; return nil }},
	{"--only-verify", "-v", "", func(f *Flags, _ string) error { f.OnlyVerify = true; return nil }},
	{"--only-explore", "-e", "", func(f *Flags, _ string) error { f.OnlyExplore = true; return nil }},
	{"--fast", "-f", "", func(f *Flags, _ string) error { f.Fast = true; return nil }},
	{"--quick", "-q", "", func(f *Flags, _ string) error { f.Quick = true; return nil }},
	{"--no-doc-research", "--no-doc", "", func(f *Flags, _ string) error { f.NoDoc = true; return nil }},
	{"--doc-research", "", "PROMPT[,PROMPT]", (*Flags).setDocPrompts},
	{"--no-intervention", "-ni", "", func(f *Flags, _ string) error { f.NoIntervention = true; return nil }},
	{"--resume", "-r", "", func(f *Flags, _ string) error { f.Resume = true; return nil }},
	{"--clean", "-c", "", func(f *Flags, _ string) error { f.Clean = true; return nil }},
	{"--rebuild", "", "", func(f *Flags, _ string) error { f.Rebuild = true; return nil }},
}

func (f *Flags) setGate(v string) error {
	switch strings.ToLower(v) {
	case "f", "full":
		f.Gate = GateFull
	case "a", "auto":
		f.Gate = GateAuto
	default:
		return problem.New(UnknownFlag, "slashcmd.gate_takes_full_or_auto", v).
			Or("slashcmd.send_gate_full_gate_auto")
	}
	return nil
}

func (f *Flags) setDocPrompts(v string) error {
	for name := range strings.SplitSeq(v, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(f.DocPrompts, name) {
			f.DocPrompts = append(f.DocPrompts, name)
		}
	}
	if len(f.DocPrompts) == 0 {
		return problem.New(UnknownFlag, "slashcmd.doc_research_names_no_prompt").
			Or("slashcmd.send_doc_research_default_leave")
	}
	return nil
}

// ParseFlags reads option words. A word may hold several, separated by white
// space. An unknown or contradictory one is a Problem that lists the valid ones.
func ParseFlags(words []string) (Flags, error) {
	f := Flags{Gate: GateAuto}
	for _, word := range strings.Fields(strings.Join(words, " ")) {
		name, value, valued := strings.Cut(word, "=")
		i := slices.IndexFunc(options, func(o option) bool { return name == o.long || o.short != "" && name == o.short })
		if i < 0 {
			return f, problem.New(UnknownFlag, "slashcmd.no_flag", word).
				Or("slashcmd.valid_flags", validFlags())
		}
		if o := options[i]; valued != (o.takes != "") {
			return f, problem.New(UnknownFlag, "slashcmd.flag_wrong_form", word).
				Or("slashcmd.valid_flags", validFlags())
		}
		if err := options[i].set(&f, value); err != nil {
			return f, err
		}
	}
	return f, f.contradiction()
}

// validFlags lists every option word as it is typed.
func validFlags() string {
	var all []string
	for _, o := range options {
		s := o.long
		if o.short != "" {
			s = o.short + " " + s
		}
		if o.takes != "" {
			s += "=" + o.takes
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// contradiction returns a Problem if two of the flags exclude each other.
func (f Flags) contradiction() error {
	for _, c := range []struct {
		both bool
		a, b string
	}{
		{f.OnlyVerify && f.OnlyExplore, "--only-verify", "--only-explore"},
		{f.OnlyVerify && f.Fast, "--only-verify", "--fast"},
		{f.OnlyVerify && f.Quick, "--only-verify", "--quick"},
		{f.OnlyVerify && f.NoVerify, "--only-verify", "--no-verify"},
		{f.OnlyVerify && f.Resume, "--only-verify", "--resume"},
		{f.Fast && f.Quick, "--fast", "--quick"},
		{f.Gate == GateFull && f.Fast, "--gate=full", "--fast"},
		{f.Gate == GateFull && f.Quick, "--gate=full", "--quick"},
		{f.NoDoc && len(f.DocPrompts) > 0, "--no-doc-research", "--doc-research"},
	} {
		if c.both {
			return problem.New(ContradictoryFlag, "slashcmd.exclude_each_other", c.a, c.b).
				Or("slashcmd.ask_user_which_two_meant")
		}
	}
	return nil
}

func (f Flags) equal(o Flags) bool {
	docs := slices.Equal(slices.Sorted(slices.Values(f.DocPrompts)), slices.Sorted(slices.Values(o.DocPrompts)))
	f.DocPrompts, o.DocPrompts = nil, nil
	return docs && fmt.Sprint(f) == fmt.Sprint(o)
}

// isFlag reports whether a word is one of the option words, in whatever form.
func isFlag(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.ContainsFunc(options, func(o option) bool { return name == o.long || o.short != "" && name == o.short })
}
