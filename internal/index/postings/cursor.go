package postings

import (
	"encoding/binary"
)

// A cursor reads bytes that may be hostile. Past the end, or after a number that
// makes no sense, everything is zero and bad is set; nothing panics.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) more() bool { return len(c.b) > 0 }

func (c *cursor) fail() {
	c.b, c.bad = nil, true
}

func (c *cursor) byte() byte {
	if len(c.b) == 0 {
		c.fail()
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

// uvarint reads a number below 1<<32. Most are below 1<<7.
func (c *cursor) uvarint() uint32 {
	if len(c.b) > 0 && c.b[0] < 0x80 {
		v := c.b[0]
		c.b = c.b[1:]
		return uint32(v)
	}
	v, n := binary.Uvarint(c.b)
	if n <= 0 || v > 1<<32-1 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return uint32(v)
}

// count reads a number of things of which each takes at least size bytes of what
// is left, so that a lie about it cannot make the reader allocate.
func (c *cursor) count(size int) int {
	n := c.uvarint()
	if uint64(n)*uint64(size) > uint64(len(c.b)) {
		c.fail()
		return 0
	}
	return int(n)
}

// bytes reads a length and that many bytes, which it does not copy.
func (c *cursor) bytes() []byte {
	n := c.uvarint()
	if uint64(n) > uint64(len(c.b)) {
		c.fail()
		return nil
	}
	v := c.b[:n:n]
	c.b = c.b[n:]
	return v
}

func appendBytes[T ~string | ~[]byte](b []byte, v T) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

// zigzag folds a signed number so that small ones stay small.
func zigzag(v int32) uint32   { return uint32(v<<1) ^ uint32(v>>31) }
func unzigzag(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
