package syntax

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/syntax/languages"
)

// TestRepairMisfits compares what is read of texts that are repaired at once, because they surely
// do not fit the grammar, with what is read of them step by step.
func TestRepairMisfits(t *testing.T) {
	texts := []string{
		"MY_BEGIN\n\nint f(void);\n\n  MY_EXPORT( void )\n  f( MY_Slot  slot );\n\n  MY_EXPORT( int )\n  g( void );\n\nMY_END\n",
		"MY_BEGIN\nint a;\nvoid f() {\n  if (a\n#if B\n    && b\n#else\n    && c\n#endif\n  ) d();\n}\n",
		"MY_BEGIN\nint a;\nvoid f(A* a, int (A::*g)(int)) { (a->*g)(1); }\nclass MY_API B { MY_EXPLICIT B(int); };\n",
		"MY_BEGIN\nint a;\nclass C {\n  int b(;\n  void d() { ( }\n};\nint e() { return 1; }\n",
		"#define A A\nMY_BEGIN\nenum E {\n  A, /* a */\n#define A A\n  B\n};\nint f(void) __attribute__((pure));\n",
	}
	for _, pattern := range []string{"testdata/c/*.[ch]", "testdata/cpp/*.cpp"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(src), "MY_BEGIN\nint first;\n"+string(src)+"int last() { return (1; }\n")
		}
	}
	for _, s := range []*engine.Spec{languages.C, languages.CPP} {
		slow := &engine.Spec{Name: s.Name, Rules: s.Rules, Names: s.Names, Recovery: s.Recovery, Repair: s.Repair, Misfit: s.Misfit}
		for _, text := range texts {
			want, err := slow.Parse([]byte(text), new(File), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Parse([]byte(text), new(File), nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %.200q (-step by step +at once):\n%s", s.Name, text, d)
			}
		}
	}
}
