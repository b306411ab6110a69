package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/failpoint"
	"codeintel/internal/platform/repofile"
)

// Append adds each of the values to the file as one line of JSON and forces them to
// disk. A line that a crash left half written is cut off first: it was never
// acknowledged. Of several lines, a crash may leave the first ones.
// Only one process may append at a time; hold a [Lock] where there may be more.
func Append(path string, values ...any) error {
	var lines []byte
	for _, v := range values {
		line, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("append to %s: %w", filepath.Base(path), err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := appendLine(path, lines); err != nil {
		return fmt.Errorf("append to %s: %w", filepath.Base(path), err)
	}
	return nil
}

func appendLine(path string, line []byte) error {
	dir := repofile.At(filepath.Dir(path))
	if err := dir.MakeFolder(0o755); err != nil {
		return err
	}
	failpoint.Point("append: before")
	_, err := os.Lstat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	f, err := repofile.At(path).OpenFile(os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	end, err := lastLineEnd(f)
	if err == nil {
		if err = f.Truncate(end); err == nil {
			if err = writeLine(f, line, end); err == nil {
				err = f.Sync()
			}
		}
	}
	if err = errors.Join(err, f.Close()); err == nil && fresh {
		err = syncDir(dir) // else the line could be on disk, and its file's name not
	}
	failpoint.Point("append: after")
	return err
}

// writeLine writes the line in two pieces, so that a process can be made to die
// between them as it may at any byte.
func writeLine(f *os.File, line []byte, at int64) error {
	half := len(line) / 2
	if _, err := f.WriteAt(line[:half], at); err != nil {
		return err
	}
	failpoint.Point("append: half-way")
	_, err := f.WriteAt(line[half:], at+int64(half))
	return err
}

// lastLineEnd returns the offset behind the last whole line.
func lastLineEnd(f *os.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 4096)
	for end > 0 {
		n := min(int64(len(buf)), end)
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// Lines returns the whole lines of a file that [Append] wrote; none if it is not
// there.
func Lines(path string) ([][]byte, error) {
	data, err := repofile.At(path).Read(repofile.Records)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if whole, ok := bytes.CutSuffix(line, []byte("\n")); ok && len(whole) > 0 {
			lines = append(lines, whole)
		}
	}
	return lines, nil
}
