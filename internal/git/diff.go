package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Status says what became of a file.
type Status string

// The statuses.
const (
	Added    Status = "added"
	Modified Status = "modified" // also a file that became a symbolic link, or the like
	Deleted  Status = "deleted"
	Renamed  Status = "renamed" // perhaps edited too: then there are hunks
	Mode     Status = "mode"    // only the file's mode changed
)

// A Range is a run of lines, 1-based and inclusive.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// A Change is what became of one file between two trees.
type Change struct {
	Path    string `json:"path"`               // the new name; the old one of a deleted file
	OldPath string `json:"old_path,omitempty"` // of a renamed file
	Status  Status `json:"status"`
	Binary  bool   `json:"binary,omitempty"`
	Empty   bool   `json:"empty,omitempty"`    // the file has no content; a deleted one had none
	OldMode string `json:"old_mode,omitempty"` // as git writes it, "100644"; empty if the file was not there
	NewMode string `json:"new_mode,omitempty"`
	// Hunks are the new side's changed lines. Where lines were only removed, it is
	// the lines before and after the gap.
	Hunks []Range `json:"hunks,omitempty"`
}

// The modes of entries that are not plain files.
const (
	modeLink      = "120000"
	modeSubmodule = "160000"
	modeNone      = "000000"
)

// Link reports whether the file is a symbolic link now, or was before it was
// deleted.
func (c Change) Link() bool { return c.mode() == modeLink }

// Submodule likewise reports whether it is the pointer of a submodule.
func (c Change) Submodule() bool { return c.mode() == modeSubmodule }

// Paths returns the paths of changes, old names of renames included, sorted.
func Paths(changes []Change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
		if c.OldPath != "" {
			paths = append(paths, c.OldPath)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (c Change) mode() string {
	if c.NewMode == "" {
		return c.OldMode
	}
	return c.NewMode
}

// empties are the ids of a file without content, by either of git's hashes.
var empties = []string{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}

// diffTree begins a comparison of two trees. Nothing that a user or a repository
// configures, and no program of theirs, has a part in it.
func diffTree(form ...string) []string {
	args := []string{"-c", "core.quotePath=false", "diff-tree", "-r", "-M", "--no-rename-empty", "--ignore-submodules=none",
		"--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"}
	return append(args, form...)
}

// Diff returns what differs from one tree to another, renames found, sorted by
// path.
func (r *Repo) Diff(ctx context.Context, from, to string) ([]Change, error) {
	key := from + ".." + to
	if known, ok := r.held.diffs[key]; ok {
		return slices.Clone(known), nil
	}
	changes, err := r.diff(ctx, from, to)
	if err == nil && r.hold && isID(from) && isID(to) {
		if r.held.diffs == nil {
			r.held.diffs = make(map[string][]Change)
		}
		r.held.diffs[key] = slices.Clone(changes)
	}
	return changes, err
}

// isID reports whether a revision is named by its full id, which never means another one.
func isID(rev string) bool {
	return (len(rev) == 40 || len(rev) == 64) && strings.Trim(rev, "0123456789abcdef") == ""
}

func (r *Repo) diff(ctx context.Context, from, to string) ([]Change, error) {
	if from == to && isID(from) {
		return nil, nil
	}
	entries, err := r.compare(ctx, from, to, func(e *entry, line []byte, inHunk bool) error {
		c := &e.Change
		switch {
		case !inHunk && bytes.HasPrefix(line, []byte("diff --git ")):
			c.Binary, c.Hunks = false, nil // of two sections the second has the new side
		case !inHunk && bytes.HasPrefix(line, []byte("Binary files ")):
			c.Binary = true
		case bytes.HasPrefix(line, []byte("@@ -")) && !c.Submodule():
			if h, ok := hunk(string(line)); ok {
				c.Hunks = append(c.Hunks, h)
			}
		}
		return nil
	}, "-U0")
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	changes := make([]Change, len(entries))
	for i, e := range entries {
		changes[i] = e.Change
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// Patch writes the difference between two trees as text, for the files named, by
// their old or new names; for all if none is. The same trees give the same text.
func (r *Repo) Patch(ctx context.Context, from, to string, paths []string, w io.Writer) error {
	wanted := make(map[string]bool, len(paths))
	for _, p := range paths {
		wanted[p] = true
	}
	_, err := r.compare(ctx, from, to, func(e *entry, line []byte, _ bool) error {
		if len(paths) > 0 && !wanted[e.Path] && !wanted[e.OldPath] {
			return nil
		}
		_, err := w.Write(line)
		return err
	})
	return err
}

// An entry is a change as git lists it.
type entry struct {
	Change
	sections int // of the patch
}

// compare returns the files that differ, in git's order, and hands each line of the
// patch to read, with the entry it belongs to. One git prints both: the list, an empty
// field, the patch.
func (r *Repo) compare(ctx context.Context, from, to string,
	read func(e *entry, line []byte, inHunk bool) error, form ...string) (entries []entry, err error) {
	c := Command{Args: append(diffTree(append(form, "--raw", "-p", "-z", "--no-abbrev")...), from, to, "--")}
	err = r.pipe(ctx, c, func(p io.Reader) (err error) {
		in := bufio.NewReaderSize(p, 64<<10)
		if entries, err = readEntries(in); err != nil {
			return err
		}
		return readSections(in, entries, read)
	})
	return entries, err
}

// readEntries reads the list, up to the empty field. A field is
//
//	:<old mode> <new mode> <old id> <new id> <status>
//
// followed by the path, or by the old path and the new one of a rename.
func readEntries(in *bufio.Reader) (found []entry, err error) {
	field := func() string {
		s, readErr := in.ReadString(0)
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			err = readErr
		}
		return strings.TrimSuffix(s, "\x00")
	}
	for {
		first := field()
		if first == "" || err != nil {
			return found, err
		}
		head := strings.Fields(strings.TrimPrefix(first, ":"))
		path := field()
		if len(head) != 5 || path == "" {
			return nil, errors.Join(err, fmt.Errorf("git diff-tree: unexpected answer %q", first))
		}
		e := entry{Change{Path: path, Status: Modified}, 1}
		if e.OldMode = head[0]; e.OldMode == modeNone {
			e.OldMode = ""
		}
		if e.NewMode = head[1]; e.NewMode == modeNone {
			e.NewMode = ""
		}
		content := head[3]
		switch head[4][0] {
		case 'A':
			e.Status = Added
		case 'D':
			e.Status, content = Deleted, head[2]
		case 'T': // printed as two: the old file removed and the new one added
			e.sections = 2
		case 'R':
			if e.Status, e.OldPath, e.Path = Renamed, path, field(); e.Path == "" {
				return nil, errors.Join(err, fmt.Errorf("git diff-tree: a rename of %q to nothing", path))
			}
		case 'M':
			if head[2] == head[3] {
				e.Status = Mode
			}
		}
		e.Empty = slices.Contains(empties, content)
		found = append(found, e)
	}
}

// readSections hands each line of the patch to read. The patch names the files in the
// order of the entries, so no path has to be read out of it. A line of a file's
// content begins with a space, a plus, a minus or a backslash, and so is never taken
// for a header. A line too long for the buffer comes in parts, of which only the first
// can be one.
func readSections(in *bufio.Reader, entries []entry, read func(e *entry, line []byte, inHunk bool) error) error {
	var of []*entry // of each section
	for i := range entries {
		for range entries[i].sections {
			of = append(of, &entries[i])
		}
	}
	section, inHunk, begins := -1, false, true
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			switch {
			case begins && bytes.HasPrefix(line, []byte("diff --git ")):
				section++
				inHunk = false
			case begins && bytes.HasPrefix(line, []byte("@@ -")):
				inHunk = true
			}
			if section < 0 || section >= len(of) {
				return fmt.Errorf("git diff-tree: the patch has a section that is not listed: %q", line[:min(len(line), 200)])
			}
			if err := read(of[section], line, inHunk || !begins); err != nil {
				return err
			}
			begins = line[len(line)-1] == '\n'
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// hunk reads the new side of "@@ -a,b +c,d @@".
func hunk(header string) (Range, bool) {
	_, rest, ok := strings.Cut(header, " +")
	place, _, ok2 := strings.Cut(rest, " @@")
	if !ok || !ok2 {
		return Range{}, false
	}
	first, count, counted := strings.Cut(place, ",")
	start, err := strconv.Atoi(first)
	n := 1
	if counted && err == nil {
		n, err = strconv.Atoi(count)
	}
	switch {
	case err != nil:
		return Range{}, false
	case n == 0: // lines removed behind line start: its neighbours
		return Range{max(start, 1), start + 1}, true
	}
	return Range{start, start + n - 1}, true
}
