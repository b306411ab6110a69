package search

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"codeintel/internal/index"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/scan"
	"codeintel/internal/syntax"
	"codeintel/internal/text/terms"
)

// How many texts, and bytes of them, are held at a time, beside the last.
const (
	maxCachedTexts = 32
	maxCachedBytes = 64 << 20
)

// sources reads the files that one answer shows. Answers go through files in
// order, so that few texts are read twice.
type sources struct {
	e    *Engine
	text map[string]*scan.Lines
	held int // bytes of text

	comments map[string][]bool // lines that are but comments
	words    terms.Tokenizer

	checkHash bool              // against the index: only texts that it speaks of are shown
	at        index.Version     // of the index, when the answer was begun
	behind    bool              // the index was behind the files then, and the answer says so
	moved     bool              // a text was not the one that the index speaks of
	alone     map[string]string // files that the answer is about as they are now, with the hashes of their texts; nil: of the index

	freshness string   // how fresh the index was then
	gaps      gaps.Set // what the answer may lack
	pending   int      // files that are not in the index yet
	unread    int      // commits that are not read yet
	area      area     // what the question is about
	judged    int      // occurrences of names that were judged
}

func (e *Engine) sources() *sources {
	return &sources{e: e, text: map[string]*scan.Lines{}}
}

// maxAttempts bounds how often an answer is begun anew because files change
// under it. They do so between two questions, not all the time.
const maxAttempts = 4

// answerSteadily calls answer, and calls it again, once changes have settled, if the index or a
// file changed meanwhile, so that line numbers and their text are of one state. If every attempt meets with
// changes, places are shown without their text, and the answer says that it may lack
// something: a place found before a change may not be found again after it. An answer that says it may lack
// something is not begun anew, unless it was begun before that could be said: the
// index may have been found damaged meanwhile. An answer is begun anew, too, if
// somebody wrote to a file of the index; if that does not end, it is an error. So is a
// refusal that a change may have caused.
// An answer with [Remarks] says how fresh it is.
func answerSteadily[A any](
	ctx context.Context, e *Engine, answer func(context.Context, *sources) (A, error),
) (a A, err error) {
	ctx, done := e.x.InTurn(index.WithQuestionTime(ctx))
	defer done()
	for n := 1; ; n++ {
		if n > 1 {
			e.x.Settle(ctx, n-1)
			ctx = index.RestartQuestion(ctx)
		}
		src := e.sources()
		src.checkHash = true
		src.Begin()
		if a, err = answer(ctx, src); index.Cut(ctx) {
			src.Lacks(gaps.Places)
		}
		framed, _ := any(a).(interface {
			settle(*sources)
			hide(s *sources, answer any)
		})
		damaged := e.x.DamagedSince(src.at)
		changed := src.moved || src.alone == nil && src.at != e.x.Version()
		if changed && n == maxAttempts {
			src.Lacks(gaps.Changing)
		}
		if err != nil {
			framed = nil
		} else if framed != nil {
			framed.settle(src)
		}
		switch {
		case src.alone != nil && (n == maxAttempts || err != nil || !changed):
			return a, err
		case src.behind && (err == nil || !changed || n == maxAttempts), !damaged && (n == maxAttempts || !changed):
			if framed != nil {
				framed.hide(src, a)
			}
			return a, err
		case n == maxAttempts:
			var none A
			return none, index.ReplacedProblem()
		}
	}
}

// Sources are what an answer of another package is put together from.
type Sources struct{ *sources }

// Line returns a line without its indentation, cut if long.
func (s Sources) Line(file string, line int) string {
	return strings.TrimLeft(s.lineAt(file, line, 1), " \t")
}

// Judged returns how many occurrences [Sources.Mentions] has judged so far.
func (s Sources) Judged() int { return s.judged }

// LacksCommits says that the answer may lack what so many commits would say.
func (s Sources) LacksCommits(unread int) {
	if s.unread = unread; unread > 0 {
		s.Lacks(gaps.Commits)
	}
}

// Fresh brings the index up to date for a question about names, if there are any, and
// begins an answer about a part of the project from it. The function it returns reports
// whether a file lies in that part.
func (s Sources) Fresh(ctx context.Context, w Where, names ...string) (func(file string) bool, error) {
	a, err := s.e.narrow(ctx, s.sources, w, "", names...)
	if err != nil {
		return nil, err
	}
	return func(file string) bool { return a.contains(file, "") }, nil
}

// Within is [Sources.Fresh] for a question about one language, "" for all.
func (s Sources) Within(ctx context.Context, w Where, language string) (func(file string) bool, error) {
	a, err := s.e.narrow(ctx, s.sources, w, language)
	if err != nil {
		return nil, err
	}
	return func(file string) bool { return a.contains(file, syntax.Detect(file, nil)) }, nil
}

// Steady puts an answer of another package together as this package does with its
// own: answer calls Begin when the index is fresh.
func Steady[A any](
	ctx context.Context, e *Engine, answer func(context.Context, Sources) (A, error),
) (A, error) {
	return answerSteadily(ctx, e, func(ctx context.Context, src *sources) (A, error) { return answer(ctx, Sources{src}) })
}

// Begin says that the index is fresh, and the answer is put together from here. The
// version is taken first: an index that is found damaged says that it is behind
// before it answers from another database.
func (s *sources) Begin() {
	s.at = s.e.x.Version()
	f := s.e.x.Freshness()
	s.behind = f.Pending > 0 || f.Building
	s.freshness = freshness(f, time.Now())
	if s.pending = f.Pending; s.behind {
		s.Lacks(gaps.Index)
	}
}

// readsFiles says that the answer is put together from files as they are now, whatever
// the index has read.
func (s *sources) readsFiles() {
	s.alone = map[string]string{}
	s.behind, s.pending, s.freshness = false, 0, fromFiles
	delete(s.gaps, gaps.Index)
}

// fromFiles is the freshness of an answer that is read from the files themselves.
const fromFiles = "read from the files themselves"

// Text returns the text of a file; see lines.
func (s *sources) Text(file string) []byte { return s.lines(file).Text }

// lines returns the text of a file. One that went away since the index looked is
// empty: the answer then shows its places without their text.
func (s *sources) lines(file string) *scan.Lines {
	if t, ok := s.text[file]; ok {
		return t
	}
	if len(s.text) >= maxCachedTexts || s.held > maxCachedBytes {
		clear(s.text)
		s.held = 0
	}
	t, err := s.e.reader.Read(file)
	if err != nil {
		t.Bytes = nil
	} else if hash, alone := s.alone[file]; alone {
		if hash != t.Hash {
			t.Bytes, s.moved = nil, true
		}
	} else if s.checkHash {
		if ok, err := s.e.x.HasText(context.Background(), file, t.Hash); err != nil || !ok {
			t.Bytes, s.moved = nil, true
		}
	}
	s.text[file] = &scan.Lines{Text: t.Bytes}
	s.held += len(t.Bytes)
	return s.text[file]
}

// terms yields the terms of a text; see [terms.binding.Code].
func (s *sources) terms(text []byte, yield func(term string)) {
	s.words.Trim()
	s.words.Code(text, func(term int32) { yield(s.words.Term(term)) })
}

// Lacks notes that the answer may lack something of these files.
func (s *sources) Lacks(why gaps.Reason, files ...string) { s.gaps.Add(why, files...) }

// LineCount returns how many lines a file has.
func (s *sources) LineCount(file string) int { return s.lines(file).Count() }

// Offset returns the byte where a line begins, or the end of the text.
func (s *sources) Offset(file string, line int) int { return s.lines(file).Offset(line) }

// Raw returns lines as they are, without the last line break.
func (s *sources) Raw(file string, start, end int) []byte { return s.lines(file).Raw(start, end) }

// lineAt returns a line, cut if long.
func (s *sources) lineAt(file string, line, column int) string {
	l := s.Raw(file, line, line)
	at := min(max(column-1, 0), len(l))
	return strings.TrimRight(scan.CutLine(l, at), " \t")
}

// Block returns up to n lines from start, each cut if long, and the last line
// it shows. What is left out is said by the caller.
func (s *sources) Block(file string, start, end, n int) (text string, last int) {
	last = s.lines(file).Last(min(end, start+n-1))
	if last < start {
		return "", start - 1
	}
	var b strings.Builder
	for i := start; i <= last; i++ {
		l := bytes.TrimSuffix(s.Raw(file, i, i), []byte{'\r'})
		b.WriteString(scan.CutLine(l, 0))
		b.WriteByte('\n')
	}
	return b.String(), last
}

// restText says that lines were left out of a block.
func restText(last, end int) string {
	if last >= end {
		return ""
	}
	return fmt.Sprintf("lines %d-%d left out", last+1, end)
}
