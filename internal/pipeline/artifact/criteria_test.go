package artifact

import "testing"

// An entry that takes back what it claims does not hold, however that is worded; what
// speaks of the code holds.
func TestUnmet(t *testing.T) {
	for entry, unmet := range map[string]bool{
		"greets → `greet.py:1`":                                          false,
		"a missing file fails with an error → `greet.py:1`":              false,
		"greets → `greet.py:1`; the test fails without the change":       false,
		"greets → `greet.py:1`: returns an error, does not panic":        false,
		"greets → `greet.py:1`; open files are closed":                   false,
		"greets later, when asked → `greet.py:1`":                        false,
		"nothing is assumed → `greet.py:1`, `go test ./...` passed":      false,
		"greets → `greet.py:1`: wrong names are refused":                 false,
		"the unknown stay unknown → `greet.py:1` shows unknown as it is": false,
		"the TODO list is shown → `todo.py:1`":                           false,
		"名前で挨拶する → `greet.py:1`":                                         false,
		"greets → `greet.py:1`, not verified yet":                        true,
		"greets → `greet.py:1` (TODO)":                                   true,
		"greets → `greet.py:1` n/a":                                      true,
		"greets → `greet.py:1`; later":                                   true,
		"greets → `greet.py:1`, assumed":                                 true,
		"greets → `greet.py:1` 🚧":                                        true,
		"greets → `greet.py:1` ⚠️ only half":                             true,
		"greets → `greet.py:1`: does not hold":                           true,
		"greets → `greet.py:1` is wrong":                                 true,
		"greets → `greet.py:1` is still broken.":                         true,
		"greets → `greet.py:1`, could not be checked":                    true,
		"greets → `greet.py:1`?":                                         true,
		"greets → `greet.py:1` (was not executed here)":                  true,
		"its tests pass → `make test` would pass":                        true,
		"its tests pass → `make test`, never run":                        true,
		"its tests pass → `make test`: ran, and passed":                  false,
		"its tests pass → `make test` was run here":                      false,
		"greets → `greet.py:1` 未検証":                                      true,
		"greets: × `greet.py:1`":                                         true,
		"~~greets~~ → `greet.py:1`":                                      true,
		"NOT MET: greets → `greet.py:1`":                                 true,
		"[-] greets → `greet.py:1`":                                      true,
		"[ ] greets → `greet.py:1`":                                      true,
	} {
		all := ParseCriteria("## Criteria\n\n- " + entry + "\n")
		if len(all) != 1 || all[0].Unmet != unmet {
			t.Errorf("%q: %+v", entry, all)
		}
	}
}

// A range that runs backwards is the same range; so is one with another dash.
func TestRangesOfPlaces(t *testing.T) {
	for said, want := range map[string]Place{
		"`a.go:10-20`": {Path: "a.go", Line: 10, Last: 20}, "`a.go#L20-L10`": {Path: "a.go", Line: 10, Last: 20},
		"`a.go:20-10`": {Path: "a.go", Line: 10, Last: 20}, "`a.go:10–20`": {Path: "a.go", Line: 10, Last: 20},
		"`a.go:L10-L20`": {Path: "a.go", Line: 10, Last: 20}, "`a.go:7`": {Path: "a.go", Line: 7, Last: 7}, "`a.go`": {Path: "a.go"},
	} {
		got := ParseCriteria("## Criteria\n\n- it holds → " + said + "\n")
		if len(got) != 1 || len(got[0].Places) != 1 || got[0].Places[0] != want {
			t.Errorf("%s: %+v", said, got)
		}
	}
}
