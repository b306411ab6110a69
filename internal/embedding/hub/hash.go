package hub

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// sums are the hashes of a file, made in one pass.
type sums struct{ sha256, git hash.Hash }

// newSums begins the hashes of a file of that size. git hashes a blob behind a
// head that says its size.
func newSums(size int64) sums {
	s := sums{sha256.New(), sha1.New()}
	fmt.Fprintf(s.git, "blob %s\x00", strconv.FormatInt(size, 10))
	return s
}

func (s sums) Write(b []byte) (int, error) {
	s.sha256.Write(b) // hashes never fail
	return s.git.Write(b)
}

func (s sums) hex() string { return hex.EncodeToString(s.sha256.Sum(nil)) }

// matches says whether the file is the one that the source stated.
func (s sums) matches(stated string) bool {
	switch kind, want, _ := strings.Cut(stated, ":"); kind {
	case "sha256":
		return want == s.hex()
	case "git":
		return want == hex.EncodeToString(s.git.Sum(nil))
	}
	return stated == ""
}
