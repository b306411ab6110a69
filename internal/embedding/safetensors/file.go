package safetensors

import (
	"fmt"
	"os"

	"codeintel/internal/platform/mmap"
)

// mapFile maps a file. What is not a plain file is refused before it is opened:
// opening a pipe would wait for ever.
func mapFile(path string) (*mmap.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: it is no plain file", path, ErrCorrupt)
	}
	return mmap.Open(path)
}
