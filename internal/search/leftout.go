package search

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/textmatch"
)

// Bounds of the look at what is not searched, where a question finds little.
const (
	littleFound  = 3        // answers with fewer results are worth it
	leftBytes    = 64 << 20 // that are read
	leftNamed    = 3        // files of each reason that an answer names
	leftFileSize = 32 << 20 // of one file
)

// A nameQuery is an answer to a question for names.
type nameQuery interface {
	RequestedNames() (names []string, found int) // what was asked for, and how much was found
}

// A leftOutQuery is what a question looks for in files that are not searched.
type leftOutQuery struct {
	path func(string) bool // which files matter
	text func([]byte) bool // what they hold; nil: the path is enough
}

// leftReasons are why files are not searched, in the order in which answers say so.
var leftReasons = []struct {
	reason files.Reason
	key    string
}{
	{files.Outside, "search.left_outside"},
	{files.Excluded, "search.left_excluded"},
	{files.Oversize, "search.left_oversize"},
	{files.Ignored, "search.left_ignored"},
}

// hides adds to an answer what the configuration leaves out: the folders that alone are
// searched, and where little was found the files elsewhere that hold what was asked for.
func (e *Engine) hides(ctx context.Context, c *gaps.Completeness, found int, w leftOutQuery) {
	if dirs := e.p.Config.SourceDirs; len(dirs) > 0 && !slices.Contains(dirs, ".") {
		c.LeftOut = append(c.LeftOut, msg.New("search.only_source_dirs", strings.Join(dirs, ", ")))
	}
	if found == 0 {
		c.LeftOut = append(c.LeftOut, e.elsewhere(ctx)...)
	}
	if found >= littleFound || w.path == nil {
		return
	}
	left, whole, err := e.leftOutFiles(ctx)
	if err != nil {
		return // the caller waits no longer, or the folder is gone: the answer says more of that
	}
	containing, all := e.leftContaining(left, w)
	whole = whole && all
	var parts []msg.Message
	for _, why := range leftReasons {
		if paths := containing[why.reason]; len(paths) > 0 {
			parts = append(parts, msg.New(why.key, len(paths), firstNamed(paths)))
		}
	}
	if len(parts) > 0 {
		c.LeftOut = append(c.LeftOut, msg.New("search.stands_where_not_searched", msg.Listed("; ", parts)))
	}
	if !whole && found == 0 {
		c.LeftOut = append(c.LeftOut, msg.New("search.left_not_all"))
	}
}

// elsewhere says that the project has no files, and what belongs to it and is not among them.
func (e *Engine) elsewhere(ctx context.Context) (notes []msg.Message) {
	l, err := e.listing(ctx)
	if err != nil {
		return nil // as above
	}
	if len(l.Entries) == 0 {
		notes = append(notes, msg.New("search.left_no_files"))
	}
	a := e.files.Elsewhere(ctx, l)
	if len(a.Nested) > 0 {
		notes = append(notes, msg.New("search.left_nested", firstNamed(a.Nested)))
	}
	if len(a.Missing) > 0 {
		notes = append(notes, msg.New("search.left_submodules", firstNamed(a.Missing)))
	}
	if a.Sparse {
		notes = append(notes, msg.New("search.left_sparse"))
	}
	return notes
}

// leftOutFiles lists the files that are not searched.
func (e *Engine) leftOutFiles(ctx context.Context) (left []files.Left, whole bool, err error) {
	l, err := e.listing(ctx)
	if err != nil {
		return nil, false, err
	}
	return e.files.LeftOut(ctx, l)
}

// firstNamed names the first of some files.
func firstNamed(paths []string) string {
	named := strings.Join(paths[:min(len(paths), leftNamed)], ", ")
	if len(paths) > leftNamed {
		named += ", …"
	}
	return named
}

// leftContaining returns which of the files have what is wanted, by why they are left out, and
// whether all of them were looked at.
func (e *Engine) leftContaining(left []files.Left, w leftOutQuery) (containing map[files.Reason][]string, whole bool) {
	containing, whole = map[files.Reason][]string{}, true
	budget := int64(leftBytes)
	var buffer []byte
	from := repofile.NewReader(e.p.Root)
	defer from.Close()
	for _, why := range leftReasons {
		for _, f := range left {
			if f.Reason != why.reason || !w.path(f.Path) {
				continue
			}
			if w.text == nil {
				containing[f.Reason] = append(containing[f.Reason], f.Path)
				continue
			}
			if budget -= f.Size; budget < 0 || f.Size > leftFileSize {
				whole = false
				continue
			}
			text, err := from.ReadInto(f.Path, buffer, f.Size)
			if buffer = text[:0]; err != nil || bytes.IndexByte(text, 0) >= 0 ||
				files.IsSecret(f.Path, text[:min(len(text), files.Head)]) {
				continue
			}
			if w.text(text) {
				containing[f.Reason] = append(containing[f.Reason], f.Path)
			}
		}
	}
	return containing, whole
}

// LeftOut returns where a name that nothing defines is in files that the
// configuration leaves out.
func (e *Engine) LeftOut(ctx context.Context, name string) []msg.Message {
	var r Remarks
	r.hideNames(ctx, e, []string{name}, 0, func(string) bool { return true })
	return r.Completeness.LeftOut
}

// hide says what the configuration leaves out of an answer that was put together from s.
func (r *Remarks) hide(s *sources, a any) {
	n, ok := a.(nameQuery)
	if !ok {
		s.e.hides(context.Background(), &r.Completeness, littleFound, leftOutQuery{})
		return
	}
	names, found := n.RequestedNames()
	r.hideNames(context.Background(), s.e, names, found, s.area.containsPath)
}

func (r *Remarks) hideNames(ctx context.Context, e *Engine, names []string, found int, contains func(string) bool) {
	var words [][]byte
	for _, name := range names {
		parts := strings.FieldsFunc(name, func(r rune) bool { return r != '$' && !textmatch.WordRune(r) })
		if len(parts) > 0 {
			words = append(words, []byte(parts[len(parts)-1]))
		}
	}
	if len(words) == 0 {
		e.hides(ctx, &r.Completeness, found, leftOutQuery{})
		return
	}
	e.hides(ctx, &r.Completeness, found, leftOutQuery{contains, func(text []byte) bool {
		return slices.ContainsFunc(words, func(w []byte) bool { return containsWord(text, w) })
	}})
}

func containsWord(text, word []byte) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(word)
		if (start == 0 || !wordByte(text[start-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		at = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80 || 'A' <= c && c <= 'Z'
}
