package audit

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codeintel/internal/platform/failpoint"
)

// Seal returns what proves that the holder of the ledger's key wrote data, and
// for the session of this ledger.
func (l *Ledger) Seal(data []byte) string { return l.mac("seal "+l.anchor(), data) }

// Sealed reports whether seal is that of data.
func (l *Ledger) Sealed(data []byte, seal string) bool {
	return hmac.Equal([]byte(seal), []byte(l.Seal(data)))
}

// A memory is what is kept of a session outside the repository, beside the key. It shows when
// files in the repository were replaced by older or shorter ones. After a loss of power it may
// be behind, never ahead.
type memory struct {
	saves int64 // how often the checkpoint was written
	head  Head  // of the ledger
}

// readMemory reads the memory; the zero memory if there is none.
func (l *Ledger) readMemory() (m memory, err error) {
	data, err := os.ReadFile(l.memory)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return memory{}, nil
	}
	if err == nil {
		_, err = fmt.Sscanf(string(data), "%d %d %s", &m.saves, &m.head.Seq, &m.head.MAC)
	}
	if err != nil {
		return m, fmt.Errorf("ledger: %s: %w", l.memory, err)
	}
	return m, nil
}

// writeMemory replaces the memory. The lock of the ledger must be held.
func (l *Ledger) writeMemory(m memory) error {
	if err := os.MkdirAll(filepath.Dir(l.memory), 0o700); err != nil {
		return err
	}
	if m.head.MAC == "" {
		m.head.MAC = "-"
	}
	next := l.memory + ".next"
	failpoint.Point("memory: before")
	if err := os.WriteFile(next, fmt.Appendf(nil, "%d %d %s\n", m.saves, m.head.Seq, m.head.MAC), 0o600); err != nil {
		return err
	}
	failpoint.Point("memory: not renamed")
	if err := os.Rename(next, l.memory); err != nil {
		return err
	}
	failpoint.Point("memory: renamed")
	return nil
}

// Saved notes that the session's checkpoint was written for the nth time.
func (l *Ledger) Saved(n int64) error {
	unlock, err := l.lock()
	if err != nil {
		return err
	}
	defer unlock()
	m, err := l.readMemory()
	if err != nil {
		return err
	}
	m.saves = n
	return l.writeMemory(m)
}

// Tidy removes temporary files that killed processes left behind beside the memory of the
// ledger at path. Nothing may append to the ledger any more, and its lock must be held.
func Tidy(path string) error {
	_, memory, err := keyFor(path, false)
	if err == nil {
		err = os.Remove(memory + ".next")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove removes the ledger at path and its memory. A missing ledger is not an error.
func Remove(path string) error {
	files := []string{path}
	if _, memory, err := keyFor(path, false); err == nil { // without a key nothing is remembered
		files = append(files, memory, memory+".next")
	}
	var failed []error
	for _, f := range files {
		if err := os.Remove(f); !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Saves returns what [Ledger.Saved] was told last; 0 if nothing is known.
func (l *Ledger) Saves() (int64, error) {
	m, err := l.readMemory()
	return m.saves, err
}
