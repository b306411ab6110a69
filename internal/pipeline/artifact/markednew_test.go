package artifact

import "testing"

func TestMarkedNew(t *testing.T) {
	for said, want := range map[string]bool{
		"- `StrsV` (new)": true,
		"- `func (e *Event) StrsV(key string, vals ...string) *Event` (new), and `Other`": true,
		"- `a.go` - `StrsV(vals)`（新規）":                                                    true,
		"- `StrsV` beside `ObjectsV` (new)":                                               false,
		"- `func StrsV()` and `func ObjectsV()` (new)":                                    false,
		"- StrsV calls `Strs` (new)":                                                      false,
		"- `StrsV` is there":                                                              false,
	} {
		if got := MarkedNew("x\n"+said+"\n", "StrsV"); got != want {
			t.Errorf("%s: %v", said, got)
		}
	}
}
