// Package page keeps docs/design/enforcement.md true: some of its parts are what the tests of
// the proof find.
package page

import (
	"os"
	"regexp"
	"testing"
)

// Hold holds a part of docs/design/enforcement.md against a text, or writes it there. The part
// stands between "<!-- NAME: written by … -->" and "<!-- end of NAME -->". The root is
// that of the module, from the package.
func Hold(t *testing.T, root, name, text string, write bool) {
	t.Helper()
	file := root + "/docs/design/enforcement.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name = regexp.QuoteMeta(name)
	at := regexp.MustCompile(`(?s)<!-- ` + name + `: written by (.*?) -->\n(.*?)<!-- end of ` + name + ` -->\n`).FindSubmatchIndex(page)
	switch {
	case at == nil:
		t.Fatalf("%s has no part %q", file, name)
	case string(page[at[4]:at[5]]) == text:
	case !write:
		t.Errorf("%s does not show the %s as they are; they are written by %s:\n%s", file, name, page[at[2]:at[3]], text)
	default:
		if err := os.WriteFile(file, []byte(string(page[:at[4]])+text+string(page[at[5]:])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
