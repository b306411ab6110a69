package memlimit

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestGroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		groups string
		want   int64
	}{
		"version 2":                     {map[string]string{"a/b/memory.max": "max\n", "a/memory.max": "268435456\n"}, "0::/a/b\n", 256 << 20},
		"version 2, seen from inside":   {map[string]string{"memory.max": "1000\n"}, "0::/\n", 1000},
		"version 2, outside of a mount": {map[string]string{"memory.max": "1000\n"}, "0::/../../x\n", 1000},
		"version 1":                     {map[string]string{"memory/d/memory.limit_in_bytes": "5000\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"}, "5:cpu:/\n4:memory:/d\n0::/\n", 5000},
		"version 1, seen from inside":   {map[string]string{"memory/memory.limit_in_bytes": "7000\n"}, "4:memory:/docker/abc\n", 7000},
		"none":                          {nil, "4:memory:/d\n0::/\n", math.MaxInt64},
		"not a group":                   {map[string]string{"memory.max": "x"}, "\n::\n0\n", math.MaxInt64},
	} {
		mounted := t.TempDir()
		for file, text := range c.files {
			at := filepath.Join(mounted, file)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := groupLimit(mounted, c.groups); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestHeld(t *testing.T) {
	for _, line := range []string{"RssAnon:", "VmData:", "VmSize:"} {
		if got := statusReader(line)(); got < 64<<10 || got > 1<<40 {
			t.Errorf("%s %d", line, got)
		}
	}
	if got := statusReader("Nothing:")(); got != 0 {
		t.Errorf("a line that is not there: %d", got)
	}
}

func TestShort(t *testing.T) {
	of := func(limit, taken int64) bound { return bound{limit, func() int64 { return taken }} }
	for _, c := range []struct {
		all  []bound
		want bool
	}{
		{nil, false},
		{[]bound{of(800, 600)}, false},
		{[]bound{of(800, 601)}, true},
		{[]bound{of(800, 0), of(8000, 7900)}, true},
		{[]bound{of(ampleMemory, ampleMemory)}, false},
	} {
		if got := isShort(c.all); got != c.want {
			t.Errorf("%v: %v", c.all, got)
		}
	}
	if got := smallestLimit([]bound{of(9, 0), of(7, 0), of(8, 0)}); got != 7 {
		t.Errorf("least: %d", got)
	}
}
