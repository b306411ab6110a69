//go:build stress && linux

package harness

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// A SmallDisk is the file system of a project, which can be filled up.
type SmallDisk struct {
	p       *Project
	ballast string
}

// OnSmallDisk moves the project to a file system of 32 MB, until the test ends. The test is
// skipped where that is not allowed.
func (p *Project) OnSmallDisk() SmallDisk {
	p.T.Helper()
	aside := filepath.Join(p.T.TempDir(), "aside")
	if err := errors.Join(os.Rename(p.Root, aside), os.Mkdir(p.Root, 0o755)); err != nil {
		p.T.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", p.Root, "tmpfs", 0, "size=32m"); err != nil {
		p.T.Skip("a small disk needs root:", err)
	}
	p.T.Cleanup(func() { _ = syscall.Unmount(p.Root, syscall.MNT_DETACH) })
	if out, err := exec.Command("cp", "-a", aside+"/.", p.Root).CombinedOutput(); err != nil {
		p.T.Fatalf("%v: %s", err, out)
	}
	return SmallDisk{p, p.Path(".git/ballast")}
}

// Fill leaves so many pages of the disk free.
func (d SmallDisk) Fill(pages int) {
	d.p.T.Helper()
	f, err := os.Create(d.ballast)
	if err != nil {
		d.p.T.Fatal(err)
	}
	size := int64(0)
	for n := 0; err == nil; size += int64(n) {
		n, err = f.Write(make([]byte, os.Getpagesize()))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		d.p.T.Fatal(err)
	}
	if err := errors.Join(f.Truncate(max(0, size-int64(pages*os.Getpagesize()))), f.Close()); err != nil {
		d.p.T.Fatal(err)
	}
}

// Empty gives the space back.
func (d SmallDisk) Empty() {
	d.p.T.Helper()
	if err := os.Remove(d.ballast); err != nil {
		d.p.T.Fatal(err)
	}
}
