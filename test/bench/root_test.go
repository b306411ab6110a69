package bench

import (
	"os"
	"testing"

	"codeintel/test/tempcache"
)

// TestMain runs the benchmarks in the root of the repository, where their page and
// the program are.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	tempcache.Main(m)
}
