// Package tempcache keeps what tests index out of the user's cache folder. Every package
// whose tests can build an index calls it:
//
//	func TestMain(m *testing.M) { tempcache.Main(m) }
package tempcache

import (
	"os"
	"path/filepath"
	"testing"
)

// Main runs the tests of a package with a cache folder of their own, and removes it.
func Main(m *testing.M) {
	must(keepGoCache())
	dir, err := os.MkdirTemp("", "code-intel-test-cache-")
	must(err)
	must(os.Setenv("XDG_CACHE_HOME", dir))
	defer os.RemoveAll(dir)
	m.Run()
}

// keepGoCache leaves Go's own cache where it is: some tests build the program.
func keepGoCache() error {
	if os.Getenv("GOCACHE") != "" {
		return nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil // Go has none either
	}
	return os.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
