package segment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"codeintel/internal/platform/repofile"
)

// temporary begins the names of files under way.
const temporary = ".segment-"

// IsTemporary reports whether name is that of a segment file that [WriteFile] left behind when
// its process died.
func IsTemporary(name string) bool { return strings.HasPrefix(name, temporary) }

// Encode returns a file of a format.
func Encode(format Format, sections [][]byte) []byte {
	var b bytes.Buffer
	w := newWriter(format, lengthsOf(sections))
	b.Write(make([]byte, format.headSize(w.size)))
	w.sink = &b
	for _, s := range sections {
		w.Write(s)
	}
	head, err := w.finish()
	if err != nil {
		panic(err) // a defect: a buffer takes all, and the lengths are those of the sections
	}
	copy(b.Bytes(), head)
	return b.Bytes()
}

func lengthsOf(sections [][]byte) []uint64 {
	lengths := make([]uint64, len(sections))
	for i, s := range sections {
		lengths[i] = uint64(len(s))
	}
	return lengths
}

// WriteFile writes a file of a format in one step under its final name, and returns
// its size. If durable is set it waits until the file is on the disk; otherwise what a
// crash of the machine leaves is found by its checksums.
func WriteFile(path string, format Format, sections [][]byte, durable bool) (size int64, err error) {
	f, temp, err := repofile.At(filepath.Dir(path)).CreateTemp(temporary + "*")
	if err != nil {
		return 0, fmt.Errorf("write: %w", err)
	}
	w := Create(f, format, lengthsOf(sections))
	for _, s := range sections {
		w.Write(s)
	}
	err = w.Close()
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = temp.Rename(repofile.At(path))
	}
	if err != nil {
		temp.Remove()
		return 0, fmt.Errorf("write: %w", err)
	}
	return int64(format.headSize(w.size) + w.size), nil
}

// A Writer writes a file of which not all is in memory at once. The bytes of its
// sections are written one after the other; the writer knows their lengths, and so
// where each of them ends.
type Writer struct {
	format  Format
	lengths []uint64
	size    uint64 // of the body
	sink    interface{ Write([]byte) (int, error) }
	file    *os.File // nil if there is none
	sums    []uint32
	sum     uint32 // of the block under way
	at      uint64 // in the body
	section int    // under way
	left    uint64 // bytes of it
	due     uint64 // bytes of all sections that are still to be written
	err     error
}

func newWriter(format Format, lengths []uint64) *Writer {
	w := &Writer{format: format, lengths: lengths, size: bodySize(lengths), section: -1}
	for _, n := range lengths {
		w.due += n
	}
	if len(lengths) != format.Sections || len(lengths) > maxSections || len(format.Magic) != 8 {
		w.err = fmt.Errorf("segment: %d sections of %d", len(lengths), format.Sections)
	}
	return w
}

// Create returns a writer to an empty file.
func Create(f *os.File, format Format, lengths []uint64) *Writer {
	w := newWriter(format, lengths)
	buffer := bufio.NewWriterSize(f, 1<<18)
	w.sink, w.file = buffer, f
	if w.err == nil {
		_, w.err = f.Seek(int64(format.headSize(w.size)), 0)
	}
	return w
}

// Write appends to the body. Errors stay, and are those of Close.
func (w *Writer) Write(p []byte) (n int, err error) {
	n = len(p)
	for len(p) > 0 && w.err == nil {
		if !w.advance() {
			return 0, w.err
		}
		n := min(uint64(len(p)), w.left)
		w.append(p[:n])
		w.left -= n
		w.due -= n
		p = p[n:]
	}
	return n, w.err
}

// advance goes to the next section that has bytes to come.
func (w *Writer) advance() bool {
	for w.left == 0 {
		if w.section++; w.section >= len(w.lengths) {
			w.err = errors.New("segment: more bytes than its sections have")
			return false
		}
		if w.left = w.lengths[w.section]; w.left > 0 {
			w.append(make([]byte, w.begin(w.section)-w.at))
		}
	}
	return true
}

// begin returns where a section begins in the body.
func (w *Writer) begin(section int) uint64 { return aligned(bodySize(w.lengths[:section])) }

func (w *Writer) append(p []byte) {
	if w.err != nil {
		return
	}
	_, w.err = w.sink.Write(p)
	for len(p) > 0 {
		n := min(uint64(len(p)), blockSize-w.at%blockSize)
		w.sum = crc32.Update(w.sum, castagnoli, p[:n])
		if w.at += n; w.at%blockSize == 0 {
			w.sums, w.sum = append(w.sums, w.sum), 0
		}
		p = p[n:]
	}
}

// finish returns the head.
func (w *Writer) finish() ([]byte, error) {
	if w.err == nil && w.due > 0 {
		w.err = errors.New("segment: fewer bytes than its sections have")
	}
	w.append(make([]byte, w.size-min(w.at, w.size))) // the last sections may be empty
	if w.err != nil {
		return nil, w.err
	}
	if w.at%blockSize > 0 {
		w.sums = append(w.sums, w.sum)
	}
	return w.format.head(w.lengths, w.sums), nil
}

// Close writes the head. It does not close the file.
func (w *Writer) Close() error {
	head, err := w.finish()
	if err == nil {
		err = w.sink.(*bufio.Writer).Flush()
	}
	if err == nil {
		_, err = w.file.WriteAt(head, 0)
	}
	return err
}
