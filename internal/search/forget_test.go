package search

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestForget asks before and after: nothing is lost but time.
func TestForget(t *testing.T) {
	e := shop(t)
	ask := func(symbol string) string {
		t.Helper()
		a, err := e.References(context.Background(), ReferencesQuery{Symbol: symbol})
		if err != nil {
			t.Fatal(err)
		}
		a.Freshness = ""
		return a.Text()
	}
	for _, symbol := range []string{"Cart", "checkout", "Disk.Get"} {
		before := ask(symbol)
		e.Forget()
		if diff := cmp.Diff(before, ask(symbol)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", symbol, diff)
		}
	}
	if e.types.CachedDirs() == nil {
		t.Fatal("nothing was kept that could be let go of")
	}
	e.Forget()
	if e.types.CachedDirs() != nil {
		t.Error("packages are kept")
	}
}
