package codecommand

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/problem"
)

// Codes of flags that are refused.
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

// An commandOption is one row of the table of option words.
type commandOption struct {
	long  string
	short string                     // empty if there is none
	takes string                     // the form of its value; empty if it takes none
	does  effect                     // what it does to what a session checks
	set   func(*Flags, string) error // value is empty for an option that takes none
}

// An effect says what an option does to what a session checks. Zero is none: each
// option says which it is.
type effect int

const (
	_       effect = iota
	neutral        // what is merged is checked as without it
	weakens        // a check of what is merged is left out: the person's to choose
)

var options = []commandOption{
	{"--gate", "-g", "full|auto", neutral, (*Flags).setGate},
	{"--no-verify", "", "", weakens, func(f *Flags, _ string) error { f.NoVerify = true; return nil }},
	{"--no-quality", "", "", weakens, func(f *Flags, _ string) error { f.NoQuality = true; return nil }},
	{"--only-verify", "-v", "", neutral, func(f *Flags, _ string) error { f.OnlyVerify = true; return nil }},
	{"--only-explore", "-e", "", neutral, func(f *Flags, _ string) error { f.OnlyExplore = true; return nil }},
	{"--fast", "-f", "", weakens, func(f *Flags, _ string) error { f.Fast = true; return nil }},
	{"--quick", "-q", "", weakens, func(f *Flags, _ string) error { f.Quick = true; return nil }},
	{"--no-doc-research", "--no-doc", "", neutral, func(f *Flags, _ string) error { f.NoDoc = true; return nil }},
	{"--doc-research", "", "PROMPT[,PROMPT]", neutral, (*Flags).setDocPrompts},
	{"--no-intervention", "-ni", "", neutral, func(f *Flags, _ string) error { f.NoIntervention = true; return nil }},
	{"--resume", "-r", "", neutral, func(f *Flags, _ string) error { f.Resume = true; return nil }},
	{"--clean", "-c", "", neutral, func(f *Flags, _ string) error { f.Clean = true; return nil }},
	{"--rebuild", "", "", neutral, func(f *Flags, _ string) error { f.Rebuild = true; return nil }},
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
		i := slices.IndexFunc(options, func(o commandOption) bool { return name == o.long || o.short != "" && name == o.short })
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

// Weakening returns those of the option words that leave a check out, as they were
// sent, and the others. Words that [ParseFlags] refuses are among the others.
func Weakening(words []string) (weak, others []string) {
	for _, word := range strings.Fields(strings.Join(words, " ")) {
		name, _, _ := strings.Cut(word, "=")
		if slices.ContainsFunc(options, func(o commandOption) bool { return o.does == weakens && (name == o.long || name == o.short) }) {
			weak = append(weak, word)
		} else {
			others = append(others, word)
		}
	}
	return weak, others
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

// Words returns the option words that give these flags, in their long form. Those
// that only repeat what holds anyway are left out.
func (f Flags) Words() (words []string) {
	for _, o := range options {
		switch {
		case o.long == "--gate":
			if f.Gate == GateFull {
				words = append(words, "--gate=full")
			}
		case o.long == "--doc-research":
			if len(f.DocPrompts) > 0 {
				words = append(words, "--doc-research="+strings.Join(f.DocPrompts, ","))
			}
		default:
			with := f
			if o.set(&with, "") == nil && with.Same(f) {
				words = append(words, o.long)
			}
		}
	}
	return words
}

// Same reports whether both are the same options.
func (f Flags) Same(o Flags) bool {
	docs := slices.Equal(slices.Sorted(slices.Values(f.DocPrompts)), slices.Sorted(slices.Values(o.DocPrompts)))
	f.DocPrompts, o.DocPrompts = nil, nil
	return docs && fmt.Sprint(f) == fmt.Sprint(o)
}

// isFlag reports whether a word is one of the option words, in whatever form.
func isFlag(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.ContainsFunc(options, func(o commandOption) bool { return name == o.long || o.short != "" && name == o.short })
}
