package outcomelog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
)

// Bounds of a log. A full file is some thousands of entries; with its
// predecessors a log has at most (oldFiles+1) × fullLog bytes and one entry each.
const (
	fullLog  = 1 << 20 // bytes
	oldFiles = 3
	maxRead  = 8 << 20 // bytes of one file; more was not written by us
)

// A Log is a file of JSON Lines, name.jsonl, and its predecessors name.1.jsonl,
// the younger, to name.3.jsonl. Several processes may append at once.
type Log[T any] struct {
	dir, name string
	full      int64 // bytes
}

func newLog[T any](dir, name string) *Log[T] { return &Log[T]{dir, name, fullLog} }

// file returns the path of the n-th predecessor, of the log itself for 0.
func (l *Log[T]) file(n int) string {
	if n == 0 {
		return filepath.Join(l.dir, l.name+".jsonl")
	}
	return filepath.Join(l.dir, fmt.Sprintf("%s.%d.jsonl", l.name, n))
}

// Append adds an entry and forces it to disk.
func (l *Log[T]) Append(v T) error { return l.AppendUnless(v, nil) }

// AppendUnless adds an entry unless there returns true for one that the log holds.
func (l *Log[T]) AppendUnless(v T, there func(T) bool) error {
	if err := l.add(v, there); err != nil {
		return fmt.Errorf("log of %s: %w", l.name, err)
	}
	return nil
}

func (l *Log[T]) add(v T, there func(T) bool) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := repofile.At(l.dir).MakeFolder(0o755); err != nil {
		return err
	}
	// The logs are not for git, even where nothing was set up yet.
	ignore := filepath.Join(l.dir, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := repofile.At(ignore).Write([]byte("*\n"), 0o644); err != nil {
			return err
		}
	}
	unlock, err := atomicfile.Lock(l.lock())
	if err != nil {
		return err
	}
	defer unlock()
	if there != nil {
		all, err := l.read()
		if err != nil {
			return err
		}
		for _, had := range all {
			if there(had) {
				return nil
			}
		}
	}
	if err := l.rotate(); err != nil {
		return err
	}
	return appendLine(l.file(0), append(line, '\n'))
}

// rotate makes a full file the first of its predecessors. The eldest goes.
func (l *Log[T]) rotate() error {
	info, err := os.Stat(l.file(0))
	if err != nil || info.Size() < l.full {
		return nil // what is wrong with it, appending will tell
	}
	for n := oldFiles; n > 0; n-- {
		if err := repofile.At(l.file(n - 1)).Rename(repofile.At(l.file(n))); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// appendLine adds a line behind whatever the file ends with: what a crash, or a
// person, left without a line end stays a line of its own.
func appendLine(path string, line []byte) error {
	f, err := repofile.At(path).OpenFile(os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if info, statErr := f.Stat(); statErr == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Sync(), f.Close())
}

// Read returns the entries, the oldest first. A line that is not an
// entry is skipped.
func (l *Log[T]) Read() ([]T, error) {
	if _, err := os.Stat(l.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	// A rotation moves what is being read. Where nothing can be locked, as on a disk
	// that is only read, nothing rotates either.
	if unlock, err := atomicfile.Lock(l.lock()); err == nil {
		defer unlock()
	}
	return l.read()
}

func (l *Log[T]) lock() string { return filepath.Join(l.dir, l.name+".lock") }

func (l *Log[T]) read() ([]T, error) {
	var all []T
	for n := oldFiles; n >= 0; n-- {
		f, _, err := repofile.At(l.file(n)).Open()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("log of %s: %w", l.name, err)
		}
		data, err := io.ReadAll(io.LimitReader(f, maxRead))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("log of %s: %w", l.name, err)
		}
		for line := range bytes.Lines(data) {
			var v T
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &v) == nil {
				all = append(all, v)
			}
		}
	}
	return all, nil
}
