package vectorstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
)

// A manifest says what a generation of a collection consists of. Its file is a
// line with magic, a space and the CRC-32C of the rest in hex, then the rest:
// this as JSON. It is replaced whole, which is what makes a generation.
type manifest struct {
	Generation uint64    `json:"generation"`
	Model      string    `json:"model"`
	Dimension  int       `json:"dimension"`
	Segments   []listing `json:"segments"` // an ID lives in one of them at most
}

// A listing is a segment in a manifest. Bit row%8 of byte row/8 of Dead is set
// when the row has been deleted or replaced.
type listing struct {
	Label string `json:"label"`
	Rows  int    `json:"rows"`
	Dead  []byte `json:"dead,omitempty"`
}

const (
	manifestName  = "manifest"
	manifestMagic = "civecm01"
)

var labelForm = lazyregexp.MustCompile(`^[0-9a-f]{16}$`)

// readManifest returns the manifest of a folder; nil if there is none. A damaged
// one, and one of another collection, is ErrCorrupt.
func readManifest(dir string, c Collection) (*manifest, error) {
	data, err := repofile.At(filepath.Join(dir, manifestName)).Read(repofile.Records)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("vectorstore: %w", err)
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	if string(head) != manifestHead(body) {
		return nil, fmt.Errorf("%w: the manifest", ErrCorrupt)
	}
	m := new(manifest)
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("%w: the manifest: %v", ErrCorrupt, err)
	}
	if m.Model != c.Model || m.Dimension != c.Dimension {
		return nil, fmt.Errorf("%w: the manifest is of model %q", ErrCorrupt, m.Model)
	}
	for _, l := range m.Segments {
		if !labelForm.MatchString(l.Label) {
			return nil, fmt.Errorf("%w: the manifest names a segment %.40q", ErrCorrupt, l.Label)
		}
	}
	return m, nil
}

func manifestHead(body []byte) string {
	return fmt.Sprintf("%s %08x", manifestMagic, crc32.Checksum(body, castagnoli))
}

func (m *manifest) write(dir string) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("vectorstore: %w", err)
	}
	data := append([]byte(manifestHead(body)+"\n"), body...)
	if err := atomicfile.WriteBytes(filepath.Join(dir, manifestName), data); err != nil {
		return fmt.Errorf("vectorstore: %w", err)
	}
	return nil
}
