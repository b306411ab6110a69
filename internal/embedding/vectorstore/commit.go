package vectorstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	container "codeintel/internal/index/segment"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
)

// Upsert adds items, and replaces those with the same IDs.
func (e *Embedded) Upsert(ctx context.Context, items []Item) error {
	items, err := e.c.Prepare(items)
	if err != nil || len(items) == 0 {
		return err
	}
	return e.change(ctx, func(v *view) ([]*part, error) {
		parts, err := v.drop(ctx, len(items), func(i int) string { return items[i].ID })
		if err != nil {
			return nil, err
		}
		added, err := e.add(ctx, &itemTable{items: items, dim: e.c.Dimension})
		if err != nil {
			return nil, err
		}
		return append(parts, added), nil
	})
}

// Delete takes items out.
func (e *Embedded) Delete(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return e.change(ctx, func(v *view) ([]*part, error) {
		return v.drop(ctx, len(ids), func(i int) string { return ids[i] })
	})
}

// drop returns the parts of v without some IDs, which are sorted. Parts of which
// nothing lives are left out.
func (v *view) drop(ctx context.Context, n int, id func(i int) string) ([]*part, error) {
	var left []*part
	for _, p := range v.parts {
		var rows []int
		after := 0
		for i := 0; i < n && after < p.seg.rows; i++ {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			var found bool
			if after, found = p.seg.find(id(i), after); found && !p.isDead(after) {
				rows = append(rows, after)
			}
		}
		if p := p.without(rows); p.alive > 0 {
			left = append(left, p)
		}
	}
	return left, nil
}

// add writes rows into a new segment and opens it.
func (e *Embedded) add(ctx context.Context, t table) (*part, error) {
	label, err := writeSegment(ctx, e.dir, e.c.Dimension, t)
	if err != nil {
		return nil, err
	}
	s, err := openSegment(e.dir, label, e.c.Dimension)
	if err != nil {
		return nil, errors.Join(err, repofile.At(filepath.Join(e.dir, label+suffix)).Remove())
	}
	e.unsynced = append(e.unsynced, label)
	return newPart(s, nil), nil
}

// change makes a new generation of what f says that the parts should be. One
// process at a time does that. If many parts have gathered, it then merges some.
func (e *Embedded) change(ctx context.Context, f func(v *view) ([]*part, error)) error {
	return e.locked(ctx, func() error {
		if !e.tidied {
			e.removeStaleFiles()
		}
		if err := e.commit(f); err != nil {
			return err
		}
		err := e.commit(func(v *view) ([]*part, error) {
			chosen, rest := choose(v.parts)
			if len(chosen) == 0 {
				return v.parts, nil
			}
			t, err := newMergeTable(ctx, chosen)
			if err != nil || t.len() == 0 {
				return rest, err
			}
			added, err := e.add(ctx, t)
			if err != nil {
				return nil, err
			}
			return append(rest, added), nil
		})
		if err != nil && ctx.Err() == nil {
			// What was asked for is done; the next change tries again to merge.
			e.log.Warn("vectors: merge segments", "collection", e.c.Name, "error", err)
		}
		return nil
	})
}

// locked runs f while no other process writes.
func (e *Embedded) locked(ctx context.Context, f func() error) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	l, err := atomicfile.LockFile(filepath.Join(e.dir, lockName))
	if err != nil {
		return fmt.Errorf("vectorstore: lock: %w", err)
	}
	if _, err := l.TryLockContext(ctx, lockInterval); err != nil {
		return fmt.Errorf("vectorstore: lock: %w", err)
	}
	defer l.Unlock()
	return f()
}

// commit makes the parts that f returns the next generation, unless they are
// those that there are. The caller is the writer.
func (e *Embedded) commit(f func(v *view) ([]*part, error)) error {
	e.loading.Lock()
	err := e.reload()
	e.loading.Unlock()
	if err != nil {
		return err
	}
	e.mu.Lock()
	v := e.view
	if v != nil {
		v.users++
	}
	e.mu.Unlock()
	if v == nil {
		return errors.New("vectorstore: closed")
	}
	defer e.release(v)
	if err := v.whole(); err != nil {
		return e.heal(v, err)
	}
	var parts []*part
	if err := container.Guard(func() (err error) { parts, err = f(v); return err }); err != nil {
		return e.heal(v, err)
	}
	if slices.Equal(parts, v.parts) && !v.damaged {
		return nil
	}
	next := &view{generation: v.generation + 1, parts: parts}
	m := manifest{Generation: next.generation, Model: e.c.Model, Dimension: e.c.Dimension, Segments: []listing{}}
	for _, p := range parts {
		m.Segments = append(m.Segments, listing{p.seg.label, p.seg.rows, p.dead})
	}
	e.loading.Lock()
	defer e.loading.Unlock()
	if err := m.write(e.dir); err != nil {
		e.discard(next, v)
		return err
	}
	seen, err := os.Stat(filepath.Join(e.dir, manifestName))
	if err != nil {
		e.discard(next, v)
		return fmt.Errorf("vectorstore: %w", err)
	}
	e.show(next, seen)
	for _, p := range v.parts {
		if !slices.ContainsFunc(parts, func(q *part) bool { return q.seg == p.seg }) {
			repofile.At(filepath.Join(e.dir, p.seg.label+suffix)).Remove() // where that fails, tidy does it
		}
	}
	e.tidied = e.tidied && !v.damaged
	return nil
}

const (
	maxParts = 8   // more are merged
	minDead  = 256 // fewer dead rows are carried along
)

// choose picks the parts to be merged: when there are too many, the smallest and
// those that are no larger than all smaller ones together; and those of which
// more than half is dead. A row is thus copied about as often as the collection
// doubles.
func choose(parts []*part) (chosen, rest []*part) {
	sorted := slices.SortedFunc(slices.Values(parts), func(a, b *part) int { return cmp.Compare(a.alive, b.alive) })
	sum, must := 0, 0
	if len(parts) > maxParts {
		must = 2
	}
	for i, p := range sorted {
		dead := p.seg.rows - p.alive
		if i < must || must > 0 && p.alive <= sum || dead > minDead && dead > p.alive {
			chosen = append(chosen, p)
			sum += p.alive
		} else {
			rest = append(rest, p)
		}
	}
	return chosen, rest
}

// removeStaleFiles removes files that the generation of now does not have: what is damaged, and
// what a writer left that did not come to its end. The caller is the writer.
func (e *Embedded) removeStaleFiles() {
	e.loading.Lock()
	err := e.reload()
	e.loading.Unlock()
	m, readErr := readManifest(e.dir, e.c)
	entries, listErr := repofile.At(e.dir).List()
	if err != nil || listErr != nil || readErr != nil && !errors.Is(readErr, ErrCorrupt) {
		return // the next writer tries again
	}
	for _, entry := range entries {
		label, isSegment := strings.CutSuffix(entry.Name(), suffix)
		listed := m != nil && slices.ContainsFunc(m.Segments, func(l listing) bool { return l.Label == label })
		leftover := strings.HasPrefix(entry.Name(), "."+manifestName+".tmp-")
		if isSegment && !listed || leftover {
			repofile.At(filepath.Join(e.dir, entry.Name())).Remove() // where it is still mapped and cannot go: later
		}
	}
	e.tidied = true
}

// Flush forces to disk what was put in, so that it outlives a loss of power. What
// was not is noticed by its checksums and has to be put in again.
func (e *Embedded) Flush(ctx context.Context) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	for len(e.unsynced) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := repofile.At(filepath.Join(e.dir, e.unsynced[0]+suffix)).OpenFile(os.O_RDWR, 0)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil && !os.IsNotExist(err) { // merged into another
			return fmt.Errorf("vectorstore: flush: %w", err)
		}
		e.unsynced = e.unsynced[1:]
	}
	return nil
}

// Claim gives the right to bring the collection up to date, which one process at a
// time has, so that no two embed the same. It returns nil if another has it. Items
// can be put in without it.
func (e *Embedded) Claim(ctx context.Context) (release func(), err error) {
	l, err := atomicfile.LockFile(filepath.Join(e.dir, claimName))
	if err != nil {
		return nil, fmt.Errorf("vectorstore: claim: %w", err)
	}
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("vectorstore: claim: %w", err)
	}
	if !ok {
		return nil, ctx.Err()
	}
	return func() { l.Unlock() }, nil
}
