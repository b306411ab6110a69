package postings

import "codeintel/internal/mapped"

// Guard runs f, which reads segments, and turns the fault that follows when
// somebody cuts a mapped file short, or its disk fails, into ErrCorrupt. Without
// it such a fault ends the process.
func Guard(f func() error) error { return mapped.GuardAs(ErrCorrupt, f) }
