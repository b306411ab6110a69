package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/files"
	"codeintel/internal/files/charset"
	"codeintel/internal/index"
	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/search/filetype"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/text"
	"codeintel/internal/text/conceal"
)

// A scan looks through files for patterns in two passes. The first counts in
// all files at once and keeps three numbers a file; the second reads the few
// files again whose lines are shown. So memory does not grow with the number
// of matches.
type scan struct {
	e        *Engine
	area     area
	matchers []*textmatch.Matcher
	careful  []*textmatch.Matcher // for texts with letters that ASCII rules do not fold
	files    []scanFile           // those that may match, in the order of the answer
	invert   bool                 // the lines that no pattern matches
	whole    bool                 // long lines are not cut
	searched int                  // how many files the answer is about
	counts   []textmatch.Counts
	unsought int            // files that were not searched, since expressions had too much to do
	beyond   textmatch.Work // of expressions over files that are not searched
	skipped  map[files.Class]int
	unread   atomic.Int32 // files that went away or could not be read
	binary   atomic.Int32 // files whose text turned out to be none
	short    atomic.Pointer[error]

	finding sync.Mutex // of secrets
	secrets []string   // files whose name says, or whose text turned out, that they are secret
}

type scanFile struct {
	path string
	size int64
	rank int
}

// newScan lists the files of an area that may match, best first.
func (e *Engine) newScan(ctx context.Context, where Where, fileType string, m []*textmatch.Matcher, invert bool) (*scan, error) {
	a, look, err := e.lookIn(ctx, where, fileType)
	if err != nil {
		return nil, err
	}
	defer look.Close()
	list := look.Files.Entries
	s := &scan{e: e, area: a, matchers: m, careful: textmatch.Careful(m), invert: invert,
		skipped: map[files.Class]int{}, beyond: *textmatch.NewWork()}
	may, sifted := look.Candidates(query(m))
	for i := range list {
		f := &list[i]
		candidate := !sifted || invert
		if len(may) > 0 && may[0] == i {
			candidate, may = true, may[1:]
		}
		if !a.holds(f.Path) {
			continue
		}
		left := f.Class
		if left.Indexed() {
			left = look.Left(f)
		}
		switch {
		case left != "" && !left.Indexed():
			s.skipped[left]++
			if left == files.Secret {
				s.secrets = append(s.secrets, f.Path)
			}
		default:
			s.searched++
			if candidate {
				s.files = append(s.files, scanFile{f.Path, f.Size, fileRank(f.Path, f.Class)})
			}
		}
	}
	slices.SortStableFunc(s.files, func(x, y scanFile) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.path, y.path))
	})
	s.counts = make([]textmatch.Counts, len(s.files))
	return s, nil
}

// paths returns the files that may match.
func (s *scan) paths() []string {
	list := make([]string, len(s.files))
	for i := range s.files {
		list[i] = s.files[i].path
	}
	return list
}

// keep takes the other files out, before anything is counted.
func (s *scan) keep(wanted func(path string) bool) {
	s.files = slices.DeleteFunc(s.files, func(f scanFile) bool { return !wanted(f.path) })
	s.counts = s.counts[:len(s.files)]
}

// query says what texts have that one of the patterns matches.
func query(m []*textmatch.Matcher) trigram.Query {
	each := make([]trigram.Query, len(m))
	for i := range m {
		each[i] = m[i].Filter
	}
	return trigram.Either(each...)
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
	if a.fileType, err = filetype.Filter(e.p, "file_type", fileType, list); err == nil {
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
	switch {
	case c == files.Vendored || c == files.Minified:
		return 3
	case c == files.Generated:
		return 2
	case TestFile(path):
		return 1
	}
	return 0
}

// compare says whether file i comes before (-1), holds (0) or follows (1) the
// place where the answer before ended.
func (s *scan) compare(i int, at cursor) int {
	if at.File == "" {
		return 1
	}
	return cmp.Or(cmp.Compare(s.files[i].rank, at.Rank), strings.Compare(s.files[i].path, at.File))
}

// leftOut says which files were not looked at.
func (s *scan) leftOut() msg.Message {
	var parts []msg.Message
	add := func(n int, key string) {
		if n > 0 {
			parts = append(parts, msg.New(key, n))
		}
	}
	add(s.skipped[files.Binary]+int(s.binary.Load()), "search.left_out_binary")
	add(s.skipped[files.TooLarge], "search.left_out_too_large")
	add(s.skipped[files.Pointer], "search.left_out_pointer")
	if secrets := slices.Compact(slices.Sorted(slices.Values(s.secrets))); len(secrets) > 0 {
		parts = append(parts, msg.New("search.left_out_secret", len(secrets), firstNamed(secrets)))
	}
	add(int(s.unread.Load()), "search.left_out_unreadable")
	if parts == nil {
		return msg.Message{}
	}
	return msg.New("search.files_left_out", msg.Listed(", ", parts))
}

// count runs the first pass. Files are counted in their order until expressions have done
// what they may; those from there on are as if they held nothing, and so are those with a
// line that is too long for an expression.
func (s *scan) count(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	var next, done atomic.Int64
	took := make([]textmatch.Work, len(s.files)) // by each file
	for range min(runtime.GOMAXPROCS(0), len(s.files)) {
		g.Go(func() error {
			r := s.reader()
			defer r.done()
			for {
				enough := done.Load() > textmatch.MostWork // by files whose turn was before that of i
				i := int(next.Add(1)) - 1
				if i >= len(s.files) || enough {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				text, matchers := r.read(&s.files[i])
				w := &took[i]
				*w = *textmatch.NewWork()
				switch {
				case len(text) == 0:
				case s.invert:
					s.counts[i] = textmatch.CountOthers(text, matchers, w)
				default:
					s.counts[i] = textmatch.CountLines(text, matchers, w)
				}
				done.Add(w.Done())
			}
		})
	}
	if err := cmp.Or(g.Wait(), s.failed()); err != nil {
		return fmt.Errorf("search: text: %w", err)
	}
	left := textmatch.MostWork
	for i := range took {
		if left -= took[i].Done(); left < 0 {
			s.unsought += len(s.files) - i
			clear(s.counts[i:])
			break
		}
		if took[i].Out {
			s.unsought++
			s.counts[i] = textmatch.Counts{}
		}
	}
	return nil
}

// lines runs the second pass over file i: up to n matching lines after a line,
// with the lines round each.
func (s *scan) lines(ctx context.Context, i, after, n, around int) ([]TextMatch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := s.reader()
	defer r.done()
	text, matchers := r.read(&s.files[i])
	var found []TextMatch
	number, counted := 1, 0
	each := textmatch.EachLine
	if s.invert {
		each = textmatch.OtherLines
	}
	each(text, matchers, textmatch.SkipLines(text, after), textmatch.NewWork(), func(h textmatch.Hit) bool {
		number += bytes.Count(text[counted:h.Lo], []byte{'\n'})
		counted = h.Lo
		m := TextMatch{
			File: s.files[i].path, Line: number, Column: h.Start - h.Lo + 1,
			Content: s.shown(text[h.Lo:h.Hi], h.Start-h.Lo),
			Before:  s.linesBefore(text, h.Lo, around), After: s.linesAfter(text, h.Hi, around),
		}
		if len(s.matchers) > 1 {
			for _, p := range h.Patterns {
				m.Patterns = append(m.Patterns, p+1)
			}
		}
		found = append(found, m)
		return len(found) < n
	})
	return found, s.failed()
}

// exhausted remembers that a file was not read because the system has no more to give, of
// which the answer must not look as if the file held nothing.
func (s *scan) exhausted(err error) {
	if files.Exhausted(err) {
		s.short.Store(&err)
	}
}

// failed returns what exhausted remembers.
func (s *scan) failed() error {
	if err := s.short.Load(); err != nil {
		return *err
	}
	return nil
}

// shown is a line as answers show it.
func (s *scan) shown(line []byte, start int) string {
	if s.whole {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	return cutLine(line, start)
}

func (s *scan) linesBefore(text []byte, lo, n int) []string {
	var list []string
	for ; n > 0 && lo > 0; n-- {
		start := textmatch.LineStart(text, lo-1)
		list = append(list, s.shown(bytes.TrimSuffix(text[start:lo-1], []byte{'\r'}), 0))
		lo = start
	}
	slices.Reverse(list)
	return list
}

func (s *scan) linesAfter(content []byte, hi, n int) []string {
	var list []string
	for at := text.LineEnd(content, hi) + 1; n > 0 && at < len(content); n-- {
		end := text.LineEnd(content, at)
		list = append(list, s.shown(bytes.TrimSuffix(content[at:end], []byte{'\r'}), 0))
		at = end + 1
	}
	return list
}

// A fileReader reads one file after the other into the same memory.
type fileReader struct {
	s    *scan
	from *repofile.Reader
	buf  []byte
}

func (s *scan) reader() fileReader {
	r := fileReader{s: s, from: repofile.NewReader(s.e.p.Root)}
	if b, ok := s.e.memory.Get().(*[]byte); ok {
		r.buf = *b
	}
	return r
}

// keptBuffer bounds the memory that is kept for the next question.
const keptBuffer = 4 << 20

// done gives the reader's memory to the next one.
func (r *fileReader) done() {
	r.from.Close()
	if cap(r.buf) <= keptBuffer {
		r.s.e.memory.Put(&r.buf)
	}
}

// read returns the text of a file as UTF-8, or nothing where no pattern can
// match it, and the matchers for it. The text is valid until the next read.
//
// Nearly all files are UTF-8 and hold no match, so both are found out on the
// raw bytes; only the rest is decoded.
func (r *fileReader) read(f *scanFile) ([]byte, []*textmatch.Matcher) {
	raw, err := r.raw(f)
	if err != nil {
		r.s.exhausted(err)
		r.s.unread.Add(1)
		return nil, nil
	}
	plain := bytes.IndexByte(raw, 0) < 0 && !bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) && !bytes.HasPrefix(raw, []byte{0xFF, 0xFE})
	matchers := r.s.matchers
	if r.s.careful != nil && textmatch.UnlikeASCII(raw) {
		matchers = r.s.careful
	}
	if plain && !r.s.invert && !textmatch.MayMatch(raw, matchers) {
		return nil, nil
	}
	if files.IsSecret(f.path, raw[:min(len(raw), files.Head)]) {
		r.s.finding.Lock()
		r.s.secrets = append(r.s.secrets, f.path)
		r.s.finding.Unlock()
		return nil, nil
	}
	text := bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if !plain || bytes.IndexByte(raw, 0x1B) >= 0 || !utf8.Valid(raw) {
		decoded, cs := charset.Decode(raw)
		if cs == charset.Binary || charset.Detect(raw[:min(len(raw), files.Head)]) == charset.Binary {
			r.s.binary.Add(1)
			return nil, nil
		}
		text = decoded
		if r.s.careful != nil && textmatch.UnlikeASCII(text) {
			matchers = r.s.careful
		}
	}
	text = conceal.Keys(text)
	if r.expressions() && bytes.Contains(text, []byte("\r\n")) {
		// "$" stands before a line feed only. Lines and columns stay the same.
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text, matchers
}

// matches reports whether one of the patterns matches a text that is not searched.
func (s *scan) matches(raw []byte) bool {
	m := s.matchers
	if s.careful != nil && textmatch.UnlikeASCII(raw) {
		m = s.careful
	}
	return textmatch.MayMatch(raw, m) && slices.ContainsFunc(m, func(m *textmatch.Matcher) bool {
		_, _, ok := m.Next(raw, 0, &s.beyond)
		return ok
	})
}

func (r *fileReader) expressions() bool {
	return slices.ContainsFunc(r.s.matchers, func(m *textmatch.Matcher) bool { return !m.Exact })
}

// raw reads a file into the reader's memory.
func (r *fileReader) raw(f *scanFile) (text []byte, err error) {
	text, err = r.from.ReadInto(f.path, r.buf, f.size)
	r.buf = text[:0]
	return text, err
}
