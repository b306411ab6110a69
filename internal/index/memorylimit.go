package index

import (
	"math"
	"runtime/debug"
)

// syncMemory is from where on the collector works harder while files are read.
// What one holds at a time is less than that, whatever the size of the project.
const syncMemory = 288 << 20

// limitMemory sets a memory limit of syncMemory until the function it returns is called.
// A limit that the user set stays.
func limitMemory() (end func()) {
	const query = -1
	if debug.SetMemoryLimit(query) != math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(syncMemory)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}
