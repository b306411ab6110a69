package syntax

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// TestHostileMutations reads each sample with pieces cut out, doubled, moved and broken:
// code as it is while someone types. Nothing may panic, and what is found must
// lie in the file.
func TestHostileMutations(t *testing.T) {
	samples, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		if strings.HasSuffix(sample, ".golden") || filepath.Base(filepath.Dir(sample)) == "fuzz" {
			continue
		}
		src, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		lang := Detect(sample, src)
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			for n := range tier.Number(4, 150) {
				broken := mutate(src, random)
				if n%3 == 2 { // as a file is while it is written
					broken = src[:random.IntN(len(src)+1)]
				}
				f, err := tryParse(lang, broken)
				if err != nil {
					file := filepath.Join(t.TempDir(), "broken")
					t.Fatalf("mutation %d: %v\n%s", n, err, keep(t, file, broken))
				}
				checkFile(t, f, broken)
				if t.Failed() {
					t.Fatalf("mutation %d:\n%s", n, broken)
				}
			}
		})
	}
	for _, src := range []string{";;0", "((", "API int (f", "case x in", "`", "$(", "<<E", "{", "\x00", "@", "=>", "::", "<?php <?php", "<<<", "#{", "\"#{\"#{", "'''", "/*", "\\",
		"class A {\n    var b = C()\n\n    @Publ", "class A {\n    var b = C()\n    @D(e = \"f g", "class A\n@B",
		"class A {\n    val b = \"c\n}\n\nfun d() {}\n"} {
		for lang := range registered().languages {
			f, err := tryParse(lang, []byte(src))
			if err != nil {
				t.Errorf("%s: %q: %v", lang, src, err)
				continue
			}
			checkFile(t, f, []byte(src))
			EmptyBodies(lang, []byte(src))
		}
	}
}

// tryParse is Parse without its safety net, but with a stack.
func tryParse(lang Language, src []byte) (f *File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return parse(lang, src, new(File))
}

func keep(t *testing.T, file string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func mutate(src []byte, r *rand.Rand) []byte {
	out := append([]byte(nil), src...)
	for range 1 + r.IntN(4) {
		if len(out) < 4 {
			break
		}
		a := r.IntN(len(out))
		b := min(len(out), a+1+r.IntN(80))
		piece := append([]byte(nil), out[a:b]...)
		at := r.IntN(len(out))
		switch r.IntN(5) {
		case 0: // cut out
			out = append(out[:a], out[b:]...)
		case 1: // doubled elsewhere
			out = append(out[:at], append(piece, out[at:]...)...)
		case 2: // a bracket or quote too many
			const marks = "(){}[]<>\"'`;:,@#$\\/*=\n\x00\xff"
			out = append(out[:at], append([]byte{marks[r.IntN(len(marks))]}, out[at:]...)...)
		case 3: // cut short
			out = out[:max(b, len(out)/2)]
		case 4: // the end before the beginning
			out = append(append([]byte(nil), out[at:]...), out[:at]...)
		}
	}
	return out
}
