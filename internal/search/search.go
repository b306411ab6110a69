// Package search answers questions about a repository: which lines match a text, which files
// there are, where a name is defined, what refers to it, what a file declares, which code a
// sentence is about. A tool of a surface calls a method of [Engine]; the answer is put together
// from the index, package resolve and the files, and goes back as a struct and as text.
//
// Text and file names are looked up in the files themselves; everything else is asked of the
// index, which is brought up to date first. Package binding decides what occurrences refer to.
// Every answer is bounded, ranked and pageable, says how much of the whole it shows, and knows
// which lines it showed. A wrong argument comes back as a [problem.Problem] with a call that
// would work.
//
// The package changes nothing in the repository. What it keeps between two questions
// makes the next answer quicker, and no different.
package search

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/memory"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/provider"
	"codeintel/internal/resolve"
	"codeintel/internal/resolve/golang"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/trust"
)

// An Engine answers questions about one repository. It is safe for use by
// several goroutines.
type Engine struct {
	p     *project.Project
	x     *index.Index
	files *files.Lister
	types *golang.Checker
	names *resolve.Resolver
	exact *provider.Providers

	agreements *memory.Folder
	texts      *trust.Texts
	model      Meaning // nil if there is no embedding model

	memory *sync.Pool    // of *[]byte, for the files that one question reads
	reader *files.Reader // of the texts that answers show

	characters int // what an answer may weigh at most; 0 is what the caller asks for
}

// New returns an Engine over a project and its index.
func New(p *project.Project, x *index.Index) *Engine {
	lister := files.NewLister(p)
	if x != nil {
		lister = x.Lister()
	}
	return &Engine{
		p: p, x: x, files: lister, types: golang.NewChecker(p), names: newNames(p, x), exact: provider.Open(p),
		agreements: memory.Open(p), texts: trust.NewTexts(p.Root), memory: new(sync.Pool),
		reader: files.NewReader(p),
	}
}

// Within returns an Engine like e whose answers have at most so many
// characters: for clients that cut longer ones.
func (e *Engine) Within(characters int) *Engine {
	narrow := *e
	narrow.characters = characters
	return &narrow
}

// Where narrows a question to a part of the repository.
type Where struct {
	Path  string    `json:"path,omitempty" jsonschema:"File or directory to look in, relative to the repository; the whole repository if left out"`
	Globs OneOrMore `json:"globs,omitempty" jsonschema:"Only files that match one of these globs, such as src/**/*.go; a glob that begins with ! excludes files"`
}

// A Page says which part of a long answer is wanted.
type Page struct {
	Limit     int    `json:"limit,omitempty" jsonschema:"Maximum number of results"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous answer, to continue it; everything else as in that call"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"How long the answer may be, in tokens of about four characters; default 8000, at most 12500"`
}

// Remarks are what every answer says beside its content.
type Remarks struct {
	Notes     []msg.Message `json:"notes,omitempty" jsonschema:"What was left out and what may help"`
	Freshness string        `json:"freshness,omitempty" jsonschema:"How the answer was checked against the files on disk"`
	gaps.Completeness

	Printer msg.Printer `json:"-"`
}

// Note adds notes to an answer.
func (r *Remarks) Note(notes ...msg.Message) { r.Notes = append(r.Notes, notes...) }

// settle says how fresh and how complete an answer is; see [answerSteadily].
func (r *Remarks) settle(s *sources) {
	r.Freshness, r.Completeness = s.freshness, s.gaps.Completeness(s.pending, s.unread)
}

// Coverage says how much of the whole an answer shows.
type Coverage struct {
	Total      int    `json:"total" jsonschema:"How many results there are"`
	Shown      int    `json:"shown" jsonschema:"How many of them are in this answer"`
	NextCursor string `json:"next_cursor,omitempty" jsonschema:"Pass as cursor to see the next ones"`
	Remarks
}

// Refresh brings the index up to date for a question about names, if there are any: the
// files that hold one of them are read before others.
func (e *Engine) Refresh(ctx context.Context, names ...string) error {
	var first func() ([]string, error)
	if len(names) > 0 {
		first = func() ([]string, error) { return e.filesWith(ctx, names) }
	}
	if err := e.x.RefreshFor(ctx, first); err != nil {
		return fmt.Errorf("search: refresh: %w", err)
	}
	return nil
}

// filesWith returns the files that hold the last part of one of the names, best first.
func (e *Engine) filesWith(ctx context.Context, names []string) ([]string, error) {
	var words []*textmatch.Matcher
	for _, n := range names {
		word := strings.TrimLeft(symbolname.Parse(n).Base, "$@:#.")
		if m, err := textmatch.New("", word, textmatch.Form{}); err == nil && word != "" && len(words) < textmatch.MaxPatterns {
			words = append(words, m)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	s, _, err := e.textsWith(ctx, Where{}, "", words)
	if err != nil {
		return nil, err
	}
	s.bestFirst()
	if err := s.Count(ctx); err != nil {
		return nil, err
	}
	var all []string
	for i := range s.Files {
		if s.Counts[i].Lines > 0 {
			all = append(all, s.Files[i].Path)
		}
	}
	return all, nil
}

// refresh brings the index up to date and begins an answer from it; names are those that
// the question is about.
func (e *Engine) refresh(ctx context.Context, src *sources, names ...string) error {
	if err := e.Refresh(ctx, names...); err != nil {
		return err
	}
	src.Begin()
	return nil
}

// narrow checks which files and languages a question is about, brings the index up
// to date and begins an answer from it; names are those that the question is about.
func (e *Engine) narrow(ctx context.Context, src *sources, w Where, language string, names ...string) (area, error) {
	a, err := e.area(w, language)
	if err != nil {
		return a, err
	}
	if err := e.pathExists(ctx, &a); err != nil {
		return a, err
	}
	src.area = a
	return a, e.refresh(ctx, src, names...)
}

// freshness says how long ago the index was held against the files.
func freshness(f index.Freshness, now time.Time) string {
	if f.VerifiedAt.IsZero() {
		return fmt.Sprintf("index not verified, generation %d", f.Generation)
	}
	s := fmt.Sprintf("index verified %.1f s ago, generation %d", max(now.Sub(f.VerifiedAt), 0).Seconds(), f.Generation)
	switch {
	case f.Building:
		s += fmt.Sprintf("; index %d %% built: %d of %d files are not read yet", f.Built(), f.Pending, f.Files)
	case f.Pending > 0:
		s += fmt.Sprintf("; %d changed files are not read yet", f.Pending)
	}
	return s
}

// Forget lets go of what was worked out for earlier questions and may serve later
// ones: the types of Go packages, the meanings of names in other languages, what files hold,
// language servers. It is for a server that nobody has asked for a while.
func (e *Engine) Forget() {
	e.reader.Forget()
	e.names.Forget()
	e.types.Forget()
	e.exact.Stop()
}

// Close ends the language servers that were started for questions.
func (e *Engine) Close() { e.exact.Stop() }
