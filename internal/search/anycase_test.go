package search

import (
	"slices"
	"testing"
)

// TestAnyCase asks for names in languages to which large and small letters are the same, and
// in one to which they are not.
func TestAnyCase(t *testing.T) {
	e := open(t, map[string]string{
		"shop.pas": "unit Shop;\ninterface\nfunction TotalPrice(x: Integer): Integer;\nimplementation\nend.\n",
		"cart.pas": "unit Cart;\nuses shop;\nprocedure Pay;\nbegin\n  WriteLn(totalprice(1));\n  WriteLn(TOTALPRICE(2));\nend;\nend.\n",
		"shop.nim": "proc brewTea(x: int): int = x\nproc serve() = echo brewtea(1), brewTea(2)\n",
	})
	for asked, want := range map[string][]string{
		"TotalPrice": {"cart.pas:5", "cart.pas:6"},
		"totalprice": {"cart.pas:5", "cart.pas:6"},
		"brewTea":    {"shop.nim:2"},
	} {
		a, err := e.References(t.Context(), ReferencesQuery{Symbol: asked})
		if err != nil {
			t.Fatal(err)
		}
		got := places(a.References)
		slices.Sort(got)
		if !slices.Equal(got, want) || len(a.Definitions) == 0 {
			t.Errorf("%s: %v, want %v\n%s", asked, got, want, a.Text())
		}
	}
}
