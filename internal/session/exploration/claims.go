package exploration

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/evidence"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/vaguetext"
	"codeintel/internal/text"
)

// CheckSymbols refuses symbols that no tool has shown and the code does not define.
func (r Record) CheckSymbols(ctx context.Context, claimed, shown []string) error {
	if r.Code.Defined == nil || r.Project.IsEmpty() {
		return nil
	}
	var unknown []string
	for _, symbol := range claimed {
		if Exists(r.Project, symbol) == nil || slices.ContainsFunc(shown,
			func(s string) bool { return Names(symbol, s) || Names(s, symbol) }) {
			continue
		}
		name := strings.TrimSpace(symbolName.FindString(symbol))
		files, err := r.Code.Defined(ctx, name)
		if err != nil {
			return err
		}
		if len(files) == 0 && name != symbol {
			if files, err = r.Code.Defined(ctx, symbol); err != nil {
				return err
			}
		}
		if len(files) == 0 {
			unknown = append(unknown, symbol)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return problem.New(refusal.ValidationFailed, "session.symbols_are_not_defined", refusal.Some(unknown, 10)).
		Or("session.name_symbols_that_are_there")
}

// symbolName finds the name at the beginning of how a symbol is written: "Cart.total"
// of "Cart.total(tax=0) in shop/cart.py".
var symbolName = lazyregexp.MustCompile(`^[\pL\pN_.:#$@]+`)

// CheckPlaces refuses claims about lines that are not there, in files that no tool has
// shown, and those that name what the file does not hold.
func (r Record) CheckPlaces(field string, claims []string) error {
	explored, err := r.Explored()
	if err != nil {
		return err
	}
	var unseen []string
	for _, f := range claims {
		for _, ref := range Places(r.Project, f) {
			if err := Place(r.Project, field, ref); err != nil {
				return err
			}
			file, _, _ := strings.Cut(ref, ":")
			if rel, err := r.Project.Resolve(ref[:strings.LastIndex(ref, ":")]); err == nil {
				file = rel
			}
			if !explored[file] {
				unseen = append(unseen, file)
				continue
			}
			if name := namesOther(r.Project, f, ref, file); name != "" {
				return problem.New(refusal.ValidationFailed, "session.finding_names_what_is_not_there", f, name, file).
					Or("session.say_each_finding_with_its_place")
			}
		}
	}
	if unseen = text.Distinct(unseen); len(unseen) == 0 {
		return nil
	}
	return notShown(field, unseen).Or("session.take_them_out", field)
}

// codeWord finds what is written as code in running text: calls, and names in snake
// case or in camel case.
var codeWord = lazyregexp.MustCompile(`\b[A-Za-z_][A-Za-z0-9_]*(?:\(\)|\()|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z][A-Za-z0-9]*\b`)

// namesOther returns a name of a finding, if it has names of code and the file that it
// cites holds none of them.
func namesOther(p *project.Project, finding, ref, file string) string {
	data, err := repofile.In(p.Root, file).Read(repofile.Records)
	if err != nil {
		return ""
	}
	text, other := string(data), ""
	for _, name := range codeWord.FindAllString(strings.ReplaceAll(finding, ref, " "), -1) {
		name = strings.TrimRight(name, "()")
		if strings.Contains(text, name) || strings.Contains(file, name) {
			return ""
		}
		other = name
	}
	return other
}

// CheckVerdicts refuses verdicts that leave out a hypothesis that was registered.
func (r Record) CheckVerdicts(given []state.Verdict) error {
	var open []string
	for _, h := range r.State.Hypotheses {
		if !slices.ContainsFunc(slices.Concat(r.State.Verified, given),
			func(v state.Verdict) bool { return vaguetext.Plain(v.Hypothesis) == vaguetext.Plain(h) }) {
			open = append(open, h)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return problem.New(refusal.ValidationFailed, "session.hypothesis_without_verdict", refusal.Quoted(open)).
		Or("session.give_each_hypothesis_a_verdict")
}

// oneReason is how many files may share a reason that names no target.
const oneReason = 2

// CheckImpact refuses answers for files that no tool has shown, of which those that must be
// verified cannot be left out. It also refuses a reason that
// is given for many files unless it names a target of the request: what is true of every file
// that uses a type may be said once, but not what could be said of any file.
func (r Record) CheckImpact(answers []state.FileImpact, must []string) error {
	var targets []string
	if r.State.Frame != nil {
		targets = r.State.Frame.TargetSymbols
	}
	var files []string
	reasons := make(map[string]int)
	for _, a := range answers {
		if a.Status == "will_modify" || strings.ContainsAny(a.File, "*?[") || Exists(r.Project, a.File) != nil {
			continue
		}
		files = append(files, a.File)
		specific := slices.ContainsFunc(targets, func(symbol string) bool { return Names(a.Reason, symbol) })
		if reasons[vaguetext.Plain(a.Reason)]++; reasons[vaguetext.Plain(a.Reason)] > oneReason && !specific {
			return problem.New(refusal.ValidationFailed, "session.one_reason_for_many_files", a.Reason, a.File).
				Or("session.say_why_needs_no_change", a.File)
		}
	}
	unseen, err := r.notShown(files)
	if err != nil || len(unseen) == 0 {
		return err
	}
	p := notShown("impact_summary", unseen)
	if len(text.Intersect(unseen, must)) == 0 {
		p = p.Or("session.take_them_out", "impact_summary")
	}
	return p
}

// Exists returns a Problem unless the path is a file of the project.
func Exists(p *project.Project, file string) error {
	rel, err := p.Resolve(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(p.Abs(rel))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), err == nil && info.IsDir():
		return problem.New(problem.NotFound, "session.no_file_project", file).
			Or("session.give_path_from_root_project")
	}
	return err
}

// Place returns a Problem unless the reference "file:line" names lines that are
// there.
func Place(p *project.Project, field, ref string) error {
	refs, err := evidence.Parse(ref)
	if err == nil {
		err = evidence.Places(p, refs)
	}
	if wrong := problem.Of(err); wrong != nil {
		return problem.With(wrong.Code, msg.Join(": ", field, wrong.Message), wrong.Next...)
	}
	return err
}

// placeWord finds "file:line" and "file:line-line" in running text.
var placeWord = lazyregexp.MustCompile(`[\pL\pN_./@+\[\]-]*[\pL\pN_/\]]+(?:\.[\pL\pN_]+)*:\d+(?:-\d+)?`)

// Places returns the references to lines that a text holds. Times of day and
// addresses on the network look alike, and are none.
func Places(p *project.Project, text string) (refs []string) {
	for _, at := range placeWord.FindAllStringIndex(text, -1) {
		ref := text[at[0]:at[1]]
		file, lines, _ := strings.Cut(ref, ":")
		if strings.HasPrefix(ref, "//") || !strings.ContainsFunc(file, unicode.IsLetter) {
			continue
		}
		if Exists(p, file) != nil {
			if whole := fileBefore(p, text[:at[0]+len(file)]); whole != "" {
				ref = whole + ":" + lines
			}
		}
		refs = append(refs, ref)
	}
	return refs
}

// fileBefore returns the longest file of the project whose name a text ends with,
// or "". Names may hold blanks, and Japanese puts none before them.
func fileBefore(p *project.Project, text string) string {
	const longest = 200
	if len(text) > longest {
		text = strings.ToValidUTF8(text[len(text)-longest:], "")
	}
	inWord := false // the character before belongs to the name
	for i, c := range text {
		if !inWord && Exists(p, text[i:]) == nil {
			return text[i:]
		}
		inWord = c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_-./", c))
	}
	return ""
}

// Names reports whether an entry point speaks of a symbol: it is its name, or holds
// it as a word ("pay() -> Cart.total", "shop/checkout.py: total"). Japanese and Chinese do not
// separate words, so a name in them is tied to any text that holds it.
func Names(entry, symbol string) bool {
	name := symbol[strings.LastIndexAny(symbol, ".:#/")+1:]
	if name == "" {
		return false
	}
	if isUnspacedName(name) {
		return strings.Contains(entry, name)
	}
	word := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return slices.Contains(strings.FieldsFunc(entry, word), name)
}

// isUnspacedName reports whether a name has two characters or more, all of scripts that
// put no blanks between words.
func isUnspacedName(name string) bool {
	return utf8.RuneCountInString(name) > 1 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != 'ー' && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	})
}
