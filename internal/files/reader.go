package files

import (
	"io/fs"
	"sync"
	"time"

	"codeintel/internal/files/charset"
	"codeintel/internal/project"
)

// A Reader is [Read] for callers that read the same files again and again. It remembers what
// it found out about a file, but for its text, for as long as the system says that no program has
// written to it. It is safe for concurrent use.
type Reader struct {
	p   *project.Project
	now func() time.Time

	mu    sync.Mutex
	known map[string]reading
}

// A reading is what was found out about a file whose text is shown as it is on disk.
type reading struct {
	stamp stamp
	text  Text // without its bytes
}

// maxReadings bounds how many files a Reader remembers.
const maxReadings = 4096

// settled is how long ago a file must have changed before what it holds is remembered:
// another change in the same moment may leave it with the same stamp.
const settled = 2 * time.Second

// NewReader returns a Reader for p that remembers nothing yet.
func NewReader(p *project.Project) *Reader {
	return &Reader{p: p, now: time.Now, known: make(map[string]reading)}
}

// Read is [Read] in the project of r.
func (r *Reader) Read(path string) (Text, error) {
	rel, err := r.p.Resolve(path)
	if err != nil {
		return Text{}, err
	}
	return read(r.p, rel, r)
}

// Forget lets go of what r remembers.
func (r *Reader) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.known)
}

// cachedText returns what is known of a file that was like before when its text was read, and is
// like after now. A nil Reader knows nothing.
func (r *Reader) cachedText(rel string, before, after fs.FileInfo) (t Text, ok bool) {
	if r == nil {
		return t, false
	}
	now := stampOfFile(after)
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.known[rel]
	return k.text, ok && k.stamp == now && stampOfFile(before) == now
}

// cacheText notes what was found out about a file that was like before when its text was read,
// and is like after now.
func (r *Reader) cacheText(t Text, before, after fs.FileInfo) {
	now := stampOfFile(after)
	if r == nil || now == (stamp{}) || stampOfFile(before) != now || t.Charset != charset.UTF8 ||
		r.now().Sub(time.Unix(0, now.changed)) < settled {
		return
	}
	t.Bytes = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxReadings {
		clear(r.known)
	}
	r.known[t.Path] = reading{now, t}
}

// A stamp changes whenever a file is written to or replaced. The zero
// stamp is that of a file of which the system does not say that.
type stamp struct {
	size, changed int64
	device, inode uint64
}
