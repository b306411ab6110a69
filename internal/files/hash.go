package files

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"codeintel/internal/platform/repofile"
)

// HashFile returns the SHA-256 of a regular file in hexadecimal digits.
func HashFile(at repofile.Place) (string, error) {
	f, _, err := at.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
