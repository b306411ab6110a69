package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/scan"
	"codeintel/internal/search/textmatch"
)

// A textScan is a scan of the files of an area.
type textScan struct {
	*scan.Scan
	area     area
	searched int // how many files the answer is about
	skipped  map[files.Class]int
	secrets  []string // files whose name says that they are secret
}

// newScan lists the files of an area that may match, best first, and counts the others.
func (e *Engine) newScan(ctx context.Context, where Where, fileType string, m []*textmatch.Matcher,
	invert bool) (*textScan, error) {
	a, look, err := e.lookIn(ctx, where, fileType)
	if err != nil {
		return nil, err
	}
	defer look.Close()
	s := &textScan{Scan: scan.New(e.p.Root, e.memory, m), area: a, skipped: map[files.Class]int{}}
	s.Invert = invert
	may := look.Candidates(query(m))
	for i := range look.Files.Entries {
		f := &look.Files.Entries[i]
		candidate := invert
		if len(may) > 0 && may[0] == i {
			candidate, may = true, may[1:]
		}
		if !a.containsPath(f.Path) {
			continue
		}
		if left := look.Left(f); left != "" {
			s.skipped[left]++
			if left == files.Secret {
				s.secrets = append(s.secrets, f.Path)
			}
			continue
		}
		s.searched++
		if candidate {
			s.Add(f.Path, f.Size, fileRank(f.Path, f.Class))
		}
	}
	s.Sort()
	return s, nil
}

// textsWith lists the files of an area that may match, in no order (see bestFirst), and those for
// whose texts one of also may hold.
func (e *Engine) textsWith(
	ctx context.Context, where Where, fileType string, m []*textmatch.Matcher, also ...trigram.Query,
) (s *textScan, alsoHolds map[string]bool, err error) {
	a, look, err := e.lookIn(ctx, where, fileType)
	if err != nil {
		return nil, nil, err
	}
	defer look.Close()
	s = &textScan{Scan: scan.New(e.p.Root, e.memory, m), area: a}
	for _, n := range look.Candidates(query(m)) {
		if f := &look.Files.Entries[n]; a.containsPath(f.Path) && look.Left(f) == "" {
			s.Add(f.Path, f.Size, classRank(f.Class))
		}
	}
	if alsoHolds = map[string]bool{}; len(also) > 0 {
		for _, n := range look.Candidates(trigram.Either(also...)) {
			alsoHolds[look.Files.Entries[n].Path] = true
		}
	}
	return s, alsoHolds, nil
}

// query says what texts have that one of the patterns matches.
func query(m []*textmatch.Matcher) trigram.Query {
	each := make([]trigram.Query, len(m))
	for i := range m {
		each[i] = m[i].Filter
	}
	return trigram.Either(each...)
}

// compare says whether file i comes before (-1), holds (0) or follows (1) the
// place where the answer before ended.
func (s *textScan) compare(i int, at cursor) int {
	if at.File == "" {
		return 1
	}
	return cmp.Or(cmp.Compare(s.Files[i].Rank, at.Rank), strings.Compare(s.Files[i].Path, at.File))
}

// leftOut says which files were not looked at.
func (s *textScan) leftOut() msg.Message {
	var parts []msg.Message
	add := func(n int, key string) {
		if n > 0 {
			parts = append(parts, msg.New(key, n))
		}
	}
	add(s.skipped[files.Binary]+int(s.Binary.Load()), "search.left_out_binary")
	add(s.skipped[files.TooLarge], "search.left_out_too_large")
	add(s.skipped[files.Pointer], "search.left_out_pointer")
	if secrets := slices.Compact(slices.Sorted(slices.Values(append(s.Secrets(), s.secrets...)))); len(secrets) > 0 {
		parts = append(parts, msg.New("search.left_out_secret", len(secrets), firstNamed(secrets)))
	}
	add(int(s.Unread.Load()), "search.left_out_unreadable")
	if parts == nil {
		return msg.Message{}
	}
	return msg.New("search.files_left_out", msg.Listed(", ", parts))
}

// lookIn gives the files of the project as they are now, and the area that a question
// about files is limited to. The caller closes the look.
func (e *Engine) lookIn(ctx context.Context, where Where, fileType string) (a area, look *index.Look, err error) {
	if a, err = e.area(where, ""); err != nil {
		return a, nil, err
	}
	if look, err = e.look(ctx); err != nil {
		return a, nil, err
	}
	list := look.Files.Entries
	if a.fileType, err = filekind.Filter(e.p, "file_type", fileType, list); err == nil {
		err = e.exists(&a, list)
	}
	if err != nil {
		look.Close()
	}
	return a, look, err
}

// look gives the files of the project as they are now.
func (e *Engine) look(ctx context.Context) (*index.Look, error) {
	if e.x == nil {
		l, err := e.files.List(ctx)
		if err != nil {
			return nil, fmt.Errorf("search: list files: %w", err)
		}
		return &index.Look{Files: l}, nil
	}
	look, err := e.x.Look(ctx)
	if err != nil {
		return nil, fmt.Errorf("search: list files: %w", err)
	}
	return look, nil
}

// listing gives the files of the project as they were when this answer brought the
// index up to date, or as they are if it did not.
func (e *Engine) listing(ctx context.Context) (*files.Listing, error) {
	listed := e.files.List
	if e.x != nil {
		listed = e.x.Listed
	}
	l, err := listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("search: list files: %w", err)
	}
	return l, nil
}

// list gives the files of [Engine.listing] alone.
func (e *Engine) list(ctx context.Context) ([]files.Entry, error) {
	l, err := e.listing(ctx)
	if err != nil {
		return nil, err
	}
	return l.Entries, nil
}

// fileRank orders files of an answer: what people write before what tests it,
// before what machines write, before what others wrote.
func fileRank(path string, c files.Class) int {
	rank := classRank(c)
	if rank == 0 && TestFile(path) {
		return 1
	}
	return rank
}

// classRank is fileRank without a look at the name, which may be long.
func classRank(c files.Class) int {
	switch c {
	case files.Vendored, files.Minified:
		return 3
	case files.Generated:
		return 2
	}
	return 0
}

// bestFirst orders the files that textsWith gave.
func (s *textScan) bestFirst() {
	for i := range s.Files {
		if f := &s.Files[i]; f.Rank == 0 {
			f.Rank = fileRank(f.Path, "")
		}
	}
	s.Sort()
}
