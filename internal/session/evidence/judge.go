package evidence

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff"
	"codeintel/internal/workflow/codediff/reason"
)

// Codes of evidence that is there and shows nothing.
const (
	ChangesNothing problem.Code = "evidence_changes_nothing" // what is cited does not change the program
	Elsewhere      problem.Code = "evidence_elsewhere"       // it is in another file than the item names
	Shared         problem.Code = "evidence_shared"          // it is that of another item
)

// A Claim is an item that is said to be done.
type Claim struct {
	Item     string // what was to be done
	Evidence string
	Origin   Origin
	Reason   string // what the model says about it; "" if nothing
}

// A Judge checks the claims of one report against the change.
type Judge struct {
	checker
	diff *codediff.Diff
	uses []use
}

// A use is what one claim rests on.
type use struct {
	claim Claim
	lines []string // "path:line", or a path
}

// NewJudge returns a Judge of claims about a change, whose files diff has compared.
func NewJudge(p *project.Project, changes []git.Change, diff *codediff.Diff) *Judge {
	return &Judge{checker: checker{p: p, changes: changes}, diff: diff}
}

// Check returns a Problem unless the evidence of a claim holds: it is there, it is in
// the file that the item names, and it changes the program. What does not by itself
// holds if the item is about just that, or with a reason: then excused says what the
// reason stands for.
func (j *Judge) Check(c Claim) (excused msg.Message, err error) {
	j.origin, j.reason = c.Origin, c.Reason != ""
	refs, err := parse(c.Evidence, j.exists)
	if err != nil {
		return excused, err
	}
	err = checkAll(refs, func(r Ref) error {
		if r.Start == 0 {
			return j.path(r)
		}
		return j.lines(r)
	})
	if err != nil {
		return excused, err
	}
	var found *problem.Problem
	if named := j.named(c.Item); len(named) > 0 && !slices.ContainsFunc(refs, func(r Ref) bool { return j.inFiles(r, named) }) {
		found = problem.New(Elsewhere, "evidence.item_names_another_file", msg.Listed(", ", named), c.Evidence).
			Or("evidence.cite_file_item_names")
	}
	if found == nil {
		var u use
		if u, found = j.judgeClaim(c, refs); len(u.lines) > 0 && c.Origin == Changed && c.Reason == "" {
			j.uses = append(j.uses, u)
		}
	}
	switch {
	case found == nil:
		return excused, nil
	case c.Reason != "" && c.Origin == Changed:
		return found.Message, nil
	}
	return excused, found
}

// judgeClaim returns what the evidence of a claim rests on, or what is wrong with all of it.
func (j *Judge) judgeClaim(c Claim, refs []Ref) (u use, found *problem.Problem) {
	u.claim = c
	for _, r := range refs {
		var lines []string
		var p *problem.Problem
		switch {
		case c.Origin == PreExisting:
			p = j.checkPreExisting(c, r)
		case r.Start == 0:
			lines, p = j.judgeWholeFile(c, r)
		default:
			lines, p = j.changed(c, r)
		}
		u.lines = append(u.lines, lines...)
		if p == nil && len(lines) == 0 {
			return use{}, nil // it is about just that
		}
		if found == nil {
			found = p
		}
	}
	if len(u.lines) > 0 {
		return u, nil
	}
	return u, found
}

// changed returns the lines of a range that change the program.
func (j *Judge) changed(c Claim, r Ref) (lines []string, p *problem.Problem) {
	change, ok := j.change(r.Path)
	if !ok || !j.diff.Known(change.Path) {
		return []string{r.String()}, nil
	}
	var worst codediff.Verdict
	hunks := change.Hunks
	if len(hunks) == 0 {
		hunks = []git.Range{{Start: r.Start, End: r.End}}
	}
	for _, h := range hunks {
		if h.Start > r.End || r.Start > h.End {
			continue
		}
		v := j.diff.Lines(change.Path, max(h.Start, r.Start), min(h.End, r.End))
		for _, n := range v.Lines {
			lines = append(lines, fmt.Sprintf("%s:%d", change.Path, n))
		}
		if worst.Why == "" || worst.Why == reason.Blank {
			worst = v
		}
	}
	if j.diff.Contradicts(c.Item, change.Path, r.Start, r.End) {
		return nil, nothingShown(r, "contradicts", "")
	}
	if j.diff.Swallows(c.Item, change.Path, r.Start, r.End) {
		return nil, nothingShown(r, "swallows", "")
	}
	if j.diff.NeverWaits(c.Item, change.Path, r.Start, r.End) {
		return nil, nothingShown(r, "never_waits", "")
	}
	if other := j.diff.Untouched(c.Item, change.Path); other != "" {
		return nil, nothingShown(r, "untouched", other)
	}
	if len(lines) == 0 {
		if reason.IsSubject(worst.Why, c.Item) || j.quotes(c.Item, r) {
			return nil, nil
		}
		return nil, nothingShown(r, string(worst.Why), worst.Function)
	}
	if syntax.Of(syntax.Detect(change.Path, nil)).Prose || syntax.Detect(change.Path, nil) == syntax.Unknown {
		if !names(c.Item, change.Path) && !namesFolder(c.Item, change.Path) &&
			!reason.IsSubject(reason.Comment, c.Item) {
			return nil, nothingShown(r, "no_code", "")
		}
	}
	return lines, nil
}

// judgeWholeFile judges a file that is cited by its path alone.
func (j *Judge) judgeWholeFile(c Claim, r Ref) (lines []string, p *problem.Problem) {
	change, ok := j.change(r.Path)
	if !ok {
		return []string{r.String()}, nil
	}
	lang := syntax.Detect(change.Path, nil)
	code := lang != syntax.Unknown && !syntax.Of(lang).Prose
	lines = []string{change.Path}
	what := ""
	switch {
	case change.Status == git.Deleted:
		what = "deleted"
	case change.Link():
		what = "link"
	case change.Binary:
		what = "binary"
	case change.Status == git.Renamed:
		what = "renamed"
	case change.Status == git.Mode:
		what = "mode"
	case change.Empty:
		what = "empty"
	default:
		return lines, nil
	}
	named := names(c.Item, change.Path) || change.OldPath != "" && names(c.Item, change.OldPath)
	switch {
	case reason.Speaks(c.Item, pathSubjects[what]):
		return lines, nil
	case named && what != "mode" && (!code || what == "empty" && strings.HasPrefix(path.Base(change.Path), "__init__.")):
		return lines, nil
	}
	return nil, nothingShown(r, what, "")
}

// checkPreExisting judges lines that are said to have been there before.
func (j *Judge) checkPreExisting(c Claim, r Ref) *problem.Problem {
	if r.Start == 0 {
		return nil
	}
	s, err := j.read(r)
	if err != nil || s.text == nil || j.diff.Live(s.rel, s.text, r.Start, r.End) ||
		reason.IsSubject(reason.Comment, c.Item) {
		return nil
	}
	return nothingShown(r, string(reason.Comment), "")
}

// nothings are the messages that say why evidence shows no change of the program.
var nothings = map[string]string{
	"left_out":     "evidence.changes_nothing_left_out",
	"unreachable":  "evidence.changes_nothing_unreachable",
	"stub":         "evidence.changes_nothing_stub",
	"constant":     "evidence.changes_nothing_constant",
	"no_effect":    "evidence.changes_nothing_no_effect",
	"in_string":    "evidence.changes_nothing_in_string",
	"comment":      "evidence.changes_nothing_comment",
	"moved":        "evidence.changes_nothing_moved",
	"local_rename": "evidence.changes_nothing_local_rename",
	"format":       "evidence.changes_nothing_format",
	"blank":        "evidence.changes_nothing_blank",
	"contradicts":  "evidence.changes_nothing_contradicts",
	"untouched":    "evidence.changes_nothing_untouched",
	"swallows":     "evidence.changes_nothing_swallows",
	"never_waits":  "evidence.changes_nothing_never_waits",
	"no_code":      "evidence.changes_nothing_no_code",
	"deleted":      "evidence.changes_nothing_deleted",
	"renamed":      "evidence.changes_nothing_renamed",
	"mode":         "evidence.changes_nothing_mode",
	"link":         "evidence.changes_nothing_link",
	"binary":       "evidence.changes_nothing_binary",
	"empty":        "evidence.changes_nothing_empty",
}

func nothingShown(r Ref, why, function string) *problem.Problem {
	if why == "" {
		why = string(reason.Blank)
	}
	args := []any{r}
	if function != "" {
		args = append(args, function)
	}
	return problem.New(ChangesNothing, nothings[why], args...).
		Or("evidence.cite_lines_that_do_it").
		Or("evidence.or_say_in_reason")
}

// pathSubjects are the beginnings of words by which an item is about just what became of a file.
var pathSubjects = map[string][]string{
	"deleted": {"delet", "remov", "drop", "gone", "no longer", "mov", "renam", "replac", "削除", "消", "移動", "除"},
	"renamed": {"renam", "mov", "was", "call", "移動", "改名", "名前"},
	"mode":    {"executable", "mode", "chmod", "permission", "実行"},
	"link":    {"link", "リンク"},
	"binary":  {"binary", "バイナリ"},
	"empty":   {"empty", "marker", "空の"},
}

// names reports whether a text names a file: by its path, or the last part of it.
func names(text, file string) bool {
	holds := func(name string) bool {
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				return false
			}
			i += from
			before, _ := utf8.DecodeLastRuneInString(text[:i])
			after, _ := utf8.DecodeRuneInString(text[i+len(name):])
			if !inName(before) && !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '_' ||
				i+len(name) == len(text) && !inName(before) {
				return true
			}
			from = i + len(name)
		}
	}
	file = git.Shown(file)
	return holds(file) || holds(path.Base(file))
}

// namesFolder reports whether a text names a folder that a file is in.
func namesFolder(text, file string) bool {
	for dir := path.Dir(git.Shown(file)); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if names(text, dir) {
			return true
		}
	}
	return false
}

// quotes reports whether an item holds the very text that is cited.
func (j *Judge) quotes(item string, r Ref) bool {
	s, err := j.read(r)
	if err != nil {
		return false
	}
	n := 0
	for line := range bytes.Lines(s.text) {
		n++
		if cited := strings.TrimSpace(string(line)); n >= r.Start && n <= r.End && len(cited) > 4 &&
			strings.Contains(item, cited) {
			return true
		}
	}
	return false
}

func inName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) && r < utf8.RuneSelf || unicode.IsDigit(r) || r == '_' ||
		r == '.' || r == '-')
}

// named returns the files that an item names: changed ones, and others of the project.
func (j *Judge) named(item string) (files []string) {
	for _, c := range j.changes {
		if names(item, c.Path) || c.OldPath != "" && names(item, c.OldPath) {
			files = append(files, git.Shown(c.Path))
		}
	}
	if len(files) > 0 {
		return files
	}
	words := strings.FieldsFunc(item, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`'\"(),;:、。「」", r)
	})
	for _, w := range words {
		w = strings.TrimRight(path.Clean(w), ".")
		ext := path.Ext(w)
		if len(ext) < 2 || len(ext) == len(w) || strings.Contains(w, "://") {
			continue
		}
		slash := strings.Contains(w, "/")
		if !slash && syntax.Detect(w, nil) == syntax.Unknown {
			continue
		}
		if j.exists(Ref{Path: w}) || slash && syntax.Detect(w, nil) != syntax.Unknown {
			files = append(files, w)
		}
	}
	return files
}

// inFiles reports whether a ref is in one of the files.
func (j *Judge) inFiles(r Ref, files []string) bool {
	change, changed := j.change(r.Path)
	return slices.ContainsFunc(files, func(f string) bool {
		name := path.Clean(r.Path)
		return f == name || strings.HasSuffix(name, "/"+f) ||
			changed && (f == git.Shown(change.Path) || f == git.Shown(change.OldPath))
	})
}

// Apart returns a Problem unless each claim that was checked rests on lines of its own.
func (j *Judge) Apart() error {
	for i, u := range j.uses {
		for _, o := range j.uses[:i] {
			if slices.Equal(u.lines, o.lines) {
				return sharedLines(u, o)
			}
		}
	}
	of := make(map[string]int) // which use has a line
	var find func(i int, seen map[string]bool) bool
	find = func(i int, seen map[string]bool) bool {
		for _, line := range j.uses[i].lines {
			if seen[line] {
				continue
			}
			seen[line] = true
			if had, taken := of[line]; !taken || find(had, seen) {
				of[line] = i
				return true
			}
		}
		return false
	}
	for i := range j.uses {
		if !find(i, make(map[string]bool)) {
			other := slices.IndexFunc(j.uses, func(o use) bool {
				return o.claim.Item != j.uses[i].claim.Item && slices.ContainsFunc(o.lines,
					func(l string) bool { return slices.Contains(j.uses[i].lines, l) })
			})
			return sharedLines(j.uses[i], j.uses[max(other, 0)])
		}
	}
	return nil
}

func sharedLines(u, other use) error {
	return problem.New(Shared, "evidence.same_lines_as_another_item", u.claim.Item, u.claim.Evidence, other.claim.Item).
		Or("evidence.cite_lines_of_each").
		Or("evidence.or_say_why_one_range_serves")
}
