package search

import (
	"fmt"
	"slices"
	"testing"
)

// TestFunctionsOfShells asks for a function that is handed on by its name, and called where the
// grammar of another shell reads no code: both are possible. What is in a comment or in
// double quotes is no use.
func TestFunctionsOfShells(t *testing.T) {
	e := open(t, map[string]string{
		"prompt.zsh": "prompt_render() {\n\tprint x\n}\n\nprompt_setup() {\n\t# prompt_render is called later\n" +
			"\tlocal out=\"${(q)${(f)\"$(print a)\"}}\"\n\tif (( $+functions[prompt_render] )); then\n\t\tprompt_render now || return\n\tfi\n" +
			"\tprint \"prompt_render of ${(q)x}\"\n\tzle -N prompt_render\n}\n",
		"other.sh": "run_later prompt_render\n",
	})
	a, err := e.References(t.Context(), ReferencesQuery{Symbol: "prompt_render"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.References {
		got = append(got, fmt.Sprintf("%s:%d", r.File, r.Line))
	}
	slices.Sort(got)
	if want := []string{"other.sh:1", "prompt.zsh:12", "prompt.zsh:8", "prompt.zsh:9"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v\n%s", got, want, a.Text())
	}
}
