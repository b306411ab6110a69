package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/ranking"
	"codeintel/internal/index/segment"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
)

// Freshness says how much an answer can be trusted to be of now.
type Freshness struct {
	Generation int64
	VerifiedAt time.Time // when the files were last looked at; zero: never by this Index
	Pending    int       // files known to be different from what the index says
	Writer     bool      // somebody else was writing then
	Building   bool      // the index is being built for the first time
	Files      int       // while it is: how many files it will hold
}

// Built says how much of an index that is being built is there, in percent.
func (f Freshness) Built() int {
	if f.Files == 0 {
		return 0
	}
	return 100 * max(f.Files-f.Pending, 0) / f.Files
}

// Freshness returns what the last [Index.Refresh] or [Index.Sync] saw.
func (x *Index) Freshness() Freshness {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.state
}

// Stats are the figures of an index.
type Stats struct {
	Files, Symbols, Chunks, Occurrences int
	Bytes                               int64
	Languages                           map[syntax.Language]int // indexed files by language
	Skipped                             map[files.Class]int     // files not indexed, as of SyncedAt
	Partial                             int                     // files that could not be parsed to the end
	Segments                            int
	DiskBytes                           int64     // of all that is in the index's folder
	SyncedAt                            time.Time // when a whole synchronisation last ended; zero: never
	Freshness
}

// Stats returns the figures of the index as it is.
func (x *Index) Stats(ctx context.Context) (st Stats, err error) {
	var generation int64
	err = x.ask(ctx, func(s *snapshot) (err error) {
		generation = s.generation
		st, err = s.figures(ctx)
		return err
	})
	st.Freshness, st.DiskBytes = x.Freshness(), folderBytes(x.dir)
	st.Generation = generation // of what was counted, also where nothing was looked at yet
	return st, err
}

// folderBytes adds up what is in a folder; what goes meanwhile does not count.
func folderBytes(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// SyncedAt returns when the index was last synchronised as a whole, zero if it
// never was. It costs nothing beside [Index.Stats].
func (x *Index) SyncedAt() time.Time {
	s := x.acquire(shown)
	defer x.release(s)
	return s.notes.synced
}

// Chunks returns how many chunks there are, which costs less than [Index.Stats],
// and in which generation.
func (x *Index) Chunks(ctx context.Context) (n int, generation int64, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		n, generation = 0, s.generation
		s.each(func(r postings.Ref) bool {
			first, end := s.parts[r.Part].seg.ChunksOf(r.File)
			n += end - first
			return true
		})
		return ctx.Err()
	})
	return n, generation, err
}

// Contents say which files an index holds, and by which text. They are compared with ==, also
// by another process and after the index was built anew.
type Contents struct {
	Chunks int    `json:"chunks"`
	Sum    string `json:"sum"` // of the paths and hashes of all files, in no order
}

// Contents returns what the index holds now.
func (x *Index) Contents(ctx context.Context) (c Contents, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		all := sha256.Sum256([]byte(s.notes.recipe))
		c.Chunks = 0
		s.each(func(r postings.Ref) bool {
			first, end := s.parts[r.Part].seg.ChunksOf(r.File)
			c.Chunks += end - first
			hash := s.attributes(r).hash
			one := sha256.Sum256(append(hash[:], s.path(r)...))
			for i := range all {
				all[i] ^= one[i]
			}
			return ctx.Err() == nil
		})
		c.Sum = hex.EncodeToString(all[:])
		return ctx.Err()
	})
	return c, err
}

// Whole reports whether the index holds all files of the project, as of the last look at them:
// it is not being built, and no file that changed waits to be read.
func (x *Index) Whole() bool {
	s := x.acquire(shown)
	defer x.release(s)
	f := x.Freshness()
	return !s.notes.synced.IsZero() && !f.Building && f.Pending == 0
}

// snapshotCounts keeps what counting a snapshot came to.
type snapshotCounts struct {
	mu    sync.Mutex
	stats *Stats

	once     sync.Once
	damage   any    // what counting panicked with; see [segment.Guard]
	language string // of more than half of the files
	shape    *ranking.Shape
}

// rankingShape returns what the paths of all files say about their marks. It counts once.
func (s *snapshot) rankingShape() *ranking.Shape {
	s.mainLanguage()
	return s.counted.shape
}

// mainLanguage returns the language of more than half of the files, "" if there is
// none. It counts once.
func (s *snapshot) mainLanguage() string {
	s.counted.once.Do(s.countFiles)
	if s.counted.damage != nil {
		panic(s.counted.damage)
	}
	return s.counted.language
}

// countAhead has another goroutine count what shape and mostly return, unless that is done.
// The snapshot may be released once the function that it returns has returned.
func (s *snapshot) countAhead() (wait func()) {
	var g sync.WaitGroup
	g.Go(func() {
		segment.Guard(func() error { s.counted.once.Do(s.countFiles); return nil })
	})
	return g.Wait
}

func (s *snapshot) countFiles() {
	defer func() { s.counted.damage = recover() }()
	files, by := 0, make(map[string]*int)
	s.each(func(r postings.Ref) bool {
		files++
		name := s.language(r)
		n := by[string(name)]
		if n == nil {
			n = new(int)
			by[string(name)] = n
		}
		*n++
		return true
	})
	s.counted.shape = ranking.ShapeOf(func(yield func(string) bool) {
		s.each(func(r postings.Ref) bool { return yield(s.path(r)) })
	})
	for language, n := range by {
		if *n > files/2 {
			s.counted.language = language
		}
	}
}

// figures counts the snapshot, once.
func (s *snapshot) figures(ctx context.Context) (Stats, error) {
	s.counted.mu.Lock()
	defer s.counted.mu.Unlock()
	if s.counted.stats == nil {
		st, err := s.count(ctx)
		if err != nil {
			return Stats{}, err
		}
		s.counted.stats = &st
	}
	st := *s.counted.stats
	st.Languages, st.Skipped = maps.Clone(st.Languages), maps.Clone(st.Skipped)
	return st, nil
}

func (s *snapshot) count(ctx context.Context) (Stats, error) {
	st := Stats{Languages: make(map[syntax.Language]int), Skipped: s.notes.skipped, SyncedAt: s.notes.synced}
	for _, p := range s.parts {
		if p.id != 0 {
			st.Segments++
		}
	}
	var failed error
	s.each(func(r postings.Ref) bool {
		at := s.attributes(r)
		o, err := s.outline(r)
		if err != nil {
			failed = err
			return false
		}
		st.Files++
		st.Bytes += at.size
		st.Languages[syntax.Language(at.language)]++
		st.Symbols += o.symbols.n
		st.Chunks += o.chunks.n
		st.Occurrences += o.occurrences
		if o.partial != "" && at.language != "" {
			st.Partial++
		}
		return ctx.Err() == nil
	})
	return st, cmp.Or(failed, ctx.Err())
}

// A FileInfo is what the index knows of a file as a whole.
type FileInfo struct {
	Path     string
	Language syntax.Language
	Lines    int
	Hash     string // hex SHA-256 of the file as it is on disk
	Partial  string // why something of it is missing; "" when nothing is
}

// Files returns every indexed file, sorted by path.
func (x *Index) Files(ctx context.Context) (all []FileInfo, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		all = nil
		var failed error
		s.each(func(r postings.Ref) bool {
			f, err := s.info(r)
			if err != nil {
				failed = err
				return false
			}
			all = append(all, f)
			return ctx.Err() == nil
		})
		return cmp.Or(failed, ctx.Err())
	})
	slices.SortFunc(all, func(a, b FileInfo) int { return cmp.Compare(a.Path, b.Path) })
	return all, err
}

// File returns one file; a path that is not indexed is a Problem.
func (x *Index) File(ctx context.Context, path string) (f FileInfo, err error) {
	err = x.askFile(ctx, path, func(s *snapshot, r postings.Ref, _ *outline) (err error) {
		f, err = s.info(r)
		return err
	})
	return f, err
}

func (s *snapshot) info(r postings.Ref) (FileInfo, error) {
	at := s.attributes(r)
	o, err := s.outline(r)
	return FileInfo{Path: s.path(r), Language: syntax.Language(at.language),
		Lines: o.lines, Hash: hex.EncodeToString(at.hash[:]), Partial: o.partial}, err
}

// HasText reports whether the index has the file at path by the text with a hash,
// hex SHA-256, or does not have the file at all: whether what it says of the file
// may be shown beside that text.
func (x *Index) HasText(ctx context.Context, path, hash string) (ok bool, err error) {
	err = x.ask(ctx, func(s *snapshot) error {
		r, known := s.find(path)
		if ok = !known; known {
			at := s.attributes(r)
			ok = hex.EncodeToString(at.hash[:]) == hash
		}
		return nil
	})
	return ok, err
}

// A Version says whether two answers were given from the same state of the
// index, to those who need several for one of their own. Versions are compared
// with ==.
type Version struct{ state, damages int64 }

// Version returns the state that the index answers from now.
func (x *Index) Version() Version {
	x.mu.Lock()
	defer x.mu.Unlock()
	return Version{x.shown.state, x.damages}
}

// askFile is ask about one file.
func (x *Index) askFile(ctx context.Context, path string, f func(*snapshot, postings.Ref, *outline) error) error {
	return x.ask(ctx, func(s *snapshot) error {
		r, ok := s.find(path)
		if !ok {
			return x.absent(s, path)
		}
		o, err := s.outline(r)
		if err != nil {
			return err
		}
		return f(s, r, &o)
	})
}

// NotYet is the code of a file that the index has yet to read: it is being built or, after
// damage, built anew.
const NotYet problem.Code = "not_indexed_yet"

// UnreadProblem is the Problem of such a file.
func UnreadProblem(path string) *problem.Problem {
	return problem.New(NotYet, "index.not_indexed_yet", path).Or("index.sync_and_ask_again", op.SyncIndex)
}

// absent says why a state of the index does not have a path.
func (x *Index) absent(s *snapshot, path string) *problem.Problem {
	_, known := s.classes[path]
	if f := x.Freshness(); !known && (f.Building || f.Pending > 0 || len(s.missing) > 0 || s.damaged > 0) {
		return UnreadProblem(path)
	}
	return s.notIndexed(path)
}

// notIndexed says why the index does not have a path, as far as it knows.
func (s *snapshot) notIndexed(path string) *problem.Problem {
	if class, ok := s.classes[path]; ok {
		return NotIndexed(path, class)
	}
	return problem.New(problem.NotFound, "index.not_index", path).
		Or("index.check_spelling", op.SearchFiles)
}

// NotIndexed is the Problem of a file that is not indexed because of its class.
func NotIndexed(path string, class files.Class) *problem.Problem {
	return problem.New(problem.NotFound, "index.not_indexed_because", path, class).OrSay(class.WayOut())
}
