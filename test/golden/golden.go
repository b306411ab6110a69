// Package golden compares what a test made with a file that is kept beside it or in
// docs. With -update the file is written anew.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that tests compare with anew")

// Update reports whether files are to be written anew: -update was given.
func Update() bool { return *update }

// Hold fails the test if the file does not hold got. With -update it writes the file.
func Hold(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); if the change is meant, go test -run '^%s$' -update writes it:\n%s", file, t.Name(), diff)
	}
}
