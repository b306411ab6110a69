// Package tempcache keeps what tests index out of the user's cache folder. Every package
// whose tests can build an index calls it:
//
//	func TestMain(m *testing.M) { tempcache.Main(m) }
package tempcache

import (
	"os"
	"testing"
)

// Main runs the tests of a package with a cache folder of their own, and removes it.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "code-intel-test-cache-")
	if err == nil {
		err = os.Setenv("XDG_CACHE_HOME", dir)
	}
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	m.Run()
}
