package request

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
)

// Flags are the option words of a /forge line, and the branch it was typed on.
type Flags struct {
	Auto           bool    `json:"auto"`
	SkipPR         bool    `json:"skip_pr"`
	Debug          bool    `json:"debug"`
	Discuss        bool    `json:"discuss"`
	EffortOverride *string `json:"effort_override"`  // XS, S, M or L; nil to detect it
	CurrentBranch  string  `json:"current_branch"`   // the caller's to fill in
	Until          string  `json:"until,omitempty"`  // the phase to stop after
	Budget         string  `json:"budget,omitempty"` // as it was typed; [ParseBudget] reads it
}

// UnmarshalJSON reads flags of which some may be missing.
func (f *Flags) UnmarshalJSON(data []byte) error {
	type plain Flags
	*f = Flags{}
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	if f.EffortOverride != nil && *f.EffortOverride == "" {
		f.EffortOverride = nil
	}
	return nil
}

// A flag is one row of the table of option words.
type flag struct {
	name string
	set  func(*Flags)              // of a flag without a value
	take func(*flagReader, string) // of a flag with one
}

var flags = []flag{
	{name: "--auto", set: func(f *Flags) { f.Auto = true }},
	{name: "--nopr", set: func(f *Flags) { f.SkipPR = true }},
	{name: "--debug", set: func(f *Flags) { f.Debug = true }},
	{name: "--discuss", set: func(f *Flags) { f.Discuss = true }},
	{name: "--effort", take: (*flagReader).effort},
	{name: "--size", take: (*flagReader).effort},
	{name: "--until", take: (*flagReader).readUntil},
	{name: "--budget", take: (*flagReader).budget},
}

func flagNames() []string {
	var names []string
	for _, f := range flags {
		names = append(names, f.name)
	}
	return names
}

// A flagReader reads the flags before and behind a text.
type flagReader struct {
	flags  *Flags
	phases []string
	errs   []msg.Message
}

// maxErrors is how many wrong flags are told at once.
const maxErrors = 10

// endOfFlags is the word behind which no word is a flag.
const endOfFlags = "--"

// read takes the flags at the start and the end of s and returns what is left.
// Inside the text a flag is a word like any other, and so it is behind the word
// "--", which goes with the flags it ends.
func (r *flagReader) read(s string) string {
	for s != "" {
		word, rest := firstWord(s)
		if word == endOfFlags {
			return rest
		}
		if !flagLike(word) {
			break
		}
		value := ""
		if wantsValue(word) {
			if next, behind := firstWord(rest); next != endOfFlags && !flagLike(next) {
				value, rest = next, behind
			}
		}
		r.flag(word, value)
		s = rest
	}
	if head, word := lastWord(s); word == endOfFlags {
		s = head
	}
	if slices.Contains(strings.Fields(s), endOfFlags) {
		return s
	}
	return r.trailing(s)
}

// quotedLine begins a line that nobody typed: a quotation, a command behind its prompt, a line of a log.
var quotedLine = lazyregexp.MustCompile(`^\s*(?:>|[$❯] |\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d))`)

// notTyped says that the last word of s belongs to a line below others that nobody typed,
// or closes a quotation or bracket. A flag there is part of the text.
func notTyped(s string) bool {
	_, word := lastWord(s)
	for _, pair := range []string{`""`, "``", "''", "()", "“”", "‘’", "「」", "『』", "（）"} {
		opening, closing := pair[:len(pair)/2], pair[len(pair)/2:]
		if head, ok := strings.CutSuffix(word, closing); ok && !strings.Contains(head, opening) {
			return true
		}
	}
	above := strings.LastIndexByte(s, '\n')
	return above >= 0 && quotedLine.MatchString(s[above+1:])
}

// trailing takes the flags at the end of s. A word that resembles none of them is text where
// it ends a line of other words below the first line: such lines are pasted.
func (r *flagReader) trailing(s string) string {
	var found [][2]string
	for s != "" && !notTyped(s) {
		head, word := lastWord(s)
		if flagLike(word) && !(foreign(word) && pasted(s)) {
			found = append(found, [2]string{word, ""})
			s = head
			continue
		}
		head, before := lastWord(head)
		if !wantsValue(before) {
			break
		}
		found = append(found, [2]string{before, word})
		s = head
	}
	for _, f := range slices.Backward(found) {
		r.flag(f[0], f[1])
	}
	return s
}

// pasted reports whether the last line of s has others above it and begins with a word that is
// no flag.
func pasted(s string) bool {
	above := strings.LastIndexByte(s, '\n')
	first, _ := firstWord(s[above+1:])
	return above >= 0 && !flagLike(first)
}

// foreign reports whether a word that looks like a flag is none, nor one with a slip.
func foreign(word string) bool {
	name, _, _ := strings.Cut(plainWord(word), "=")
	return edits(name, nearest(name, flagNames())) > 2
}

// plainWord returns word as it is typed on a plain keyboard: an editor may have made
// a dash of two hyphens, an input method may have made them wide.
func plainWord(word string) string {
	word = norm.NFKC.String(word)
	for _, dash := range []string{"—", "–", "――", "ーー"} {
		if rest, ok := strings.CutPrefix(word, dash); ok {
			return "--" + rest
		}
	}
	return word
}

// lookup returns the row of a flag, and the value behind its "=".
func lookup(word string) (f flag, value string, valued, ok bool) {
	name, value, valued := strings.Cut(plainWord(word), "=")
	i := slices.IndexFunc(flags, func(f flag) bool { return strings.EqualFold(f.name, name) })
	if i < 0 {
		return flag{}, "", false, false
	}
	return flags[i], value, valued, true
}

// flagLike says that a word is meant as a flag, if it is where flags stand.
func flagLike(word string) bool {
	if _, _, _, ok := lookup(word); ok {
		return true
	}
	if rest, ok := strings.CutPrefix(word, "--"); ok {
		first, _ := utf8.DecodeRuneInString(rest)
		return unicode.IsLetter(first)
	}
	_, _, _, ok := lookup("-" + word) // -auto
	return ok && strings.HasPrefix(word, "-")
}

// wantsValue says that the value of a flag is the next word.
func wantsValue(word string) bool {
	f, _, valued, ok := lookup(word)
	return ok && f.take != nil && !valued
}

// flag notes one flag; value is the word behind it, if it takes one.
func (r *flagReader) flag(word, value string) {
	f, given, valued, ok := lookup(word)
	if valued {
		value = given
	}
	switch {
	case len(r.errs) >= maxErrors:
	case !ok:
		name, _, _ := strings.Cut(word, "=")
		r.refuse("request.unknown_flag_near_another", name, nearest(name, flagNames()))
	case f.set != nil && valued:
		r.refuse("request.takes_no_value", f.name)
	case f.set != nil:
		f.set(r.flags)
	default:
		f.take(r, value)
	}
}

func (r *flagReader) refuse(key string, args ...any) {
	r.errs = append(r.errs, msg.New(key, args...))
}

func (r *flagReader) effort(value string) {
	effort, err := ParseEffort(value)
	switch s := string(effort); {
	case value == "":
		r.refuse("request.effort_needs_value_m_l")
	case err != nil:
		r.refuse("request.effort_not_valid", err)
	case r.flags.EffortOverride != nil && *r.flags.EffortOverride != s:
		r.refuse("request.effort_given_twice", *r.flags.EffortOverride, s)
	default:
		r.flags.EffortOverride = &s
	}
}

func (r *flagReader) readUntil(value string) {
	name := strings.ToLower(norm.NFKC.String(value))
	switch {
	case value == "":
		r.refuse("request.until_needs_phase_one", strings.Join(r.phases, ", "))
	case len(r.phases) == 0:
		r.refuse("request.until_no_phase", value)
	case !slices.Contains(r.phases, name):
		r.refuse("request.until_no_phase_nearest", value, nearest(name, r.phases))
	case r.flags.Until != "" && r.flags.Until != name:
		r.refuse("request.until_given_twice", r.flags.Until, name)
	default:
		r.flags.Until = name
	}
}

func (r *flagReader) budget(value string) {
	switch _, err := ParseBudget(value); {
	case value == "":
		r.refuse("request.budget_needs_value")
	case err != nil:
		r.errs = append(r.errs, msg.Join("", err))
	case r.flags.Budget != "" && r.flags.Budget != value:
		r.refuse("request.budget_given_twice", r.flags.Budget, value)
	default:
		r.flags.Budget = value
	}
}
