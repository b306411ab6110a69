package vectorindex

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"codeintel/internal/index"
)

// textVersion is raised when passage changes, so that what it says of an unchanged
// chunk is embedded anew.
const textVersion = "1"

// A key names what is embedded of a chunk: equal keys, equal texts. It begins with
// the fingerprint of the chunk, by which the index finds it. The line is not in it,
// so that a chunk keeps its vector when it moves.
type key [printBytes + 12]byte

const printBytes = 8

func keyOf(c *index.ChunkInfo) (k key) {
	h := sha256.New()
	for _, part := range []string{textVersion, c.File, c.Scope, c.Symbol, c.Signature, c.Doc, c.Fingerprint} {
		io.WriteString(h, part)
		h.Write([]byte{0})
	}
	hex.Decode(k[:printBytes], []byte(c.Fingerprint[:min(len(c.Fingerprint), 2*printBytes)]))
	copy(k[printBytes:], h.Sum(nil))
	return k
}

// fingerprint is that of the chunk.
func (k key) fingerprint() string { return hex.EncodeToString(k[:printBytes]) }

func (k key) String() string { return hex.EncodeToString(k[:]) }

func parseKey(id string) (k key, ok bool) {
	n, err := hex.Decode(k[:], []byte(id[:min(len(id), 2*len(k))]))
	return k, err == nil && n == len(k) && len(id) == 2*len(k)
}

// longestText is far above what any model reads of a text; they cut it themselves.
const longestText = 32 << 10

// passage is the text of a chunk for a model: path, scope, signature, doc comment
// and body. What the body says already is not said twice, because models read the
// beginning of a text only.
func passage(c *index.ChunkInfo) string {
	var b strings.Builder
	b.WriteString(c.File)
	b.WriteByte('\n')
	if name := strings.Trim(c.Scope+" "+c.Symbol, " "); name != "" {
		b.WriteString(name)
		b.WriteByte('\n')
	}
	for _, part := range []string{c.Signature, c.Doc} {
		if part != "" && !strings.Contains(c.Text, part) {
			b.WriteString(part)
			b.WriteByte('\n')
		}
	}
	b.WriteString(c.Text)
	text := b.String()
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") // the cut may have gone through a rune
	}
	return text
}
