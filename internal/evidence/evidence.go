// Package evidence holds what a model says it did against the files and the diff.
//
// Evidence is "path:line" or "path:start-end", several separated by commas. It
// counts only if the lines are there, and if what was cited is part of the
// change. What has no lines to cite (a deleted, binary, empty or renamed file) is
// cited by its path alone, a rename also as "old -> new".
package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
)

// Codes of evidence that does not hold.
const (
	BadFormat           problem.Code = "evidence_format"
	FileMissing         problem.Code = "evidence_file_missing"
	OutOfRange          problem.Code = "evidence_out_of_range"
	NotInChange         problem.Code = "evidence_not_in_change"
	EmptyImplementation problem.Code = "empty_implementation"
)

// A Ref is one piece of evidence.
type Ref struct {
	Path       string // as it was written
	OldPath    string // of "old -> new"
	Start, End int    // lines, 1-based and inclusive; 0 if the path stands alone
}

func (r Ref) String() string {
	switch {
	case r.Start == 0 && r.OldPath != "":
		return r.OldPath + " -> " + r.Path
	case r.Start == 0:
		return r.Path
	case r.Start == r.End:
		return fmt.Sprintf("%s:%d", r.Path, r.Start)
	}
	return fmt.Sprintf("%s:%d-%d", r.Path, r.Start, r.End)
}

// lines is the end of a piece that cites lines. A file's own name may hold
// anything before it.
var lines = regexp.MustCompile(`^(.+):(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?$`)

// Parse reads evidence. A comma ends a piece only behind lines, because names of
// files may hold commas.
func Parse(text string) ([]Ref, error) {
	var refs []Ref
	piece := ""
	for part := range strings.SplitSeq(text, ",") {
		if piece += part; strings.TrimSpace(piece) == "" {
			piece = ""
			continue
		}
		m := lines.FindStringSubmatch(strings.TrimSpace(piece))
		if m == nil {
			piece += ","
			continue
		}
		start, _ := strconv.Atoi(m[2])
		end := start
		if m[3] != "" {
			end, _ = strconv.Atoi(m[3])
		}
		if start < 1 || end < start {
			return nil, badFormat(text, fmt.Sprintf("lines begin at 1 and end at or after their start, not %d-%d", start, end))
		}
		refs, piece = append(refs, Ref{Path: unquote(m[1]), Start: start, End: end}), ""
	}
	if rest := strings.Trim(strings.TrimSpace(piece), ","); rest != "" {
		r := Ref{Path: unquote(rest)}
		if old, new, ok := strings.Cut(rest, " -> "); ok {
			r.OldPath, r.Path = unquote(old), unquote(new)
		}
		refs = append(refs, r)
	}
	if len(refs) == 0 {
		return nil, badFormat(text, "there is none")
	}
	return refs, nil
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), "`\"") }

func badFormat(text, why string) error {
	return problem.New(BadFormat, fmt.Sprintf("evidence %q: %s.", text, why),
		"Cite path:line or path:start-end, as in src/auth.go:42-58; several separated by commas.")
}

// Places returns a Problem unless every ref names lines that are in the project.
func Places(p *project.Project, refs []Ref) error {
	for _, r := range refs {
		if r.Start == 0 {
			return badFormat(r.String(), "it names no line")
		}
		if _, _, err := read(p, r); err != nil {
			return err
		}
	}
	return nil
}

// read returns the content of the file that a ref cites, and its path from the
// root, if its lines are there.
func read(p *project.Project, r Ref) (rel string, data []byte, err error) {
	rel, err = p.Resolve(r.Path)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(p.Abs(rel))
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err == nil {
		data, err = os.ReadFile(p.Abs(rel))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		return "", nil, problem.New(FileMissing, fmt.Sprintf("%s: there is no such file.", r.Path),
			"Give the path from the root of the project. A deleted file is cited by its path alone.")
	case err != nil:
		return "", nil, err
	}
	if n := count(data); r.End > n {
		return "", nil, problem.New(OutOfRange, fmt.Sprintf("%s: the file has %d lines.", r, n), "Cite lines that are there.")
	}
	return rel, data, nil
}

// count returns the number of lines; a last one without an end counts.
func count(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// A Standing says what is claimed of the cited lines.
type Standing string

// Changed lines belong to the change; lines that PreExisting were there before.
const (
	Changed     Standing = "changed"
	PreExisting Standing = "pre_existing"
)

// Check returns a Problem unless the evidence holds: the lines are there, are
// part of the changes (unless they were there before), and are no function that
// is empty.
func Check(p *project.Project, text string, changes []git.Change, s Standing) error {
	refs, err := Parse(text)
	if err != nil {
		return err
	}
	for _, r := range refs {
		if r.Start == 0 {
			err = checkPath(p, r, changes)
		} else {
			err = checkLines(p, r, changes, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkLines(p *project.Project, r Ref, changes []git.Change, s Standing) error {
	rel, data, err := read(p, r)
	if err != nil {
		return err
	}
	if s == Changed {
		i := slices.IndexFunc(changes, func(c git.Change) bool { return c.Path == rel && c.Status != git.Deleted })
		if i < 0 {
			return problem.New(NotInChange, fmt.Sprintf("%s: the file has not changed since the task began.", r), outside(changes)...)
		}
		if c := changes[i]; len(c.Hunks) > 0 && !overlaps(c.Hunks, r) {
			return problem.New(NotInChange, fmt.Sprintf("%s: these lines have not changed since the task began; changed in this file: %s.", r, spans(c.Hunks)), outside(nil)...)
		}
	}
	for _, e := range syntax.EmptyBodies(syntax.Detect(rel, data[:min(len(data), 512)]), data) {
		if e.StartLine <= r.End && r.Start <= e.EndLine {
			return problem.New(EmptyImplementation, fmt.Sprintf("%s: %s (lines %d-%d) is not implemented: %s.", r, e.Name, e.StartLine, e.EndLine, e.Why),
				"Implement it, or report the item as skipped with a reason.")
		}
	}
	return nil
}

// checkPath accepts a path without lines where there are none to cite.
func checkPath(p *project.Project, r Ref, changes []git.Change) error {
	rel, err := p.Resolve(r.Path)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(changes, func(c git.Change) bool { return c.Path == rel || c.OldPath == rel })
	if i < 0 {
		if many := strings.Split(r.Path, ","); len(many) > 1 && r.OldPath == "" {
			for _, one := range many {
				if err := checkPath(p, Ref{Path: unquote(one)}, changes); err != nil {
					return err
				}
			}
			return nil
		}
		return problem.New(NotInChange, fmt.Sprintf("%s has not changed since the task began.", r), outside(changes)...)
	}
	c := changes[i]
	if r.OldPath != "" && c.OldPath != r.OldPath {
		return problem.New(NotInChange, fmt.Sprintf("%s was not renamed from %s.", r.Path, r.OldPath), outside(changes)...)
	}
	if c.Binary || c.Empty || c.Status == git.Deleted || c.Status == git.Renamed || c.Status == git.Mode {
		return nil
	}
	return badFormat(r.String(), "this file has lines to cite; changed are "+spans(c.Hunks))
}

// outside says how to cite, when what was cited is not part of the change.
func outside(changes []git.Change) []string {
	next := []string{
		"Cite the lines that you changed.",
		"If the item was true before: status done with pre_existing: true and a reason, or status skipped with a reason.",
	}
	var names []string
	for _, c := range changes {
		names = append(names, c.Path)
	}
	if len(names) > 0 {
		next[0] = "Cite the lines that you changed; changed are " + strings.Join(names[:min(len(names), 20)], ", ") + "."
	}
	return next
}

func overlaps(hunks []git.Range, r Ref) bool {
	return slices.ContainsFunc(hunks, func(h git.Range) bool { return h.Start <= r.End && r.Start <= h.End })
}

func spans(hunks []git.Range) string {
	var all []string
	for _, h := range hunks {
		all = append(all, Ref{Path: "lines", Start: h.Start, End: h.End}.String()[len("lines:"):])
	}
	if len(all) > 20 {
		all = append(all[:20], "…")
	}
	return strings.Join(all, ", ")
}
