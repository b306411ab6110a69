// Package evidence checks a model's claims about its work against the files and the diff.
//
// Evidence is "path:line" or "path:start-end", several separated by commas. It counts only if
// the lines exist and the cited code is part of the change. Whatever has no lines to cite (a
// deleted, binary, empty or renamed file, a link, a submodule) is cited by its path alone, a
// rename also as "old -> new". The path may be any name that git can hold.
package evidence

import (
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
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
	}
	return r.Path + ":" + text.LineRange(r.Start, r.End)
}

// maxText is how long evidence for one item may be. Longer than that it is
// no citation.
const maxText = 8000

// Parse reads evidence. A comma ends a piece only behind lines, because names of
// files may hold commas.
func Parse(text string) ([]Ref, error) {
	return parse(text, func(Ref) bool { return false })
}

// parse is [Parse] for a reader who knows files. The grammar alone cannot tell
// whether "a, b:7" is one file or two, nor whether the name ends before the ":7";
// a reading that names known files is taken before one that does not, and of two
// such the one that takes in more.
func parse(text string, known func(Ref) bool) ([]Ref, error) {
	if len(text) > maxText {
		return nil, badFormat(text[:80]+"…", msg.New("evidence.longer_than_characters", maxText))
	}
	parts := strings.Split(text, ",")
	var refs []Ref
	for len(parts) > 0 {
		if strings.TrimSpace(parts[0]) == "" {
			parts = parts[1:]
			continue
		}
		ref, n := next(parts, known)
		if ref.Start < 0 || ref.End < ref.Start {
			return nil, badFormat(text, msg.New("evidence.lines_out_of_order",
				strings.TrimSpace(strings.Join(parts[:n], ","))))
		}
		refs, parts = append(refs, ref), parts[n:]
	}
	if len(refs) == 0 {
		return nil, badFormat(text, msg.New("evidence.there_is_none"))
	}
	return refs, nil
}

// next reads the first piece of evidence and returns how many parts it took.
func next(parts []string, known func(Ref) bool) (Ref, int) {
	for n := len(parts); n > 0; n-- {
		for _, ref := range parseReadings(strings.TrimSpace(strings.Join(parts[:n], ","))) {
			if known(ref) {
				return ref, n
			}
		}
	}
	for n := 1; n <= len(parts); n++ {
		if ref := parseReadings(strings.TrimSpace(strings.Join(parts[:n], ",")))[0]; ref.Start != 0 {
			return ref, n
		}
	}
	rest := strings.TrimRight(strings.TrimSpace(strings.Join(parts, ",")), ", ")
	return parseReadings(rest)[0], len(parts)
}

// lines is the end of a piece that cites lines. A file's own name may hold
// anything before it.
var lines = lazyregexp.MustCompile(`(?s)^(.+):(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?$`)

// arrow is between the names of a renamed file.
const arrow = " -> "

// parseReadings returns what a piece can mean, the likeliest first. Lines that cannot
// be have a Start of -1.
func parseReadings(piece string) []Ref {
	var all []Ref
	bare := unquote(piece)
	for _, text := range []string{piece, bare} {
		if m := lines.FindStringSubmatch(text); m != nil {
			start, _ := strconv.Atoi(m[2])
			end := start
			if m[3] != "" {
				end, _ = strconv.Atoi(m[3])
			}
			if start < 1 {
				start = -1
			}
			name := strings.TrimSpace(m[1])
			if plain := unquote(name); plain != name {
				all = append(all, Ref{Path: plain, Start: start, End: end})
			}
			all = append(all, Ref{Path: name, Start: start, End: end})
		}
	}
	if before, after, ok := strings.Cut(bare, arrow); ok {
		all = append(all, Ref{OldPath: unquote(before), Path: unquote(after)})
	}
	return append(all, Ref{Path: bare}, Ref{Path: piece})
}

// unquote takes away what models put around names.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{"`", `"`} {
		if len(s) > 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

func badFormat(text string, why msg.Message) error {
	return problem.New(BadFormat, "evidence.evidence", text, why).
		Or("evidence.cite_path_line_path_start")
}
