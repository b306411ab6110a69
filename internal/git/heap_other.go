//go:build !linux

package git

// limitHeap does nothing where another process cannot be given a limit.
func limitHeap(int, uint64) {}
