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

// keyFor returns the key of the ledgers in a folder, and makes it at first use.
func keyFor(path string) ([]byte, error) {
	abs, err := filepath.Abs(filepath.Dir(path))
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
		if !errors.Is(err, fs.ErrNotExist) {
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
