//go:build !linux

package repofile

// NewReader returns a Reader for the project at root.
func NewReader(root string) *Reader { return &Reader{root, -1} }

// Close lets go of the project.
func (r *Reader) Close() {}

// ReadInto reads a regular file of about size bytes, named relative to the project, into
// buf, which grows as needed, and returns it.
func (r *Reader) ReadInto(rel string, buf []byte, size int64) ([]byte, error) {
	return r.readPortably(rel, buf, size)
}
