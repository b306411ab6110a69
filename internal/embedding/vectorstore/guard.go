package vectorstore

import "codeintel/internal/platform/mmap"

// guard runs f, which reads mapped files, and turns the fault that follows when
// somebody cuts one short, or its disk fails, into ErrCorrupt. It cannot do that
// for a fault in C; therefore [segment.whole] is asked before each scan.
func guard(f func() error) error { return mmap.GuardAs(ErrCorrupt, f) }
