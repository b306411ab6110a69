package git

import (
	"bytes"
	"context"
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
	Modified Status = "modified"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed"
	Mode     Status = "mode" // only the file's mode changed
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
	Empty   bool   `json:"empty,omitempty"` // an added or deleted file without content
	// Hunks are the new side's changed lines. Where lines were only removed, it is
	// the lines before and after the gap.
	Hunks []Range `json:"hunks,omitempty"`
}

// Diff returns what differs from one tree to another, renames found, sorted by
// path.
func (r *Repo) Diff(ctx context.Context, from, to string) ([]Change, error) {
	changes, err := r.names(ctx, from, to)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	if err := r.hunks(ctx, from, to, changes); err != nil {
		return nil, err
	}
	numbers, err := r.Run(ctx, "diff-tree", "-r", "-z", "--numstat", "-M", "--no-ext-diff", "--no-textconv", from, to, "--")
	if err != nil {
		return nil, err
	}
	counts := numstat(numbers)
	for i := range changes {
		c := &changes[i]
		n := counts[c.Path]
		c.Binary = n == "-\t-"
		c.Empty = n == "0\t0" && (c.Status == Added || c.Status == Deleted)
		switch c.Status {
		case typeChanged:
			c.Status = Modified
		case Modified:
			if n == "0\t0" {
				c.Status = Mode
			}
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// typeChanged is a file that became a link, or the like. Git prints such a
// change as two: the old file removed and the new one added.
const typeChanged Status = "type"

// names reads which files differ, in git's order.
func (r *Repo) names(ctx context.Context, from, to string) (changes []Change, err error) {
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--name-status", "-M", "--no-ext-diff", from, to, "--")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		c := Change{Path: fields[i+1], Status: Modified}
		switch fields[i][0] {
		case 'A':
			c.Status = Added
		case 'D':
			c.Status = Deleted
		case 'T':
			c.Status = typeChanged
		case 'R':
			if i+2 >= len(fields) {
				return nil, fmt.Errorf("git diff-tree: unexpected answer %q", out)
			}
			c.Status, c.OldPath, c.Path = Renamed, fields[i+1], fields[i+2]
			i++
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// numstat reads "added TAB removed" by new path.
func numstat(out string) map[string]string {
	found := make(map[string]string)
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(fields); i++ {
		counts, path, ok := cutLast(fields[i], "\t")
		if !ok {
			continue
		}
		if path == "" && i+2 < len(fields) { // a rename: old and new name follow
			path = fields[i+2]
			i += 2
		}
		found[path] = counts
	}
	return found
}

func cutLast(s, sep string) (before, after string, ok bool) {
	parts := strings.SplitN(s, sep, 3)
	if len(parts) != 3 {
		return "", "", false
	}
	return parts[0] + sep + parts[1], parts[2], true
}

// hunks fills in the changed lines. The patch names the files in the order of
// [Repo.names], so that no path has to be read out of it.
func (r *Repo) hunks(ctx context.Context, from, to string, changes []Change) error {
	var out bytes.Buffer
	_, err := r.Do(ctx, Command{Args: []string{"diff-tree", "-r", "-p", "-U0", "-M", "--no-ext-diff", "--no-textconv", from, to, "--"}, Out: &out})
	if err != nil {
		return err
	}
	var headers []int // for each header of the patch, which change it belongs to
	for i, c := range changes {
		headers = append(headers, i)
		if c.Status == typeChanged {
			headers = append(headers, i)
		}
	}
	file := -1
	for line := range bytes.Lines(out.Bytes()) { // a line of a file begins with + - or \
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			file++
		case bytes.HasPrefix(line, []byte("@@ -")) && file >= 0 && file < len(headers):
			if h, ok := hunk(string(line)); ok {
				c := &changes[headers[file]]
				c.Hunks = append(c.Hunks, h)
			}
		}
	}
	return nil
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

// Patch writes the difference between two trees as text, for the paths given.
func (r *Repo) Patch(ctx context.Context, from, to string, paths []string, w io.Writer) error {
	args := []string{"diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", from, to, "--"}
	_, err := r.Do(ctx, Command{Args: append(args, paths...), Out: w})
	return err
}
