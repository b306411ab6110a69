package search

import (
	"fmt"
	"strings"
	"testing"
)

// TestFilesAsQualifiers asks for names with the file or folder they lie in before them, as
// answers and people write it.
func TestFilesAsQualifiers(t *testing.T) {
	e := open(t, map[string]string{
		"lib/s3.py":            "def put(key):\n    return client().put(key)\n\n\nclass Store:\n    def close(self):\n        put(1)\n",
		"lib/local.py":         "def put(key):\n    return key\n",
		"web/api.ts":           "export function login() {}\n",
		"web/src/links/b.ts":   "export function batch() {}\n",
		"web/src/http.auth.ts": "export function login() {}\n",
		"play/game_state.gd":   "extends Node\n\nfunc save_all():\n\tpass\n",
		"play/other_state.gd":  "extends Node\n\nfunc save_all():\n\tpass\n",
	})
	for name, want := range map[string]string{
		"lib/s3.py:put":         "lib/s3.py:1",
		"s3.py:put":             "lib/s3.py:1",
		"lib/s3.py:Store.close": "lib/s3.py:6",
		"lib/s3.py#close":       "lib/s3.py:6",
		"Api.login":             "web/api.ts:1",
		"http.auth.ts:login":    "web/src/http.auth.ts:1",
		"web/batch":             "web/src/links/b.ts:1",
		"GameState.save_all":    "play/game_state.gd:3",
		"s4.py:put":             "",
		"Shop.login":            "",
	} {
		a, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: name, ExactMatch: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range a.Definitions {
			got = append(got, fmt.Sprintf("%s:%d", d.File, d.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is defined at %v, want %s", name, got, want)
		}
	}
	// What is defined elsewhere alone is shown, with its code, and said to be that.
	a, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: "Shop.batch"})
	if err != nil {
		t.Fatal(err)
	}
	if text := a.Text(); !strings.Contains(text, "0 definitions, 1 similar name") || !strings.Contains(text, "export function batch() {}") {
		t.Error(text)
	}
	r, err := e.References(t.Context(), ReferencesQuery{Symbol: "lib/s3.py:put"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Definitions) != 1 || len(r.References) == 0 || r.References[0].Line != 7 {
		t.Error(r.Text())
	}
	for name, want := range map[string]string{
		"save":      "nothing is defined by the name save, but 2 files contain it as text; ",
		"logi":      "",
		"save_all":  "",
		"Shop.save": "",
	} {
		a, err := open(t, map[string]string{
			"a.py":      "def save_all():\n    pass  # save\n\n\ndef login():\n    pass\n",
			"README.md": "They save, and Save.\n",
			"b.md":      "Save\n",
		}).Definitions(t.Context(), DefinitionsQuery{Symbol: name})
		if err != nil {
			t.Fatal(err)
		}
		if text := a.Text(); strings.Contains(text, "as text; ") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
