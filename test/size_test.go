package test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The limits of size: the columns of a line, where a tab counts as four; the share of
// lines that may have more; and the lines of a package.
const (
	maxColumns   = 120
	maxLongLines = 0.01
	maxPackage   = 9_000
)

// TestSize measures the Go code without its tests. With -v it says what it has found.
func TestSize(t *testing.T) {
	lines, long := 0, 0
	packages := make(map[string]int)
	for path, data := range tracked(t) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
			continue
		}
		for line := range strings.Lines(string(data)) {
			lines++
			packages[filepath.Dir(path)]++
			columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) + 3*strings.Count(line, "\t")
			if columns > maxColumns {
				long++
			}
		}
	}
	largest := ""
	for name, n := range packages {
		if n > packages[largest] {
			largest = name
		}
		if n > maxPackage {
			t.Errorf("%s has %d lines; the limit is %d", name, n, maxPackage)
		}
	}
	share := float64(long) / float64(lines)
	t.Logf("%d packages, %d lines of Go; the largest, %s, has %d; %.2f %% of the lines have more than %d columns",
		len(packages), lines, largest, packages[largest], 100*share, maxColumns)
	if share > maxLongLines {
		t.Errorf("%.2f %% of the lines have more than %d columns; at most %.0f %% may", 100*share, maxColumns, 100*maxLongLines)
	}
}
