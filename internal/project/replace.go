package project

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func (p *Project) lockContext() (func(), error) { return func() {}, nil }

func replace(path string, data []byte, mode fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("project: write: %w", err)
	}
	f, err := os.CreateTemp(dir, ".code-intel-*")
	if err != nil {
		return fmt.Errorf("project: write: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("project: write: %w", err)
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
