package index

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/sqlite"
)

//go:embed schema.sql
var schema string

// schemaVersion is raised with schema.sql, and with any change of what the blobs
// in it mean.
const schemaVersion = 3*1000 + outlineVersion*10 + recordVersion

// Keys of meta.
const (
	metaGeneration = "generation" // raised whenever readers have something new to see
	metaSynced     = "synced"     // Unix milliseconds at which a whole synchronisation ended
	metaSkipped    = "skipped"    // JSON: how many files of each class it passed over
	metaRecipe     = "recipe"     // by which all files were read then
)

// A querier is a transaction or the connections outside of one.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// rows runs a query and calls each for every row of its answer.
func rows(ctx context.Context, q querier, each func(scan func(...any) error) error, query string, args ...any) error {
	r, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("index: query: %w", err)
	}
	defer r.Close()
	for r.Next() {
		if err := each(r.Scan); err != nil {
			return fmt.Errorf("index: query: %w", err)
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("index: query: %w", err)
	}
	return nil
}

// number reads a number of meta, 0 if it is not there.
func number(ctx context.Context, q querier, key string) (n int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", key).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("index: meta %s: %w", key, err)
	}
	return n, nil
}

func setMeta(tx *sql.Tx, key string, value any) error {
	_, err := tx.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	if err != nil {
		return fmt.Errorf("index: meta %s: %w", key, err)
	}
	return nil
}

// publish makes what the transaction and unpublished ones before it did visible
// to readers, as a new generation.
func publish(ctx context.Context, tx *sql.Tx) error {
	n, err := number(ctx, tx, metaGeneration)
	if err != nil {
		return err
	}
	return setMeta(tx, metaGeneration, n+1)
}

// A knownFile is what the database says of a file: its content, or 0 if it is
// not indexed, and the segment it is in, or 0.
type knownFile struct{ content, segment int64 }

// findContent finds a content by its text, 0 if there is none or it is damaged.
func findContent(ctx context.Context, q querier, hash [32]byte, language, recipe string) (int64, *record, error) {
	var id int64
	var packed []byte
	err := q.QueryRowContext(context.WithoutCancel(ctx),
		"SELECT id, record FROM contents WHERE hash = ? AND language = ? AND recipe = ?",
		hash[:], language, recipe).Scan(&id, &packed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil, nil
	case err != nil:
		return 0, nil, fmt.Errorf("index: contents: %w", err)
	}
	r := unpack(packed)
	if r == nil {
		return 0, nil, nil // it is read again, and the row replaced
	}
	return id, r, nil
}

// A batch writes readings in one transaction.
type batch struct {
	ctx        context.Context // not to be cancelled: see sqlite.DB.Write
	tx         *sql.Tx
	recipe     string
	generation int64 // the last published
	statements map[string]*sql.Stmt
}

func newBatch(ctx context.Context, tx *sql.Tx, recipe string) (*batch, error) {
	ctx = context.WithoutCancel(ctx)
	n, err := number(ctx, tx, metaGeneration)
	return &batch{ctx: ctx, tx: tx, recipe: recipe, generation: n, statements: make(map[string]*sql.Stmt)}, err
}

// exec runs a statement, prepared at its first use; the transaction closes it.
func (b *batch) exec(query string, args ...any) (sql.Result, error) {
	s, err := b.prepare(query)
	if err != nil {
		return nil, err
	}
	res, err := s.ExecContext(b.ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("index: write: %w", err)
	}
	return res, nil
}

func (b *batch) prepare(query string) (*sql.Stmt, error) {
	if s := b.statements[query]; s != nil {
		return s, nil
	}
	s, err := b.tx.PrepareContext(b.ctx, query)
	if err != nil {
		return nil, fmt.Errorf("index: write: %w", err)
	}
	b.statements[query] = s
	return s, nil
}

// known returns what the database says of a file, nil if nothing.
func (b *batch) known(path string) (*knownFile, error) {
	s, err := b.prepare("SELECT ifnull(content, 0), ifnull(segment, 0) FROM files WHERE path = ?")
	if err != nil {
		return nil, err
	}
	var k knownFile
	switch err := s.QueryRowContext(b.ctx, path).Scan(&k.content, &k.segment); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("index: files: %w", err)
	}
	return &k, nil
}

// writeReading writes one reading.
func (b *batch) writeReading(r *reading) error {
	known, err := b.known(r.path)
	if err != nil {
		return err
	}
	switch {
	case r.gone:
		return b.remove(r.path)
	case r.skipped:
		if err := b.retireFile(r.path, known); err != nil {
			return err
		}
		_, err = b.exec(`INSERT INTO files (path, size, mtime, class, content, segment, restat) VALUES (?, ?, ?, ?, NULL, NULL, 0)
			ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, class = excluded.class,
			content = NULL, segment = NULL, restat = 0`, r.path, r.at.size, r.at.mtime, r.at.class)
		return err
	case r.sameText && known != nil && known.content != 0:
		_, err = b.exec("UPDATE files SET size = ?, mtime = ?, class = ?, restat = (segment IS NOT NULL) WHERE path = ?",
			r.at.size, r.at.mtime, r.at.class, r.path)
		return err
	}
	content := r.content
	if r.packed != nil {
		s, err := b.prepare(`INSERT INTO contents (hash, language, recipe, record, used) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (hash, language, recipe) DO UPDATE SET record = excluded.record
			RETURNING id`)
		if err != nil {
			return err
		}
		err = s.QueryRowContext(b.ctx, r.at.hash[:], r.at.language, b.recipe, r.packed, b.generation).Scan(&content)
		if err != nil {
			return fmt.Errorf("index: write: %w", err)
		}
	}
	if err := b.retireFile(r.path, known); err != nil {
		return err
	}
	_, err = b.exec(`INSERT INTO files (path, size, mtime, class, content, segment, restat) VALUES (?, ?, ?, ?, ?, NULL, 0)
		ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, class = excluded.class,
		content = excluded.content, segment = NULL, restat = 0`, r.path, r.at.size, r.at.mtime, r.at.class, content)
	return err
}

// remove takes a file out of the index.
func (b *batch) remove(path string) error {
	known, err := b.known(path)
	if err != nil {
		return err
	}
	if err := b.retireFile(path, known); err != nil {
		return err
	}
	_, err = b.exec("DELETE FROM files WHERE path = ?", path)
	return err
}

// retireFile notes that what a segment has of a file no longer counts, and when its
// content was last of use.
func (b *batch) retireFile(path string, known *knownFile) error {
	if known == nil || known.content == 0 {
		return nil
	}
	if _, err := b.exec("UPDATE contents SET used = ? WHERE id = ?", b.generation, known.content); err != nil {
		return err
	}
	if known.segment == 0 {
		return nil
	}
	_, err := b.exec("INSERT OR IGNORE INTO dead (segment, path) VALUES (?, ?)", known.segment, path)
	return err
}

// spareContents is how many contents without a file are kept beside as many as
// there are files.
const spareContents = 2000

// forget deletes the contents that have been of no use for longest.
func (b *batch) forget() error {
	_, err := b.exec(`DELETE FROM contents WHERE id IN (
		SELECT id FROM contents WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.content = contents.id)
		ORDER BY used DESC, id DESC LIMIT -1 OFFSET (SELECT ? + count(*) FROM files))`, spareContents)
	return err
}

// A freshFile is an indexed file that readers do not have from a segment.
type freshFile struct {
	path    string
	content int64
	at      attributes
}

// freshFiles lists the indexed files that are in no segment yet, or in the
// segment with a given id if that is not 0, by path.
func freshFiles(ctx context.Context, q querier, segment int64) (all []freshFile, err error) {
	err = rows(ctx, q, func(scan func(...any) error) error {
		var f freshFile
		var hash []byte
		err := scan(&f.path, &f.content, &f.at.size, &f.at.mtime, &f.at.class, &hash, &f.at.language)
		copy(f.at.hash[:], hash)
		all = append(all, f)
		return err
	}, `SELECT f.path, c.id, f.size, f.mtime, f.class, c.hash, c.language
		FROM files f JOIN contents c ON c.id = f.content WHERE f.segment IS nullif(?, 0) ORDER BY f.path`, segment)
	return all, err
}

// readRecord reads what is kept of a content that a file has. It returns nil if
// that is damaged.
func readRecord(ctx context.Context, q querier, content int64) (*record, error) {
	var packed []byte
	err := q.QueryRowContext(ctx, "SELECT record FROM contents WHERE id = ?", content).Scan(&packed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("index: contents: %d is missing: %w", content, sqlite.ErrCorrupt)
	case err != nil:
		return nil, fmt.Errorf("index: contents: %w", err)
	}
	return unpack(packed), nil
}

// postingsFile is what a segment is given of a file.
func postingsFile(path string, at *attributes, r *record) postings.File {
	return postings.File{Path: path, Attributes: at.encode(), Outline: r.outline, PathTerms: pathTerms(path),
		Forward: r.forward}
}

// notes are what a whole synchronisation leaves in meta.
type notes struct {
	synced  time.Time
	skipped map[files.Class]int
	recipe  string
}

func (n *notes) write(tx *sql.Tx) error {
	if err := setMeta(tx, metaSynced, n.synced.UnixMilli()); err != nil {
		return err
	}
	skipped, err := json.Marshal(n.skipped)
	if err != nil {
		return err
	}
	if err := setMeta(tx, metaSkipped, string(skipped)); err != nil {
		return err
	}
	return setMeta(tx, metaRecipe, n.recipe)
}

func readNotes(ctx context.Context, q querier) (n notes, err error) {
	ms, err := number(ctx, q, metaSynced)
	if err != nil {
		return n, err
	}
	if ms > 0 {
		n.synced = time.UnixMilli(ms)
	}
	var skipped string
	err = q.QueryRowContext(ctx, `SELECT (SELECT value FROM meta WHERE key = ?), (SELECT value FROM meta WHERE key = ?)
		WHERE 2 = (SELECT count(*) FROM meta WHERE key IN (?, ?))`,
		metaSkipped, metaRecipe, metaSkipped, metaRecipe).Scan(&skipped, &n.recipe)
	if errors.Is(err, sql.ErrNoRows) {
		return n, nil
	}
	if err != nil {
		return n, fmt.Errorf("index: meta: %w", err)
	}
	if err := json.Unmarshal([]byte(skipped), &n.skipped); err != nil {
		return n, fmt.Errorf("index: meta %s: %w: %w", metaSkipped, err, sqlite.ErrCorrupt)
	}
	return n, nil
}
