package tier

import (
	"flag"
	"slices"
	"testing"
)

// TestSample takes all cases where tests were named, and some where not.
func TestSample(t *testing.T) {
	run := flag.Lookup("test.run")
	defer func(was string) { run.Value.Set(was) }(run.Value.String())
	all := []int{0, 1, 2, 3, 4, 5, 6}
	t.Setenv("CODE_INTEL_TESTS", "")
	for named, want := range map[string][]int{"": {0, 3, 6}, "TestSample": all} {
		if err := run.Value.Set(named); err != nil {
			t.Fatal(err)
		}
		if got := Sample(all, 3); !slices.Equal(got, want) {
			t.Errorf("-run %q: %v, want %v", named, got, want)
		}
	}
	run.Value.Set("")
	t.Setenv("CODE_INTEL_TESTS", "all")
	if got := Sample(all, 3); !slices.Equal(got, all) {
		t.Errorf("all: %v", got)
	}
}
