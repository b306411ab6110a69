package specifier

import (
	"maps"
	"testing"
)

// TestRoundInCircles asks for packages whose entries name each other's folders.
func TestRoundInCircles(t *testing.T) {
	files := map[string]string{
		"a/package.json": `{"name": "a", "main": "../b"}`,
		"b/package.json": `{"name": "b", "main": "../a", "exports": "."}`,
		"c/package.json": `{"name": "c", "main": "./", "source": ["x"]}`,
		"c/src/index.ts": "",
		"main.ts":        "",
	}
	p := New(func(file string) bool { _, ok := files[file]; return ok },
		func(file string) ([]byte, bool) { text, ok := files[file]; return []byte(text), ok },
		[]string{"a/package.json", "b/package.json", "c/package.json"}, maps.Keys(files))
	for name, want := range map[string]string{"a": "", "b": "", "c": "c/src/index.ts", "./a": "", "./c": "c/src/index.ts"} {
		if got := p.Target("main.ts", name); got.File != want {
			t.Errorf("%q is %+v, want %q", name, got, want)
		}
	}
}
