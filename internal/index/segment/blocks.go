package segment

import (
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"codeintel/internal/platform/mmap"
)

// blocks are the bytes of a file after its head. Each block is compared with its
// checksum when it is first read, and again when it is next read after somebody
// wrote to the file.
type blocks struct {
	body  []byte
	sums  []uint32
	seen  []atomic.Uint32 // for each block the last round in which it was intact
	round atomic.Uint32   // raised when all blocks are to be verified again; never 0
}

// set makes body the bytes of b, of which no block was verified yet.
func (b *blocks) set(body []byte, sums []uint32) {
	b.body, b.sums, b.seen = body, sums, make([]atomic.Uint32, len(sums))
	b.round.Store(1)
}

// damage is what readers of a file panic with where a block is not what was written;
// see Guard.
type damage struct{ block int }

// Error says which block it is.
func (d damage) Error() string { return fmt.Sprintf("segment: block %d: checksum", d.block) }

// verify checks the bytes from begin to end of the body, and panics with damage if
// one of their blocks has any.
func (b *blocks) verify(begin, end int) {
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

// Guard runs f, which reads files, and turns damage that it comes upon into
// ErrCorrupt: a block that is not what was written, and the fault that follows when
// somebody cuts a mapped file short, or its disk fails. Without it either ends the
// process.
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
	return mmap.Guard(ErrCorrupt, f)
}

// youth is for how long after a file was last written its time of change does not
// say whether it is still being written: clocks of file systems are coarse, and one
// long write changes the time once, when it begins.
const youth = 100 * time.Millisecond

// A stamp is how a file was when it was last looked at.
type stamp struct {
	sync.Mutex
	path        string // "" if there is no file
	size, mtime int64
	settled     bool // later changes show
}

// update looks at the file, and reports whether it is another than before.
func (s *stamp) update() (changed bool) {
	info, err := os.Stat(s.path)
	if err != nil { // it was removed, which does not affect a process that has it open
		s.settled = true
		return false
	}
	size, mtime, age := info.Size(), info.ModTime().UnixNano(), time.Since(info.ModTime())
	changed = size != s.size || mtime != s.mtime
	s.size, s.mtime, s.settled = size, mtime, age < -youth || youth < age
	return changed
}

// CutShort reports whether the file is shorter than what is mapped of it. One that was
// removed is not.
func (f *File) CutShort() bool {
	info, err := os.Stat(f.stamp.path)
	return err == nil && info.Size() < int64(len(f.raw))
}

// Touched reports whether somebody wrote to the file since it was opened or Touched
// last said so: whatever was read of it may be damaged, and all blocks are verified
// again when they are next read. It costs one look at the file's size and time of
// change. A write is not found if its author sets the time back; that damage shows
// where a block is read for the first time.
func (f *File) Touched() bool {
	if f.stamp.path == "" {
		return false
	}
	f.stamp.Lock()
	defer f.stamp.Unlock()
	settled := f.stamp.settled
	changed := f.stamp.update()
	if !changed && settled {
		return false
	}
	f.round.Add(1)
	return changed || !f.stamp.settled && Guard(f.Verify) != nil
}
