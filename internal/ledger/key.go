package ledger

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// keyFor returns the key of the ledger at path. At a project's first use it makes
// one, unless there is a ledger already: that one has lost its key, and the error
// is fs.ErrNotExist.
func keyFor(path string, mayMake bool) ([]byte, error) {
	abs, err := projectOf(path)
	if err != nil {
		return nil, err
	}
	state, err := stateDir()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(abs))
	file := filepath.Join(state, "keys", hex.EncodeToString(sum[:8])+".key")
	for range 2 {
		key, err := os.ReadFile(file)
		if err == nil && len(key) == keyBytes {
			return key, nil
		}
		if err == nil {
			return nil, fmt.Errorf("key %s is damaged: move it away; ledgers made with it can then no longer be verified", file)
		}
		if !errors.Is(err, fs.ErrNotExist) || !mayMake {
			return nil, err
		}
		if err := makeKey(file); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("key %s cannot be made", file)
}

// makeKey writes a new key unless another process was faster.
func makeKey(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails
	f, err := os.CreateTemp(filepath.Dir(file), ".key-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(f.Name(), file) // a file system without links
	}
	return nil
}

// stateDir is where this user's programs keep what is not configuration.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "code-intel"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "code-intel", "state"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "code-intel"), err
}
