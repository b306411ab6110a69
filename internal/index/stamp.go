package index

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"codeintel/internal/postings"
	"codeintel/internal/sqlite"
)

// stampsName is the file that says which segments were held against their
// checksums, so that not every process reads all of them again before its first
// answer. It may be lost at any time.
const stampsName = "verified.json"

// stampAge is how long a segment is taken for what it was. Nothing but a failing
// disk changes one without its time of change telling.
const stampAge = 24 * time.Hour

// A stamp is a segment as it was when it was verified.
type stamp struct {
	Size    int64     `json:"size"`
	ModTime int64     `json:"mtime"` // Unix nanoseconds
	At      time.Time `json:"verified_at"`
}

// stamps are those that were read, and those to be written.
type stamps struct {
	path string
	mu   sync.Mutex
	by   map[string]stamp // by the name of the segment's file
	more bool
}

// readStamps returns the stamps in dir, none if they cannot be read.
func readStamps(dir string) *stamps {
	s := &stamps{path: filepath.Join(dir, stampsName)}
	if b, err := os.ReadFile(s.path); err == nil && json.Unmarshal(b, &s.by) != nil {
		s.by = nil
	}
	if s.by == nil {
		s.by = make(map[string]stamp)
	}
	return s
}

// open opens a segment: whole, unless it is as it was when that was done last.
func (s *stamps) open(path string) (*postings.Segment, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	s.mu.Lock()
	known, ok := s.by[name]
	s.mu.Unlock()
	age := time.Since(known.At)
	if ok && known.Size == info.Size() && known.ModTime == info.ModTime().UnixNano() && 0 <= age && age < stampAge {
		return postings.OpenTrusted(path)
	}
	seg, err := postings.OpenFile(path)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[name] = stamp{info.Size(), info.ModTime().UnixNano(), time.Now()}
	s.more = true
	return seg, nil
}

// save writes the stamps if there are more than were read. That it fails does no
// harm but that the next process verifies again.
func (s *stamps) save() {
	if !s.more {
		return
	}
	dir := filepath.Dir(s.path)
	maps.DeleteFunc(s.by, func(name string, _ stamp) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.Base(name)))
		return err != nil
	})
	b, err := json.Marshal(s.by)
	if err != nil {
		return
	}
	f, err := os.CreateTemp(dir, ".segment-*") // swept like those if it stays behind
	if err != nil {
		return
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
}

// forgetStamps has every segment verified at its next opening.
func forgetStamps(dir string) { os.Remove(filepath.Join(dir, stampsName)) }

// verify holds all segments and the latent space against their checksums,
// whatever is known of them.
func (x *Index) verify(ctx context.Context, db *sqlite.DB) error {
	x.spaces.forget()
	s := x.acquire(base)
	damaged := false
	for _, p := range s.parts {
		damaged = damaged || postings.Guard(p.seg.Verify) != nil
	}
	x.release(s)
	forgetStamps(x.dir)
	if !damaged {
		return nil
	}
	return x.anew(ctx, db)
}
