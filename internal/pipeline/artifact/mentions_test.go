package artifact

import (
	"slices"
	"testing"
)

// What a design says to leave alone is not planned; what it changes is, whatever else is there.
func TestPlanned(t *testing.T) {
	for design, want := range map[string][]string{
		"- `a.go`: a limit\n- `b.go` stays as it is\n":                                      {"a.go"},
		"- `a.go`: a limit\n- `b.go` need not be changed\n":                                 {"a.go"},
		"`a.go` changes; `b.go` needs no change.\n":                                         {"a.go"},
		"`b.go` is unchanged, but `a.go` gets a limit.\n":                                   {"a.go"},
		"- `a.go`: 上限を追加\n- `b.go`: 変更なし\n":                                                 {"a.go"},
		"## Changes\n\n- `a.go`\n\n## Unchanged\n\n- `b.go`\n\n## Tests\n\n- `c_test.go`\n": {"a.go", "c_test.go"},
		"- `a.go`: callers see no change\n":                                                 {"a.go"},
		"- `a.go` is not touched\n\n## Changes\n\n- `a.go`: a limit\n":                      {"a.go"},
		"- `a.go`: keeps the file unchanged on errors\n- `a.go`: returns the error\n":       {"a.go"},
	} {
		if got := Planned(design); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", design, got, want)
		}
	}
}

// TestGoesAway: what is done to a member of a type, or to its file, leaves the type its name.
func TestGoesAway(t *testing.T) {
	for text, want := range map[string]bool{
		"Rename `Account` to `Customer`":                       true,
		"Renaming the exported type `Account`":                 true,
		"- the struct `Account` is renamed to `Customer`":      true,
		"`Account` → `Customer` in the package":                true,
		"- `Account` is now called `Customer`":                 true,
		"remove `Account`":                                     true,
		"`Account` becomes `Customer`":                         true,
		"`Account` を `Customer` に改名する":                         true,
		"`Account` は廃止する":                                      true,
		"Add the method `Locked` to `Account`":                 false,
		"Rename the field `owner` of `Account`":                false,
		"Remove the method `Lock` from `Account`":              false,
		"`Account` is asked before the removed items are sent": false,
		"Remove `Account` from the list of exports":            false,
		"`Account` is removed from the queue when it is done":  false,
		"Move `Account` above its first use":                   false,
		"`Account` is moved to the package `user`":             true,
		"`Account` を削除する":                                      true,
		"`Account` を一覧から削除する":                                  false,
		"`Account` を削除する画面を追加する":                               false,
		"`Account` にメソッドを追加する":                                 false,
	} {
		if got := GoesAway(text, "Account"); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
