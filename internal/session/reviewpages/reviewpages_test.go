package reviewpages

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"codeintel/internal/git"
)

func TestPaginateLosesNothingAndFits(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         "",
		"short":         "a\n",
		"quotes":        strings.Repeat("+\t\"a\": \"<b>\\\"\",\n", 3000),
		"one long line": strings.Repeat("日本語\"", 5000),
		"odd ends":      strings.Repeat("x", 6499) + "\n" + strings.Repeat("\t", 4000) + "\n\n",
	} {
		pages := paginate(text, reviewPage)
		if strings.Join(pages, "") != text {
			t.Errorf("%s: the pages are not the text", name)
		}
		for i, p := range pages {
			data, err := json.Marshal(p)
			if err != nil || len(data)-2 > reviewPage || !utf8.ValidString(p) {
				t.Errorf("%s: page %d has %d bytes as JSON, %v", name, i, len(data)-2, err)
			}
		}
	}
}

func TestListedFits(t *testing.T) {
	var changes []git.Change
	for i := range 2000 {
		changes = append(changes, git.Change{Path: fmt.Sprintf("日本/\"file\"%d.go", i), Status: git.Added})
	}
	files := changedFiles(changes, reviewFiles)
	data, err := json.Marshal(files)
	if err != nil || len(data) > reviewFiles+len(files)+2 || len(files) < 20 {
		t.Errorf("%d files in %d bytes, %v", len(files), len(data), err)
	}
}

func TestCursor(t *testing.T) {
	if n, err := Page(Cursor("abc", 3), "abc", 5); n != 3 || err != nil {
		t.Errorf("page = %d, %v", n, err)
	}
	for _, bad := range []string{"x", Cursor("other", 1), Cursor("abc", 5), Cursor("abc", -1), "MSBhYmM=", Cursor("", 0)} {
		if _, err := Page(bad, "abc", 5); err == nil {
			t.Errorf("Page(%q) is accepted", bad)
		}
	}
}
