package index

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeintel/test/golden"
)

// TestRecordVersion fails if files are read otherwise than before and recordVersion is
// what it was: indexes would go on with what they know. testdata/records holds the version,
// and what the samples of package syntax gave with it; a new sample is just added.
func TestRecordVersion(t *testing.T) {
	const held = "testdata/records"
	goldens, err := filepath.Glob("../syntax/testdata/*/*.golden")
	if err != nil || len(goldens) < 30 {
		t.Fatal(len(goldens), err)
	}
	now := []string{strconv.Itoa(recordVersion)}
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.ToSlash(strings.TrimSuffix(strings.TrimPrefix(golden, filepath.FromSlash("../syntax/testdata/")), ".golden"))
		now = append(now, fmt.Sprintf("%s %.6x", name, sha256.Sum256(text)))
	}
	text, err := os.ReadFile(held)
	if err != nil && !golden.Update() {
		t.Fatal(err)
	}
	before := strings.Split(strings.TrimSpace(string(text)), "\n")
	if slices.Equal(before, now) {
		return
	}
	var changed []string
	for _, line := range now[1:] {
		name, _, _ := strings.Cut(line, " ")
		if i := slices.IndexFunc(before, func(b string) bool { return strings.HasPrefix(b, name+" ") }); i >= 0 && before[i] != line {
			changed = append(changed, name)
		}
	}
	switch {
	case before[0] == now[0] && len(changed) > 0:
		t.Errorf("what is read in %s changed: raise recordVersion, and then go test ./internal/index -run TestRecordVersion -update", strings.Join(changed, ", "))
	case !golden.Update():
		t.Errorf("%s is of another version or lacks a sample: go test ./internal/index -run TestRecordVersion -update", held)
	default:
		if err := os.WriteFile(held, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
