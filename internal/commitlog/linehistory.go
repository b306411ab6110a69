package commitlog

import (
	"bytes"
	"context"
	"fmt"

	"codeintel/internal/files/charset"
	"codeintel/internal/git"
)

// Depth is the number of commits that are searched, at most, for the origin of a line.
const Depth = 20_000

// maxText bounds the text of a file as of the last commit that a line is looked for in.
const maxText = 4 << 20

// An Origin is the commit that a line comes from.
type Origin struct {
	Commit string // the last one that changed the line; "" if the line is not committed
	Path   string // the file's path in that commit, relative to the project
	// Edge means that older commits could not be read, so the line may come from one of them.
	Edge bool
	// Merge means that the commit is a merge, in which the line was written.
	Merge bool
}

// A LineHistory finds the commits that changed lines of one file, which may have uncommitted edits.
type LineHistory struct {
	log       *Log
	path      string // in the repository
	committed []int  // for each line, from 1, its number in the commit that is checked out; 0 if it is not in it
}

// Tracked reports whether the file is in the commit that is checked out.
func (h *LineHistory) Tracked() bool { return h.committed != nil }

// LineHistory compares the text of a file, in UTF-8, with the commit that is checked out. It ignores line
// endings, because git may be configured to change them.
func (l *Log) LineHistory(ctx context.Context, file string, text []byte) (*LineHistory, error) {
	h := &LineHistory{log: l, path: l.under + file}
	if l.repo == nil {
		return h, nil
	}
	before, err := l.repo.Content(ctx, l.Head, h.path, maxText)
	if err != nil || before == nil {
		return h, err
	}
	before, _ = charset.Decode(before)
	h.committed = matched(lines(text), lines(before))
	return h, nil
}

func lines(text []byte) []string {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	list := []string{}
	for line := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimRight(line, "\r\n")))
	}
	return list
}

// Origin returns the origin of a line of the file, counted from 1; it is zero for a line that is not committed.
func (h *LineHistory) Origin(ctx context.Context, line int) (Origin, error) {
	if line < 1 || line >= len(h.committed) || h.committed[line] == 0 {
		return Origin{}, nil
	}
	cutoff, err := h.log.cutoff(ctx)
	if err != nil {
		return Origin{}, err
	}
	o, err := h.log.repo.Blame(ctx, h.log.Head, h.path, h.committed[line], cutoff...)
	if err != nil {
		return Origin{}, err
	}
	ends, err := h.log.repo.Shallow()
	if err != nil {
		return Origin{}, err
	}
	merge, err := h.log.repo.Merge(ctx, o.Commit)
	return Origin{Commit: o.Commit, Path: h.log.projectPath(o.Path), Edge: o.Edge || ends[o.Commit], Merge: merge}, err
}

// Changed returns the commits that changed lines of the file, newest first, up to a limit. It leaves out the
// commits at which a shallow clone ends: what they changed is not known.
func (h *LineHistory) Changed(ctx context.Context, first, last, limit int) ([]string, error) {
	var at git.Range
	for i := max(first, 1); i <= last && i < len(h.committed); i++ {
		if n := h.committed[i]; n > 0 {
			if at.Start == 0 {
				at.Start = n
			}
			at.End = n
		}
	}
	if at.Start == 0 {
		return nil, nil
	}
	cutoff, err := h.log.cutoff(ctx)
	if err != nil {
		return nil, err
	}
	found, err := h.log.repo.LineLog(ctx, h.log.Head, h.path, at, limit, cutoff...)
	if err != nil {
		return nil, err
	}
	ends, err := h.log.repo.Shallow()
	var known []string
	for _, id := range found {
		if !ends[id] {
			known = append(known, id)
		}
	}
	return known, err
}

// cutoff returns the commit behind which line histories are not read, if the history is that long.
func (l *Log) cutoff(ctx context.Context) ([]string, error) {
	if !l.More {
		return nil, nil
	}
	id, err := l.repo.Behind(ctx, l.Head, Depth)
	if id == "" || err != nil {
		return nil, err
	}
	return []string{id}, nil
}

// projectPath converts a path of the repository to one of the project; it returns "" if it is outside.
func (l *Log) projectPath(path string) string {
	c := (&Commit{Files: []File{{Path: path}}}).inside(git.Stamp{}, l.under)
	if len(c.Files) == 0 {
		return ""
	}
	return c.Files[0].Path
}

// A Described commit is what a commit says of itself, and what it changed.
type Described struct {
	git.Described
	// Files are those that it changed, with their names as of the commit that is checked
	// out. Of a commit with very many they are only some of them.
	Files []string
	Total int // how many files it changed in all, in the repository
}

// Describe returns commits in the order of their ids.
func (l *Log) Describe(ctx context.Context, commitIDs []string) ([]Described, error) {
	if l.repo == nil || len(commitIDs) == 0 {
		return nil, nil
	}
	described, err := l.repo.Describe(ctx, commitIDs)
	if err != nil {
		return nil, err
	}
	if len(described) != len(commitIDs) {
		return nil, fmt.Errorf("commitlog: %d of %d commits are there", len(described), len(commitIDs))
	}
	inWindow := map[string]int{}
	for i, c := range l.Commits {
		inWindow[c.ID] = i
	}
	outside := &Reader{repo: l.repo, known: map[string]*Commit{}} // reads the commits that are not in the window
	var outsideWindow []string
	for _, id := range commitIDs {
		if _, known := inWindow[id]; !known {
			outsideWindow = append(outsideWindow, id)
		}
	}
	if len(outsideWindow) > 0 {
		if err := outside.read(ctx, outsideWindow); err != nil {
			return nil, err
		}
	}
	list := make([]Described, len(commitIDs))
	for n, id := range commitIDs {
		list[n].Described = described[n]
		if i, known := inWindow[id]; known {
			list[n].Total = l.Commits[i].Total
			for _, f := range l.files[i] {
				list[n].Files = append(list[n].Files, l.paths[f])
			}
			continue
		}
		c := outside.known[id].inside(git.Stamp{ID: id}, l.under)
		list[n].Total = c.Total
		for _, f := range c.Files {
			list[n].Files = append(list[n].Files, f.Path)
		}
	}
	return list, nil
}
