package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Places returns a Problem unless every ref names lines that are in the project.
func Places(p *project.Project, refs []Ref) error {
	c := checker{p: p}
	return checkAll(refs, func(r Ref) error {
		if r.Start == 0 {
			return badFormat(r.String(), msg.New("evidence.names_no_line"))
		}
		s, err := c.read(r)
		if err == nil && isBlank(s.text, r) {
			return problem.New(OutOfRange, "evidence.nothing_stands", r).
				Or("evidence.cite_lines_say_something")
		}
		return err
	})
}

// An Origin says where the cited lines are claimed to come from.
type Origin string

// Changed lines belong to the change; lines that are PreExisting were there
// before.
const (
	Changed     Origin = "changed"
	PreExisting Origin = "pre_existing"
)

// Cites reports whether evidence that once held speaks of one of the changes.
func Cites(p *project.Project, text string, changes []git.Change) bool {
	c := checker{p: p, changes: changes, origin: Changed}
	refs, err := parse(text, c.exists)
	return err == nil && slices.ContainsFunc(refs, func(r Ref) bool {
		_, changed := c.change(r.Path)
		return changed
	})
}

// checkAll joins the Problems of the refs into one.
func checkAll(refs []Ref, check func(Ref) error) error {
	var joined *problem.Problem
	for _, r := range refs {
		err := check(r)
		p := problem.Of(err)
		switch {
		case err == nil:
		case p == nil:
			return err
		case joined == nil:
			joined = p
		default:
			joined.Message = msg.Join(" ", joined.Message, p.Message)
			for _, next := range p.Next {
				if !slices.ContainsFunc(joined.Next, next.Equal) {
					joined.Next = append(joined.Next, next)
				}
			}
		}
	}
	if joined == nil {
		return nil
	}
	return joined
}

type checker struct {
	p       *project.Project
	changes []git.Change
	origin  Origin
	reason  bool // the claim has one, with which a function may be empty
}

// change returns what became of the file that a path names. A path is taken as it
// is before links are followed: the link itself may be what has changed.
func (c checker) change(name string) (git.Change, bool) {
	name = path.Clean(filepath.ToSlash(name))
	i := slices.IndexFunc(c.changes, func(ch git.Change) bool { return git.Shown(ch.Path) == name })
	if i < 0 {
		i = slices.IndexFunc(c.changes, func(ch git.Change) bool { return ch.OldPath != "" && git.Shown(ch.OldPath) == name })
	}
	if i < 0 {
		rel, err := c.p.Resolve(name)
		if err != nil || rel == name {
			return git.Change{}, false
		}
		i = slices.IndexFunc(c.changes, func(ch git.Change) bool { return ch.Path == rel })
	}
	if i < 0 {
		return git.Change{}, false
	}
	return c.changes[i], true
}

// exists reports whether a reading of evidence names something that is there or
// has changed.
func (c checker) exists(r Ref) bool {
	change, changed := c.change(r.Path)
	if r.OldPath != "" {
		return changed && change.OldPath == r.OldPath
	}
	if changed {
		return true
	}
	rel, err := c.p.Resolve(r.Path)
	if err != nil {
		return false
	}
	info, err := os.Stat(c.p.Abs(rel))
	return err == nil && info.Mode().IsRegular()
}

// A source is a file that evidence cites.
type source struct {
	rel   string
	lines int
	text  []byte // nil if it is too long to be worth parsing
}

// maxSource is how long a file may be to be looked into for empty functions.
const maxSource = 8 << 20

// read returns the file that a ref cites, if its lines are there.
func (c checker) read(r Ref) (s source, err error) {
	name := r.Path
	if change, changed := c.change(name); changed && change.Path != git.Shown(change.Path) {
		name = change.Path // whose bytes its reader cannot name
	}
	if s.rel, err = c.p.Resolve(name); err != nil {
		return s, err
	}
	f, info, err := repofile.In(c.p.Root, s.rel).Open()
	if errors.As(err, new(*repofile.Refusal)) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return s, missing(r, err)
	}
	defer f.Close()
	if info.Size() <= maxSource {
		s.text, err = io.ReadAll(f)
		s.lines = count(s.text)
	} else {
		s.lines, err = countLong(f)
	}
	if err != nil {
		return s, fmt.Errorf("evidence: %w", err)
	}
	if r.End > s.lines {
		return s, problem.New(OutOfRange, "evidence.file_lines", r, s.lines).
			Or("evidence.cite_lines")
	}
	return s, nil
}

func missing(r Ref, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return problem.New(FileMissing, "evidence.no_such_file", r.Path).
			Or("evidence.give_path_from_root_project")
	}
	return fmt.Errorf("evidence: %w", err)
}

// count returns the number of lines; a last one without an end counts.
func count(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

func countLong(r io.Reader) (n int, err error) {
	buf, last := make([]byte, 64<<10), byte('\n')
	for {
		got, err := r.Read(buf)
		if got > 0 {
			n += bytes.Count(buf[:got], []byte("\n"))
			last = buf[got-1]
		}
		if errors.Is(err, io.EOF) {
			if last != '\n' {
				n++
			}
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// lines checks a ref that cites lines.
func (c checker) lines(r Ref) error {
	change, changed := c.change(r.Path)
	if why := whyNoLines(change); changed && !why.IsZero() {
		return badFormat(r.String(), msg.New("evidence.so_cited_its_path_alone", why))
	}
	s, err := c.read(r)
	if p := problem.Of(err); p != nil && p.Code == OutOfRange && c.origin == Changed && len(change.Hunks) > 0 {
		return problem.New(OutOfRange, "evidence.file_lines", r, s.lines).
			Or("evidence.cite_lines_you_changed_changed", r.Path+":"+spans(change.Hunks))
	}
	if err != nil {
		return err
	}
	if c.origin == Changed {
		if !changed {
			return problem.With(NotInChange, msg.New("evidence.file_not_changed_since_task", r), c.inside()...)
		}
		if len(change.Hunks) > 0 && !overlaps(change.Hunks, r) {
			return problem.New(NotInChange, "evidence.these_lines_not_changed_since", r, spans(change.Hunks)).
				Or(preExisting)
		}
	}
	return c.implemented(r, s)
}

// whyNoLines says why a changed file has no lines to cite, or "".
func whyNoLines(c git.Change) (why msg.Message) {
	switch {
	case c.Status == git.Deleted:
		return msg.New("evidence.file_deleted")
	case c.Submodule():
		return msg.New("evidence.it_is_a_submodule")
	case c.Link():
		return msg.New("evidence.symbolic_link")
	case c.Binary:
		return msg.New("evidence.file_binary")
	case c.Empty:
		return msg.New("problem.file_empty")
	}
	return why
}

// implemented returns a Problem if what is cited is not written yet.
func (c checker) implemented(r Ref, s source) error {
	lang := syntax.Detect(s.rel, s.text)
	if lang == syntax.Unknown {
		if isStub(s.text, r) {
			return problem.New(EmptyImplementation, "evidence.nothing_but_note_something_done", r).
				Or("evidence.implement_or_skip")
		}
		return nil
	}
	for _, e := range syntax.EmptyBodies(lang, s.text) {
		if e.StartLine <= r.End && r.Start <= e.EndLine && !(c.reason && e.Silent) {
			return problem.New(EmptyImplementation, "evidence.lines_not_implemented", r, e.Name,
				text.LineRange(e.StartLine, e.EndLine), e.Why).
				Or("evidence.implement_or_skip")
		}
	}
	return nil
}

// Stubs in a language without a grammar are recognised line by line: every line with a letter or digit
// says that the code is not written yet.
var (
	wordCharacter = lazyregexp.MustCompile(`[\pL\pN]`)
	stub          = lazyregexp.MustCompile(`(?i)^[^\pL\pN]*(?:(?:TODO|FIXME|XXX)\b.*|pass|(?:raise|throw|die|error|panic)?\W*(?:new\W+)?(?:\w*error\W+)?(?:not[ _-]?implemented|unimplemented)\w*)[^\pL\pN]*$`)
)

// isBlank reports whether the cited lines contain only white space. It returns false if the file was not read.
func isBlank(text []byte, r Ref) bool {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; n >= r.Start && n <= r.End && len(bytes.TrimSpace(line)) > 0 {
			return false
		}
	}
	return text != nil
}

// isStub reports whether the cited lines contain stubs such as TODO or "not implemented", and no other code.
func isStub(text []byte, r Ref) bool {
	found := false
	n := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		switch n++; {
		case n < r.Start || n > r.End:
		case string(line) == "...", wordCharacter.Match(line) && stub.Match(line):
			found = true
		case !wordCharacter.Match(line):
		default:
			return false
		}
	}
	return found
}

// path checks a ref that is a path alone, which holds where there are no lines to
// cite.
func (c checker) path(r Ref) error {
	change, changed := c.change(r.Path)
	switch {
	case changed && r.OldPath != "" && change.OldPath != r.OldPath:
		return problem.With(NotInChange, msg.New("evidence.not_renamed_from", r.Path, r.OldPath), c.inside()...)
	case changed && c.origin == Changed && change.Binary && change.Status != git.Deleted && !change.Link():
		return c.checkWholeFile(r)
	case changed && (!whyNoLines(change).IsZero() || change.Status == git.Renamed || change.Status == git.Mode):
		return nil
	case changed && len(change.Hunks) == 0:
		return badFormat(r.String(), msg.New("evidence.file_lines_cite"))
	case changed:
		return badFormat(r.String(), msg.New("evidence.file_lines_cite_changed", spans(change.Hunks)))
	case c.origin == Changed:
		if _, err := c.p.Resolve(r.Path); err != nil {
			return err
		}
		return problem.With(NotInChange, msg.New("evidence.not_changed_since_task_began", r), c.inside()...)
	}
	s, err := c.read(r)
	if err != nil {
		return err
	}
	if s.lines > 0 && !bytes.ContainsRune(s.text[:min(len(s.text), 8000)], 0) {
		return badFormat(r.String(), msg.New("evidence.this_file_has_lines_to_cite", s.lines))
	}
	return nil
}

// checkWholeFile checks a binary file, which is cited by its path alone. Source code may be
// one, too: a single byte makes it so.
func (c checker) checkWholeFile(r Ref) error {
	s, err := c.read(r)
	if err != nil || s.text == nil || syntax.Detect(s.rel, s.text) == syntax.Unknown {
		return err
	}
	return c.implemented(Ref{Path: r.Path, Start: 1, End: max(s.lines, 1)}, s)
}

const preExisting = "evidence.true_before"

// inside says how to cite, when what was cited is not part of the change.
func (c checker) inside() []msg.Message {
	next := []msg.Message{msg.New("evidence.cite_lines_you_changed"), msg.New(preExisting)}
	const most = 20
	var names []any
	for _, ch := range c.changes[:min(len(c.changes), most)] {
		names = append(names, ch.Path)
	}
	if len(c.changes) > most {
		names = append(names, msg.New("problem.and_n_more", len(c.changes)-most))
	}
	if len(names) > 0 {
		next[0] = msg.New("evidence.cite_lines_you_changed_changed", msg.ListOf(", ", names...))
	}
	return next
}

func overlaps(hunks []git.Range, r Ref) bool {
	return slices.ContainsFunc(hunks, func(h git.Range) bool { return h.Start <= r.End && r.Start <= h.End })
}

func spans(hunks []git.Range) string {
	var every []string
	for _, h := range hunks {
		every = append(every, text.LineRange(h.Start, h.End))
	}
	if len(every) > 20 {
		every = append(every[:20], "…")
	}
	return strings.Join(every, ", ")
}
