package question

import (
	"slices"
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

// TestSubject holds what of a question says nothing of code.
func TestSubject(t *testing.T) {
	for text, want := range map[string]string{
		"[fix] Count empty fragments (#2329)":    "count empty fragments",
		"fix(router)!: parse ipv6 hosts (#6373)": "router parse ipv6 hosts",
		"parse ipv6 hosts, fixes #12":            "parse ipv6 hosts",
		"[index] of an array":                    "index of an array",
		"test::run: where":                       "test run where",
		"build system of the project":            "build system of the project",
		"(#12)":                                  "12",
		"fix: ":                                  "fix",
	} {
		got, plain := Analyse(text), Analyse(want)
		if !slices.Equal(got.Terms, plain.Terms) || got.Text != text {
			t.Errorf("%q: %q, want %q", text, got.Terms, plain.Terms)
		}
	}
}
