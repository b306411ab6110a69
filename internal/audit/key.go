package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/failpoint"
	"codeintel/internal/problem"
)

const keyBytes = 32

// projectOf returns what the key of a ledger belongs to: the folder that holds
// .code-intel, so that a ledger moved into the archive keeps its key, or the
// ledger's own. Links are resolved, for it must be the same by any name.
func projectOf(path string) (string, error) {
	abs, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil { // one that is not there yet has no links
		abs = real
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".code-intel" {
			return filepath.Dir(dir), nil
		}
		if dir == filepath.Dir(dir) {
			return abs, nil
		}
	}
}

// keyFor returns the key of the ledger at path, and the file beside the key that
// remembers its session. At a project's first use it makes
// one, unless there is a ledger already: that one has lost its key, and the error
// is fs.ErrNotExist.
func keyFor(path string, mayMake bool) (key []byte, memory string, err error) {
	abs, err := projectOf(path)
	if err != nil {
		return nil, "", err
	}
	state, err := atomicfile.UserDir()
	if err != nil {
		return nil, "", problem.New(noUserFolder, "audit.no_folder_user_key_ledger").
			Or("audit.tell_user_set_home_start")
	}
	sum := sha256.Sum256([]byte(abs))
	name := hex.EncodeToString(sum[:8])
	file := filepath.Join(state, "keys", name+".key")
	for range 2 {
		key, err := os.ReadFile(file)
		if err == nil && len(key) == keyBytes {
			return key, filepath.Join(state, "sessions", name, filepath.Base(path)), nil
		}
		if err == nil {
			return nil, "", fmt.Errorf("key %s is damaged: move it away; ledgers made with it can then no longer be verified",
				file)
		}
		if !errors.Is(err, fs.ErrNotExist) || !mayMake {
			return nil, "", err
		}
		if err := makeKey(file); err != nil {
			return nil, "", err
		}
	}
	return nil, "", fmt.Errorf("key %s cannot be made", file)
}

// makeKey writes a new key unless another process was faster.
func makeKey(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	unlock, err := atomicfile.Lock(filepath.Join(filepath.Dir(filepath.Dir(file)), "keys.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	key := make([]byte, keyBytes)
	rand.Read(key)                                                                 // never fails
	f, err := os.OpenFile(file+".next", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // over what a killed process left
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	failpoint.Point("key: not renamed")
	return os.Rename(file+".next", file)
}
