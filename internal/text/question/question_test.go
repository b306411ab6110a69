package question

import (
	"strings"
	"testing"
)

func TestQuestions(t *testing.T) {
	for text, want := range map[string]struct {
		kind  Kind
		names string
	}{
		"HTTPClient":                 {Symbolic, "HTTPClient"},
		"http.Client.Do":             {Symbolic, "Do"},
		"std::vector::push_back":     {Symbolic, "push_back"},
		"client":                     {Prose, "client"},
		"where is parseToken called": {Prose, "parseToken whereisparseTokencalled where_is_parseToken_called where-is-parseToken-called"},
		"who calls open() and why does it fail so often": {Prose, "open"},
		"接続の再試行":                                         {CJK, "接続の再試行"},
	} {
		q := Analyse(text)
		var got []string
		for _, n := range q.Names {
			got = append(got, n.Name)
		}
		if q.Kind != want.kind || strings.Join(got, " ") != want.names {
			t.Errorf("%q: kind %v, names %q, want %v, %q", text, q.Kind, got, want.kind, want.names)
		}
	}
}
