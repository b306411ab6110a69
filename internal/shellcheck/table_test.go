package shellcheck

import (
	"slices"
	"strings"
	"testing"
)

// TestTables wants each name in one row, and each row to say what its commands do.
func TestTables(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range table() {
		if row.follow == nil {
			t.Errorf("%s: what do they do?", row.names)
		}
		for name := range strings.FieldsSeq(row.names) {
			if seen[name] {
				t.Errorf("%s stands in two rows", name)
			}
			seen[name] = true
		}
	}
	for _, row := range gitTable() {
		for name := range strings.FieldsSeq(row.names) {
			if seen["git "+name] {
				t.Errorf("git %s stands in two rows", name)
			}
			seen["git "+name] = true
		}
	}
}

// TestOptionsAlone follows commands whose options ask for something that is not there,
// or that hide one another.
func TestOptionsAlone(t *testing.T) {
	for command, want := range map[string]string{
		"jobs -x":                            "",
		"xargs":                              "",
		"timeout 5":                          "",
		"sort -R --compress-program=sh f":    "runs sort with a program of its own",
		"find . -exec":                       "",
		"git -C":                             "",
		"git -c":                             "",
		"env -i":                             "",
		"sudo -u":                            "",
		"mv -t":                              "names a file for mv whose name is only known when it runs",
		"git mv -t":                          "names a file for mv whose name is only known when it runs",
		"git submodule foreach":              "runs git submodule foreach",
		"go":                                 "runs go",
		"git fetch origin main:refs/heads/x": "git fetch into a branch",
	} {
		e, err := Inspect(command, nil)
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if why := strings.Join(slices.Compact(e.NotReading()), "; "); why != want {
			t.Errorf("%s: %q; want %q", command, why, want)
		}
	}
}
