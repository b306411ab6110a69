package history

import (
	"bytes"
	"context"
	"fmt"

	"codeintel/internal/files/charset"
	"codeintel/internal/git"
)

// Depth is the number of commits that are searched, at most, for the origin of a line.
const Depth = 20_000

// mostText bounds the text of a file as of the last commit that a line is looked for in.
const mostText = 4 << 20

// An Origin is where a line comes from.
type Origin struct {
	Commit string // the one that last changed it; "" for a line that is not committed
	Path   string // what the file was called there, in the project
	// Edge says that no older commit could be looked at, so that the line may come from
	// further back.
	Edge bool
	// Merge says that the commit is a merge, in which the line was written.
	Merge bool
}

// A Place is a file as it is now, beside what it was in the commit that is checked out.
type Place struct {
	log  *Log
	path string // in the repository
	to   []int  // by line, from 1: the line of the commit; 0 for one that is not in it
}

// Tracked reports whether the file is in the commit that is checked out.
func (p *Place) Tracked() bool { return p.to != nil }

// Place compares the text of a file, in UTF-8, with that of the commit. Line ends count
// for nothing, as git may have been told to change them.
func (l *Log) Place(ctx context.Context, file string, text []byte) (*Place, error) {
	p := &Place{log: l, path: l.under + file}
	if l.repo == nil {
		return p, nil
	}
	before, err := l.repo.Content(ctx, l.Head, p.path, mostText)
	if err != nil || before == nil {
		return p, err
	}
	before, _ = charset.Decode(before)
	p.to = matched(lines(text), lines(before))
	return p, nil
}

func lines(text []byte) []string {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	list := []string{}
	for line := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimRight(line, "\r\n")))
	}
	return list
}

// Origin returns where a line of the file, from 1, comes from.
func (p *Place) Origin(ctx context.Context, line int) (Origin, error) {
	if line < 1 || line >= len(p.to) || p.to[line] == 0 {
		return Origin{}, nil
	}
	beyond, err := p.log.beyond(ctx)
	if err != nil {
		return Origin{}, err
	}
	o, err := p.log.repo.Blame(ctx, p.log.Head, p.path, p.to[line], beyond...)
	if err != nil {
		return Origin{}, err
	}
	ends, err := p.log.repo.Shallow()
	if err != nil {
		return Origin{}, err
	}
	merge, err := p.log.repo.Merge(ctx, o.Commit)
	return Origin{o.Commit, p.log.within(o.Path), o.Edge || ends[o.Commit], merge}, err
}

// Changed returns the commits that changed lines of the file, newest first, at most so
// many. What cannot be known, because a shallow clone ends, is left out.
func (p *Place) Changed(ctx context.Context, first, last, most int) ([]string, error) {
	var at git.Range
	for i := max(first, 1); i <= last && i < len(p.to); i++ {
		if n := p.to[i]; n > 0 {
			if at.Start == 0 {
				at.Start = n
			}
			at.End = n
		}
	}
	if at.Start == 0 {
		return nil, nil
	}
	beyond, err := p.log.beyond(ctx)
	if err != nil {
		return nil, err
	}
	found, err := p.log.repo.LineLog(ctx, p.log.Head, p.path, at, most, beyond...)
	if err != nil {
		return nil, err
	}
	ends, err := p.log.repo.Shallow()
	var known []string
	for _, id := range found {
		if !ends[id] {
			known = append(known, id)
		}
	}
	return known, err
}

// beyond returns the commit at which questions about lines stop, if the history is that long.
func (l *Log) beyond(ctx context.Context) ([]string, error) {
	if !l.More {
		return nil, nil
	}
	id, err := l.repo.Behind(ctx, l.Head, Depth)
	if id == "" || err != nil {
		return nil, err
	}
	return []string{id}, nil
}

// within returns a path of the repository as one of the project; "" if it is outside.
func (l *Log) within(path string) string {
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
func (l *Log) Describe(ctx context.Context, ids []string) ([]Described, error) {
	if l.repo == nil || len(ids) == 0 {
		return nil, nil
	}
	words, err := l.repo.Describe(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(words) != len(ids) {
		return nil, fmt.Errorf("history: %d of %d commits are there", len(words), len(ids))
	}
	place := map[string]int{}
	for i, c := range l.Commits {
		place[c.ID] = i
	}
	other := &Reader{repo: l.repo, known: map[string]*Commit{}} // those outside of the window
	var missing []string
	for _, id := range ids {
		if _, known := place[id]; !known {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		if err := other.read(ctx, missing); err != nil {
			return nil, err
		}
	}
	list := make([]Described, len(ids))
	for n, id := range ids {
		list[n].Described = words[n]
		if i, known := place[id]; known {
			list[n].Total = l.Commits[i].Total
			for _, f := range l.files[i] {
				list[n].Files = append(list[n].Files, l.paths[f])
			}
			continue
		}
		c := other.known[id].inside(git.Stamp{ID: id}, l.under)
		list[n].Total = c.Total
		for _, f := range c.Files {
			list[n].Files = append(list[n].Files, f.Path)
		}
	}
	return list, nil
}
