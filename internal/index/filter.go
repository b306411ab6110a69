package index

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/trigram"
)

// A segmentFilter is the trigram filter beside a segment: of the files of the segment,
// by their numbers there. It is opened when it is first asked for. One that is
// missing or damaged leaves nothing out, and is made again by the next whole
// synchronisation, from the files.
type segmentFilter struct {
	mu     sync.Mutex
	tried  bool
	filter *trigram.Filter
	worn   []*trigram.Filter // damaged ones that somebody may still read in
}

// filterName is the file of the filter that belongs to a segment.
func filterName(segment string) string {
	return strings.TrimSuffix(segment, segmentSuffix) + filterSuffix
}

// open returns the filter, nil if there is none. Fresh says that this found out
// that there is none.
func (v *segmentFilter) open(dir string, seg *postings.Segment) (f *trigram.Filter, fresh bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.tried {
		return v.filter, false, nil
	}
	v.tried = true
	if v.filter, err = openFilter(dir, seg); err != nil {
		return nil, true, err
	}
	return v.filter, false, nil
}

// openFilter opens the filter of a segment.
func openFilter(dir string, seg *postings.Segment) (*trigram.Filter, error) {
	f, err := trigram.OpenFile(filepath.Join(dir, filterName(seg.Label())))
	if err != nil {
		return nil, err
	}
	if f.Label() != seg.Label() || f.Files() != seg.Files() {
		return nil, errors.Join(fmt.Errorf("%s: of another segment: %w", seg.Label(), trigram.ErrCorrupt), f.Close())
	}
	return f, nil
}

// checkFilter compares the filter on the disk with its checksums, because that is
// what other processes will open.
func checkFilter(dir string, seg *postings.Segment) error {
	f, err := openFilter(dir, seg)
	if err != nil {
		return err
	}
	return errors.Join(f.Check(), f.Close())
}

// damaged puts a filter aside that turned out to be damaged.
func (v *segmentFilter) damaged(f *trigram.Filter) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.filter == f {
		v.worn = append(v.worn, f)
		v.filter = nil
	}
}

// retry has a filter that was missing looked for again.
func (v *segmentFilter) retry() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tried = v.filter != nil
}

func (v *segmentFilter) close() (err error) {
	for _, f := range append(v.worn, v.filter) {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	v.filter, v.worn = nil, nil
	return err
}

// candidates returns the files of a part that q may hold for. ok is false where the
// part has no filter.
func (x *Index) candidates(p *part, q trigram.Query) (found trigram.Bits, ok bool) {
	if p.id == 0 {
		return nil, false
	}
	f, fresh, err := p.filter.open(x.folder(), p.seg)
	if fresh {
		x.log.Warn("index: trigram filter missing or damaged; it is made again", "segment", p.seg.Label(), "error", err)
		x.requestSync()
	}
	if f == nil {
		return nil, false
	}
	found, err = f.Match(q)
	if err != nil {
		x.log.Warn("index: trigram filter damaged; it is made again", "segment", p.seg.Label(), "error", err)
		p.filter.damaged(f)
		x.requestSync()
		return nil, false
	}
	return found, true
}

// repairFilters builds filters again that are missing or damaged, as far as it can:
// searches work without them, only slower. It runs under the write lock.
func (x *Index) repairFilters(ctx context.Context, s *snapshot) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range s.parts {
		if p.id == 0 {
			continue
		}
		if checkFilter(x.folder(), p.seg) == nil {
			p.filter.retry()
			continue
		}
		g.Go(func() error {
			err := segment.Guard(func() error { return x.rebuildFilter(ctx, p) })
			if err != nil {
				x.log.Warn("index: trigram filter not made again", "segment", p.seg.Label(), "error", err)
				return nil
			}
			x.log.Warn("index: trigram filter was missing or damaged, and was made again", "segment", p.seg.Label())
			p.filter.retry()
			return nil
		})
	}
	g.Wait()
}

func (x *Index) rebuildFilter(ctx context.Context, p *part) error {
	var b trigram.Builder
	var scanner trigram.Scanner
	for i := range p.seg.Files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := decodeAttributes(p.seg.Attributes(i))
		if set, ok := x.trigramsOf(&scanner, p.seg.Path(i), at.hash); ok {
			b.Add(set)
		} else {
			b.AddUnknown()
		}
	}
	if err := b.WriteFile(filepath.Join(x.folder(), filterName(p.seg.Label())), p.seg.Label()); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// trigramsOf reads a file again, if it still has the text with a hash.
func (x *Index) trigramsOf(scanner *trigram.Scanner, path string, hash [32]byte) (trigram.Set, bool) {
	text, err := files.ReadEntry(x.p, files.Entry{Path: path})
	if err != nil || text.Hash != hex.EncodeToString(hash[:]) {
		return nil, false // it is read again, and then is in another segment
	}
	return scanner.Scan(text.Bytes), true
}

// trigrams returns what gives the trigrams of files that go into a segment: as
// they were found when the file was read, else from the file.
func (r *run) trigrams() func(*freshFile) (trigram.Set, bool) {
	var scanner trigram.Scanner
	return func(f *freshFile) (trigram.Set, bool) {
		if set, ok := r.sets[f.at.hash]; ok {
			return set, true
		}
		return r.x.trigramsOf(&scanner, f.path, f.at.hash)
	}
}
