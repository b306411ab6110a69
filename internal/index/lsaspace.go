package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/index/lsa"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/sqlite"
	"codeintel/internal/platform/repofile"
)

// spaceName is the file of the LSA space and of the places of all chunks that
// had any when it was written.
const spaceName = "latent.space"

// When the space is made again.
const (
	fittedDrift = 0.25  // the number of chunks differs by this share from when it was fitted
	unplaced    = 0.02  // this share of the chunks has no place in the file; then only those are added
	foldAtOnce  = 20000 // chunks of a segment that a question may place itself
)

// A project of no more than this is too small to learn from. Sizes are of records, packed.
const (
	smallProjectFiles = 128
	smallProjectBytes = 1 << 20
)

// spaceCache keeps the space that is in use open.
type spaceCache struct {
	mu     sync.Mutex
	space  *lsa.Space
	file   os.FileInfo // that it was opened from; nil if none was tried
	missed bool        // one was missing, and somebody was told to make it
	broken bool        // it was found damaged, and nobody has tried yet to make it again
}

// forget has the file opened, and checked against its checksums, anew.
func (v *spaceCache) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.space, v.file = nil, nil
}

// space returns the LSA space of the repository, nil if there is none. One that is found
// damaged is made again first.
func (x *Index) space(ctx context.Context) *lsa.Space {
	space, damaged := x.openSpace()
	if !damaged {
		return space
	}
	if done := x.requestSync(); done != nil {
		x.await(ctx, done)
	} else if unlock, err := x.lockWriting(); err == nil && unlock != nil { // nobody will do it later
		x.withDB(ctx, func(db *sqlite.DB) error { // which, where it is damaged, the next look at the files repairs
			s := x.acquire(base)
			defer x.release(s)
			x.learn(ctx, db, s)
			return nil
		})
		unlock()
	}
	space, _ = x.openSpace()
	x.spaces.mu.Lock()
	defer x.spaces.mu.Unlock()
	x.spaces.broken = false // it has been tried
	return space
}

// openSpace returns the LSA space as its file has it; damaged says that it is worth to try
// to make it again.
func (x *Index) openSpace() (space *lsa.Space, damaged bool) {
	v := &x.spaces
	v.mu.Lock()
	defer v.mu.Unlock()
	path := filepath.Join(x.folder(), spaceName)
	info, err := os.Stat(path)
	if err != nil {
		v.space, v.file = nil, nil
		if !v.missed { // once: a small project has none
			v.missed = true
			x.requestSync()
		}
		return nil, false
	}
	if v.file != nil && os.SameFile(info, v.file) && info.Size() == v.file.Size() &&
		info.ModTime().Equal(v.file.ModTime()) {
		return v.space, v.broken
	}
	v.space, v.file, v.broken = nil, info, false
	s, err := lsa.Open(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			x.log.Warn("index: LSA space damaged; it is made again", "error", err)
			v.broken = true
			return nil, true
		}
		return nil, false
	}
	// Questions under way may hold the one before, so it is not closed here.
	runtime.AddCleanup(s, func(f *segment.File) { f.Close() }, s.File())
	v.space, v.missed = s, false
	return s, false
}

// learn brings the LSA space up to date with a snapshot, as far as it can: all
// goes well without it, only questions find less. It runs under the write lock.
func (x *Index) learn(ctx context.Context, db *sqlite.DB, s *snapshot) {
	var segments []lsa.Segment
	chunks, known := 0, 0
	space, _ := x.openSpace()
	blocks := make(map[string]lsa.Places)
	for _, p := range s.parts {
		if p.id == 0 {
			continue
		}
		segments = append(segments, p.seg)
		chunks += p.seg.Chunks()
		if space == nil {
			continue
		}
		if b, ok := space.Places(p.seg.Label()); ok {
			known += p.seg.Chunks()
			blocks[p.seg.Label()] = b
		}
	}
	living := 0 // chunks, with those that are in no segment yet
	if segment.Guard(func() error { living = s.chunks(); return nil }) != nil {
		return // the next question says what is damaged
	}
	switch drift := float64(living); {
	case space != nil && drift < (1+fittedDrift)*float64(space.Fitted()) &&
		drift > (1-fittedDrift)*float64(space.Fitted()):
		if float64(chunks-known) <= unplaced*float64(chunks) {
			return
		}
	default:
		err := segment.Guard(func() error {
			space = nil
			if len(segments) > 0 && !tooSmallToLearn(ctx, db) {
				space = s.fit()
			}
			return nil
		})
		clear(blocks)
		if space == nil || err != nil {
			if err := repofile.At(filepath.Join(x.folder(), spaceName)).Remove(); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				x.log.Warn("index: LSA space not removed", "error", err)
			}
			return
		}
	}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	placed := func(seg lsa.Segment) bool { _, ok := blocks[seg.Label()]; return ok }
	for _, seg := range slices.DeleteFunc(segments, placed) { // told before anybody writes to blocks
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return segment.Guard(func() error {
				b := space.Fold(seg)
				seg.Release()
				mu.Lock()
				defer mu.Unlock()
				blocks[seg.Label()] = b
				return nil
			})
		})
	}
	err := g.Wait()
	if err == nil { // guarded, as blocks and the space may be in a file that somebody cuts
		err = segment.Guard(func() error { return space.WriteFile(filepath.Join(x.folder(), spaceName), blocks) })
	}
	if err != nil && !errors.Is(err, context.Canceled) { // the next run writes it
		x.log.Warn("index: LSA space not written", "error", err)
	}
	runtime.KeepAlive(space) // blocks may be in its file
}

// tooSmallToLearn reports whether a project is too small to learn from.
func tooSmallToLearn(ctx context.Context, db *sqlite.DB) bool {
	files, bytes, err := sizeOf(ctx, db.Reader(), "true")
	return err == nil && files <= smallProjectFiles && bytes <= smallProjectBytes
}

// chunks returns how many chunks living files have.
func (s *snapshot) chunks() (n int) {
	s.each(func(r postings.Ref) bool {
		first, end := s.parts[r.Part].seg.ChunksOf(r.File)
		n += end - first
		return true
	})
	return n
}

// fit makes a space of the living files, in the order of their paths.
func (s *snapshot) fit() *lsa.Space {
	segments := make([]lsa.Segment, len(s.parts))
	for i, p := range s.parts {
		segments[i] = p.seg
	}
	type living struct {
		path string
		lsa.File
	}
	var all []living
	s.each(func(r postings.Ref) bool {
		first, end := s.parts[r.Part].seg.ChunksOf(r.File)
		all = append(all, living{s.path(r), lsa.File{Segment: r.Part, First: first, End: end}})
		return true
	})
	slices.SortFunc(all, func(a, b living) int { return strings.Compare(a.path, b.path) })
	files := make([]lsa.File, len(all))
	for i := range all {
		files[i] = all[i].File
	}
	return lsa.Fit(segments, files)
}

// placesCache keeps the places of a part that the file of the space has none for.
type placesCache struct {
	mu     sync.Mutex
	space  *lsa.Space
	places lsa.Places
}

// places returns where the chunks of a part are in space; none if there are too
// many to find that out now.
func (p *part) places(space *lsa.Space) lsa.Places {
	if b, ok := space.Places(p.seg.Label()); ok && p.id != 0 {
		return b
	}
	if p.seg.Chunks() > foldAtOnce {
		return nil
	}
	p.placed.mu.Lock()
	defer p.placed.mu.Unlock()
	if p.placed.space != space {
		p.placed.space, p.placed.places = space, space.Fold(p.seg)
	}
	return p.placed.places
}
