package postings

import (
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"codeintel/internal/platform/mmap"
)

// blockSize is how many bytes of a segment have a checksum of their own. A block
// is read whole when the first byte of it is.
const blockSize = 16 << 10

// blocks are the bytes of a segment after its head. Each block is held against
// its checksum when it is first read, and again when it is next read after
// somebody wrote to the file.
type blocks struct {
	body  []byte
	sums  []uint32        // copied: the head may be overwritten like all else
	seen  []atomic.Uint32 // for each block the last round in which it was intact
	round atomic.Uint32   // raised when all blocks are to be verified again; never 0
}

// set makes body the bytes of b, of which no block was verified yet.
func (b *blocks) set(body []byte, sums []uint32) {
	b.body, b.sums, b.seen = body, sums, make([]atomic.Uint32, len(sums))
	b.round.Store(1)
}

// damage is what readers of a segment panic with where a block is not what was
// written; see Guard.
type damage struct{ block int }

// Error says which block it is.
func (d damage) Error() string { return fmt.Sprintf("segment: block %d: checksum", d.block) }

// sure makes sure of the bytes from begin to end of the body, and panics with
// damage if one of their blocks has any.
func (b *blocks) sure(begin, end int) {
	round := b.round.Load()
	for k := uint(begin) / blockSize; k*blockSize < uint(end); k++ {
		if b.seen[k].Load() != round {
			b.check(int(k), round)
		}
	}
}

func (b *blocks) check(k int, round uint32) {
	block := b.body[k*blockSize : min((k+1)*blockSize, len(b.body))]
	if crc32.Checksum(block, castagnoli) != b.sums[k] {
		panic(damage{k})
	}
	b.seen[k].Store(round)
}

// Guard runs f, which reads segments, and turns damage that it comes upon into
// ErrCorrupt: a block that is not what was written, and the fault that follows
// when somebody cuts a mapped file short, or its disk fails. Without it either
// ends the process.
func Guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case damage:
			err = fmt.Errorf("%w: %w", r, ErrCorrupt)
		default:
			panic(r)
		}
	}()
	return mmap.GuardAs(ErrCorrupt, f)
}

// youth is for how long after a file was last written its time of change does not
// tell whether it is still being written: clocks of file systems are coarse, and
// one long write changes the time once, when it begins.
const youth = 100 * time.Millisecond

// A stamp is how the file of a segment was when it was last looked at.
type stamp struct {
	sync.Mutex
	path        string // "" if there is no file
	size, mtime int64
	settled     bool // later changes show
}

// take looks at the file, and reports whether it is another than before.
func (s *stamp) take() (changed bool) {
	info, err := os.Stat(s.path)
	if err != nil { // it was removed, which does no harm to who has it open
		s.settled = true
		return false
	}
	size, mtime, age := info.Size(), info.ModTime().UnixNano(), time.Since(info.ModTime())
	changed = size != s.size || mtime != s.mtime
	s.size, s.mtime, s.settled = size, mtime, age < -youth || youth < age
	return changed
}

// Touched reports whether somebody wrote to the file of the segment since it was
// opened or Touched last said so: whatever was read of it may be damaged, and all
// blocks are verified again when they are next read. It costs one look at the
// file's size and time of change. Who writes to the file and sets its time back
// is not found out; that damage shows where a block is read for the first time.
func (s *Segment) Touched() bool {
	if s.stamp.path == "" {
		return false
	}
	s.stamp.Lock()
	defer s.stamp.Unlock()
	settled := s.stamp.settled
	changed := s.stamp.take()
	if !changed && settled {
		return false
	}
	s.round.Add(1)
	return changed || !s.stamp.settled && Guard(s.Verify) != nil
}
