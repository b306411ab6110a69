package segment

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var sample = Format{Magic: "\x89CITEST\n", Version: 1, Sections: 4}

// parts returns sections of several blocks, two of them empty.
func parts() [][]byte {
	return [][]byte{[]byte("head"), nil, bytes.Repeat([]byte("0123456789abcde"), 5000), {}}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if _, err := OpenFile(path, sample); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	size, err := WriteFile(path, sample, parts(), true)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(raw, Encode(sample, parts())) || int64(len(raw)) != size {
		t.Errorf("a file of %d bytes, told as %d, is not what Encode returns: %v", len(raw), size, err)
	}
	f, err := OpenFile(path, sample)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range parts() {
		if got := f.Whole(i); !bytes.Equal(got, want) {
			t.Errorf("section %d has %d bytes, want %d", i, len(got), len(want))
		}
	}
	if f.CutShort() || f.Verify() != nil {
		t.Errorf("cut short: %v, %v", f.CutShort(), f.Verify())
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if !f.CutShort() || !errors.Is(f.Verify(), ErrCorrupt) {
		t.Error("a file that was cut short is whole")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, temporary+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOtherFormats(t *testing.T) {
	raw := Encode(sample, parts())
	for name, f := range map[string]Format{
		"magic":    {"\x89CIELSE\n", 1, 4},
		"version":  {sample.Magic, 2, 4},
		"sections": {sample.Magic, 1, 5},
	} {
		if _, err := Open(raw, f); !errors.Is(err, ErrCorrupt) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// Every changed bit and every cut is found.
func TestDamage(t *testing.T) {
	raw := Encode(sample, parts())
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		bad := bytes.Clone(raw)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		if f, err := Open(bad, sample); err == nil && f.Verify() == nil {
			t.Fatal("a flipped bit is not found")
		}
		n := r.IntN(len(raw))
		if _, err := Open(raw[:n], sample); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%d of %d bytes: %v", n, len(raw), err)
		}
	}
	bad := bytes.Clone(raw)
	bad[len(bad)-1]++
	f, err := Open(bad, sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := Guard(func() error { f.VerifyRange(2, 0, 100); return nil }); err != nil {
		t.Errorf("a sound block: %v", err)
	}
	if err := Guard(func() error { f.Whole(2); return nil }); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a damaged block: %v", err)
	}
}

func TestWriter(t *testing.T) {
	for name, sizes := range map[string][]int{"fewer bytes": {4, 10}, "more bytes": {4, 50_000, 50_000}} {
		f, err := os.Create(filepath.Join(t.TempDir(), "f"))
		if err != nil {
			t.Fatal(err)
		}
		w := Create(f, sample, lengthsOf(parts()))
		for _, n := range sizes {
			w.Write(make([]byte, n))
		}
		if w.Close() == nil {
			t.Errorf("%s than the sections have: no error", name)
		}
		f.Close()
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := Create(f, sample, lengthsOf(parts()))
	for _, p := range parts() {
		for len(p) > 0 { // in odd pieces
			n := min(len(p), 777)
			w.Write(p[:n])
			p = p[n:]
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, Encode(sample, parts())) {
		t.Errorf("written in pieces: %d bytes, %v", len(got), err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(Encode(sample, parts()))
	f.Add([]byte(sample.Magic))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if file, err := Open(raw, sample); err == nil {
			for i := range sample.Sections {
				Guard(func() error { file.Whole(i); return nil })
			}
			file.Verify()
		}
	})
}
