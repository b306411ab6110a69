package text

import "testing"

func TestParseLocation(t *testing.T) {
	for in, want := range map[string]struct {
		file     string
		from, to int
	}{
		"a.go:3": {"a.go", 3, 3}, "a b/c.py:3-17": {"a b/c.py", 3, 17}, "a.c:210:9": {"a.c", 210, 210},
		"a:b.go:0": {"a:b.go", 0, 0}, "a.go": {}, ":3": {}, "a.go:": {}, "a.go:x": {}, "a.go:3-": {}, "a.go#b": {},
	} {
		file, from, to, ok := ParseLocation(in)
		if file != want.file || from != want.from || to != want.to || ok != (want.file != "") {
			t.Errorf("%s: %s, %d to %d, %t", in, file, from, to, ok)
		}
	}
}
