package index

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/trigram"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/text/terms"
)

// How segments are cut and merged.
const (
	flushBytes    = 16 << 20  // of records in no segment: a whole synchronisation writes its first one
	settleBytes   = 128 << 10 // likewise, at the end of each, packed: what is in none costs each process
	settleFiles   = 16        // or so many files
	segmentBytes  = 48 << 20  // of records in one segment, the next and merged ones, which bounds memory
	manySegments  = 8         // more than this are merged
	staleSegment  = 0.25      // share of dead files from which a segment is written anew
	segmentPrefix = "forest-"
	segmentSuffix = ".seg"
	filterSuffix  = ".tri" // of the trigram filter beside it
)

// segmentSize is segmentBytes, or what little memory allows.
func segmentSize() int64 { return memlimit.Within(segmentBytes, 16) }

// freshSize returns how much is in no segment yet.
func (b *batch) freshSize() (files, bytes int64, err error) {
	return sizeOf(b.ctx, b.tx, "f.segment IS NULL")
}

// sizeOf counts indexed files, and the bytes of their records, packed.
func sizeOf(ctx context.Context, q querier, which string) (files, bytes int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*), ifnull(sum(length(c.record)), 0)
		FROM files f JOIN contents c ON c.id = f.content WHERE `+which).Scan(&files, &bytes)
	if err != nil {
		return 0, 0, fmt.Errorf("index: segments: %w", err)
	}
	return files, bytes, nil
}

// flush writes all files that are in no segment yet into new ones in dir. The
// paths of files whose record is damaged are returned; they are out of the index
// until they are read again. Readers see the segments when the transaction is
// committed; until then their files are orphans, see sweepSegments.
//
// Sets gives the trigrams of a file, if there are any.
func (b *batch) flush(ctx context.Context, dir string,
	sets func(*freshFile) (trigram.Set, bool)) (damaged []string, err error) {
	all, err := freshFiles(b.ctx, b.tx, 0)
	if err != nil {
		return nil, err
	}
	for len(all) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		builder := postings.NewBuilder(terms.SplitIdentifier)
		var filter trigram.Builder
		n := 0
		for ; n < len(all) && builder.Size() < int(segmentSize()); n++ {
			r, err := readRecord(b.ctx, b.tx, all[n].content)
			if err != nil {
				return nil, err
			}
			if r == nil {
				damaged = append(damaged, all[n].path)
				if _, err := b.exec("DELETE FROM files WHERE path = ?", all[n].path); err != nil {
					return nil, err
				}
				continue
			}
			if err := builder.Add(postingsFile(all[n].path, &all[n].at, r)); err != nil {
				return nil, fmt.Errorf("index: segments: %w", err)
			}
			if set, ok := sets(&all[n]); ok {
				filter.Add(set)
			} else {
				filter.AddUnknown()
			}
		}
		if err := b.writeSegment(dir, builder, &filter, all[:n]); err != nil {
			return nil, err
		}
		all = all[n:]
	}
	return damaged, nil
}

func (b *batch) writeSegment(dir string, builder *postings.Builder, filter *trigram.Builder, files []freshFile) error {
	if builder.Files() == 0 {
		return nil
	}
	name := segmentPrefix + strings.ToLower(rand.Text()[:16]) + segmentSuffix
	count := builder.Files()
	size, err := builder.WriteFile(filepath.Join(dir, name), name)
	if err != nil {
		return fmt.Errorf("index: segments: %w", err)
	}
	if err := filter.WriteFile(filepath.Join(dir, filterName(name)), name); err != nil {
		return fmt.Errorf("index: segments: %w", err)
	}
	res, err := b.exec("INSERT INTO segments (name, files, bytes) VALUES (?, ?, ?)", name, count, size)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return fmt.Errorf("index: segments: %w", err)
	}
	for i := range files {
		if _, err := b.exec("UPDATE files SET segment = ?, restat = 0 WHERE path = ?", id, files[i].path); err != nil {
			return err
		}
	}
	return nil
}

// removeSegments takes segments out of use: their files are in none again.
func (b *batch) removeSegments(segments []int64) error {
	for _, id := range segments {
		for _, query := range []string{
			"UPDATE files SET segment = NULL, restat = 0 WHERE segment = ?",
			"DELETE FROM dead WHERE segment = ?",
			"DELETE FROM segments WHERE id = ?",
		} {
			if _, err := b.exec(query, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// segmentsToMerge returns the segments that ought to be merged: those with many dead files
// and, when there are many, the smallest.
func (b *batch) segmentsToMerge() (ids []int64, err error) {
	type size struct {
		id, files, bytes, dead int64
	}
	var all []size
	err = rows(b.ctx, b.tx, func(scan func(...any) error) error {
		var s size
		err := scan(&s.id, &s.files, &s.bytes, &s.dead)
		all = append(all, s)
		return err
	}, "SELECT id, files, bytes, (SELECT count(*) FROM dead WHERE dead.segment = segments.id) FROM segments ORDER BY bytes")
	if err != nil {
		return nil, err
	}
	var small []int64
	for _, s := range all {
		switch {
		case float64(s.dead) > staleSegment*float64(s.files):
			ids = append(ids, s.id)
		case s.bytes < segmentSize()/2:
			small = append(small, s.id)
		}
	}
	if len(all)-len(ids) > manySegments && len(small) > 1 {
		ids = append(ids, small[:max(2, len(small)-manySegments/2)]...)
	}
	return ids, nil
}

// sweepSegments removes the files of segments that the database does not name:
// merged ones, and those of a process that died before it could commit. It is
// called under the write lock. A system that does not let go of a file that is
// mapped keeps it until the next time.
func sweepSegments(ctx context.Context, tx *sql.Tx, dir string) error {
	named := make(map[string]bool)
	err := rows(ctx, tx, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		named[name] = true
		return err
	}, "SELECT name FROM segments")
	if err != nil {
		return err
	}
	entries, err := repofile.At(dir).List()
	if err != nil {
		return fmt.Errorf("index: segments: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if bare, ok := strings.CutSuffix(name, filterSuffix); ok {
			name = bare + segmentSuffix
		}
		ours := strings.HasPrefix(name, segmentPrefix) && strings.HasSuffix(name, segmentSuffix)
		if ours && !named[name] || segment.IsTemporary(e.Name()) {
			repofile.At(filepath.Join(dir, e.Name())).Remove() // see above
		}
	}
	return nil
}
