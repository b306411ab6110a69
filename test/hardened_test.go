//go:build linux

package test

import (
	"bytes"
	"debug/elf"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// leastGuarded is how many functions guard their stack at the least. In the C library alone
// there are 220 of them.
const leastGuarded = 300

var release = flag.String("release", "", "the program that TestHardened looks at, from the root")

// TestHardened checks a release against what SECURITY.md promises: it lies at a random
// address, its tables of functions are read-only once it runs, nothing on its stack can be
// run, and its C code guards the stack. `make release` runs it.
func TestHardened(t *testing.T) {
	if *release == "" {
		t.Skip("no release: make release")
	}
	name := filepath.Join(root, *release)
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Type != elf.ET_DYN {
		t.Errorf("%s: it lies at a fixed address", f.Type)
	}
	flags, _ := f.DynValue(elf.DT_FLAGS)
	more, _ := f.DynValue(elf.DT_FLAGS_1)
	has := func(values []uint64, flag uint64) bool {
		return slices.ContainsFunc(values, func(v uint64) bool { return v&flag != 0 })
	}
	if !has(flags, uint64(elf.DF_BIND_NOW)) && !has(more, uint64(elf.DF_1_NOW)) {
		t.Error("functions are bound late, so their table can be written")
	}
	if !has(more, uint64(elf.DF_1_PIE)) {
		t.Error("it is no position-independent program")
	}
	segments := make(map[elf.ProgType]elf.ProgFlag)
	for _, p := range f.Progs {
		segments[p.Type] |= p.Flags
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_W != 0 && p.Flags&elf.PF_X != 0 {
			t.Error("a segment can be written and run")
		}
	}
	if _, ok := segments[elf.PT_GNU_RELRO]; !ok {
		t.Error("nothing is read-only after relocation")
	}
	if stack, ok := segments[elf.PT_GNU_STACK]; !ok || stack&elf.PF_X != 0 {
		t.Error("the stack can be run")
	}
	if _, dynamic := segments[elf.PT_INTERP]; dynamic {
		t.Error("it is not static")
	}
	if f.Machine != elf.EM_X86_64 {
		return
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	guard := []byte{0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0} // mov %fs:0x28,%rax, at the beginning of a function
	if n := bytes.Count(data, guard); n < leastGuarded {
		t.Errorf("%d functions guard their stack: too few", n)
	}
}
