package shellcheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// commandsIn returns the command lines of a file in testdata.
func commandsIn(t *testing.T, file string, atLeast int) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) < atLeast {
		t.Fatalf("%s holds %d command lines, fewer than %d", file, len(lines), atLeast)
	}
	return lines
}

// TestHarmless lets pass what only looks at something.
func TestHarmless(t *testing.T) {
	for _, command := range commandsIn(t, "harmless.txt", 600) {
		if e, err := Inspect(command, nil); err != nil || len(e.NotReading()) > 0 {
			t.Errorf("%s: %q %v", command, e.NotReading(), err)
		}
	}
}

// TestTechniques lets nothing pass that writes or runs something.
func TestTechniques(t *testing.T) {
	for _, command := range commandsIn(t, "techniques.txt", 700) {
		if e, err := Inspect(command, nil); err == nil && len(e.NotReading()) == 0 {
			t.Errorf("%s: it passes", command)
		}
	}
}

// TestReaders wants each program in one row, and each row to be one that is understood.
func TestReaders(t *testing.T) {
	seen := make(map[string]bool)
	for line := range strings.Lines(readersText) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		if len(line) > 120 {
			t.Errorf("too long: %.60s…", line)
		}
		if line[0] == ' ' {
			continue
		}
		names, _, ok := strings.Cut(line, ":")
		if !ok {
			t.Errorf("%q names no program", line)
		}
		for name := range strings.FieldsSeq(names) {
			if seen[name] {
				t.Errorf("%s stands in two rows", name)
			}
			seen[name] = true
			if row := commands[name]; row != nil && strings.Contains(row.names, ":") {
				t.Errorf("%s: its row in table.go says already that it only reads", name)
			}
			r := readerOf(name)
			if r == nil || len(r.ways) == 0 {
				t.Errorf("%s: there is no way to call it", name)
				continue
			}
			for _, w := range r.ways {
				for _, f := range slices.Concat(r.flags.list, w.flags.list) {
					if !strings.HasPrefix(f.name, "-") || f.name == "-" || f.name == "--" {
						t.Errorf("%s %s: %q is no option", name, strings.Join(w.command, " "), f.name)
					}
				}
			}
		}
	}
}
