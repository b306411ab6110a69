// Package page keeps docs/design/enforcement.md up to date: some of its parts are
// written by the end-to-end tests.
package page

import (
	"os"
	"regexp"
	"testing"
)

// Part returns a part of docs/design/enforcement.md. It stands between
// "<!-- NAME: written by COMMAND -->" and "<!-- end of NAME -->". The root is that of
// the module, from the package.
func Part(t *testing.T, root, name string) string {
	t.Helper()
	return find(t, root, name).text
}

// Hold compares a part of the page with a text, or with -update writes it.
func Hold(t *testing.T, root, name, text string, write bool) {
	t.Helper()
	p := find(t, root, name)
	switch {
	case p.text == text:
	case !write:
		t.Errorf("%s does not show the %s as they are; they are written by %s:\n%s", p.file, name, p.command, text)
	default:
		if err := os.WriteFile(p.file, []byte(p.before+text+p.after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A part is a part of the page, the command that writes it, and what stands around it.
type part struct{ file, command, before, text, after string }

func find(t *testing.T, root, name string) part {
	t.Helper()
	file := root + "/docs/design/enforcement.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name = regexp.QuoteMeta(name)
	at := regexp.MustCompile(`(?s)<!-- ` + name + `: written by (.*?) -->\n(.*?)<!-- end of ` + name + ` -->\n`).
		FindSubmatchIndex(page)
	if at == nil {
		t.Fatalf("%s has no part %q", file, name)
	}
	whole := string(page)
	return part{file, whole[at[2]:at[3]], whole[:at[4]], whole[at[4]:at[5]], whole[at[5]:]}
}
