// Package page keeps those parts of docs/design up to date that the end-to-end tests
// write: the attacks, what they measured, and how many crashes were survived.
package page

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Part returns a part of a page in docs/design. It stands between
// "<!-- NAME: written by COMMAND -->" and "<!-- end of NAME -->". The root is that of
// the module, from the package.
func Part(t *testing.T, root, name string) string {
	t.Helper()
	return find(t, root, name).text
}

// Hold compares a part of a page with a text, or with -update writes it.
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

// A part is a part of a page, the command that writes it, and what is around it.
type part struct{ file, command, before, text, after string }

// find looks for a part on every page of docs/design.
func find(t *testing.T, root, name string) part {
	t.Helper()
	quoted := regexp.QuoteMeta(name)
	marks := regexp.MustCompile(`(?s)<!-- ` + quoted + `: written by (.*?) -->\n(.*?)<!-- end of ` + quoted + ` -->\n`)
	pages, err := filepath.Glob(root + "/docs/design/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if at := marks.FindSubmatchIndex(page); at != nil {
			whole := string(page)
			return part{file, whole[at[2]:at[3]], whole[:at[4]], whole[at[4]:at[5]], whole[at[5]:]}
		}
	}
	t.Fatalf("no page in docs/design has a part %q", name)
	return part{}
}
