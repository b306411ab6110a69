// Package scan searches many files for lines that match patterns: the loop behind a text search. Package
// textmatch matches within one text.
package scan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/files"
	"codeintel/internal/files/charset"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/text"
	"codeintel/internal/text/redact"
)

// A Scan looks through files for patterns in two passes. The first counts in
// all files at once and keeps three numbers a file; the second reads the few
// files again whose lines are shown. So memory does not grow with the number
// of matches.
type Scan struct {
	Matchers []*textmatch.Matcher
	Files    []File // those that may match, in the order of the answer
	Invert   bool   // the lines that no pattern matches
	Whole    bool   // long lines are not cut

	// What Count found.
	Counts  []textmatch.Counts // by file
	Skipped int                // files that were not searched, since expressions had too much to do
	Unread  atomic.Int32       // files that went away or could not be read
	Binary  atomic.Int32       // files whose text turned out to be none
	Beyond  textmatch.Work     // of expressions over texts that are not searched; see Matches

	root    string               // of the files
	buffers *sync.Pool           // of *[]byte, for their texts
	careful []*textmatch.Matcher // for texts with letters that ASCII rules do not fold
	short   atomic.Pointer[error]
	finding sync.Mutex // of secrets
	secrets []string   // files whose text turned out to be secret
}

// A File is one that may match.
type File struct {
	Path string
	Size int64
	Rank int // files of a lower one come first
}

// New returns a scan that has no files yet.
func New(root string, buffers *sync.Pool, m []*textmatch.Matcher) *Scan {
	return &Scan{root: root, buffers: buffers, Matchers: m, careful: textmatch.Careful(m), Beyond: *textmatch.NewWork()}
}

// Add adds a file.
func (s *Scan) Add(path string, size int64, rank int) {
	s.Files = append(s.Files, File{Path: path, Size: size, Rank: rank})
}

// Sort puts the files in order.
func (s *Scan) Sort() {
	slices.SortStableFunc(s.Files, func(x, y File) int {
		return cmp.Or(cmp.Compare(x.Rank, y.Rank), strings.Compare(x.Path, y.Path))
	})
}

// A Match is a line that at least one pattern matches.
type Match struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column" jsonschema:"Where the first match begins, in bytes of the line, from 1"`
	Content  string   `json:"content" jsonschema:"The line; a long one is cut around the match"`
	Before   []string `json:"context_before,omitempty"`
	After    []string `json:"context_after,omitempty"`
	Patterns []int    `json:"patterns,omitempty" jsonschema:"Which patterns match, counted from 1; left out when only one was asked"`
}

// Paths returns the files that may match.
func (s *Scan) Paths() []string {
	list := make([]string, len(s.Files))
	for i := range s.Files {
		list[i] = s.Files[i].Path
	}
	return list
}

// Secrets returns the files whose text turned out to be secret.
func (s *Scan) Secrets() []string {
	s.finding.Lock()
	defer s.finding.Unlock()
	return slices.Clone(s.secrets)
}

// Count runs the first pass. Files are counted in their order until expressions have done
// what they may; those from there on are as if they held nothing, and so are those with a
// line that is too long for an expression.
func (s *Scan) Count(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	var next, done atomic.Int64
	s.Counts = make([]textmatch.Counts, len(s.Files))
	work := make([]textmatch.Work, len(s.Files)) // by each file
	for range min(runtime.GOMAXPROCS(0), len(s.Files)) {
		g.Go(func() error {
			r := s.reader()
			defer r.recycle()
			for {
				enough := done.Load() > textmatch.MostWork // by files whose turn was before that of i
				i := int(next.Add(1)) - 1
				if i >= len(s.Files) || enough {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				text, matchers := r.read(&s.Files[i])
				w := &work[i]
				*w = *textmatch.NewWork()
				switch {
				case len(text) == 0:
				case s.Invert:
					s.Counts[i] = textmatch.CountOthers(text, matchers, w)
				default:
					s.Counts[i] = textmatch.CountLines(text, matchers, w)
				}
				done.Add(w.Done())
			}
		})
	}
	if err := cmp.Or(g.Wait(), s.failed()); err != nil {
		return fmt.Errorf("scan: text: %w", err)
	}
	left := textmatch.MostWork
	for i := range work {
		if left -= work[i].Done(); left < 0 {
			s.Skipped += len(s.Files) - i
			clear(s.Counts[i:])
			break
		}
		if work[i].Out {
			s.Skipped++
			s.Counts[i] = textmatch.Counts{}
		}
	}
	return nil
}

// Lines runs the second pass over file i: up to n matching lines after a line,
// with the lines round each.
func (s *Scan) Lines(ctx context.Context, i, after, n, around int) ([]Match, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := s.reader()
	defer r.recycle()
	return r.lines(i, after, n, around, nil), s.failed()
}

// together is how many files Each reads before it yields the first of them.
const together = 16

// Each reads each file once, without a Count before, and yields what Lines finds in it, file
// after file, until yield returns false. Of the lines of file i only those count that keep
// says; it is called by several goroutines.
func (s *Scan) Each(ctx context.Context, keep func(i int, line []byte) bool,
	yield func(i int, lines []Match) bool) error {
	for from := 0; from < len(s.Files); from += together {
		found := make([][]Match, min(together, len(s.Files)-from))
		g, ctx := errgroup.WithContext(ctx)
		var next atomic.Int64
		for range min(runtime.GOMAXPROCS(0), len(found)) {
			g.Go(func() error {
				r := s.reader()
				defer r.recycle()
				for i := int(next.Add(1)) - 1; i < len(found); i = int(next.Add(1)) - 1 {
					if err := ctx.Err(); err != nil {
						return err
					}
					found[i] = r.lines(from+i, 0, math.MaxInt, 0, keep)
				}
				return nil
			})
		}
		if err := cmp.Or(g.Wait(), s.failed()); err != nil {
			return fmt.Errorf("scan: text: %w", err)
		}
		for i, lines := range found {
			if len(lines) > 0 && !yield(from+i, lines) {
				return nil
			}
		}
	}
	return nil
}

// lines returns up to n matching lines of file i after a line, with the lines round each.
func (r *fileReader) lines(i, after, n, around int, keep func(i int, line []byte) bool) (found []Match) {
	s := r.s
	text, matchers := r.read(&s.Files[i])
	number, counted := 1, 0
	each := textmatch.EachLine
	if s.Invert {
		each = textmatch.OtherLines
	}
	each(text, matchers, textmatch.SkipLines(text, after), textmatch.NewWork(), func(h textmatch.Hit) bool {
		if keep != nil && !keep(i, text[h.Lo:h.Hi]) {
			return true
		}
		number += bytes.Count(text[counted:h.Lo], []byte{'\n'})
		counted = h.Lo
		m := Match{
			File: s.Files[i].Path, Line: number, Column: h.Start - h.Lo + 1,
			Content: s.displayLine(text[h.Lo:h.Hi], h.Start-h.Lo),
			Before:  s.linesBefore(text, h.Lo, around), After: s.linesAfter(text, h.Hi, around),
		}
		if len(s.Matchers) > 1 {
			for _, p := range h.Patterns {
				m.Patterns = append(m.Patterns, p+1)
			}
		}
		found = append(found, m)
		return len(found) < n
	})
	return found
}

// noteExhausted remembers that a file was not read because the system has no more to give, of
// which the answer must not look as if the file held nothing.
func (s *Scan) noteExhausted(err error) {
	if files.Exhausted(err) {
		s.short.Store(&err)
	}
}

// failed returns what exhausted remembers.
func (s *Scan) failed() error {
	if err := s.short.Load(); err != nil {
		return *err
	}
	return nil
}

// displayLine is a line as answers show it.
func (s *Scan) displayLine(line []byte, start int) string {
	if s.Whole {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	return CutLine(line, start)
}

func (s *Scan) linesBefore(text []byte, lo, n int) []string {
	var list []string
	for ; n > 0 && lo > 0; n-- {
		start := textmatch.LineStart(text, lo-1)
		list = append(list, s.displayLine(bytes.TrimSuffix(text[start:lo-1], []byte{'\r'}), 0))
		lo = start
	}
	slices.Reverse(list)
	return list
}

func (s *Scan) linesAfter(content []byte, hi, n int) []string {
	var list []string
	for at := text.LineEnd(content, hi) + 1; n > 0 && at < len(content); n-- {
		end := text.LineEnd(content, at)
		list = append(list, s.displayLine(bytes.TrimSuffix(content[at:end], []byte{'\r'}), 0))
		at = end + 1
	}
	return list
}

// A fileReader reads one file after the other into the same memory.
type fileReader struct {
	s    *Scan
	from *repofile.Reader
	buf  []byte
}

func (s *Scan) reader() fileReader {
	r := fileReader{s: s, from: repofile.NewReader(s.root)}
	if b, ok := s.buffers.Get().(*[]byte); ok {
		r.buf = *b
	}
	return r
}

// keptBuffer bounds the memory that is kept for the next question.
const keptBuffer = 4 << 20

// recycle gives the reader's memory to the next one.
func (r *fileReader) recycle() {
	r.from.Close()
	if cap(r.buf) <= keptBuffer {
		r.s.buffers.Put(&r.buf)
	}
}

// read returns the text of a file as UTF-8, or nothing where no pattern can
// match it, and the matchers for it. The text is valid until the next read.
//
// Nearly all files are UTF-8 and hold no match, so both are found out on the
// raw bytes; only the rest is decoded.
func (r *fileReader) read(f *File) ([]byte, []*textmatch.Matcher) {
	raw, err := r.raw(f)
	if err != nil {
		r.s.noteExhausted(err)
		r.s.Unread.Add(1)
		return nil, nil
	}
	plain := bytes.IndexByte(raw, 0) < 0 && !bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) && !bytes.HasPrefix(raw, []byte{0xFF, 0xFE})
	matchers := r.s.Matchers
	if r.s.careful != nil && textmatch.UnlikeASCII(raw) {
		matchers = r.s.careful
	}
	if plain && !r.s.Invert && !textmatch.MayMatch(raw, matchers) {
		return nil, nil
	}
	if files.IsSecret(f.Path, raw[:min(len(raw), files.Head)]) {
		r.s.finding.Lock()
		r.s.secrets = append(r.s.secrets, f.Path)
		r.s.finding.Unlock()
		return nil, nil
	}
	text := bytes.TrimPrefix(raw, []byte("\uFEFF"))
	if !plain || bytes.IndexByte(raw, 0x1B) >= 0 || !utf8.Valid(raw) {
		decoded, cs := charset.Decode(raw)
		if cs == charset.Binary || charset.Detect(raw[:min(len(raw), files.Head)]) == charset.Binary {
			r.s.Binary.Add(1)
			return nil, nil
		}
		text = decoded
		if r.s.careful != nil && textmatch.UnlikeASCII(text) {
			matchers = r.s.careful
		}
	}
	text = redact.Keys(text)
	if r.expressions() && bytes.Contains(text, []byte("\r\n")) {
		// "$" comes before a line feed only. Lines and columns stay the same.
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text, matchers
}

// Matches reports whether one of the patterns matches a text that is not searched.
func (s *Scan) Matches(raw []byte) bool {
	m := s.Matchers
	if s.careful != nil && textmatch.UnlikeASCII(raw) {
		m = s.careful
	}
	return textmatch.MayMatch(raw, m) && slices.ContainsFunc(m, func(m *textmatch.Matcher) bool {
		_, _, ok := m.Next(raw, 0, &s.Beyond)
		return ok
	})
}

func (r *fileReader) expressions() bool {
	return slices.ContainsFunc(r.s.Matchers, func(m *textmatch.Matcher) bool { return !m.Exact })
}

// raw reads a file into the reader's memory.
func (r *fileReader) raw(f *File) (text []byte, err error) {
	text, err = r.from.ReadInto(f.Path, r.buf, f.Size)
	r.buf = text[:0]
	return text, err
}

// maxRunes is the length of a line that is not cut.
const maxRunes = 240

// CutLine shortens a long line to a stretch round the match that begins at start.
func CutLine(line []byte, start int) string {
	if utf8.RuneCount(line) <= maxRunes {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	lo := max(0, start-maxRunes/4)
	for lo > 0 && !utf8.RuneStart(line[lo]) {
		lo--
	}
	hi, runes := lo, 0
	for hi < len(line) && runes < maxRunes {
		_, n := utf8.DecodeRune(line[hi:])
		hi += n
		runes++
	}
	s := strings.ToValidUTF8(string(line[lo:hi]), "\uFFFD")
	if lo > 0 {
		s = "…" + s
	}
	if hi < len(line) {
		s += "…"
	}
	return s
}
